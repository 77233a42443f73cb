//! Random tiles through tensor cores (PTX ISA 9.7.14): each form of `mma`, `mma.sp` and `wmma`
//! that sm_90 has, a kernel that does nothing but one of them in each warp, and matrices to put
//! into it.
//!
//! The `tensor-tiles` program compares a GPU with the simulator; what an H200 answered is kept as
//! digests (`recordings/tensor-tiles.json`). `reference` multiplies the same tiles by a plain
//! loop with exact numbers that shares no code with the simulator.

pub mod digests;
pub mod draw;
pub mod kernel;
pub mod reference;

/// A form of `mma` or `wmma`.
#[derive(Clone, Debug)]
pub struct Form {
    /// The instruction without operands; of `wmma`, of its multiplication.
    pub text: String,
    /// Rows of the left factor.
    pub m: usize,
    /// Columns of the right one.
    pub n: usize,
    /// Columns of the left one.
    pub k: usize,
    /// The types of A, B, C and D.
    pub types: [&'static str; 4],
    /// Half of A is left out.
    pub sparse: bool,
    /// It is a `wmma`, whose matrices lie in memory.
    pub wmma: bool,
    /// What its tiles are drawn from.
    pub seed: u64,
}

/// Bits of an element of a type.
pub fn bits(ty: &str) -> usize {
    match ty {
        "f64" => 64,
        "f32" | "tf32" | "s32" => 32,
        "f16" | "bf16" => 16,
        "s4" | "u4" => 4,
        "b1" => 1,
        _ => 8,
    }
}

impl Form {
    /// Whether it is `m8n8k4` of f16: a warp does four of these.
    pub fn is_four(&self) -> bool {
        self.k == 4 && self.types[0] == "f16"
    }

    /// 32-bit words of a lane of A, B, C and D; of `wmma` nothing.
    pub fn words(&self) -> [usize; 4] {
        let [a, b, c, d] = self.types.map(bits);
        if self.wmma {
            return [0; 4];
        }
        if self.is_four() {
            return [2, 2, c / 4, d / 4];
        }
        let of_a = self.m * self.k * a / 1024 / if self.sparse { 2 } else { 1 };
        [of_a, self.n * self.k * b / 1024, self.m * self.n * c / 1024, self.m * self.n * d / 1024]
    }

    /// 32-bit words that a tile reads and writes.
    pub fn tile_words(&self) -> [usize; 2] {
        let [a, b, c, d] = self.types.map(bits);
        let Form { m, n, k, .. } = self;
        if self.wmma {
            return [(m * k * a + n * k * b + m * n * c) / 32, m * n * d / 32];
        }
        let [a, b, c, d] = self.words();
        [32 * (a + b + c + usize::from(self.sparse)), 32 * d]
    }
}

/// What forms are added to.
#[derive(Default)]
struct List(Vec<Form>);

impl List {
    fn add(
        &mut self,
        opcode: &str,
        (m, n, k): (usize, usize, usize),
        layout: &str,
        types: [&'static str; 4],
        more: &str,
    ) {
        let [a, b, c, d] = types;
        let (saturate, operation) = if more == ".satfinite" { (more, "") } else { ("", more) };
        let text = format!(
            "{opcode}.sync.aligned.m{m}n{n}k{k}.{layout}{saturate}.{d}.{a}.{b}.{c}{operation}"
        );
        let (sparse, seed) = (opcode.contains(".sp"), self.0.len() as u64);
        self.0.push(Form { text, m, n, k, types, sparse, wmma: false, seed });
    }

    /// `m16n8` with accumulators of one type.
    fn tall(&mut self, opcode: &str, k: usize, [a, c]: [&'static str; 2], more: &str) {
        self.add(opcode, (16, 8, k), "row.col", [a, a, c, c], more);
    }

    fn wmma(&mut self, (m, n, k): (usize, usize, usize), [a, c, d]: [&'static str; 3]) {
        let saturate = if d == "s32" { ".satfinite" } else { "" };
        let types = if a == "f16" { format!("{d}.{c}") } else { format!("{d}.{a}.{a}.{c}") };
        let text = format!("wmma.mma.sync.aligned.row.col.m{m}n{n}k{k}.{types}{saturate}");
        let seed = self.0.len() as u64;
        self.0.push(Form { text, m, n, k, types: [a, a, c, d], sparse: false, wmma: true, seed });
    }
}

/// All forms that sm_90 has, except types and layouts that differ from others only in their names.
pub fn forms() -> Vec<Form> {
    let mut list = List::default();
    dense(&mut list);
    for opcode in ["mma.sp::ordered_metadata", "mma.sp"] {
        for k in [16, 32] {
            for types in [["f16", "f32"], ["f16", "f16"], ["bf16", "f32"]] {
                list.tall(opcode, k, types, "");
            }
        }
        list.tall(opcode, 8, ["tf32", "f32"], "");
        list.tall(opcode, 16, ["tf32", "f32"], "");
        for (k, ty) in [(32, "s8"), (64, "s8"), (64, "s4"), (128, "s4")] {
            list.tall(opcode, k, [ty, "s32"], ".satfinite");
        }
        list.add(opcode, (16, 8, 64), "row.col", ["e4m3", "e5m2", "f32", "f32"], "");
    }
    for (m, n) in [(16, 16), (8, 32), (32, 8)] {
        for [c, d] in [["f32", "f32"], ["f16", "f16"], ["f16", "f32"], ["f32", "f16"]] {
            list.wmma((m, n, 16), ["f16", c, d]);
        }
        list.wmma((m, n, 16), ["bf16", "f32", "f32"]);
        list.wmma((m, n, 16), ["s8", "s32", "s32"]);
    }
    list.wmma((16, 16, 8), ["tf32", "f32", "f32"]);
    list.wmma((8, 8, 4), ["f64", "f64", "f64"]);
    list.wmma((8, 8, 32), ["s4", "s32", "s32"]);
    list.0
}

fn dense(list: &mut List) {
    for layout in ["row.col", "row.row", "col.col", "col.row"] {
        for c in ["f32", "f16"] {
            list.add("mma", (8, 8, 4), layout, ["f16", "f16", c, c], "");
        }
    }
    list.add("mma", (8, 8, 4), "row.col", ["f16", "f16", "f16", "f32"], "");
    for k in [8, 16] {
        for types in [["f16", "f32"], ["f16", "f16"], ["bf16", "f32"]] {
            list.tall("mma", k, types, "");
        }
    }
    list.tall("mma", 4, ["tf32", "f32"], "");
    list.tall("mma", 8, ["tf32", "f32"], "");
    list.add("mma", (8, 8, 4), "row.col", ["f64"; 4], "");
    for k in [4, 8, 16] {
        list.tall("mma", k, ["f64", "f64"], "");
    }
    for k in [16, 32] {
        for [a, b] in [["e4m3", "e4m3"], ["e4m3", "e5m2"], ["e5m2", "e5m2"], ["e5m2", "e4m3"]] {
            for c in ["f32", "f16"] {
                list.add("mma", (16, 8, k), "row.col", [a, b, c, c], "");
            }
        }
    }
    for (pairs, shapes) in [
        ([["s8", "s8"], ["u8", "s8"], ["u8", "u8"]], [(8, 16), (16, 16), (16, 32)]),
        ([["s4", "s4"], ["u4", "s4"], ["u4", "u4"]], [(8, 32), (16, 32), (16, 64)]),
    ] {
        for (m, k) in shapes {
            for [a, b] in pairs {
                for saturate in ["", ".satfinite"] {
                    list.add("mma", (m, 8, k), "row.col", [a, b, "s32", "s32"], saturate);
                }
            }
        }
    }
    for (m, k) in [(8, 128), (16, 128), (16, 256)] {
        for operation in [".xor.popc", ".and.popc"] {
            list.add("mma", (m, 8, k), "row.col", ["b1", "b1", "s32", "s32"], operation);
        }
    }
}
