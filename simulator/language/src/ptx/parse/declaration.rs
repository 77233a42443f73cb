//! Variables and registers (PTX ISA 5.1, 5.4): everything between a state space and a `;`.

use super::super::ast::{Linkage, Name, Registers, Space, Type, Variable};
use super::super::error::SyntaxErrorKind;
use super::super::limits;
use super::super::span::Span;
use super::{Parser, Result};

/// Whether a directive begins the declaration of a variable.
pub(super) fn begins_variable(word: &str) -> bool {
    Space::from_keyword(word).is_some()
}

/// What all declarators of one declaration share.
struct Shared {
    linkage: Option<Linkage>,
    space: Space,
    attributes: Vec<Name>,
    align: Option<u32>,
    vector: u32,
    ty: Type,
}

impl Parser<'_> {
    /// `.extern`, `.visible`, `.weak` or `.common`, if one is here.
    pub(super) fn linkage(&mut self) -> Result<Option<Linkage>> {
        let linkage = self.at_dotted()?.and_then(Linkage::from_keyword);
        if linkage.is_some() {
            self.next()?;
        }
        Ok(linkage)
    }

    /// `.SPACE ... a, b[4] = {...}, c;`: one variable for each declarator.
    pub(super) fn variable_declaration(
        &mut self,
        linkage: Option<Linkage>,
        start: Span,
    ) -> Result<Vec<Variable>> {
        let Some(space) = self.at_dotted()?.and_then(Space::from_keyword) else {
            return self.unexpected(vec!["a state space"]);
        };
        self.next()?;
        let mut attributes = Vec::new();
        let mut align = None;
        loop {
            match self.at_dotted()? {
                Some("attribute") => attributes.extend(self.attributes()?),
                Some("align") => align = self.alignment()?,
                _ => break,
            }
        }
        let vector = self.vector_length()?;
        let ty = self.ty()?;
        let shared = Shared { linkage, space, attributes, align, vector, ty };
        let mut variables = vec![self.declarator(&shared, start)?];
        while self.eat(",")? {
            let start = self.peek()?.span;
            variables.push(self.declarator(&shared, start)?);
        }
        match variables.last().is_some_and(|variable| variable.init.is_none()) {
            true => self.expect_semicolon(&["`,`", "`=`", "`[`"])?,
            false => self.expect_semicolon(&["`,`"])?,
        };
        Ok(variables)
    }

    fn declarator(&mut self, shared: &Shared, start: Span) -> Result<Variable> {
        let name = self.expect_identifier("a variable's name")?;
        let count = self.count()?;
        let mut dims = Vec::new();
        while self.at("[")? {
            dims.push(self.dimension()?);
        }
        self.check_size(shared, count, &dims, start.to(self.previous))?;
        let init = match self.eat("=")? {
            true => Some(self.initializer()?),
            false => None,
        };
        Ok(Variable {
            linkage: shared.linkage,
            space: shared.space,
            attributes: shared.attributes.clone(),
            align: shared.align,
            vector: shared.vector,
            ty: shared.ty,
            name,
            count,
            dims,
            init,
            span: start.to(self.previous),
        })
    }

    fn check_size(
        &mut self,
        shared: &Shared,
        count: Option<u32>,
        dims: &[Option<u64>],
        span: Span,
    ) -> Result<()> {
        let element = u64::from(shared.ty.bytes().unwrap_or(1)) * u64::from(shared.vector);
        let mut factors = dims.iter().map(|dim| dim.unwrap_or(1)).chain(count.map(u64::from));
        let bytes = factors.try_fold(element, |bytes, factor| {
            bytes.checked_mul(factor).filter(|bytes| *bytes <= limits::VARIABLE_BYTES)
        });
        match bytes {
            Some(_) => Ok(()),
            None => {
                let limit = limits::VARIABLE_BYTES;
                self.error(SyntaxErrorKind::VariableTooLarge { limit }, span)
            }
        }
    }

    /// `.reg .TYPE a, b<N>;`
    pub(super) fn registers(&mut self) -> Result<Registers> {
        let start = self.next()?.span;
        let vector = self.vector_length()?;
        let ty = self.ty()?;
        let names = self.comma_separated(|parser| {
            let name = parser.expect_identifier("a register's name")?;
            Ok((name, parser.count()?))
        })?;
        let end = match names.last() {
            Some((_, None)) => self.expect_semicolon(&["`,`", "`<`"])?,
            _ => self.expect_semicolon(&["`,`"])?,
        };
        Ok(Registers { ty, vector, names, span: start.to(end) })
    }

    /// `<N>`, if it is here; counted against the limit either way.
    fn count(&mut self) -> Result<Option<u32>> {
        let start = self.previous;
        if !self.eat("<")? {
            self.count_variables(1, start)?;
            return Ok(None);
        }
        let number = self.peek()?.span;
        let value = self.count_constant()?;
        let span = number.to(self.previous);
        self.expect(">", "`>`")?;
        let max = i128::from(u64::MAX);
        match u64::try_from(value) {
            Ok(count) => self.count_variables(count, span)?,
            Err(_) => {
                let kind = SyntaxErrorKind::OutOfRange { what: "count", value, min: 0, max };
                return self.error(kind, span);
            }
        }
        Ok(u32::try_from(value).ok())
    }

    fn count_variables(&mut self, count: u64, span: Span) -> Result<()> {
        self.variables = self.variables.saturating_add(count);
        if self.variables > limits::REGISTERS.into() {
            let kind = SyntaxErrorKind::TooManyVariables {
                count: self.variables,
                limit: limits::REGISTERS,
            };
            return self.error(kind, span);
        }
        Ok(())
    }

    /// `.align N`, if it is here.
    pub(super) fn alignment(&mut self) -> Result<Option<u32>> {
        if !self.eat_dotted("align")? {
            return Ok(None);
        }
        let start = self.peek()?.span;
        let value = self.expect_integer("alignment", 0, u64::MAX)?;
        match u32::try_from(value) {
            Ok(align) if align.is_power_of_two() && align <= 1 << 30 => Ok(Some(align)),
            _ => {
                let kind = SyntaxErrorKind::Alignment { value: value.into() };
                self.error(kind, start.to(self.previous))
            }
        }
    }

    /// `.v2`, `.v4`, `.v8`; 1 when there is none.
    pub(super) fn vector_length(&mut self) -> Result<u32> {
        let length = match self.at_dotted()? {
            Some("v2") => 2,
            Some("v4") => 4,
            Some("v8") => 8,
            _ => return Ok(1),
        };
        self.next()?;
        Ok(length)
    }

    /// A type.
    pub(super) fn ty(&mut self) -> Result<Type> {
        match self.at_dotted()?.and_then(Type::from_keyword) {
            Some(ty) => {
                self.next()?;
                Ok(ty)
            }
            None => self.unexpected(vec!["a type such as `.b32`"]),
        }
    }

    /// `[N]` or `[]`.
    pub(super) fn dimension(&mut self) -> Result<Option<u64>> {
        self.expect("[", "`[`")?;
        if self.eat("]")? {
            return Ok(None);
        }
        let start = self.peek()?.span;
        let value = self.integer_constant()?;
        let span = start.to(self.previous);
        self.expect("]", "`]`")?;
        match u64::try_from(value) {
            Ok(size) => Ok(Some(size)),
            Err(_) => {
                let max = limits::VARIABLE_BYTES.into();
                let what = "array dimension";
                self.error(SyntaxErrorKind::OutOfRange { what, value, min: 0, max }, span)
            }
        }
    }

    /// `.attribute(.managed, .unified(1, 2))`: each attribute with its dot and its numbers.
    pub(super) fn attributes(&mut self) -> Result<Vec<Name>> {
        self.next()?;
        self.expect("(", "`(`")?;
        let attributes = self.comma_separated(Self::attribute)?;
        self.expect(")", "`)`")?;
        Ok(attributes)
    }

    fn attribute(&mut self) -> Result<Name> {
        let start = self.peek()?.span;
        let mut text = match self.at_dotted()? {
            Some(word) => format!(".{word}"),
            None => return self.unexpected(vec!["an attribute such as `.managed`"]),
        };
        self.next()?;
        if self.eat("(")? {
            let number = |parser: &mut Self| parser.expect_integer("number", 0, u64::MAX);
            let numbers = self.comma_separated(number)?;
            let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
            text = format!("{text}({})", numbers.join(", "));
            self.expect(")", "`)`")?;
        }
        Ok(Name { text: text.into(), span: start.to(self.previous) })
    }
}
