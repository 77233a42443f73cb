//! Writing what a warp does with matrices (PTX ISA 9.7.14): products of fragments that every lane
//! takes from the table, and loads and stores of matrices in shared and global memory.
//!
//! The numbers are moderate ones here, so that every form is seen; `tensor-tiles` goes through many
//! more numbers of every kind.

use super::access::bits;
use super::write::{Body, Fill, Place, TILES};

/// The modifier of the shape, with rows and columns of the product, and the columns of the left
/// factor.
fn shape(text: &str) -> (&str, [usize; 3]) {
    let numbers = |modifier: &str| -> Option<[usize; 3]> {
        let (m, rest) = modifier.strip_prefix('m')?.split_once('n')?;
        let (n, k) = rest.split_once('k')?;
        Some([m.parse().ok()?, n.parse().ok()?, k.parse().ok()?])
    };
    let shape = text.split('.').find_map(|modifier| Some((modifier, numbers(modifier)?)));
    shape.unwrap_or_else(|| panic!("`{text}` has no shape"))
}

/// Bits of an element. A float of six or four bits takes a byte.
fn width(ty: &str) -> usize {
    match ty {
        "tf32" => 32,
        "b1" => 1,
        "e4m3" | "e5m2" | "e3m2" | "e2m3" | "e2m1" => 8,
        "bf16" => 16,
        ty => bits(ty),
    }
}

fn is_integer(ty: &str) -> bool {
    matches!(ty, "s32" | "s8" | "u8" | "s4" | "u4" | "b1")
}

/// The types among the modifiers, in their order.
fn types(text: &str) -> Vec<String> {
    const NAMES: &[&str] = &[
        "f16", "f32", "f64", "bf16", "tf32", "s32", "s8", "u8", "s4", "u4", "b1", "e4m3", "e5m2",
        "e3m2", "e2m3", "e2m1",
    ];
    text.split('.').filter(|m| NAMES.contains(m)).map(str::to_owned).collect()
}

impl Body<'_> {
    /// The registers of a fragment of this many 32-bit words, filled.
    fn fragment(&mut self, ty: &str, words: usize) -> Vec<String> {
        let fill = match ty {
            ty if is_integer(ty) => Fill::Words,
            "e4m3" | "e5m2" | "e3m2" | "e2m3" | "e2m1" => Fill::Words,
            "f16" if self.draw.percent(10) => Fill::Halves,
            "bf16" if self.draw.percent(10) => Fill::Brains,
            _ => Fill::Finite,
        };
        match ty {
            "f64" => self.values(fill, words / 2, 64),
            _ => self.words(fill, words),
        }
    }

    pub(super) fn mma(&mut self) {
        let text = self.text.clone();
        let (_, [m, n, k]) = shape(&text);
        let types = types(&text);
        let [d, a, b, c] = types.as_slice() else { panic!("`{text}` has not four types") };
        let sparse = text.starts_with("mma.sp");
        let words = |elements: usize, ty: &str| elements * width(ty) / 1024;
        // A warp does four products of the oldest shape.
        let [of_a, of_b, of_c, of_d] = match k == 4 && a == "f16" {
            true => [2, 2, width(c) / 4, width(d) / 4],
            false => [
                words(m * k, a) / if sparse { 2 } else { 1 },
                words(k * n, b),
                words(m * n, c),
                words(m * n, d),
            ],
        };
        let left = self.fragment(a, of_a);
        let right = self.fragment(b, of_b);
        let added = self.fragment(c, of_c);
        let (count, size) = if d == "f64" { (of_d / 2, 64) } else { (of_d, 32) };
        let to = self.several(count, size);
        let list = |registers: &[String]| format!("{{{}}}", registers.join(", "));
        let metadata = match sparse {
            true => self.metadata(a),
            false => String::new(),
        };
        self.line(&format!(
            "{text} {}, {}, {}, {}{metadata};",
            list(&to),
            list(&left),
            list(&right),
            list(&added)
        ));
        let results: Vec<_> = to.into_iter().map(|register| (size, register)).collect();
        self.results(&results);
    }

    /// Metadata in which the indices of a group ascend, the same in all lanes, and the selector.
    fn metadata(&mut self, ty: &str) -> String {
        let any = [0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b1110];
        let nibble = |body: &mut Self| match ty {
            "tf32" => body.draw.of(&[0b0100, 0b1110]),
            _ => body.draw.of(&any),
        };
        let word = (0..8).fold(0u32, |word, i| word | nibble(self) << (4 * i));
        let r = self.r();
        self.line(&format!("mov.b32 {r}, {word:#x};"));
        format!(", {r}, 0")
    }

    /// The address of a row of 16 bytes for each lane, in the warp's memory.
    fn row(&mut self, number: &str) -> String {
        let r = self.r();
        self.line(&format!("mad.lo.u32 {r}, {number}, 16, %sw;"));
        match self.text.contains(".shared") {
            true => r,
            false => self.generic(&r),
        }
    }

    /// How many matrices are moved at once.
    fn matrices(&self) -> usize {
        [1, 2, 4].into_iter().find(|n| self.has(&format!("x{n}"))).unwrap_or(1)
    }

    pub(super) fn ldmatrix(&mut self) {
        let text = self.text.clone();
        self.fill_tiles(Fill::Words);
        let word = self.words(Fill::Words, 1).remove(0);
        self.line(&format!("and.b32 {word}, {word}, 127;"));
        let address = self.row(&word);
        let count = self.matrices() * if self.has("m16n16") { 2 } else { 1 };
        let to = self.several(count, 32);
        let list = to.join(", ");
        self.line(&format!("{text} {{{list}}}, [{address}];"));
        let results: Vec<_> = to.into_iter().map(|register| (32, register)).collect();
        self.results(&results);
    }

    /// Separate rows for every lane, in any order.
    pub(super) fn stmatrix(&mut self) {
        let text = self.text.clone();
        self.fill_tiles(Fill::Words);
        let (other, place) = (self.r(), self.draw.below(32));
        self.line(&format!("xor.b32 {other}, %lane, {place};"));
        let address = self.row(&other);
        let count = self.matrices();
        let from = self.words(Fill::Words, count).join(", ");
        self.line(&format!("{text} [{address}], {{{from}}};"));
        self.line("bar.sync 0;");
        let r = self.r();
        self.line(&format!("mad.lo.u32 {r}, %lane, 16, %sw;"));
        let to = self.several(4, 32);
        self.line(&format!("ld.shared.v4.b32 {{{}}}, [{r}];", to.join(", ")));
        let results: Vec<_> = to.into_iter().map(|register| (32, register)).collect();
        self.results(&results);
    }

    pub(super) fn movmatrix(&mut self) {
        let text = self.text.clone();
        let word = self.words(Fill::Words, 1).remove(0);
        let to = self.r();
        self.line(&format!("{text} {to}, {word};"));
        self.results(&[(32, to)]);
    }
}

/// What the instructions around a form of `wmma` are made of.
struct Wmma {
    shape: String,
    numbers: [usize; 3],
    /// Of A, B, C and D.
    types: [String; 4],
    /// How A, B, C and D lie.
    layouts: [&'static str; 4],
}

/// How the matrix at a place of the instruction lies.
fn layout(text: &str, place: usize) -> &'static str {
    let known = |modifier| ["row", "col"].into_iter().find(|layout| *layout == modifier);
    let layout = text.split('.').filter_map(known).nth(place);
    layout.unwrap_or_else(|| panic!("`{text}` does not say how {place} lies"))
}

impl Wmma {
    /// Those that fit a form: what it leaves open is drawn.
    fn around(text: &str, body: &mut Body<'_>) -> Wmma {
        let (shape, numbers) = shape(text);
        let named = types(text);
        let of = |list: &[&str], body: &mut Body<'_>| body.draw.of(list).to_owned();
        let Some(last) = named.last() else { panic!("`{text}` has no type") };
        let last = last.as_str();
        let factor = match (numbers, last) {
            ([8, 8, 4], _) => "f64".to_owned(),
            ([_, _, 8], _) => "tf32".to_owned(),
            ([8, 8, 32], "s4" | "u4") => last.to_owned(),
            ([8, 8, 32], _) => of(&["s4", "u4"], body),
            ([8, 8, 128], _) => "b1".to_owned(),
            (_, "f16" | "bf16" | "s8" | "u8") if !text.contains(".c.") && !text.contains(".d.") => {
                last.to_owned()
            }
            (_, "s32") => of(&["s8", "u8"], body),
            (_, "f32") => of(&["f16", "bf16"], body),
            _ => "f16".to_owned(),
        };
        let multiplies = text.starts_with("wmma.mma");
        let (factor, c, d) = match named.as_slice() {
            [d, a, _, c] if multiplies => (a.clone(), c.clone(), d.clone()),
            [d, c] if multiplies => ("f16".to_owned(), c.clone(), d.clone()),
            _ => {
                let sums = match factor.as_str() {
                    "f16" if text.contains(".c.") || text.contains(".d.") => last.to_owned(),
                    "f16" => of(&["f16", "f32"], body),
                    "f64" => "f64".to_owned(),
                    ty if is_integer(ty) => "s32".to_owned(),
                    _ => "f32".to_owned(),
                };
                (factor, sums.clone(), sums)
            }
        };
        let any = |body: &mut Body<'_>| body.draw.of(&["row", "col"]);
        let mut layouts = [any(body), any(body), any(body), any(body)];
        // Elements of less than a byte lie in one way.
        if width(&factor) < 8 {
            (layouts[0], layouts[1]) = ("row", "col");
        }
        for (i, mark) in [".a.", ".b.", ".c.", ".d."].into_iter().enumerate() {
            if !multiplies && text.contains(mark) {
                layouts[i] = layout(text, 0);
            }
        }
        if multiplies {
            (layouts[0], layouts[1]) = (layout(text, 0), layout(text, 1));
        }
        let types = [factor.clone(), factor, c, d];
        Wmma { shape: shape.to_owned(), numbers, types, layouts }
    }

    /// Registers of a fragment, and their size.
    fn fragment(&self, which: usize) -> (usize, usize) {
        let [m, n, k] = self.numbers;
        let ty = self.types[which].as_str();
        let elements = [m * k, k * n, m * n, m * n][which];
        match (which, ty) {
            (_, "f64") => (elements / 32, 64),
            (0 | 1, "f16") => (8, 32),
            _ => (elements * width(ty) / 1024, 32),
        }
    }

    /// Elements from one row, or column, to the next.
    fn stride(&self, which: usize) -> usize {
        let [m, n, k] = self.numbers;
        let [rows, columns] = [[m, k], [k, n], [m, n], [m, n]][which];
        if self.layouts[which] == "row" { columns } else { rows }
    }

    fn multiplication(&self) -> String {
        let [a, _, c, d] = &self.types;
        let types = if a == "f16" { format!("{d}.{c}") } else { format!("{d}.{a}.{a}.{c}") };
        let [left, right, ..] = self.layouts;
        let operation = if a == "b1" { ".xor.popc" } else { "" };
        format!("wmma.mma{operation}.sync.aligned.{left}.{right}.{}.{types}", self.shape)
    }
}

impl Body<'_> {
    /// Loads of A, B and C, their product and a store of D. One of these is the form.
    pub(super) fn wmma(&mut self) {
        let text = self.text.clone();
        let around = Wmma::around(&text, self);
        let Wmma { shape, types, layouts, .. } = &around;
        let integers = is_integer(&types[0]);
        self.fill_tiles(if integers { Fill::Words } else { Fill::Finite });
        let global = self.program.threads as usize / 32 * TILES;
        debug_assert!(global > 0);
        let mut fragments = Vec::new();
        for (which, (mark, at)) in [("a", 0), ("b", 512), ("c", 1024)].into_iter().enumerate() {
            let (count, size) = around.fragment(which);
            let registers = self.several(count, size);
            let plain = format!(
                "wmma.load.{mark}.sync.aligned.{}.{shape}.shared.{}",
                layouts[which], types[which]
            );
            let own = text.starts_with("wmma.load") && text.contains(&format!(".{mark}."));
            let load = if own { text.clone() } else { plain };
            let address = self.matrix(&load, at);
            let stride = around.stride(which);
            self.line(&format!("{load} {{{}}}, [{address}], {stride};", registers.join(", ")));
            fragments.push(registers.join(", "));
        }
        let (count, size) = around.fragment(3);
        let product = self.several(count, size).join(", ");
        let plain = around.multiplication();
        let multiply = if text.starts_with("wmma.mma") { text.clone() } else { plain };
        let [a, b, c] = fragments.as_slice() else { unreachable!("three were loaded") };
        self.line(&format!("{multiply} {{{product}}}, {{{a}}}, {{{b}}}, {{{c}}};"));
        let plain = format!("wmma.store.d.sync.aligned.{}.{shape}.shared.{}", layouts[3], types[3]);
        let store = if text.starts_with("wmma.store") { text.clone() } else { plain };
        // Own cells begin as zeros: a smaller matrix leaves some of them.
        let zero = vec!["0".to_owned(); 4];
        let zeros = self.several(4, 32);
        for (register, zero) in zeros.iter().zip(zero) {
            self.line(&format!("mov.b32 {register}, {zero};"));
        }
        let r = self.r();
        self.line(&format!("mad.lo.u32 {r}, %lane, 32, %sw;"));
        for at in [2048, 2064] {
            self.line(&format!("st.shared.v4.b32 [{r}+{at}], {{{}}};", zeros.join(", ")));
        }
        let in_global = store.contains(".global");
        let place = Place { space: "global", generic: false };
        self.put(place, &[zeros.clone(), zeros].concat());
        self.line("bar.sync 0;");
        let address = if in_global {
            let (d, l) = (self.d(), self.r());
            self.line(&format!("mul.lo.u32 {l}, %lane, 32;"));
            self.line(&format!("cvt.u64.u32 {d}, {l};"));
            self.line(&format!("sub.u64 {d}, %own, {d};"));
            format!("{d}+{}", self.own_at())
        } else {
            self.matrix(&store, 2048)
        };
        let stride = around.stride(3);
        self.line(&format!("{store} [{address}], {{{product}}}, {stride};"));
        self.line("bar.sync 0;");
        if !in_global {
            for half in [0, 16] {
                let list = self.several(4, 32).join(", ");
                self.line(&format!("ld.shared.v4.b32 {{{list}}}, [{r}+{}];", 2048 + half));
                let at = self.own_at() + half;
                self.line(&format!("st.global.v4.b32 [%own+{at}], {{{list}}};"));
            }
        }
        self.section(" (memory)", 4);
    }

    /// The address of a matrix of the warp, where the instruction wants it: in shared memory, or,
    /// of a load, in the table.
    fn matrix(&mut self, text: &str, at: usize) -> String {
        if text.contains(".global") {
            // Any bits will do.
            let d = self.d();
            let start = self.draw.below(1024) * 32;
            self.line(&format!("add.u64 {d}, %table, {start};"));
            return d;
        }
        let r = self.r();
        self.line(&format!("add.u32 {r}, %sw, {at};"));
        match text.contains(".shared") {
            true => r,
            false => self.generic(&r),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_is_three_numbers() {
        let text = "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32";
        assert_eq!(shape(text), ("m16n8k32", [16, 8, 32]));
        assert_eq!(layout(text, 1), "col");
    }

    #[test]
    #[should_panic(expected = "has no shape")]
    fn a_product_without_a_shape_fails() {
        shape("mma.sync.aligned.row.col.s32.s8.s8.s32");
    }
}
