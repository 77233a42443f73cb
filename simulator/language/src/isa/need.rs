//! The needs of an instruction: the PTX version that brought it, and the first architecture that
//! has it ("PTX ISA Notes" and "Target ISA Notes" of each section).
//!
//! A row of the table lists, beside the opcode, the needs of its modifiers. Nothing here is below
//! [`Level::FLOOR`]: PTX 6.0, where the memory consistency model begins, and sm_50, the oldest
//! architecture that NVIDIA's assembler still takes. `scripts/check-needs.sh` compares the notes
//! with that assembler. It gives the assembler each form at its needs, and one version and one
//! architecture below. If the two disagree, the table follows the assembler, because a text that
//! the assembler refuses is of no use.

use std::fmt;

use super::pattern::Pattern;
use super::row::Opcode;
use crate::ptx::Version;

/// A version of PTX and an architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// `.version`
    pub version: Version,
    /// The number of `.target sm_NN`.
    pub target: u32,
}

/// A line of an opcode's needs.
#[derive(Clone, Copy, Debug)]
pub struct Need {
    /// The modifiers that must be there, in this order; others may lie between them. As in a form,
    /// parentheses are a choice. An empty pattern means every form of the opcode.
    pub modifiers: Pattern,
    /// What they need.
    pub level: Level,
}

/// A row of an opcode's needs: `need(".bf16", (7, 8), 90)`.
pub(super) const fn need(modifiers: &'static str, version: (u32, u32), target: u32) -> Need {
    Need { modifiers: Pattern(modifiers), level: Level::new(version, target) }
}

impl Level {
    /// A version of PTX and the number of an architecture.
    pub const fn new((major, minor): (u32, u32), target: u32) -> Level {
        Level { version: Version { major, minor }, target }
    }

    /// Levels below this are not distinguished.
    pub const FLOOR: Level = Level::new((6, 0), 50);

    /// What two things need together.
    #[must_use]
    pub fn and(self, other: Level) -> Level {
        Level { version: self.version.max(other.version), target: self.target.max(other.target) }
    }

    /// The same with a version that has the target.
    #[must_use]
    pub fn with_version_of_target(self) -> Level {
        let first = first_version(self.target).unwrap_or(self.version);
        Level { version: self.version.max(first), target: self.target }
    }
}

/// `PTX 7.8 for sm_90`.
impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Level { version, target } = self;
        write!(f, "PTX {}.{} for sm_{target}", version.major, version.minor)
    }
}

impl Opcode {
    /// What an instruction with these modifiers, given without their dots, needs.
    ///
    /// ```
    /// let found = warpsim::isa::lookup("add", &["bf16"]).unwrap();
    /// assert_eq!(found.opcode.level(&["bf16"]).to_string(), "PTX 7.8 for sm_90");
    /// ```
    pub fn level(&self, modifiers: &[&str]) -> Level {
        let needed = self.needs.iter().filter(|need| need.modifiers.occurs_in(modifiers));
        let level = needed.fold(Level::FLOOR, |level, need| level.and(need.level));
        level.with_version_of_target()
    }
}

/// The architectures and the version of PTX that brought each (PTX ISA 11.1.2, `.target`, and the
/// release notes).
const TARGETS: &[(u32, (u32, u32))] = &[
    (50, (4, 0)),
    (52, (4, 1)),
    (53, (4, 2)),
    (60, (5, 0)),
    (61, (5, 0)),
    (62, (5, 0)),
    (70, (6, 0)),
    (72, (6, 1)),
    (75, (6, 3)),
    (80, (7, 0)),
    (86, (7, 1)),
    (87, (7, 4)),
    (88, (9, 0)),
    (89, (7, 8)),
    (90, (7, 8)),
    (100, (8, 6)),
    (103, (8, 8)),
    (110, (9, 0)),
    (120, (8, 7)),
    (121, (8, 8)),
];

/// The architectures from [`Level::FLOOR`] on, with the first version of PTX that has each.
pub fn targets() -> impl Iterator<Item = Level> {
    TARGETS.iter().map(|(target, version)| Level::new(*version, *target))
}

/// The first version of PTX that has an architecture; `None` for an architecture that is not known
/// here.
pub fn first_version(target: u32) -> Option<Version> {
    targets().find(|level| level.target == target).map(|level| level.version)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::{Form, lookup, opcodes};

    #[test]
    fn every_need_is_one_of_some_form_of_its_opcode_and_more_than_the_floor() {
        for opcode in opcodes() {
            for need in opcode.needs {
                let has = |form: &Form| form.pattern.0 != "*" && names(form, need.modifiers);
                assert!(opcode.forms.iter().any(has), "{} {:?}", opcode.name, need.modifiers);
                assert_ne!(need.level.and(Level::FLOOR), Level::FLOOR, "{}", opcode.name);
                assert!(first_version(need.level.target).is_some(), "{}", opcode.name);
            }
        }
    }

    /// Whether a modifier of the need is in the form.
    fn names(form: &Form, modifiers: Pattern) -> bool {
        modifiers.alternatives().any(|m| form.pattern.alternatives().any(|a| a == m))
            || modifiers.0.is_empty()
    }

    /// As the notes of the PTX ISA say, in the sections of the instructions.
    #[test]
    fn instructions_need_what_the_isa_says_of_them() {
        for (text, expected) in [
            ("add.u32", "PTX 6.0 for sm_50"),
            ("add.rn.f16", "PTX 6.0 for sm_53"),
            ("add.f16x2", "PTX 6.0 for sm_53"),
            ("add.bf16", "PTX 7.8 for sm_90"),
            ("add.f32x2", "PTX 8.6 for sm_100"),
            ("dp4a.u32.u32", "PTX 6.0 for sm_61"),
            ("bmsk.clamp.b32", "PTX 7.6 for sm_70"),
            ("tanh.approx.f32", "PTX 7.0 for sm_75"),
            ("min.NaN.f32", "PTX 7.0 for sm_80"),
            ("min.ftz.xorsign.abs.f32", "PTX 7.2 for sm_86"),
            ("fma.rn.relu.bf16x2", "PTX 7.0 for sm_80"),
            ("cvt.rn.bf16.f32", "PTX 7.0 for sm_80"),
            ("cvt.f32.bf16", "PTX 7.1 for sm_80"),
            ("cvt.rn.bf16.f16", "PTX 7.8 for sm_90"),
            ("cvt.rna.tf32.f32", "PTX 7.0 for sm_80"),
            ("ld.global.nc.u32", "PTX 6.0 for sm_50"),
            ("ld.acquire.gpu.global.u32", "PTX 6.0 for sm_70"),
            ("ld.global.L1::no_allocate.u32", "PTX 7.4 for sm_70"),
            ("ld.global.v8.b32", "PTX 8.8 for sm_100"),
            ("ld.global.v8.b8", "PTX 6.0 for sm_50"),
            ("st.shared::cta.u32", "PTX 7.8 for sm_50"),
            ("atom.add.f64", "PTX 6.0 for sm_60"),
            ("atom.add.acq_rel.gpu.f64", "PTX 6.0 for sm_70"),
            ("red.relaxed.cluster.global.add.u32", "PTX 7.8 for sm_90"),
            ("match.any.sync.b64", "PTX 6.0 for sm_70"),
            ("redux.sync.add.u32", "PTX 7.0 for sm_80"),
            ("redux.sync.min.abs.NaN.f32", "PTX 8.6 for sm_100"),
            ("elect.sync", "PTX 8.0 for sm_90"),
            ("fence.acquire.gpu", "PTX 8.6 for sm_90"),
        ] {
            let (opcode, modifiers) = text.split_once('.').unwrap();
            let modifiers: Vec<&str> = modifiers.split('.').collect();
            let found = lookup(opcode, &modifiers).unwrap();
            assert_eq!(found.opcode.level(&modifiers).to_string(), expected, "{text}");
        }
    }

    #[test]
    fn modifiers_are_found_in_their_order_whatever_stands_between() {
        let occurs = |pattern, modifiers: &[&str]| Pattern(pattern).occurs_in(modifiers);
        assert!(occurs("", &[]) && occurs("", &["u32"]));
        assert!(occurs(".bf16.f32", &["rn", "bf16", "relu", "f32"]));
        assert!(!occurs(".bf16.f32", &["f32", "bf16"]));
        assert!(!occurs(".bf16.bf16", &["rn", "bf16"]));
        assert!(occurs("(.rn|.rz).tf32", &["rz", "tf32", "f32"]));
        assert!(!occurs("(.rn|.rz).tf32", &["rna", "tf32", "f32"]));
        // The earliest of several choices leaves most room for what follows.
        assert!(occurs("(.b|.a).b", &["a", "b"]));
    }

    #[test]
    fn a_level_has_a_version_that_has_its_target() {
        let level = Level::new((6, 0), 120).with_version_of_target();
        assert_eq!(level, Level::new((8, 7), 120));
        let later = Level::new((9, 0), 80);
        assert_eq!(later.with_version_of_target(), later);
    }
}
