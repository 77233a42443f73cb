//! Printing of debugging directives.

use std::fmt::{self, Write};

use super::super::ast::{File, Loc, Section, SectionLine, SectionValue};
use super::Separated;
use super::operand::Sum;

impl fmt::Display for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".file\t{} \"{}\"", self.index, self.name)?;
        match self.stamp {
            Some((time, size)) => write!(f, ", {time}, {size}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Loc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".loc\t{} {} {}", self.file, self.line, self.column)?;
        if let Some((name, offset)) = &self.function_name {
            write!(f, ", function_name {name}{}", Sum(*offset))?;
        }
        match self.inlined_at {
            Some((file, line, column)) => write!(f, ", inlined_at {file} {line} {column}"),
            None => Ok(()),
        }
    }
}

/// A section with its braces.
pub(super) fn write_section(out: &mut String, section: &Section) -> fmt::Result {
    writeln!(out, "\t.section\t{}\n\t{{", section.name)?;
    for line in &section.lines {
        match line {
            SectionLine::Label(name) => writeln!(out, "{name}:")?,
            SectionLine::Data(ty, values) => writeln!(out, "{ty} {}", Separated(values, ","))?,
        }
    }
    out.write_str("\t}\n")
}

impl fmt::Display for SectionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SectionValue::Integer(value) => value.fmt(f),
            SectionValue::Symbol(name, offset) => write!(f, "{name}{}", Sum(*offset)),
            SectionValue::Difference(from, to) => write!(f, "{from}-{to}"),
        }
    }
}
