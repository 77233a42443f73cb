//! Environment variables that ask for the impossible are reported before any work, all in the same
//! way.

use std::io;
use std::process::Command;

/// What the command says, and its exit code, where a variable has a value.
fn listed(variable: &str, value: &str) -> io::Result<(String, Option<i32>)> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpsim"));
    command.args(["programs", "list"]).env("NO_COLOR", "1");
    for name in ["WARPSIM_SIMD", "WARPSIM_GANGS", "WARPSIM_THREADS"] {
        command.env_remove(name);
    }
    let output = command.env(variable, value).output()?;
    Ok((String::from_utf8_lossy(&output.stderr).into_owned(), output.status.code()))
}

#[test]
fn a_variable_that_asks_for_what_cannot_be_is_a_usage_error() {
    let wrong = [
        ("WARPSIM_SIMD", "avx3", "and can be one of baseline, avx2, avx512"),
        ("WARPSIM_GANGS", "of", "and can be one of on, off"),
        ("WARPSIM_THREADS", "two", "and can be a number from 1 on"),
        ("WARPSIM_THREADS", "0", "and can be a number from 1 on"),
    ];
    for (variable, value, why) in wrong {
        let (said, code) = listed(variable, value).unwrap();
        assert!(said.starts_with(&format!("error: {variable} is `{value}`, {why}\n")), "{said}");
        assert!(said.contains(&format!("without {variable}")), "{said}");
        assert_eq!(code, Some(2), "{said}");
    }
}

#[test]
fn a_variable_that_asks_for_what_can_be_or_for_nothing_is_no_error() {
    let right = [
        ("WARPSIM_SIMD", "baseline"),
        ("WARPSIM_GANGS", "on"),
        ("WARPSIM_GANGS", "off"),
        ("WARPSIM_THREADS", "1"),
        ("WARPSIM_SIMD", ""),
        ("WARPSIM_THREADS", ""),
    ];
    for (variable, value) in right {
        assert_eq!(listed(variable, value).unwrap(), (String::new(), Some(0)));
    }
}
