//! The debug adapter, as an editor uses it: a scripted client that sends each request that the
//! adapter claims, and knows from the program what has to come back.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

use std::io::{BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use warpsim_debugger::dap::read_message;

use crate::exec::{c_program, exec, scratch, text};

/// An editor with its debug adapter.
struct Editor {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    sequence: u64,
    events: Vec<Value>,
}

impl Editor {
    /// A command that is given up after a minute.
    fn start(arguments: &[&str]) -> Editor {
        let mut child = Command::new("timeout")
            .args(["60", env!("CARGO_BIN_EXE_warpsim")])
            .args(arguments)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (to, from) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Editor { child, to, from, sequence: 0, events: Vec::new() }
    }

    /// `calls.cu` as PTX with its lines, 33 threads on `p[i] = i + 1`.
    fn of_calls() -> Editor {
        Editor::start(&["step", "tests/cmd/input/calls.ptx", "--arg", "s32[34]=iota:1", "--dap"])
    }

    fn send(&mut self, command: &str, arguments: &Value) -> u64 {
        self.sequence += 1;
        let request = json!({
            "seq": self.sequence,
            "type": "request",
            "command": command,
            "arguments": arguments,
        });
        let text = request.to_string();
        let to = self.to.as_mut().unwrap();
        write!(to, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        to.flush().unwrap();
        self.sequence
    }

    fn receive(&mut self) -> Value {
        match read_message(&mut self.from).unwrap() {
            Some(message) => message,
            None => {
                let mut said = String::new();
                self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
                panic!("the adapter has left: {said}");
            }
        }
    }

    /// The answer to a request, as it came.
    fn answer(&mut self, command: &str, arguments: &Value) -> Value {
        let sequence = self.send(command, arguments);
        loop {
            let message = self.receive();
            if message["type"] == "response" {
                assert_eq!(message["request_seq"], sequence, "{message}");
                assert_eq!(message["command"], command, "{message}");
                return message;
            }
            self.events.push(message);
        }
    }

    /// The body of an answer that has to be a success.
    fn ask(&mut self, command: &str, arguments: &Value) -> Value {
        let answer = self.answer(command, arguments);
        assert_eq!(answer["success"], true, "{command}: {answer}");
        answer["body"].clone()
    }

    /// The next event of a kind.
    fn event(&mut self, name: &str) -> Value {
        if let Some(at) = self.events.iter().position(|event| event["event"] == name) {
            return self.events.remove(at)["body"].clone();
        }
        loop {
            let message = self.receive();
            if message["event"] == name {
                return message["body"].clone();
            }
            // The answer to `launch` is not waited for.
            let is_launch = message["command"] == "launch" && message["success"] == true;
            assert!(message["type"] == "event" || is_launch, "{message}");
            self.events.push(message);
        }
    }

    /// Up to the moment where breakpoints are set.
    fn initialize(&mut self) -> Value {
        let capabilities = self.ask("initialize", &json!({"adapterID": "warpsim"}));
        self.send("launch", &json!({}));
        self.event("initialized");
        capabilities
    }

    /// Moves, and gives the thread that stopped and why.
    fn moves(&mut self, command: &str, arguments: &Value) -> (u64, String) {
        self.ask(command, arguments);
        self.stop()
    }

    fn stop(&mut self) -> (u64, String) {
        let stopped = self.event("stopped");
        assert_eq!(stopped["allThreadsStopped"], true);
        (stopped["threadId"].as_u64().unwrap(), stopped["reason"].as_str().unwrap().to_owned())
    }

    /// The frames of a thread: names, lines, files.
    fn frames(&mut self, thread: u64) -> Vec<(String, u64, String)> {
        let body = self.ask("stackTrace", &json!({"threadId": thread}));
        let frames = body["stackFrames"].as_array().unwrap();
        assert_eq!(body["totalFrames"], frames.len());
        let row = |frame: &Value| {
            (
                frame["name"].as_str().unwrap().to_owned(),
                frame["line"].as_u64().unwrap(),
                frame["source"]["name"].as_str().unwrap().to_owned(),
            )
        };
        frames.iter().map(row).collect()
    }

    fn evaluate(&mut self, expression: &str) -> String {
        let body = self.ask("evaluate", &json!({"expression": expression, "context": "watch"}));
        body["result"].as_str().unwrap().to_owned()
    }

    /// The adapter ends with this code when the editor has left.
    fn leaves(mut self) -> i32 {
        self.to = None;
        let mut rest = Vec::new();
        self.from.read_to_end(&mut rest).unwrap();
        self.child.wait().unwrap().code().unwrap()
    }
}

fn source_file() -> String {
    format!("{}/tests/cmd/input/calls.cu", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn an_editor_steps_by_lines_in_and_out_of_calls_and_back() {
    let mut editor = Editor::of_calls();
    let capabilities = editor.initialize();
    assert_eq!(capabilities["supportsStepBack"], true);
    // Line 6 is the condition, line 7 calls `twice`, line 8 has a second call.
    let lines = json!({"source": {"path": source_file()}, "breakpoints": [{"line": 7}]});
    let set = editor.ask("setBreakpoints", &lines);
    assert_eq!(set["breakpoints"][0]["verified"], true, "{set}");
    assert_eq!(set["breakpoints"][0]["line"], 7);
    let (thread, reason) = editor.moves("configurationDone", &json!({}));
    // Threads 0 to 3 do not reach line 7.
    assert_eq!((thread, &*reason), (5, "breakpoint"));
    assert_eq!(editor.frames(thread), [("k".to_owned(), 7, "calls.cu".to_owned())]);

    let (_, reason) = editor.moves("stepIn", &json!({"threadId": thread}));
    assert_eq!(reason, "step");
    let frames = editor.frames(thread);
    assert_eq!(frames.len(), 2, "{frames:?}");
    assert!(frames[0].0.starts_with("twice"), "{frames:?}");
    // The head of a function loads its parameters.
    assert_eq!((frames[0].1, frames[1].1), (1, 7));
    editor.moves("stepIn", &json!({"threadId": thread}));
    assert_eq!(editor.frames(thread)[0].1, 2);

    editor.moves("stepOut", &json!({"threadId": thread}));
    let frames = editor.frames(thread);
    assert_eq!((frames.len(), frames[0].1), (1, 7), "{frames:?}");
    editor.moves("next", &json!({"threadId": thread}));
    assert_eq!(editor.frames(thread)[0].1, 8);
    // p[4] was 5, and is twice(15) now.
    assert_eq!(editor.evaluate("@0[4]"), "30");

    let (_, reason) = editor.moves("stepBack", &json!({"threadId": thread}));
    assert_eq!(reason, "step");
    assert_eq!(editor.frames(thread)[0].1, 7);
    let (_, reason) = editor.moves("reverseContinue", &json!({"threadId": thread}));
    assert!(matches!(&*reason, "breakpoint" | "entry"), "{reason}");
    assert_eq!(editor.evaluate("@0[4]"), "5");
    editor.moves("next", &json!({"threadId": thread, "granularity": "instruction"}));
    editor.ask("disconnect", &json!({}));
    assert_eq!(editor.leaves(), 0);
}

#[test]
fn data_breakpoints_stop_at_accesses_forwards_and_backwards() {
    let mut editor = Editor::of_calls();
    editor.initialize();
    let info = editor.ask("dataBreakpointInfo", &json!({"name": "@0[6]"}));
    assert_eq!(info["accessTypes"], json!(["read", "write", "readWrite"]));
    let asked = json!({"breakpoints": [{"dataId": info["dataId"], "accessType": "write"}]});
    let set = editor.ask("setDataBreakpoints", &asked);
    assert_eq!(set["breakpoints"][0]["verified"], true, "{set}");
    let (thread, reason) = editor.moves("configurationDone", &json!({}));
    assert_eq!((thread, &*reason), (7, "data breakpoint"));
    // p[6] was 7.
    assert_eq!(editor.evaluate("@0[6]"), "42");
    let (thread, _) = editor.moves("continue", &json!({"threadId": thread}));
    assert_eq!(thread, 7);
    let last: u64 = editor.evaluate("@0[6]").parse().unwrap();
    // twice(42), and p[7] as it was or as it is.
    assert!(last == 84 + 8 || last == 84 + 48, "{last}");
    editor.moves("reverseContinue", &json!({"threadId": thread}));
    assert_eq!(editor.evaluate("@0[6]"), "42");
    editor.moves("reverseContinue", &json!({"threadId": thread}));
    assert_eq!(editor.evaluate("@0[6]"), "7");
    let (_, reason) = editor.moves("reverseContinue", &json!({"threadId": thread}));
    assert_eq!(reason, "entry");
    // Without it nothing stops before the end.
    editor.ask("setDataBreakpoints", &json!({"breakpoints": []}));
    let (thread, reason) = editor.moves("continue", &json!({"threadId": thread}));
    assert_eq!(reason, "end");
    let frames = editor.frames(thread);
    assert_eq!(frames[0].0, "(exited)");
    editor.ask("continue", &json!({"threadId": thread}));
    assert_eq!(editor.event("exited")["exitCode"], 0);
    editor.event("terminated");
    assert_eq!(editor.leaves(), 0);
}

/// The session of the book's chapter, from an editor. The values follow from the source: each of 16
/// numbers comes four times, so a bin that gets less was read before its last count.
#[test]
fn a_count_read_too_early_is_traced_by_a_data_breakpoint_and_steps_backwards() {
    let mut editor = Editor::start(&[
        "step",
        "../docs/debugger/hist.ptx",
        "--block",
        "64",
        "--arg",
        "u8[64]=iota",
        "--arg",
        "64",
        "--arg",
        "u32[16]",
        "--schedule",
        "random:3",
        "--dap",
    ]);
    editor.initialize();
    let watch = |editor: &mut Editor, names: &[&str]| {
        let ids: Vec<Value> = names
            .iter()
            .map(|name| editor.ask("dataBreakpointInfo", &json!({"name": name}))["dataId"].clone())
            .map(|id| json!({"dataId": id, "accessType": "write"}))
            .collect();
        editor.ask("setDataBreakpoints", &json!({"breakpoints": ids}));
    };
    watch(&mut editor, &["@2[0]"]);
    let (reader, reason) = editor.moves("configurationDone", &json!({}));
    assert_eq!(reason, "data breakpoint");
    let added: u64 = editor.evaluate("@2[0]").parse().unwrap();
    assert!(added < 4, "{added}");
    editor.moves("reverseContinue", &json!({"threadId": reader}));
    assert_eq!(editor.evaluate("@2[0]"), "0");
    let (thread, _) = editor.moves("stepBack", &json!({"threadId": reader}));
    assert_eq!((thread, editor.frames(reader)[0].1), (reader, 10));
    assert_eq!(editor.evaluate("s[0]"), added.to_string());

    watch(&mut editor, &["@2[0]", "s[0]"]);
    let (counter, reason) = editor.moves("continue", &json!({"threadId": reader}));
    assert_eq!(reason, "data breakpoint");
    assert_ne!(counter, reader);
    assert_eq!(editor.evaluate("s[0]"), (added + 1).to_string());
    // One counts in the loop of lines 7 and 8. The other is behind it, before its addition.
    assert!(matches!(editor.frames(counter)[0].1, 7 | 8));
    assert_eq!(editor.frames(reader)[0].1, 10);
    editor.ask("disconnect", &json!({}));
    assert_eq!(editor.leaves(), 0);
}

#[test]
fn local_variables_of_the_source_have_a_scope_and_can_be_watched() {
    let mut editor = Editor::start(&[
        "step",
        "../docs/debugger/hist_debug.ptx",
        "--block",
        "64",
        "--arg",
        "u8[64]=iota",
        "--arg",
        "64",
        "--arg",
        "u32[16]",
        "--dap",
    ]);
    editor.initialize();
    let lines = json!({"source": {"path": "hist.cu"}, "breakpoints": [
        {"line": 8, "condition": "i == 40 && n > i"},
    ]});
    editor.ask("setBreakpoints", &lines);
    let (thread, reason) = editor.moves("configurationDone", &json!({}));
    // Thread 40 begins its loop with its own number.
    assert_eq!((thread, reason.as_str()), (41, "breakpoint"));
    let stack = editor.ask("stackTrace", &json!({"threadId": thread}));
    let frame = stack["stackFrames"][0]["id"].clone();
    let scopes = editor.ask("scopes", &json!({"frameId": frame}));
    let scope = &scopes["scopes"][0];
    assert_eq!((&scope["name"], &scope["presentationHint"]), (&json!("Locals"), &json!("locals")));
    let locals = scope["variablesReference"].clone();
    let rows = editor.ask("variables", &json!({"variablesReference": locals}));
    let rows = rows["variables"].as_array().unwrap().clone();
    let row = |name: &str| rows.iter().find(|row| row["name"] == name).unwrap().clone();
    assert_eq!((row("n")["value"].clone(), row("n")["type"].clone()), (json!("64"), json!("int")));
    assert_eq!(row("i")["value"], "40");
    assert_eq!(row("in")["type"], "const unsigned char *");
    assert_eq!(editor.evaluate("in[i] & 15"), "8");
    let asked = json!({"variablesReference": locals, "name": "i"});
    let info = editor.ask("dataBreakpointInfo", &asked);
    editor.ask("setDataBreakpoints", &json!({"breakpoints": [{"dataId": info["dataId"]}]}));
    let info = json!({"variablesReference": locals, "name": "n"});
    assert!(editor.ask("dataBreakpointInfo", &info)["dataId"].is_string());
    editor.ask("disconnect", &json!({}));
    assert_eq!(editor.leaves(), 0);
}

#[test]
fn breakpoints_have_conditions_hits_functions_and_addresses() {
    let mut editor = Editor::of_calls();
    editor.initialize();
    let functions = json!({"breakpoints": [{"name": "twice"}, {"name": "thrice"}]});
    let set = editor.ask("setFunctionBreakpoints", &functions);
    assert_eq!(set["breakpoints"][0]["verified"], true, "{set}");
    assert_eq!(set["breakpoints"][1]["verified"], false, "{set}");
    let (thread, _) = editor.moves("configurationDone", &json!({}));
    assert!(editor.frames(thread)[0].0.starts_with("twice"));
    let reference = {
        let body = editor.ask("stackTrace", &json!({"threadId": thread}));
        body["stackFrames"][0]["instructionPointerReference"].as_str().unwrap().to_owned()
    };
    let asked = json!({"memoryReference": reference, "instructionOffset": -1,
                       "instructionCount": 3});
    let code = editor.ask("disassemble", &asked);
    let code = code["instructions"].as_array().unwrap();
    assert_eq!((code.len(), &code[1]["address"]), (3, &json!(reference)));
    // The same place by its address, for one thread, at its second time there.
    editor.ask("setFunctionBreakpoints", &json!({"breakpoints": []}));
    let asked = json!({"breakpoints": [{"instructionReference": reference,
        "condition": "threadIdx.x == 9", "hitCondition": "2"}]});
    editor.ask("setInstructionBreakpoints", &asked);
    editor.moves("restart", &json!({}));
    let frames = editor.frames(10);
    assert!(frames[0].0.starts_with("twice"), "{frames:?}");
    // The first call is of line 7, the second of line 8.
    assert_eq!(frames[1].1, 8, "{frames:?}");
    let lines = json!({"source": {"path": source_file()}, "line": 1, "endLine": 20});
    let known = editor.ask("breakpointLocations", &lines);
    let known: Vec<u64> = known["breakpoints"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["line"].as_u64().unwrap())
        .collect();
    assert!([2, 6, 7, 8].iter().all(|line| known.contains(line)), "{known:?}");
    editor.ask("terminate", &json!({}));
    assert_eq!(editor.leaves(), 0);
}

#[test]
fn threads_scopes_variables_memory_and_sources_are_those_of_the_program() {
    let mut editor = Editor::of_calls();
    editor.initialize();
    let lines = json!({"source": {"path": source_file()}, "breakpoints": [{"line": 8}]});
    editor.ask("setBreakpoints", &lines);
    editor.ask("setExceptionBreakpoints", &json!({"filters": []}));
    let (thread, _) = editor.moves("configurationDone", &json!({}));
    let threads = editor.ask("threads", &json!({}));
    let threads = threads["threads"].as_array().unwrap();
    // 32 lanes are one warp of the block; --arg makes no more threads.
    assert_eq!(threads.len(), 32);
    assert_eq!(threads[3]["id"], 4);
    assert!(threads[3]["name"].as_str().unwrap().contains("thread (3,0,0)"));

    let stack = editor.ask("stackTrace", &json!({"threadId": thread}));
    let frame = stack["stackFrames"][0]["id"].clone();
    let scopes = editor.ask("scopes", &json!({"frameId": frame}));
    let scopes = scopes["scopes"].as_array().unwrap().clone();
    let reference = |name: &str| {
        let scope = scopes.iter().find(|scope| scope["name"] == name);
        scope.unwrap_or_else(|| panic!("no scope {name}"))["variablesReference"].clone()
    };
    let mut variables = |reference: Value| {
        let body = editor.ask("variables", &json!({"variablesReference": reference}));
        body["variables"].as_array().unwrap().clone()
    };
    let numbers = variables(reference("Thread"));
    let number = |name: &str| {
        numbers.iter().find(|row| row["name"] == name).unwrap()["value"].as_str().unwrap()
    };
    assert_eq!(number("threadIdx.x"), (thread - 1).to_string());
    assert_eq!(number("blockDim.x"), "32");
    assert!(!variables(reference("Registers")).is_empty());
    let buffers = variables(reference("Buffers of arguments"));
    assert_eq!(
        (&*buffers[0]["name"].to_string(), &buffers[0]["indexedVariables"]),
        ("\"@0\"", &json!(34))
    );
    let cells = variables(buffers[0]["variablesReference"].clone());
    assert_eq!((cells.len(), &cells[0]["value"]), (34, &json!("1")));
    assert_eq!(cells[33]["value"], "34");

    // A cell that the editor shows can be watched, and read as bytes.
    let asked = json!({"variablesReference": buffers[0]["variablesReference"], "name": "[33]"});
    let info = editor.ask("dataBreakpointInfo", &asked);
    assert!(info["dataId"].is_string(), "{info}");
    let asked = json!({"memoryReference": buffers[0]["memoryReference"], "offset": 33 * 4,
                       "count": 4});
    // 34 in four bytes, the lowest first.
    assert_eq!(editor.ask("readMemory", &asked)["data"], "IgAAAA==");

    let sources = editor.ask("loadedSources", &json!({}));
    let names: Vec<&str> = sources["sources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|source| source["name"].as_str().unwrap())
        .collect();
    assert!(names.contains(&"calls.cu") && names.contains(&"calls.ptx"), "{names:?}");
    let hover = editor.ask("evaluate", &json!({"expression": "@0", "context": "hover"}));
    assert_eq!(hover["result"], "s32[34]");
    let asked = json!({"expression": "lanes", "context": "repl"});
    assert!(editor.ask("evaluate", &asked)["result"].as_str().unwrap().contains('#'));
    let asked = json!({"expression": "turn 2", "context": "repl"});
    editor.ask("evaluate", &asked);
    assert_eq!(editor.stop().1, "step");
    let words = editor.ask("completions", &json!({"text": "reverse-c", "column": 10}));
    assert_eq!(words["targets"][0]["label"], "reverse-continue");
    editor.ask("pause", &json!({"threadId": thread}));
    editor.ask("exceptionInfo", &json!({"threadId": thread}));
    editor.ask("disconnect", &json!({"terminateDebuggee": true}));
    assert_eq!(editor.leaves(), 0);
}

#[test]
fn the_end_of_a_launch_that_fails_is_an_exception_from_which_one_goes_back() {
    let mut editor = Editor::start(&["step", "tests/cmd/input/trap.ptx", "--dap"]);
    editor.initialize();
    let (thread, reason) = editor.moves("configurationDone", &json!({}));
    assert_eq!(reason, "exception");
    let info = editor.ask("exceptionInfo", &json!({"threadId": thread}));
    assert!(info["exceptionId"].as_str().unwrap().contains("trap"), "{info}");
    let (_, reason) = editor.moves(
        "stepBack",
        &json!({"threadId": thread,
        "granularity": "instruction"}),
    );
    assert!(matches!(&*reason, "step" | "entry"), "{reason}");
    editor.ask("disconnect", &json!({}));
    assert_eq!(editor.leaves(), 0);
}

#[test]
fn wrong_requests_are_refused_and_the_session_goes_on() {
    let mut editor = Editor::of_calls();
    editor.initialize();
    for (command, arguments) in [
        ("dance", json!({})),
        ("stackTrace", json!({})),
        ("stackTrace", json!({"threadId": 99_999_999_u64})),
        ("stackTrace", json!({"threadId": 0})),
        ("scopes", json!({"frameId": 7})),
        ("variables", json!({"variablesReference": 99})),
        ("setBreakpoints", json!({"source": {}})),
        ("setBreakpoints", json!([1, 2])),
        ("source", json!({"sourceReference": 5})),
        ("disassemble", json!({"memoryReference": "here", "instructionCount": 1})),
        ("readMemory", json!({"memoryReference": "0x10", "count": 4})),
        ("evaluate", json!({"expression": "1 +", "context": "watch"})),
        ("evaluate", json!({"expression": "no such command", "context": "repl"})),
    ] {
        let answer = editor.answer(command, &arguments);
        assert_eq!(answer["success"], false, "{command}: {answer}");
        assert!(!answer["message"].as_str().unwrap().is_empty(), "{answer}");
    }
    let data = json!({"breakpoints": [{"dataId": "nonsense"}]});
    assert_eq!(editor.ask("setDataBreakpoints", &data)["breakpoints"][0]["verified"], false);
    let asked = json!({"memoryReference": "0x0", "instructionOffset": -3, "instructionCount": 4});
    let code = editor.ask("disassemble", &asked);
    assert_eq!(code["instructions"][0]["presentationHint"], "invalid");
    editor.ask("disconnect", &json!({}));
    assert_eq!(editor.leaves(), 0);
}

#[test]
fn what_is_no_message_ends_the_session_with_an_error() {
    let mut editor = Editor::of_calls();
    editor.to.as_mut().unwrap().write_all(b"hello\n").unwrap();
    assert_eq!(editor.leaves(), 2);
}

#[test]
fn a_launch_of_a_running_program_is_debugged_in_an_editor() {
    let Some(client) = c_program("client") else { return };
    let mut editor = Editor::start(&["exec", "--debug", "add", "--dap", "--", &client]);
    editor.initialize();
    let (thread, reason) = editor.moves("configurationDone", &json!({}));
    assert_eq!(reason, "entry");
    let frames = editor.frames(thread);
    assert_eq!((frames.len(), &*frames[0].0), (1, "add"), "{frames:?}");
    let (_, reason) =
        editor.moves("next", &json!({"threadId": thread, "granularity": "instruction"}));
    assert_eq!(reason, "step");
    editor.moves("stepBack", &json!({"threadId": thread, "granularity": "instruction"}));
    editor.ask("disconnect", &json!({}));
    // The program goes on to its own end.
    let mut printed = String::new();
    while !printed.contains("mistakes are errors\n") {
        printed += editor.event("output")["output"].as_str().unwrap();
    }
    assert!(printed.contains("1000 sums are right"), "{printed}");
    assert_eq!(editor.event("exited")["exitCode"], 0);
    editor.event("terminated");
    assert_eq!(editor.leaves(), 0);
}

#[test]
fn a_launch_that_never_comes_is_told_when_the_program_has_ended() {
    let Some(client) = c_program("client") else { return };
    let mut editor = Editor::start(&["exec", "--debug", "nothing:3", "--dap", "--", &client]);
    editor.ask("initialize", &json!({}));
    let answer = editor.answer("launch", &json!({}));
    assert_eq!(answer["success"], false);
    let message = answer["message"].as_str().unwrap();
    assert_eq!(message, "the program has ended without launch 3 of nothing");
    assert_eq!(editor.event("exited")["exitCode"], 0);
    editor.event("terminated");
    assert_eq!(editor.leaves(), 0);
}

#[test]
fn a_launch_is_debugged_at_the_terminal_of_its_program_and_one_that_never_comes_is_told() {
    let Some(client) = c_program("client") else { return };
    let commands = scratch("debug_commands");
    std::fs::write(&commands, "turn 2\nprint threadIdx.x\ndetach\n").unwrap();
    let commands = commands.display().to_string();
    let run = exec(&["--debug", "add", "-x", &commands], &[&client]);
    let err = text(&run.stderr);
    assert_eq!(run.status.code(), Some(0), "{err}");
    assert!(err.contains("stopped at launch 1 of add"), "{err}");
    assert!(err.contains("(warpsim) print threadIdx.x\nthreadIdx.x = 0\n"), "{err}");
    // The program's own output and its results are as without a debugger.
    assert!(text(&run.stdout).contains("1000 sums are right\n"));
    assert!(!err.contains("without launch"), "{err}");
    let run = exec(&["--debug", "nothing:3"], &[&client]);
    let err = text(&run.stderr);
    assert_eq!(run.status.code(), Some(0), "{err}");
    assert!(err.contains("warning: the program has ended without launch 3 of `nothing`"), "{err}");
}
