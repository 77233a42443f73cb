//! Operands of instructions (PTX ISA chapter 6).

use super::super::ast::{AddressBase, Name, Operand, OperandKind};
use super::super::error::SyntaxErrorKind;
use super::super::lexer::TokenKind;
use super::super::span::Span;
use super::constant::level;
use super::fold::{Value, symbol_value};
use super::{Parser, Result};

/// Whether a word, without its dot, names an element of a vector register, or, in a video
/// instruction, the bytes or halves of a register: `.x`, `.r`, `.b0`, `.h1`, `.b3210`.
pub(super) fn is_member(word: &str) -> bool {
    match word.as_bytes() {
        [b'x' | b'y' | b'z' | b'w' | b'r' | b'g' | b'b' | b'a'] => true,
        [b'b' | b'h', digits @ ..] => {
            (1..=4).contains(&digits.len()) && digits.iter().all(|d| (b'0'..=b'7').contains(d))
        }
        _ => false,
    }
}

impl Parser<'_> {
    /// One operand.
    pub(super) fn operand(&mut self) -> Result<Operand> {
        self.enter()?;
        let start = self.peek()?.span;
        let kind = match self.peek()?.kind {
            TokenKind::Identifier => self.named()?,
            TokenKind::Punctuation("{") => OperandKind::Vector(self.vector()?),
            TokenKind::Punctuation("[") => self.address()?,
            TokenKind::Punctuation(sign @ ("!" | "-")) if self.is_name_second()? => {
                self.next()?;
                let operand = Box::new(self.operand()?);
                match sign {
                    "!" => OperandKind::Not(operand),
                    _ => OperandKind::Negate(operand),
                }
            }
            TokenKind::Number | TokenKind::Punctuation("(" | "+" | "-" | "!" | "~") => {
                self.constant_operand()?
            }
            _ => return self.unexpected(vec!["an operand"]),
        };
        self.leave();
        Ok(Operand { kind, span: start.to(self.previous) })
    }

    /// `(a, b)` of a call; perhaps empty.
    pub(super) fn list(&mut self) -> Result<Operand> {
        let start = self.expect("(", "`(`")?;
        let operands = match self.at(")")? {
            true => Vec::new(),
            false => self.comma_separated(Self::operand)?,
        };
        self.close(")", "`)`")?;
        Ok(Operand { kind: OperandKind::List(operands), span: start.to(self.previous) })
    }

    fn close(&mut self, sign: &str, quoted: &'static str) -> Result<()> {
        match self.eat(sign)? {
            true => Ok(()),
            false => self.unexpected(vec!["`,`", quoted]),
        }
    }

    fn is_name_second(&mut self) -> Result<bool> {
        let second = self.peek_second()?;
        Ok(second.kind == TokenKind::Identifier && self.slice(second.span) != "WARP_SZ")
    }

    /// What begins with a name: the name, a member, `NAME+N`, `p|q`; or `WARP_SZ`.
    fn named(&mut self) -> Result<OperandKind> {
        if self.at_identifier()? == Some("WARP_SZ") {
            return self.constant_operand();
        }
        let name = self.expect_identifier("a name")?;
        if let Some(word) = self.at_dotted()?.filter(|word| is_member(word)) {
            self.next()?;
            let kind = OperandKind::Member(name.text, self.intern(word));
            return self.paired(kind, name.span);
        }
        if self.at("+")? || self.at("-")? {
            return self.offset(name);
        }
        if self.at("[")? {
            let span = self.peek()?.span;
            return self.error(
                SyntaxErrorKind::Unsupported {
                    what: "a subscript",
                    instead: "write the address as `NAME+BYTES`",
                },
                span,
            );
        }
        let kind = match &*name.text {
            "_" => OperandKind::Sink,
            _ => OperandKind::Name(name.text),
        };
        self.paired(kind, name.span)
    }

    /// `|q` after `p`, if it stands here.
    fn paired(&mut self, first: OperandKind, span: Span) -> Result<OperandKind> {
        let first_span = span.to(self.previous);
        if !self.eat("|")? {
            return Ok(first);
        }
        if self.at_identifier()?.is_none() {
            return self.unexpected(vec!["a register"]);
        }
        let first = Operand { kind: first, span: first_span };
        let second = self.operand()?;
        Ok(OperandKind::Pair(Box::new(first), Box::new(second)))
    }

    fn offset(&mut self, name: Name) -> Result<OperandKind> {
        let start = name.span;
        match self.continue_expression(symbol_value(name), level::SUM)? {
            Value::Symbol(symbol) => Ok(OperandKind::Offset(symbol.name.text, symbol.offset)),
            value => self.wrong_constant("a name and a number of bytes", &value, start),
        }
    }

    fn constant_operand(&mut self) -> Result<OperandKind> {
        let start = self.peek()?.span;
        Ok(match self.expression()? {
            Value::Integer(integer) => OperandKind::Integer(integer.value()),
            Value::F32(bits) => OperandKind::F32(bits),
            Value::F64(value) => OperandKind::F64(value.to_bits()),
            Value::Symbol(symbol) if !symbol.generic && symbol.mask.is_none() => {
                OperandKind::Offset(symbol.name.text, symbol.offset)
            }
            value => return self.wrong_constant("a number or a name", &value, start),
        })
    }

    /// `{a, b}`
    fn vector(&mut self) -> Result<Vec<Operand>> {
        self.next()?;
        let operands = self.comma_separated(Self::operand)?;
        self.close("}", "`}`")?;
        Ok(operands)
    }

    /// `[BASE+N]` or `[a, {b, c}]`
    fn address(&mut self) -> Result<OperandKind> {
        self.next()?;
        let start = self.peek()?.span;
        let base = match self.at_identifier()? {
            Some(_) => {
                let name = self.expect_identifier("a name")?;
                self.continue_expression(symbol_value(name), level::SUM)?
            }
            None => self.expression()?,
        };
        let kind = match base {
            Value::Symbol(symbol) if !symbol.generic && symbol.mask.is_none() => {
                OperandKind::Address(AddressBase::Name(symbol.name.text), symbol.offset)
            }
            Value::Integer(integer) => self.absolute(integer.value(), start)?,
            value => return self.wrong_constant("an address", &value, start),
        };
        if !self.at(",")? {
            return match self.eat("]")? {
                true => Ok(kind),
                false => self.unexpected(vec!["`]`", "`+`", "`,`"]),
            };
        }
        self.tuple(kind, start)
    }

    fn absolute(&mut self, value: i128, start: Span) -> Result<OperandKind> {
        match u64::try_from(value) {
            Ok(address) => Ok(OperandKind::Address(AddressBase::Absolute(address), 0)),
            Err(_) => {
                let max = u64::MAX.into();
                let kind = SyntaxErrorKind::OutOfRange { what: "address", value, min: 0, max };
                self.error(kind, start.to(self.previous))
            }
        }
    }

    /// What follows the first element of `[a, {b, c}]`.
    fn tuple(&mut self, first: OperandKind, start: Span) -> Result<OperandKind> {
        let kind = match first {
            OperandKind::Address(AddressBase::Name(name), 0) => OperandKind::Name(name),
            OperandKind::Address(AddressBase::Name(name), by) => OperandKind::Offset(name, by),
            OperandKind::Address(AddressBase::Absolute(value), _) => {
                OperandKind::Integer(value.into())
            }
            other => other,
        };
        let mut operands = vec![Operand { kind, span: start.to(self.previous) }];
        while self.eat(",")? {
            operands.push(self.operand()?);
        }
        self.close("]", "`]`")?;
        Ok(OperandKind::Tuple(operands))
    }
}
