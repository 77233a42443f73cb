//! Buffers, findings and tables for people.

pub(crate) mod buffers;
pub(crate) mod findings;
pub(crate) mod groups;
mod order;
pub(crate) mod side_by_side;
pub(crate) mod source;
pub(crate) mod statistics;
pub(crate) mod whole_body;

use comfy_table::{Table, presets};
use warpsim::passes::Remark;
use warpsim::ptx::{InstId, Module, SourceMap, Span};

/// A table without lines, its columns two blanks apart.
pub(crate) fn table<const N: usize>(header: [&str; N]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(header);
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table
}

/// Words for what a pass did to a module.
pub(crate) struct Reasons<'a> {
    module: &'a Module,
    map: SourceMap,
}

impl<'a> Reasons<'a> {
    /// For remarks on this module, as it was before the pass.
    pub(crate) fn new(module: &'a Module) -> Reasons<'a> {
        Reasons { module, map: SourceMap::of(module) }
    }

    /// A remark with lines of the PTX text, and of the source where the PTX has them.
    pub(crate) fn of(&self, remark: &Remark) -> String {
        remark.worded(&|inst: InstId, span: Span| {
            let line = self.module.source.line(span.start);
            match self.map.position(inst) {
                Some(position) => format!("{line} ({})", findings::position(position)),
                None => line.to_string(),
            }
        })
    }
}
