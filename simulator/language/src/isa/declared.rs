//! The versions of PTX and the architectures that everything except instructions needs: special
//! registers (PTX ISA chapter 10), directives (chapter 11), strings of pragmas (chapter 13), types.
//!
//! As for instructions, nothing is listed that PTX 6.0 and sm_50 have. Where the ISA's notes and
//! NVIDIA's assembler disagree, the table follows the assembler.

use super::need::Level;
use crate::ptx::Type;

/// Names that begin with one of these words, and what they need.
type Table = &'static [(&'static str, Level)];

const CLUSTERS: Level = Level::new((7, 8), 90);
const WIDE: Level = Level::new((8, 3), 70);

/// By the beginning of their names.
const SPECIAL_REGISTERS: Table = &[
    ("%aggr_smem_size", Level::new((8, 1), 90)),
    ("%cluster", CLUSTERS),
    ("%current_graph_exec", Level::new((8, 0), 50)),
    ("%is_explicit_cluster", CLUSTERS),
    ("%nclusterid", CLUSTERS),
    ("%reserved_smem_offset", Level::new((7, 6), 80)),
];

/// Of functions and of prototypes of calls.
const DIRECTIVES: Table = &[
    ("abi_preserve", Level::new((9, 0), 80)),
    ("blocksareclusters", Level::new((9, 0), 90)),
    ("explicitcluster", CLUSTERS),
    ("maxclusterrank", CLUSTERS),
    ("noreturn", Level::new((6, 4), 50)),
    ("reqnctapercluster", CLUSTERS),
];

/// By the beginning of their strings. A pragma that is not known is ignored by an assembler.
const PRAGMAS: Table = &[
    ("enable_smem_spilling", Level::new((8, 7), 75)),
    ("frequency", Level::new((9, 0), 50)),
    ("used_bytes_mask", Level::new((8, 3), 50)),
];

/// Of variables and functions, with their dots.
const ATTRIBUTES: Table = &[(".unified", Level::new((8, 0), 90))];

/// `.alias`.
pub(super) const ALIAS: Level = Level::new((6, 3), 50);
/// `.loc` of an inlined function.
pub(super) const INLINED: Level = Level::new((7, 0), 50);
/// `MASK(symbol)` in an initialiser.
pub(super) const MASK: Level = Level::new((7, 1), 50);
/// A kernel with more bytes of parameters than [`PARAMETERS`].
pub(super) const LARGE_PARAMETERS: Level = Level::new((8, 1), 70);
/// The bytes of parameters that any kernel may have.
pub(super) const PARAMETERS: u64 = 4352;

fn find(table: Table, name: &str) -> Option<Level> {
    table.iter().find(|(start, _)| name.starts_with(start)).map(|(_, level)| *level)
}

/// What a special register needs, by its name with its `%`; `None` of other names too.
pub(super) fn special_register(name: &str) -> Option<Level> {
    // Other registers have such names as well, and there are many of them.
    if name.starts_with('%') { find(SPECIAL_REGISTERS, name) } else { None }
}

/// What a directive of a function needs.
pub(super) fn directive(name: &str) -> Option<Level> {
    find(DIRECTIVES, name)
}

/// What a string of a pragma needs.
pub(super) fn pragma(string: &str) -> Option<Level> {
    find(PRAGMAS, string.trim_start())
}

/// What an attribute needs.
pub(super) fn attribute(text: &str) -> Option<Level> {
    find(ATTRIBUTES, text)
}

/// What a variable or register of a type needs.
pub(super) fn declaration(ty: Type) -> Option<Level> {
    match ty {
        Type::B128 => Some(WIDE),
        Type::F16x2 => Some(Level::new((6, 0), 53)),
        _ => None,
    }
}
