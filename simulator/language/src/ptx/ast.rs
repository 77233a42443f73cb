//! The syntax tree of a PTX module (PTX ISA chapters 4, 5 and 11).
//!
//! The tree has only the contents of the text. Names are not resolved. Instructions are an opcode,
//! its dotted modifiers and operands, and nothing here knows the meaning of executing one. The
//! parser folds constant expressions; comments and blanks are dropped.
//!
//! Every node carries its [`Span`]; spans and [`Source`]s take no part in equality.

use std::sync::Arc;

use super::span::{Source, Span};

/// A translation unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// The text this was parsed from. A pass keeps it, so that spans go on pointing into it.
    pub source: Source,
    /// `.version`, for example 8.5.
    pub version: Version,
    /// `.target`: an architecture and options, for example `sm_80`, `debug`.
    pub target: Vec<Name>,
    /// `.address_size`, 64 or 32; PTX assumes 32 when it is absent.
    pub address_size: Option<u32>,
    /// Everything after the header, in order.
    pub items: Vec<Item>,
    /// One more than the largest [`InstId`] in use; passes take fresh ids from here.
    pub next_inst: u32,
}

/// `.version MAJOR.MINOR`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// Before the dot.
    pub major: u32,
    /// After the dot.
    pub minor: u32,
}

/// An identifier with its place. Registers keep their `%`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The identifier as written.
    pub text: Arc<str>,
    /// Where.
    pub span: Span,
}

/// A top-level item.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A module-scope variable.
    Variable(Variable),
    /// `.entry` or `.func`, declared or defined.
    Function(Function),
    /// `.file INDEX "NAME"`.
    File(File),
    /// `.section NAME { ... }`: DWARF data, kept and not interpreted.
    Section(Section),
    /// `.pragma "...";`.
    Pragma(Pragma),
    /// `.alias A, B;`.
    Alias(Name, Name),
}

/// How a symbol is seen by other modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linkage {
    /// `.extern`
    Extern,
    /// `.visible`
    Visible,
    /// `.weak`
    Weak,
    /// `.common`
    Common,
}

/// A state space (PTX ISA 5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Space {
    /// `.global`
    Global,
    /// `.shared`
    Shared,
    /// `.local`
    Local,
    /// `.const`
    Const,
    /// `.param`
    Param,
    /// `.tex` (deprecated form of a texture reference)
    Tex,
}

/// A fundamental or packed type (PTX ISA 5.2), or an opaque one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the variants are PTX's own type names")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Type {
    B8,
    B16,
    B32,
    B64,
    B128,
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    F16,
    F16x2,
    Bf16,
    Bf16x2,
    F32,
    F64,
    Pred,
    Texref,
    Samplerref,
    Surfref,
}

/// A variable in a state space, at module scope or in a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// `.extern`, `.visible`, ...
    pub linkage: Option<Linkage>,
    /// Where it lives.
    pub space: Space,
    /// `.attribute(.managed)` and the like, as written between the parentheses.
    pub attributes: Vec<Name>,
    /// `.align N`, in bytes.
    pub align: Option<u32>,
    /// `.v2` or `.v4`; 1 when absent.
    pub vector: u32,
    /// The element type.
    pub ty: Type,
    /// The symbol.
    pub name: Name,
    /// `name<N>`: N variables `name0` to `name(N-1)`.
    pub count: Option<u32>,
    /// Array dimensions, outermost first; `None` for an empty `[]`.
    pub dims: Vec<Option<u64>>,
    /// The initial value.
    pub init: Option<Initializer>,
    /// The whole declaration.
    pub span: Span,
}

impl Variable {
    /// Bytes from one element to the next, as a subscript counts them (PTX ISA 6.4.2). They are the
    /// bytes of the type, in vectors and arrays of several dimensions too, as in NVIDIA's
    /// assembler.
    pub fn element(&self) -> Option<u32> {
        self.ty.bytes()
    }

    /// The names that it declares: one, or `name0` to `name(N-1)` for `name<N>`.
    pub fn names(&self) -> impl Iterator<Item = Arc<str>> {
        let name = &self.name.text;
        let one = self.count.is_none().then(|| Arc::clone(name));
        let numbered = 0..self.count.unwrap_or(0);
        one.into_iter().chain(numbered.map(move |number| format!("{name}{number}").into()))
    }
}

/// `= ...` of a variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Initializer {
    /// One value.
    Value(InitValue, Span),
    /// `{ ... }`.
    List(Vec<Initializer>, Span),
}

/// A value in an initialiser.
#[derive(Clone, Debug, PartialEq)]
pub enum InitValue {
    /// A folded integer constant.
    Integer(i128),
    /// `0fXXXXXXXX`.
    F32(u32),
    /// `0dX...` or a decimal literal.
    F64(u64),
    /// The address of a symbol, plus bytes; `generic(symbol)` when asked for as a generic address.
    Address {
        /// The symbol.
        symbol: Name,
        /// `generic(...)`.
        generic: bool,
        /// Bytes to add.
        offset: i64,
        /// `MASK(...)`: take one byte of the address, selected by a mask such as `0xFF00`.
        mask: Option<u64>,
    },
}

/// `.reg .TYPE name, name<N>, ...;`.
#[derive(Clone, Debug, PartialEq)]
pub struct Registers {
    /// The type.
    pub ty: Type,
    /// `.v2`/`.v4`; 1 when absent.
    pub vector: u32,
    /// The names, with the N of `name<N>`: `name0` to `name(N-1)`.
    pub names: Vec<(Name, Option<u32>)>,
    /// The whole declaration.
    pub span: Span,
}

/// `.entry` or `.func`.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// `.entry` (a kernel) rather than `.func`.
    pub is_entry: bool,
    /// `.visible`, `.extern`, `.weak`.
    pub linkage: Option<Linkage>,
    /// The name.
    pub name: Name,
    /// Return parameters: at most one in practice.
    pub returns: Vec<Parameter>,
    /// Parameters, in order.
    pub params: Vec<Parameter>,
    /// `.maxntid`, `.reqntid`, `.minnctapersm`, `.noreturn`, ...
    pub directives: Vec<Directive>,
    /// The body; `None` for a prototype. Copies of a module share it until one changes it.
    pub body: Option<Arc<Block>>,
    /// The header, for messages.
    pub span: Span,
}

/// A parameter of a function, or of a `.callprototype`.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// `.param`, or `.reg` (allowed for `.func`).
    pub register: bool,
    /// `.align N`.
    pub align: Option<u32>,
    /// `.v2`/`.v4` of a `.reg` parameter; 1 when absent.
    pub vector: u32,
    /// The element type.
    pub ty: Type,
    /// `.ptr .SPACE .align N` of a kernel parameter, as written: the space and the alignment.
    pub pointer: Option<(Option<Space>, Option<u32>)>,
    /// The name; `_` in a prototype.
    pub name: Name,
    /// `[BYTES]` of an array parameter; `Some(None)` for `[]`.
    pub array: Option<Option<u64>>,
    /// The whole parameter.
    pub span: Span,
}

/// A performance-tuning or other directive of a function: `.maxntid 256, 1, 1`.
#[derive(Clone, Debug, PartialEq)]
pub struct Directive {
    /// The word without its dot.
    pub name: Name,
    /// Its numbers.
    pub values: Vec<u64>,
    /// Its strings: of a `.pragma`, as between the quotes; of an `.attribute`, each attribute with
    /// its dot and its numbers.
    pub strings: Vec<Arc<str>>,
}

/// `.file INDEX "NAME" [, TIMESTAMP, SIZE]`.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    /// The number that `.loc` uses.
    pub index: u32,
    /// The file's name, without quotes.
    pub name: Arc<str>,
    /// Modification time and size, when given.
    pub stamp: Option<(u64, u64)>,
    /// The whole directive.
    pub span: Span,
}

/// `.section NAME { ... }`.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// The name, with its dot: `.debug_info`.
    pub name: Name,
    /// Lines of data and labels.
    pub lines: Vec<SectionLine>,
    /// The whole section.
    pub span: Span,
}

/// A line of a `.section`.
#[derive(Clone, Debug, PartialEq)]
pub enum SectionLine {
    /// `NAME:`.
    Label(Name),
    /// `.b8 1,2,3` and the like.
    Data(Type, Vec<SectionValue>),
}

/// A datum of a `.section`.
#[derive(Clone, Debug, PartialEq)]
pub enum SectionValue {
    /// A number.
    Integer(i128),
    /// A label or section, plus an offset.
    Symbol(Name, i64),
    /// The distance between two labels.
    Difference(Name, Name),
}

/// `.pragma "...";`.
#[derive(Clone, Debug, PartialEq)]
pub struct Pragma {
    /// The strings, without quotes.
    pub strings: Vec<Arc<str>>,
    /// The whole directive.
    pub span: Span,
}

/// `{ ... }`: a body, or a nested scope.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Its statements.
    pub statements: Vec<Statement>,
    /// From brace to brace.
    pub span: Span,
}

/// A statement of a body.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// `.reg`.
    Registers(Registers),
    /// `.shared`, `.local`, `.param`, ... declared in a body.
    Variable(Box<Variable>),
    /// `NAME:`.
    Label(Name),
    /// An instruction.
    Instruction(Instruction),
    /// A nested scope.
    Block(Block),
    /// `.loc`.
    Loc(Loc),
    /// `.pragma`.
    Pragma(Pragma),
    /// `NAME: .branchtargets L, L;`.
    BranchTargets(Name, Vec<Name>),
    /// `NAME: .calltargets F, F;`.
    CallTargets(Name, Vec<Name>),
    /// `NAME: .callprototype (RET) _ (PARAMS);`.
    CallPrototype(Box<CallPrototype>),
}

/// `NAME: .callprototype (RET) _ (PARAMS) .noreturn;`.
#[derive(Clone, Debug, PartialEq)]
pub struct CallPrototype {
    /// The label that names it.
    pub name: Name,
    /// Return parameters.
    pub returns: Vec<Parameter>,
    /// Parameters.
    pub params: Vec<Parameter>,
    /// `.noreturn`, `.abi_preserve N`, ...
    pub directives: Vec<Directive>,
    /// The whole statement.
    pub span: Span,
}

/// `.loc FILE LINE COLUMN [, function_name LABEL[+N], inlined_at FILE LINE COLUMN]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Loc {
    /// Index of a `.file`.
    pub file: u32,
    /// Line, from 1; 0 when unknown.
    pub line: u32,
    /// Column, from 1; 0 when unknown.
    pub column: u32,
    /// The label of the inlined function's name and an offset from it.
    pub function_name: Option<(Name, i64)>,
    /// File, line and column of the call that was inlined. It names an earlier `.loc`, whose own
    /// `inlined_at` continues the chain.
    pub inlined_at: Option<(u32, u32, u32)>,
    /// The whole directive.
    pub span: Span,
}

/// The identity of an instruction. Unique in a module; passes keep it, and give new
/// instructions new ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InstId(pub u32);

/// `[@[!]GUARD] OPCODE.MODIFIER... OPERAND, ...;`.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// Its identity.
    pub id: InstId,
    /// The guard predicate.
    pub guard: Option<Guard>,
    /// The opcode, without modifiers: `ld`.
    pub opcode: Name,
    /// The modifiers in order, without their dots: `volatile`, `shared`, `u32`; a `::` stays
    /// inside one (`shared::cta`).
    pub modifiers: Vec<Name>,
    /// The operands in order, destination first.
    pub operands: Vec<Operand>,
    /// From guard to semicolon.
    pub span: Span,
}

/// `@p` or `@!p`.
#[derive(Clone, Debug, PartialEq)]
pub struct Guard {
    /// `!`.
    pub negated: bool,
    /// The predicate register.
    pub register: Name,
}

/// An operand with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Operand {
    /// What it is.
    pub kind: OperandKind,
    /// Its place.
    pub span: Span,
}

/// What an operand is.
#[derive(Clone, Debug, PartialEq)]
pub enum OperandKind {
    /// A register, special register, variable, label or function: resolved by scope later.
    Name(Arc<str>),
    /// `NAME.x`: an element of a vector register or special register; the element as written.
    Member(Arc<str>, Arc<str>),
    /// A folded integer constant, from -2^63 to 2^64-1.
    Integer(i128),
    /// `0fXXXXXXXX`.
    F32(u32),
    /// `0dX...` or a decimal literal.
    F64(u64),
    /// `NAME+N` outside brackets.
    Offset(Arc<str>, i64),
    /// `[BASE+N]`.
    Address(AddressBase, i64),
    /// `NAME[N]`: an element of an array, its address or, where an address is wanted, what lies
    /// there (PTX ISA 6.4.2).
    Subscript(Arc<str>, Index),
    /// `{a, b, ...}`.
    Vector(Vec<Operand>),
    /// `p|q`.
    Pair(Box<Operand>, Box<Operand>),
    /// `!p`.
    Not(Box<Operand>),
    /// `-x` before a register, in the few places that PTX allows it.
    Negate(Box<Operand>),
    /// `_`.
    Sink,
    /// `(a, b)` of a call.
    List(Vec<Operand>),
    /// `[a, {b, c}]`: a texture or tensor address.
    Tuple(Vec<Operand>),
}

/// Which element of an array a subscript names.
#[derive(Clone, Debug, PartialEq)]
pub enum Index {
    /// `[N]`.
    Constant(i64),
    /// `[REGISTER+N]`.
    Register(Arc<str>, i64),
}

/// What an address starts from.
#[derive(Clone, Debug, PartialEq)]
pub enum AddressBase {
    /// A register or a variable.
    Name(Arc<str>),
    /// An absolute address.
    Absolute(u64),
}
