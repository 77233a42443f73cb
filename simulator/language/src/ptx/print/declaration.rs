//! Printing of names, types, variables, registers, parameters and initial values.

use std::fmt;

use super::super::ast::{
    InitValue, Initializer, Linkage, Name, Parameter, Registers, Space, Type, Variable,
};
use super::Separated;
use super::operand::{Exact, Sum};

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// With its dot.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".{}", self.keyword())
    }
}

/// With its dot.
impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".{}", self.keyword())
    }
}

/// With its dot.
impl fmt::Display for Linkage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".{}", self.keyword())
    }
}

/// Without the semicolon.
impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(linkage) = self.linkage {
            write!(f, "{linkage} ")?;
        }
        write!(f, "{}", self.space)?;
        if !self.attributes.is_empty() {
            write!(f, " .attribute({})", Separated(&self.attributes, ", "))?;
        }
        write_align(f, self.align)?;
        write_vector(f, self.vector)?;
        write!(f, " {} {}", self.ty, self.name)?;
        write_count(f, self.count)?;
        for dim in &self.dims {
            write_dimension(f, *dim)?;
        }
        match &self.init {
            Some(init) => write!(f, " = {init}"),
            None => Ok(()),
        }
    }
}

/// With the semicolon.
impl fmt::Display for Registers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(".reg")?;
        write_vector(f, self.vector)?;
        write!(f, " {} \t", self.ty)?;
        for (i, (name, count)) in self.names.iter().enumerate() {
            write!(f, "{}{name}", if i == 0 { "" } else { ", " })?;
            write_count(f, *count)?;
        }
        f.write_str(";")
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.register { ".reg" } else { ".param" })?;
        write_align(f, self.align)?;
        write_vector(f, self.vector)?;
        write!(f, " {}", self.ty)?;
        if let Some((space, align)) = self.pointer {
            f.write_str(" .ptr")?;
            if let Some(space) = space {
                write!(f, " {space}")?;
            }
            write_align(f, align)?;
        }
        write!(f, " {}", self.name)?;
        match self.array {
            Some(size) => write_dimension(f, size),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Initializer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Initializer::Value(value, _) => value.fmt(f),
            Initializer::List(items, _) => write!(f, "{{{}}}", Separated(items, ", ")),
        }
    }
}

impl fmt::Display for InitValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InitValue::Integer(value) => value.fmt(f),
            InitValue::F32(bits) => Exact::F32(*bits).fmt(f),
            InitValue::F64(bits) => Exact::F64(*bits).fmt(f),
            InitValue::Address { symbol, generic, offset, mask } => {
                if let Some(mask) = mask {
                    write!(f, "0x{mask:X}(")?;
                }
                match generic {
                    true => write!(f, "generic({symbol}){}", Sum(*offset))?,
                    false => write!(f, "{symbol}{}", Sum(*offset))?,
                }
                f.write_str(if mask.is_some() { ")" } else { "" })
            }
        }
    }
}

fn write_align(f: &mut fmt::Formatter<'_>, align: Option<u32>) -> fmt::Result {
    match align {
        Some(align) => write!(f, " .align {align}"),
        None => Ok(()),
    }
}

fn write_vector(f: &mut fmt::Formatter<'_>, length: u32) -> fmt::Result {
    match length {
        1 => Ok(()),
        length => write!(f, " .v{length}"),
    }
}

fn write_count(f: &mut fmt::Formatter<'_>, count: Option<u32>) -> fmt::Result {
    match count {
        Some(count) => write!(f, "<{count}>"),
        None => Ok(()),
    }
}

fn write_dimension(f: &mut fmt::Formatter<'_>, size: Option<u64>) -> fmt::Result {
    match size {
        Some(size) => write!(f, "[{size}]"),
        None => f.write_str("[]"),
    }
}
