//! `exec --report page.html`: one launch of a program as a page. What it holds is worked out by
//! hand from the kernels of `tests/exec/client.c` and `tests/exec/groups.cu`.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::cli_page::data;
use super::exec::{c_program, exec, scratch, text};

/// The document of a program's page, and the exit code of the run.
fn page(name: &str, options: &[&str], program: &[&str]) -> (Value, i32) {
    let file = scratch(&format!("exec_page_{name}.html"));
    let report = file.display().to_string();
    let run = exec(&[options, &["--report", &report]].concat(), program);
    assert!(file.is_file(), "{}", text(&run.stderr));
    let page = std::fs::read_to_string(&file).unwrap();
    assert!(page.starts_with("<!doctype html>") && !page.contains("/*WARPSIM-DATA*/"));
    (data(&page), run.status.code().unwrap())
}

fn rows<'a>(document: &'a Value, key: &str) -> &'a [Value] {
    document[key].as_array().unwrap()
}

/// The line of the PTX in the page that has these words.
fn line(document: &Value, words: &str) -> usize {
    let ptx = document["ptx"]["text"].as_str().unwrap();
    1 + ptx.lines().position(|line| line.contains(words)).unwrap()
}

#[test]
fn the_page_of_a_racy_program_shows_the_launch_of_the_race_with_both_accesses() {
    let Some(program) = c_program("client") else { return };
    let (document, code) = page("racy", &["--check"], &[&program, "racy"]);
    assert_eq!(code, 1);
    // `add` is launched first, and then `last` three times.
    assert_eq!(document["kernel"], "last");
    let of = &document["program"];
    assert_eq!((&of["launch"], &of["launches"]), (&2.into(), &4.into()));
    assert_eq!(document["launch"]["block"], serde_json::json!([64, 1, 1]));
    let [race] = rows(&document, "findings") else { panic!("{document}") };
    assert_eq!((&race["code"], race.get("elsewhere")), (&"race".into(), None));
    // Each access of the race is a step of the page, of the same warp at the same line.
    let store = line(&document, "st.shared.u32 [%r2], %r1");
    let load = line(&document, "ld.shared.u32 %r1, [cell+252]");
    let mut lines = Vec::new();
    for access in race["accesses"].as_array().unwrap() {
        let is_one = |step: &&Value| {
            (&step["warp"], &step["ptx_line"]) == (&access["warp"], &access["ptx_line"])
        };
        assert_eq!(rows(&document, "steps").iter().filter(is_one).count(), 1, "{access}");
        lines.push(access["ptx_line"].as_u64().unwrap() as usize);
    }
    lines.sort_unstable();
    assert_eq!(lines, [store, load]);
    let cell = &rows(&document, "shared")[0];
    assert_eq!((&cell["name"], &cell["bytes"]), (&"cell".into(), &256.into()));
    assert!(document["machine"]["metrics"].is_array());
}

#[test]
fn the_page_of_a_clean_program_shows_its_first_launch_and_what_it_left() {
    let Some(program) = c_program("client") else { return };
    for (name, options) in [("clean", &["--check"][..]), ("counted", &["--stats"]), ("plain", &[])]
    {
        let (document, code) = page(name, options, &[&program, "clean"]);
        assert_eq!((code, &document["kernel"]), (0, &"add".into()), "{name}");
        assert_eq!(document["program"]["launch"], 1);
        assert_eq!(
            (rows(&document, "findings").len(), &document["outcome"]),
            (0, &"completed".into())
        );
        // 1000 numbers i, their doubles, and the sums.
        let buffers = rows(&document, "buffers");
        assert_eq!(buffers.len(), 3);
        for (buffer, by) in buffers.iter().zip([1.0, 2.0, 3.0]) {
            assert_eq!((&buffer["type"], &buffer["len"]), (&"f32".into(), &1000.into()));
            let values = buffer["values"].as_array().unwrap();
            let right = (0..1000).zip(values).all(|(i, v)| v.as_f64() == Some(by * f64::from(i)));
            assert!(right && values.len() == 1000, "{buffer}");
        }
    }
}

#[test]
fn a_launch_that_faults_has_a_page_and_so_has_a_program_without_launches() {
    let Some(program) = c_program("client") else { return };
    let (document, code) = page("fault", &["--check"], &[&program, "fault"]);
    assert_eq!((code, &document["kernel"]), (1, &"add".into()));
    assert_eq!(document["outcome"], "finding");
    let last = rows(&document, "steps").last().unwrap();
    assert_eq!(last["ptx_line"], line(&document, "ld.global.f32 %f1, [%d5]"));
    let (document, code) = page("none", &["--check"], &["true"]);
    assert_eq!((code, rows(&document, "steps").len()), (0, 0));
    assert_eq!(document["program"], serde_json::json!({"name": "true", "launches": 0}));
}

#[test]
fn findings_of_other_launches_say_where_they_were_found() {
    let file = scratch("exec_page_groups.html").display().to_string();
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/exec/groups.cu");
    let run = Command::new(env!("CARGO_BIN_EXE_warpsim"))
        .args(["exec", "--check", "--report", &file, source])
        .output()
        .unwrap();
    if run.status.code() == Some(4) {
        assert!(text(&run.stderr).contains("clang"), "{}", text(&run.stderr));
        return;
    }
    let document = data(&std::fs::read_to_string(&file).unwrap());
    let (here, elsewhere): (Vec<_>, Vec<_>) =
        rows(&document, "findings").iter().partition(|one| one.get("elsewhere").is_none());
    let kernel = document["kernel"].as_str().unwrap();
    // Of the five races, three are in one kernel and two in another.
    assert_eq!(here.len() + elsewhere.len(), 5, "{document}");
    let expected = if kernel.contains("three") { 3 } else { 2 };
    assert_eq!(here.len(), expected, "{kernel}");
    let other = if expected == 3 { "two" } else { "three" };
    let says = |one: &&Value| one["elsewhere"].as_str().unwrap().contains(other);
    assert!(elsewhere.iter().all(says), "{elsewhere:?}");
    // The source is there, with the lines that steps name.
    let own = rows(&document, "sources")
        .iter()
        .find(|file| Path::new(file["name"].as_str().unwrap()).ends_with("groups.cu"));
    assert_eq!(own.unwrap()["text"], std::fs::read_to_string(source).unwrap());
    let launched_by = document["program"]["launched_by"].as_str();
    assert!(launched_by.is_none_or(|by| by.contains("main")), "{launched_by:?}");
}
