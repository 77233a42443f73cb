//! Races on one object of a kernel are reported as one group: the first in full, the others in a
//! line each, with the places that mend them together.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]
#![allow(clippy::print_stdout, reason = "a test that is skipped says so")]

use std::process::Command;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/exec/groups.cu");

/// What `exec --check` says on standard error, its exit code, and its report; `None` without clang.
fn check(options: &[&str]) -> Option<(i32, String)> {
    let warpsim = env!("CARGO_BIN_EXE_warpsim");
    let run = Command::new(warpsim).args(["exec", "--check"]).args(options).arg(FILE).output();
    let run = run.unwrap();
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    let code = run.status.code().unwrap();
    if code == 4 {
        assert!(said.contains("clang"), "{said}");
        println!("skipped: {said}");
        return None;
    }
    Some((code, said))
}

/// The line of the source with these words, from 1.
fn line(words: &str) -> usize {
    let source = std::fs::read_to_string(FILE).unwrap();
    1 + source.lines().position(|line| line.contains(words)).unwrap()
}

#[test]
fn races_on_one_object_of_a_kernel_are_one_group_and_those_of_another_kernel_are_not_in_it() {
    let Some((code, said)) = check(&[]) else { return };
    assert_eq!(code, 1, "{said}");
    // One finding of each kernel is reported in full.
    assert_eq!(said.matches("error[race]: ").count(), 2, "{said}");
    assert_eq!(said.matches("= replay: ").count(), 2, "{said}");
    let (three, two) =
        said.split_once("error[race]: ").unwrap().1.split_once("error[race]: ").unwrap();
    assert!(three.contains("  = 2 more of `race` on `cell`:\n"), "{said}");
    assert!(two.contains("  = 1 more of `race` on `cell`:\n"), "{said}");
    for (text, words) in
        [(three, "(three reads b)"), (three, "(three reads c)"), (two, "(two reads b)")]
    {
        assert!(text.contains(&format!("groups.cu:{} ", line(words))), "{words}: {said}");
    }
    let mend = |words: &str, all: usize| {
        format!(
            "  = mend once: put __syncthreads() before groups.cu:{}, between the accesses of all {all}; ",
            line(words)
        )
    };
    assert!(three.contains(&mend("(three reads a)", 3)), "{said}");
    assert!(two.contains(&mend("(two reads a)", 2)), "{said}");
    // Each of them counts.
    assert!(said.ends_with("warpsim exec: 5 errors in 3 launches\n"), "{said}");
    // What is advised mends all.
    let (code, said) = check(&["-D", "FIXED"]).unwrap();
    assert_eq!((code, said.as_str()), (0, "warpsim exec: no findings in 3 launches\n"));
}

#[test]
fn with_explain_each_is_told_in_full_with_what_orders_it_and_what_does_not() {
    let Some((code, said)) = check(&["--explain"]) else { return };
    assert_eq!(code, 1, "{said}");
    assert_eq!(said.matches("error[race]: ").count(), 5, "{said}");
    assert_eq!(
        said.matches("= what orders these accesses, and what does not:").count(),
        5,
        "{said}"
    );
    assert!(!said.contains("more of `race`"), "{said}");
}
