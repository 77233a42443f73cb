//! Threads, their call stacks, and the sources of their frames.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use warpsim::lanes::lanes_of;
use warpsim::lower::{Pc, Place};
use warpsim::names;
use warpsim::report::SourcePosition;

use super::adapter::Adapter;
use super::requests::{Refusal, SourceText, StackTrace, arguments};
use super::shown::Frame;
use crate::frames::CallFrame;
use crate::sources::short;
use crate::threads::ThreadId;

/// The most threads that a client is shown.
const MOST_THREADS: usize = 2048;
/// A number above the numbers of all lanes in a block.
const PER_BLOCK: u64 = 1024;

impl Adapter<'_, '_> {
    /// A thread's number for the client, from 1.
    pub(super) fn thread_number(&self, thread: ThreadId) -> u64 {
        let lane = u64::from(thread.warp) * 32 + u64::from(thread.lane);
        thread.block.saturating_mul(PER_BLOCK).saturating_add(lane + 1)
    }

    /// The thread of a client's number.
    pub(super) fn thread(&self, number: u64) -> Result<ThreadId, Refusal> {
        let number = number.checked_sub(1).ok_or("there is no thread 0")?;
        let (block, rest) = (number / PER_BLOCK, (number % PER_BLOCK) as u32);
        let launch = self.debugger().stepper().launch();
        match launch.is_some_and(|launch| block < launch.blocks()) {
            true => Ok(ThreadId { block, warp: rest / 32, lane: rest % 32 }),
            false => Err(format!("there is no thread {}", number + 1)),
        }
    }

    /// The threads of the blocks that run, beginning with the block in focus.
    pub(super) fn threads(&self) -> Value {
        let stepper = self.debugger().stepper();
        let focus = self.debugger().focus();
        let blocks = stepper.launch().map_or(0, |launch| launch.blocks());
        let others = (0..blocks).filter(|block| *block != focus.block);
        let mut all: BTreeSet<ThreadId> = BTreeSet::from([focus]);
        for block in std::iter::once(focus.block).chain(others) {
            let Some(state) = stepper.block(block) else { continue };
            for warp in &state.warps {
                all.extend(lanes_of(warp.live).map(|lane| ThreadId {
                    block,
                    warp: warp.number,
                    lane: lane as u32,
                }));
            }
            if all.len() >= MOST_THREADS {
                break;
            }
        }
        let rows: Vec<Value> = all.into_iter().map(|thread| self.thread_row(thread)).collect();
        json!({ "threads": rows })
    }

    fn thread_row(&self, thread: ThreadId) -> Value {
        let index = self.debugger().stepper().launch().map(|launch| {
            let [x, y, z] = launch.thread_index(thread.warp * 32 + thread.lane);
            format!(" thread ({x},{y},{z})")
        });
        json!({
            "id": self.thread_number(thread),
            "name": format!("{thread}{}", index.unwrap_or_default()),
        })
    }

    /// The calls that a thread is in, with inlined ones.
    pub(super) fn stack_trace(&mut self, message: &Value) -> Result<Value, Refusal> {
        let StackTrace { thread_id, start_frame, levels } = arguments(message)?;
        let thread = self.thread(thread_id)?;
        let row = |frame: CallFrame| {
            let name = names::readable(&frame.function).into_owned();
            let name = match frame.inlined {
                0 => name,
                _ => format!("inlined in {name}"),
            };
            (name, frame.pc, frame.position)
        };
        let frames = self.debugger().call_frames(thread);
        let mut rows: Vec<(String, Pc, Option<SourcePosition>)> =
            frames.into_iter().map(row).collect();
        if rows.is_empty() {
            rows.extend(self.only_place(thread));
        }
        let total = rows.len();
        let count = if levels == 0 { total } else { levels };
        let mut frames = Vec::new();
        for (level, (name, pc, source)) in
            rows.into_iter().enumerate().skip(start_frame).take(count)
        {
            self.frames.push(Frame { thread, number: level });
            let id = self.frames.len();
            frames.push(self.frame_row(id, &name, pc, source.as_ref()));
        }
        Ok(json!({"stackFrames": frames, "totalFrames": total}))
    }

    /// Where a thread begins, when nothing has moved, and where one that has exited was last.
    fn only_place(&self, thread: ThreadId) -> Option<(String, Pc, Option<SourcePosition>)> {
        if let Some(pc) = self.debugger().pc(thread) {
            let source = self.debugger().place_at(pc)?.source.as_deref().cloned();
            let kernel = self.debugger().stepper().kernel()?;
            return Some((names::readable(kernel).into_owned(), pc, source));
        }
        let mut steps = self.debugger().stepper().trace().steps().iter().rev();
        let last = steps.find(|step| thread.is_in(step))?;
        Some(("(exited)".to_owned(), last.pc(), last.source.clone()))
    }

    fn frame_row(
        &mut self,
        id: usize,
        name: &str,
        pc: Pc,
        source: Option<&SourcePosition>,
    ) -> Value {
        let place = self.debugger().place_at(pc).cloned();
        let (line, column, source) = match (source, place) {
            (Some(position), _) if self.debugger().sources().file(&position.file).is_some() => {
                let line = i64::from(position.line) + self.line_offset;
                let column = position.column.max(1);
                (line, column, self.source_row(&position.file))
            }
            (_, Some(place)) => {
                let line = i64::from(place.line) + self.line_offset;
                (line, 1, self.ptx_row(&place))
            }
            (_, None) => (0, 0, Value::Null),
        };
        json!({
            "id": id,
            "name": name,
            "line": line,
            "column": column,
            "source": source,
            "instructionPointerReference": format!("{pc:#x}"),
        })
    }

    /// A frame of the client's number.
    pub(super) fn frame(&self, id: u64) -> Result<Frame, Refusal> {
        let index = usize::try_from(id).ok().and_then(|id| id.checked_sub(1));
        let frame = index.and_then(|index| self.frames.get(index)).cloned();
        frame.ok_or_else(|| format!("frame {id} is not of this stop"))
    }

    /// Looks at a frame of a thread.
    pub(super) fn look_at(&mut self, frame: &Frame) {
        let debugger = self.console.debugger_mut();
        debugger.set_focus(frame.thread);
        // A thread that has not begun, or has exited, is shown a frame and has none.
        let _ = debugger.select_frame(frame.number);
    }

    /// A source file, for the client.
    pub(super) fn source_row(&self, name: &str) -> Value {
        let file = self.debugger().sources().file(name);
        let path = file.map(|file| file.path.to_string_lossy().into_owned());
        json!({"name": short(name), "path": path})
    }

    /// The PTX of an instruction, for the client: a file, or a text that it asks for.
    fn ptx_row(&mut self, place: &Place) -> Value {
        let sources = self.debugger().sources();
        let first = sources.ptx_files().next().map(|(name, _)| name.to_owned());
        let Some(name) = sources.ptx_of(place).map(|(name, _)| name.to_owned()) else {
            return Value::Null;
        };
        let path = sources.ptx_path().filter(|_| first.as_ref() == Some(&name));
        match path {
            Some(path) => json!({"name": short(&name), "path": path}),
            None => json!({"name": short(&name), "sourceReference": self.text_reference(&name)}),
        }
    }

    /// The reference of a text that has no file.
    fn text_reference(&mut self, name: &str) -> usize {
        let known = self.texts.iter().position(|text| text == name);
        known.unwrap_or_else(|| {
            self.texts.push(name.to_owned());
            self.texts.len() - 1
        }) + 1
    }

    /// The name of the PTX text with a reference.
    pub(super) fn referenced(&self, reference: i64) -> Option<&str> {
        let index = usize::try_from(reference).ok()?.checked_sub(1)?;
        self.texts.get(index).map(String::as_str)
    }

    /// A text that has no file.
    pub(super) fn source_text(&self, message: &Value) -> Result<Value, Refusal> {
        let SourceText { source_reference } = arguments(message)?;
        let name = self.referenced(source_reference);
        let mut files = self.debugger().sources().ptx_files();
        let text = name.and_then(|name| files.find(|(of, _)| *of == name));
        match text {
            Some((_, text)) => Ok(json!({"content": text, "mimeType": "text/x-ptx"})),
            None => Err(format!("there is no source {source_reference}")),
        }
    }

    /// The source files that instructions come from, and the PTX.
    pub(super) fn loaded_sources(&mut self) -> Value {
        let places = self.debugger().stepper().program().map(|program| &program.places);
        let places = places.into_iter().flatten();
        let names: BTreeSet<String> = places
            .filter_map(|place| place.source.as_ref())
            .flat_map(|source| std::iter::once(&**source).chain(&source.inlined_at))
            .map(|position| position.file.to_string())
            .collect();
        let known = names.iter().filter(|name| self.debugger().sources().file(name).is_some());
        let mut rows: Vec<Value> = known.map(|name| self.source_row(name)).collect();
        let first = self.debugger().place_at(0).cloned();
        rows.extend(first.map(|place| self.ptx_row(&place)));
        json!({ "sources": rows })
    }
}
