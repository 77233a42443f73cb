//! Scopes and variables: registers, the numbers of a thread, shared and global memory, buffers.

use serde_json::{Value, json};
use warpsim::host::RegisterValue;
use warpsim::observe::format_bits;
use warpsim::ptx::{Space, Type};

use super::adapter::Adapter;
use super::requests::{Refusal, Scopes, Variables, arguments};
use super::shown::{Frame, Handle};
use crate::error::DebuggerError;
use crate::regions::{Cell, Region, Target};
use crate::threads::ThreadId;
use crate::variables::Listed;

/// The most cells that are sent at a time.
const MOST_CELLS: usize = 4096;
/// The numbers of a thread that a person looks for.
const NUMBERS: [&str; 12] = [
    "threadIdx.x",
    "threadIdx.y",
    "threadIdx.z",
    "blockIdx.x",
    "blockIdx.y",
    "blockIdx.z",
    "blockDim.x",
    "blockDim.y",
    "blockDim.z",
    "gridDim.x",
    "lane",
    "warp",
];

impl Adapter<'_, '_> {
    fn reference(&mut self, handle: Handle) -> usize {
        self.handles.push(handle);
        self.handles.len()
    }

    fn handle_of(&self, reference: u64) -> Result<Handle, Refusal> {
        let index = usize::try_from(reference).ok().and_then(|reference| reference.checked_sub(1));
        let handle = index.and_then(|index| self.handles.get(index)).cloned();
        handle.ok_or_else(|| format!("reference {reference} is not of this stop"))
    }

    pub(super) fn scopes(&mut self, message: &Value) -> Result<Value, Refusal> {
        let Scopes { frame_id } = arguments(message)?;
        let frame = self.frame(frame_id)?;
        let thread = frame.thread;
        self.look_at(&frame);
        let mut scopes = Vec::new();
        if self.debugger().has_debug_information() {
            scopes.push(("Locals", Handle::Locals(frame.clone())));
        }
        scopes.push(("Registers", Handle::Registers(frame)));
        scopes.push(("Thread", Handle::Numbers(thread)));
        scopes.push(("Shared memory", Handle::Variables(thread, Space::Shared)));
        scopes.push(("Global variables", Handle::Variables(thread, Space::Global)));
        scopes.push(("Buffers of arguments", Handle::Buffers));
        let rows: Vec<Value> = scopes
            .into_iter()
            .map(|(name, handle)| {
                let hint = match handle {
                    Handle::Locals(_) => Some("locals"),
                    Handle::Registers(_) => Some("registers"),
                    Handle::Parts(..)
                    | Handle::Numbers(_)
                    | Handle::Variables(..)
                    | Handle::Buffers
                    | Handle::Region(_) => None,
                };
                let reference = self.reference(handle);
                json!({
                    "name": name,
                    "presentationHint": hint,
                    "variablesReference": reference,
                    "expensive": false,
                })
            })
            .collect();
        Ok(json!({ "scopes": rows }))
    }

    pub(super) fn variables(&mut self, message: &Value) -> Result<Value, Refusal> {
        let Variables { reference, start, count } = arguments(message)?;
        let rows = match self.handle_of(reference)? {
            Handle::Locals(frame) => self.locals(&frame)?,
            Handle::Parts(frame, expression) => self.parts(&frame, &expression)?,
            Handle::Registers(frame) => self.registers(&frame),
            Handle::Numbers(thread) => self.numbers(thread),
            Handle::Variables(thread, space) => self.of_space(thread, space),
            Handle::Buffers => self.buffers(),
            Handle::Region(region) => self.cells(&region, start, count)?,
        };
        Ok(json!({ "variables": rows }))
    }

    /// The arguments and the variables of a frame.
    fn locals(&mut self, frame: &Frame) -> Result<Vec<Value>, Refusal> {
        self.look_at(frame);
        let arguments = self.debugger().listed(frame.thread, true);
        let locals = self.debugger().listed(frame.thread, false);
        let (arguments, locals) =
            (arguments.map_err(|error| words(&error))?, locals.map_err(|error| words(&error))?);
        if let (Some(reason), true) = (self.debugger().debug_information_error(), locals.is_empty())
        {
            return Err(format!("the debug information of the PTX cannot be read: {reason}"));
        }
        let all = arguments.into_iter().chain(locals);
        Ok(all.map(|listed| self.listed_row(frame, &listed)).collect())
    }

    fn parts(&mut self, frame: &Frame, expression: &str) -> Result<Vec<Value>, Refusal> {
        self.look_at(frame);
        let parts =
            self.debugger().parts(frame.thread, expression).map_err(|error| words(&error))?;
        Ok(parts.into_iter().map(|listed| self.listed_row(frame, &listed)).collect())
    }

    /// The reference to the parts of an expression; 0 where it has none.
    pub(super) fn parts_of(&mut self, expression: &str) -> usize {
        if !self.debugger().has_parts(expression) {
            return 0;
        }
        let debugger = self.debugger();
        let frame = Frame { thread: debugger.focus(), number: debugger.frame() };
        self.reference(Handle::Parts(frame, expression.to_owned()))
    }

    fn listed_row(&mut self, frame: &Frame, listed: &Listed) -> Value {
        let reference = match listed.has_parts {
            true => self.reference(Handle::Parts(frame.clone(), listed.expression.clone())),
            false => 0,
        };
        json!({
            "name": listed.name,
            "value": listed.value,
            "type": listed.ty,
            "evaluateName": listed.expression,
            "variablesReference": reference,
        })
    }

    fn registers(&mut self, frame: &Frame) -> Vec<Value> {
        self.look_at(frame);
        let thread = frame.thread;
        let level = self.debugger().level_of(thread).unwrap_or(0);
        let stepper = self.debugger().stepper();
        let (block, warp, lane) = (thread.block, thread.warp, thread.lane as usize);
        let written = stepper.written_in(block, warp, lane, level);
        let row = |(name, register): (std::sync::Arc<str>, RegisterValue)| {
            let value = match written.contains(&name) {
                true => format_bits(register.ty, register.bits),
                false => "(never written)".to_owned(),
            };
            json!({
                "name": &*name,
                "value": value,
                "type": register.ty.to_string(),
                "evaluateName": &*name,
                "variablesReference": 0,
            })
        };
        stepper.registers_of(block, warp, lane, level).into_iter().map(row).collect()
    }

    fn numbers(&mut self, thread: ThreadId) -> Vec<Value> {
        self.console.debugger_mut().set_focus(thread);
        let number = |name: &&str| {
            let value = self.debugger().evaluate(name).ok()?.to_string();
            Some(json!({
                "name": name,
                "value": value,
                "evaluateName": name,
                "variablesReference": 0,
            }))
        };
        NUMBERS.iter().filter_map(number).collect()
    }

    fn of_space(&mut self, thread: ThreadId, space: Space) -> Vec<Value> {
        self.console.debugger_mut().set_focus(thread);
        let variables = self.debugger().stepper().variables();
        let regions: Vec<Region> = variables
            .iter()
            .filter(|variable| variable.space == space)
            .filter_map(|variable| self.debugger().region_of_variable(variable, None).ok())
            .collect();
        regions.into_iter().map(|region| self.region_row(region)).collect()
    }

    fn buffers(&mut self) -> Vec<Value> {
        let places: Vec<String> =
            self.debugger().buffers().iter().map(|buffer| format!("@{}", buffer.place)).collect();
        let mut rows = Vec::new();
        for place in places {
            if let Ok(Target::Memory(region)) = self.debugger().target(&place, None) {
                rows.push(self.region_row(region));
            }
        }
        rows
    }

    /// A variable or buffer: its value where it has one cell, else its cells on request.
    fn region_row(&mut self, region: Region) -> Value {
        let ty = region.ty.to_string();
        let name = region.name.clone();
        let memory = memory_reference(&region);
        if region.cells == 1 && region.first == 0 {
            let cells = self.debugger().cells(&region);
            let value = match cells {
                Ok(cells) => cells.first().map(|cell| cell.value.to_string()).unwrap_or_default(),
                Err(error) => format!("({error})"),
            };
            return json!({
                "name": name,
                "value": value,
                "type": ty,
                "evaluateName": name,
                "variablesReference": 0,
                "memoryReference": memory,
            });
        }
        let cells = region.cells;
        let reference = self.reference(Handle::Region(region));
        json!({
            "name": name,
            "value": format!("{}[{cells}]", ty.trim_start_matches('.')),
            "type": ty,
            "evaluateName": name,
            "variablesReference": reference,
            "indexedVariables": cells,
            "memoryReference": memory,
        })
    }

    fn cells(&self, region: &Region, start: usize, count: usize) -> Result<Vec<Value>, Refusal> {
        let mut part = region.clone();
        let start = (start as u64).min(region.cells);
        let most = if count == 0 { MOST_CELLS } else { count.min(MOST_CELLS) };
        part.first += start;
        part.address += start * region.step();
        part.cells = (region.cells - start).min(most as u64);
        let cells = self.debugger().cells(&part).map_err(|error| error.to_string())?;
        let row = |cell: &Cell| {
            json!({
                "name": format!("[{}]", cell.index),
                "value": cell.value.to_string(),
                "evaluateName": region.cell_name(cell.index),
                "variablesReference": 0,
            })
        };
        Ok(cells.iter().map(row).collect())
    }

    /// The expression of a variable that a client was shown, and the type of its cells.
    pub(super) fn watchable(
        &mut self,
        reference: u64,
        name: &str,
    ) -> Result<(String, Option<String>), Refusal> {
        Ok(match self.handle_of(reference)? {
            Handle::Locals(frame) | Handle::Registers(frame) => {
                self.look_at(&frame);
                (name.to_owned(), None)
            }
            Handle::Parts(frame, expression) => {
                self.look_at(&frame);
                let parts = self
                    .debugger()
                    .parts(frame.thread, &expression)
                    .map_err(|error| words(&error))?;
                let part = parts.into_iter().find(|part| part.name == name);
                (part.ok_or_else(|| format!("`{expression}` has no `{name}`"))?.expression, None)
            }
            Handle::Variables(thread, _) => {
                self.console.debugger_mut().set_focus(thread);
                (name.to_owned(), None)
            }
            Handle::Buffers | Handle::Numbers(_) => (name.to_owned(), None),
            Handle::Region(region) => {
                if let Some(block) = region.block {
                    let focus = self.debugger().focus();
                    self.console.debugger_mut().set_focus(ThreadId { block, ..focus });
                }
                let ty = Some(region.ty.to_string());
                (format!("{}{name}", region.name), ty)
            }
        })
    }

    /// What an expression names, where it is no single value.
    pub(super) fn evaluate_region(
        &mut self,
        text: &str,
        error: &DebuggerError,
    ) -> Result<Value, Refusal> {
        match self.debugger().target(text, None) {
            Ok(Target::Memory(region)) => {
                let row = self.region_row(region);
                Ok(json!({
                    "result": row.get("value"),
                    "type": row.get("type"),
                    "variablesReference": row.get("variablesReference"),
                    "indexedVariables": row.get("indexedVariables"),
                    "memoryReference": row.get("memoryReference"),
                }))
            }
            Ok(Target::Register(..)) | Err(_) => Err(error.to_string()),
        }
    }
}

fn words(error: &DebuggerError) -> Refusal {
    error.to_string()
}

/// How a client refers to memory.
fn memory_reference(region: &Region) -> String {
    match (region.block, region.local) {
        (Some(block), _) => format!("shared:{block}:{:#x}", region.address),
        (None, Some(ThreadId { block, warp, lane })) => {
            format!("local:{block}:{warp}:{lane}:{:#x}", region.address)
        }
        (None, None) => format!("{:#x}", region.address),
    }
}

/// The region that a client refers to, as bytes.
pub(super) fn referred(reference: &str, offset: i64, count: usize) -> Option<Region> {
    let (block, local, address) = match reference.split(':').collect::<Vec<_>>().as_slice() {
        ["shared", block, address] => (Some(block.parse().ok()?), None, *address),
        ["local", block, warp, lane, address] => {
            let (block, warp) = (block.parse().ok()?, warp.parse().ok()?);
            (None, Some(ThreadId { block, warp, lane: lane.parse().ok()? }), *address)
        }
        _ => (None, None, reference),
    };
    let address = u64::from_str_radix(address.strip_prefix("0x")?, 16).ok()?;
    let address = address.checked_add_signed(offset)?;
    let region = Region::global(String::new(), address, Type::B8, count as u64);
    Some(Region { block, local, ..region })
}
