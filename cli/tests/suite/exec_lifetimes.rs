//! Memory that is used before it is allocated or after it is freed, in the order of streams. Each
//! mistake is reported with the lines that allocate and free, and its right form is clean. The
//! rules are in the CUDA programming guide, "Stream-Ordered Memory Allocator" and "Graph Memory
//! Nodes".

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::sync::OnceLock;

use super::exec::{exec, runtime_client, text};

const SOURCE: &str = include_str!("../exec/stream_memory.c");

/// The program, compiled once.
fn program() -> Option<String> {
    static PROGRAM: OnceLock<Option<String>> = OnceLock::new();
    PROGRAM.get_or_init(|| runtime_client("stream_memory", "12")).clone()
}

/// The line of the source that is marked so.
fn line(mark: &str) -> Option<usize> {
    let is_marked = |line: &str| line.contains(&format!("/* {mark} */"));
    SOURCE.lines().position(is_marked).map(|index| index + 1)
}

/// What has to be found, and words of it.
const WRONG: [(&str, &str, &str); 10] = [
    ("after-free", "use-after-free", "is used after it was freed"),
    ("after-free-and-wait", "use-after-free", "was freed"),
    (
        "free-elsewhere",
        "use-after-free",
        "is freed while in use: nothing orders the launch of `put`",
    ),
    ("free-elsewhere-first", "use-after-free", "is freed while in use: nothing orders the free"),
    ("before-allocation", "race", "is used before it is allocated: nothing orders the allocation"),
    ("free-before-allocation", "race", "is freed before it is allocated"),
    ("copy-after-free", "use-after-free", "is used after it was freed"),
    ("host-frees", "use-after-free", "is freed while in use"),
    ("plain-freed-elsewhere", "use-after-free", "is freed while in use"),
    ("plain-after-free", "use-after-free", "was freed"),
];

const RIGHT: [&str; 9] = [
    "before-free",
    "free-elsewhere-behind-event",
    "behind-allocation",
    "host-waits-and-frees",
    "plain-freed-in-order",
    "plain-freed-by-host",
    "used-again",
    "more-than-there-is",
    "graph-joined",
];

#[test]
fn what_uses_memory_outside_of_its_life_is_told_with_where_that_begins_and_ends() {
    let Some(program) = program() else { return };
    for (what, code, words) in WRONG {
        let run = exec(&["--check"], &[&program, what]);
        let err = text(&run.stderr);
        assert_eq!(run.status.code(), Some(1), "{what}: {err}");
        assert!(err.contains(&format!("error[{code}]: ")) && err.contains(words), "{what}: {err}");
        assert!(err.contains("warpsim exec: 1 error in "), "{what}: {err}");
        for (mark, verb) in [("allocates", "allocated"), ("frees", "freed")] {
            let place = line(&format!("{what} {mark}")).unwrap();
            let of_program =
                err.lines().find(|line| line.contains(&format!("= {verb} by main at")));
            let is_known = of_program.is_some_and(|told| told.ends_with(&format!(":{place}")));
            let is_later = verb == "freed" && what == "before-allocation";
            assert!(is_known || is_later, "{what} {mark} in line {place}: {err}");
        }
    }
}

#[test]
fn a_node_that_frees_beside_one_that_uses_the_memory_is_told() {
    let Some(program) = program() else { return };
    let run = exec(&["--check"], &[&program, "graph"]);
    let err = text(&run.stderr);
    assert_eq!(run.status.code(), Some(1), "{err}");
    assert!(err.contains("error[use-after-free]: ") && err.contains("freed while in use"), "{err}");
}

#[test]
fn memory_that_is_used_within_its_life_is_clean() {
    let Some(program) = program() else { return };
    for what in RIGHT {
        for options in [&[][..], &["--check"]] {
            let run = exec(options, &[&program, what]);
            let (out, err) = (text(&run.stdout), text(&run.stderr));
            assert_eq!((run.status.code(), &*out), (Some(0), "done\n"), "{what}: {err}");
            assert!(options.is_empty() || err.contains("no findings in"), "{what}: {err}");
        }
    }
}
