//! Which variables a thread sees, and the debug information that says so.

use std::rc::Rc;

use crate::dwarf::{Known, Scope, ScopeKind, Variable, code_address};
use crate::error::DebuggerError;
use crate::frames::CallFrame;
use crate::session::Debugger;
use crate::threads::ThreadId;
use warpsim::lower::Pc;

/// What a thread sees in the frame that is looked at.
#[derive(Clone, Debug)]
pub(crate) struct Visible {
    pub(crate) known: Rc<Known>,
    /// The activation.
    pub(crate) level: usize,
    /// The address of the next instruction, or of the call.
    pub(crate) address: u64,
    /// The frame; `None` before the thread has begun.
    frame: Option<CallFrame>,
}

/// An argument by its number, of this many.
pub(super) struct Argument {
    pub(super) at: usize,
    pub(super) of: usize,
}

impl Debugger<'_> {
    /// What a thread sees. `None` where the PTX has no debug information, or the thread no place.
    pub(crate) fn visible(&self, thread: ThreadId) -> Result<Option<Visible>, DebuggerError> {
        let frame = self.looked_at(thread)?;
        let pc: Option<Pc> = frame.as_ref().map(|frame| frame.pc).or_else(|| self.pc(thread));
        // Variables outside functions are there after the last instruction, too.
        let place = pc.or(Some(0)).and_then(|pc| self.place_at(pc));
        let Some(place) = place else { return Ok(None) };
        let known = self.sources().known(place);
        if matches!(*known, Known::Nothing) {
            return Ok(None);
        }
        let address = pc.map_or(0, |_| code_address(place.line));
        let level = frame.as_ref().map_or(0, |frame| frame.level);
        Ok(Some(Visible { known, level, address, frame }))
    }

    /// Whether the PTX says anything of variables of the source.
    pub fn has_debug_information(&self) -> bool {
        self.visible(self.focus()).is_ok_and(|visible| visible.is_some())
    }

    /// Why variables of the source have no names, where the debug information is not well-formed.
    pub fn debug_information_error(&self) -> Option<String> {
        let visible = self.visible(self.focus()).ok().flatten();
        visible.and_then(|visible| visible.wrong().map(str::to_owned))
    }
}

impl Visible {
    /// Why the debug information cannot be read, where it cannot.
    pub(crate) fn wrong(&self) -> Option<&str> {
        match &*self.known {
            Known::Wrong(reason) => Some(reason),
            Known::Nothing | Known::Info(_) => None,
        }
    }

    /// The scopes of the frame, from the function, or the inlined one, inwards.
    fn scopes(&self) -> Vec<&Scope> {
        let Some(info) = self.known.info() else { return Vec::new() };
        let scopes = info.scopes_at(self.address);
        let Some(frame) = &self.frame else { return scopes };
        // The scopes of each inlined call, the function's own first.
        let mut calls: Vec<Vec<&Scope>> = vec![Vec::new()];
        for scope in scopes {
            if scope.kind == ScopeKind::Inlined {
                calls.push(Vec::new());
            }
            if let Some(call) = calls.last_mut() {
                call.push(scope);
            }
        }
        // Lines may say less of inlined calls: the innermost frame then has the rest of them.
        let last = calls.len() - 1;
        let end = if frame.is_innermost { last } else { frame.inlined.min(last) };
        let begin = frame.inlined.min(end);
        calls.drain(begin..=end).flatten().collect()
    }

    /// The variables of the frame, the innermost scopes' first.
    pub(crate) fn variables(&self) -> Vec<&Variable> {
        let scopes = self.scopes();
        scopes.into_iter().rev().flat_map(|scope| &scope.variables).collect()
    }

    /// Which argument of the kernel a variable is, where the frame is the kernel's own.
    pub(super) fn argument(&self, kernel: &str, variable: &Variable) -> Option<Argument> {
        let frame = self.frame.as_ref();
        let is_kernel = frame.is_none_or(|frame| &*frame.function == kernel);
        let scopes = self.known.info()?.scopes_at(self.address);
        let function = scopes.first().filter(|_| is_kernel)?;
        let mut arguments = function.variables.iter().filter(|variable| variable.is_parameter);
        let of = arguments.clone().count();
        let at = arguments.position(|one| std::ptr::eq(one, variable))?;
        Some(Argument { at, of })
    }

    /// The variable that a name means.
    pub(crate) fn find(&self, name: &str) -> Option<&Variable> {
        let of_frame = self.variables().into_iter().find(|variable| variable.name == name);
        let globals = self.known.info().map_or(&[][..], |info| &info.globals);
        of_frame.or_else(|| globals.iter().find(|variable| variable.name == name))
    }

    /// The names that there are.
    pub(crate) fn names(&self) -> Vec<&str> {
        let globals = self.known.info().map_or(&[][..], |info| &info.globals);
        let all = self.variables().into_iter().chain(globals);
        all.map(|variable| variable.name.as_str()).collect()
    }
}
