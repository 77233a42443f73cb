//! The command writes no character that a terminal obeys, whatever names a program has.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::path::PathBuf;

use warpsim::diagnostics::is_obeyed;
use warpsim_cli::capture;

/// A kernel with a race whose source file has a name with ESC, BEL, DEL, a control character of C1,
/// and ones that turn the direction of text.
fn kernel() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("terminal");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("named.ptx");
    let name = "a\u{1b}]0;P\u{7}\u{1b}[31m\u{7f}\u{9b}31m\u{202e}\u{2066}\u{61c}.cu";
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"{name}\"\n\
         .visible .entry k(.param .u64 p) {{ .reg .b64 %d<2>; .reg .b32 %r<3>; .shared .u32 s[32];\n\
         .loc 1 3 0\nld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x;\n\
         .loc 1 4 0\nst.shared.u32 [s], %r1;\n\
         .loc 1 5 0\nld.shared.u32 %r2, [s]; st.global.u32 [%d1], %r2; ret; }}\n"
    );
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn no_output_holds_what_a_terminal_obeys() {
    let file = kernel().display().to_string();
    let mut seen = 0;
    for command in ["run", "check", "explore", "trace"] {
        for format in ["text", "json"] {
            let line = [command, &file, "--block", "64", "--arg", "u32[64]", "--format", format];
            let ran = capture(line.map(str::to_owned));
            for text in [&ran.stdout, &ran.stderr] {
                assert!(!text.contains(is_obeyed), "{command} {format}: {text:?}");
                seen += text.matches("]0;P").count();
            }
        }
    }
    // The name is there, as escapes.
    assert!(seen > 4, "{seen}");
}
