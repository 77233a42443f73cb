//! Initial values of variables (PTX ISA 5.4.4).

use super::super::ast::{InitValue, Initializer};
use super::fold::{Symbol, Value};
use super::{Parser, Result};

impl Parser<'_> {
    /// The value after the `=`.
    pub(super) fn initializer(&mut self) -> Result<Initializer> {
        let start = self.peek()?.span;
        if !self.eat("{")? {
            let value = self.initial_value()?;
            return Ok(Initializer::Value(value, start.to(self.previous)));
        }
        self.enter()?;
        let items = match self.at("}")? {
            true => Vec::new(),
            false => self.comma_separated(Self::initializer)?,
        };
        self.leave();
        match self.eat("}")? {
            true => Ok(Initializer::List(items, start.to(self.previous))),
            false => self.unexpected(vec!["`,`", "`}`"]),
        }
    }

    fn initial_value(&mut self) -> Result<InitValue> {
        let start = self.peek()?.span;
        Ok(match self.expression()? {
            Value::Integer(integer) => InitValue::Integer(integer.value()),
            Value::F32(bits) => InitValue::F32(bits),
            Value::F64(value) => InitValue::F64(value.to_bits()),
            Value::Symbol(Symbol { name, generic, offset, mask }) => {
                InitValue::Address { symbol: name, generic, offset, mask }
            }
            value @ Value::Difference(..) => {
                return self.wrong_constant("a number or an address", &value, start);
            }
        })
    }
}
