//! Floating-point arithmetic of f32 and f64 (PTX ISA 9.7.3.1 to 9.7.3.15), and f32 sums with a narrower operand (9.7.5).
//!
//! Bit-exact in every rounding direction, with `.ftz` and `.sat`; the rules are in
//! [`super::scalar::float`]. `add`, `sub` and `mul` without a direction round to nearest and are never
//! contracted here: that is a compiler's choice. `.approx` and `.full` forms are in
//! [`super::float_approx`].

use super::row::{Opcode, lane_form, lanes};
use super::scalar::float::{self, Property, canonical, nan_of, settle};
use crate::machine::{
    Flags, binary, binary_f64, fma_lanes_f32, fma_lanes_f64, ternary, test, unary,
};

/// A form whose plain case (no direction but to nearest, no `.ftz`, no `.sat`) has a lane loop of
/// its own, which vectorises.
macro_rules! float2 {
    ($pattern:expr, $ty:ty, $plain:expr, $general:expr) => {
        lane_form!($pattern, [D(<$ty>), A(<$ty>), B(<$ty>)], |r, o, m| {
            if o.flags.is_plain() {
                binary::<$ty, $ty, $ty>(r, o, m, $plain)
            } else {
                let flags = o.flags;
                binary::<$ty, $ty, $ty>(r, o, m, |a, b| $general(flags, a, b))
            }
        })
    };
}

/// `float2` of f32, with a loop of its own for `.ftz` too, which fast-math code is full of.
macro_rules! float2_f32 {
    ($pattern:expr, $plain:expr, $ftz:expr, $general:expr) => {
        lane_form!($pattern, [D(<f32>), A(<f32>), B(<f32>)], |r, o, m| {
            let flags = o.flags;
            if flags.is_plain() {
                binary::<f32, f32, f32>(r, o, m, $plain)
            } else if flags.without(Flags::FTZ).is_plain() {
                binary::<f32, f32, f32>(r, o, m, $ftz)
            } else {
                binary::<f32, f32, f32>(r, o, m, |a, b| $general(flags, a, b))
            }
        })
    };
}

/// A f64 form: a plain loop that leaves NaN to a second one.
macro_rules! float2_f64 {
    ($pattern:expr, $plain:expr, $nan:expr, $general:expr) => {
        lane_form!($pattern, [D(<f64>), A(<f64>), B(<f64>)], |r, o, m| {
            if o.flags.is_plain() {
                binary_f64(r, o, m, $plain, $nan)
            } else {
                let flags = o.flags;
                binary::<f64, f64, f64>(r, o, m, |a, b| $general(flags, a, b))
            }
        })
    };
}

/// As `float2`, of one operand.
macro_rules! float1 {
    ($pattern:expr, $ty:ty, $plain:expr, $general:expr) => {
        lane_form!($pattern, [D(<$ty>), A(<$ty>)], |r, o, m| {
            if o.flags.is_plain() {
                unary::<$ty, $ty>(r, o, m, $plain)
            } else {
                let flags = o.flags;
                unary::<$ty, $ty>(r, o, m, |a| $general(flags, a))
            }
        })
    };
}

/// `testp` of one property, for both types.
macro_rules! property {
    ($pattern:expr, $ty:ty, $property:ident) => {
        lane_form!($pattern, [D[Pred], A(<$ty>)], |r, o, m| {
            test::<$ty>(r, o, m, |a| Property::$property.holds(a.classify()))
        })
    };
}

/// f32 `fma` and `mad`.
macro_rules! fma_f32 {
    ($pattern:expr) => {
        lane_form!($pattern, [D(<f32>), A(<f32>), B(<f32>), C(<f32>)], |r, o, m| {
            let flags = o.flags;
            if flags.is_plain() {
                fma_lanes_f32(r, o, m)
            } else if flags.without(Flags::FTZ).is_plain() {
                ternary::<f32, f32, f32, f32>(r, o, m, float::fma_ftz_f32)
            } else {
                ternary::<f32, f32, f32, f32>(r, o, m, |a, b, c| float::fma_f32(flags, a, b, c))
            }
        })
    };
}

/// f64 `fma` and `mad`.
macro_rules! fma_f64 {
    ($pattern:expr) => {
        lane_form!($pattern, [D(<f64>), A(<f64>), B(<f64>), C(<f64>)], |r, o, m| {
            if o.flags.is_plain() {
                fma_lanes_f64(r, o, m)
            } else {
                let flags = o.flags;
                ternary::<f64, f64, f64, f64>(r, o, m, |a, b, c| {
                    float::fma_f64(flags, a, b, c)
                })
            }
        })
    };
}

/// A f64 value with another sign bit.
fn with_sign(x: f64, of: f64) -> f64 {
    const SIGN: u64 = 1 << 63;
    f64::from_bits(x.to_bits() & !SIGN | of.to_bits() & SIGN)
}

/// `neg.f32` with `.ftz`.
fn neg_f32(flags: Flags, a: f32) -> f32 {
    canonical(-float::flush_if(flags, a))
}

/// `abs.f32` with `.ftz`.
fn abs_f32(flags: Flags, a: f32) -> f32 {
    canonical(float::flush_if(flags, a).abs())
}

/// `abs.f64`, `neg.f64`: a NaN keeps its sign.
fn unless_nan(a: f64, result: f64) -> f64 {
    if a.is_nan() { float::quiet(a) } else { result }
}

/// The family's rows.
pub(super) const OPCODES: &[Opcode] = &[
    Opcode {
        name: "testp",
        section: "9.7.3.1",
        operands: "p, a",
        summary: "Tests a property of a floating-point number.",
        forms: &[
            property!(".finite.f32", f32, Finite),
            property!(".finite.f64", f64, Finite),
            property!(".infinite.f32", f32, Infinite),
            property!(".infinite.f64", f64, Infinite),
            property!(".number.f32", f32, Number),
            property!(".number.f64", f64, Number),
            property!(".notanumber.f32", f32, NotANumber),
            property!(".notanumber.f64", f64, NotANumber),
            property!(".normal.f32", f32, Normal),
            property!(".normal.f64", f64, Normal),
            property!(".subnormal.f32", f32, Subnormal),
            property!(".subnormal.f64", f64, Subnormal),
        ],
    },
    Opcode {
        name: "copysign",
        section: "9.7.3.2",
        operands: "d, a, b",
        summary: "The value of b with the sign of a.",
        forms: &[
            lanes!(".f32", binary(f32, f32) -> f32, |a, b: f32| b.copysign(a)),
            lanes!(".f64", binary(f64, f64) -> f64, |a, b| with_sign(b, a)),
        ],
    },
    Opcode {
        name: "add",
        section: "9.7.3.3",
        operands: "d, a, b",
        summary: "Adds two values.",
        forms: &[
            float2_f32!(
                "{.rn|.rz|.rm|.rp}{.ftz}{.sat}.f32",
                |a, b| canonical(a + b),
                float::add_ftz_f32,
                float::add_f32
            ),
            float2_f64!(
                "{.rn|.rz|.rm|.rp}.f64",
                |a, b| a + b,
                |a, b| nan_of(a, b, b),
                float::add_f64
            ),
        ],
    },
    Opcode {
        name: "sub",
        section: "9.7.3.4",
        operands: "d, a, b",
        summary: "Subtracts one value from another.",
        forms: &[
            float2_f32!(
                "{.rn|.rz|.rm|.rp}{.ftz}{.sat}.f32",
                |a, b| canonical(a - b),
                float::sub_ftz_f32,
                float::sub_f32
            ),
            float2_f64!(
                "{.rn|.rz|.rm|.rp}.f64",
                |a, b| a - b,
                |a, b| nan_of(a, b, b),
                float::sub_f64
            ),
        ],
    },
    Opcode {
        name: "mul",
        section: "9.7.3.5",
        operands: "d, a, b",
        summary: "Multiplies two values.",
        forms: &[
            float2_f32!(
                "{.rn|.rz|.rm|.rp}{.ftz}{.sat}.f32",
                |a, b| canonical(a * b),
                float::mul_ftz_f32,
                float::mul_f32
            ),
            float2_f64!(
                "{.rn|.rz|.rm|.rp}.f64",
                |a, b| a * b,
                |a, b| nan_of(a, b, b),
                float::mul_f64
            ),
        ],
    },
    Opcode {
        name: "fma",
        section: "9.7.3.6",
        operands: "d, a, b, c",
        summary: "Multiplies two values and adds a third, rounding once.",
        forms: &[fma_f32!("(.rn|.rz|.rm|.rp){.ftz}{.sat}.f32"), fma_f64!("(.rn|.rz|.rm|.rp).f64")],
    },
    Opcode {
        name: "mad",
        section: "9.7.3.7",
        operands: "d, a, b, c",
        summary: "The same as fma.",
        forms: &[fma_f32!("(.rn|.rz|.rm|.rp){.ftz}{.sat}.f32"), fma_f64!("(.rn|.rz|.rm|.rp).f64")],
    },
    Opcode {
        name: "div",
        section: "9.7.3.8",
        operands: "d, a, b",
        summary: "Divides one value by another.",
        forms: &[
            float2!("(.rn|.rz|.rm|.rp){.ftz}.f32", f32, |a, b| canonical(a / b), float::div_f32),
            float2_f64!(
                "(.rn|.rz|.rm|.rp).f64",
                |a, b| a / b,
                |a, b| nan_of(b, a, a),
                float::div_f64
            ),
        ],
    },
    Opcode {
        name: "abs",
        section: "9.7.3.9",
        operands: "d, a",
        summary: "The absolute value.",
        forms: &[
            float1!("{.ftz}.f32", f32, |a: f32| canonical(a.abs()), abs_f32),
            lanes!(".f64", unary(f64) -> f64, |a| unless_nan(a, with_sign(a, 0.0))),
        ],
    },
    Opcode {
        name: "neg",
        section: "9.7.3.10",
        operands: "d, a",
        summary: "The negated value.",
        forms: &[
            float1!("{.ftz}.f32", f32, |a: f32| canonical(-a), neg_f32),
            lanes!(".f64", unary(f64) -> f64, |a| unless_nan(a, -a)),
        ],
    },
    Opcode {
        name: "min",
        section: "9.7.3.11",
        operands: "d, a, b",
        summary: "The lesser of two values; a NaN loses, except with `.NaN`.",
        forms: &[
            float2!("{.ftz}{.NaN}{.xorsign.abs}.f32", f32, float::min_f32, |f, a, b| {
                float::extremum_f32(f, false, a, b)
            }),
            lanes!(".f64", binary(f64, f64) -> f64, |a, b| float::extremum_f64(false, a, b)),
        ],
    },
    Opcode {
        name: "max",
        section: "9.7.3.12",
        operands: "d, a, b",
        summary: "The greater of two values; a NaN loses, except with `.NaN`.",
        forms: &[
            float2!("{.ftz}{.NaN}{.xorsign.abs}.f32", f32, float::max_f32, |f, a, b| {
                float::extremum_f32(f, true, a, b)
            }),
            lanes!(".f64", binary(f64, f64) -> f64, |a, b| float::extremum_f64(true, a, b)),
        ],
    },
    Opcode {
        name: "rcp",
        section: "9.7.3.13",
        operands: "d, a",
        summary: "The reciprocal.",
        forms: &[
            float1!("(.rn|.rz|.rm|.rp){.ftz}.f32", f32, |a| canonical(1.0 / a), float::rcp_f32),
            float1!("(.rn|.rz|.rm|.rp).f64", f64, |a| settle(1.0 / a, a, a), float::rcp_f64),
        ],
    },
    Opcode {
        name: "sqrt",
        section: "9.7.3.15",
        operands: "d, a",
        summary: "The square root.",
        forms: &[
            float1!(
                "(.rn|.rz|.rm|.rp){.ftz}.f32",
                f32,
                |a: f32| canonical(a.sqrt()),
                float::sqrt_f32
            ),
            float1!("(.rn|.rz|.rm|.rp).f64", f64, |a: f64| settle(a.sqrt(), a, a), float::sqrt_f64),
        ],
    },
];
