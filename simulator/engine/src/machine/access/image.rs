//! Instructions on textures and surfaces, one warp at a time.

use super::addresses::By;
use crate::element::ElementType;
use crate::lanes::{LANES, Slot, Word as _, lanes_of};
use crate::lower::{
    Detail, ImageAction, ImageOperation, Outside, ResultWidth, Sample, Target, Unit,
};
use crate::machine::images::filter::{self, Term};
use crate::machine::images::lookup::{Asked, CORNERS, Level, Taken, detail_of, is_real, take};
use crate::machine::images::{Image, ImageObject, Sampler, Shape, surface};
use crate::machine::state::execution::Execution;
use crate::machine::state::stop::{FaultKind, Stop};
use crate::machine::state::warp::Warp;
use crate::observe::{Access, AccessKind};
use crate::ptx::Space;

impl Execution<'_, '_> {
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
                    // The size in a direction that the image does not have is 0.
                    let size = if *direction < image.dimensions { size } else { 0 };
                    let registers = &mut warp.frames[usize::from(by.frame)].registers;
                    u32::write(registers, *d)[lane] = size;
                }
                Ok(())
            }
            ImageAction::Address { d, inside, outside, bytes, unit } => {
                for lane in lanes_of(by.active) {
                    let image = *self.object(warp, operation, by, lane)?.image();
                    let first = match unit {
                        Unit::Bytes => 1,
                        Unit::Texels | Unit::TexelsOf { .. } => image.texel_bytes(),
                    };
                    let found =
                        self.place(warp, operation, (by, lane), (&image, first, *bytes), *outside)?;
                    let counts = match unit {
                        Unit::Bytes | Unit::Texels => true,
                        Unit::TexelsOf { signed } => surface::is_signed(&image) == *signed,
                    };
                    let registers = &mut warp.frames[usize::from(by.frame)].registers;
                    u64::write(registers, *d)[lane] = found.unwrap_or(0);
                    let is_inside = if found.is_some() && counts { 1 << lane } else { 0 };
                    registers.set_predicate(*inside, 1 << lane, is_inside);
                }
                Ok(())
            }
            ImageAction::Pack { d, inside, words, values, outside } => {
                for lane in lanes_of(by.active) {
                    let image = *self.object(warp, operation, by, lane)?.image();
                    let bytes = image.texel_bytes();
                    let found = self.place(
                        warp,
                        operation,
                        (by, lane),
                        (&image, bytes, bytes as u32),
                        *outside,
                    )?;
                    let registers = &mut warp.frames[usize::from(by.frame)].registers;
                    let mut channels = [0; 4];
                    for (channel, slot) in channels.iter_mut().zip(values) {
                        *channel = registers.w32(*slot)[lane];
                    }
                    let packed = surface::packed(&image, channels);
                    u64::write(registers, *d)[lane] = found.unwrap_or(0);
                    for (slot, word) in words.iter().zip(packed) {
                        u32::write(registers, *slot)[lane] = word;
                    }
                    for (size, slot) in inside.iter().enumerate() {
                        let is_inside = found.is_some() && bytes == 1 << size;
                        registers.set_predicate(*slot, 1 << lane, u32::from(is_inside) << lane);
                    }
                }
                Ok(())
            }
        }
    }

    /// The address of a lane's access to a surface, if it has one.
    fn place(
        &self,
        warp: &Warp,
        operation: &ImageOperation,
        (by, lane): (By, usize),
        (image, unit, bytes): (&Image, u64, u32),
        outside: Outside,
    ) -> Result<Option<u64>, Stop> {
        let at = self.coordinates(warp, operation, by, lane).map(|c| c as i32);
        let layer = self.layer(warp, operation, by, lane);
        let found = surface::address(image, (at, layer), (unit, bytes), outside);
        match found {
            None if outside == Outside::Trap => {
                Err(self.fault(warp, 1 << lane, by.pc, FaultKind::OutsideSurface(at)))
            }
            found => Ok(found),
        }
    }

    /// The object of a lane. It must have the directions of the instruction.
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
            let image = object.image();
            // A surface treats the faces of its cubes as layers.
            let is_of_faces = !is_texture
                && operation.shape == Shape::Layered
                && matches!(image.shape, Shape::Cube | Shape::CubeLayered);
            let is_such = image.dimensions == operation.dimensions
                && (image.shape == operation.shape || is_of_faces);
            kind && (asks || is_such)
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

    /// The number of a lane's layer; 0 without layers.
    fn layer(&self, warp: &Warp, operation: &ImageOperation, by: By, lane: usize) -> u32 {
        let registers = &warp.frames[usize::from(by.frame)].registers;
        operation.layer.map_or(0, |slot| registers.w32(slot)[lane])
    }

    /// The request of a lane.
    fn asked(
        &self,
        warp: &Warp,
        operation: &ImageOperation,
        (sample, image): (&Sample, &Image),
        (by, lane): (By, usize),
    ) -> Asked {
        let registers = &warp.frames[usize::from(by.frame)].registers;
        let words = |slots: &[Slot]| {
            let mut words = [0; 3];
            for (word, slot) in words.iter_mut().zip(slots) {
                *word = registers.w32(*slot)[lane];
            }
            words
        };
        let floats = |slots: &Vec<Slot>| words(slots).map(f32::from_bits);
        Asked {
            at: words(&operation.coordinates),
            layer: self.layer(warp, operation, by, lane),
            offsets: words(&sample.offsets).map(|offset| offset as i32),
            level: match &sample.detail {
                Detail::Base => Level::Detail(0.0),
                Detail::Level(slot) if sample.whole => Level::Number(registers.w32(*slot)[lane]),
                Detail::Level(slot) => Level::Detail(f32::from_bits(registers.w32(*slot)[lane])),
                Detail::Growth([x, y]) => Level::Detail(detail_of(image, [floats(x), floats(y)])),
            },
            whole: is_whole(sample),
            gathers: sample.gathers.is_some(),
        }
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
            let asked = self.asked(warp, operation, (sample, &image), (by, lane));
            taken[lane] = take(&image, &sampler, &asked);
            let result = self.filtered(warp, &image, &sampler, sample, (by, lane), &taken[lane])?;
            for (results, value) in results.iter_mut().zip(in_width(sample.width, result)) {
                results[lane] = value;
            }
        }
        self.tell_taken(warp, operation, (by, &sample.target), &taken);
        let registers = &mut warp.frames[usize::from(by.frame)].registers;
        for (slot, values) in sample.d.iter().zip(&results) {
            if let Some(slot) = slot {
                crate::lanes::write_lanes(registers, *slot, by.active, values);
            }
        }
        if let Some(resident) = sample.resident {
            registers.set_predicate(resident, by.active, by.active);
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
        let word = |bits: u32| component(image, sampler, bits);
        if let Some(component) = sample.gathers {
            let gathered = |bits: u32| match is_real(image, sampler) {
                true => filter::alone(image, bits),
                false => word(bits),
            };
            // Counter-clockwise from the lower left, where y grows downwards.
            let component = component as usize;
            return Ok([2, 3, 1, 0].map(|corner| {
                if component < image.channels as usize {
                    gathered(channels[corner][component])
                } else {
                    0
                }
            }));
        }
        let of_levels = sampler.between_levels && image.levels > 1;
        let sums = (sampler.linear || of_levels) && !is_whole(sample) && is_real(image, sampler);
        let first = taken.weights.iter().position(|weight| *weight != 0);
        Ok(std::array::from_fn(|component| {
            // Channels that texels do not have are zero, the fourth one, too, as on an H200.
            if component >= image.channels as usize {
                return 0;
            }
            if !sums {
                return first.map_or(0, |corner| word(channels[corner][component]));
            }
            let term = |corner: usize| Term {
                bits: channels[corner][component],
                weight: taken.weights[corner],
                plane: corner / 4,
            };
            let terms: [Term; CORNERS] = std::array::from_fn(term);
            filter::sum(image, &terms)
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
            let address = address + i as u64 * u64::from(width);
            *channel = self.read_lane(warp, Space::Global, (lane, address), width)? as u32;
        }
        Ok(channels)
    }

    /// Reports the texels that were read to the observer: those at one corner are one access.
    fn tell_taken(
        &mut self,
        warp: &Warp,
        operation: &ImageOperation,
        (by, target): (By, &Target),
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
                // Texels of one size: the texels of one object.
                let handle = handles[rest.trailing_zeros() as usize];
                let mask = lanes_of(rest)
                    .filter(|lane| handles[*lane] == handle)
                    .fold(0u32, |mask, lane| mask | 1 << lane);
                rest &= !mask;
                let Some(object) = self.environment.images.get(handle) else { continue };
                let image = *object.image();
                let addresses: [u64; LANES] =
                    std::array::from_fn(|lane| taken[lane].texels[corner].unwrap_or(0));
                let access = Access {
                    kind: AccessKind::Read,
                    space: Space::Global,
                    mask,
                    addresses: &addresses,
                    bytes: image.texel_bytes() as u32,
                    width: image.element.size() as u32,
                    semantics: target.semantics,
                    non_coherent: true,
                    flight: None,
                };
                self.tell_access(warp, by.frame, by.pc, &access);
            }
        }
    }
}

/// Whether coordinates are integers. The driver's machine code has no integer lookup with
/// gradients, so an H200 takes integers beside gradients for floats.
fn is_whole(sample: &Sample) -> bool {
    match sample.detail {
        Detail::Base | Detail::Level(_) => sample.whole,
        Detail::Growth(_) => false,
    }
}

/// Results in the requested width. A lookup gives a word. The driver's machine code rounds it to an
/// f16 as `cvt` does, whose NaN is 0x7fff.
fn in_width(width: ResultWidth, result: [u32; 4]) -> [u32; 4] {
    let half = |word: u32| match f32::from_bits(word) {
        value if value.is_nan() => 0x7fff,
        value => ElementType::F16.of_float(value.into()) as u32,
    };
    match width {
        ResultWidth::Words => result,
        ResultWidth::Halves => result.map(half),
        ResultWidth::Pairs => {
            let [x, y, z, w] = result.map(half);
            [x | y << 16, z | w << 16, 0, 0]
        }
    }
}

/// The word that a lookup gives for a channel's bits.
fn component(image: &Image, sampler: &Sampler, bits: u32) -> u32 {
    let normal = |value: f32, greatest: f32| (value / greatest).max(-1.0).to_bits();
    match (image.element, sampler.as_float) {
        (ElementType::U8, true) => normal(bits as u8 as f32, 255.0),
        (ElementType::I8, true) => normal(bits as u8 as i8 as f32, 127.0),
        (ElementType::U16, true) => normal(bits as u16 as f32, 65535.0),
        (ElementType::I16, true) => normal(bits as u16 as i16 as f32, 32767.0),
        (ElementType::I8, false) => bits as u8 as i8 as i32 as u32,
        (ElementType::I16, false) => bits as u16 as i16 as i32 as u32,
        // A NaN keeps its bits.
        (ElementType::F16, _) if bits & 0x7fff > 0x7c00 => {
            (bits & 0x8000) << 16 | 0x7f80_0000 | (bits & 0x3ff) << 13
        }
        (ElementType::F16, _) => (ElementType::F16.float(bits.into()) as f32).to_bits(),
        _ => bits,
    }
}
