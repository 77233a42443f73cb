//! Instructions (PTX ISA 4.3.2, 9.7), whatever their opcode: guard, opcode, modifiers, operands.
//!
//! The grammar needs to know almost nothing of opcodes, with two exceptions. If an opcode takes no
//! operands, any other token behind it begins the next statement, and the `;` before that is
//! missing. And `call` has its arguments in parentheses, which elsewhere enclose a constant.

use super::super::ast::{Guard, InstId, Instruction, Name, Operand};
use super::super::lexer::{Sign, TokenKind};
use super::operand::is_member;
use super::{Parser, Result};

/// Opcodes that take no operands, with any modifiers.
const WITHOUT_OPERANDS: [&str; 7] =
    ["ret", "exit", "trap", "brkpt", "membar", "fence", "griddepcontrol"];

/// Opcodes that take none with a certain modifier.
const WITHOUT_OPERANDS_WITH: [(&str, &str); 9] = [
    ("barrier", "cluster"),
    ("cp", "commit_group"),
    ("cp", "wait_all"),
    ("wgmma", "fence"),
    ("wgmma", "commit_group"),
    ("tcgen05", "relinquish_alloc_permit"),
    ("tcgen05", "wait::ld"),
    ("tcgen05", "wait::st"),
    ("tcgen05", "fence::before_thread_sync"),
];

impl Parser<'_> {
    /// `[@[!]GUARD] OPCODE.MODIFIER... OPERAND, ...;`
    pub(super) fn instruction(&mut self) -> Result<Instruction> {
        let start = self.peek()?.span;
        let guard = self.guard()?;
        let opcode = self.opcode()?;
        let modifiers = self.modifiers(&opcode)?;
        let operands = self.operands(&opcode, &modifiers)?;
        let end = match operands.is_empty() {
            true => self.expect_semicolon(&[])?,
            false => self.expect_semicolon(&["`,`"])?,
        };
        let id = InstId(self.next_inst);
        self.next_inst = self.next_inst.saturating_add(1);
        Ok(Instruction { id, guard, opcode, modifiers, operands, span: start.to(end) })
    }

    fn guard(&mut self) -> Result<Option<Guard>> {
        if !self.eat("@")? {
            return Ok(None);
        }
        let negated = self.eat("!")?;
        let register = self.expect_identifier("a predicate register")?;
        Ok(Some(Guard { negated, register }))
    }

    fn opcode(&mut self) -> Result<Name> {
        match self.peek()?.kind {
            TokenKind::Identifier => {
                let span = self.next()?.span;
                Ok(self.word_of(span))
            }
            _ => self.unexpected(vec!["an opcode"]),
        }
    }

    fn modifiers(&mut self, opcode: &Name) -> Result<Vec<Name>> {
        self.modifiers.clear();
        while let Some(word) = self.at_dotted()? {
            let statement = match word {
                "reg" | "loc" | "pragma" => true,
                "shared" | "local" | "param" | "const" | "extern" => {
                    takes_no_operands(opcode, &self.modifiers)
                }
                _ => false,
            };
            if statement {
                break;
            }
            let span = self.next()?.span;
            let mut name = self.word_of(super::Span::new(span.start + 1, span.end));
            name.span = span;
            self.modifiers.push(name);
        }
        // A module may have millions of them: no more memory than they need.
        let mut modifiers = Vec::with_capacity(self.modifiers.len());
        modifiers.append(&mut self.modifiers);
        Ok(modifiers)
    }

    fn operands(&mut self, opcode: &Name, modifiers: &[Name]) -> Result<Vec<Operand>> {
        if self.at(";")? || takes_no_operands(opcode, modifiers) || self.at_next_statement()? {
            return Ok(Vec::new());
        }
        let call = &*opcode.text == "call";
        self.operand_list(|parser| match call && parser.at("(")? {
            true => parser.list(),
            false => parser.operand(),
        })
    }

    /// Whether the next statement begins at the place of the first operand. That is a directive, a
    /// guard, a scope, or the end. It may also be a word on a new line that is no register and
    /// continues like no operand.
    fn at_next_statement(&mut self) -> Result<bool> {
        let token = self.peek()?;
        match token.kind {
            TokenKind::End | TokenKind::Dotted | TokenKind::Punctuation(Sign(b'@' | b'}')) => {
                return Ok(true);
            }
            TokenKind::Punctuation(Sign(b'{')) => {
                return Ok(self.peek_second()?.kind == TokenKind::Dotted);
            }
            TokenKind::Identifier => {}
            _ => return Ok(false),
        }
        let between = super::Span::new(self.previous.end, token.span.start);
        if self.slice(token.span).starts_with('%') || !self.slice(between).contains('\n') {
            return Ok(false);
        }
        let second = self.peek_second()?;
        Ok(match second.kind {
            TokenKind::Punctuation(sign) => matches!(sign, Sign(b':' | b'{' | b'@')),
            TokenKind::Dotted => !is_member(self.word(second)),
            _ => true,
        })
    }
}

fn takes_no_operands(opcode: &Name, modifiers: &[Name]) -> bool {
    let opcode = &*opcode.text;
    let has = |word: &str| modifiers.iter().any(|modifier| &*modifier.text == word);
    match opcode {
        "fence" => !has("tensormap::generic"),
        _ => {
            WITHOUT_OPERANDS.contains(&opcode)
                || WITHOUT_OPERANDS_WITH
                    .iter()
                    .any(|(known, word)| *known == opcode && has(word) && !has("mbarrier"))
        }
    }
}
