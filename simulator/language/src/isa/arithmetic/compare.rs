//! Comparison and selection (PTX ISA 9.7.6, and 9.7.7 for half precision). Bit-exact.
//!
//! Comparisons of floats are false when an operand is NaN (`eq` to `ge`), or true (`equ` to
//! `geu`). A comparison may be combined with a predicate `c` by `.and`, `.or` or `.xor`; a second
//! destination then has the complement of the comparison, combined in the same way.

use crate::isa::need::need;
use crate::isa::row::{Opcode, joined, lanes, register, register_with};
use crate::lanes::primitive::Logic;
use crate::lanes::primitive::compare::{
    Compare, Equality, Order, Pair, Real, Relation, Test, Truth, Whole, Width,
};
use crate::lanes::{Primitive, Role};
use crate::ptx::Type;

/// The two forms of a comparison into predicates, alone and combined with a third one; the parts
/// of their patterns around `.and` are given.
macro_rules! setp {
    ($test:expr, $name:literal, $ftz:literal, $type:literal, $ptx:ident) => {
        &[
            register(concat!($name, $ftz, $type), into($test, Truth::Predicates, false)),
            register(
                concat!($name, "(.and|.or|.xor)", $ftz, $type),
                into($test, Truth::Predicates, true),
            ),
        ]
    };
}

/// As `setp`, of halves: the text has no second destination.
macro_rules! setp_half {
    ($test:expr, $name:literal, $ftz:literal, $type:literal, $ptx:ident) => {
        &[
            register_with(
                concat!($name, $ftz, $type),
                into($test, Truth::Predicates, false),
                &[Role::DFirst, Role::A(Type::$ptx), Role::B(Type::$ptx)],
            ),
            register_with(
                concat!($name, "(.and|.or|.xor)", $ftz, $type),
                into($test, Truth::Predicates, true),
                &[Role::DFirst, Role::A(Type::$ptx), Role::B(Type::$ptx), Role::MaybeNotC],
            ),
        ]
    };
}

/// The forms of a comparison into one kind of word, and that word for true.
macro_rules! set_to {
    (
        $test:expr, $name:literal, $ftz:literal, $to:literal, $type:literal, $ptx:ident,
        $d:ident, $word:literal
    ) => {
        &[
            register_with(
                concat!($name, $ftz, $to, $type),
                into($test, Truth::Word, false),
                &[Role::D(Type::$d), Role::A(Type::$ptx), Role::B(Type::$ptx), Role::True($word)],
            ),
            register_with(
                concat!($name, "(.and|.or|.xor)", $ftz, $to, $type),
                into($test, Truth::Word, true),
                &[
                    Role::D(Type::$d),
                    Role::A(Type::$ptx),
                    Role::B(Type::$ptx),
                    Role::MaybeNotC,
                    Role::True($word),
                ],
            ),
        ]
    };
}

/// The forms of `set` for a comparison of a type of 16, 32 or 64 bits that is no half.
macro_rules! set {
    ($test:expr, $name:literal, $ftz:literal, $type:literal, $ptx:ident) => {
        joined![
            set_to!($test, $name, $ftz, "(.u32|.s32)", $type, $ptx, U32, 0xffff_ffff),
            set_to!($test, $name, $ftz, ".f32", $type, $ptx, F32, 0x3f80_0000),
            set_to!($test, $name, $ftz, ".f16", $type, $ptx, F16, 0x3c00),
            set_to!($test, $name, "", ".bf16", $type, $ptx, Bf16, 0x3f80),
        ]
    };
}

/// The forms of `set` for a comparison of f16.
macro_rules! set_f16 {
    ($test:expr, $name:literal, $ftz:literal, $type:literal, $ptx:ident) => {
        joined![
            set_to!($test, $name, $ftz, "(.u32|.s32)", $type, $ptx, U32, 0xffff_ffff),
            set_to!($test, $name, $ftz, "(.u16|.s16)", $type, $ptx, U16, 0xffff),
            set_to!($test, $name, $ftz, ".f16", $type, $ptx, F16, 0x3c00),
            set_to!($test, $name, "", ".bf16", $type, $ptx, Bf16, 0x3f80),
        ]
    };
}

/// The forms of `set` for a comparison of bf16.
macro_rules! set_bf16 {
    ($test:expr, $name:literal, $ftz:literal, $type:literal, $ptx:ident) => {
        joined![
            set_to!($test, $name, $ftz, "(.u32|.s32)", $type, $ptx, U32, 0xffff_ffff),
            set_to!($test, $name, $ftz, "(.u16|.s16)", $type, $ptx, U16, 0xffff),
            set_to!($test, $name, $ftz, ".bf16", $type, $ptx, Bf16, 0x3f80),
        ]
    };
}

/// The forms of `set` for a comparison of pairs of f16.
macro_rules! set_f16x2 {
    ($test:expr, $name:literal, $ftz:literal, $type:literal, $ptx:ident) => {
        joined![
            set_to!($test, $name, $ftz, $type, $type, $ptx, $ptx, 0x3c00_3c00),
            set_to!($test, $name, $ftz, "(.u32|.s32)", $type, $ptx, U32, 0xffff_ffff),
        ]
    };
}

/// The forms of `set` for a comparison of pairs of bf16.
macro_rules! set_bf16x2 {
    ($test:expr, $name:literal, $ftz:literal, $type:literal, $ptx:ident) => {
        joined![
            set_to!($test, $name, $ftz, $type, $type, $ptx, $ptx, 0x3f80_3f80),
            set_to!($test, $name, $ftz, "(.u32|.s32)", $type, $ptx, U32, 0xffff_ffff),
        ]
    };
}

/// The comparisons of integers of one width.
macro_rules! integers {
    ($make:ident, $any:literal, $width:ident, $u:ident, $unsigned:literal, $s:ident, $signed:literal) => {
        joined![
            $make!(Test::Equality(Equality::Eq, Width::$width), ".eq", "", $any, $u),
            $make!(Test::Equality(Equality::Ne, Width::$width), ".ne", "", $any, $u),
            $make!(Test::Order(Order::Lt, Whole::$u), "(.lt|.lo)", "", $unsigned, $u),
            $make!(Test::Order(Order::Le, Whole::$u), "(.le|.ls)", "", $unsigned, $u),
            $make!(Test::Order(Order::Gt, Whole::$u), "(.gt|.hi)", "", $unsigned, $u),
            $make!(Test::Order(Order::Ge, Whole::$u), "(.ge|.hs)", "", $unsigned, $u),
            $make!(Test::Order(Order::Lt, Whole::$s), ".lt", "", $signed, $s),
            $make!(Test::Order(Order::Le, Whole::$s), ".le", "", $signed, $s),
            $make!(Test::Order(Order::Gt, Whole::$s), ".gt", "", $signed, $s),
            $make!(Test::Order(Order::Ge, Whole::$s), ".ge", "", $signed, $s),
        ]
    };
}

/// The comparisons of floats of one type, which `$kind` is made of.
macro_rules! floats {
    ($make:ident, $ftz:literal, $type:literal, $kind:ident::$of:ident, $ptx:ident) => {
        joined![
            $make!(Test::$kind(Relation::Eq, $kind::$of), ".eq", $ftz, $type, $ptx),
            $make!(Test::$kind(Relation::Ne, $kind::$of), ".ne", $ftz, $type, $ptx),
            $make!(Test::$kind(Relation::Lt, $kind::$of), ".lt", $ftz, $type, $ptx),
            $make!(Test::$kind(Relation::Le, $kind::$of), ".le", $ftz, $type, $ptx),
            $make!(Test::$kind(Relation::Gt, $kind::$of), ".gt", $ftz, $type, $ptx),
            $make!(Test::$kind(Relation::Ge, $kind::$of), ".ge", $ftz, $type, $ptx),
            $make!(Test::$kind(Relation::Equ, $kind::$of), ".equ", $ftz, $type, $ptx),
            $make!(Test::$kind(Relation::Neu, $kind::$of), ".neu", $ftz, $type, $ptx),
            $make!(Test::$kind(Relation::Ltu, $kind::$of), ".ltu", $ftz, $type, $ptx),
            $make!(Test::$kind(Relation::Leu, $kind::$of), ".leu", $ftz, $type, $ptx),
            $make!(Test::$kind(Relation::Gtu, $kind::$of), ".gtu", $ftz, $type, $ptx),
            $make!(Test::$kind(Relation::Geu, $kind::$of), ".geu", $ftz, $type, $ptx),
            $make!(Test::$kind(Relation::Num, $kind::$of), ".num", $ftz, $type, $ptx),
            $make!(Test::$kind(Relation::Nan, $kind::$of), ".nan", $ftz, $type, $ptx),
        ]
    };
}

/// A comparison and what it is written to.
const fn into(test: Test, into: Truth, combined: bool) -> Primitive {
    Primitive::Compare(Compare { test, into, combined })
}

/// The family's rows.
pub(in crate::isa) const OPCODES: &[Opcode] = &[
    Opcode {
        name: "set",
        section: "9.7.6.1",
        operands: "d, a, b [, {!}c]",
        summary: "Compares two values; true is all ones, or 1.0 for a floating-point result.",
        needs: &[need(".f16", (6, 0), 53), need(".bf16", (7, 8), 90)],
        forms: joined![
            integers!(set, "(.b16|.u16|.s16)", B16, U16, ".u16", S16, ".s16"),
            integers!(set, "(.b32|.u32|.s32)", B32, U32, ".u32", S32, ".s32"),
            integers!(set, "(.b64|.u64|.s64)", B64, U64, ".u64", S64, ".s64"),
            floats!(set, "{.ftz}", ".f32", Real::F32, F32),
            floats!(set, "", ".f64", Real::F64, F64),
        ],
    },
    Opcode {
        name: "setp",
        section: "9.7.6.2",
        operands: "p[|q], a, b [, {!}c]",
        summary: "Compares two values into a predicate, and the complement into a second one.",
        needs: &[],
        forms: joined![
            integers!(setp, "(.b16|.u16|.s16)", B16, U16, ".u16", S16, ".s16"),
            integers!(setp, "(.b32|.u32|.s32)", B32, U32, ".u32", S32, ".s32"),
            integers!(setp, "(.b64|.u64|.s64)", B64, U64, ".u64", S64, ".s64"),
            floats!(setp, "{.ftz}", ".f32", Real::F32, F32),
            floats!(setp, "", ".f64", Real::F64, F64),
        ],
    },
    Opcode {
        name: "selp",
        section: "9.7.6.3",
        operands: "d, a, b, c",
        summary: "a where the predicate c is true, else b.",
        needs: &[],
        forms: &[
            lanes!("(.b16|.u16|.s16)", Logic::SelpB16),
            lanes!("(.b32|.u32|.s32|.f32)", Logic::SelpB32),
            lanes!("(.b64|.u64|.s64|.f64)", Logic::SelpB64),
        ],
    },
    Opcode {
        name: "slct",
        section: "9.7.6.4",
        operands: "d, a, b, c",
        summary: "a where c is not negative, else b.",
        needs: &[],
        forms: joined![
            &[
                lanes!("(.b16|.u16|.s16).s32", Logic::SlctB16S32),
                lanes!("{.ftz}(.b16|.u16|.s16).f32", Logic::SlctB16F32)
            ],
            &[
                lanes!("(.b32|.u32|.s32|.f32).s32", Logic::SlctB32S32),
                lanes!("{.ftz}(.b32|.u32|.s32|.f32).f32", Logic::SlctB32F32)
            ],
            &[
                lanes!("(.b64|.u64|.s64|.f64).s32", Logic::SlctB64S32),
                lanes!("{.ftz}(.b64|.u64|.s64|.f64).f32", Logic::SlctB64F32)
            ],
        ],
    },
    Opcode {
        name: "set",
        section: "9.7.7.1",
        operands: "d, a, b [, {!}c]",
        summary: "Compares two half-precision values, or pairs of them.",
        needs: &[
            need("", (6, 0), 53),
            need("(.u16|.s16|.u32|.s32)(.f16|.f16x2)", (6, 5), 53),
            need("(.bf16|.bf16x2)", (7, 8), 90),
        ],
        forms: joined![
            floats!(set_f16, "{.ftz}", ".f16", Real::F16, F16),
            floats!(set_bf16, "", ".bf16", Real::Bf16, Bf16),
            floats!(set_f16x2, "{.ftz}", ".f16x2", Pair::F16, F16x2),
            floats!(set_bf16x2, "", ".bf16x2", Pair::Bf16, Bf16x2),
        ],
    },
    Opcode {
        name: "setp",
        section: "9.7.7.2",
        operands: "p[|q], a, b [, {!}c]",
        summary: "Compares two half-precision values, or pairs of them: then each half has its predicate.",
        needs: &[need("", (6, 0), 53), need("(.bf16|.bf16x2)", (7, 8), 90)],
        forms: joined![
            floats!(setp_half, "{.ftz}", ".f16", Real::F16, F16),
            floats!(setp_half, "", ".bf16", Real::Bf16, Bf16),
            floats!(setp, "{.ftz}", ".f16x2", Pair::F16, F16x2),
            floats!(setp, "", ".bf16x2", Pair::Bf16, Bf16x2),
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
