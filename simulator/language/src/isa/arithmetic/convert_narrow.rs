//! `cvt` to and from floating-point numbers of 8, 6 and 4 bits, and with stochastic rounding (PTX
//! ISA 9.7.9.21): rows of the table of [`crate::isa::arithmetic::convert`].
//!
//! The rules are in [`crate::lanes::scalar::narrow`]. Most are for `sm_100a` and similar
//! architectures, which are written with the number 100.

use crate::isa::pattern::Pattern;
use crate::isa::row::{Action, Form, Structural, lanes};
use crate::lanes::primitive::Narrow;

/// `cvt.rs` of four f32: two and two by a primitive.
const fn four(pattern: &'static str, two: Narrow) -> Form {
    Form { pattern: Pattern(pattern), action: Action::Structural(Structural::CvtFour(two)) }
}

pub(in crate::isa) const FORMS: &[Form] = &[
    lanes!(".rn.satfinite{.relu}.e4m3x2.f32", Narrow::CvtE4m3x2F32),
    lanes!(".rn.satfinite{.relu}.e5m2x2.f32", Narrow::CvtE5m2x2F32),
    lanes!(".rn.satfinite{.relu}.e2m3x2.f32", Narrow::CvtE2m3x2F32),
    lanes!(".rn.satfinite{.relu}.e3m2x2.f32", Narrow::CvtE3m2x2F32),
    lanes!(".rn.satfinite{.relu}.e2m1x2.f32", Narrow::CvtE2m1x2F32),
    lanes!(".rn.satfinite{.relu}.e4m3x2.f16x2", Narrow::CvtE4m3x2F16x2),
    lanes!(".rn.satfinite{.relu}.e5m2x2.f16x2", Narrow::CvtE5m2x2F16x2),
    lanes!(".rn.satfinite{.relu}.e2m3x2.f16x2", Narrow::CvtE2m3x2F16x2),
    lanes!(".rn.satfinite{.relu}.e3m2x2.f16x2", Narrow::CvtE3m2x2F16x2),
    lanes!(".rn.satfinite{.relu}.e2m1x2.f16x2", Narrow::CvtE2m1x2F16x2),
    lanes!(".rn.satfinite{.relu}.e4m3x2.bf16x2", Narrow::CvtE4m3x2Bf16x2),
    lanes!(".rn.satfinite{.relu}.e5m2x2.bf16x2", Narrow::CvtE5m2x2Bf16x2),
    lanes!(".rn.satfinite{.relu}.e2m3x2.bf16x2", Narrow::CvtE2m3x2Bf16x2),
    lanes!(".rn.satfinite{.relu}.e3m2x2.bf16x2", Narrow::CvtE3m2x2Bf16x2),
    lanes!(".rn.satfinite{.relu}.e2m1x2.bf16x2", Narrow::CvtE2m1x2Bf16x2),
    lanes!(".rn{.relu}.f16x2.e4m3x2", Narrow::CvtF16x2E4m3x2),
    lanes!(".rn{.relu}.f16x2.e5m2x2", Narrow::CvtF16x2E5m2x2),
    lanes!(".rn{.relu}.f16x2.e2m3x2", Narrow::CvtF16x2E2m3x2),
    lanes!(".rn{.relu}.f16x2.e3m2x2", Narrow::CvtF16x2E3m2x2),
    lanes!(".rn{.relu}.f16x2.e2m1x2", Narrow::CvtF16x2E2m1x2),
    lanes!("(.rz|.rp){.satfinite}.ue8m0x2.f32", Narrow::CvtUe8m0x2F32),
    lanes!("(.rz|.rp){.satfinite}.ue8m0x2.bf16x2", Narrow::CvtUe8m0x2Bf16x2),
    lanes!(".rn.bf16x2.ue8m0x2", Narrow::CvtBf16x2Ue8m0x2),
    lanes!(".rs{.relu}{.satfinite}.f16x2.f32", Narrow::CvtRsF16x2F32),
    lanes!(".rs{.relu}{.satfinite}.bf16x2.f32", Narrow::CvtRsBf16x2F32),
    four(".rs{.relu}.satfinite.e4m3x4.f32", Narrow::CvtRsE4m3x2F32),
    four(".rs{.relu}.satfinite.e5m2x4.f32", Narrow::CvtRsE5m2x2F32),
    four(".rs{.relu}.satfinite.e2m3x4.f32", Narrow::CvtRsE2m3x2F32),
    four(".rs{.relu}.satfinite.e3m2x4.f32", Narrow::CvtRsE3m2x2F32),
    four(".rs{.relu}.satfinite.e2m1x4.f32", Narrow::CvtRsE2m1x2F32),
];
