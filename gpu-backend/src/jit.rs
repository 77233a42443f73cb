//! The requests to the driver's compiler.

/// The driver's optimisation level (`CU_JIT_OPTIMIZATION_LEVEL`), 0 to 4. Level 0 keeps the program
/// as written; higher levels keep values in registers, too, where a program does not forbid it.
/// The driver's own default is 4.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum JitLevel {
    /// The driver's default.
    #[default]
    Default,
    /// This level.
    Level(u8),
}

impl JitLevel {
    /// The level, when one is asked for.
    pub fn level(self) -> Option<u8> {
        match self {
            JitLevel::Default => None,
            JitLevel::Level(level) => Some(level),
        }
    }
}

impl From<Option<u8>> for JitLevel {
    fn from(level: Option<u8>) -> JitLevel {
        level.map_or(JitLevel::Default, JitLevel::Level)
    }
}
