//! Instructions on textures and surfaces, one warp at a time.
//!
//! A result of linear filtering is the sum of the texels times their weights, in double precision, rounded once to f32. An H200's
//! last bits may be others, and it has fewer for integers of 8 and 16 bits and for halves.

use super::sample::{Along, along, weights};
use super::{AddressMode, Image, ImageObject, Sampler};
use crate::element::ElementType;
use crate::lanes::{LANES, Word as _, lanes_of};
use crate::lower::{ImageAction, ImageOperation, Outside, Sample};
use crate::machine::access::By;
use crate::machine::stage::Stage;
use crate::machine::stop::{FaultKind, Stop};
use crate::machine::warp::Warp;
use crate::observe::{Access, AccessKind};
use crate::ptx::Space;

/// The texels of a lookup: at most the eight corners of a cell.
const CORNERS: usize = 8;

/// What a lane takes: texels with their weights.
#[derive(Clone, Copy, Debug, Default)]
struct Taken {
    /// The addresses of texels, `None` where there is the border.
    texels: [Option<u64>; CORNERS],
    /// Their weights, in 256ths; all of them 0 beyond the first of a point filter.
    weights: [u32; CORNERS],
}

impl Stage<'_, '_> {
    /// Executes an operation on textures or surfaces.
    #[inline(never)]
    pub(in crate::machine) fn image(
        &mut self,
        warp: &mut Warp,
        operation: &ImageOperation,
        by: By,
    ) -> Result<(), Stop> {
        match &operation.action {
            ImageAction::Sample(sample) => self.sample(warp, operation, sample, by),
            ImageAction::Size { d, direction } => {
                for lane in lanes_of(by.active) {
                    let object = self.object(warp, operation, by, lane)?;
                    let image = object.image();
                    let size = image.extent[*direction as usize % 3];
                    // A direction that it does not have has no size.
                    let size = if *direction < image.dimensions { size } else { 0 };
                    let registers = &mut warp.frames[usize::from(by.frame)].registers;
                    u32::write(registers, *d)[lane] = size;
                }
                Ok(())
            }
            ImageAction::Address { d, inside, outside, bytes } => {
                for lane in lanes_of(by.active) {
                    let object = self.object(warp, operation, by, lane)?;
                    let at = self.coordinates(warp, operation, by, lane).map(|c| c as i32);
                    let address = surface_address(object.image(), at, *bytes, *outside);
                    if address.is_none() && *outside == Outside::Trap {
                        return Err(self.fault(
                            warp,
                            1 << lane,
                            by.pc,
                            FaultKind::OutsideSurface(at),
                        ));
                    }
                    let registers = &mut warp.frames[usize::from(by.frame)].registers;
                    u64::write(registers, *d)[lane] = address.unwrap_or(0);
                    let is_inside = if address.is_some() { 1 << lane } else { 0 };
                    registers.set_predicate(*inside, 1 << lane, is_inside);
                }
                Ok(())
            }
        }
    }

    /// The object of a lane, which must have the directions of the instruction.
    fn object(
        &self,
        warp: &Warp,
        operation: &ImageOperation,
        by: By,
        lane: usize,
    ) -> Result<ImageObject, Stop> {
        let handle = warp.frames[usize::from(by.frame)].registers.w64(operation.handle)[lane];
        let is_texture = matches!(operation.action, ImageAction::Sample(_));
        let fits = |object: &&ImageObject| {
            let asks = matches!(operation.action, ImageAction::Size { .. });
            let kind = asks || is_texture == matches!(object, ImageObject::Texture(..));
            kind && (asks || object.image().dimensions == operation.dimensions)
        };
        let found = self.environment.images.get(handle).filter(fits);
        let bad = || self.fault(warp, 1 << lane, by.pc, FaultKind::BadImage(handle));
        found.copied().ok_or_else(bad)
    }

    /// The coordinates of a lane; 0 in directions that the instruction does not have.
    fn coordinates(
        &self,
        warp: &Warp,
        operation: &ImageOperation,
        by: By,
        lane: usize,
    ) -> [u32; 3] {
        let registers = &warp.frames[usize::from(by.frame)].registers;
        let mut at = [0; 3];
        for (at, slot) in at.iter_mut().zip(&operation.coordinates) {
            *at = registers.w32(*slot)[lane];
        }
        at
    }

    fn sample(
        &mut self,
        warp: &mut Warp,
        operation: &ImageOperation,
        sample: &Sample,
        by: By,
    ) -> Result<(), Stop> {
        let mut results = [[0; LANES]; 4];
        let mut taken = [Taken::default(); LANES];
        for lane in lanes_of(by.active) {
            let ImageObject::Texture(image, sampler) = self.object(warp, operation, by, lane)?
            else {
                continue;
            };
            let at = self.coordinates(warp, operation, by, lane);
            taken[lane] = take(&image, &sampler, sample, at);
            let result = self.filtered(warp, &image, &sampler, sample, (by, lane), &taken[lane])?;
            for (results, value) in results.iter_mut().zip(result) {
                results[lane] = value;
            }
        }
        self.tell_taken(warp, operation, by, &taken);
        let registers = &mut warp.frames[usize::from(by.frame)].registers;
        for (slot, values) in sample.d.iter().zip(&results) {
            if let Some(slot) = slot {
                crate::lanes::write_lanes(registers, *slot, by.active, values);
            }
        }
        Ok(())
    }

    /// The result of a lane.
    fn filtered(
        &mut self,
        warp: &Warp,
        image: &Image,
        sampler: &Sampler,
        sample: &Sample,
        (by, lane): (By, usize),
        taken: &Taken,
    ) -> Result<[u32; 4], Stop> {
        let mut channels = [[0; 4]; CORNERS];
        for (texel, channels) in taken.texels.iter().zip(&mut channels) {
            if let Some(address) = texel {
                *channels = self.texel(warp, image, *address, (by, lane))?;
            }
        }
        let real = is_real(image, sampler);
        let word = |bits: u32| component(image, sampler, bits);
        if let Some(component) = sample.gathers {
            // Counter-clockwise from the lower left, where y grows downwards.
            let component = component as usize;
            return Ok([2, 3, 1, 0].map(|corner| {
                if component < image.channels as usize {
                    word(channels[corner][component])
                } else {
                    0
                }
            }));
        }
        Ok(std::array::from_fn(|component| {
            // What texels do not have is zero, as on an H200: the fourth channel, too.
            if component >= image.channels as usize {
                return 0;
            }
            if !(sampler.linear && real) || sample.whole {
                return word(channels[0][component]);
            }
            let terms = channels.iter().zip(taken.weights).filter(|(_, weight)| *weight != 0);
            let value = |channels: &[u32; 4]| f64::from(f32::from_bits(word(channels[component])));
            let sum: f64 =
                terms.map(|(channels, weight)| value(channels) * f64::from(weight)).sum();
            ((sum / 256.0) as f32).to_bits()
        }))
    }

    /// The channels of a texel, as their bits.
    fn texel(
        &mut self,
        warp: &Warp,
        image: &Image,
        address: u64,
        (by, lane): (By, usize),
    ) -> Result<[u32; 4], Stop> {
        let bytes = image.texel_bytes();
        if let Err(fault) = self.global.find_ref(address, bytes) {
            let at = self.thread(warp, 1 << lane, by.pc);
            let bytes = bytes as u32;
            return Err(Stop::Memory { at, space: Space::Global, address, bytes, fault });
        }
        let width = image.element.size() as u32;
        let mut channels = [0; 4];
        for (i, channel) in channels.iter_mut().enumerate().take(image.channels as usize) {
            let found = [address + i as u64 * u64::from(width); LANES];
            *channel = self.read(warp, Space::Global, &found, 1 << lane, width)[lane] as u32;
        }
        Ok(channels)
    }

    /// Tells the observer of the texels that were read: those at one corner are an access.
    fn tell_taken(
        &mut self,
        warp: &Warp,
        operation: &ImageOperation,
        by: By,
        taken: &[Taken; LANES],
    ) {
        if !self.tells_accesses() {
            return;
        }
        let handles = *warp.frames[usize::from(by.frame)].registers.w64(operation.handle);
        for corner in 0..CORNERS {
            let mut rest = lanes_of(by.active)
                .filter(|lane| taken[*lane].texels[corner].is_some())
                .fold(0u32, |mask, lane| mask | 1 << lane);
            while rest != 0 {
                // Texels of one size: those of one object.
                let handle = handles[rest.trailing_zeros() as usize];
                let mask = lanes_of(rest)
                    .filter(|lane| handles[*lane] == handle)
                    .fold(0u32, |mask, lane| mask | 1 << lane);
                rest &= !mask;
                let Some(object) = self.environment.images.get(handle) else { continue };
                let image = *object.image();
                let addresses: [u64; LANES] =
                    std::array::from_fn(|lane| taken[lane].texels[corner].unwrap_or(0));
                let ImageAction::Sample(sample) = &operation.action else { return };
                let access = Access {
                    kind: AccessKind::Read,
                    space: Space::Global,
                    mask,
                    addresses: &addresses,
                    bytes: image.texel_bytes() as u32,
                    width: image.element.size() as u32,
                    semantics: sample.target.semantics,
                    non_coherent: true,
                    flight: None,
                };
                self.tell_access(warp, by.frame, by.pc, &access);
            }
        }
    }
}

/// The texels that a lookup takes, and their weights.
fn take(image: &Image, sampler: &Sampler, sample: &Sample, at: [u32; 3]) -> Taken {
    let linear =
        sample.gathers.is_some() || sampler.linear && is_real(image, sampler) && !sample.whole;
    // Integers name texels, and outside there are none, whatever the mode: as on an H200.
    let sampler = match sample.whole {
        true => Sampler { normalized: false, address: AddressMode::Border, ..*sampler },
        false => *sampler,
    };
    let directions: [Along; 3] = std::array::from_fn(|i| {
        let row = i == 1 && linear && image.dimensions == 1;
        if row && sampler.address == AddressMode::Border {
            // A texture of one direction is a row at 0, half of which lies outside: as on an H200.
            return Along { texels: [None, Some(0)], weight: 128 };
        }
        if i as u32 >= image.dimensions {
            return Along::ONE;
        }
        let coordinate = if sample.whole { at[i] as i32 as f32 } else { f32::from_bits(at[i]) };
        along(&sampler, linear, coordinate, image.extent[i])
    });
    let weights = weights(directions.map(|along| along.weight));
    let mut taken = Taken::default();
    for (corner, weight) in weights.into_iter().enumerate() {
        let gathered = sample.gathers.is_some() && corner < 4;
        if weight == 0 && !gathered {
            continue;
        }
        let mut texel = Some([0; 3]);
        for (i, along) in directions.iter().enumerate() {
            texel = match (texel, along.texels[corner >> i & 1]) {
                (Some(mut texel), Some(index)) => {
                    texel[i] = index;
                    Some(texel)
                }
                (Some(_) | None, _) => None,
            };
        }
        taken.texels[corner] = texel.map(|texel| image.address(texel));
        taken.weights[corner] = weight;
    }
    taken
}

/// Whether what is read is a float: then it can be filtered.
fn is_real(image: &Image, sampler: &Sampler) -> bool {
    match image.element {
        ElementType::F16 | ElementType::F32 => true,
        ElementType::U8 | ElementType::I8 | ElementType::U16 | ElementType::I16 => sampler.as_float,
        _ => false,
    }
}

/// The word that a lookup gives of a channel's bits.
fn component(image: &Image, sampler: &Sampler, bits: u32) -> u32 {
    let normal = |value: f32, greatest: f32| (value / greatest).max(-1.0).to_bits();
    match (image.element, sampler.as_float) {
        (ElementType::U8, true) => normal(bits as u8 as f32, 255.0),
        (ElementType::I8, true) => normal(bits as u8 as i8 as f32, 127.0),
        (ElementType::U16, true) => normal(bits as u16 as f32, 65535.0),
        (ElementType::I16, true) => normal(bits as u16 as i16 as f32, 32767.0),
        (ElementType::I8, false) => bits as u8 as i8 as i32 as u32,
        (ElementType::I16, false) => bits as u16 as i16 as i32 as u32,
        (ElementType::F16, _) => (ElementType::F16.float(bits.into()) as f32).to_bits(),
        _ => bits,
    }
}

/// The address of an access to a surface; `None` outside of it. The first coordinate counts bytes.
fn surface_address(image: &Image, at: [i32; 3], bytes: u32, outside: Outside) -> Option<u64> {
    let row = i64::from(image.extent[0]) * image.texel_bytes() as i64;
    let most =
        [row - i64::from(bytes), i64::from(image.extent[1]) - 1, i64::from(image.extent[2]) - 1];
    let mut place = [0; 3];
    for i in 0..3 {
        let at = i64::from(at[i]);
        let is_inside = (0..=most[i]).contains(&at);
        if !is_inside && outside != Outside::Clamp {
            return None;
        }
        place[i] = at.clamp(0, most[i].max(0)) as u64;
    }
    let rows = place[2] * u64::from(image.extent[1]) + place[1];
    Some(image.base + rows * row as u64 + place[0])
}
