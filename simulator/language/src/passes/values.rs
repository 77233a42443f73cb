//! Values as linear forms over atoms: `constant + Σ coefficient · atom`, modulo 2 to the width.
//!
//! An [`Atom`] is a number that is not analysed further: the address of a variable, `%tid.x`, what
//! a load returned, what a register holds where paths join. Forms are interned, so that equal
//! [`ValueId`]s mean equal numbers at the same moment of a thread's life.
//!
//! Each atom represents an integer within a known range (`%tid.x` is below 1024, PTX ISA 10.1 and
//! the launch limits of every device). A form whose integer value cannot leave its width widens
//! exactly, by zeros or by sign, and stays a form; any other widening is a new atom.
//!
//! "At the same moment" matters in loops: the atom of a load means what its *last* execution
//! returned. [`Values::definers`] says which executions change what a value means.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::passes::function::body::VarId;
use crate::ptx::Space;
use crate::scope::RegisterId;

/// An interned form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ValueId(u32);

/// An interned atom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct AtomId(u32);

/// A number that is not analysed further.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Atom {
    /// A variable's address within its own state space.
    Variable(VarId),
    /// Where a state space's window starts in the generic address space.
    Window(Space),
    /// A special register that never changes during a thread's life.
    Special(Arc<str>),
    /// A kernel's parameter: variable, byte offset, bytes read, read with sign.
    Parameter(VarId, i64, u32, bool),
    /// What a register holds before the function writes it.
    Initial(RegisterId),
    /// What a register holds where paths join at a block.
    Join(usize, RegisterId),
    /// What the last execution of a site left in a register.
    Result(usize, RegisterId),
    /// A pure function of other values: opcode with modifiers, and arguments.
    Function(Arc<str>, Vec<ValueId>),
    /// A value widened, with sign or without.
    Widened(ValueId, bool),
}

/// An execution that gives some atoms a new meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Definer {
    /// Executing a site.
    Site(usize),
    /// Entering a block where paths join.
    Block(usize),
}

/// Inclusive bounds of an integer.
pub(super) type Bounds = (i128, i128);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Form {
    width: u8,
    constant: u64,
    terms: Vec<(AtomId, u64)>,
}

/// The interned values of one function.
#[derive(Debug, Default)]
pub(super) struct Values {
    forms: Vec<Form>,
    form_ids: HashMap<Form, ValueId>,
    atoms: Vec<(Atom, Bounds)>,
    atom_ids: HashMap<Atom, AtomId>,
}

/// What an address is the sum of.
#[derive(Debug)]
pub(super) struct Parts {
    /// The number in it.
    pub(super) constant: i64,
    /// There are several terms beside the number.
    pub(super) is_computed: bool,
    /// The variables that it names, anywhere.
    pub(super) variables: Vec<VarId>,
}

impl Values {
    /// A constant.
    pub(super) fn constant(&mut self, width: u8, value: u64) -> ValueId {
        self.intern(Form { width, constant: value & mask(width), terms: Vec::new() })
    }

    /// An atom as a value of some width. `bounds` limit the integer that it represents. A known
    /// atom keeps its own bounds.
    pub(super) fn atom(&mut self, width: u8, atom: Atom, bounds: Bounds) -> ValueId {
        let id = match self.atom_ids.get(&atom) {
            Some(id) => *id,
            None => {
                let id = AtomId(self.atoms.len() as u32);
                self.atoms.push((atom.clone(), bounds));
                self.atom_ids.insert(atom, id);
                id
            }
        };
        self.intern(Form { width, constant: 0, terms: vec![(id, 1)] })
    }

    /// An atom about which nothing is known but its width.
    pub(super) fn unknown(&mut self, width: u8, atom: Atom) -> ValueId {
        self.atom(width, atom, (0, i128::from(mask(width))))
    }

    /// Bits of a value.
    pub(super) fn width(&self, value: ValueId) -> u8 {
        self.form(value).width
    }

    /// The number, when the value is a constant.
    pub(super) fn as_constant(&self, value: ValueId) -> Option<u64> {
        let form = self.form(value);
        form.terms.is_empty().then_some(form.constant)
    }

    /// `a + factor · b`, at the width of `a`.
    pub(super) fn add_scaled(&mut self, a: ValueId, b: ValueId, factor: u64) -> ValueId {
        let (a, b) = (self.form(a), self.form(b));
        let width = a.width;
        let scaled = b.terms.iter().map(|(atom, by)| (*atom, by.wrapping_mul(factor)));
        let form = Form {
            width,
            constant: a.constant.wrapping_add(b.constant.wrapping_mul(factor)) & mask(width),
            terms: collect_terms(a.terms.iter().copied().chain(scaled), width),
        };
        self.intern(form)
    }

    /// `factor · a`.
    pub(super) fn scaled(&mut self, a: ValueId, factor: u64) -> ValueId {
        let zero = self.constant(self.width(a), 0);
        self.add_scaled(zero, a, factor)
    }

    /// The low bits of a value. Widenings inside fall away where only their source matters.
    pub(super) fn truncated(&mut self, value: ValueId, width: u8) -> ValueId {
        let form = self.form(value).clone();
        if form.width <= width {
            return value;
        }
        let mut sum = self.constant(width, form.constant);
        for (atom, by) in form.terms {
            let narrow = match self.atom_data(atom) {
                Some((Atom::Widened(inner, _), _)) if self.width(*inner) >= width => {
                    let inner = *inner;
                    self.truncated(inner, width)
                }
                _ => self.intern(Form { width, constant: 0, terms: vec![(atom, 1)] }),
            };
            sum = self.add_scaled(sum, narrow, by);
        }
        sum
    }

    /// A value widened by zeros or by its sign; `trusting` takes every widening to be exact.
    pub(super) fn widened(
        &mut self,
        value: ValueId,
        width: u8,
        signed: bool,
        trusting: bool,
    ) -> ValueId {
        let from = self.width(value);
        if from >= width {
            return self.truncated(value, width);
        }
        if let Some(number) = self.as_constant(value) {
            let wide = if signed { as_signed(number, from) as u64 } else { number };
            return self.constant(width, wide);
        }
        let limits: Bounds = if signed {
            (-(1i128 << (from - 1)), (1i128 << (from - 1)) - 1)
        } else {
            (0, i128::from(mask(from)))
        };
        let fits =
            self.bounds(value).is_some_and(|(low, high)| low >= limits.0 && high <= limits.1);
        if fits || trusting {
            let form = self.form(value);
            let wide = |by: u64| as_signed(by, from) as u64;
            let form = Form {
                width,
                constant: wide(form.constant) & mask(width),
                terms: collect_terms(form.terms.iter().map(|(a, by)| (*a, wide(*by))), width),
            };
            return self.intern(form);
        }
        self.atom(width, Atom::Widened(value, signed), limits)
    }

    /// Bounds of the integer `constant + Σ coefficient · atom` with signed coefficients. The value
    /// is its remainder. None when too large to say.
    pub(super) fn bounds(&self, value: ValueId) -> Option<Bounds> {
        let form = self.form(value);
        self.bounds_of(form)
    }

    /// `b - a`: exactly, if it is a constant (as a signed number), else its bounds.
    ///
    /// None when nothing can be said, or the widths differ.
    pub(super) fn distance(&self, a: ValueId, b: ValueId) -> Option<Bounds> {
        let (a, b) = (self.form(a), self.form(b));
        if a.width != b.width {
            return None;
        }
        let constant = i128::from(as_signed(b.constant.wrapping_sub(a.constant), a.width));
        let mut bounds = (constant, constant);
        let (mut mine, mut theirs) = (a.terms.as_slice(), b.terms.as_slice());
        // Both are sorted by atom: walk them together.
        while let Some(atom) = mine.first().into_iter().chain(theirs.first()).map(|(a, _)| *a).min()
        {
            let (minus, plus) = (take_term(&mut mine, atom), take_term(&mut theirs, atom));
            let by = as_signed(plus.wrapping_sub(minus), a.width);
            bounds = self.with_term(bounds, atom, by)?;
        }
        let limit = 1i128 << (a.width - 1);
        (bounds.0 >= -limit && bounds.1 < limit).then_some(bounds)
    }

    /// A power of two that divides the value, as its exponent.
    pub(super) fn trailing_zeros(&self, value: ValueId) -> u32 {
        let form = self.form(value);
        let numbers = form.terms.iter().map(|(_, by)| *by).chain([form.constant]);
        numbers.map(u64::trailing_zeros).min().unwrap_or(64)
    }

    /// The atoms of a value that occur with coefficient one.
    pub(super) fn summands(&self, value: ValueId) -> impl Iterator<Item = &Atom> {
        let terms = self.form(value).terms.iter().filter(|(_, by)| *by == 1);
        terms.filter_map(|(atom, _)| self.atom_data(*atom).map(|(atom, _)| atom))
    }

    /// What a value is the sum of. Variables are looked for in the arguments of functions, too.
    pub(super) fn parts(&self, value: ValueId) -> Parts {
        let form = self.form(value);
        let mut variables = Vec::new();
        let mut seen = BTreeSet::from([value]);
        let mut work = vec![value];
        while let Some(value) = work.pop() {
            for (atom, _) in &self.form(value).terms {
                match self.atom_data(*atom) {
                    Some((Atom::Variable(variable), _)) => variables.push(*variable),
                    Some((Atom::Function(_, arguments), _)) => {
                        work.extend(arguments.iter().filter(|argument| seen.insert(**argument)));
                    }
                    Some((Atom::Widened(inner, _), _)) if seen.insert(*inner) => work.push(*inner),
                    _ => {}
                }
            }
        }
        Parts {
            constant: as_signed(form.constant, form.width),
            is_computed: form.terms.len() > 1,
            variables,
        }
    }

    /// Which executions change what this value means.
    pub(super) fn definers(&self, value: ValueId) -> BTreeSet<Definer> {
        let mut found = BTreeSet::new();
        let mut seen = BTreeSet::from([value]);
        let mut work = vec![value];
        while let Some(value) = work.pop() {
            for (atom, _) in &self.form(value).terms {
                match self.atom_data(*atom) {
                    Some((Atom::Join(block, _), _)) => {
                        found.insert(Definer::Block(*block));
                    }
                    Some((Atom::Result(site, _), _)) => {
                        found.insert(Definer::Site(*site));
                    }
                    Some((Atom::Function(_, arguments), _)) => {
                        work.extend(arguments.iter().filter(|argument| seen.insert(**argument)));
                    }
                    Some((Atom::Widened(inner, _), _)) if seen.insert(*inner) => work.push(*inner),
                    _ => {}
                }
            }
        }
        found
    }

    fn bounds_of(&self, form: &Form) -> Option<Bounds> {
        let constant = i128::from(as_signed(form.constant, form.width));
        form.terms.iter().try_fold((constant, constant), |bounds, (atom, by)| {
            self.with_term(bounds, *atom, as_signed(*by, form.width))
        })
    }

    /// Bounds with `by` times an atom added.
    fn with_term(&self, (low, high): Bounds, atom: AtomId, by: i64) -> Option<Bounds> {
        if by == 0 {
            return Some((low, high));
        }
        let by = i128::from(by);
        let (_, (least, most)) = self.atom_data(atom)?;
        let (a, b) = (least.checked_mul(by)?, most.checked_mul(by)?);
        Some((low.checked_add(a.min(b))?, high.checked_add(a.max(b))?))
    }

    fn form(&self, value: ValueId) -> &Form {
        &self.forms[value.0 as usize]
    }

    fn atom_data(&self, atom: AtomId) -> Option<&(Atom, Bounds)> {
        self.atoms.get(atom.0 as usize)
    }

    fn intern(&mut self, form: Form) -> ValueId {
        if let Some(id) = self.form_ids.get(&form) {
            return *id;
        }
        let id = ValueId(self.forms.len() as u32);
        self.forms.push(form.clone());
        self.form_ids.insert(form, id);
        id
    }
}

/// Takes the first term off a list when it is of this atom: its coefficient, else 0.
fn take_term(terms: &mut &[(AtomId, u64)], atom: AtomId) -> u64 {
    match terms {
        [(first, by), rest @ ..] if *first == atom => {
            *terms = rest;
            *by
        }
        _ => 0,
    }
}

/// Sorts by atom, adds up what belongs together, drops what cancels.
fn collect_terms(terms: impl Iterator<Item = (AtomId, u64)>, width: u8) -> Vec<(AtomId, u64)> {
    let mut all: Vec<(AtomId, u64)> = terms.collect();
    all.sort_unstable_by_key(|(atom, _)| *atom);
    let mut merged: Vec<(AtomId, u64)> = Vec::with_capacity(all.len());
    for (atom, by) in all {
        match merged.last_mut() {
            Some((last, sum)) if *last == atom => *sum = sum.wrapping_add(by),
            _ => merged.push((atom, by)),
        }
    }
    merged.iter_mut().for_each(|(_, by)| *by &= mask(width));
    merged.retain(|(_, by)| *by != 0);
    merged
}

/// The largest number of some bits.
pub(super) fn mask(width: u8) -> u64 {
    if width >= 64 { u64::MAX } else { (1u64 << width) - 1 }
}

/// The low bits of a number, read as two's complement.
pub(super) fn as_signed(value: u64, width: u8) -> i64 {
    let shift = 64 - u32::from(width.clamp(1, 64));
    ((value << shift) as i64) >> shift
}
