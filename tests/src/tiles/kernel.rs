//! A kernel in which each warp multiplies one tile.

use std::fmt::Write as _;

use super::{Form, bits};

/// Warps of a block: blocks are of 32 by this many threads.
pub const WARPS: usize = 8;

/// The module: kernel `k` with a pointer to what the tiles read and one to what they write.
pub fn text(form: &Form) -> String {
    let [read, written] = form.tile_words().map(|words| 4 * words);
    let body = if form.wmma { in_memory(form) } else { in_registers(form) };
    format!(
        ".version 8.7\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 from, .param .u64 to) {{\n\
         .reg .b64 x, y, z;\n.reg .b32 t, w, l, a<16>, b<16>, c<16>, d<16>, e;\n\
         .reg .f64 fa<8>, fb<8>, fc<8>, fd<8>;\n\
         ld.param.u64 x, [from]; ld.param.u64 y, [to];\n\
         mov.u32 t, %ctaid.x; mov.u32 w, %tid.y; mad.lo.u32 w, t, {WARPS}, w; mov.u32 l, %tid.x;\n\
         mul.wide.u32 z, w, {read}; add.s64 x, x, z; mul.wide.u32 z, w, {written}; add.s64 y, y, z;\n\
         {body}ret;\n}}\n"
    )
}

/// `{a0,a1}`, or `{fa0}` of doubles.
fn vector(name: &str, words: usize, ty: &str) -> String {
    let (name, count) =
        if ty == "f64" { (format!("f{name}"), words / 2) } else { (name.to_owned(), words) };
    let registers: Vec<String> = (0..count).map(|i| format!("{name}{i}")).collect();
    format!("{{{}}}", registers.join(","))
}

fn in_registers(form: &Form) -> String {
    let mut body = "mul.wide.u32 z, l, 4; add.s64 x, x, z; add.s64 y, y, z;\n".to_owned();
    let words = form.words();
    let mut at = 0;
    for ((name, words), ty) in ["a", "b", "c"].iter().zip(words).zip(form.types) {
        for i in 0..words {
            let _ = writeln!(body, "ld.global.b32 {name}{i}, [x+{}];", 128 * (at + i));
        }
        at += words;
        for i in (0..words).step_by(2).filter(|_| ty == "f64") {
            let _ = writeln!(body, "mov.b64 f{name}{}, {{{name}{i}, {name}{}}};", i / 2, i + 1);
        }
    }
    if form.sparse {
        let _ = writeln!(body, "ld.global.b32 e, [x+{}];", 128 * at);
    }
    let [a, b, c, d] = [("a", 0), ("b", 1), ("c", 2), ("d", 3)]
        .map(|(name, i)| vector(name, words[i], form.types[i]));
    let metadata = if form.sparse { ", e, 0" } else { "" };
    let _ = writeln!(body, "{} {d}, {a}, {b}, {c}{metadata};", form.text);
    for i in (0..words[3]).step_by(2).filter(|_| form.types[3] == "f64") {
        let _ = writeln!(body, "mov.b64 {{d{i}, d{}}}, fd{};", i + 1, i / 2);
    }
    for i in 0..words[3] {
        let _ = writeln!(body, "st.global.b32 [y+{}], d{i};", 128 * i);
    }
    body
}

/// Registers that a fragment of `wmma` has; of doubles, two for each.
fn fragment(form: &Form, which: usize) -> usize {
    let ty = form.types[which];
    match (which, ty) {
        (0 | 1, "f16") => 8,
        (0, _) => form.m * form.k * bits(ty) / 1024,
        (1, _) => form.n * form.k * bits(ty) / 1024,
        _ => form.m * form.n * bits(ty) / 1024,
    }
}

fn in_memory(form: &Form) -> String {
    let Form { m, n, k, types, text, .. } = form;
    let shape = format!("m{m}n{n}k{k}");
    let names = ["a", "b", "c", "d"];
    let [a, b, c, d]: [String; 4] =
        std::array::from_fn(|i| vector(names[i], fragment(form, i), types[i]));
    let at_b = m * k * bits(types[0]) / 8;
    let at_c = at_b + n * k * bits(types[1]) / 8;
    format!(
        "wmma.load.a.sync.aligned.row.{shape}.global.{} {a}, [x], {k};\n\
         wmma.load.b.sync.aligned.col.{shape}.global.{} {b}, [x+{at_b}], {k};\n\
         wmma.load.c.sync.aligned.row.{shape}.global.{} {c}, [x+{at_c}], {n};\n\
         {text} {d}, {a}, {b}, {c};\n\
         wmma.store.d.sync.aligned.row.{shape}.global.{} [y], {d}, {n};\n",
        types[0], types[1], types[2], types[3]
    )
}
