//! `.entry` and `.func` (PTX ISA 11.2), their parameters (5.1.6, 7.1) and directives (11.3, 11.4).

use std::sync::Arc;

use super::super::ast::{Block, Directive, Function, Linkage, Parameter, Space, Type};
use super::super::error::SyntaxErrorKind;
use super::super::lexer::TokenKind;
use super::super::limits;
use super::super::span::Span;
use super::{Parser, Result};

const KNOWN: &str = "between its parameters and its body, a function can have .maxnreg, .maxntid, \
                     .reqntid, .minnctapersm, .noreturn, .pragma and the like";

/// The directives allowed between the parameters and the body.
const DIRECTIVES: [&str; 14] = [
    "maxnreg",
    "maxntid",
    "reqntid",
    "minnctapersm",
    "maxnctapersm",
    "noreturn",
    "explicitcluster",
    "reqnctapercluster",
    "maxclusterrank",
    "blocksareclusters",
    "abi_preserve",
    "abi_preserve_control",
    "unique_func_name",
    "language_version",
];

/// Whether a directive begins an item of module scope, so that the one before it is over.
fn begins_item(word: &str) -> bool {
    matches!(word, "entry" | "func" | "file" | "section" | "alias")
        || Linkage::from_keyword(word).is_some()
        || Space::from_keyword(word).is_some()
}

impl Parser<'_> {
    /// From `.entry` or `.func` to the closing brace or semicolon.
    pub(super) fn function(&mut self, linkage: Option<Linkage>, start: Span) -> Result<Function> {
        let word = self.next()?;
        let is_entry = self.word(word) == "entry";
        let mut directives = Vec::new();
        if self.at_dotted()? == Some("attribute") {
            directives.push(self.function_attribute()?);
        }
        let returns = match self.at("(")? {
            true if !is_entry => self.parameters()?,
            _ => Vec::new(),
        };
        let name = self.expect_identifier("a function's name")?;
        let params = match self.at("(")? {
            true => self.parameters()?,
            false => Vec::new(),
        };
        while self.at_dotted()?.is_some() {
            directives.push(self.directive()?);
        }
        let span = start.to(self.previous);
        let body = self.optional_body()?.map(Arc::new);
        Ok(Function { is_entry, linkage, name, returns, params, directives, body, span })
    }

    fn optional_body(&mut self) -> Result<Option<Block>> {
        if self.at("{")? {
            return self.block().map(Some);
        }
        if self.eat(";")? {
            return Ok(None);
        }
        self.missing_semicolon(&["`{`", "a directive such as `.maxntid`"])
    }

    /// `.attribute(.unified(1, 2))`: kept as a directive of that name, its text in `strings`.
    fn function_attribute(&mut self) -> Result<Directive> {
        let span = self.peek()?.span;
        let name = self.directive_name(span);
        let attributes = self.attributes()?;
        let strings = attributes.into_iter().map(|attribute| attribute.text).collect();
        Ok(Directive { name, values: Vec::new(), strings })
    }

    fn directive(&mut self) -> Result<Directive> {
        let token = self.peek()?;
        let word = self.word(token);
        let name = self.directive_name(token.span);
        if word == "pragma" {
            let strings = self.pragma()?.strings;
            return Ok(Directive { name, values: Vec::new(), strings });
        }
        if begins_item(word) {
            return self.missing_semicolon(&["`{`"]);
        }
        if !DIRECTIVES.contains(&word) {
            let kind = SyntaxErrorKind::UnknownDirective {
                name: format!(".{}", super::number::shorten(word)),
                place: "of a function",
                known: KNOWN,
            };
            return self.error(kind, token.span);
        }
        self.next()?;
        let mut values = Vec::new();
        if self.peek()?.kind == TokenKind::Number {
            let value = |parser: &mut Self| parser.expect_integer("number", 0, u64::MAX);
            values = self.comma_separated(value)?;
        }
        Ok(Directive { name, values, strings: Vec::new() })
    }

    /// The name of a directive, without its dot.
    fn directive_name(&mut self, span: Span) -> super::Name {
        let mut name = self.word_of(Span::new(span.start + 1, span.end));
        name.span = span;
        name
    }

    /// Directives of a `.callprototype`.
    pub(super) fn prototype_directives(&mut self) -> Result<Vec<Directive>> {
        let mut directives = Vec::new();
        while matches!(
            self.at_dotted()?,
            Some("noreturn" | "abi_preserve" | "abi_preserve_control")
        ) {
            directives.push(self.directive()?);
        }
        Ok(directives)
    }

    /// `(PARAMETER, ...)`, perhaps empty.
    pub(super) fn parameters(&mut self) -> Result<Vec<Parameter>> {
        self.expect("(", "`(`")?;
        if self.eat(")")? {
            return Ok(Vec::new());
        }
        let parameters = self.comma_separated(Self::parameter)?;
        match self.eat(")")? {
            true => Ok(parameters),
            false => self.unexpected(vec!["`,`", "`)`"]),
        }
    }

    fn parameter(&mut self) -> Result<Parameter> {
        let start = self.peek()?.span;
        let register = match self.at_dotted()? {
            Some("param") => false,
            Some("reg") => true,
            _ => return self.unexpected(vec!["`.param`", "`.reg`"]),
        };
        self.next()?;
        let align = self.alignment()?;
        let vector = if register { self.vector_length()? } else { 1 };
        let ty = self.ty()?;
        let pointer = self.pointer()?;
        let name = self.expect_identifier("a parameter's name")?;
        let array = match self.at("[")? {
            true => Some(self.parameter_size(ty)?),
            false => None,
        };
        let span = start.to(self.previous);
        Ok(Parameter { register, align, vector, ty, pointer, name, array, span })
    }

    /// `.ptr`, `.ptr .global`, `.ptr .align 8`, ...
    fn pointer(&mut self) -> Result<Option<(Option<Space>, Option<u32>)>> {
        if !self.eat_dotted("ptr")? {
            return Ok(None);
        }
        let space = self.at_dotted()?.and_then(Space::from_keyword);
        if space.is_some() {
            self.next()?;
        }
        Ok(Some((space, self.alignment()?)))
    }

    /// `[N]` or `[]` of a parameter.
    fn parameter_size(&mut self, ty: Type) -> Result<Option<u64>> {
        let start = self.peek()?.span;
        let size = self.dimension()?;
        let bytes = size.unwrap_or(0).checked_mul(ty.bytes().unwrap_or(1).into());
        if bytes.is_none_or(|bytes| bytes > limits::VARIABLE_BYTES) {
            let kind = SyntaxErrorKind::VariableTooLarge { limit: limits::VARIABLE_BYTES };
            return self.error(kind, start.to(self.previous));
        }
        if self.at("[")? {
            let span = self.peek()?.span;
            return self.error(
                SyntaxErrorKind::Unsupported {
                    what: "a parameter of several dimensions",
                    instead: "write one dimension, the product of all",
                },
                span,
            );
        }
        Ok(size)
    }
}
