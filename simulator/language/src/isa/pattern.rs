//! Patterns of instruction modifiers, as the ISA's syntax boxes write them.
//!
//! `{.rn|.rz}{.ftz}.f32`: braces hold what may be absent, parentheses a choice that must be made,
//! and everything else must be there. Modifiers are matched in order, or in any that the assembler
//! takes ([`super::order`]). `*` alone means any modifiers, and at the end, as in
//! `(.ld_reduce|.st|.red)*`, for any that follow.

use super::order::{Remaining, is_type};
use crate::lanes::Flags;

/// A pattern, for example `{.sat}(.s32|.u32)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern(pub &'static str);

/// What a pattern matched: the flags that the modifiers mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Matched {
    /// Rounding, `.ftz`, `.sat`, ...
    pub flags: Flags,
}

/// A piece of a pattern: alternatives. One of them must be present unless the piece is optional.
pub(super) struct Piece {
    pub(super) optional: bool,
    pub(super) alternatives: &'static str,
}

impl Pattern {
    /// Matches whatever modifiers there are.
    pub const ANY: Pattern = Pattern("*");

    /// Whether any modifiers may follow.
    pub(super) fn is_open(self) -> bool {
        self.0.ends_with('*')
    }

    pub(super) fn pieces(self) -> impl Iterator<Item = Piece> {
        let mut rest = self.0.trim_end_matches('*');
        std::iter::from_fn(move || {
            let (optional, close) = match rest.as_bytes().first()? {
                b'{' => (true, '}'),
                b'(' => (false, ')'),
                _ => {
                    let end = rest[1..].find(['.', '{', '(']).map_or(rest.len(), |i| i + 1);
                    let (piece, after) = rest.split_at(end);
                    rest = after;
                    return Some(Piece { optional: false, alternatives: piece });
                }
            };
            let end = rest.find(close).unwrap_or(rest.len());
            let piece = Piece { optional, alternatives: &rest[1..end] };
            rest = rest.get(end + 1..).unwrap_or("");
            Some(piece)
        })
    }

    /// Matches the modifiers of an instruction, given without their dots.
    ///
    /// ```
    /// use warpsim::isa::Pattern;
    /// assert!(Pattern("{.sat}(.s32|.u32)").matches(["s32"].into_iter()).is_some());
    /// assert!(Pattern("{.sat}(.s32|.u32)").matches(["sat", "f32"].into_iter()).is_none());
    /// ```
    pub fn matches<'a>(self, modifiers: impl Iterator<Item = &'a str>) -> Option<Matched> {
        if self == Pattern::ANY {
            return Some(Matched::default());
        }
        let mut modifiers = modifiers.peekable();
        let mut flags = Flags::default();
        for piece in self.pieces() {
            // An alternative may be several modifiers that go together: `.xorsign.abs`.
            let found = modifiers.peek().and_then(|next| {
                let names = |a: &'static str| a.split('.').skip(1);
                piece.alternatives.split('|').map(names).find(|a| a.clone().next() == Some(next))
            });
            match found {
                Some(alternative) => {
                    for name in alternative {
                        modifiers.next_if_eq(&name)?;
                        flags = flags.with(Flags::of_modifier(name));
                    }
                }
                None if piece.optional => {}
                None => return None,
            }
        }
        (self.is_open() || modifiers.peek().is_none()).then_some(Matched { flags })
    }

    /// Matches the modifiers of an instruction in any order that is allowed.
    pub(super) fn matches_in_any_order(self, mut remaining: Remaining<'_, '_>) -> Option<Matched> {
        let mut flags = Flags::default();
        for piece in self.pieces() {
            let taken = piece.alternatives.split('|').find_map(|alternative| {
                let names = alternative.split('.').skip(1);
                let mut after = remaining.clone();
                let all = names.clone().all(|name| after.take(name));
                all.then_some((names, after))
            });
            match taken {
                Some((names, after)) => {
                    remaining = after;
                    flags = names.map(Flags::of_modifier).fold(flags, Flags::with);
                }
                None if piece.optional => {}
                None => return None,
            }
        }
        remaining.is_empty().then_some(Matched { flags })
    }

    /// Whether the modifiers contain all that the pattern asks for. The types must be in its order;
    /// anything may be between them. Optional parts say nothing.
    pub(crate) fn occurs_in(self, modifiers: &[&str]) -> bool {
        let mut after_types = 0;
        self.pieces().filter(|piece| !piece.optional).all(|piece| {
            let places = piece.alternatives.split('|').filter_map(|choice| {
                choice.split('.').skip(1).try_fold(after_types, |after, name| {
                    let from = if is_type(name) { after } else { 0 };
                    let at = modifiers.iter().skip(from).position(|m| *m == name)? + from;
                    Some(if is_type(name) { at + 1 } else { after })
                })
            });
            let found = places.min();
            after_types = found.unwrap_or(after_types);
            found.is_some()
        })
    }

    /// The modifiers that may come first, if one of them must. None when the first one may be
    /// anything else.
    pub(crate) fn first_modifiers(self) -> Option<impl Iterator<Item = &'static str>> {
        let first = self.pieces().next().filter(|p| !p.optional && self != Pattern::ANY)?;
        Some(first.alternatives.split('|').filter_map(|a| a.split('.').nth(1)))
    }

    /// Every modifier that the pattern names, without its dot.
    #[cfg(test)]
    pub(crate) fn alternatives(self) -> impl Iterator<Item = &'static str> {
        self.0.split(['.', '{', '}', '(', ')', '|', '*']).filter(|name| !name.is_empty())
    }

    /// Every list of modifiers that the pattern matches; where there are thousands, those with all
    /// optional parts absent or as they come first.
    #[cfg(test)]
    pub(crate) fn spelled(self) -> Vec<Vec<&'static str>> {
        const MANY: usize = 4000;
        let choices = |p: &Piece| p.alternatives.split('|').count() + p.optional as usize;
        let many = self.pieces().map(|p| choices(&p)).product::<usize>() > MANY;
        let mut out = vec![Vec::new()];
        for mut piece in self.pieces() {
            if many && piece.optional {
                piece.alternatives = piece.alternatives.split('|').next().unwrap_or_default();
            }
            let absent = if piece.optional { out.clone() } else { Vec::new() };
            let chosen = piece.alternatives.split('|').flat_map(|choice| {
                let names = choice.split('.').skip(1);
                out.iter().map(move |words| words.iter().copied().chain(names.clone()).collect())
            });
            out = absent.into_iter().chain(chosen).collect();
        }
        out
    }

    /// The pattern with its required choices spelled out and its optional parts in braces:
    /// `{.sat}(.s32|.u32)` gives `{.sat}.s32` and `{.sat}.u32`.
    pub fn expand(self) -> Vec<String> {
        let mut out = vec![String::new()];
        if self == Pattern::ANY {
            return out;
        }
        for piece in self.pieces() {
            if piece.optional {
                out.iter_mut().for_each(|s| *s += &format!("{{{}}}", piece.alternatives));
            } else {
                let choices = piece.alternatives.split('|');
                out = choices.flat_map(|c| out.iter().map(move |s| format!("{s}{c}"))).collect();
            }
        }
        out
    }
}
