//! Writing lookups of textures, and accesses to surfaces (PTX ISA 9.7.10, 9.7.11), each of a
//! separate object that fits the form.
//!
//! Coordinates lie on grids inside and outside of a texture, of halves of a texel as of parts that
//! hardware rounds. What a surface is left with is read by a second kernel, since a launch need not
//! see what it stored there. Every thread stores into its own row or layer.
//!
//! Some cases are not drawn, because they are not determined or are known to differ. Two levels or
//! planes are not weighted where texels have opposite signs (the last bits of such sums; see the
//! simulator's `filter`). There are no gradients near the middle of two levels, and no levels that
//! gradients or integers are weighted between. Where coordinates are floats, a texture with one
//! level has no other level than the first.

use std::fmt::Write as _;

use warpsim::element::ElementType;
use warpsim::host::{AddressMode, Sampler, Texels};
use warpsim::isa::ImageInstruction;

use super::access::bits;
use super::write::{Body, Fill, OWN};
use crate::differential::draw::Draw;
use crate::differential::program::Image;

/// What an instruction takes the object to be made of.
#[derive(Clone, Copy, Debug)]
struct Geometry {
    directions: usize,
    layered: bool,
    cube: bool,
}

impl Geometry {
    fn of(text: &str) -> Geometry {
        let known = |modifier: &str| {
            let (directions, layered, cube) = match modifier {
                "1d" => (1, false, false),
                "2d" => (2, false, false),
                "3d" => (3, false, false),
                "a1d" => (1, true, false),
                "a2d" => (2, true, false),
                "cube" => (2, false, true),
                "acube" => (2, true, true),
                _ => return None,
            };
            Some(Geometry { directions, layered, cube })
        };
        let found = text.split('.').find_map(known);
        found.unwrap_or_else(|| panic!("`{text}` does not say what the object is made of"))
    }

    fn texels(
        self,
        (element, channels): (ElementType, u32),
        extent: &[u32],
        layers: u32,
        levels: u32,
    ) -> Texels {
        let mut texels = Texels::new(element, channels, extent).expect("there are such arrays");
        if self.cube {
            texels = texels.cube().expect("faces are squares");
        }
        if self.layered {
            texels = texels.layered(layers).expect("so many layers");
        }
        texels.mipmapped(levels).expect("so many levels")
    }

    /// The layer, and the coordinates behind the first, of a thread's own row.
    fn own_row(self) -> (Option<&'static str>, &'static [&'static str]) {
        match (self.directions, self.layered) {
            (1, false) => (None, &[]),
            (1, true) => (Some("%all"), &[]),
            (2, false) => (None, &["%all"]),
            (2, true) => (Some("%all4"), &["%mod4"]),
            _ => (None, &["%mod8", "%all8"]),
        }
    }

    /// The vector of a place: the layer first, filled up to four.
    fn place(self, layer: Option<String>, coordinates: &[String]) -> String {
        let mut all: Vec<String> = layer.into_iter().chain(coordinates.iter().cloned()).collect();
        if all.len() == 3 {
            all.push(all[0].clone());
        }
        format!("{{{}}}", all.join(", "))
    }
}

/// The registers of a thread's own row, and the code for them before the first step.
pub(super) const HEAD: [&str; 2] = [
    ".reg .b32 %all4, %mod4, %all8, %mod8;\n  ",
    "shr.u32 %all4, %all, 2;\n  and.b32 %mod4, %all, 3;\n  shr.u32 %all8, %all, 3;\n  \
     and.b32 %mod8, %all, 7;\n  ",
];

use ElementType::{F16, F32, I8, I16, I32, U8, U16, U32};

/// Texels of a type with this many bytes, or any that there are.
fn of_bytes(bytes: usize, draw: &mut Draw) -> (ElementType, u32) {
    let all = [U8, I8, U16, I16, U32, I32, F16, F32];
    let pairs = all.into_iter().flat_map(|element| [1, 2, 4].map(|channels| (element, channels)));
    let fit: Vec<_> =
        pairs.filter(|(e, channels)| e.size() * *channels as usize == bytes).collect();
    draw.of(&fit)
}

/// The bytes of texels: floats that are moderate, or of any kind; not negative where it is said so.
fn contents(texels: &Texels, positive: bool, draw: &mut Draw) -> Vec<u8> {
    let any = !positive && draw.percent(8);
    let mut bytes = Vec::new();
    while bytes.len() < texels.bytes() as usize {
        let word = draw.word();
        let (sign, fraction) = (u64::from(!positive) & word >> 63, word >> 8);
        let exponent = draw.below(13) as u64;
        match texels.element() {
            F32 if !any => {
                let bits = sign << 31 | (121 + exponent) << 23 | fraction & 0x7f_ffff;
                bytes.extend((bits as u32).to_le_bytes());
            }
            F16 if !any => {
                let bits = sign << 15 | (9 + exponent) << 10 | fraction & 0x3ff;
                bytes.extend((bits as u16).to_le_bytes());
            }
            _ => bytes.extend(word.to_le_bytes()),
        }
    }
    bytes.truncate(texels.bytes() as usize);
    bytes
}

impl Body<'_> {
    pub(super) fn image(&mut self, instruction: ImageInstruction) {
        match instruction {
            ImageInstruction::Sample | ImageInstruction::Gather => self.look_up(),
            ImageInstruction::Query => self.size(),
            ImageInstruction::Load => self.load_surface(),
            ImageInstruction::Store
            | ImageInstruction::StoreFormatted
            | ImageInstruction::Reduce => self.store_surface(instruction),
        }
    }

    /// A register with the handle of a new object.
    fn object_of(&mut self, texels: Texels, sampler: Option<Sampler>, bytes: Vec<u8>) -> String {
        let (d, number) = (self.d(), self.images.len());
        self.line(&format!("ld.param.u64 {d}, [image{number}];"));
        self.images.push(Image { texels, sampler, bytes });
        d
    }

    /// A number below a limit for each thread, plus another.
    fn below(&mut self, limit: usize, plus: i32) -> String {
        let r = self.words(Fill::Words, 1).remove(0);
        self.line(&format!("rem.u32 {r}, {r}, {limit};"));
        self.line(&format!("add.s32 {r}, {r}, {plus};"));
        r
    }

    /// A float for each thread: this many steps of a size from a beginning.
    fn float(&mut self, steps: usize, step: f32, from: f32) -> String {
        let r = self.below(steps, 0);
        self.line(&format!("cvt.rn.f32.u32 {r}, {r};"));
        self.line(&format!("mul.rn.f32 {r}, {r}, 0f{:08X};", step.to_bits()));
        self.line(&format!("add.rn.f32 {r}, {r}, 0f{:08X};", from.to_bits()));
        r
    }

    /// A coordinate along a direction of this many texels, from as many before it to as many behind
    /// it.
    fn coordinate(&mut self, size: u32, (whole, normalized): (bool, bool)) -> String {
        if whole {
            return self.below(3 * size as usize, -(size as i32));
        }
        let step = self.draw.of(&[0.5, 0.125, 1.0 / 256.0, 1.0 / 512.0, 3.0 / 1024.0, 0.37]);
        let from = -(size as f32) + self.draw.of(&[0.0, 0.0, 1.0 / 1024.0, 0.1]);
        let r = self.float((3.0 * size as f32 / step) as usize, step, from);
        if normalized {
            self.line(&format!("mul.rn.f32 {r}, {r}, 0f{:08X};", (1.0 / size as f32).to_bits()));
        }
        r
    }

    /// `tex` and `tld4`.
    fn look_up(&mut self) {
        let text = self.text.clone();
        let geometry = Geometry::of(&text);
        let mut types = text.rsplit('.');
        let whole = types.next() == Some("s32");
        let integers = matches!(types.next(), Some("u32" | "s32"));
        let (element, as_float) = match integers {
            true => (self.draw.of(&[U8, I8, U16, I16, U32, I32]), false),
            false => self.draw.of(&[
                (F32, false),
                (F32, false),
                (F16, false),
                (U8, true),
                (I8, true),
                (U16, true),
                (I16, true),
            ]),
        };
        let linear = !integers && self.draw.percent(60);
        let by_gradient = self.has("grad");
        let levels = match self.has("level") || by_gradient && !whole {
            true => 1 + self.draw.below(4) as u32,
            false => 1,
        };
        let n = 1 + self.draw.below(9) as u32 + if levels > 1 { 8 } else { 0 };
        let other = |draw: &mut Draw| if geometry.cube { n } else { 1 + draw.below(9) as u32 };
        let extent = [n, other(&mut self.draw), other(&mut self.draw)];
        let extent = &extent[..geometry.directions];
        let layers = 1 + self.draw.below(4) as u32;
        let channels = self.draw.of(&[1, 2, 4]);
        let texels = geometry.texels((element, channels), extent, layers, levels);
        let between_levels = levels > 1 && !by_gradient && !integers && self.draw.percent(40);
        let normalized = levels > 1 || !whole && (geometry.cube || self.draw.percent(50));
        use AddressMode::{Border, Clamp, Mirror, Wrap};
        let address =
            if geometry.cube { Clamp } else { self.draw.of(&[Wrap, Clamp, Mirror, Border]) };
        let sampler = Sampler { linear, address, normalized, between_levels, as_float };
        let moderate = linear && extent.len() == 3 || between_levels;
        let bytes = contents(&texels, moderate, &mut self.draw);
        let handle = self.object_of(texels, Some(sampler), bytes);

        let layer = geometry.layered.then(|| self.below(6, 0));
        let coordinates: Vec<String> = match geometry.cube {
            true => (0..3).map(|_| self.float(4096, 1.0 / 2048.0, -1.0)).collect(),
            false => extent.iter().map(|n| self.coordinate(*n, (whole, normalized))).collect(),
        };
        let mut more = String::new();
        if self.has("level") {
            let level = match levels {
                levels if whole => self.below(levels as usize + 2, -1),
                1 => self.float(1, 0.0, 0.0),
                levels => self.float(256, (levels + 1) as f32 / 256.0, -0.6),
            };
            more += &format!(", {level}");
        }
        if by_gradient {
            more += &self.gradients(extent, normalized, levels);
        }
        if !geometry.cube && self.draw.percent(20) {
            let offsets: Vec<String> = extent.iter().map(|_| self.below(16, -8)).collect();
            more += &format!(", {}", geometry.place(None, &offsets));
        }
        let (count, size) = match () {
            () if self.has("f16x2") => (2, 32),
            () if self.has("f16") => (4, 16),
            () => (4, 32),
        };
        let to = self.several(count, size);
        let place = geometry.place(layer, &coordinates);
        let resident = self.draw.percent(20).then(|| self.p());
        let pair = resident.as_ref().map_or(String::new(), |p| format!("|{p}"));
        self.line(&format!("{text} {{{}}}{pair}, [{handle}, {place}]{more};", to.join(", ")));
        let to = to.into_iter().map(|register| (size, register));
        let results: Vec<_> = to.chain(resident.map(|p| (1, p))).collect();
        self.results(&results);
    }

    /// Gradients that ask for a level, and a quarter more.
    fn gradients(&mut self, extent: &[u32], normalized: bool, levels: u32) -> String {
        let level = self.draw.below(levels as usize) as i32;
        let along = self.draw.below(extent.len());
        let size = if normalized { extent[along] as f32 } else { 1.0 };
        // Of several directions the longest side counts: in texels.
        let most = if levels == 1 { 0.0 } else { 1.2 * 2f32.powi(level) / size };
        let mut text = String::new();
        for is_first in [true, false] {
            let mut list = Vec::new();
            for i in 0..extent.len() {
                let r = self.r();
                let value = if i == along && is_first { most } else { 0.0 };
                self.line(&format!("mov.b32 {r}, {:#x};", value.to_bits()));
                list.push(r);
            }
            if list.len() == 3 {
                list.push(list[0].clone());
            }
            text += &format!(", {{{}}}", list.join(", "));
        }
        text
    }

    /// `txq` and `suq`.
    fn size(&mut self) {
        let text = self.text.clone();
        let least = match () {
            () if self.has("depth") => 3,
            () if self.has("height") => 2,
            () => 1,
        };
        let directions = least + self.draw.below(4 - least);
        let extent: Vec<u32> = (0..directions).map(|_| 1 + self.draw.below(40) as u32).collect();
        let format = of_bytes(4, &mut self.draw);
        let geometry = Geometry { directions, layered: false, cube: false };
        let texels = geometry.texels(format, &extent, 1, 1);
        let bytes = contents(&texels, false, &mut self.draw);
        let sampler = text.starts_with("txq").then(Sampler::default);
        let handle = self.object_of(texels, sampler, bytes);
        let to = self.r();
        self.line(&format!("{text} {to}, [{handle}];"));
        self.results(&[(32, to)]);
    }

    /// Bits of an access to a surface, by its type.
    fn surface_bits(&self) -> usize {
        let known = |m: &&str| ["b8", "b16", "b32", "b64", "u32", "s32", "u64", "s64"].contains(m);
        bits(self.text.split('.').skip(2).find(known).expect("accesses to surfaces have a type"))
    }

    /// Anywhere in a surface that nobody stores to, and around it.
    fn load_surface(&mut self) {
        let text = self.text.clone();
        let (geometry, size, n) = (Geometry::of(&text), self.surface_bits(), self.elements());
        let bytes = size / 8 * n;
        let format = of_bytes(bytes, &mut self.draw);
        let extent = [8, 5, 3];
        let extent = &extent[..geometry.directions];
        let texels = geometry.texels(format, extent, 4, 1);
        let held = contents(&texels, false, &mut self.draw);
        let handle = self.object_of(texels, None, held);
        let inside = self.has("trap");
        let mut number = |size: u32| match inside {
            true => self.below(size as usize, 0),
            false => self.below(size as usize + 6, -3),
        };
        let mut coordinates: Vec<String> = extent.iter().map(|size| number(*size)).collect();
        let layer = geometry.layered.then(|| match inside {
            true => self.below(4, 0),
            false => self.below(7, 0),
        });
        self.line(&format!("mul.lo.s32 {0}, {0}, {bytes};", coordinates[0]));
        let place = geometry.place(layer, &std::mem::take(&mut coordinates));
        let to = self.several(n, size);
        self.line(&format!("{text} {}, [{handle}, {place}];", Self::list(&to)));
        let results: Vec<_> = to.into_iter().map(|register| (size, register)).collect();
        self.results(&results);
    }

    /// `sust` and `sured` in the thread's own 32 bytes, or beside them.
    fn store_surface(&mut self, instruction: ImageInstruction) {
        let text = self.text.clone();
        let (geometry, size, n) = (Geometry::of(&text), self.surface_bits(), self.elements());
        let formatted = self.has("p");
        let format = match instruction {
            ImageInstruction::StoreFormatted => {
                let bytes = self.draw.of(&[1, 2, 4, 8, 16]);
                of_bytes(bytes, &mut self.draw)
            }
            ImageInstruction::Reduce if formatted => (self.draw.of(&[U32, I32]), size as u32 / 32),
            _ => of_bytes(size / 8 * n, &mut self.draw),
        };
        let texel = format.0.size() * format.1 as usize;
        let (width, all) = ((OWN / texel) as u32, self.program.count() as u32);
        let (extent, layers) = match (geometry.directions, geometry.layered) {
            (1, false) => (vec![width * all], 1),
            (1, true) => (vec![width], all),
            (2, false) => (vec![width, all], 1),
            (2, true) => (vec![width, 4], all / 4),
            _ => (vec![width, 8, all / 8], 1),
        };
        let texels = geometry.texels(format, &extent, layers, 1);
        let held = contents(&texels, false, &mut self.draw);
        let handle = self.object_of(texels, None, held);
        // Elements, counted in bytes unless they are formatted.
        let unit = if formatted { texel } else { size / 8 * n };
        let (count, scale) = (OWN / unit, if formatted { 1 } else { unit });
        let beside = !self.has("trap") && extent.len() + usize::from(geometry.layered) > 1;
        let x = match beside {
            true => self.below(count + 4, -2),
            false => self.below(count, 0),
        };
        self.line(&format!("mul.lo.s32 {x}, {x}, {scale};"));
        if extent.len() == 1 && !geometry.layered {
            self.line(&format!("mad.lo.u32 {x}, %all, {}, {x};", count * scale));
        }
        let (layer, rest) = geometry.own_row();
        let rest = rest.iter().map(|register| (*register).to_owned());
        let coordinates: Vec<String> = std::iter::once(x).chain(rest).collect();
        let place = geometry.place(layer.map(str::to_owned), &coordinates);
        let values = match instruction {
            ImageInstruction::StoreFormatted => self.words(Fill::Words, n),
            _ => self.values(Fill::Words, n, size),
        };
        self.line(&format!("{text} [{handle}, {place}], {};", Self::list(&values)));
        self.left(geometry);
    }

    /// Reads the thread's own row in the second kernel.
    fn left(&mut self, geometry: Geometry) {
        let (number, at) = (self.images.len() - 1, self.own_at());
        let (layer, rest) = geometry.own_row();
        let name = format!("{}{}d", if geometry.layered { "a" } else { "" }, geometry.directions);
        let mut text = format!(
            "  {{\n  .reg .b64 %h; .reg .b32 %x, %o<4>;\n  ld.param.u64 %h, [image{number}];\n"
        );
        for half in [0, 16] {
            let _ = writeln!(text, "  mov.u32 %x, {half};");
            if rest.is_empty() && layer.is_none() {
                let _ = writeln!(text, "  mad.lo.u32 %x, %all, {OWN}, %x;");
            }
            let coordinates: Vec<String> =
                std::iter::once("%x").chain(rest.iter().copied()).map(str::to_owned).collect();
            let place = geometry.place(layer.map(str::to_owned), &coordinates);
            let _ = writeln!(
                text,
                "  suld.b.{name}.v4.b32.trap {{%o0, %o1, %o2, %o3}}, [%h, {place}];\n  \
                 st.global.v4.b32 [%own+{}], {{%o0, %o1, %o2, %o3}};",
                at + half
            );
        }
        self.afterwards += &(text + "  }\n");
        self.section(" (memory)", 4);
    }
}
