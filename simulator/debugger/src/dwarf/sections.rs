//! The `.section`s of a module as bytes (PTX ISA 11.5.3), with numbers for what they name.
//!
//! A label of code is the address [`code_address`] of its line in the PTX. A label in a section is
//! its offset there, and a section is 0. Every other name is a symbol of the program: symbol N is
//! the address [`SYMBOLS`] + N * [`APART`].

use std::collections::HashMap;

use warpsim::ptx::{Block, Item, Module, SectionLine, SectionValue, Source, Statement};

/// Where the addresses of code begin.
const CODE: u64 = 1 << 48;
/// Where the addresses of symbols begin.
const SYMBOLS: u64 = 1 << 56;
/// Addresses of one symbol.
const APART: u64 = 1 << 24;

/// The address of the instructions on a line of the PTX.
pub(crate) fn code_address(line: u32) -> u64 {
    CODE + u64::from(line)
}

/// The symbol that an address means, and the offset from it.
pub(super) fn symbol(address: u64) -> Option<(usize, u64)> {
    let place = address.checked_sub(SYMBOLS)?;
    Some((usize::try_from(place / APART).ok()?, place % APART))
}

/// The sections of a module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sections {
    bytes: HashMap<String, Vec<u8>>,
    /// The symbols, by their numbers.
    pub(super) symbols: Vec<String>,
}

impl Sections {
    /// The sections of a module; `None` where it has no debug information.
    pub(crate) fn of(module: &Module) -> Option<Sections> {
        let sections = || {
            module.items.iter().filter_map(|item| match item {
                Item::Section(section) => Some(section),
                Item::Variable(_)
                | Item::Function(_)
                | Item::File(_)
                | Item::Pragma(_)
                | Item::Alias(..) => None,
            })
        };
        if !sections().any(|section| &*section.name.text == ".debug_info") {
            return None;
        }
        let mut known = labels_of_code(module);
        let mut ends: HashMap<&str, u64> = HashMap::new();
        for section in sections() {
            let end = ends.entry(&section.name.text).or_default();
            known.insert(section.name.text.to_string(), 0);
            for line in &section.lines {
                match line {
                    SectionLine::Label(label) => {
                        known.insert(label.text.to_string(), *end);
                    }
                    SectionLine::Data(ty, values) => {
                        *end += u64::from(width(*ty)) * values.len() as u64;
                    }
                }
            }
        }
        let mut symbols = Symbols { known, names: Vec::new() };
        let mut bytes: HashMap<String, Vec<u8>> = HashMap::new();
        for section in sections() {
            let bytes = bytes.entry(section.name.text.to_string()).or_default();
            for line in &section.lines {
                let SectionLine::Data(ty, values) = line else { continue };
                let width = width(*ty) as usize;
                for value in values {
                    let value = symbols.value(value).to_le_bytes();
                    bytes.extend_from_slice(value.get(..width).unwrap_or(&value));
                }
            }
        }
        Some(Sections { bytes, symbols: symbols.names })
    }

    /// The bytes of a section; none where the module does not have it.
    pub(super) fn named(&self, name: &str) -> &[u8] {
        self.bytes.get(name).map_or(&[], Vec::as_slice)
    }

    /// The bytes of a section, to change them.
    #[cfg(test)]
    pub(super) fn bytes_mut(&mut self, name: &str) -> &mut Vec<u8> {
        self.bytes.entry(name.to_owned()).or_default()
    }
}

/// Bytes of a datum; the parser lets no others into a section.
fn width(ty: warpsim::ptx::Type) -> u32 {
    warpsim::observe::width(ty)
}

/// The values of names.
struct Symbols {
    known: HashMap<String, u64>,
    names: Vec<String>,
}

impl Symbols {
    fn value(&mut self, value: &SectionValue) -> u64 {
        match value {
            SectionValue::Integer(number) => *number as u64,
            SectionValue::Symbol(name, offset) => {
                self.address(&name.text).wrapping_add_signed(*offset)
            }
            SectionValue::Difference(from, to) => {
                self.address(&from.text).wrapping_sub(self.address(&to.text))
            }
        }
    }

    fn address(&mut self, name: &str) -> u64 {
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        let address = SYMBOLS + self.names.len() as u64 * APART;
        self.names.push(name.to_owned());
        self.known.insert(name.to_owned(), address);
        address
    }
}

/// The labels in the bodies of functions, with the addresses of their lines.
fn labels_of_code(module: &Module) -> HashMap<String, u64> {
    let mut labels = HashMap::new();
    for item in &module.items {
        if let Item::Function(function) = item
            && let Some(body) = &function.body
        {
            note_labels(body, &module.source, &mut labels);
        }
    }
    labels
}

/// Blocks nest as deep as the parser lets them.
fn note_labels(block: &Block, source: &Source, labels: &mut HashMap<String, u64>) {
    for statement in &block.statements {
        match statement {
            Statement::Label(name) => {
                let address = code_address(source.line(name.span.start));
                labels.insert(name.text.to_string(), address);
            }
            Statement::Block(inner) => note_labels(inner, source, labels),
            Statement::Registers(_)
            | Statement::Variable(_)
            | Statement::Instruction(_)
            | Statement::Loc(_)
            | Statement::Pragma(_)
            | Statement::BranchTargets(..)
            | Statement::CallTargets(..)
            | Statement::CallPrototype(_) => {}
        }
    }
}
