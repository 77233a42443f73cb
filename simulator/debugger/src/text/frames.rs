//! The call stack of the thread in focus, and the variables of the frame that is looked at, in
//! words.

use std::collections::BTreeSet;
use std::fmt::Write;

use warpsim::names;

use super::command::Frame;
use super::console::Console;
use crate::error::DebuggerError;
use crate::frames::CallFrame;
use crate::sources::short;
use crate::stops::Buffer;
use crate::variables::Listed;

impl Console<'_> {
    pub(super) fn backtrace(&self) -> String {
        let focus = self.debugger.focus();
        let frames = self.debugger.call_frames(focus);
        if frames.is_empty() {
            return format!("{focus} has not begun, or has exited");
        }
        let mut text = String::new();
        for (number, frame) in frames.iter().enumerate() {
            let _ = writeln!(text, "{}", self.frame_line(number, frame));
        }
        text
    }

    fn frame_line(&self, number: usize, frame: &CallFrame) -> String {
        let name = names::readable(&frame.function);
        let name = match frame.inlined {
            0 => names::short(&name),
            _ => "(inlined)".into(),
        };
        let at = match &frame.position {
            Some(at) => format!("{}:{}", short(&at.file), at.line),
            None => {
                let place = self.debugger.place_at(frame.pc);
                place.map_or_else(String::new, |place| place.line_in_words())
            }
        };
        format!("#{number}  {name} at {at}")
    }

    /// Looks at a frame, and shows it with its line.
    pub(super) fn choose_frame(&mut self, frame: Frame) -> Result<String, DebuggerError> {
        let now = self.debugger.frame();
        let frames = self.debugger.call_frames(self.debugger.focus()).len();
        let last = frames.saturating_sub(1);
        let number = match frame {
            Frame::Same => now,
            Frame::Number(number) => number,
            Frame::Out(_) if now == last => return Ok("this is the outermost frame".to_owned()),
            Frame::Out(count) => now.saturating_add(count).min(last),
            Frame::In(_) if now == 0 => return Ok("this is the innermost frame".to_owned()),
            Frame::In(count) => now.saturating_sub(count),
        };
        let frame = self.debugger.select_frame(number)?;
        let mut text = self.frame_line(number, &frame);
        if let Some(at) = &frame.position
            && let Some(all) = self.debugger.sources().text(&at.file)
            && let Some(line) = all.lines().nth((at.line as usize).saturating_sub(1))
        {
            let _ = write!(text, "\n  {:5} | {}", at.line, line.trim_end());
        }
        Ok(text)
    }

    /// The variables of the frame that is looked at, the innermost scopes' first.
    pub(super) fn locals(&self) -> Result<String, DebuggerError> {
        let listed = self.debugger.listed(self.debugger.focus(), false)?;
        if !listed.is_empty() {
            return Ok(lines(&listed));
        }
        Ok(match self.debugger.debug_information_error() {
            Some(reason) => {
                format!("the debug information of the PTX cannot be read: {reason}")
            }
            None if self.debugger.has_debug_information() => "no variables here".to_owned(),
            None => "the PTX has no debug information about variables: compile with nvcc -G or \
                     clang -g; `info registers` shows the registers"
                .to_owned(),
        })
    }

    /// The arguments of the frame that is looked at, and the buffers that the kernel's point to.
    pub(super) fn arguments(&self) -> Result<String, DebuggerError> {
        let focus = self.debugger.focus();
        let listed = self.debugger.listed(focus, true)?;
        let frame = self.debugger.looked_at(focus)?;
        let is_kernel = match (&frame, self.debugger.stepper().kernel()) {
            (Some(frame), Some(kernel)) => &*frame.function == kernel && frame.inlined == 0,
            (None, _) | (_, None) => true,
        };
        if !is_kernel {
            return Ok(match listed.is_empty() {
                true => "the debug information names no arguments here".to_owned(),
                false => lines(&listed),
            });
        }
        let buffers = self.debugger.buffers();
        let mut rows: Vec<String> = Vec::new();
        if listed.is_empty() {
            rows.extend(self.kernel_arguments());
        } else {
            rows.push(lines(&listed));
            rows.extend(buffers.iter().map(buffer_line));
        }
        match rows.is_empty() {
            true => Ok("the kernel has no arguments".to_owned()),
            false => Ok(rows.join("\n")),
        }
    }

    /// The kernel's arguments by their names in the PTX: buffers, and the values of the others.
    fn kernel_arguments(&self) -> Vec<String> {
        let buffers = self.debugger.buffers();
        let mut shown = BTreeSet::new();
        let mut rows = Vec::new();
        for parameter in self.debugger.kernel_parameters() {
            let mut is_buffer = false;
            for (number, buffer) in buffers.iter().enumerate() {
                let place = buffer.place.to_string();
                let (argument, inside) = match place.split_once('.') {
                    Some((argument, _)) => (argument, true),
                    None => (place.as_str(), false),
                };
                if argument == parameter.index.to_string() {
                    is_buffer |= !inside;
                    shown.insert(number);
                    rows.push(buffer_line(buffer));
                }
            }
            if !is_buffer {
                rows.push(format!("{}  {} = {}", parameter.name, parameter.ty, parameter.value));
            }
        }
        let others = buffers.iter().enumerate().filter(|(number, _)| !shown.contains(number));
        rows.extend(others.map(|(_, buffer)| buffer_line(buffer)));
        rows
    }
}

fn lines(listed: &[Listed]) -> String {
    let line = |variable: &Listed| format!("{} = {}", variable.declaration, variable.value);
    listed.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn buffer_line(buffer: &Buffer) -> String {
    let cells = buffer.bytes / u64::from(warpsim::observe::width(buffer.ty)).max(1);
    let ty = buffer.ty.to_string();
    let ty = ty.trim_start_matches('.');
    format!("@{}  {ty}[{cells}] at {:#x}", buffer.place, buffer.pointer.0)
}
