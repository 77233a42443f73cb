//! Looking up forms: by the text of an instruction, or all of them for a list.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::FAMILIES;
use super::nearest::nearest;
use super::order::Remaining;
use super::row::{Action, Form, Opcode};
use crate::lanes::Flags;

/// The form that an instruction takes.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// Its opcode's entry, with the section of the ISA.
    pub opcode: &'static Opcode,
    /// The form.
    pub form: &'static Form,
    /// What its modifiers ask for.
    pub flags: Flags,
}

/// Why an instruction has no form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoForm {
    /// No opcode has this name.
    UnknownOpcode,
    /// The opcode has no form with these modifiers.
    UnknownModifiers {
        /// The instructions of the opcode that are most like it, spelled out; at most three.
        nearest: Vec<String>,
    },
}

/// A line of the support table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormEntry {
    /// `add`
    pub opcode: &'static str,
    /// The whole form, with optional parts in braces: `add{.sat}.s32`.
    pub form: String,
    /// The section of the PTX ISA: `9.7.1.1`.
    pub section: &'static str,
    /// Whether it runs here.
    pub supported: bool,
}

/// All opcodes, supported or not, in the order of the ISA.
pub fn opcodes() -> impl Iterator<Item = &'static Opcode> {
    FAMILIES.iter().copied().flatten()
}

/// The entries of an opcode: one for each section of the ISA that defines forms of it.
///
/// ```
/// let sections: Vec<_> = warpsim::isa::opcodes_named("tanh").iter().map(|o| o.section).collect();
/// assert_eq!(sections, ["9.7.3.22", "9.7.4.9"]);
/// ```
pub fn opcodes_named(name: &str) -> &'static [&'static Opcode] {
    index().get(name).map_or(&[], |named| &named.opcodes)
}

/// All forms of one opcode's name.
#[derive(Default)]
struct Named {
    /// The entries of the table.
    opcodes: Vec<&'static Opcode>,
    /// The forms that can match, by the first modifier of the instruction, in the table's order.
    /// `setp` has hundreds of forms, and most are ruled out by that.
    by_first: HashMap<&'static str, Vec<Candidate>>,
    /// The forms for any other first modifier.
    others: Vec<Candidate>,
}

type Candidate = (&'static Opcode, &'static Form);

impl Named {
    fn add(&mut self, opcode: &'static Opcode) {
        self.opcodes.push(opcode);
        for form in opcode.forms {
            match form.pattern.first_modifiers() {
                Some(firsts) => {
                    for first in firsts {
                        let others = || self.others.clone();
                        self.by_first.entry(first).or_insert_with(others).push((opcode, form));
                    }
                }
                None => {
                    self.by_first.values_mut().for_each(|forms| forms.push((opcode, form)));
                    self.others.push((opcode, form));
                }
            }
        }
    }

    fn candidates<'a>(&'a self, first: Option<&&str>) -> &'a [Candidate] {
        first.and_then(|first| self.by_first.get(*first)).unwrap_or(&self.others)
    }
}

/// The table by name, made on first use.
fn index() -> &'static HashMap<&'static str, Named> {
    static INDEX: OnceLock<HashMap<&'static str, Named>> = OnceLock::new();
    INDEX.get_or_init(|| {
        let mut index: HashMap<_, Named> = HashMap::new();
        opcodes().for_each(|opcode| index.entry(opcode.name).or_default().add(opcode));
        index
    })
}

/// The first entry of the opcode of this name.
///
/// ```
/// assert_eq!(warpsim::isa::opcode("add").map(|o| o.section), Some("9.7.1.1"));
/// ```
pub fn opcode(name: &str) -> Option<&'static Opcode> {
    opcodes_named(name).first().copied()
}

/// The form of an instruction, by its opcode and its modifiers without their dots, in any order
/// that is allowed.
///
/// ```
/// let found = warpsim::isa::lookup("mad", &["lo", "u32"]).unwrap();
/// assert_eq!(found.form.pattern.0, ".lo(.u32|.s32)");
/// assert!(warpsim::isa::lookup("mad", &["low", "u32"]).is_err());
/// ```
///
/// # Errors
///
/// [`NoForm`] when the table has none; a form that is known but refused is found.
pub fn lookup(opcode: &str, modifiers: &[&str]) -> Result<Found, NoForm> {
    find(opcode, modifiers, |_| true)
}

/// The form of an instruction with this many operands, if forms differ in nothing else: `min.f32`
/// of two values and of three. If none takes that many, the form that [`lookup`] finds.
///
/// ```
/// use warpsim::isa::lookup_with;
/// assert_eq!(lookup_with("min", &["f32"], 3).unwrap().opcode.operands, "d, a, b");
/// assert_eq!(lookup_with("min", &["f32"], 4).unwrap().opcode.operands, "d, a, b, c");
/// ```
///
/// # Errors
///
/// The errors of [`lookup`].
pub fn lookup_with(opcode: &str, modifiers: &[&str], operands: usize) -> Result<Found, NoForm> {
    let taking = find(opcode, modifiers, |form| form.may_take(operands));
    taking.or_else(|_| lookup(opcode, modifiers))
}

/// The first form with these modifiers of those that are meant.
fn find(
    opcode: &str,
    modifiers: &[&str],
    is_meant: impl Fn(&Form) -> bool + Copy,
) -> Result<Found, NoForm> {
    let named = index().get(opcode).ok_or(NoForm::UnknownOpcode)?;
    let candidates = named.candidates(modifiers.first()).iter();
    let matching = candidates.filter(|(_, form)| is_meant(form)).find_map(|(opcode, form)| {
        let matched = form.pattern.matches(modifiers.iter().copied())?;
        Some(Found { opcode, form, flags: matched.flags })
    });
    let matching = matching.or_else(|| in_another_order(opcode, named, modifiers, is_meant));
    let unknown = || NoForm::UnknownModifiers { nearest: nearest(&named.opcodes, modifiers) };
    matching.ok_or_else(unknown)
}

/// The form of an instruction whose modifiers come in another order than in the table.
fn in_another_order(
    opcode: &str,
    named: &Named,
    modifiers: &[&str],
    is_meant: impl Fn(&Form) -> bool,
) -> Option<Found> {
    let remaining = Remaining::new(opcode, modifiers)?;
    let forms = named.opcodes.iter().flat_map(|o| o.forms.iter().map(move |form| (*o, form)));
    let mut meant = forms.filter(|(_, form)| !form.pattern.is_open() && is_meant(form));
    meant.find_map(|(opcode, form)| {
        let matched = form.pattern.matches_in_any_order(remaining.clone())?;
        Some(Found { opcode, form, flags: matched.flags })
    })
}

/// The support table: every form with its required choices spelled out.
///
/// ```
/// assert!(warpsim::isa::forms().any(|f| f.form == "add.u64" && f.supported));
/// ```
pub fn forms() -> impl Iterator<Item = FormEntry> {
    opcodes().flat_map(|opcode| {
        opcode.forms.iter().flat_map(move |form| {
            form.pattern.expand().into_iter().map(move |pattern| FormEntry {
                opcode: opcode.name,
                form: format!("{}{pattern}", opcode.name),
                section: opcode.section,
                supported: !matches!(form.action, Action::Unsupported(_)),
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_is_well_formed_and_every_entry_has_a_section() {
        for opcode in opcodes() {
            let digits = |c: char| c.is_ascii_digit() || c == '.';
            assert!(opcode.section.starts_with("9.7."), "{}", opcode.name);
            assert!(opcode.section.chars().all(digits), "{}", opcode.section);
            assert!(!opcode.summary.is_empty() && !opcode.forms.is_empty(), "{}", opcode.name);
            for form in opcode.forms {
                well_formed(form.pattern.0.trim_end_matches('*'));
            }
        }
    }

    /// Braces and parentheses are paired and flat, and hold alternatives that begin with a dot.
    fn well_formed(pattern: &str) {
        let mut open = None;
        for (at, c) in pattern.char_indices() {
            match c {
                '{' | '(' => assert!(open.replace(c).is_none(), "{pattern}"),
                '}' => assert_eq!(open.take(), Some('{'), "{pattern}"),
                ')' => assert_eq!(open.take(), Some('('), "{pattern}"),
                '|' => assert!(open.is_some() && pattern[at + 1..].starts_with('.'), "{pattern}"),
                '.' | ':' | 'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => {}
                _ => panic!("{c} in {pattern}"),
            }
            if matches!(c, '{' | '(') {
                assert!(pattern[at + 1..].starts_with('.'), "{pattern}");
            }
        }
        assert_eq!(open, None, "{pattern}");
    }

    #[test]
    fn no_form_is_hidden_by_an_earlier_one() {
        for opcode in opcodes() {
            let earlier: Vec<_> = opcodes_named(opcode.name)
                .iter()
                .flat_map(|o| o.forms)
                .take_while(|f| !std::ptr::eq(*f, &opcode.forms[0]))
                .collect();
            for (i, form) in opcode.forms.iter().enumerate() {
                let before = || earlier.iter().copied().chain(&opcode.forms[..i]);
                // Of two forms that differ in the number of operands neither hides the other.
                let takes = |f: &Form| form.operands().is_none_or(|count| f.may_take(count));
                let hidden = |words: &Vec<&str>| {
                    let mut like = before().filter(|f| takes(f));
                    like.any(|f| f.pattern.matches(words.iter().copied()).is_some())
                };
                let spelled = form.pattern.spelled();
                assert!(!spelled.iter().all(hidden), "{}{}", opcode.name, form.pattern.0);
                for words in &spelled {
                    assert!(form.pattern.matches(words.iter().copied()).is_some(), "{words:?}");
                }
            }
        }
    }

    #[test]
    fn an_instruction_takes_the_first_form_of_the_table_that_matches() {
        for opcode in ["add", "mad", "cvt", "setp", "min"].iter().flat_map(|n| opcodes_named(n)) {
            for words in opcode.forms.iter().flat_map(|f| f.pattern.spelled()) {
                let mut forms = opcodes_named(opcode.name).iter().flat_map(|o| o.forms);
                let first = forms.find(|f| f.pattern.matches(words.iter().copied()).is_some());
                let found = lookup(opcode.name, &words).unwrap().form;
                assert!(std::ptr::eq(first.unwrap(), found), "{}.{words:?}", opcode.name);
            }
        }
    }

    #[test]
    fn an_unknown_modifier_is_answered_with_the_forms_nearest_to_it() {
        let Err(NoForm::UnknownModifiers { nearest }) = lookup("add", &["sat", "u32"]) else {
            panic!("add.sat.u32 does not exist");
        };
        assert_eq!(nearest.len(), 3);
        assert!(nearest.contains(&"add.sat.s32".to_owned()), "{nearest:?}");
        assert!(matches!(lookup("addd", &["u32"]), Err(NoForm::UnknownOpcode)));
    }

    #[test]
    fn a_known_instruction_that_does_not_run_is_found_and_says_why() {
        let found = lookup("wgmma", &["fence", "sync", "aligned"]).unwrap();
        assert!(matches!(found.form.action, Action::Unsupported(why) if why.contains("9.7.15")));
    }
}
