//! Comparison and selection (PTX ISA 9.7.6, and 9.7.7 for half precision). Bit-exact.
//!
//! Comparisons of floats are false when an operand is NaN (`eq` to `ge`), or true (`equ` to
//! `geu`). A comparison may be combined with a predicate `c` by `.and`, `.or` or `.xor`; a second
//! destination then has the complement of the comparison, combined in the same way.

use half::{bf16, f16};

use super::need::need;
use super::row::{Opcode, joined, lane_form, lanes};
use super::scalar::comparison::{
    Comparable, Comparison, Eq, Equ, Ge, Geu, Gt, Gtu, Le, Leu, Lt, Ltu, Nan, Ne, Neu, Num,
};
use super::scalar::float::flush;
use super::scalar::halves::Pair;
use crate::lanes::{Flags, Mask, Operands, Registers, Value, select, test2, write_lanes};

/// The lanes where a comparison holds. One function for each type and comparison, which `set` and
/// `setp` share.
#[inline(never)]
fn truth<T: Comparable, C: Comparison>(registers: &Registers, o: &Operands) -> Mask {
    if o.flags.has(Flags::FTZ) {
        test2::<T, T>(registers, o, |a, b| C::holds(a.flushed(), b.flushed()))
    } else {
        test2::<T, T>(registers, o, |a, b| C::holds(a, b))
    }
}

/// The lanes where a comparison of the lower, and of the upper, halves holds.
#[inline(never)]
fn truth_of_pairs<H: Comparable, C: Comparison>(registers: &Registers, o: &Operands) -> (Mask, Mask)
where
    Pair<H>: Value,
{
    let flush = |x: H| if o.flags.has(Flags::FTZ) { x.flushed() } else { x };
    let lower = |a: Pair<H>, b: Pair<H>| C::holds(flush(a.0), flush(b.0));
    let upper = |a: Pair<H>, b: Pair<H>| C::holds(flush(a.1), flush(b.1));
    (test2(registers, o, lower), test2(registers, o, upper))
}

/// What a comparison leaves in the lanes: combined with `c` as the modifiers say.
fn combined(registers: &Registers, o: &Operands, comparison: Mask) -> Mask {
    let c = registers.predicate(o.c);
    let c = if o.flags.has(Flags::NOT_C) { !c } else { c };
    if o.flags.has(Flags::AND) {
        comparison & c
    } else if o.flags.has(Flags::OR) {
        comparison | c
    } else {
        comparison ^ c
    }
}

/// `set`: a word for true in the lanes of `truth`, 0 elsewhere.
fn write_words(registers: &mut Registers, o: &Operands, mask: Mask, truth: Mask, word: u32) {
    let words = std::array::from_fn(|lane| if truth >> lane & 1 == 1 { word } else { 0 });
    write_lanes(registers, o.d, mask, &words);
}

/// `set` of pairs: a half for true in each half.
fn write_pairs(r: &mut Registers, o: &Operands, mask: Mask, truth: (Mask, Mask), half: u32) {
    let words = std::array::from_fn(|lane| {
        let (lower, upper) = (truth.0 >> lane & 1, truth.1 >> lane & 1);
        (lower | upper << 16) * half
    });
    write_lanes(r, o.d, mask, &words);
}

/// The forms of `setp` for a comparison of a type.
macro_rules! setp {
    ($comparison:ty, $name:literal, $ftz:literal, $type:literal, $ty:ty) => {
        &[
            lane_form!(concat!($name, $ftz, $type), [DPair, A(<$ty>), B(<$ty>)], |r, o, m| {
                let truth = truth::<$ty, $comparison>(r, o);
                r.set_predicate(o.d, m, truth);
                r.set_predicate(o.d2, m, !truth);
            }),
            lane_form!(
                concat!($name, "(.and|.or|.xor)", $ftz, $type),
                [DPair, A(<$ty>), B(<$ty>), MaybeNotC],
                |r, o, m| {
                    let truth = truth::<$ty, $comparison>(r, o);
                    let (d, d2) = (combined(r, o, truth), combined(r, o, !truth));
                    r.set_predicate(o.d, m, d);
                    r.set_predicate(o.d2, m, d2);
                }
            ),
        ]
    };
}

/// The forms of `setp` for a comparison of halves: without a second destination.
macro_rules! setp_half {
    ($comparison:ty, $name:literal, $ftz:literal, $type:literal, $ty:ty) => {
        &[
            lane_form!(concat!($name, $ftz, $type), [D[Pred], A(<$ty>), B(<$ty>)], |r, o, m| {
                let truth = truth::<$ty, $comparison>(r, o);
                r.set_predicate(o.d, m, truth);
            }),
            lane_form!(
                concat!($name, "(.and|.or|.xor)", $ftz, $type),
                [D[Pred], A(<$ty>), B(<$ty>), MaybeNotC],
                |r, o, m| {
                    let truth = combined(r, o, truth::<$ty, $comparison>(r, o));
                    r.set_predicate(o.d, m, truth);
                }
            ),
        ]
    };
}

/// The forms of `setp` for a comparison of pairs: one result for each half.
macro_rules! setp_pair {
    ($comparison:ty, $name:literal, $ftz:literal, $type:literal, $half:ty) => {
        &[
            lane_form!(
                concat!($name, $ftz, $type),
                [DPair, A(<Pair<$half>>), B(<Pair<$half>>)],
                |r, o, m| {
                    let truth = truth_of_pairs::<$half, $comparison>(r, o);
                    r.set_predicate(o.d, m, truth.0);
                    r.set_predicate(o.d2, m, truth.1);
                }
            ),
            lane_form!(
                concat!($name, "(.and|.or|.xor)", $ftz, $type),
                [DPair, A(<Pair<$half>>), B(<Pair<$half>>), MaybeNotC],
                |r, o, m| {
                    let truth = truth_of_pairs::<$half, $comparison>(r, o);
                    let (d, d2) = (combined(r, o, truth.0), combined(r, o, truth.1));
                    r.set_predicate(o.d, m, d);
                    r.set_predicate(o.d2, m, d2);
                }
            ),
        ]
    };
}

/// The forms of `set` for a comparison of a type with one kind of result, and its word for true.
macro_rules! set_to {
    (
        $comparison:ty, $name:literal, $ftz:literal, $to:literal, $type:literal, $ty:ty, $d:ty,
        $word:expr
    ) => {
        &[
            lane_form!(concat!($name, $ftz, $to, $type), [D(<$d>), A(<$ty>), B(<$ty>)], |r, o, m| {
                let truth = truth::<$ty, $comparison>(r, o);
                write_words(r, o, m, truth, $word);
            }),
            lane_form!(
                concat!($name, "(.and|.or|.xor)", $ftz, $to, $type),
                [D(<$d>), A(<$ty>), B(<$ty>), MaybeNotC],
                |r, o, m| {
                    let truth = combined(r, o, truth::<$ty, $comparison>(r, o));
                    write_words(r, o, m, truth, $word);
                }
            ),
        ]
    };
}

/// The forms of `set` for a comparison of a type of 16, 32 or 64 bits that is no half.
macro_rules! set {
    ($comparison:ty, $name:literal, $ftz:literal, $type:literal, $ty:ty) => {
        joined![
            set_to!($comparison, $name, $ftz, "(.u32|.s32)", $type, $ty, u32, u32::MAX),
            set_to!($comparison, $name, $ftz, ".f32", $type, $ty, f32, 0x3f80_0000),
            set_to!($comparison, $name, $ftz, ".f16", $type, $ty, f16, 0x3c00),
            set_to!($comparison, $name, "", ".bf16", $type, $ty, bf16, 0x3f80),
        ]
    };
}

/// The forms of `set` for a comparison of f16.
macro_rules! set_f16 {
    ($comparison:ty, $name:literal, $ftz:literal, $type:literal, $ty:ty) => {
        joined![
            set_to!($comparison, $name, $ftz, "(.u32|.s32)", $type, $ty, u32, u32::MAX),
            set_to!($comparison, $name, $ftz, "(.u16|.s16)", $type, $ty, u16, 0xffff),
            set_to!($comparison, $name, $ftz, ".f16", $type, $ty, f16, 0x3c00),
            set_to!($comparison, $name, "", ".bf16", $type, $ty, bf16, 0x3f80),
        ]
    };
}

/// The forms of `set` for a comparison of bf16.
macro_rules! set_bf16 {
    ($comparison:ty, $name:literal, $ftz:literal, $type:literal, $ty:ty) => {
        joined![
            set_to!($comparison, $name, $ftz, "(.u32|.s32)", $type, $ty, u32, u32::MAX),
            set_to!($comparison, $name, $ftz, "(.u16|.s16)", $type, $ty, u16, 0xffff),
            set_to!($comparison, $name, $ftz, ".bf16", $type, $ty, bf16, 0x3f80),
        ]
    };
}

/// The forms of `set` for a comparison of pairs.
macro_rules! set_pair {
    ($comparison:ty, $name:literal, $ftz:literal, $type:literal, $half:ty) => {
        &[
            lane_form!(
                concat!($name, $ftz, $type, $type),
                [D(<Pair<$half>>), A(<Pair<$half>>), B(<Pair<$half>>)],
                |r, o, m| {
                    let truth = truth_of_pairs::<$half, $comparison>(r, o);
                    write_pairs(r, o, m, truth, <$half>::ONE.to_bits() as u32);
                }
            ),
            lane_form!(
                concat!($name, "(.and|.or|.xor)", $ftz, $type, $type),
                [D(<Pair<$half>>), A(<Pair<$half>>), B(<Pair<$half>>), MaybeNotC],
                |r, o, m| {
                    let truth = truth_of_pairs::<$half, $comparison>(r, o);
                    let truth = (combined(r, o, truth.0), combined(r, o, truth.1));
                    write_pairs(r, o, m, truth, <$half>::ONE.to_bits() as u32);
                }
            ),
        ]
    };
}

/// The comparisons of integers of one width.
macro_rules! integers {
    ($make:ident, $any:literal, $unsigned:literal, $u:ty, $signed:literal, $s:ty) => {
        joined![
            $make!(Eq, ".eq", "", $any, $u),
            $make!(Ne, ".ne", "", $any, $u),
            $make!(Lt, "(.lt|.lo)", "", $unsigned, $u),
            $make!(Le, "(.le|.ls)", "", $unsigned, $u),
            $make!(Gt, "(.gt|.hi)", "", $unsigned, $u),
            $make!(Ge, "(.ge|.hs)", "", $unsigned, $u),
            $make!(Lt, ".lt", "", $signed, $s),
            $make!(Le, ".le", "", $signed, $s),
            $make!(Gt, ".gt", "", $signed, $s),
            $make!(Ge, ".ge", "", $signed, $s),
        ]
    };
}

/// The comparisons of floats of one type.
macro_rules! floats {
    ($make:ident, $ftz:literal, $type:literal, $ty:ty) => {
        joined![
            $make!(Eq, ".eq", $ftz, $type, $ty),
            $make!(Ne, ".ne", $ftz, $type, $ty),
            $make!(Lt, ".lt", $ftz, $type, $ty),
            $make!(Le, ".le", $ftz, $type, $ty),
            $make!(Gt, ".gt", $ftz, $type, $ty),
            $make!(Ge, ".ge", $ftz, $type, $ty),
            $make!(Equ, ".equ", $ftz, $type, $ty),
            $make!(Neu, ".neu", $ftz, $type, $ty),
            $make!(Ltu, ".ltu", $ftz, $type, $ty),
            $make!(Leu, ".leu", $ftz, $type, $ty),
            $make!(Gtu, ".gtu", $ftz, $type, $ty),
            $make!(Geu, ".geu", $ftz, $type, $ty),
            $make!(Num, ".num", $ftz, $type, $ty),
            $make!(Nan, ".nan", $ftz, $type, $ty),
        ]
    };
}

/// `selp` of one width.
macro_rules! selp {
    ($pattern:literal, $ty:ty) => {
        lane_form!($pattern, [D(<$ty>), A(<$ty>), B(<$ty>), C[Pred]], |r, o, m| {
            select::<$ty>(r, o, m)
        })
    };
}

/// `slct` of one width: by the sign of an integer, or of a float (-0 counts as not negative, NaN as
/// negative).
macro_rules! slct {
    ($types:literal, $ty:ty) => {
        &[
            lanes!(concat!($types, ".s32"), ternary($ty, $ty, i32) -> $ty, |a, b, c| {
                if c >= 0 { a } else { b }
            }),
            lanes!(
                concat!("{.ftz}", $types, ".f32"),
                ternary($ty, $ty, f32) -> $ty,
                with_flags |f: Flags, a, b, c| {
                    let c = if f.has(Flags::FTZ) { flush(c) } else { c };
                    if c >= 0.0 { a } else { b }
                }
            ),
        ]
    };
}

/// The family's rows.
pub(super) const OPCODES: &[Opcode] = &[
    Opcode {
        name: "set",
        section: "9.7.6.1",
        operands: "d, a, b [, {!}c]",
        summary: "Compares two values; true is all ones, or 1.0 for a floating-point result.",
        needs: &[need(".f16", (6, 0), 53), need(".bf16", (7, 8), 90)],
        forms: joined![
            integers!(set, "(.b16|.u16|.s16)", ".u16", u16, ".s16", i16),
            integers!(set, "(.b32|.u32|.s32)", ".u32", u32, ".s32", i32),
            integers!(set, "(.b64|.u64|.s64)", ".u64", u64, ".s64", i64),
            floats!(set, "{.ftz}", ".f32", f32),
            floats!(set, "", ".f64", f64),
        ],
    },
    Opcode {
        name: "setp",
        section: "9.7.6.2",
        operands: "p[|q], a, b [, {!}c]",
        summary: "Compares two values into a predicate, and the complement into a second one.",
        needs: &[],
        forms: joined![
            integers!(setp, "(.b16|.u16|.s16)", ".u16", u16, ".s16", i16),
            integers!(setp, "(.b32|.u32|.s32)", ".u32", u32, ".s32", i32),
            integers!(setp, "(.b64|.u64|.s64)", ".u64", u64, ".s64", i64),
            floats!(setp, "{.ftz}", ".f32", f32),
            floats!(setp, "", ".f64", f64),
        ],
    },
    Opcode {
        name: "selp",
        section: "9.7.6.3",
        operands: "d, a, b, c",
        summary: "a where the predicate c is true, else b.",
        needs: &[],
        forms: &[
            selp!("(.b16|.u16|.s16)", u16),
            selp!("(.b32|.u32|.s32|.f32)", u32),
            selp!("(.b64|.u64|.s64|.f64)", u64),
        ],
    },
    Opcode {
        name: "slct",
        section: "9.7.6.4",
        operands: "d, a, b, c",
        summary: "a where c is not negative, else b.",
        needs: &[],
        forms: joined![
            slct!("(.b16|.u16|.s16)", u16),
            slct!("(.b32|.u32|.s32|.f32)", u32),
            slct!("(.b64|.u64|.s64|.f64)", u64),
        ],
    },
    Opcode {
        name: "set",
        section: "9.7.7.1",
        operands: "d, a, b [, {!}c]",
        summary: "Compares two half-precision values, or pairs of them.",
        needs: &[
            need("", (6, 0), 53),
            need("(.u16|.s16|.u32|.s32).f16", (6, 5), 53),
            need("(.bf16|.bf16x2)", (7, 8), 90),
        ],
        forms: joined![
            floats!(set_f16, "{.ftz}", ".f16", f16),
            floats!(set_bf16, "", ".bf16", bf16),
            floats!(set_pair, "{.ftz}", ".f16x2", f16),
            floats!(set_pair, "", ".bf16x2", bf16),
        ],
    },
    Opcode {
        name: "setp",
        section: "9.7.7.2",
        operands: "p[|q], a, b [, {!}c]",
        summary: "Compares two half-precision values, or pairs of them: then each half has its predicate.",
        needs: &[need("", (6, 0), 53), need("(.bf16|.bf16x2)", (7, 8), 90)],
        forms: joined![
            floats!(setp_half, "{.ftz}", ".f16", f16),
            floats!(setp_half, "", ".bf16", bf16),
            floats!(setp_pair, "{.ftz}", ".f16x2", f16),
            floats!(setp_pair, "", ".bf16x2", bf16),
        ],
    },
];

#[cfg(test)]
mod tests {
    use crate::isa::conformance::harness::{PLAIN, Setting, form, one, run, run_form};
    use crate::lanes::{FULL, Flags, LANES};

    /// A comparison, and whether it holds when a is less, equal, greater, and unordered.
    const COMPARISONS: [(&str, [u64; 4]); 14] = [
        ("eq", [0, 1, 0, 0]),
        ("ne", [1, 0, 1, 0]),
        ("lt", [1, 0, 0, 0]),
        ("le", [1, 1, 0, 0]),
        ("gt", [0, 0, 1, 0]),
        ("ge", [0, 1, 1, 0]),
        ("equ", [0, 1, 0, 1]),
        ("neu", [1, 0, 1, 1]),
        ("ltu", [1, 0, 0, 1]),
        ("leu", [1, 1, 0, 1]),
        ("gtu", [0, 0, 1, 1]),
        ("geu", [0, 1, 1, 1]),
        ("num", [1, 1, 1, 0]),
        ("nan", [0, 0, 0, 1]),
    ];

    #[test]
    fn each_comparison_of_floats_holds_for_its_orders_only() {
        // One, two and NaN in each type.
        for (ty, [small, large, nan]) in [
            ("f32", [0x3f80_0000, 0x4000_0000, 0x7fc0_0000]),
            ("f64", [0x3ff0 << 48, 0x4000 << 48, 0x7ff8 << 48]),
            ("f16", [0x3c00, 0x4000, 0x7e00]),
            ("bf16", [0x3f80, 0x4000, 0x7fc0]),
        ] {
            let pairs = [[small, large], [large, large], [large, small], [nan, small]];
            for (name, holds) in COMPARISONS {
                let found = pairs.map(|pair| one(&format!("setp.{name}.{ty}"), &pair));
                assert_eq!(found, holds, "{name}.{ty}");
                let words = pairs.map(|pair| one(&format!("set.{name}.u32.{ty}"), &pair));
                assert_eq!(words, holds.map(|h| h * 0xffff_ffff), "{name}.{ty}");
            }
        }
        assert_eq!(one("setp.eq.f32", &[0, 0x8000_0000]), 1);
    }

    #[test]
    fn integers_are_compared_by_their_type() {
        for (ty, less) in [("u16", 0), ("s16", 1), ("u32", 0), ("s32", 1), ("u64", 0), ("s64", 1)] {
            // All ones is -1, or the greatest.
            assert_eq!(one(&format!("setp.lt.{ty}"), &[u64::MAX, 1]), less, "{ty}");
            assert_eq!(one(&format!("setp.ge.{ty}"), &[u64::MAX, 1]), 1 - less, "{ty}");
        }
        for (name, same) in [("lo", "lt"), ("ls", "le"), ("hi", "gt"), ("hs", "ge")] {
            for (a, b) in [(1, 2), (2, 2), (3, 2)] {
                let sources = [a, b];
                let (old, new) = (format!("setp.{name}.u32"), format!("setp.{same}.u32"));
                assert_eq!(one(&old, &sources), one(&new, &sources));
            }
        }
        // What lies above a 16-bit value in its register is not compared.
        assert_eq!(one("setp.eq.b16", &[0xabcd_0007, 0x0007]), 1);
    }

    #[test]
    fn a_predicate_is_combined_with_the_comparison_and_its_complement() {
        for (name, f) in [
            ("and", (|t, c| t & c) as fn(bool, bool) -> bool),
            ("or", |t, c| t | c),
            ("xor", |t, c| t ^ c),
        ] {
            for (a, c, negated) in (0..8).map(|i| (i & 1, i >> 1 & 1, i & 4 != 0)) {
                let sources = [[a; LANES], [1; LANES], [c; LANES]];
                let flags = if negated { Flags::NOT_C } else { PLAIN.flags };
                let setp = form(&format!("setp.eq.{name}.s32"));
                let results = run_form(setp, &sources, Setting { flags, ..PLAIN });
                let (truth, c) = (a == 1, (c == 1) != negated);
                assert_eq!(results.d[0] == 1, f(truth, c), "{name} {a} {c}");
                assert_eq!(results.d2 == FULL, f(!truth, c), "{name} {a} {c}, second");
            }
        }
    }

    #[test]
    fn pairs_have_a_predicate_for_each_half() {
        // The lower halves are equal, the upper are not.
        let sources = [[0x3c00_4000; LANES], [0x4000_4000; LANES]];
        let results = run("setp.eq.f16x2", &sources);
        assert_eq!((results.d[0], results.d2), (1, 0));
        assert_eq!(one("set.eq.f16x2.f16x2", &[0x3c00_4000, 0x4000_4000]), 0x3c00);
    }

    #[test]
    fn set_has_its_words_for_true() {
        assert_eq!(one("set.lt.f32.s32", &[1, 2]), 0x3f80_0000);
        assert_eq!(one("set.lt.s32.f64", &[0, 0x3ff0 << 48]), 0xffff_ffff);
        assert_eq!(one("set.lt.u32.u64", &[2, 1]), 0);
        assert_eq!(one("set.lt.f16.f16", &[0, 0x3c00]), 0x3c00);
    }

    #[test]
    fn flushed_subnormals_are_equal_to_zero() {
        assert_eq!(one("setp.eq.f32", &[1, 0]), 0);
        assert_eq!(one("setp.eq.ftz.f32", &[1, 0]), 1);
    }

    #[test]
    fn selections_take_a_where_the_condition_holds() {
        assert_eq!(one("selp.b64", &[10, 20, 1]), 10);
        assert_eq!(one("selp.b64", &[10, 20, 0]), 20);
        assert_eq!(one("slct.u32.s32", &[10, 20, 0]), 10);
        assert_eq!(one("slct.u32.s32", &[10, 20, 0xffff_ffff]), 20);
        assert_eq!(one("slct.u64.f32", &[10, 20, 0x8000_0000]), 10);
        assert_eq!(one("slct.u64.f32", &[10, 20, 0x7fc0_0000]), 20);
        assert_eq!(one("slct.u64.f32", &[10, 20, 0x8000_0001]), 20);
        assert_eq!(one("slct.ftz.u64.f32", &[10, 20, 0x8000_0001]), 10);
    }
}
