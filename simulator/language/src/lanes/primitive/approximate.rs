//! The approximate functions of f32 and f64 (PTX ISA 9.7.3.8, 9.7.3.13 to 9.7.3.22).
//!
//! Special cases are the ISA's; other results lie within its error bounds but need not be the
//! hardware's bits: see [`crate::lanes::scalar::approx`], which lists the bounds.

use super::define::{Definition, body, lanes, primitives, scalar};
use crate::lanes::scalar::approx;

primitives! {
    /// The approximate functions of f32 and f64.
    pub enum Approximate wide {
        DivApproxF32 = lanes!(binary(f32, f32) -> f32, with_flags approx::div_approx);
        DivFullF32 = lanes!(binary(f32, f32) -> f32, with_flags approx::div_full);
        RcpApproxF32 = lanes!(unary(f32) -> f32, with_flags approx::rcp);
        RcpApproxFtzF64 = lanes!(unary(f64) -> f64, approx::rcp_ftz_f64);
        SqrtApproxF32 = lanes!(unary(f32) -> f32, with_flags approx::sqrt);
        RsqrtApproxF32 = lanes!(unary(f32) -> f32, with_flags approx::rsqrt);
        RsqrtApproxF64 = lanes!(unary(f64) -> f64, approx::rsqrt_f64);
        RsqrtApproxFtzF64 = lanes!(unary(f64) -> f64, approx::rsqrt_ftz_f64);
        SinApproxF32 = lanes!(unary(f32) -> f32, with_flags approx::sin);
        CosApproxF32 = lanes!(unary(f32) -> f32, with_flags approx::cos);
        Lg2ApproxF32 = lanes!(unary(f32) -> f32, with_flags approx::lg2);
        Ex2ApproxF32 = lanes!(unary(f32) -> f32, with_flags approx::ex2);
        TanhApproxF32 = lanes!(unary(f32) -> f32, approx::tanh_f32);
    }
}
