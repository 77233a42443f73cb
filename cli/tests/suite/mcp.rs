//! `warpsim mcp`, as a client of the protocol uses it: messages of JSON-RPC, one on each line.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

/// A connection to a server.
struct Client {
    server: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    number: u64,
}

impl Client {
    fn new() -> Client {
        let mut server = Command::new(env!("CARGO_BIN_EXE_warpsim"))
            .arg("mcp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (requests, answers) = (server.stdin.take(), server.stdout.take().unwrap());
        let answers = BufReader::new(answers);
        let mut client = Client { server, requests, answers, number: 0 };
        let hello = client.ask(
            "initialize",
            &json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": { "name": "test", "version": "1" },
            }),
        );
        assert_eq!(hello["result"]["serverInfo"]["name"], "warpsim", "{hello}");
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.requests.as_mut().unwrap(), "{message}").unwrap();
    }

    fn ask(&mut self, method: &str, parameters: &Value) -> Value {
        self.number += 1;
        let number = self.number;
        self.send(&json!({
            "jsonrpc": "2.0", "id": number, "method": method, "params": parameters,
        }));
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["id"], number, "{answer}");
        answer
    }

    /// What a tool answers.
    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let answer = self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }));
        let structured = &answer["result"]["structuredContent"];
        assert!(structured.is_object(), "{answer}");
        structured.clone()
    }

    /// Closes the connection; the server ends without a signal.
    fn close(mut self) {
        self.requests = None;
        assert_eq!(self.server.wait().unwrap().code(), Some(0));
    }
}

/// Swaps the halves of a block through shared memory, with or without the barrier.
fn swap(barrier: &str) -> Value {
    let source = format!(
        ".version 7.0\n.target sm_80\n.address_size 64\n\
         .visible .entry swap(.param .u64 out) {{\n\
         .shared .b32 cells[64]; .reg .b32 %t, %v, %a, %o; .reg .b64 %p, %b;\n\
         mov.u32 %t, %tid.x; mov.u32 %a, cells; mad.lo.u32 %o, %t, 4, %a;\n\
         st.shared.u32 [%o], %t;\n{barrier}\n\
         xor.b32 %v, %t, 32; mad.lo.u32 %o, %v, 4, %a; ld.shared.u32 %v, [%o];\n\
         ld.param.u64 %p, [out]; mul.wide.u32 %b, %t, 4; add.u64 %p, %p, %b;\n\
         st.global.u32 [%p], %v; ret; }}\n"
    );
    json!({ "source": source, "block": "64", "arguments": ["u32[64]"] })
}

#[test]
fn a_kernel_is_checked_run_and_its_finding_explained() {
    let mut client = Client::new();
    let tools = client.ask("tools/list", &json!({}));
    let tools = tools["result"]["tools"].as_array().unwrap().clone();
    let mut names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["check_kernel", "explain_finding", "run_kernel"]);

    let racy = client.call("check_kernel", &swap(""));
    assert_eq!(racy["verdict"], "findings", "{racy}");
    assert_eq!(racy["document"]["findings"][0]["code"], "race", "{racy}");
    assert!(racy["text"].as_str().unwrap().contains("error[race]"), "{racy}");
    let clean = client.call("check_kernel", &swap("bar.sync 0;"));
    assert_eq!(clean["verdict"], "clean", "{clean}");

    let mut launch = swap("bar.sync 0;");
    launch["cells"] = json!(3);
    let run = client.call("run_kernel", &launch);
    let values = &run["document"]["buffers"][0]["values"];
    assert_eq!(values, &json!([32, 33, 34]), "{run}");

    let explained = client.call("explain_finding", &json!({ "code": "race" }));
    assert!(explained["remedy"].as_str().unwrap().contains("barrier"), "{explained}");
    client.close();
}

#[test]
fn wrong_requests_are_refused_with_what_is_wrong() {
    let mut client = Client::new();
    let mut wrong = swap("");
    wrong["blok"] = json!("64");
    let refused = client.ask("tools/call", &json!({ "name": "check_kernel", "arguments": wrong }));
    assert!(refused.to_string().contains("blok"), "{refused}");
    let mut slow = swap("");
    slow["time_limit"] = json!(0);
    let refused = client.ask("tools/call", &json!({ "name": "check_kernel", "arguments": slow }));
    assert!(refused.to_string().contains("use 1 to 600"), "{refused}");
    // A value is no option of the command.
    let mut option = swap("");
    option["kernel"] = json!("--help");
    let refused = client.call("check_kernel", &option);
    assert_eq!(refused["verdict"], "refused", "{refused}");
    let broken = json!({ "source": ".version 7.0\n.target sm_80\nnonsense" });
    let refused = client.call("check_kernel", &broken);
    assert_eq!(refused["verdict"], "refused", "{refused}");
    assert!(refused["text"].as_str().unwrap().contains("kernel.ptx:3"), "{refused}");
    let unknown = client
        .ask("tools/call", &json!({ "name": "explain_finding", "arguments": { "code": "rase" } }));
    assert!(unknown.to_string().contains("unknown finding `rase`"), "{unknown}");
    client.close();
}

#[test]
fn a_kernel_that_does_not_end_is_ended_when_its_time_is_over() {
    let mut client = Client::new();
    let source = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry spin() {\n\
                  .reg .b32 %r; mov.u32 %r, 0;\nL: add.u32 %r, %r, 1; bra L; }\n";
    let start = Instant::now();
    let over = client.call("run_kernel", &json!({ "source": source, "time_limit": 2 }));
    // A loop without end may be seen before its time is over.
    assert_ne!(over["verdict"], "clean", "{over}");
    assert!(start.elapsed().as_secs() < 30);
    client.close();
}
