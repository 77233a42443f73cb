//! The session with a client: requests in, answers and events out.

use std::collections::HashMap;
use std::io::Write;

use serde_json::{Value, json};
use warpsim::report::Outcome;

use super::part::{Part, SILENT};
use super::requests::{Disconnect, Evaluate, Initialize, Launch, OfThread, Refusal, arguments};
use super::shown::{Frame, Handle};
use super::wire::{WireError, write_message};
use crate::lines::{Over, Unit};
use crate::session::Debugger;
use crate::stops::{SessionEnd, Stop};
use crate::text::{Console, step_text};

/// What the adapter can do, as the answer to `initialize` says it.
pub fn capabilities() -> Value {
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsFunctionBreakpoints": true,
        "supportsConditionalBreakpoints": true,
        "supportsHitConditionalBreakpoints": true,
        "supportsEvaluateForHovers": true,
        "supportsStepBack": true,
        "supportsDataBreakpoints": true,
        "supportsInstructionBreakpoints": true,
        "supportsDisassembleRequest": true,
        "supportsReadMemoryRequest": true,
        "supportsSteppingGranularity": true,
        "supportsBreakpointLocationsRequest": true,
        "supportsLoadedSourcesRequest": true,
        "supportsTerminateRequest": true,
        "supportTerminateDebuggee": true,
        "supportsExceptionInfoRequest": true,
        "supportsCompletionsRequest": true,
        "supportsRestartRequest": true,
    })
}

/// A movement of the launch that a client asked for.
#[derive(Clone, Copy, Debug)]
enum Movement {
    Begin,
    Continue,
    BackContinue,
    Line(Over),
    BackLine(Over),
    Instruction,
    BackInstruction,
    Restart,
}

/// What follows an answer.
enum Then {
    Nothing,
    Initialized,
    Move(Movement),
    /// An expression has moved the launch.
    Moved,
    End(SessionEnd),
}

/// A session.
pub(super) struct Adapter<'a, 'o> {
    pub(super) console: Console<'a>,
    part: Part,
    output: &'o mut dyn Write,
    sequence: u64,
    /// What the client adds to a line of ours.
    pub(super) line_offset: i64,
    /// The frames and variables that the client was shown since the launch last moved.
    pub(super) frames: Vec<Frame>,
    pub(super) handles: Vec<Handle>,
    /// The texts that have no file, by their references from 1.
    pub(super) texts: Vec<String>,
    /// The breakpoints of each source, by what the client calls it.
    pub(super) in_source: HashMap<String, Vec<u32>>,
    pub(super) of_functions: Vec<u32>,
    pub(super) of_instructions: Vec<u32>,
    pub(super) of_data: Vec<u32>,
    /// Steps whose output the client has.
    printed: usize,
    has_ended: bool,
    /// Whether the launch stops before anything moves.
    stops_on_entry: bool,
}

impl<'a, 'o> Adapter<'a, 'o> {
    pub(super) fn new(
        debugger: Debugger<'a>,
        part: Part,
        output: &'o mut dyn Write,
    ) -> Adapter<'a, 'o> {
        Adapter {
            console: Console::new(debugger),
            part,
            output,
            sequence: 0,
            line_offset: 0,
            frames: Vec::new(),
            handles: Vec::new(),
            texts: Vec::new(),
            in_source: HashMap::new(),
            of_functions: Vec::new(),
            of_instructions: Vec::new(),
            of_data: Vec::new(),
            printed: 0,
            has_ended: false,
            stops_on_entry: false,
        }
    }

    pub(super) fn debugger(&self) -> &Debugger<'a> {
        self.console.debugger()
    }

    /// Answers a request; the session's end, when it has come.
    pub(super) fn handle(&mut self, message: &Value) -> Result<Option<SessionEnd>, WireError> {
        if message.get("type").and_then(Value::as_str) != Some("request") {
            return Ok(None);
        }
        let command = message.get("command").and_then(Value::as_str).unwrap_or_default();
        let (answer, then) = match self.answer(command, message) {
            Ok((body, then)) => (json!({"success": true, "body": body}), then),
            Err(refusal) => {
                let body = json!({"error": {"id": 1, "format": refusal, "showUser": true}});
                (json!({"success": false, "message": refusal, "body": body}), Then::Nothing)
            }
        };
        let mut answer = answer;
        if let Some(fields) = answer.as_object_mut() {
            fields.insert("type".into(), "response".into());
            fields.insert("command".into(), command.into());
            let request = message.get("seq").cloned().unwrap_or(Value::Null);
            fields.insert("request_seq".into(), request);
        }
        if message.get(SILENT).is_none() {
            self.send(answer)?;
        }
        match then {
            Then::Nothing => Ok(None),
            Then::Initialized => self.event("initialized", &json!({})).map(|()| None),
            Then::Move(movement) => self.carry_out(movement),
            Then::Moved => {
                self.forget();
                self.send_output()?;
                self.stopped("step", "", &[]).map(|()| None)
            }
            Then::End(end) => Ok(Some(end)),
        }
    }

    fn send(&mut self, mut message: Value) -> Result<(), WireError> {
        self.sequence += 1;
        if let Some(fields) = message.as_object_mut() {
            fields.insert("seq".into(), self.sequence.into());
        }
        write_message(self.output, &message)
    }

    fn event(&mut self, name: &str, body: &Value) -> Result<(), WireError> {
        self.send(json!({"type": "event", "event": name, "body": body}))
    }

    fn answer(&mut self, command: &str, message: &Value) -> Result<(Value, Then), Refusal> {
        let quiet = |body| Ok((body, Then::Nothing));
        match command {
            "initialize" => {
                let Initialize { lines_start_at1 } = arguments(message)?;
                self.line_offset = if lines_start_at1 { 0 } else { -1 };
                quiet(capabilities())
            }
            "launch" | "attach" => {
                let Launch { stop_on_entry } = arguments(message)?;
                self.stops_on_entry = stop_on_entry.unwrap_or(match self.part {
                    Part::Alone => false,
                    // The user asked the program to stop there.
                    Part::OfProgram => true,
                });
                Ok((json!({}), Then::Initialized))
            }
            "configurationDone" => Ok((json!({}), Then::Move(Movement::Begin))),
            "setBreakpoints" => self.set_breakpoints(message).and_then(quiet),
            "setFunctionBreakpoints" => self.set_function_breakpoints(message).and_then(quiet),
            "setInstructionBreakpoints" => {
                self.set_instruction_breakpoints(message).and_then(quiet)
            }
            "setExceptionBreakpoints" => quiet(json!({"breakpoints": []})),
            "dataBreakpointInfo" => self.data_breakpoint_info(message).and_then(quiet),
            "setDataBreakpoints" => self.set_data_breakpoints(message).and_then(quiet),
            "breakpointLocations" => self.breakpoint_locations(message).and_then(quiet),
            "threads" => quiet(self.threads()),
            "stackTrace" => self.stack_trace(message).and_then(quiet),
            "scopes" => self.scopes(message).and_then(quiet),
            "variables" => self.variables(message).and_then(quiet),
            "evaluate" => self.evaluate(message),
            "completions" => quiet(completions(message)),
            "source" => self.source_text(message).and_then(quiet),
            "loadedSources" => quiet(self.loaded_sources()),
            "disassemble" => self.disassemble(message).and_then(quiet),
            "readMemory" => self.read_memory(message).and_then(quiet),
            "exceptionInfo" => quiet(self.exception_info()),
            "continue" => {
                let body = json!({"allThreadsContinued": true});
                self.movement(message, Movement::Continue, Movement::Continue, body)
            }
            "reverseContinue" => {
                self.movement(message, Movement::BackContinue, Movement::BackContinue, json!({}))
            }
            "next" => self.movement(
                message,
                Movement::Line(Over::Calls),
                Movement::Instruction,
                json!({}),
            ),
            "stepIn" => self.movement(
                message,
                Movement::Line(Over::Nothing),
                Movement::Instruction,
                json!({}),
            ),
            "stepOut" => self.movement(
                message,
                Movement::Line(Over::Function),
                Movement::Line(Over::Function),
                json!({}),
            ),
            "stepBack" => self.movement(
                message,
                Movement::BackLine(Over::Calls),
                Movement::BackInstruction,
                json!({}),
            ),
            "restart" => Ok((json!({}), Then::Move(Movement::Restart))),
            // The launch pauses by itself when the request arrives while it runs.
            "pause" => quiet(json!({})),
            "terminate" => Ok((json!({}), Then::End(SessionEnd::Terminates))),
            "disconnect" => {
                let Disconnect { terminate_debuggee } = arguments(message)?;
                let end = match terminate_debuggee {
                    Some(true) => SessionEnd::Terminates,
                    Some(false) | None => SessionEnd::GoesOn,
                };
                Ok((json!({}), Then::End(end)))
            }
            other => Err(format!("the request `{other}` is not supported")),
        }
    }

    /// A movement of a thread, by lines or by instructions.
    fn movement(
        &mut self,
        message: &Value,
        by_line: Movement,
        by_instruction: Movement,
        body: Value,
    ) -> Result<(Value, Then), Refusal> {
        let OfThread { thread_id, granularity } = arguments(message)?;
        let thread = self.thread(thread_id)?;
        self.console.debugger_mut().set_focus(thread);
        let movement = match granularity.as_deref() {
            Some("instruction") => by_instruction,
            Some(_) | None => by_line,
        };
        Ok((body, Then::Move(movement)))
    }

    fn carry_out(&mut self, movement: Movement) -> Result<Option<SessionEnd>, WireError> {
        let goes_on = !matches!(
            movement,
            Movement::BackContinue
                | Movement::BackLine(_)
                | Movement::BackInstruction
                | Movement::Restart
        );
        if self.has_ended && goes_on {
            return self.leave().map(Some);
        }
        self.forget();
        let stops_on_entry = self.stops_on_entry;
        let debugger = self.console.debugger_mut();
        let stop = match movement {
            Movement::Begin if stops_on_entry => Stop::Beginning,
            Movement::Begin | Movement::Continue => debugger.go_on(),
            Movement::BackContinue => debugger.go_back(),
            Movement::Line(over) => debugger.step_line(Unit::Thread, over),
            Movement::BackLine(over) => debugger.back_line(over),
            Movement::Instruction => debugger.step_thread(1),
            Movement::BackInstruction => debugger.back_thread(1),
            Movement::Restart => {
                debugger.go_to(0);
                debugger.go_on()
            }
        };
        self.has_ended = stop == Stop::Ended;
        self.send_output()?;
        match &stop {
            Stop::Breakpoint { id, .. } => self.stopped("breakpoint", "", &[*id]),
            Stop::Watch(hit) => {
                let words = self.console.stop_text(&stop);
                let id = hit.id;
                self.stopped("data breakpoint", &words, &[id])
            }
            Stop::Moved => self.stopped("step", "", &[]),
            Stop::Paused => self.stopped("pause", "", &[]),
            Stop::Beginning => self.stopped("entry", "nothing has been executed", &[]),
            Stop::Ended => {
                let words = self.console.stop_text(&stop);
                let is_clean =
                    matches!(self.debugger().outcome(), Some((Outcome::Completed, _)) | None);
                self.stopped(if is_clean { "end" } else { "exception" }, &words, &[])
            }
        }?;
        Ok(None)
    }

    fn stopped(&mut self, reason: &str, words: &str, ids: &[u32]) -> Result<(), WireError> {
        let thread = self.thread_number(self.debugger().focus());
        let mut body = json!({
            "reason": reason,
            "threadId": thread,
            "allThreadsStopped": true,
        });
        if let Some(fields) = body.as_object_mut() {
            if !words.is_empty() {
                fields.insert("text".into(), words.into());
                let first = words.lines().next().unwrap_or_default();
                fields.insert("description".into(), first.into());
            }
            if !ids.is_empty() {
                fields.insert("hitBreakpointIds".into(), json!(ids));
            }
        }
        self.event("stopped", &body)
    }

    /// Tells the client that all is over.
    fn leave(&mut self) -> Result<SessionEnd, WireError> {
        match self.part {
            Part::OfProgram => return Ok(SessionEnd::GoesOn),
            Part::Alone => {}
        }
        let is_clean = matches!(self.debugger().outcome(), Some((Outcome::Completed, _)));
        self.event("exited", &json!({"exitCode": if is_clean { 0 } else { 1 }}))?;
        self.event("terminated", &json!({}))?;
        Ok(SessionEnd::GoesOn)
    }

    /// What was shown is not valid after the launch has moved.
    fn forget(&mut self) {
        self.frames.clear();
        self.handles.clear();
    }

    /// Sends what threads have printed. What they print again after going back is not sent again.
    fn send_output(&mut self) -> Result<(), WireError> {
        let steps = self.debugger().stepper().trace().steps();
        let new = steps.get(self.printed..).unwrap_or_default();
        let text: String = new.iter().map(|step| step.printed.as_str()).collect();
        self.printed = self.printed.max(steps.len());
        if text.is_empty() {
            return Ok(());
        }
        self.event("output", &json!({"category": "stdout", "output": text}))
    }

    /// An expression, or in the client's console a command.
    fn evaluate(&mut self, message: &Value) -> Result<(Value, Then), Refusal> {
        let Evaluate { expression, frame_id, context } = arguments(message)?;
        if let Some(frame) = frame_id {
            let frame = self.frame(frame)?;
            self.look_at(&frame);
        }
        let value = self.debugger().shown(&expression);
        match (value, context.as_deref()) {
            (Ok(value), _) => {
                let reference = self.parts_of(&expression);
                let body = json!({"result": value, "variablesReference": reference});
                Ok((body, Then::Nothing))
            }
            (Err(_), Some("repl")) => {
                let before = self.debugger().moment();
                let said = self.console.execute(&expression);
                if let Some(error) = said.error {
                    return Err(error);
                }
                let then = match self.debugger().moment() == before {
                    true => Then::Nothing,
                    false => Then::Moved,
                };
                Ok((json!({"result": said.text, "variablesReference": 0}), then))
            }
            (Err(error), _) => {
                self.evaluate_region(&expression, &error).map(|b| (b, Then::Nothing))
            }
        }
    }

    fn exception_info(&self) -> Value {
        let (outcome, text) = match self.debugger().outcome() {
            Some((outcome, Some(finding))) => (outcome.to_string(), finding.explanation),
            Some((outcome, None)) => (outcome.to_string(), String::new()),
            None => ("none".to_owned(), String::new()),
        };
        let last = self.debugger().last_step().map(step_text);
        json!({
            "exceptionId": outcome,
            "description": text,
            "breakMode": "always",
            "details": {"message": text, "stackTrace": last},
        })
    }
}

/// The commands that begin like what the client has typed.
fn completions(message: &Value) -> Value {
    let text = message.pointer("/arguments/text").and_then(Value::as_str).unwrap_or_default();
    let names = Console::command_names().filter(|name| name.starts_with(text));
    let targets: Vec<Value> = names.map(|name| json!({"label": name})).collect();
    json!({ "targets": targets })
}
