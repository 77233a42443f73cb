//! Bodies of functions: statements and nested scopes (PTX ISA 4.3, 9.7.12).

use super::super::ast::{Block, CallPrototype, Name, Statement};
use super::super::error::SyntaxErrorKind;
use super::super::lexer::{Sign, TokenKind};
use super::super::number;
use super::{Parser, Result};

const KNOWN: &str = "a body can contain .reg, .shared, .local, .param, .loc, .pragma and, after a \
                     label, .branchtargets, .calltargets and .callprototype";

impl Parser<'_> {
    /// `{ ... }`
    pub(super) fn block(&mut self) -> Result<Block> {
        let start = self.expect("{", "`{`")?;
        self.enter()?;
        let mut statements = Vec::new();
        while !self.eat("}")? {
            self.statement(&mut statements)?;
        }
        self.leave();
        Ok(Block { statements, span: start.to(self.previous) })
    }

    /// One statement; a declaration of several variables becomes several.
    fn statement(&mut self, statements: &mut Vec<Statement>) -> Result<()> {
        let token = self.peek()?;
        let statement = match token.kind {
            TokenKind::Dotted => return self.directive_statement(statements),
            TokenKind::Identifier => match self.peek_second()?.kind {
                TokenKind::Punctuation(Sign(b':')) => self.labelled()?,
                _ => Statement::Instruction(self.instruction()?),
            },
            TokenKind::Punctuation(Sign(b'@')) => Statement::Instruction(self.instruction()?),
            TokenKind::Punctuation(Sign(b'{')) => Statement::Block(self.block()?),
            _ => return self.unexpected(vec!["an instruction", "a directive", "a label", "`}`"]),
        };
        statements.push(statement);
        Ok(())
    }

    fn directive_statement(&mut self, statements: &mut Vec<Statement>) -> Result<()> {
        let token = self.peek()?;
        let statement = match self.word(token) {
            "reg" => Statement::Registers(self.registers()?),
            "loc" => Statement::Loc(self.loc()?),
            "pragma" => Statement::Pragma(self.pragma()?),
            word => {
                let linkage = self.linkage()?;
                if linkage.is_none() && !super::declaration::begins_variable(word) {
                    let kind = SyntaxErrorKind::UnknownDirective {
                        name: format!(".{}", number::shorten(word)),
                        place: "in a body",
                        known: KNOWN,
                    };
                    return self.error(kind, token.span);
                }
                let variables = self.variable_declaration(linkage, token.span)?;
                statements.extend(variables.into_iter().map(|v| Statement::Variable(Box::new(v))));
                return Ok(());
            }
        };
        statements.push(statement);
        Ok(())
    }

    /// `NAME:`, and what belongs to the name when it names a table or a prototype.
    fn labelled(&mut self) -> Result<Statement> {
        let name = self.expect_identifier("a label")?;
        self.expect(":", "`:`")?;
        match self.at_dotted()? {
            Some("branchtargets") => Ok(Statement::BranchTargets(name, self.targets()?)),
            Some("calltargets") => Ok(Statement::CallTargets(name, self.targets()?)),
            Some("callprototype") => self.prototype(name),
            _ => Ok(Statement::Label(name)),
        }
    }

    fn targets(&mut self) -> Result<Vec<Name>> {
        self.next()?;
        let names = self.comma_separated(|parser| parser.expect_identifier("a name"))?;
        self.expect_semicolon(&["`,`"])?;
        Ok(names)
    }

    /// `.callprototype (RETURNS) _ (PARAMETERS) DIRECTIVES;`
    fn prototype(&mut self, name: Name) -> Result<Statement> {
        self.next()?;
        let returns = match self.at("(")? {
            true => self.parameters()?,
            false => Vec::new(),
        };
        self.expect_identifier("`_`")?;
        let params = match self.at("(")? {
            true => self.parameters()?,
            false => Vec::new(),
        };
        let directives = self.prototype_directives()?;
        let end = self.expect_semicolon(&[])?;
        let span = name.span.to(end);
        Ok(Statement::CallPrototype(Box::new(CallPrototype {
            name,
            returns,
            params,
            directives,
            span,
        })))
    }
}
