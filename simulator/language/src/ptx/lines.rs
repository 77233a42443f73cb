//! Where instructions come from: `.loc` and `.file` (PTX ISA 11.5).
//!
//! A `.loc` holds for the instructions that follow it in the text, up to the next one in the same
//! function. `inlined_at F L C` names the position of the call that was inlined. If that call was
//! inlined itself, the latest earlier `.loc` at that position in the function says where. So the
//! chain goes on there, and ends where there is none. Nothing else distinguishes two calls on one
//! position of the source. If a compiler does not repeat the outer `.loc`s before the second call,
//! it gets the chain of the first.
//!
//! A function without any `.loc` belongs to the compiler: without optimisation `atomicAdd` is such
//! a function, and it calls another one. If one instruction alone calls it, its instructions have
//! the position of that call. If several do, they have none.
//!
//! Line 0 means that the compiler does not know; such instructions have no position. A file
//! without a `.file` is called `<file N>`. Chains are cut after [`MAX_CHAIN`] calls.

use std::collections::HashMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::ast::{Block, InstId, Instruction, Item, Loc, Module, OperandKind, Statement};

/// The longest chain of inlined calls that is kept.
pub const MAX_CHAIN: usize = 64;

/// A position in the source that the PTX was compiled from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(into = "super::flat::Places", try_from = "super::flat::Places")
)]
pub struct SourcePosition {
    /// The file, as `.file` names it.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0 when unknown.
    pub column: u32,
    /// The calls into which this code was inlined, innermost first. Theirs are empty: the whole
    /// chain is here.
    pub inlined_at: Vec<SourcePosition>,
}

/// The positions of all instructions of a module.
///
/// Instructions that a pass made carry the span of the one they were made from, so they have its
/// line of PTX. Their source position comes from the `.loc` before them.
///
/// # Examples
///
/// ```
/// use warpsim::ptx::{InstId, SourceMap, parse};
///
/// let module = parse("k.ptx", r#".version 7.0
/// .target sm_80
/// .entry k() {
///     .loc 1 12 5
///     ret;
/// }
/// .file 1 "k.cu""#)?;
/// let map = SourceMap::of(&module);
/// let position = map.position(InstId(0)).unwrap();
/// assert_eq!((&*position.file, position.line, position.column), ("k.cu", 12, 5));
/// assert_eq!(map.ptx_line(InstId(0)), Some(5));
/// # Ok::<(), warpsim::ptx::SyntaxError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    positions: Vec<SourcePosition>,
    instructions: FxHashMap<InstId, Entry>,
}

/// The known facts about an instruction.
#[derive(Clone, Debug)]
struct Entry {
    ptx_line: u32,
    file: Option<Arc<str>>,
    /// Index of its source position.
    position: Option<usize>,
}

impl SourceMap {
    /// The positions of all instructions of `module`.
    pub fn of(module: &Module) -> SourceMap {
        let mut map = SourceMap::default();
        let files = file_names(module);
        for body in module.functions().filter_map(|function| function.body.as_ref()) {
            let mut walk = Walk {
                module,
                files: &files,
                map: &mut map,
                position: None,
                chains: HashMap::new(),
            };
            walk.block(body);
        }
        map.place_functions_without_lines(module);
        map
    }

    /// Gives the functions that have no `.loc` the position of their only call.
    fn place_functions_without_lines(&mut self, module: &Module) {
        if self.positions.is_empty() {
            return;
        }
        let mut without: HashMap<&str, Vec<InstId>> = HashMap::new();
        let mut calls: HashMap<&str, Vec<InstId>> = HashMap::new();
        for function in module.functions().filter(|function| function.body.is_some()) {
            let mut own = Vec::new();
            for instruction in function.instructions() {
                own.push(instruction.id);
                if let Some(called) = called(instruction) {
                    calls.entry(called).or_default().push(instruction.id);
                }
            }
            if own.iter().all(|id| self.position(*id).is_none()) {
                without.insert(&*function.name.text, own);
            }
        }
        // Such a function may be called by another one.
        loop {
            let position = |name: &str| match calls.get(name)?.as_slice() {
                [call] => self.instructions.get(call)?.position,
                _ => None,
            };
            let placed: Vec<(&str, usize)> =
                without.keys().filter_map(|name| Some((*name, position(name)?))).collect();
            if placed.is_empty() {
                return;
            }
            for (name, position) in placed {
                for id in without.remove(name).unwrap_or_default() {
                    if let Some(entry) = self.instructions.get_mut(&id) {
                        entry.position = Some(position);
                    }
                }
            }
        }
    }

    /// The source position of a line of the PTX text, when the PTX has one. `file` names the text's
    /// file, if modules are linked and it is not the first.
    pub fn position_at_line(&self, ptx_line: u32, file: Option<&str>) -> Option<&SourcePosition> {
        let is_there = |entry: &&Entry| entry.ptx_line == ptx_line && entry.file.as_deref() == file;
        let mut there = self.instructions.values().filter(is_there);
        self.positions.get(there.find_map(|entry| entry.position)?)
    }

    /// Where in the source an instruction comes from, when the PTX says.
    pub fn position(&self, instruction: InstId) -> Option<&SourcePosition> {
        self.positions.get(self.instructions.get(&instruction)?.position?)
    }

    /// The line of the PTX text, from 1, that contains an instruction.
    pub fn ptx_line(&self, instruction: InstId) -> Option<u32> {
        self.instructions.get(&instruction).map(|entry| entry.ptx_line)
    }
}

/// The name behind `call`. It names a function, or a register that holds one.
fn called(instruction: &Instruction) -> Option<&str> {
    if &*instruction.opcode.text != "call" {
        return None;
    }
    instruction.operands.iter().find_map(|operand| match &operand.kind {
        OperandKind::Name(name) => Some(&**name),
        _ => None,
    })
}

/// The names of the files, by their index. They may come after the lines that refer to them.
fn file_names(module: &Module) -> HashMap<u32, Arc<str>> {
    let mut files = HashMap::new();
    for item in &module.items {
        if let Item::File(file) = item {
            files.entry(file.index).or_insert_with(|| file.name.clone());
        }
    }
    files
}

/// A file, a line and a column, as in the text.
type Place = (u32, u32, u32);

/// A walk through one function.
struct Walk<'a> {
    module: &'a Module,
    files: &'a HashMap<u32, Arc<str>>,
    map: &'a mut SourceMap,
    /// Index of the position that holds here.
    position: Option<usize>,
    /// The chain of the latest `.loc` at each place.
    chains: HashMap<Place, Vec<SourcePosition>>,
}

impl Walk<'_> {
    fn block(&mut self, block: &Block) {
        for statement in block.walk() {
            match statement {
                Statement::Loc(loc) => self.loc(loc),
                Statement::Instruction(instruction) => self.instruction(instruction),
                _ => {}
            }
        }
    }

    fn instruction(&mut self, instruction: &Instruction) {
        let ptx_line = self.module.source.line(instruction.span.start);
        let file = self.module.source.other_file(instruction.span.start).cloned();
        let entry = Entry { ptx_line, file, position: self.position };
        self.map.instructions.insert(instruction.id, entry);
    }

    fn loc(&mut self, loc: &Loc) {
        let chain = loc.inlined_at.map(|call| self.chain_from(call)).unwrap_or_default();
        let place = (loc.file, loc.line, loc.column);
        self.position = (loc.line != 0).then_some(self.map.positions.len());
        if self.position.is_some() {
            let position = SourcePosition { inlined_at: chain.clone(), ..self.bare(place) };
            self.map.positions.push(position);
        }
        self.chains.insert(place, chain);
    }

    /// The call at a place, and the calls around it.
    fn chain_from(&self, call: Place) -> Vec<SourcePosition> {
        let around = self.chains.get(&call).map_or(&[][..], Vec::as_slice);
        let chain = std::iter::once(self.bare(call)).chain(around.iter().cloned());
        chain.take(MAX_CHAIN).collect()
    }

    fn bare(&self, (file, line, column): Place) -> SourcePosition {
        let name = self.files.get(&file).cloned();
        let file = name.unwrap_or_else(|| format!("<file {file}>").into());
        SourcePosition { file, line, column, inlined_at: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::parse;

    fn position(body: &str, instruction: u32) -> Option<SourcePosition> {
        let text = format!(
            ".version 7.0 .target sm_80\n.func f() {{\n.loc 1 99 9\nret; }}\n\
             .entry k() {{\n{body}\n}}\n.file 1 \"a.cu\"\n.file 2 \"b.h\", 1, 2\n"
        );
        let map = SourceMap::of(&parse("k.ptx", &text).unwrap());
        // The `ret` of `f` is number 0.
        map.position(InstId(instruction + 1)).cloned()
    }

    fn at(file: &str, line: u32, column: u32) -> SourcePosition {
        SourcePosition { file: file.into(), line, column, inlined_at: Vec::new() }
    }

    #[test]
    fn a_loc_holds_up_to_the_next_one_through_scopes_and_labels() {
        let body = ".loc 1 3 4 { ret; l: ret; .loc 2 5 6 ret; } ret;";
        assert_eq!(position(body, 0), Some(at("a.cu", 3, 4)));
        assert_eq!(position(body, 1), Some(at("a.cu", 3, 4)));
        assert_eq!(position(body, 2), Some(at("b.h", 5, 6)));
        assert_eq!(position(body, 3), Some(at("b.h", 5, 6)));
    }

    #[test]
    fn a_function_starts_without_a_position_and_line_zero_is_none() {
        assert_eq!(position("ret; .loc 1 0 0 ret;", 0), None);
        assert_eq!(position(".loc 1 5 0 ret; .loc 1 0 0 ret;", 1), None);
    }

    #[test]
    fn the_chain_goes_on_through_the_earlier_loc_at_the_place_of_the_call() {
        let body = ".loc 1 10 1
            .loc 2 20 2, function_name $s, inlined_at 1 10 1
            .loc 2 30 3, function_name $t+4, inlined_at 2 20 2
            ret;";
        let chain = vec![at("b.h", 20, 2), at("a.cu", 10, 1)];
        assert_eq!(
            position(body, 0),
            Some(SourcePosition { inlined_at: chain, ..at("b.h", 30, 3) })
        );
    }

    #[test]
    fn the_latest_loc_at_the_place_of_the_call_counts() {
        let body = ".loc 2 20 2, function_name $s, inlined_at 1 10 1
            .loc 2 20 2, function_name $s, inlined_at 1 11 1
            .loc 2 30 3, function_name $t, inlined_at 2 20 2
            ret;";
        let chain = vec![at("b.h", 20, 2), at("a.cu", 11, 1)];
        assert_eq!(
            position(body, 0),
            Some(SourcePosition { inlined_at: chain, ..at("b.h", 30, 3) })
        );
    }

    #[test]
    fn a_call_without_a_loc_of_its_own_ends_the_chain() {
        let body = ".loc 2 30 3, function_name $t, inlined_at 2 20 2 ret;";
        let chain = vec![at("b.h", 20, 2)];
        assert_eq!(
            position(body, 0),
            Some(SourcePosition { inlined_at: chain, ..at("b.h", 30, 3) })
        );
    }

    #[test]
    fn a_place_inlined_into_itself_does_not_grow_without_end() {
        let body = ".loc 1 1 1, function_name $f, inlined_at 1 1 1\n".repeat(1000) + "ret;";
        assert_eq!(position(&body, 0).map(|p| p.inlined_at.len()), Some(MAX_CHAIN));
    }

    #[test]
    fn a_file_that_is_not_declared_is_named_by_its_number() {
        assert_eq!(position(".loc 7 1 1 ret;", 0), Some(at("<file 7>", 1, 1)));
    }

    #[test]
    fn a_function_without_lines_is_where_its_only_call_is() {
        let text = ".version 7.0 .target sm_80
            .func inner() { ret; }
            .func once() { call inner; ret; }
            .func twice() { ret; }
            .func never() { ret; }
            .func own() { .loc 1 50 1\n ret; }
            .entry k() {
                .loc 1 3 1\n call once;
                .loc 1 4 1\n call twice; call own;
                .loc 1 5 1\n call twice;
            }
            .file 1 \"a.cu\"";
        let module = parse("k.ptx", text).unwrap();
        let map = SourceMap::of(&module);
        let line = |ptx_line| map.position_at_line(ptx_line, None).map(|position| position.line);
        let lines = [2, 3, 4, 5, 7].map(line);
        assert_eq!(lines, [Some(3), Some(3), None, None, Some(50)]);
        assert_eq!(line(100), None);
    }

    #[test]
    fn the_line_of_the_ptx_is_that_of_the_guard() {
        let text = ".version 7.0\n.target sm_80\n.entry k() {\n@%p1\n bra\n l; l: ret; }";
        let map = SourceMap::of(&parse("k.ptx", text).unwrap());
        assert_eq!(map.ptx_line(InstId(0)), Some(4));
        assert_eq!(map.ptx_line(InstId(1)), Some(6));
        assert_eq!(map.ptx_line(InstId(2)), None);
    }
}
