//! A syntax tree back to PTX text, laid out as compilers do: one statement a line, tabs, labels in
//! the first column.
//!
//! The text depends on the content of the tree alone, not on the blanks and comments of the text
//! that the tree came from. Parsing it and printing the result gives it again. It is meant to be
//! accepted by `ptxas`, whose grammar is narrower than the ISA's: offsets are always added
//! (`[%rd1+-4]`), floating-point numbers are exact bits, calls are on one line.
//!
//! Small pieces are `Display` ([`Instruction`](super::Instruction), [`Operand`](super::Operand),
//! [`Type`](super::Type) ...), for messages and traces.

mod body;
mod debug;
mod declaration;
mod operand;

use std::fmt::{self, Write};

use super::ast::{Directive, Function, Item, Module, Parameter, Pragma};

/// The text of a module.
///
/// # Examples
///
/// ```
/// let text = ".version 7.0 .target sm_80 .entry k ( ) { mov . u32 %r1 , 1 ; }";
/// let text = text.replace(" . ", ".");
/// let printed = warpsim::ptx::print(&warpsim::ptx::parse("k.ptx", &text)?);
/// assert_eq!(printed, ".version 7.0\n.target sm_80\n\n.entry k()\n{\n\tmov.u32 \t%r1, 1;\n}\n");
/// # Ok::<(), warpsim::ptx::SyntaxError>(())
/// ```
pub fn print(module: &Module) -> String {
    let mut out = String::new();
    // Writing to a String does not fail.
    let _ = write_module(&mut out, module);
    out
}

fn write_module(out: &mut String, module: &Module) -> fmt::Result {
    writeln!(out, ".version {}.{}", module.version.major, module.version.minor)?;
    writeln!(out, ".target {}", Separated(&module.target, ", "))?;
    if let Some(size) = module.address_size {
        writeln!(out, ".address_size {size}")?;
    }
    let mut previous = None;
    for item in &module.items {
        let sort = std::mem::discriminant(item);
        if previous != Some(sort) || matches!(item, Item::Function(_)) {
            out.push('\n');
        }
        previous = Some(sort);
        write_item(out, item)?;
    }
    Ok(())
}

fn write_item(out: &mut String, item: &Item) -> fmt::Result {
    match item {
        Item::Variable(variable) => writeln!(out, "{variable};"),
        Item::Function(function) => write_function(out, function),
        Item::File(file) => writeln!(out, "\t{file}"),
        Item::Section(section) => debug::write_section(out, section),
        Item::Pragma(pragma) => writeln!(out, "{pragma}"),
        Item::Alias(alias, aliased) => writeln!(out, ".alias {}, {};", alias.text, aliased.text),
    }
}

fn write_function(out: &mut String, function: &Function) -> fmt::Result {
    if let Some(linkage) = function.linkage {
        write!(out, "{linkage} ")?;
    }
    out.push_str(if function.is_entry { ".entry " } else { ".func " });
    let attributes = |directive: &&Directive| &*directive.name.text == "attribute";
    for directive in function.directives.iter().filter(attributes) {
        write!(out, ".attribute({}) ", Separated(&directive.strings, ", "))?;
    }
    if !function.returns.is_empty() {
        write!(out, "({}) ", Separated(&function.returns, ", "))?;
    }
    write!(out, "{}", function.name)?;
    write_parameters(out, &function.params)?;
    for directive in function.directives.iter().filter(|directive| !attributes(directive)) {
        writeln!(out, "{directive}")?;
    }
    match &function.body {
        Some(body) => body::write_block(out, body, 0),
        None => writeln!(out, ";"),
    }
}

fn write_parameters(out: &mut String, params: &[Parameter]) -> fmt::Result {
    match params {
        [] => writeln!(out, "()"),
        params => writeln!(out, "(\n\t{}\n)", Separated(params, ",\n\t")),
    }
}

impl fmt::Display for Directive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".{}", self.name.text)?;
        if !self.values.is_empty() {
            write!(f, " {}", Separated(&self.values, ", "))?;
        }
        match self.strings.as_slice() {
            [] => Ok(()),
            strings => write!(f, " {};", Quoted(strings)),
        }
    }
}

impl fmt::Display for Pragma {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".pragma {};", Quoted(&self.strings))
    }
}

/// Things with something between them.
struct Separated<'a, T>(&'a [T], &'static str);

impl<T: fmt::Display> fmt::Display for Separated<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, item) in self.0.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { self.1 })?;
            item.fmt(f)?;
        }
        Ok(())
    }
}

/// Strings between quotes. They are kept as written, escapes included.
struct Quoted<'a>(&'a [std::sync::Arc<str>]);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, string) in self.0.iter().enumerate() {
            write!(f, "{}\"{string}\"", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}
