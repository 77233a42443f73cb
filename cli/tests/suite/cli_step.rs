//! The debugger at a terminal: `script` of util-linux is the terminal, and this test the person.
//! Without that program, the test says that it was skipped.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};

/// What was said between two prompts.
struct Terminal {
    child: Child,
}

impl Terminal {
    /// The debugger at its first prompt; `None` where there is no `script`.
    fn open() -> Option<Terminal> {
        let step = format!(
            "'{}' step --plain tests/cmd/input/calls.ptx --arg 's32[33]=iota:1'",
            env!("CARGO_BIN_EXE_warpsim")
        );
        let child = Command::new("timeout")
            .args(["60", "script", "-qec", &step, "/dev/null"])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .env("TERM", "xterm")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let mut terminal = Terminal { child: child.ok()? };
        terminal.until_prompt().contains("(warpsim) ").then_some(terminal)
    }

    /// What comes up to the next prompt, or the end.
    fn until_prompt(&mut self) -> String {
        let mut text = Vec::new();
        let mut byte = [0];
        let out = self.child.stdout.as_mut().expect("it is piped");
        while !text.ends_with(b"(warpsim) ") && out.read(&mut byte).is_ok_and(|n| n == 1) {
            text.push(byte[0]);
        }
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Types, and gives what came before the next prompt.
    fn types(&mut self, keys: &str) -> String {
        let input = self.child.stdin.as_mut().expect("it is piped");
        input.write_all(keys.as_bytes()).and_then(|()| input.flush()).expect("it listens");
        self.until_prompt()
    }
}

#[test]
fn the_key_up_brings_back_the_last_command() {
    let Some(mut terminal) = Terminal::open() else {
        eprintln!("the debugger at a terminal: skipped: `script` of util-linux is not there");
        return;
    };
    let first = terminal.types("turn 3\n");
    assert!(first.contains("     2 block (0,0,0) warp 0 lanes all"), "{first}");
    // The line is drawn again with the command in it, behind a prompt.
    let drawn = terminal.types("\x1b[A");
    let second = terminal.types("\n");
    assert!(second.contains("     5 block (0,0,0) warp 0 lanes all"), "{drawn}{second}");
    // Ctrl-C gives up the line.
    terminal.types("nonsense\x03");
    let last = terminal.types("quit\n");
    let status = terminal.child.wait().expect("it ends");
    assert!(status.success() && !last.contains("error"), "{last}{status}");
}
