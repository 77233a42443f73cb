//! Values of variables of the source, and their types, as a person reads them.

use warpsim::observe::format_bits;
use warpsim::ptx::Type;

use super::place::{Place, View};
use crate::dwarf::{DebugInfo, Encoding, Qualifier, Ty, TypeId};
use crate::error::DebuggerError;
use crate::session::ThreadLeaves;
use crate::values::Value;

/// The most elements of an array that are shown.
const MOST_ELEMENTS: u64 = 32;
/// How deep structures and arrays are shown.
const DEEPEST: u32 = 6;
/// The most values that are shown.
const MOST_VALUES: usize = 256;
/// How many types may lead to another before that is taken for a circle.
const MOST_NAMES: u32 = 64;

impl ThreadLeaves<'_, '_> {
    /// What a place holds: a number, or members and elements in braces.
    pub(crate) fn shown(&self, place: &Place) -> Result<String, DebuggerError> {
        let mut left = MOST_VALUES;
        self.shown_inside(place, DEEPEST, &mut left)
    }

    fn shown_inside(
        &self,
        place: &Place,
        depth: u32,
        left: &mut usize,
    ) -> Result<String, DebuggerError> {
        let not_a_value = || DebuggerError::NotAValue { text: place.name.clone() };
        let info = place.known.info().ok_or_else(not_a_value)?;
        *left = left.saturating_sub(1);
        if depth == 0 || *left == 0 {
            return Ok("{...}".to_owned());
        }
        let ty = match place.view(info) {
            View::Array(..) => {
                let count = place.elements(info).unwrap_or(0);
                let elements =
                    (0..count.min(MOST_ELEMENTS)).filter_map(|index| place.element(info, index));
                let mut all = Vec::new();
                for element in elements {
                    all.push(self.shown_inside(&element, depth - 1, left)?);
                }
                if count > MOST_ELEMENTS {
                    all.push(format!("... {} more", count - MOST_ELEMENTS));
                }
                return Ok(format!("{{{}}}", all.join(", ")));
            }
            View::Nothing => return Err(not_a_value()),
            View::Other(ty) => ty,
        };
        match ty {
            Ty::Structure { .. } => {
                let mut all = Vec::new();
                for (name, member) in place.members(info) {
                    let value = self.shown_inside(&member, depth - 1, left)?;
                    all.push(match name.is_empty() {
                        true => value,
                        false => format!("{name} = {value}"),
                    });
                }
                Ok(format!("{{{}}}", all.join(", ")))
            }
            Ty::Base { .. } | Ty::Pointer { .. } | Ty::Enumeration { .. } => {
                self.value_of(place).map(|value| in_words(ty, value))
            }
            Ty::Array { .. } | Ty::Typedef { .. } | Ty::Qualified { .. } | Ty::Opaque { .. } => {
                Err(not_a_value())
            }
        }
    }
}

/// A value by its type.
fn in_words(ty: &Ty, value: Value) -> String {
    let Value::Bits(of, bits) = value else { return value.to_string() };
    match ty {
        Ty::Pointer { .. } => format!("{bits:#x}"),
        Ty::Base { encoding: Encoding::Boolean, .. } => match bits {
            0 => "false".to_owned(),
            1 => "true".to_owned(),
            other => other.to_string(),
        },
        Ty::Base { encoding: Encoding::Character | Encoding::UnsignedCharacter, .. } => {
            let number = format_bits(of, bits);
            match u8::try_from(bits) {
                Ok(byte) if byte.is_ascii_graphic() => format!("{number} '{}'", byte as char),
                Ok(_) | Err(_) => number,
            }
        }
        Ty::Enumeration { values, .. } => {
            let number = format_bits(of, bits);
            let known = values.iter().find(|(_, value)| value.to_string() == number);
            known.map_or(number, |(name, _)| name.clone())
        }
        Ty::Base { .. }
        | Ty::Structure { .. }
        | Ty::Array { .. }
        | Ty::Typedef { .. }
        | Ty::Qualified { .. }
        | Ty::Opaque { .. } => format_bits(of, bits),
    }
}

/// A declaration as in C: `const int *in`, `unsigned int cells[64]`.
pub(super) fn declaration(info: &DebugInfo, ty: Option<TypeId>, name: &str) -> String {
    declared(info, ty, name.to_owned(), MOST_NAMES)
}

fn declared(info: &DebugInfo, ty: Option<TypeId>, inner: String, left: u32) -> String {
    let with = |name: &str| match (name.is_empty(), inner.is_empty()) {
        (true, _) => inner.clone(),
        (false, true) => name.to_owned(),
        (false, false) => format!("{name} {inner}"),
    };
    let Some(ty) = ty.and_then(|id| info.ty(id)) else { return with("void") };
    let Some(left) = left.checked_sub(1) else { return with("...") };
    match ty {
        Ty::Base { name, .. } | Ty::Opaque { name } | Ty::Typedef { name, .. } => with(name),
        Ty::Structure { name, .. } | Ty::Enumeration { name, .. } => with(name),
        Ty::Pointer { to, is_reference, .. } => {
            let sign = if *is_reference { '&' } else { '*' };
            declared(info, *to, format!("{sign}{inner}"), left)
        }
        Ty::Array { of, counts } => {
            let count = |count: &Option<u64>| count.map_or_else(String::new, |c| c.to_string());
            let counts: String = counts.iter().map(|of| format!("[{}]", count(of))).collect();
            let inner = match inner.starts_with(['*', '&']) {
                true => format!("({inner}){counts}"),
                false => format!("{inner}{counts}"),
            };
            declared(info, *of, inner, left)
        }
        Ty::Qualified { qualifier, to } => {
            let word = match qualifier {
                Qualifier::Const => "const",
                Qualifier::Volatile => "volatile",
            };
            // A qualified pointer has the word behind its star.
            match to.and_then(|id| info.ty(id)) {
                Some(Ty::Pointer { .. }) => declared(info, *to, format!("{word} {inner}"), left),
                Some(_) | None => format!("{word} {}", declared(info, *to, inner, left)),
            }
        }
    }
}

/// A type that shows a value of this many bits as a number.
pub(super) fn name_of(ty: Type) -> String {
    ty.to_string().trim_start_matches('.').to_owned()
}
