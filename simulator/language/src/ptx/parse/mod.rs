//! Recursive descent over the tokens of a PTX text, split by subject:
//!
//! - `module`: the header and module scope;
//! - `function`: `.entry`, `.func`, parameters, directives;
//! - `declaration`: variables and registers;
//! - `initializer`, `constant`, `fold`: values, folded while they are read;
//! - `body`: statements; `instruction`, `operand`: instructions, whatever their opcode;
//! - `debug`: `.file`, `.loc`, `.section`.
//!
//! Any opcode with any modifiers and operands is read; lowering decides which ones exist. The
//! parser stops at the first error.

mod body;
mod constant;
mod debug;
mod declaration;
mod fold;
mod function;
mod initializer;
mod instruction;
mod module;
mod operand;

use std::collections::HashMap;
use std::sync::Arc;

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::ast::{Module, Name, Operand, SectionValue};
use super::error::{Found, SyntaxError, SyntaxErrorKind};
use super::lexer::{Lexer, Sign, Token, TokenKind};
use super::limits;
use super::number::{self, Number};
use super::span::{Source, Span};

/// Errors in a box, or each token would be carried about in as much memory as they take.
type Result<T> = std::result::Result<T, Box<SyntaxError>>;

/// Reads a PTX module. Messages call the text `name`, usually a file's name.
///
/// Runs in time linear in the text, and refuses what goes beyond [`limits`].
///
/// # Errors
///
/// The first thing that is wrong, with its place.
///
/// # Examples
///
/// ```
/// let text = ".version 7.0 .target sm_80 .address_size 64
///     .visible .entry k() { ret; }";
/// let module = warpsim::ptx::parse("k.ptx", text)?;
/// assert_eq!(module.items.len(), 1);
///
/// let error = warpsim::ptx::parse("k.ptx", &text.replace("ret;", "ret")).unwrap_err();
/// assert_eq!(error.to_string(), "expected `;`, found `}`");
/// # Ok::<(), warpsim::ptx::SyntaxError>(())
/// ```
pub fn parse(name: &str, text: &str) -> std::result::Result<Module, SyntaxError> {
    if u32::try_from(text.len()).is_err() {
        let kind = SyntaxErrorKind::FileTooLarge { bytes: text.len() as u64 };
        return Err(SyntaxError { kind, span: Span::new(0, 0) });
    }
    let source = Source::new(name, text);
    let whole = Part { span: Span::new(0, text.len() as u32), ..Part::default() };
    parse_part(&source, &whole)
}

/// A file of a source, as a part of a module that is linked from several.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    /// Its text.
    pub(super) span: Span,
    /// The identity of its first instruction.
    pub(super) first_inst: u32,
    /// Added to the indices of its `.file`s.
    pub(super) files: u32,
    /// Symbols that have another name in the whole.
    pub(super) renamed: HashMap<String, Arc<str>>,
}

/// Reads a part of a source as a module.
pub(super) fn parse_part(source: &Source, part: &Part) -> std::result::Result<Module, SyntaxError> {
    let text = source.text().get(..part.span.end as usize).unwrap_or("");
    let start = part.span.start;
    let mut parser = Parser {
        text,
        lexer: Lexer::at(text, start as usize),
        ahead: [Token { kind: TokenKind::End, span: Span::new(0, 0) }; 2],
        seen: 0,
        previous: Span::new(start, start),
        depth: 0,
        names: FxHashMap::with_capacity_and_hasher(text.len() / BYTES_FOR_A_NAME, FxBuildHasher),
        modifiers: Vec::new(),
        operands: Vec::new(),
        data: Vec::new(),
        renamed: &part.renamed,
        next_inst: part.first_inst,
        files: part.files,
        variables: 0,
    };
    parser.module(source.clone()).map_err(|error| *error)
}

/// [`parse`] for bytes that may not be text.
///
/// # Errors
///
/// As [`parse`]; a byte that is not UTF-8 is an error at its place.
pub fn parse_bytes(name: &str, bytes: &[u8]) -> std::result::Result<Module, SyntaxError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => parse(name, text),
        Err(error) => {
            let at = error.valid_up_to();
            let kind = SyntaxErrorKind::InvalidUtf8 { byte: bytes.get(at).copied().unwrap_or(0) };
            let start = u32::try_from(at).unwrap_or(u32::MAX);
            Err(SyntaxError { kind, span: Span::new(start, start.saturating_add(1)) })
        }
    }
}

/// In so many bytes of text is hardly more than one new name.
const BYTES_FOR_A_NAME: usize = 64;

/// The state of a parse.
struct Parser<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    /// Tokens that were looked at and not yet taken, the next one first.
    ahead: [Token; 2],
    /// How many of them there are.
    seen: u8,
    /// The place of the token taken last.
    previous: Span,
    /// Levels of nesting open here.
    depth: u32,
    /// One `Arc` for each different name.
    names: FxHashMap<&'a str, Arc<str>>,
    /// Where modifiers are gathered, so that each instruction allocates once, and no more than it
    /// needs.
    modifiers: Vec<Name>,
    /// The same for operands. The operands within an operand lie above the operands around it.
    operands: Vec<Operand>,
    /// The same of data in sections.
    data: Vec<SectionValue>,
    /// Symbols that have another name in the module that this is a part of.
    renamed: &'a HashMap<String, Arc<str>>,
    /// Added to the indices of `.file`s.
    files: u32,
    /// The next instruction's identity.
    next_inst: u32,
    /// Variables declared so far in this function, or at module scope.
    variables: u64,
}

impl<'a> Parser<'a> {
    // Looking.

    /// The next token, not taken.
    #[inline(always)]
    fn peek(&mut self) -> Result<Token> {
        if self.seen == 0 {
            self.look()?;
        }
        Ok(self.ahead[0])
    }

    #[inline(never)]
    fn look(&mut self) -> Result<()> {
        self.ahead[0] = self.lexer.next_token()?;
        self.seen = 1;
        Ok(())
    }

    /// The token after the next one.
    fn peek_second(&mut self) -> Result<Token> {
        self.peek()?;
        if self.seen == 1 {
            self.ahead[1] = self.lexer.next_token()?;
            self.seen = 2;
        }
        Ok(self.ahead[1])
    }

    /// Takes the next token.
    #[inline]
    fn next(&mut self) -> Result<Token> {
        let token = self.peek()?;
        self.ahead[0] = self.ahead[1];
        self.seen -= 1;
        self.previous = token.span;
        Ok(token)
    }

    #[inline]
    fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// Whether the next token is this punctuation.
    #[inline(always)]
    fn at(&mut self, sign: &str) -> Result<bool> {
        Ok(matches!(self.peek()?.kind, TokenKind::Punctuation(s) if s == Sign::of(sign)))
    }

    /// Whether the next token is a directive or modifier; its word without the dot.
    #[inline]
    fn at_dotted(&mut self) -> Result<Option<&'a str>> {
        let token = self.peek()?;
        Ok((token.kind == TokenKind::Dotted).then(|| self.word(token)))
    }

    #[inline]
    fn at_identifier(&mut self) -> Result<Option<&'a str>> {
        let token = self.peek()?;
        Ok((token.kind == TokenKind::Identifier).then(|| self.slice(token.span)))
    }

    /// The text of a dotted token, without the dot.
    fn word(&self, token: Token) -> &'a str {
        self.slice(token.span).strip_prefix('.').unwrap_or("")
    }

    // Taking.

    /// Takes the next token if it is this punctuation.
    #[inline(always)]
    fn eat(&mut self, sign: &str) -> Result<bool> {
        let there = self.at(sign)?;
        if there {
            self.next()?;
        }
        Ok(there)
    }

    /// Takes the next token if it is `.word`.
    fn eat_dotted(&mut self, word: &str) -> Result<bool> {
        let there = self.at_dotted()? == Some(word);
        if there {
            self.next()?;
        }
        Ok(there)
    }

    /// Takes this punctuation; `quoted` is its name in messages.
    #[inline(always)]
    fn expect(&mut self, sign: &'static str, quoted: &'static str) -> Result<Span> {
        match self.eat(sign)? {
            true => Ok(self.previous),
            false => self.unexpected(vec![quoted]),
        }
    }

    /// Takes a `;`. Where it is missing, so may be one of `or`.
    fn expect_semicolon(&mut self, or: &[&'static str]) -> Result<Span> {
        match self.eat(";")? {
            true => Ok(self.previous),
            false => self.missing_semicolon(or),
        }
    }

    fn expect_identifier(&mut self, what: &'static str) -> Result<Name> {
        match self.peek()?.kind {
            TokenKind::Identifier => {
                let token = self.next()?;
                Ok(self.name(token.span))
            }
            _ => self.unexpected(vec![what]),
        }
    }

    /// Takes a string, and returns the text between its quotes as written.
    fn expect_string(&mut self, what: &'static str) -> Result<Arc<str>> {
        match self.peek()?.kind {
            TokenKind::String => {
                let span = self.next()?.span;
                let inside = Span::new(span.start + 1, span.end.saturating_sub(1));
                let text = self.slice(inside);
                Ok(self.intern(text))
            }
            _ => self.unexpected(vec![what]),
        }
    }

    /// Takes a plain number literal.
    fn expect_number(&mut self, what: &'static str) -> Result<Number> {
        match self.peek()?.kind {
            TokenKind::Number => {
                let span = self.next()?.span;
                number::parse(self.slice(span)).map_err(|kind| SyntaxError { kind, span }.into())
            }
            _ => self.unexpected(vec![what]),
        }
    }

    /// Takes an integer literal between `min` and `max`.
    fn expect_integer(&mut self, what: &'static str, min: u64, max: u64) -> Result<u64> {
        match self.expect_number(what)? {
            Number::Integer(value, _) if (min..=max).contains(&value) => Ok(value),
            Number::Integer(value, _) => self.error(
                SyntaxErrorKind::OutOfRange {
                    what,
                    value: value.into(),
                    min: min.into(),
                    max: max.into(),
                },
                self.previous,
            ),
            _ => self.error(
                SyntaxErrorKind::ConstantType {
                    expected: "an integer",
                    found: "a floating-point number",
                },
                self.previous,
            ),
        }
    }

    /// As [`Self::expect_integer`], for a field of 32 bits.
    fn expect_u32(&mut self, what: &'static str) -> Result<u32> {
        let value = self.expect_integer(what, 0, u32::MAX.into())?;
        // It fits: a larger value was refused.
        Ok(u32::try_from(value).unwrap_or(u32::MAX))
    }

    /// Takes a decimal integer and the comma behind it, if they are what comes next.
    #[inline]
    fn plain_integer_and_comma(&mut self) -> Result<Option<u64>> {
        match self.seen {
            0 => self.lexer.integer_and_comma(),
            _ => Ok(None),
        }
    }

    /// A list of one or more, separated by commas.
    fn comma_separated<T>(&mut self, item: impl Fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.eat(",")? {
            items.push(item(self)?);
        }
        Ok(items)
    }

    // Naming.

    /// The name of a symbol or of something in a body.
    fn name(&mut self, span: Span) -> Name {
        if self.renamed.is_empty() {
            return self.word_of(span);
        }
        match self.renamed.get(self.slice(span)) {
            Some(renamed) => Name { text: Arc::clone(renamed), span },
            None => self.word_of(span),
        }
    }

    /// A word of the language: an opcode, a modifier.
    fn word_of(&mut self, span: Span) -> Name {
        let text = self.slice(span);
        Name { text: self.intern(text), span }
    }

    fn intern(&mut self, text: &'a str) -> Arc<str> {
        match self.names.get(text) {
            Some(name) => Arc::clone(name),
            None => self.intern_new(text),
        }
    }

    #[cold]
    fn intern_new(&mut self, text: &'a str) -> Arc<str> {
        let name: Arc<str> = text.into();
        self.names.insert(text, Arc::clone(&name));
        name
    }

    // Nesting.

    /// Opens a level of nesting; the caller closes it with [`Self::leave`].
    #[inline]
    fn enter(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > limits::DEPTH {
            let span = self.peek()?.span;
            return self.error(SyntaxErrorKind::TooDeep { limit: limits::DEPTH }, span);
        }
        Ok(())
    }

    fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    // Failing.

    #[cold]
    fn error<T>(&self, kind: SyntaxErrorKind, span: Span) -> Result<T> {
        Err(Box::new(SyntaxError { kind, span }))
    }

    /// The next token, for a message.
    fn found(&mut self) -> Result<Found> {
        let token = self.peek()?;
        Ok(match token.kind {
            TokenKind::End => Found::End,
            _ => Found::Token(number::shorten(self.slice(token.span))),
        })
    }

    /// An error at the next token: something else is expected there.
    #[cold]
    fn unexpected<T>(&mut self, expected: Vec<&'static str>) -> Result<T> {
        let found = self.found()?;
        let span = self.peek()?.span;
        self.error(SyntaxErrorKind::Expected { expected, found }, span)
    }

    /// An error right after the last token: a `;` is expected there, or one of `or`.
    #[cold]
    fn missing_semicolon<T>(&mut self, or: &[&'static str]) -> Result<T> {
        let found = self.found()?;
        let end = self.previous.end;
        let kind = SyntaxErrorKind::MissingSemicolon { or: or.to_vec(), found };
        self.error(kind, Span::new(end, end))
    }
}
