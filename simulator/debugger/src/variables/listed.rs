//! Lists of variables: of the frame that is looked at, its arguments, and the parts of one.

use warpsim::ptx::Type;

use super::place::{Place, View};
use super::shown::{declaration, name_of};
use crate::dwarf::{Ty, Variable};
use crate::error::DebuggerError;
use crate::expression::Expression;
use crate::session::{Debugger, ThreadLeaves};
use crate::threads::ThreadId;
use crate::values::Value;

/// The most parts of a variable that are listed.
const MOST_PARTS: u64 = 1024;

/// A variable, or a part of one, in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listed {
    /// What it is called in the list: `i`, `.x`, `[3]`.
    pub(crate) name: String,
    /// Its declaration as in C, and its type alone.
    pub(crate) declaration: String,
    pub(crate) ty: String,
    /// What it holds, or why that is not known.
    pub(crate) value: String,
    /// The expression for it.
    pub(crate) expression: String,
    /// It has members or elements, or points to something.
    pub(crate) has_parts: bool,
}

/// A parameter of the kernel: its number, its name in the PTX, its type and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    pub(crate) index: usize,
    pub(crate) name: String,
    pub(crate) ty: String,
    pub(crate) value: String,
}

impl Debugger<'_> {
    /// The variables of the frame that is looked at, the innermost scopes' first; or its arguments.
    ///
    /// # Errors
    /// The thread has no such frame.
    pub(crate) fn listed(
        &self,
        thread: ThreadId,
        arguments: bool,
    ) -> Result<Vec<Listed>, DebuggerError> {
        let Some(visible) = self.visible(thread)? else { return Ok(Vec::new()) };
        let leaves = self.leaves_of(thread);
        let variables = visible.variables().into_iter().filter(|v| v.is_parameter == arguments);
        let listed = |variable: &Variable| {
            let name = variable.name.clone();
            let info = visible.known.info();
            let declared = |name: &str| {
                info.map_or_else(String::new, |info| declaration(info, variable.ty, name))
            };
            let (declaration, ty) = (declared(&name), declared(""));
            let place = leaves.place_of_variable(&visible, variable);
            let (value, has_parts) = leaves.value_and_parts(place);
            Listed { expression: name.clone(), name, declaration, ty, value, has_parts }
        };
        Ok(variables.map(listed).collect())
    }

    /// The members or elements of a variable of the source, or what it points to.
    ///
    /// # Errors
    /// The expression has no place.
    pub(crate) fn parts(&self, thread: ThreadId, text: &str) -> Result<Vec<Listed>, DebuggerError> {
        let leaves = self.leaves_of(thread);
        let expression = Expression::parse(text)?;
        let Some(place) = leaves.place_of(expression.root())? else { return Ok(Vec::new()) };
        let Some(info) = place.known.info() else { return Ok(Vec::new()) };
        let row = |name: String, expression: String, part: Place| {
            let ty = declaration(info, part.ty, "");
            let (value, has_parts) = leaves.value_and_parts(Ok(part));
            Listed { declaration: ty.clone(), name, ty, value, expression, has_parts }
        };
        Ok(match place.view(info) {
            View::Array(..) => (0..place.elements(info).unwrap_or(0).min(MOST_PARTS))
                .filter_map(|index| Some((index, place.element(info, index)?)))
                .map(|(index, part)| row(format!("[{index}]"), format!("{text}[{index}]"), part))
                .collect(),
            View::Other(Ty::Structure { .. }) => place
                .members(info)
                .into_iter()
                .filter(|(name, _)| !name.is_empty())
                .map(|(name, part)| row(name.clone(), member(text, &name), part))
                .collect(),
            View::Other(Ty::Pointer { .. }) => {
                let part = leaves.pointed(&place, 0)?;
                vec![row(format!("*{text}"), format!("*{text}"), part)]
            }
            View::Other(_) | View::Nothing => Vec::new(),
        })
    }

    /// The value of an expression for the thread in focus, as a person reads it: of a structure or
    /// an array, its parts in braces.
    ///
    /// # Errors
    /// The expression does not parse, or has no value there.
    pub fn shown(&self, text: &str) -> Result<String, DebuggerError> {
        self.shown_of(&Expression::parse(text)?, self.focus())
    }

    pub(crate) fn shown_of(
        &self,
        expression: &Expression,
        thread: ThreadId,
    ) -> Result<String, DebuggerError> {
        let leaves = self.leaves_of(thread);
        match leaves.place_of(expression.root())? {
            Some(place) => leaves.shown(&place),
            None => expression.value(&leaves).map(|value| value.to_string()),
        }
    }

    /// Whether an expression is of a variable of the source with members or elements.
    pub(crate) fn has_parts(&self, text: &str) -> bool {
        let leaves = self.leaves();
        let place = Expression::parse(text).and_then(|parsed| leaves.place_of(parsed.root()));
        place.is_ok_and(|place| place.is_some_and(|place| leaves.value_and_parts(Ok(place)).1))
    }

    /// The parameters of the kernel, as the PTX has them.
    pub(crate) fn kernel_parameters(&self) -> Vec<Parameter> {
        let Some(program) = self.stepper.program() else { return Vec::new() };
        let mut rows = Vec::new();
        for (index, parameter) in program.parameters.iter().enumerate() {
            let bytes =
                self.stepper.parameter_memory(parameter.offset.into(), parameter.size as usize);
            let Some(bytes) = bytes else { continue };
            let width = warpsim::observe::width(parameter.ty);
            let (ty, value) = match parameter.size == width {
                true => {
                    let word = bytes.iter().rev().fold(0, |word, b| word << 8 | u64::from(*b));
                    (name_of(parameter.ty), Value::Bits(parameter.ty, word).to_string())
                }
                false => {
                    let bytes: Vec<String> =
                        bytes.iter().take(32).map(|byte| format!("{byte:02x}")).collect();
                    (format!("{}[{}]", name_of(Type::B8), parameter.size), bytes.join(" "))
                }
            };
            rows.push(Parameter { index, name: parameter.name.to_string(), ty, value });
        }
        rows
    }
}

impl ThreadLeaves<'_, '_> {
    /// What a place holds, or why that is not known, and whether it has parts.
    fn value_and_parts(&self, place: Result<Place, DebuggerError>) -> (String, bool) {
        let has_parts = |place: &Place| {
            place.known.info().is_some_and(|info| match place.view(info) {
                View::Array(..) => true,
                View::Other(Ty::Structure { .. }) => true,
                View::Other(Ty::Pointer { to, .. }) => info.bytes(*to).is_some(),
                View::Other(_) | View::Nothing => false,
            })
        };
        match place {
            Ok(place) => match self.shown(&place) {
                Ok(value) => (value, has_parts(&place)),
                Err(error) => (why(&error), false),
            },
            Err(error) => (why(&error), false),
        }
    }
}

/// Why a variable has no value, in a list.
fn why(error: &DebuggerError) -> String {
    match error {
        DebuggerError::NeverWritten { .. } => "(not written yet)".to_owned(),
        DebuggerError::OptimisedOut { .. } => "(optimised out)".to_owned(),
        other => format!("({other})"),
    }
}

/// A member of an expression.
fn member(text: &str, name: &str) -> String {
    match text.strip_prefix('*') {
        Some(pointer) => format!("{pointer}->{name}"),
        None => format!("{text}.{name}"),
    }
}
