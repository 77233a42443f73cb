//! Entries as [`DebugInfo`]: which scope a variable is of, and which type another one means.

use std::collections::HashMap;

use super::model::{
    DebugInfo, Encoding, Locations, Member, Qualifier, Scope, ScopeKind, Ty, TypeId, Variable,
};
use super::read::{Entries, Raw, entries};
use super::sections::Sections;

/// How many entries may say in turn that another has the name.
const MOST_ORIGINS: usize = 16;

/// Reads debug information: scopes and types of the entries of sections.
pub(super) fn read(sections: &Sections) -> Result<DebugInfo, gimli::Error> {
    let Entries { raws, places, address_bytes } = entries(sections)?;
    Ok(build(&raws, &places, sections.symbols.clone(), address_bytes))
}

/// Makes scopes and types of entries, which are found by their places in the section.
fn build(
    raws: &[Raw],
    places: &HashMap<usize, usize>,
    symbols: Vec<String>,
    address_bytes: u8,
) -> DebugInfo {
    let builder = Builder { raws, places };
    let mut info = DebugInfo { symbols, address_bytes, ..DebugInfo::default() };
    info.types = raws.iter().map(|raw| builder.ty(raw)).collect();
    // The scope of each entry that is one or is in one.
    let mut scope_of: Vec<Option<usize>> = vec![None; raws.len()];
    for (index, raw) in raws.iter().enumerate() {
        let parent = raw.parent;
        let outer = parent.and_then(|parent| scope_of.get(parent).copied().flatten());
        scope_of[index] = outer;
        let kind = match raw.tag {
            gimli::DW_TAG_subprogram => Some(ScopeKind::Function),
            gimli::DW_TAG_lexical_block => Some(ScopeKind::Block),
            gimli::DW_TAG_inlined_subroutine => Some(ScopeKind::Inlined),
            _ => None,
        };
        if let Some(kind) = kind {
            scope_of[index] = Some(info.scopes.len());
            info.scopes.push(scope(raw, kind, outer));
            continue;
        }
        builder.note_child(raw, outer, &mut info);
    }
    info
}

fn scope(raw: &Raw, kind: ScopeKind, outer: Option<usize>) -> Scope {
    let ranges = match kind {
        // An entry without instructions says what the inlined ones have in common.
        ScopeKind::Function | ScopeKind::Inlined => Some(raw.ranges.clone().unwrap_or_default()),
        ScopeKind::Block => match outer {
            Some(_) => raw.ranges.clone(),
            None => Some(Vec::new()),
        },
    };
    let parent = if kind == ScopeKind::Function { None } else { outer };
    Scope { kind, parent, ranges, variables: Vec::new() }
}

struct Builder<'r> {
    raws: &'r [Raw],
    places: &'r HashMap<usize, usize>,
}

impl<'r> Builder<'r> {
    /// The type at a place in the section.
    fn id(&self, place: Option<usize>) -> Option<TypeId> {
        self.places.get(&place?).copied().map(TypeId)
    }

    /// What an entry says, or the one that has it from.
    fn said<T>(&self, raw: &'r Raw, what: impl Fn(&'r Raw) -> Option<T>) -> Option<T> {
        let mut raw = raw;
        for _ in 0..MOST_ORIGINS {
            if let Some(said) = what(raw) {
                return Some(said);
            }
            raw = self.raws.get(*self.places.get(&raw.origin?)?)?;
        }
        None
    }

    /// Adds a variable to its scope, a member to its structure, and so on.
    fn note_child(&self, raw: &'r Raw, outer: Option<usize>, info: &mut DebugInfo) {
        match raw.tag {
            gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter => {
                self.note_variable(raw, outer, info);
            }
            gimli::DW_TAG_member | gimli::DW_TAG_inheritance => {
                let member = self.member(raw);
                let structure = raw.parent.and_then(|parent| info.types.get_mut(parent));
                if let (Some(Ty::Structure { members, .. }), Some(member)) = (structure, member) {
                    members.push(member);
                }
            }
            gimli::DW_TAG_subrange_type => {
                let array = raw.parent.and_then(|parent| info.types.get_mut(parent));
                if let Some(Ty::Array { counts, .. }) = array {
                    counts.push(raw.count);
                }
            }
            gimli::DW_TAG_enumerator => {
                let parent = raw.parent.and_then(|parent| info.types.get_mut(parent));
                if let (Some(Ty::Enumeration { values, .. }), Some(name), Some(value)) =
                    (parent, &raw.name, raw.value)
                {
                    values.push((name.clone(), value));
                }
            }
            // A type was made of it already, or it says nothing of variables.
            _ => {}
        }
    }

    fn note_variable(&self, raw: &'r Raw, outer: Option<usize>, info: &mut DebugInfo) {
        let Some(name) = self.said(raw, |raw| raw.name.clone()) else { return };
        let variable = Variable {
            name,
            ty: self.id(self.said(raw, |raw| raw.ty)),
            is_parameter: raw.tag == gimli::DW_TAG_formal_parameter,
            locations: match &raw.locations {
                Locations::Nowhere => self
                    .said(raw, |raw| {
                        (raw.locations != Locations::Nowhere).then(|| raw.locations.clone())
                    })
                    .unwrap_or(Locations::Nowhere),
                locations => locations.clone(),
            },
        };
        match outer.and_then(|outer| info.scopes.get_mut(outer)) {
            Some(scope) => scope.variables.push(variable),
            // A declaration without a place says that there is a variable elsewhere.
            None if variable.locations != Locations::Nowhere => info.globals.push(variable),
            None => {}
        }
    }

    fn member(&self, raw: &'r Raw) -> Option<Member> {
        let bits = match raw.bits {
            Some((first, size)) => Some((u32::try_from(first).ok()?, u32::try_from(size).ok()?)),
            None => None,
        };
        // NVIDIA's compilers write a base class as a member of such a name.
        let name = raw.name.clone().filter(|name| !name.starts_with("__b_")).unwrap_or_default();
        Some(Member { name, ty: self.id(raw.ty), offset: raw.offset, bits })
    }

    fn ty(&self, raw: &'r Raw) -> Ty {
        let name = || self.said(raw, |raw| raw.name.clone()).unwrap_or_default();
        let bytes = raw.bytes.unwrap_or(0);
        let to = self.id(raw.ty);
        let pointer = |is_reference| Ty::Pointer {
            to,
            bytes: raw.bytes.unwrap_or(8),
            space: raw.space,
            is_reference,
        };
        match raw.tag {
            gimli::DW_TAG_base_type => Ty::Base { name: name(), encoding: encoding(raw), bytes },
            gimli::DW_TAG_pointer_type | gimli::DW_TAG_ptr_to_member_type => pointer(false),
            gimli::DW_TAG_reference_type | gimli::DW_TAG_rvalue_reference_type => pointer(true),
            gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type | gimli::DW_TAG_union_type => {
                Ty::Structure { name: name(), bytes, members: Vec::new() }
            }
            gimli::DW_TAG_array_type => Ty::Array { of: to, counts: Vec::new() },
            gimli::DW_TAG_typedef => Ty::Typedef { name: name(), to },
            gimli::DW_TAG_const_type => Ty::Qualified { qualifier: Qualifier::Const, to },
            gimli::DW_TAG_volatile_type => Ty::Qualified { qualifier: Qualifier::Volatile, to },
            gimli::DW_TAG_enumeration_type => {
                Ty::Enumeration { name: name(), bytes, values: Vec::new() }
            }
            _ => Ty::Opaque { name: name() },
        }
    }
}

fn encoding(raw: &Raw) -> Encoding {
    match raw.encoding {
        Some(gimli::DW_ATE_signed) => Encoding::Signed,
        Some(gimli::DW_ATE_unsigned | gimli::DW_ATE_address) => Encoding::Unsigned,
        Some(gimli::DW_ATE_boolean) => Encoding::Boolean,
        Some(gimli::DW_ATE_float) => Encoding::Float,
        Some(gimli::DW_ATE_signed_char) => Encoding::Character,
        Some(gimli::DW_ATE_unsigned_char | gimli::DW_ATE_UTF) => Encoding::UnsignedCharacter,
        Some(_) | None => Encoding::Other,
    }
}
