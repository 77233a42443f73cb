//! Rows of the table whose instructions compute from registers alone (PTX ISA 9.7.1 to 9.7.8,
//! 9.7.9.21, 9.7.18). Each row says how its loop over the lanes computes.

pub(super) mod bits;
pub(super) mod compare;
pub(super) mod convert;
pub(super) mod convert_narrow;
pub(super) mod dot;
pub(super) mod extended;
pub(super) mod float;
pub(super) mod float_approx;
pub(super) mod half;
pub(super) mod integer;
pub(super) mod logic;
pub(super) mod mixed;
pub(super) mod video;
