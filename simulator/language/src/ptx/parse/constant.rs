//! The grammar of constant expressions (PTX ISA 4.5.3): precedence, casts, masks, symbols. `fold`
//! has the effect of operators on values.

use super::super::error::{SyntaxError, SyntaxErrorKind};
use super::super::lexer::{Sign, TokenKind};
use super::super::number::{self, Number};
use super::super::span::Span;
use super::fold::{Integer, Symbol, Value, binary, choose, symbol_value, unary};
use super::{Parser, Result};

/// How tightly operators bind; `?:` binds least.
pub(super) mod level {
    pub(in super::super) const ANY: u8 = 1;
    pub(in super::super) const SHIFT: u8 = 8;
    pub(in super::super) const SUM: u8 = 9;
}

fn binding(sign: Sign) -> Option<u8> {
    Some(match sign.0 {
        b'|' => 3,
        b'^' => 4,
        b'&' => 5,
        b'<' | b'>' => 7,
        b'+' | b'-' => level::SUM,
        b'*' | b'/' | b'%' => 10,
        _ => match sign.text() {
            "||" => 1,
            "&&" => 2,
            "==" | "!=" => 6,
            "<=" | ">=" => 7,
            "<<" | ">>" => level::SHIFT,
            _ => return None,
        },
    })
}

impl Parser<'_> {
    /// A whole expression.
    pub(super) fn expression(&mut self) -> Result<Value> {
        self.enter()?;
        // Most are numbers, and nothing more.
        let first = match self.peek()?.kind {
            TokenKind::Number => self.number_or_mask()?,
            _ => self.unary()?,
        };
        let value = self.expression_after(first)?;
        self.leave();
        Ok(value)
    }

    /// The rest of an expression after its first operand.
    fn expression_after(&mut self, first: Value) -> Result<Value> {
        if self.at_end_of_value()? {
            return Ok(first);
        }
        let condition = self.continue_expression(first, level::ANY)?;
        match self.at("?")? {
            true => self.conditional(&condition),
            false => Ok(condition),
        }
    }

    /// Whether what comes next is no operator: mostly so.
    #[inline]
    fn at_end_of_value(&mut self) -> Result<bool> {
        Ok(match self.peek()?.kind {
            TokenKind::Punctuation(sign) => matches!(sign, Sign(b',' | b';' | b']' | b'}')),
            TokenKind::Dotted | TokenKind::Identifier | TokenKind::End => true,
            TokenKind::Number | TokenKind::String => true,
        })
    }

    /// An expression of operators that bind at least as tightly as `lowest`.
    pub(super) fn expression_of(&mut self, lowest: u8) -> Result<Value> {
        let first = self.unary()?;
        self.continue_expression(first, lowest)
    }

    /// What follows the first operand of an expression.
    pub(super) fn continue_expression(&mut self, first: Value, lowest: u8) -> Result<Value> {
        let mut left = first;
        while let TokenKind::Punctuation(sign) = self.peek()?.kind {
            let Some(level) = binding(sign).filter(|level| *level >= lowest) else { break };
            let place = self.next()?.span;
            let right = self.unary()?;
            let right = self.continue_expression(right, level + 1)?;
            left = binary(sign.text(), left, right)
                .map_err(|kind| SyntaxError { kind, span: place })?;
        }
        Ok(left)
    }

    fn conditional(&mut self, condition: &Value) -> Result<Value> {
        let place = self.next()?.span;
        let yes = self.expression()?;
        self.expect(":", "`:`")?;
        let no = self.expression()?;
        choose(condition, yes, no).map_err(|kind| SyntaxError { kind, span: place }.into())
    }

    fn unary(&mut self) -> Result<Value> {
        let token = self.peek()?;
        let TokenKind::Punctuation(sign @ Sign(b'+' | b'-' | b'!' | b'~')) = token.kind else {
            return self.primary();
        };
        self.next()?;
        if sign == Sign(b'-') && self.eat_least_integer()? {
            return Ok(Value::Integer(Integer::signed(i64::MIN)));
        }
        self.enter()?;
        let operand = self.unary()?;
        self.leave();
        unary(sign.text(), operand).map_err(|kind| SyntaxError { kind, span: token.span }.into())
    }

    /// Takes `9223372036854775808`.
    fn eat_least_integer(&mut self) -> Result<bool> {
        let token = self.peek()?;
        let there = token.kind == TokenKind::Number
            && self.slice(token.span) == i64::MIN.unsigned_abs().to_string();
        if there {
            self.next()?;
        }
        Ok(there)
    }

    fn primary(&mut self) -> Result<Value> {
        let token = self.peek()?;
        match token.kind {
            TokenKind::Number => self.number_or_mask(),
            TokenKind::Identifier => self.symbol(),
            TokenKind::Dotted if self.slice(token.span).starts_with(".debug_") => {
                self.next()?;
                Ok(symbol_value(self.name(token.span)))
            }
            TokenKind::Punctuation(Sign(b'(')) => self.parenthesis(),
            _ => self.unexpected(vec!["a constant"]),
        }
    }

    /// `N`, or `MASK(ADDRESS)`.
    fn number_or_mask(&mut self) -> Result<Value> {
        let span = self.next()?.span;
        let error = |kind| SyntaxError { kind, span };
        let value = match number::parse(self.slice(span)).map_err(error)? {
            Number::Integer(bits, unsigned) => {
                let signed = !unsigned && i64::try_from(bits).is_ok();
                Value::Integer(Integer { bits, signed })
            }
            Number::F32(bits) => Value::F32(bits),
            Number::F64(bits) => Value::F64(f64::from_bits(bits)),
        };
        match value {
            Value::Integer(mask) if self.at("(")? => self.masked(mask.bits, span),
            value => Ok(value),
        }
    }

    fn masked(&mut self, mask: u64, span: Span) -> Result<Value> {
        match self.parenthesis()? {
            Value::Symbol(symbol) if symbol.mask.is_none() => {
                Ok(Value::Symbol(Symbol { mask: Some(mask), ..symbol }))
            }
            other => self.wrong_constant("a symbol under the mask", &other, span),
        }
    }

    /// A symbol, `generic(...)` or `WARP_SZ`.
    fn symbol(&mut self) -> Result<Value> {
        let span = self.next()?.span;
        match self.slice(span) {
            "WARP_SZ" => Ok(Value::Integer(Integer::signed(32))),
            "generic" if self.at("(")? => match self.parenthesis()? {
                Value::Symbol(symbol) if !symbol.generic => {
                    Ok(Value::Symbol(Symbol { generic: true, ..symbol }))
                }
                other => self.wrong_constant("a symbol", &other, span),
            },
            _ => Ok(symbol_value(self.name(span))),
        }
    }

    /// `(EXPRESSION)` or a cast.
    fn parenthesis(&mut self) -> Result<Value> {
        let open = self.next()?.span;
        if let Some(word @ ("s64" | "u64")) = self.at_dotted()? {
            self.next()?;
            self.expect(")", "`)`")?;
            self.enter()?;
            let operand = self.unary()?;
            self.leave();
            return match operand {
                Value::Integer(Integer { bits, .. }) => {
                    Ok(Value::Integer(Integer { bits, signed: word == "s64" }))
                }
                other => self.wrong_constant("an integer", &other, open),
            };
        }
        let value = self.expression()?;
        match self.eat(")")? {
            true => Ok(value),
            false => self.unexpected(vec!["`)`", "an operator"]),
        }
    }

    // What a place wants of an expression.

    /// An integer, in parentheses where it holds operators weaker than shifts.
    pub(super) fn count_constant(&mut self) -> Result<i128> {
        let start = self.peek()?.span;
        let value = self.expression_of(level::SHIFT)?;
        self.want_integer(value, start)
    }

    /// An integer.
    pub(super) fn integer_constant(&mut self) -> Result<i128> {
        let start = self.peek()?.span;
        let value = self.expression()?;
        self.want_integer(value, start)
    }

    fn want_integer(&mut self, value: Value, start: Span) -> Result<i128> {
        match value {
            Value::Integer(integer) => Ok(integer.value()),
            other => self.wrong_constant("an integer", &other, start),
        }
    }

    /// An error from `start` to here: the constant is of the wrong sort.
    pub(super) fn wrong_constant<T>(
        &self,
        expected: &'static str,
        value: &Value,
        start: Span,
    ) -> Result<T> {
        let kind = SyntaxErrorKind::ConstantType { expected, found: value.sort() };
        self.error(kind, start.to(self.previous))
    }
}
