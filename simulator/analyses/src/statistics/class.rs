//! The classes of instructions, after the metrics `smsp__sass_thread_inst_executed_op_*_pred_on` of
//! Nsight Compute.
//!
//! Where it can be wrong: these are instructions of PTX. The driver's compiler makes other ones of
//! them, so the numbers of a GPU differ.

use std::fmt;

use crate::lower::{Effect, Operation, WarpAction};

/// A class of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[expect(missing_docs, reason = "named like the metrics")]
pub enum Class {
    Integer,
    Fp16,
    Fp32,
    Fp64,
    Conversion,
    Memory,
    Control,
    InterThread,
    Tensor,
    Misc,
}

impl Class {
    /// The class of an operation whose opcode has this name, with its modifiers.
    pub fn of(operation: &Operation, name: &str) -> Class {
        match operation.kind.effect() {
            Effect::Registers => of_registers(name),
            Effect::Memory(..) | Effect::Asynchronous(_) | Effect::Mbarrier(_) => Class::Memory,
            Effect::Warp(warp) => match &warp.action {
                WarpAction::Sync => Class::Control,
                WarpAction::Shuffle { .. }
                | WarpAction::Vote { .. }
                | WarpAction::Match { .. }
                | WarpAction::Redux { .. }
                | WarpAction::Elect { .. }
                | WarpAction::Transpose { .. } => Class::InterThread,
                WarpAction::Rearrange(_) => Class::Memory,
                WarpAction::Multiply(_) => Class::Tensor,
            },
            Effect::Barrier(_)
            | Effect::Cluster(_)
            | Effect::Jump { .. }
            | Effect::Call(_)
            | Effect::Runtime(_)
            | Effect::Leave(_) => Class::Control,
            Effect::Fence(_) | Effect::ProxyFence => Class::Misc,
        }
    }

    /// The metric of Nsight Compute; `None` where there is none of this kind.
    pub fn metric(self) -> Option<&'static str> {
        match self {
            Class::Integer => Some("smsp__sass_thread_inst_executed_op_integer_pred_on.sum"),
            Class::Fp16 => Some("smsp__sass_thread_inst_executed_op_fp16_pred_on.sum"),
            Class::Fp32 => Some("smsp__sass_thread_inst_executed_op_fp32_pred_on.sum"),
            Class::Fp64 => Some("smsp__sass_thread_inst_executed_op_fp64_pred_on.sum"),
            Class::Conversion => Some("smsp__sass_thread_inst_executed_op_conversion_pred_on.sum"),
            Class::Memory => Some("smsp__sass_thread_inst_executed_op_memory_pred_on.sum"),
            Class::Control => Some("smsp__sass_thread_inst_executed_op_control_pred_on.sum"),
            Class::InterThread => {
                Some("smsp__sass_thread_inst_executed_op_inter_thread_communication_pred_on.sum")
            }
            Class::Misc => Some("smsp__sass_thread_inst_executed_op_misc_pred_on.sum"),
            Class::Tensor => None,
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Class::Integer => "integer",
            Class::Fp16 => "fp16",
            Class::Fp32 => "fp32",
            Class::Fp64 => "fp64",
            Class::Conversion => "conversion",
            Class::Memory => "memory",
            Class::Control => "control",
            Class::InterThread => "inter-thread",
            Class::Tensor => "tensor",
            Class::Misc => "misc",
        })
    }
}

/// The class of an instruction on registers alone, by its name.
fn of_registers(name: &str) -> Class {
    let mut parts = name.split('.');
    match parts.next().unwrap_or_default() {
        "cvt" => return Class::Conversion,
        "mov" | "cvta" | "selp" | "nop" | "prefetch" | "nanosleep" | "activemask" => {
            return Class::Misc;
        }
        _ => {}
    }
    let types: Vec<&str> = parts.collect();
    let has = |names: &[&str]| types.iter().any(|ty| names.contains(ty));
    if has(&["f64"]) {
        Class::Fp64
    } else if has(&["f16", "f16x2", "bf16", "bf16x2"]) {
        Class::Fp16
    } else if has(&["f32", "f32x2"]) {
        Class::Fp32
    } else {
        Class::Integer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instruction_on_registers_has_the_class_of_its_type() {
        for (name, class) in [
            ("add.s32", Class::Integer),
            ("mad.lo.s32", Class::Integer),
            ("fma.rn.f32", Class::Fp32),
            ("setp.lt.f64", Class::Fp64),
            ("add.f16x2", Class::Fp16),
            ("cvt.rn.f32.s32", Class::Conversion),
            ("mov.u32", Class::Misc),
            ("shl.b32", Class::Integer),
        ] {
            assert_eq!(of_registers(name), class, "{name}");
        }
    }
}
