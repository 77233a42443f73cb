//! Code that warpsim accepts and NVIDIA's assembler refuses: a module runs, and its author gets a
//! warning.
//!
//! - an instruction that needs a later `.version` or `.target` than the module's own
//!   ([`super::requirements`]);
//! - `shfl` and `vote` without `.sync` for sm_70 and later, from PTX 6.4 on;
//! - a variable `name[]` that is neither external nor initialised, whose size is not known (PTX ISA
//!   5.4.4);
//! - a kernel's parameter `name[]`.
//!
//! If several places have one reason, the first is reported.

use std::fmt;

use super::need::Level;
use super::requirements::{Needs, level_of};
use crate::ptx::{
    Block, Function, Instruction, Item, Linkage, Module, Parameter, Span, Statement, Variable,
    Version,
};

/// Something that is accepted here and refused by the assembler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// What.
    pub kind: WarningKind,
    /// Where.
    pub span: Span,
}

/// Why the assembler refuses something that is accepted here.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WarningKind {
    /// It needs more than the module's own `.version` and `.target` have.
    TooNew {
        /// What asks for it: `ld.global.v8.b32`.
        what: String,
        /// What it needs.
        needs: Level,
        /// What the module names.
        own: Level,
    },
    /// A warp instruction without `.sync` where there are no others.
    WithoutSync(String),
    /// A variable whose size is not known.
    IncompleteVariable(String),
    /// A kernel's parameter whose size is not known.
    IncompleteParameter(String),
}

impl fmt::Display for WarningKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WarningKind::TooNew { what, needs, own } => write!(
                f,
                "`{what}` needs {needs}, and this module names {own}: NVIDIA's assembler refuses it"
            ),
            WarningKind::WithoutSync(opcode) => write!(
                f,
                "`{opcode}` without `.sync` does not exist for sm_70 and later from PTX 6.4 on: \
                 NVIDIA's assembler refuses it"
            ),
            WarningKind::IncompleteVariable(name) => write!(
                f,
                "`{name}[]` has no size, and is neither `.extern` nor initialised: \
                 NVIDIA's assembler refuses it"
            ),
            WarningKind::IncompleteParameter(name) => write!(
                f,
                "the kernel's parameter `{name}[]` has no size: NVIDIA's assembler refuses it"
            ),
        }
    }
}

/// The parts of a module that the assembler would refuse.
///
/// ```
/// let text = ".version 7.0 .target sm_70 .global .u32 g[]; .entry k() { ret; }";
/// let warnings = warpsim::isa::warnings(&warpsim::ptx::parse("k.ptx", text)?);
/// assert!(warnings[0].kind.to_string().starts_with("`g[]` has no size"));
/// # Ok::<(), warpsim::ptx::SyntaxError>(())
/// ```
pub fn warnings(module: &Module) -> Vec<Warning> {
    let mut found = Found { own: level_of(module), all: Vec::new() };
    if let Some(own) = found.own {
        let needs = Needs::above(module, own);
        for cause in [needs.version, needs.target].into_iter().flatten() {
            let kind = WarningKind::TooNew { what: cause.name, needs: cause.level, own };
            found.add(kind, cause.span);
        }
    }
    module.items.iter().for_each(|item| found.item(item));
    found.all
}

struct Found {
    own: Option<Level>,
    all: Vec<Warning>,
}

impl Found {
    fn add(&mut self, kind: WarningKind, span: Span) {
        if self.all.iter().all(|warning| warning.kind != kind && warning.span != span) {
            self.all.push(Warning { kind, span });
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Variable(variable) => self.variable(variable),
            Item::Function(function) => self.function(function),
            Item::Pragma(_) | Item::Alias(..) | Item::File(_) | Item::Section(_) => {}
        }
    }

    fn variable(&mut self, variable: &Variable) {
        let unsized_ = variable.dims.contains(&None) && variable.init.is_none();
        if unsized_ && variable.linkage != Some(Linkage::Extern) {
            let name = variable.name.text.to_string();
            self.add(WarningKind::IncompleteVariable(name), variable.span);
        }
    }

    fn function(&mut self, function: &Function) {
        if function.is_entry {
            function.params.iter().for_each(|parameter| self.parameter(parameter));
        }
        if let Some(body) = &function.body {
            self.block(body);
        }
    }

    fn parameter(&mut self, parameter: &Parameter) {
        if parameter.array == Some(None) {
            let name = parameter.name.text.to_string();
            self.add(WarningKind::IncompleteParameter(name), parameter.span);
        }
    }

    fn block(&mut self, block: &Block) {
        for statement in block.walk() {
            match statement {
                Statement::Variable(variable) => self.variable(variable),
                Statement::Instruction(instruction) => self.instruction(instruction),
                Statement::Registers(_)
                | Statement::Block(_)
                | Statement::Loc(_)
                | Statement::Pragma(_)
                | Statement::CallPrototype(_)
                | Statement::Label(_)
                | Statement::BranchTargets(..)
                | Statement::CallTargets(..) => {}
            }
        }
    }

    fn instruction(&mut self, instruction: &Instruction) {
        const SYNC_ONLY: Version = Version { major: 6, minor: 4 };
        let opcode = &*instruction.opcode.text;
        let is_old = matches!(opcode, "shfl" | "vote")
            && instruction.modifiers.iter().all(|modifier| &*modifier.text != "sync");
        let refused = self.own.is_some_and(|own| own.target >= 70 && own.version >= SYNC_ONLY);
        if is_old && refused {
            self.add(WarningKind::WithoutSync(opcode.to_owned()), instruction.span);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<String> {
        let module = crate::ptx::parse("w.ptx", text).unwrap();
        warnings(&module).iter().map(|warning| warning.kind.to_string()).collect()
    }

    /// A module for sm_80 with a kernel of these statements.
    fn kernel(version: &str, body: &str) -> String {
        format!(
            ".version {version} .target sm_80 .address_size 64 .entry k() {{
             .reg .b32 %r<9>; .reg .b64 %d<3>; .reg .pred %p; {body} ret; }}"
        )
    }

    #[test]
    fn what_the_assembler_refuses_is_told() {
        // Each refused by ptxas 13 with this message's reason.
        let head = ".version 7.8 .target sm_80 .address_size 64";
        for (text, begins) in [
            (format!("{head} .global .u32 foobar[];"), "`foobar[]` has no size"),
            (format!("{head} .visible .global .u32 foobar[];"), "`foobar[]` has no size"),
            (
                format!("{head} .entry k(.param .b32 p[]) {{ ret; }}"),
                "the kernel's parameter `p[]`",
            ),
            (kernel("7.8", ".shared .b32 s[];"), "`s[]` has no size"),
            (kernel("7.8", "shfl.down.b32 %r1, %r2, 1, 31;"), "`shfl` without `.sync`"),
            (kernel("7.8", "vote.ballot.b32 %r1, %p;"), "`vote` without `.sync`"),
            (
                kernel("7.8", "ld.global.v8.b32 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%d1];"),
                "`ld.global.v8.b32` needs PTX 8.8 for sm_100, and this module names PTX 7.8 for sm_80",
            ),
        ] {
            let all = told(&text);
            assert_eq!(all.len(), 1, "{text}: {all:?}");
            assert!(all[0].starts_with(begins), "{}", all[0]);
        }
    }

    #[test]
    fn what_the_assembler_takes_is_not_told() {
        let head = ".version 7.8 .target sm_80 .address_size 64";
        for text in [
            format!("{head} .extern .global .u32 foobar[];"),
            format!("{head} .extern .shared .u32 foobar[];"),
            format!("{head} .global .u32 foobar[] = {{1, 2}};"),
            format!("{head} .func f(.param .b32 p[]) {{ ret; }}"),
            kernel("6.3", "shfl.down.b32 %r1, %r2, 1, 31;"),
            kernel("7.8", "shfl.sync.down.b32 %r1, %r2, 1, 31, -1;"),
            kernel("7.8", "ld.global.v4.b32 {%r1,%r2,%r3,%r4}, [%d1];"),
            ".version 6.4 .target sm_60 .address_size 64 .entry k() { .reg .b32 %r<3>;
             shfl.down.b32 %r1, %r2, 1, 31; ret; }"
                .to_owned(),
        ] {
            assert_eq!(told(&text), Vec::<String>::new(), "{text}");
        }
    }
}
