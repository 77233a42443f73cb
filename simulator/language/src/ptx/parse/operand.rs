//! Operands of instructions (PTX ISA chapter 6).

use super::super::ast::{AddressBase, Index, Name, Operand, OperandKind};
use super::super::error::SyntaxErrorKind;
use super::super::lexer::{Sign, TokenKind};
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
            TokenKind::Punctuation(Sign(b'{')) => {
                let vector = OperandKind::Vector(self.vector()?);
                self.paired(vector, start)?
            }
            TokenKind::Punctuation(Sign(b'[')) => self.address()?,
            TokenKind::Punctuation(sign @ Sign(b'!' | b'-')) if self.is_name_second()? => {
                self.next()?;
                let operand = Box::new(self.operand()?);
                match sign {
                    Sign(b'!') => OperandKind::Not(operand),
                    _ => OperandKind::Negate(operand),
                }
            }
            TokenKind::Number | TokenKind::Punctuation(Sign(b'(' | b'+' | b'-' | b'!' | b'~')) => {
                self.constant_operand()?
            }
            _ => return self.unexpected(vec!["an operand"]),
        };
        self.leave();
        Ok(Operand { kind, span: start.to(self.previous) })
    }

    /// One or more operands, separated by commas.
    pub(super) fn operand_list(
        &mut self,
        one: impl Fn(&mut Self) -> Result<Operand>,
    ) -> Result<Vec<Operand>> {
        let first = self.operands.len();
        loop {
            let operand = one(self)?;
            self.operands.push(operand);
            if !self.eat(",")? {
                return Ok(self.gathered(first));
            }
        }
    }

    /// The operands from the given one on, in no more memory than they need: a module may have
    /// millions.
    #[inline]
    fn gathered(&mut self, first: usize) -> Vec<Operand> {
        let mut operands = Vec::with_capacity(self.operands.len() - first);
        match first {
            0 => operands.append(&mut self.operands),
            _ => operands.extend(self.operands.drain(first..)),
        }
        operands
    }

    /// `(a, b)` of a call; perhaps empty.
    pub(super) fn list(&mut self) -> Result<Operand> {
        let start = self.expect("(", "`(`")?;
        let operands = match self.at(")")? {
            true => Vec::new(),
            false => self.operand_list(Self::operand)?,
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

    /// What begins with a name: the name, a member, `NAME+N`, `NAME[N]`, `p|q`; or `WARP_SZ`.
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
            return self.subscript(name);
        }
        let kind = match &*name.text {
            "_" => OperandKind::Sink,
            _ => OperandKind::Name(name.text),
        };
        self.paired(kind, name.span)
    }

    /// `|q` after `p`, or after the vector that receives a texture's value, if it is here.
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

    /// `[N]` or `[REGISTER+N]` after the name of an array.
    fn subscript(&mut self, name: Name) -> Result<OperandKind> {
        self.next()?;
        let start = self.peek()?.span;
        let index = match self.expression()? {
            Value::Integer(integer) => {
                Index::Constant(self.element_number(integer.value(), start)?)
            }
            Value::Symbol(symbol) if !symbol.generic && symbol.mask.is_none() => {
                Index::Register(symbol.name.text, symbol.offset)
            }
            value => return self.wrong_constant("a number or a register", &value, start),
        };
        if !self.eat("]")? {
            return self.unexpected(vec!["`]`", "an operator"]);
        }
        if self.at("[")? {
            let span = self.peek()?.span;
            let kind = SyntaxErrorKind::Unsupported {
                what: "a subscript in several dimensions",
                instead: "write the address as `NAME+BYTES`",
            };
            return self.error(kind, span);
        }
        Ok(OperandKind::Subscript(name.text, index))
    }

    fn element_number(&mut self, value: i128, start: Span) -> Result<i64> {
        match i64::try_from(value) {
            Ok(number) => Ok(number),
            Err(_) => {
                let (min, max) = (i64::MIN.into(), i64::MAX.into());
                let kind = SyntaxErrorKind::OutOfRange { what: "subscript", value, min, max };
                self.error(kind, start.to(self.previous))
            }
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
        let operands = self.operand_list(Self::operand)?;
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

#[cfg(test)]
mod tests {
    use crate::ptx::{Index, Item, OperandKind, Statement, SyntaxError, parse, print};

    /// The text of a kernel of one instruction.
    fn kernel(instruction: &str) -> String {
        format!(".version 8.5 .target sm_80 .address_size 64 .entry k() {{ {instruction}; }}")
    }

    fn second_operand(text: &str) -> Result<OperandKind, SyntaxError> {
        let module = parse("k.ptx", text)?;
        let [Item::Function(function)] = module.items.as_slice() else { panic!("{module:?}") };
        let statements = function.body.as_ref().map(|body| body.statements.as_slice());
        let Some([Statement::Instruction(found)]) = statements else { panic!("{statements:?}") };
        Ok(found.operands[1].kind.clone())
    }

    #[test]
    fn subscripts_are_read_and_print_as_they_were() {
        let register = |name: &str, by| Index::Register(name.into(), by);
        for (text, printed, index) in [
            ("a[0]", "a[0]", Index::Constant(0)),
            ("a[-1]", "a[-1]", Index::Constant(-1)),
            ("a[ 0x10 ]", "a[16]", Index::Constant(16)),
            ("a[4-1]", "a[3]", Index::Constant(3)),
            ("a[WARP_SZ]", "a[32]", Index::Constant(32)),
            ("a[%r1]", "a[%r1]", register("%r1", 0)),
            ("a[%r1+2]", "a[%r1+2]", register("%r1", 2)),
            ("a[%r1-2]", "a[%r1+-2]", register("%r1", -2)),
        ] {
            for opcode in ["mov.u64", "ld.shared.u32"] {
                let text = kernel(&format!("{opcode} %r, {text}"));
                let once = print(&parse("k.ptx", &text).unwrap());
                assert!(once.contains(&format!(", {printed};")), "{once}");
                assert_eq!(print(&parse("k.ptx", &once).unwrap()), once);
                let found = Ok(OperandKind::Subscript("a".into(), index.clone()));
                assert_eq!(second_operand(&text), found, "{text}");
                assert_eq!(second_operand(&once), found, "{once}");
            }
        }
    }

    #[test]
    fn what_is_no_subscript_is_an_error() {
        for (operand, message) in [
            ("a[]", "expected a constant, found `]`"),
            ("a[1", "expected `]` or an operator, found `;`"),
            ("a[1.5]", "expected a number or a register, found a floating-point number"),
            ("a[1][2]", "a subscript in several dimensions is not supported"),
            (
                "a[0xffffffffffffffff]",
                "a subscript is between -9223372036854775808 and 9223372036854775807, not \
                 18446744073709551615",
            ),
        ] {
            let error = second_operand(&kernel(&format!("mov.u64 %d, {operand}"))).unwrap_err();
            assert_eq!(error.to_string(), message, "{operand}");
        }
    }
}
