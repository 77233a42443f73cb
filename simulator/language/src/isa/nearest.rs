//! The instructions most like an unknown instruction, spelled out for an error.
//!
//! Each form is a pattern with choices. Among all its matches, the ones that differ least from the
//! written modifiers are taken. A wrong modifier counts by how many of its letters differ. An extra
//! or a missing modifier counts more. Optional parts that were not written are left out.

use strsim::levenshtein;

use super::pattern::Pattern;
use super::row::Opcode;

/// How many an error names.
pub(super) const SHOWN: usize = 3;

/// What a modifier costs that is written and does not exist, or is wanted and absent.
const ABSENT: usize = 6;

/// What another word costs, beside its letters.
const OTHER: usize = 2;

/// A way through a part of a pattern.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Spelling {
    cost: usize,
    text: String,
}

/// The instructions of these entries that are most like one with these modifiers; at most
/// [`SHOWN`].
pub(super) fn nearest(entries: &[&'static Opcode], modifiers: &[&str]) -> Vec<String> {
    let forms = entries.iter().flat_map(|o| o.forms.iter().map(move |form| (o.name, form)));
    let mut all: Vec<Spelling> = forms
        .flat_map(|(name, form)| {
            spellings(form.pattern, modifiers).into_iter().map(move |spelling| Spelling {
                text: format!("{name}{}", spelling.text),
                ..spelling
            })
        })
        .collect();
    // The table has forms in the order in which people look for them. So the earlier of two equally
    // near forms is named.
    all.sort_by_key(|spelling| spelling.cost);
    let mut shown: Vec<String> = Vec::new();
    for Spelling { text, .. } in all {
        if shown.len() < SHOWN && !shown.contains(&text) {
            shown.push(text);
        }
    }
    shown
}

/// The spellings of a pattern that cost least. For each number of modifiers that are used up, the
/// best ways through the pieces so far are kept.
fn spellings(pattern: Pattern, modifiers: &[&str]) -> Vec<Spelling> {
    let mut ways = vec![Vec::new(); modifiers.len() + 1];
    ways[0].push(Spelling { cost: 0, text: String::new() });
    for piece in pattern.pieces() {
        let mut next = if piece.optional { ways.clone() } else { vec![Vec::new(); ways.len()] };
        for alternative in piece.alternatives.split('|') {
            let mut through = ways.clone();
            for name in alternative.split('.').skip(1) {
                through = with_name(&through, name, modifiers);
            }
            for (to, from) in next.iter_mut().zip(through) {
                to.extend(from);
            }
        }
        ways = next.into_iter().map(best).collect();
    }
    let ends = ways.into_iter().enumerate().flat_map(|(used, spellings)| {
        let left = if pattern.is_open() { 0 } else { modifiers.len() - used };
        spellings
            .into_iter()
            .map(move |Spelling { cost, text }| Spelling { cost: cost + left * ABSENT, text })
    });
    best(ends.collect())
}

/// The ways with one more modifier: as written, in the place of another word, behind words that are
/// passed over, or where nothing is written.
fn with_name(ways: &[Vec<Spelling>], name: &str, modifiers: &[&str]) -> Vec<Vec<Spelling>> {
    let mut next = vec![Vec::new(); ways.len()];
    for (used, spelling) in
        ways.iter().enumerate().flat_map(|(n, all)| all.iter().map(move |s| (n, s)))
    {
        let mut go = |to: usize, more: usize| {
            let text = format!("{}.{name}", spelling.text);
            next[to].push(Spelling { cost: spelling.cost + more, text });
        };
        go(used, ABSENT);
        for (passed, word) in modifiers[used..].iter().enumerate() {
            let differs = match levenshtein(word, name) {
                0 => 0,
                letters => OTHER + letters,
            };
            go(used + passed + 1, passed * ABSENT + differs);
        }
    }
    next.into_iter().map(best).collect()
}

/// The best few, in their order.
fn best(mut spellings: Vec<Spelling>) -> Vec<Spelling> {
    spellings.sort_by_key(|spelling| spelling.cost);
    spellings.dedup_by(|a, b| a.text == b.text);
    spellings.truncate(SHOWN);
    spellings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::opcodes_named;

    fn like(opcode: &str, modifiers: &[&str]) -> Vec<String> {
        nearest(opcodes_named(opcode), modifiers)
    }

    #[test]
    fn the_nearest_instructions_exist_and_are_few() {
        for (opcode, modifiers) in [
            ("add", &["u128"][..]),
            ("ld", &["shred", "u32"]),
            ("atom", &["global", "add", "f99"]),
            ("mma", &["sync", "aligned", "m16n8k999", "row", "col", "f32", "f16", "f16", "f32"]),
            ("tex", &["9d", "v4", "f32", "f32"]),
            ("bar", &["sink"]),
            ("cvt", &[]),
        ] {
            let named = like(opcode, modifiers);
            assert_eq!(named.len(), SHOWN, "{named:?}");
            for text in named {
                let words: Vec<&str> = text.split('.').collect();
                assert!(crate::isa::lookup(words[0], &words[1..]).is_ok(), "{text}");
                assert!(!text.contains(['{', '(', '|']), "{text}");
            }
        }
    }

    #[test]
    fn one_wrong_letter_is_answered_with_the_right_word_first() {
        assert_eq!(like("ld", &["shred", "u32"])[0], "ld.shared.u32");
        assert_eq!(like("bar", &["sink"])[0], "bar.sync");
        assert_eq!(like("add", &["sat", "u32"])[0], "add.sat.s32");
        assert_eq!(like("atom", &["global", "ad", "u32"])[0], "atom.global.add.u32");
        assert_eq!(like("cvt", &["rn", "f32", "u33"])[0], "cvt.rn.f32.u32");
    }
}
