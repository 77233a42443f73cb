//! Debug information as data: scopes with their variables, and types.

use std::ops::Range;

/// A type, by its number in [`DebugInfo::types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TypeId(pub(crate) usize);

/// What a module says of its source.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct DebugInfo {
    /// The types, and [`Ty::Opaque`] for entries that are none.
    pub(crate) types: Vec<Ty>,
    /// Functions and the scopes in them, each behind the one that it is in.
    pub(crate) scopes: Vec<Scope>,
    /// Variables outside functions.
    pub(crate) globals: Vec<Variable>,
    /// The symbols that locations name, by their numbers.
    pub(crate) symbols: Vec<String>,
    /// Bytes of an address.
    pub(crate) address_bytes: u8,
}

/// A stretch of the source with its own variables.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scope {
    pub(crate) kind: ScopeKind,
    /// The scope that it is in; `None` for a function.
    pub(crate) parent: Option<usize>,
    /// The addresses of its instructions. `None` for all of the scope that it is in.
    pub(crate) ranges: Option<Vec<Range<u64>>>,
    pub(crate) variables: Vec<Variable>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScopeKind {
    Function,
    Block,
    /// A function that was inlined.
    Inlined,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) ty: Option<TypeId>,
    pub(crate) is_parameter: bool,
    pub(crate) locations: Locations,
}

/// Where a variable is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Locations {
    /// Nowhere: it is optimised out.
    Nowhere,
    /// A DWARF expression says it.
    Always(Vec<u8>),
    /// The same, for instructions at some addresses.
    Some(Vec<(Range<u64>, Vec<u8>)>),
    /// It has this value everywhere.
    Constant(u64),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Ty {
    Base {
        name: String,
        encoding: Encoding,
        bytes: u64,
    },
    /// A pointer or a reference; to `None`, as `void *`.
    Pointer {
        to: Option<TypeId>,
        bytes: u64,
        /// The state space that it points into, as NVIDIA numbers them.
        space: Option<u64>,
        is_reference: bool,
    },
    Structure {
        name: String,
        bytes: u64,
        members: Vec<Member>,
    },
    Array {
        of: Option<TypeId>,
        /// The extents; `None` where the source does not say one.
        counts: Vec<Option<u64>>,
    },
    Typedef {
        name: String,
        to: Option<TypeId>,
    },
    Qualified {
        qualifier: Qualifier,
        to: Option<TypeId>,
    },
    Enumeration {
        name: String,
        bytes: u64,
        values: Vec<(String, i64)>,
    },
    /// A type whose values are not shown.
    Opaque {
        name: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Signed,
    Unsigned,
    Boolean,
    Float,
    /// A character, with a sign or without.
    Character,
    UnsignedCharacter,
    /// Complex numbers and the like.
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Qualifier {
    Const,
    Volatile,
}

/// A member of a structure.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Member {
    /// Empty for a base class and an anonymous member.
    pub(crate) name: String,
    pub(crate) ty: Option<TypeId>,
    /// Where it begins, in bytes.
    pub(crate) offset: u64,
    /// The bits of a bit field: the first, from the lowest of the member's bytes, and how many.
    pub(crate) bits: Option<(u32, u32)>,
}

/// How many types may lead to another before that is taken for a circle.
const MOST_NAMES: usize = 64;

impl DebugInfo {
    pub(crate) fn ty(&self, id: TypeId) -> Option<&Ty> {
        self.types.get(id.0)
    }

    /// The type behind typedefs and qualifiers.
    pub(crate) fn bare(&self, id: Option<TypeId>) -> Option<(TypeId, &Ty)> {
        let mut id = id?;
        for _ in 0..MOST_NAMES {
            match self.ty(id)? {
                Ty::Typedef { to, .. } | Ty::Qualified { to, .. } => id = (*to)?,
                ty @ (Ty::Base { .. }
                | Ty::Pointer { .. }
                | Ty::Structure { .. }
                | Ty::Array { .. }
                | Ty::Enumeration { .. }
                | Ty::Opaque { .. }) => return Some((id, ty)),
            }
        }
        None
    }

    /// The bytes of a type; `None` where it has no known size.
    pub(crate) fn bytes(&self, id: Option<TypeId>) -> Option<u64> {
        let mut count = 1u64;
        let mut id = id;
        for _ in 0..MOST_NAMES {
            match self.bare(id)?.1 {
                Ty::Array { of, counts } => {
                    for extent in counts {
                        count = count.checked_mul((*extent)?)?;
                    }
                    id = *of;
                }
                Ty::Base { bytes, .. }
                | Ty::Pointer { bytes, .. }
                | Ty::Structure { bytes, .. }
                | Ty::Enumeration { bytes, .. } => return count.checked_mul(*bytes),
                Ty::Opaque { .. } | Ty::Typedef { .. } | Ty::Qualified { .. } => return None,
            }
        }
        None
    }

    /// The scopes around the instruction at an address, from the function inwards.
    pub(crate) fn scopes_at(&self, address: u64) -> Vec<&Scope> {
        let mut is_around = vec![false; self.scopes.len()];
        let mut found = Vec::new();
        for (index, scope) in self.scopes.iter().enumerate() {
            let in_parent = match scope.parent {
                None => true,
                Some(parent) => is_around.get(parent).copied().unwrap_or(false),
            };
            let in_range = match &scope.ranges {
                None => true,
                Some(ranges) => ranges.iter().any(|range| range.contains(&address)),
            };
            if in_parent && in_range {
                is_around[index] = true;
                found.push(scope);
            }
        }
        found
    }
}

impl Locations {
    /// The expression that holds at an address.
    pub(crate) fn at(&self, address: u64) -> Option<&[u8]> {
        match self {
            Locations::Nowhere | Locations::Constant(_) => None,
            Locations::Always(expression) => Some(expression),
            Locations::Some(parts) => {
                let part = parts.iter().find(|(range, _)| range.contains(&address));
                part.map(|(_, expression)| expression.as_slice())
            }
        }
    }
}
