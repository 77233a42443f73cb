//! Arrays of texels and how they are looked up, in text: `f32x4[8x5],linear,layers=3`. Command
//! lines and the heads of test files use it.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use super::error::DeviceError;
use super::images::{AddressMode, Sampler, Texels};
use crate::element::{ElementType, UnknownType, parse_integer};

/// Texels, and how they are looked up: `TYPE[xCHANNELS][WIDTH[xHEIGHT[xDEPTH]]]`, and words behind
/// commas.
///
/// The words of an array are `layers=N`, `cube` and `levels=N`, as of [`Texels::layered`],
/// [`Texels::cube`] and [`Texels::mipmapped`]. The words of a texture are `point` or `linear`;
/// `clamp`, `wrap`, `mirror` or `border`; `normalized`, `float` and `between`. They mean the fields
/// of [`Sampler`]. A missing word means the default.
///
/// ```
/// use warpsim::host::ImageText;
///
/// let image: ImageText = "f32x4[8x5],layers=3,linear,border".parse()?;
/// assert_eq!(image.texels.bytes(), 3 * 8 * 5 * 16);
/// assert!(image.sampler.linear);
/// assert_eq!(image.to_string(), "f32x4[8x5],layers=3,linear,border");
/// # Ok::<(), warpsim::host::ImageTextError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageText {
    /// The texels.
    pub texels: Texels,
    /// How they are looked up.
    pub sampler: Sampler,
}

/// Why a text describes no texels.
#[derive(Clone, Debug, PartialEq)]
pub enum ImageTextError {
    /// It is none at all.
    Form(String),
    /// There is no such type.
    Type(UnknownType),
    /// A number of channels, texels, layers or levels is none, or too large.
    Number(String),
    /// No word of those that there are.
    Word(String),
    /// There are no such arrays.
    Texels(DeviceError),
}

impl fmt::Display for ImageTextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImageTextError::Form(text) => write!(
                f,
                "`{text}` is not a texture: use TYPE[xCHANNELS][WIDTH[xHEIGHT[xDEPTH]]], then \
                 words after commas"
            ),
            ImageTextError::Type(error) => error.fmt(f),
            ImageTextError::Number(text) => {
                write!(f, "`{text}` is not a number of channels, texels, layers or levels")
            }
            ImageTextError::Word(word) => write!(f, "`{word}` is not a word for a texture"),
            ImageTextError::Texels(error) => error.fmt(f),
        }
    }
}

impl Error for ImageTextError {}

/// A word behind a comma.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageWord {
    /// `layers=N`.
    Layers(u32),
    /// `cube`.
    Cube,
    /// `levels=N`.
    Levels(u32),
    /// `point`, or `linear`.
    Linear(bool),
    /// `clamp`, `wrap`, `mirror` or `border`.
    Address(AddressMode),
    /// `normalized`.
    Normalized,
    /// `float`: integers are read as floats.
    Float,
    /// `between`: levels are weighted.
    Between,
}

impl ImageWord {
    /// Whether it says something about a lookup: then a surface does not have it. Nor does it have
    /// levels.
    pub fn is_of_lookups(self) -> bool {
        match self {
            ImageWord::Layers(_) | ImageWord::Cube => false,
            ImageWord::Levels(_)
            | ImageWord::Linear(_)
            | ImageWord::Address(_)
            | ImageWord::Normalized
            | ImageWord::Float
            | ImageWord::Between => true,
        }
    }
}

impl FromStr for ImageWord {
    type Err = ImageTextError;

    fn from_str(text: &str) -> Result<ImageWord, ImageTextError> {
        match text.split_once('=') {
            Some(("layers", count)) => return number(count).map(ImageWord::Layers),
            Some(("levels", count)) => return number(count).map(ImageWord::Levels),
            Some(_) | None => {}
        }
        match text {
            "cube" => Ok(ImageWord::Cube),
            "point" => Ok(ImageWord::Linear(false)),
            "linear" => Ok(ImageWord::Linear(true)),
            "wrap" => Ok(ImageWord::Address(AddressMode::Wrap)),
            "clamp" => Ok(ImageWord::Address(AddressMode::Clamp)),
            "mirror" => Ok(ImageWord::Address(AddressMode::Mirror)),
            "border" => Ok(ImageWord::Address(AddressMode::Border)),
            "normalized" => Ok(ImageWord::Normalized),
            "float" => Ok(ImageWord::Float),
            "between" => Ok(ImageWord::Between),
            other => Err(ImageTextError::Word(other.to_owned())),
        }
    }
}

impl fmt::Display for ImageWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImageWord::Layers(count) => write!(f, "layers={count}"),
            ImageWord::Cube => f.write_str("cube"),
            ImageWord::Levels(count) => write!(f, "levels={count}"),
            ImageWord::Linear(true) => f.write_str("linear"),
            ImageWord::Linear(false) => f.write_str("point"),
            ImageWord::Address(AddressMode::Wrap) => f.write_str("wrap"),
            ImageWord::Address(AddressMode::Clamp) => f.write_str("clamp"),
            ImageWord::Address(AddressMode::Mirror) => f.write_str("mirror"),
            ImageWord::Address(AddressMode::Border) => f.write_str("border"),
            ImageWord::Normalized => f.write_str("normalized"),
            ImageWord::Float => f.write_str("float"),
            ImageWord::Between => f.write_str("between"),
        }
    }
}

fn number(text: &str) -> Result<u32, ImageTextError> {
    let bad = || ImageTextError::Number(text.to_owned());
    u32::try_from(parse_integer(text).ok_or_else(bad)?).map_err(|_| bad())
}

/// Texels without words.
fn plain(head: &str) -> Result<Texels, ImageTextError> {
    let form = || ImageTextError::Form(head.to_owned());
    let (ty, sizes) = head.split_once('[').ok_or_else(form)?;
    let sizes = sizes.strip_suffix(']').ok_or_else(form)?;
    let (ty, channels) = match ty.split_once('x') {
        Some((ty, channels)) => (ty, number(channels)?),
        None => (ty, 1),
    };
    let element: ElementType = ty.parse().map_err(ImageTextError::Type)?;
    let extent = sizes.split('x').map(number).collect::<Result<Vec<u32>, ImageTextError>>()?;
    Texels::new(element, channels, &extent).map_err(ImageTextError::Texels)
}

impl FromStr for ImageText {
    type Err = ImageTextError;

    fn from_str(text: &str) -> Result<ImageText, ImageTextError> {
        let (head, words) = match text.split_once(',') {
            Some((head, words)) => (head, words.split(',').map(str::parse).collect()),
            None => (text, Ok(Vec::new())),
        };
        let words: Result<Vec<ImageWord>, ImageTextError> = words;
        let (mut texels, words) = (plain(head)?, words?);
        let mut sampler = Sampler::default();
        let (mut layers, mut levels) = (None, 1);
        for word in words {
            match word {
                ImageWord::Layers(count) => layers = Some(count),
                ImageWord::Cube => texels = texels.cube().map_err(ImageTextError::Texels)?,
                ImageWord::Levels(count) => levels = count,
                ImageWord::Linear(linear) => sampler.linear = linear,
                ImageWord::Address(address) => sampler.address = address,
                ImageWord::Normalized => sampler.normalized = true,
                ImageWord::Float => sampler.as_float = true,
                ImageWord::Between => sampler.between_levels = true,
            }
        }
        // Layers of cubes are fewer than other layers may be: how many there may be is known only
        // now.
        if let Some(count) = layers {
            texels = texels.layered(count).map_err(ImageTextError::Texels)?;
        }
        let texels = texels.mipmapped(levels).map_err(ImageTextError::Texels)?;
        Ok(ImageText { texels, sampler })
    }
}

impl ImageText {
    /// The words behind the sizes: those that are not the default.
    pub fn words(&self) -> Vec<ImageWord> {
        let ImageText { texels, sampler } = self;
        let Sampler { linear, address, normalized, between_levels, as_float } = *sampler;
        let levels = texels.levels().len() as u32;
        let said = [
            texels.is_cube().then_some(ImageWord::Cube),
            texels.layers().map(ImageWord::Layers),
            (levels > 1).then_some(ImageWord::Levels(levels)),
            linear.then_some(ImageWord::Linear(true)),
            (address != AddressMode::default()).then_some(ImageWord::Address(address)),
            normalized.then_some(ImageWord::Normalized),
            as_float.then_some(ImageWord::Float),
            between_levels.then_some(ImageWord::Between),
        ];
        said.into_iter().flatten().collect()
    }

    /// Type, channels and sizes, without words.
    pub fn head(&self) -> String {
        let sizes: Vec<String> = self.texels.extent().iter().map(u32::to_string).collect();
        let (element, channels) = (self.texels.element(), self.texels.channels());
        let channels = if channels == 1 { String::new() } else { format!("x{channels}") };
        format!("{element}{channels}[{}]", sizes.join("x"))
    }
}

impl fmt::Display for ImageText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.head())?;
        self.words().iter().try_for_each(|word| write!(f, ",{word}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<ImageText, String> {
        text.parse::<ImageText>().map_err(|error| error.to_string())
    }

    #[test]
    fn words_say_what_the_array_is_and_how_it_is_looked_up() {
        let image =
            read("u8x4[4x4],levels=2,layers=3,cube,mirror,normalized,float,between").unwrap();
        let texels = &image.texels;
        assert_eq!((texels.is_cube(), texels.layers(), texels.levels().len()), (true, Some(3), 2));
        assert_eq!(texels.bytes(), 3 * 6 * (16 + 4) * 4);
        let right = Sampler {
            linear: false,
            address: AddressMode::Mirror,
            normalized: true,
            between_levels: true,
            as_float: true,
        };
        assert_eq!(image.sampler, right);
    }

    #[test]
    fn what_is_written_reads_as_the_same() {
        for text in [
            "f32[8]",
            "s16x2[8x5],layers=1,linear,wrap",
            "f16x4[3x4x5],border,normalized",
            "u8[16x16],cube,layers=2,levels=5,linear,normalized,float,between",
        ] {
            let image = read(text).unwrap();
            assert_eq!(image.to_string(), text);
            assert_eq!(read(&image.to_string()), Ok(image));
        }
    }

    #[test]
    fn what_describes_no_texels_says_why() {
        for (text, why) in [
            ("f32", "is not a texture"),
            ("f32[8", "is not a texture"),
            ("f31[8]", "f31"),
            ("f32[8x]", "`` is not a number"),
            ("f32x5000000000[8]", "`5000000000` is not a number"),
            ("f32[8],layers=-1", "`-1` is not a number"),
            ("f32[8],lines=3", "`lines=3` is not a word for a texture"),
            ("f32[8x5],cube", "the faces of a cube are squares"),
            ("f32[8x8],cube,layers=400", "layers are 1 to 2048"),
            ("f32[8],levels=5", "there are 1 to 4 levels"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
