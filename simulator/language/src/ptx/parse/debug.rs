//! Debugging directives: `.file`, `.loc`, `.section` (PTX ISA 11.5).

use super::super::ast::{File, Loc, Name, Section, SectionLine, SectionValue, Type};
use super::super::lexer::TokenKind;
use super::constant::level;
use super::fold::{Value, symbol_value};
use super::{Parser, Result};

impl Parser<'_> {
    /// `.file INDEX "NAME" [, TIMESTAMP, SIZE]`
    pub(super) fn file(&mut self) -> Result<File> {
        let start = self.next()?.span;
        let index = self.file_index()?;
        let name = self.expect_string("a file name in quotes")?;
        let stamp = match self.eat(",")? {
            true => {
                let time = self.expect_integer("timestamp", 0, u64::MAX)?;
                self.expect(",", "`,`")?;
                Some((time, self.expect_integer("file size", 0, u64::MAX)?))
            }
            false => None,
        };
        Ok(File { index, name, stamp, span: start.to(self.previous) })
    }

    /// `.loc FILE LINE COLUMN [, function_name LABEL[+N], inlined_at FILE LINE COLUMN]`
    pub(super) fn loc(&mut self) -> Result<Loc> {
        let start = self.next()?.span;
        let (file, line, column) = self.place()?;
        let mut loc = Loc {
            file,
            line,
            column,
            function_name: None,
            inlined_at: None,
            span: start.to(self.previous),
        };
        while self.eat(",")? {
            match self.at_identifier()? {
                Some("function_name") if loc.function_name.is_none() => {
                    self.next()?;
                    let name = self.expect_identifier("the label of a name in `.debug_str`")?;
                    loc.function_name = Some(self.label_and_offset(name)?);
                }
                Some("inlined_at") if loc.inlined_at.is_none() => {
                    self.next()?;
                    loc.inlined_at = Some(self.place()?);
                }
                _ => return self.unexpected(vec!["`function_name`", "`inlined_at`"]),
            }
        }
        loc.span = start.to(self.previous);
        Ok(loc)
    }

    /// The index of a file, in the whole module.
    fn file_index(&mut self) -> Result<u32> {
        let index = self.expect_u32("file index")?;
        Ok(index.saturating_add(self.files))
    }

    fn place(&mut self) -> Result<(u32, u32, u32)> {
        let file = self.file_index()?;
        let line = self.expect_u32("line number")?;
        Ok((file, line, self.expect_u32("column")?))
    }

    /// What follows a label: `+N`, `-N`, or nothing.
    fn label_and_offset(&mut self, label: Name) -> Result<(Name, i64)> {
        let start = label.span;
        match self.continue_expression(symbol_value(label), level::SUM)? {
            Value::Symbol(symbol) => Ok((symbol.name, symbol.offset)),
            value => self.wrong_constant("a label and a number of bytes", &value, start),
        }
    }

    /// `.section NAME { ... }`
    pub(super) fn section(&mut self) -> Result<Section> {
        let start = self.next()?.span;
        let token = self.peek()?;
        if token.kind != TokenKind::Dotted {
            return self.unexpected(vec!["a section's name such as `.debug_info`"]);
        }
        self.next()?;
        let name = self.word_of(token.span);
        self.expect("{", "`{`")?;
        let mut lines = Vec::new();
        while !self.eat("}")? {
            lines.push(self.section_line()?);
        }
        Ok(Section { name, lines, span: start.to(self.previous) })
    }

    fn section_line(&mut self) -> Result<SectionLine> {
        if self.at_identifier()?.is_some() {
            let label = self.expect_identifier("a label")?;
            self.expect(":", "`:`")?;
            return Ok(SectionLine::Label(label));
        }
        match self.at_dotted()?.and_then(Type::from_keyword) {
            Some(ty @ (Type::B8 | Type::B16 | Type::B32 | Type::B64)) => {
                self.next()?;
                Ok(SectionLine::Data(ty, self.section_values()?))
            }
            _ => self.unexpected(vec!["`.b8`", "`.b16`", "`.b32`", "`.b64`", "a label", "`}`"]),
        }
    }

    fn section_values(&mut self) -> Result<Vec<SectionValue>> {
        // Gathered in one place, so that each line allocates once, and no more than it needs.
        let mut values = std::mem::take(&mut self.data);
        loop {
            // Nearly all of them.
            while let Some(value) = self.plain_integer_and_comma()? {
                values.push(SectionValue::Integer(value.into()));
            }
            values.push(self.section_value()?);
            if !self.eat(",")? {
                break;
            }
        }
        let mut of_line = Vec::with_capacity(values.len());
        of_line.append(&mut values);
        self.data = values;
        Ok(of_line)
    }

    fn section_value(&mut self) -> Result<SectionValue> {
        let start = self.peek()?.span;
        Ok(match self.expression()? {
            Value::Integer(integer) => SectionValue::Integer(integer.value()),
            Value::Symbol(symbol) if !symbol.generic && symbol.mask.is_none() => {
                SectionValue::Symbol(symbol.name, symbol.offset)
            }
            Value::Difference(from, to) => SectionValue::Difference(from, to),
            value => return self.wrong_constant("an integer or a label", &value, start),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::ptx::{Item, SectionLine, SectionValue, SyntaxError, parse};

    /// What a line of data holds.
    fn data(values: &str) -> Result<Vec<SectionValue>, SyntaxError> {
        let text = format!(".version 8.5 .target sm_80 .section .debug_x {{ .b64 {values} }}");
        match parse("k.ptx", &text)?.items.as_slice() {
            [Item::Section(section)] => match section.lines.as_slice() {
                [SectionLine::Data(_, values)] => Ok(values.clone()),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_number_has_the_same_value_before_a_comma_and_at_the_end_of_its_line() {
        for (number, value) in [
            ("0", 0),
            ("7", 7),
            ("010", 8),
            ("0x1f", 31),
            ("0b11", 3),
            ("12U", 12),
            ("9999999999999999999", 9_999_999_999_999_999_999),
            ("10000000000000000000", 10_000_000_000_000_000_000),
            ("18446744073709551615", u64::MAX.into()),
            ("-5", -5),
            ("1+2", 3),
            ("/* one */ 1 // a comment\n", 1),
        ] {
            let value = SectionValue::Integer(value);
            let line = format!("{number},{number} ,\n{number}");
            assert_eq!(data(&line), Ok(vec![value.clone(), value.clone(), value]), "{number}");
        }
    }

    #[test]
    fn what_is_no_number_is_refused_before_a_comma_too() {
        for (number, message) in [
            ("08", "`08` is not a number: after a leading 0 come octal digits"),
            ("18446744073709551616", "`18446744073709551616` does not fit into 64 bits"),
            ("1.5", "expected an integer or a label, found a floating-point number"),
            (
                "12a",
                "`12a` is not a number: a decimal integer has digits, and `U` at most at its end",
            ),
        ] {
            let error = data(&format!("{number},1")).unwrap_err();
            assert_eq!(error.to_string(), message, "{number}");
        }
    }
}
