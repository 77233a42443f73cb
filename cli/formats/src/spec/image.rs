//! Textures and surfaces among specifications: `tex:TYPE[WxHxD]=INIT,linear,clamp,normalized`. The
//! text around `=INIT` is an [`ImageText`].

use warpsim::host::{ImageText, ImageTextError, ImageWord, Sampler, Texels};

use super::{BufferSpec, Init, Shape, SpecError, initial};

/// A texture or a surface.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageSpec {
    /// Whether the kernel may store to it.
    pub is_surface: bool,
    /// The sizes and the kind of texels.
    pub texels: Texels,
    /// The channels of all texels as cells.
    pub cells: BufferSpec,
    /// How a texture is looked up.
    pub sampler: Sampler,
}

/// `TYPE[xCHANNELS][W[xH[xD]]][=INIT][,WORD]...`, after `tex:` or `surf:`.
pub(super) fn parse(text: &str, is_surface: bool) -> Result<ImageSpec, SpecError> {
    let (head, rest) = match text.split_once(']') {
        Some(both) => both,
        None if text.contains('[') => return Err(SpecError::NoClosingBracket),
        None => return Err(SpecError::Image(ImageTextError::Form(text.to_owned()))),
    };
    let (rest, words) = words(rest, is_surface)?;
    let described = words.iter().fold(format!("{head}]"), |text, word| format!("{text},{word}"));
    let ImageText { texels, sampler } = described.parse().map_err(SpecError::Image)?;
    let element = texels.element();
    let length = texels.bytes() / element.size() as u64;
    let init = match rest.strip_prefix('=') {
        Some(init) => initial(element, length, init)?,
        None if rest.is_empty() => Init::Zeros,
        None => return Err(SpecError::AfterBracket(rest.to_owned())),
    };
    let cells = BufferSpec { element, length, shape: Shape::row(length), start: 0, init };
    Ok(ImageSpec { is_surface, texels, cells, sampler })
}

/// Takes the words at the end, in their order.
fn words(text: &str, is_surface: bool) -> Result<(&str, Vec<ImageWord>), SpecError> {
    let (mut words, mut rest) = (Vec::new(), text);
    while let Some((before, word)) = rest.rsplit_once(',') {
        let word = match word.parse::<ImageWord>() {
            Ok(word) => word,
            // A value of `list:`, or what that makes an error of.
            Err(ImageTextError::Word(_)) => break,
            Err(
                error @ (ImageTextError::Form(_)
                | ImageTextError::Type(_)
                | ImageTextError::Number(_)
                | ImageTextError::Texels(_)),
            ) => return Err(SpecError::Image(error)),
        };
        if is_surface && word.is_of_lookups() {
            return Err(SpecError::NoSampler(word.to_string()));
        }
        words.insert(0, word);
        rest = before;
    }
    Ok((rest, words))
}
