//! Additions and multiplications of floating-point numbers, as Nsight Compute's roofline counts
//! them: `smsp__sass_thread_inst_executed_op_fadd_pred_on`, `_fmul_`, `_ffma_`, and the same of
//! halves (`h`) and doubles (`d`). A fused operation counts as two.
//!
//! Where it can be wrong: a division, a root or a sine is one instruction of PTX. The driver's
//! compiler makes several additions and multiplications of it, which are not counted here. It may
//! also fuse a multiplication with an addition. Tensor instructions are not counted.

use std::fmt;

/// The width of floating-point numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Precision {
    /// Halves: `.f16` and `.bf16`.
    Fp16,
    /// Singles.
    Fp32,
    /// Doubles.
    Fp64,
}

/// Counts of one precision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Floating {
    /// Instructions of active lanes that add or subtract.
    pub additions: u64,
    /// The instructions that multiply.
    pub multiplications: u64,
    /// The instructions that do both.
    pub fused: u64,
    /// Operations on numbers: a fused one is two, and an instruction on a pair has twice as many.
    pub operations: u64,
}

/// What an instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arithmetic {
    Add,
    Multiply,
    Fused,
}

/// What an instruction of this name adds or multiplies: the precision, the kind, and how many
/// numbers a lane has. `None` for all other instructions.
pub(super) fn arithmetic(name: &str) -> Option<(Precision, Arithmetic, u64)> {
    let mut parts = name.split('.');
    let kind = match parts.next()? {
        "add" | "sub" => Arithmetic::Add,
        "mul" => Arithmetic::Multiply,
        "fma" | "mad" => Arithmetic::Fused,
        _ => return None,
    };
    let (precision, numbers) = parts.find_map(|part| match part {
        "f16" | "bf16" => Some((Precision::Fp16, 1)),
        "f16x2" | "bf16x2" => Some((Precision::Fp16, 2)),
        "f32" => Some((Precision::Fp32, 1)),
        "f32x2" => Some((Precision::Fp32, 2)),
        "f64" => Some((Precision::Fp64, 1)),
        _ => None,
    })?;
    Some((precision, kind, numbers))
}

impl Floating {
    /// Adds other counts.
    pub(super) fn add(&mut self, other: &Floating) {
        self.additions += other.additions;
        self.multiplications += other.multiplications;
        self.fused += other.fused;
        self.operations += other.operations;
    }

    /// Adds an instruction of this many active lanes, on this many numbers a lane.
    pub(super) fn count(&mut self, kind: Arithmetic, lanes: u64, numbers: u64) {
        let (counter, each) = match kind {
            Arithmetic::Add => (&mut self.additions, 1),
            Arithmetic::Multiply => (&mut self.multiplications, 1),
            Arithmetic::Fused => (&mut self.fused, 2),
        };
        *counter += lanes;
        self.operations += lanes * numbers * each;
    }
}

impl Precision {
    /// The metrics of Nsight Compute: additions, multiplications, fused ones.
    pub fn metrics(self) -> [&'static str; 3] {
        match self {
            Precision::Fp16 => [
                "smsp__sass_thread_inst_executed_op_hadd_pred_on.sum",
                "smsp__sass_thread_inst_executed_op_hmul_pred_on.sum",
                "smsp__sass_thread_inst_executed_op_hfma_pred_on.sum",
            ],
            Precision::Fp32 => [
                "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
                "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum",
                "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
            ],
            Precision::Fp64 => [
                "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum",
                "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum",
                "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum",
            ],
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Precision::Fp16 => "fp16",
            Precision::Fp32 => "fp32",
            Precision::Fp64 => "fp64",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn additions_and_multiplications_of_floating_point_numbers_are_counted_and_no_others() {
        for (name, of) in [
            ("add.rn.f32", Some((Precision::Fp32, Arithmetic::Add, 1))),
            ("sub.rn.ftz.f32x2", Some((Precision::Fp32, Arithmetic::Add, 2))),
            ("mul.f64", Some((Precision::Fp64, Arithmetic::Multiply, 1))),
            ("fma.rn.bf16x2", Some((Precision::Fp16, Arithmetic::Fused, 2))),
            ("mad.f32", Some((Precision::Fp32, Arithmetic::Fused, 1))),
            ("add.rn.f32.f16", Some((Precision::Fp32, Arithmetic::Add, 1))),
            ("mad.lo.s32", None),
            ("add.s32", None),
            ("atom.global.add.f32", None),
            ("div.rn.f32", None),
        ] {
            assert_eq!(arithmetic(name), of, "{name}");
        }
    }

    #[test]
    fn a_fused_instruction_is_two_operations_and_a_pair_doubles_them() {
        let mut counts = Floating::default();
        counts.count(Arithmetic::Fused, 32, 2);
        counts.count(Arithmetic::Add, 8, 1);
        let Floating { additions, multiplications, fused, operations } = counts;
        assert_eq!((additions, multiplications, fused, operations), (8, 0, 32, 32 * 4 + 8));
    }
}
