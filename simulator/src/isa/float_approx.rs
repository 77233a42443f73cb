//! The approximate functions of f32 and f64 (PTX ISA 9.7.3.8, 9.7.3.13 to 9.7.3.22).
//!
//! Special cases are the ISA's; other results lie within its error bounds but need not be the hardware's bits: see
//! [`super::scalar::approx`], which lists the bounds.

use super::row::{Opcode, lanes};
use super::scalar::approx;

/// The family's rows.
pub(super) const OPCODES: &[Opcode] = &[
    Opcode {
        name: "div",
        section: "9.7.3.8",
        operands: "d, a, b",
        summary: "Divides one value by another, approximately.",
        forms: &[
            lanes!(".approx{.ftz}.f32", binary(f32, f32) -> f32, with_flags approx::div_approx),
            lanes!(".full{.ftz}.f32", binary(f32, f32) -> f32, with_flags approx::div_full),
        ],
    },
    Opcode {
        name: "rcp",
        section: "9.7.3.13",
        operands: "d, a",
        summary: "The reciprocal, approximately.",
        forms: &[lanes!(".approx{.ftz}.f32", unary(f32) -> f32, with_flags approx::rcp)],
    },
    Opcode {
        name: "rcp",
        section: "9.7.3.14",
        operands: "d, a",
        summary: "The reciprocal of the upper word, approximately.",
        forms: &[lanes!(".approx.ftz.f64", unary(f64) -> f64, approx::rcp_ftz_f64)],
    },
    Opcode {
        name: "sqrt",
        section: "9.7.3.15",
        operands: "d, a",
        summary: "The square root, approximately.",
        forms: &[lanes!(".approx{.ftz}.f32", unary(f32) -> f32, with_flags approx::sqrt)],
    },
    Opcode {
        name: "rsqrt",
        section: "9.7.3.16",
        operands: "d, a",
        summary: "The reciprocal of the square root, approximately.",
        forms: &[
            lanes!(".approx{.ftz}.f32", unary(f32) -> f32, with_flags approx::rsqrt),
            lanes!(".approx.f64", unary(f64) -> f64, approx::rsqrt_f64),
        ],
    },
    Opcode {
        name: "rsqrt",
        section: "9.7.3.17",
        operands: "d, a",
        summary: "The reciprocal of the square root of the upper word, approximately.",
        forms: &[lanes!(".approx.ftz.f64", unary(f64) -> f64, approx::rsqrt_ftz_f64)],
    },
    Opcode {
        name: "sin",
        section: "9.7.3.18",
        operands: "d, a",
        summary: "The sine, approximately.",
        forms: &[lanes!(".approx{.ftz}.f32", unary(f32) -> f32, with_flags approx::sin)],
    },
    Opcode {
        name: "cos",
        section: "9.7.3.19",
        operands: "d, a",
        summary: "The cosine, approximately.",
        forms: &[lanes!(".approx{.ftz}.f32", unary(f32) -> f32, with_flags approx::cos)],
    },
    Opcode {
        name: "lg2",
        section: "9.7.3.20",
        operands: "d, a",
        summary: "The logarithm to base 2, approximately.",
        forms: &[lanes!(".approx{.ftz}.f32", unary(f32) -> f32, with_flags approx::lg2)],
    },
    Opcode {
        name: "ex2",
        section: "9.7.3.21",
        operands: "d, a",
        summary: "2 to the power a, approximately.",
        forms: &[lanes!(".approx{.ftz}.f32", unary(f32) -> f32, with_flags approx::ex2)],
    },
    Opcode {
        name: "tanh",
        section: "9.7.3.22",
        operands: "d, a",
        summary: "The hyperbolic tangent, approximately.",
        forms: &[lanes!(".approx.f32", unary(f32) -> f32, approx::tanh_f32)],
    },
];
