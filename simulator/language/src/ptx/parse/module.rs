//! The header (PTX ISA 11.1) and the items of module scope.

use super::super::ast::{Item, Module, Name, Pragma, Version};
use super::super::error::SyntaxErrorKind;
use super::super::lexer::TokenKind;
use super::super::span::Source;
use super::{Parser, Result};

const KNOWN: &str = "module scope can contain .entry, .func, variables (.global, .const, .shared, \
                     ...), .file, .section, .pragma and .alias";

impl Parser<'_> {
    /// The whole text.
    pub(super) fn module(&mut self, source: Source) -> Result<Module> {
        let version = self.version()?;
        let target = self.target()?;
        let address_size = self.address_size()?;
        let mut items = Vec::new();
        while self.peek()?.kind != TokenKind::End {
            self.item(&mut items)?;
        }
        Ok(Module { source, version, target, address_size, items, next_inst: self.next_inst })
    }

    fn header(&mut self, word: &str, directive: &'static str) -> Result<()> {
        match self.eat_dotted(word)? {
            true => Ok(()),
            false => {
                let found = self.found()?;
                let span = self.peek()?.span;
                self.error(SyntaxErrorKind::MissingHeader { directive, found }, span)
            }
        }
    }

    fn version(&mut self) -> Result<Version> {
        self.header("version", ".version")?;
        let token = self.peek()?;
        let text = self.slice(token.span);
        let number = |digits: &str| {
            digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse::<u32>().ok()).flatten()
        };
        let version = text.split_once('.').and_then(|(major, minor)| {
            Some(Version { major: number(major)?, minor: number(minor)? })
        });
        match version {
            Some(version) if token.kind == TokenKind::Number => {
                self.next()?;
                Ok(version)
            }
            _ => self.unexpected(vec!["a version such as `8.5`"]),
        }
    }

    fn target(&mut self) -> Result<Vec<Name>> {
        self.header("target", ".target")?;
        self.comma_separated(|parser| parser.expect_identifier("a target such as `sm_80`"))
    }

    fn address_size(&mut self) -> Result<Option<u32>> {
        if !self.eat_dotted("address_size")? {
            return Ok(None);
        }
        let size = self.expect_integer("address size", 32, 64)?;
        match size {
            32 => Ok(Some(32)),
            64 => Ok(Some(64)),
            _ => self.error(
                SyntaxErrorKind::ConstantType {
                    expected: "an address size of 32 or 64",
                    found: "another number",
                },
                self.previous,
            ),
        }
    }

    /// One item; a declaration of several variables becomes several.
    fn item(&mut self, items: &mut Vec<Item>) -> Result<()> {
        let Some(word) = self.at_dotted()? else {
            return self.unexpected(vec!["a directive such as `.visible` or `.global`"]);
        };
        match word {
            "version" => self.duplicate(".version"),
            "target" => self.duplicate(".target"),
            "address_size" => self.duplicate(".address_size"),
            "file" => {
                items.push(Item::File(self.file()?));
                Ok(())
            }
            "section" => {
                items.push(Item::Section(self.section()?));
                Ok(())
            }
            "pragma" => {
                items.push(Item::Pragma(self.pragma()?));
                Ok(())
            }
            "alias" => {
                items.push(self.alias()?);
                Ok(())
            }
            _ => self.function_or_variable(items),
        }
    }

    fn function_or_variable(&mut self, items: &mut Vec<Item>) -> Result<()> {
        let start = self.peek()?.span;
        let linkage = self.linkage()?;
        match self.at_dotted()? {
            Some("entry" | "func") => {
                self.variables = 0;
                items.push(Item::Function(self.function(linkage, start)?));
                Ok(())
            }
            Some(word) if super::declaration::begins_variable(word) => {
                let variables = self.variable_declaration(linkage, start)?;
                items.extend(variables.into_iter().map(Item::Variable));
                Ok(())
            }
            Some(word) => {
                let kind = SyntaxErrorKind::UnknownDirective {
                    name: format!(".{}", super::number::shorten(word)),
                    place: "at module scope",
                    known: KNOWN,
                };
                let span = self.peek()?.span;
                self.error(kind, span)
            }
            None => self.unexpected(vec!["`.entry`", "`.func`", "a state space"]),
        }
    }

    fn duplicate(&mut self, name: &'static str) -> Result<()> {
        let span = self.peek()?.span;
        self.error(SyntaxErrorKind::DuplicateDirective { name }, span)
    }

    /// `.pragma "...", "...";`
    pub(super) fn pragma(&mut self) -> Result<Pragma> {
        let start = self.next()?.span;
        let strings = self.comma_separated(|parser| parser.expect_string("a string"))?;
        let end = self.expect_semicolon(&["`,`"])?;
        Ok(Pragma { strings, span: start.to(end) })
    }

    /// `.alias A, B;`
    fn alias(&mut self) -> Result<Item> {
        self.next()?;
        let alias = self.expect_identifier("a function's name")?;
        self.expect(",", "`,`")?;
        let aliased = self.expect_identifier("a function's name")?;
        self.expect_semicolon(&[])?;
        Ok(Item::Alias(alias, aliased))
    }
}
