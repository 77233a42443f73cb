//! Breakpoints of a client: each request replaces the breakpoints of its kind.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::adapter::Adapter;
use super::requests::{
    BreakpointLocations, DataBreakpoint, DataBreakpointInfo, FunctionBreakpoint,
    InstructionBreakpoint, Refusal, SetBreakpoints, SetDataBreakpoints, SetFunctionBreakpoints,
    SetInstructionBreakpoints, SourceArgument, SourceBreakpoint, arguments,
};
use crate::breakpoints::Location;
use crate::expression::Expression;
use crate::regions::{Region, Target, WatchKind};
use crate::sources::same_file;
use crate::threads::ThreadId;
use crate::values::type_named;

impl Adapter<'_, '_> {
    pub(super) fn set_breakpoints(&mut self, message: &Value) -> Result<Value, Refusal> {
        let SetBreakpoints { source, breakpoints } = arguments(message)?;
        let (key, file) = self.file_of(&source)?;
        let old = self.in_source.remove(&key).unwrap_or_default();
        self.remove(&old);
        let mut ids = Vec::new();
        let mut rows = Vec::new();
        for SourceBreakpoint { line, condition, hit_condition } in breakpoints {
            let asked = u32::try_from(i64::from(line) - self.line_offset).unwrap_or(0);
            let line = self.next_line(&file, asked);
            let location = Location::Line { file: file.clone(), line };
            let row = self.add(location, condition.as_deref(), hit_condition.as_deref(), &mut ids);
            let shown = i64::from(line) + self.line_offset;
            rows.push(with_line(row, shown));
        }
        self.in_source.insert(key, ids);
        Ok(json!({ "breakpoints": rows }))
    }

    pub(super) fn set_function_breakpoints(&mut self, message: &Value) -> Result<Value, Refusal> {
        let SetFunctionBreakpoints { breakpoints } = arguments(message)?;
        let old = std::mem::take(&mut self.of_functions);
        self.remove(&old);
        let (mut ids, mut rows) = (Vec::new(), Vec::new());
        for FunctionBreakpoint { name, condition, hit_condition } in breakpoints {
            let location = Location::Function(name);
            rows.push(self.add(location, condition.as_deref(), hit_condition.as_deref(), &mut ids));
        }
        self.of_functions = ids;
        Ok(json!({ "breakpoints": rows }))
    }

    pub(super) fn set_instruction_breakpoints(
        &mut self,
        message: &Value,
    ) -> Result<Value, Refusal> {
        let SetInstructionBreakpoints { breakpoints } = arguments(message)?;
        let old = std::mem::take(&mut self.of_instructions);
        self.remove(&old);
        let (mut ids, mut rows) = (Vec::new(), Vec::new());
        for InstructionBreakpoint { instruction_reference, offset, condition, hit_condition } in
            breakpoints
        {
            let pc = super::memory::instruction(&instruction_reference, offset)?;
            let location = Location::Address(pc);
            rows.push(self.add(location, condition.as_deref(), hit_condition.as_deref(), &mut ids));
        }
        self.of_instructions = ids;
        Ok(json!({ "breakpoints": rows }))
    }

    fn remove(&mut self, ids: &[u32]) {
        for id in ids {
            // One that a person has deleted in the console is gone already.
            let _ = self.console.debugger_mut().delete(*id);
        }
    }

    /// Adds a breakpoint; the row says whether it could be set.
    fn add(
        &mut self,
        location: Location,
        condition: Option<&str>,
        hits: Option<&str>,
        ids: &mut Vec<u32>,
    ) -> Value {
        let added = self.try_add(location, condition, hits);
        match added {
            Ok(id) => {
                ids.push(id);
                json!({"id": id, "verified": true})
            }
            Err(reason) => json!({"verified": false, "message": reason}),
        }
    }

    fn try_add(
        &mut self,
        location: Location,
        condition: Option<&str>,
        hits: Option<&str>,
    ) -> Result<u32, String> {
        let condition = condition.filter(|text| !text.trim().is_empty());
        let condition = condition.map(Expression::parse).transpose().map_err(|e| e.to_string())?;
        let passes = hits.filter(|text| !text.trim().is_empty()).map(passes).transpose()?;
        let debugger = self.console.debugger_mut();
        let id = debugger.add_breakpoint(location, condition, None).map_err(|e| e.to_string())?;
        if let Some(passes) = passes {
            debugger.ignore(id, passes).map_err(|error| error.to_string())?;
        }
        Ok(id)
    }

    /// What a client means by a source: a key for its breakpoints, and the file of a location.
    fn file_of(&self, source: &SourceArgument) -> Result<(String, Option<String>), Refusal> {
        let referenced = source.source_reference.and_then(|reference| self.referenced(reference));
        let name = source.path.as_deref().or(referenced).or(source.name.as_deref());
        let name = name.ok_or("the source has neither a path nor a reference")?;
        let sources = self.debugger().sources();
        let is_path = sources.ptx_path().is_some_and(|path| *path.to_string_lossy() == *name);
        let first = sources.ptx_files().next().is_some_and(|(of, _)| same_file(of, name));
        let file = (!is_path && !first).then(|| name.to_owned());
        Ok((name.to_owned(), file))
    }

    /// The lines of a file that have instructions.
    fn lines_of(&self, file: &Option<String>) -> BTreeSet<u32> {
        let places = self.debugger().stepper().program().map(|program| &program.places);
        let places = places.into_iter().flatten();
        match file {
            None => places.filter(|place| place.file.is_none()).map(|place| place.line).collect(),
            Some(file) => places
                .filter_map(|place| place.source.as_ref())
                .flat_map(|source| std::iter::once(&**source).chain(&source.inlined_at))
                .filter(|position| same_file(&position.file, file))
                .map(|position| position.line)
                .collect(),
        }
    }

    /// The line itself, or the next one with an instruction.
    fn next_line(&self, file: &Option<String>, line: u32) -> u32 {
        self.lines_of(file).range(line..).next().copied().unwrap_or(line)
    }

    pub(super) fn breakpoint_locations(&self, message: &Value) -> Result<Value, Refusal> {
        let BreakpointLocations { source, line, end_line } = arguments(message)?;
        let (_, file) = self.file_of(&source)?;
        let ours = |line: u32| u32::try_from(i64::from(line) - self.line_offset).unwrap_or(0);
        let (first, last) = (ours(line), ours(end_line.unwrap_or(line)));
        let lines = self.lines_of(&file);
        let rows: Vec<Value> = lines
            .range(first..=last.max(first))
            .map(|line| json!({"line": i64::from(*line) + self.line_offset}))
            .collect();
        Ok(json!({ "breakpoints": rows }))
    }

    /// Whether a variable or an expression can be watched.
    pub(super) fn data_breakpoint_info(&mut self, message: &Value) -> Result<Value, Refusal> {
        let DataBreakpointInfo { variables_reference, name } = arguments(message)?;
        let (what, ty) = match variables_reference.filter(|reference| *reference != 0) {
            Some(reference) => self.watchable(reference, &name)?,
            None => (name, None),
        };
        match self.debugger().target(&what, ty.as_deref().and_then(type_named)) {
            Err(error) => Ok(json!({"dataId": null, "description": error.to_string()})),
            Ok(target) => {
                let accesses = match target {
                    Target::Register(..) => json!(["write"]),
                    Target::Memory(_) => json!(["read", "write", "readWrite"]),
                };
                let id = data_id(&target);
                Ok(json!({
                    "dataId": id,
                    "description": target.to_string(),
                    "accessTypes": accesses,
                    "canPersist": false,
                }))
            }
        }
    }

    pub(super) fn set_data_breakpoints(&mut self, message: &Value) -> Result<Value, Refusal> {
        let SetDataBreakpoints { breakpoints } = arguments(message)?;
        let old = std::mem::take(&mut self.of_data);
        self.remove(&old);
        let mut rows = Vec::new();
        for breakpoint in breakpoints {
            rows.push(match self.add_watch(&breakpoint) {
                Ok(id) => {
                    self.of_data.push(id);
                    json!({"id": id, "verified": true})
                }
                Err(reason) => json!({"verified": false, "message": reason}),
            });
        }
        Ok(json!({ "breakpoints": rows }))
    }

    fn add_watch(&mut self, asked: &DataBreakpoint) -> Result<u32, String> {
        let DataBreakpoint { data_id, access_type, condition } = asked;
        let target = target_of(data_id)
            .ok_or_else(|| format!("`{data_id}` is no dataId of this session"))?;
        let kind = match access_type.as_deref() {
            Some("read") => WatchKind::Reads,
            Some("readWrite") => WatchKind::Accesses,
            Some(_) | None => WatchKind::Writes,
        };
        let condition = condition.as_deref().filter(|text| !text.trim().is_empty());
        let condition = condition.map(Expression::parse).transpose().map_err(|e| e.to_string())?;
        let debugger = self.console.debugger_mut();
        debugger.add_watch(target, kind, condition).map_err(|error| error.to_string())
    }
}

/// The watched target as a client keeps it. It is not a name, because a name may mean something
/// else later.
fn data_id(target: &Target) -> String {
    let of_thread = |thread: &ThreadId| json!([thread.block, thread.warp, thread.lane]);
    match target {
        Target::Register(thread, register) => json!([register, of_thread(thread)]),
        Target::Memory(region) => json!([
            region.name,
            region.block,
            region.local.as_ref().map(of_thread),
            region.address,
            region.ty.to_string(),
            region.first,
            region.cells,
            region.is_single,
        ]),
    }
    .to_string()
}

/// What a client means by an id that it was given.
fn target_of(id: &str) -> Option<Target> {
    type Register = (String, (u64, u32, u32));
    type Memory = (String, Option<u64>, Option<(u64, u32, u32)>, u64, String, u64, u64, bool);
    let thread = |(block, warp, lane): (u64, u32, u32)| ThreadId { block, warp, lane };
    if let Ok((register, of)) = serde_json::from_str::<Register>(id) {
        return Some(Target::Register(thread(of), register));
    }
    let memory: Memory = serde_json::from_str(id).ok()?;
    let (name, block, local, address, ty, first, cells, is_single) = memory;
    let region = Region::global(name, address, type_named(&ty)?, cells);
    let local = local.map(thread);
    Some(Target::Memory(Region { block, local, first, is_single, ..region }))
}

/// How many hits a hit condition passes over: `3` and `>= 3` stop at the third.
fn passes(text: &str) -> Result<u64, String> {
    let digits = text.trim().trim_start_matches(['>', '=', ' ']);
    let count: u64 =
        digits.parse().map_err(|_| format!("`{text}` is no hit condition; for example 3"))?;
    let is_strict = text.trim().starts_with('>') && !text.trim().starts_with(">=");
    Ok(if is_strict { count } else { count.saturating_sub(1) })
}

fn with_line(mut row: Value, line: i64) -> Value {
    if let Some(fields) = row.as_object_mut() {
        fields.insert("line".into(), line.into());
    }
    row
}
