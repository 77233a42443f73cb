//! The meaning of instructions in old modules: the modifiers that their `.version` and `.target`
//! imply.
//!
//! Two rules of the PTX ISA (the notes of sections 9.7.3 and 9.7.9.21 on `sm_1x`):
//!
//! - For `.target sm_1x`, instructions on `.f32` flush subnormal inputs and results to zero, as
//!   those with `.ftz` do. Up to PTX 1.5, `cvt` does not where one of its types has 64 bits.
//! - `mad.f32` without a rounding modifier is `mad.rn.f32` for `.target sm_1x` and up to PTX 3.1.
//!
//! An H200 follows both, in forty instructions in modules of eight versions and targets. Its driver
//! ignores `map_f64_to_f32`, so warpsim does, too. PTX 1.3 and older give an instruction without a
//! modifier (`div.f32`) another meaning. It is not modelled: kernels of these versions declare
//! parameters in another syntax.

use super::lookup::lookup_with;
use super::order::is_type;
use super::requirements::level_of;
use crate::ptx::{Module, Version};

/// The first version of PTX whose `cvt` flushes beside a type of 64 bits.
const CVT_FLUSHES: Version = Version { major: 2, minor: 0 };

/// The last version of PTX that takes `mad.f32` without a rounding modifier.
const MAD_ROUNDS: Version = Version { major: 3, minor: 1 };

/// The first architecture with subnormal numbers in `.f32`.
const SUBNORMALS: u32 = 20;

/// The rules for the instructions of one module.
///
/// ```
/// use warpsim::isa::ImpliedModifiers;
///
/// let old = warpsim::ptx::parse("k.ptx", ".version 1.4 .target sm_10 .entry k() { exit; }")?;
/// assert_eq!(ImpliedModifiers::of(&old).complete("mad", &["f32"], 4), ["rn", "ftz", "f32"]);
/// let new = warpsim::ptx::parse("k.ptx", ".version 8.0 .target sm_80 .entry k() { exit; }")?;
/// assert_eq!(ImpliedModifiers::of(&new).complete("mad", &["f32"], 4), ["f32"]);
/// # Ok::<(), warpsim::ptx::SyntaxError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImpliedModifiers {
    /// Whether `.f32` flushes subnormal numbers.
    flushes: bool,
    /// Whether `cvt` between `.f32` and a type of 64 bits does, too.
    cvt_flushes: bool,
    /// Whether `mad.f32` rounds to the nearest.
    mad_rounds: bool,
}

impl ImpliedModifiers {
    /// The rules for a module's version and target. The rules for new modules when it has no
    /// target.
    pub fn of(module: &Module) -> ImpliedModifiers {
        let flushes = level_of(module).is_some_and(|level| level.target < SUBNORMALS);
        ImpliedModifiers {
            flushes,
            cvt_flushes: module.version >= CVT_FLUSHES,
            mad_rounds: flushes || module.version <= MAD_ROUNDS,
        }
    }

    /// The modifiers of an instruction with this many operands, with those that are implied.
    pub fn complete<'a>(
        self,
        opcode: &str,
        modifiers: &[&'a str],
        operands: usize,
    ) -> Vec<&'a str> {
        let mut complete = modifiers.to_vec();
        if !modifiers.contains(&"f32") {
            return complete;
        }
        if self.mad_rounds && opcode == "mad" && !modifiers.iter().any(|m| is_rounding(m)) {
            complete.insert(0, "rn");
        }
        if self.flushes && (self.cvt_flushes || opcode != "cvt" || !modifiers.iter().any(is_wide)) {
            let types = complete.iter().position(|m| is_type(m)).unwrap_or(complete.len());
            let mut flushing = complete.clone();
            flushing.insert(types, "ftz");
            if lookup_with(opcode, &flushing, operands).is_ok() {
                complete = flushing;
            }
        }
        complete
    }
}

fn is_rounding(modifier: &str) -> bool {
    matches!(modifier, "rn" | "rz" | "rm" | "rp")
}

fn is_wide(modifier: &&str) -> bool {
    matches!(*modifier, "f64" | "s64" | "u64")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx;

    fn complete(header: &str, instruction: &str, operands: usize) -> String {
        let module = ptx::parse("k.ptx", &format!("{header} .entry k() {{ exit; }}")).unwrap();
        let words: Vec<&str> = instruction.split('.').collect();
        let modifiers = ImpliedModifiers::of(&module).complete(words[0], &words[1..], operands);
        [&words[..1], &modifiers].concat().join(".")
    }

    #[test]
    fn modules_for_sm_1x_flush_where_an_h200_does() {
        let old = |instruction, operands| {
            complete(".version 1.4 .target sm_10, map_f64_to_f32", instruction, operands)
        };
        // The H200 flushed an input or a result of these.
        for (instruction, operands, flushing) in [
            ("add.f32", 3, "add.ftz.f32"),
            ("add.rz.f32", 3, "add.rz.ftz.f32"),
            ("sub.f32", 3, "sub.ftz.f32"),
            ("mul.f32", 3, "mul.ftz.f32"),
            ("mad.f32", 4, "mad.rn.ftz.f32"),
            ("div.approx.f32", 3, "div.approx.ftz.f32"),
            ("div.full.f32", 3, "div.full.ftz.f32"),
            ("sqrt.approx.f32", 2, "sqrt.approx.ftz.f32"),
            ("rcp.approx.f32", 2, "rcp.approx.ftz.f32"),
            ("rsqrt.approx.f32", 2, "rsqrt.approx.ftz.f32"),
            ("lg2.approx.f32", 2, "lg2.approx.ftz.f32"),
            ("ex2.approx.f32", 2, "ex2.approx.ftz.f32"),
            ("min.f32", 3, "min.ftz.f32"),
            ("max.f32", 3, "max.ftz.f32"),
            ("abs.f32", 2, "abs.ftz.f32"),
            ("neg.f32", 2, "neg.ftz.f32"),
            ("cvt.f32.f32", 2, "cvt.ftz.f32.f32"),
            ("cvt.sat.f32.f32", 2, "cvt.sat.ftz.f32.f32"),
            ("cvt.rpi.s32.f32", 2, "cvt.rpi.ftz.s32.f32"),
            ("slct.f32.f32", 4, "slct.ftz.f32.f32"),
            ("setp.gt.f32", 3, "setp.gt.ftz.f32"),
            ("set.gt.u32.f32", 3, "set.gt.ftz.u32.f32"),
        ] {
            assert_eq!(old(instruction, operands), flushing);
        }
        // It flushed nothing of these.
        for (instruction, operands) in [
            ("mov.f32", 2),
            ("slct.f32.s32", 4),
            ("cvt.f64.f32", 2),
            ("cvt.rn.f32.f64", 2),
            ("cvt.rpi.s64.f32", 2),
            ("add.f64", 3),
            ("ld.global.f32", 2),
        ] {
            assert_eq!(old(instruction, operands), instruction);
        }
    }

    #[test]
    fn the_version_decides_on_wide_conversions_and_on_mad() {
        let cases = [
            (".version 2.0 .target sm_10", "cvt.f64.f32", 2, "cvt.ftz.f64.f32"),
            (".version 3.0 .target sm_13", "cvt.rpi.s64.f32", 2, "cvt.rpi.ftz.s64.f32"),
            (".version 2.0 .target sm_20", "mad.f32", 4, "mad.rn.f32"),
            (".version 2.0 .target sm_20", "mad.rz.f32", 4, "mad.rz.f32"),
            (".version 3.2 .target sm_20", "mad.f32", 4, "mad.f32"),
            (".version 2.0 .target sm_20", "add.f32", 3, "add.f32"),
            (".version 8.0 .target sm_100a", "add.f32", 3, "add.f32"),
        ];
        for (header, instruction, operands, expected) in cases {
            assert_eq!(complete(header, instruction, operands), expected, "{header}");
        }
    }
}
