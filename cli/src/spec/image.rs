//! Textures and surfaces among specifications: `tex:TYPE[WxHxD]=INIT,linear,clamp,normalized`.

use warpsim::element::ElementType;
use warpsim::host::{AddressMode, Sampler, Texels};

use super::{BufferSpec, Init, SpecError, initial, unsigned};

/// A texture or a surface.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ImageSpec {
    pub(crate) is_surface: bool,
    pub(crate) texels: Texels,
    /// The channels of all texels as cells.
    pub(crate) cells: BufferSpec,
    pub(crate) sampler: Sampler,
}

/// `TYPE[xCHANNELS][W[xH[xD]]][=INIT][,WORD]...`, after `tex:` or `surf:`.
pub(super) fn parse(text: &str, is_surface: bool) -> Result<ImageSpec, SpecError> {
    let (ty, rest) = text.split_once('[').ok_or_else(|| SpecError::Image(text.to_owned()))?;
    let (ty, channels) = match ty.split_once('x') {
        Some((ty, channels)) => (ty, unsigned(channels, "the number of channels after `x`")?),
        None => (ty, 1),
    };
    let element: ElementType = ty.parse()?;
    let (sizes, rest) = rest.split_once(']').ok_or(SpecError::NoClosingBracket)?;
    let mut extent = Vec::new();
    for size in sizes.split('x') {
        let size = unsigned(size, "a size between the brackets")?;
        extent.push(u32::try_from(size).unwrap_or(u32::MAX));
    }
    let channels = u32::try_from(channels).unwrap_or(u32::MAX);
    let texels = Texels::new(element, channels, &extent)
        .map_err(|error| SpecError::Texels(error.to_string()))?;
    let (rest, sampler) = sampler(rest, is_surface)?;
    let length = texels.bytes() / element.size() as u64;
    let init = match rest.strip_prefix('=') {
        Some(init) => initial(element, length, init)?,
        None if rest.is_empty() => Init::Zeros,
        None => return Err(SpecError::AfterBracket(rest.to_owned())),
    };
    let cells = BufferSpec { element, length, start: 0, init };
    Ok(ImageSpec { is_surface, texels, cells, sampler })
}

/// Takes the words at the end that say how a texture is looked up.
fn sampler(text: &str, is_surface: bool) -> Result<(&str, Sampler), SpecError> {
    let mut sampler = Sampler::default();
    let mut rest = text;
    while let Some((before, word)) = rest.rsplit_once(',') {
        match word {
            "point" => sampler.linear = false,
            "linear" => sampler.linear = true,
            "wrap" => sampler.address = AddressMode::Wrap,
            "clamp" => sampler.address = AddressMode::Clamp,
            "mirror" => sampler.address = AddressMode::Mirror,
            "border" => sampler.address = AddressMode::Border,
            "normalized" => sampler.normalized = true,
            "float" => sampler.as_float = true,
            // A value of `list:`, or what that makes an error of.
            _ => break,
        }
        if is_surface {
            return Err(SpecError::NoSampler(word.to_owned()));
        }
        rest = before;
    }
    Ok((rest, sampler))
}
