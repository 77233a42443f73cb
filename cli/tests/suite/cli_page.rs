//! Pages: what `trace --format html`, `check --report` and `explore --report` write into them.
//!
//! The page itself is tested in a browser (`cli/page`). Here its data are held to what `trace` and
//! `check` say in JSON.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::process::Command;

use serde_json::Value;

const SCAN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../programs/src/volatile/scan8.ptx");
const LAUNCH: [&str; 6] = ["--block", "8", "--arg", "s32[8]=iota:1", "--arg", "s32[8]"];

/// Runs the command: its exit code and standard output.
fn warpsim(words: &[&str], launch: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpsim"));
    let run = command.args(words).args(launch).output().unwrap();
    (run.status.code().unwrap(), String::from_utf8(run.stdout).unwrap())
}

/// The document in a page.
pub(crate) fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("id=\"data\"").expect("a place for data");
    let (_, rest) = rest.split_once('>').unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

/// A list of 32 lanes again, where equal lanes, or lanes on a line, were written once.
fn spread(lanes: &Value, active: u32) -> Value {
    let number = |value: &Value| match value {
        Value::String(text) => i64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap(),
        other => other.as_i64().unwrap(),
    };
    let of = |lane: usize| match lanes {
        Value::Array(all) => all[lane].clone(),
        Value::Object(line) => {
            let at = number(&line["from"]) + number(&line["by"]) * lane as i64;
            match line["from"].is_string() {
                true => Value::from(format!("{at:#x}")),
                false => Value::from(at),
            }
        }
        same => same.clone(),
    };
    let is_active = |lane: usize| active >> lane & 1 == 1;
    (0..32).map(|lane| if is_active(lane) { of(lane) } else { Value::Null }).collect()
}

fn full(step: &Value) -> Value {
    let mut step = step.clone();
    let active = step["active"].as_str().unwrap().trim_start_matches("0x").to_owned();
    let active = u32::from_str_radix(&active, 16).unwrap();
    for (list, values) in [("reads", "bits"), ("writes", "bits"), ("memory", "addresses")] {
        for row in step[list].as_array_mut().unwrap() {
            // A list says itself which lanes take part.
            let lanes = &row[values];
            row[values] = if lanes.is_array() { lanes.clone() } else { spread(lanes, active) };
        }
    }
    step
}

#[test]
fn the_page_of_a_trace_has_its_steps_its_source_and_what_check_finds_under_the_schedule() {
    let (exit, page) = warpsim(&["trace", SCAN, "--format", "html"], &LAUNCH);
    assert_eq!(exit, 1, "the scan without volatile races");
    let data = data(&page);
    let (_, lines) = warpsim(&["trace", SCAN, "--format", "json"], &LAUNCH);
    let steps: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (last, steps) = steps.split_last().unwrap();
    assert_eq!(data["outcome"], last["outcome"]);
    let shown: Vec<Value> = data["steps"].as_array().unwrap().iter().map(full).collect();
    assert_eq!(shown, steps);
    assert!(steps.len() > 50 && data["cut"].is_null());
    let (_, checked) =
        warpsim(&["check", SCAN, "--format", "json", "--schedule", "in-order"], &LAUNCH);
    let checked: Value = serde_json::from_str(&checked).unwrap();
    let races = |document: &Value| -> Vec<(Value, Value)> {
        let all = document["findings"].as_array().unwrap().iter();
        all.map(|finding| (finding["message"].clone(), finding["accesses"].clone())).collect()
    };
    // `check` adds what other schedules show.
    assert!(!races(&data).is_empty());
    for race in races(&data) {
        assert!(races(&checked).contains(&race), "{race:?}");
    }
    // By its definition: the sums of 1 to 8.
    let sums: Vec<i64> = (1..=8).map(|n| n * (n + 1) / 2).collect();
    assert_eq!(data["buffers"][1]["values"], Value::from(sums));
    let source = &data["sources"][0];
    assert_eq!(source["name"], "scan8.cu");
    let text = std::fs::read_to_string(Path::new(SCAN).with_file_name("scan8.cu")).unwrap();
    assert_eq!(source["text"], text);
    assert_eq!(data["ptx"]["text"], std::fs::read_to_string(SCAN).unwrap());
    let cells = &data["shared"][0];
    assert_eq!(
        (&cells["name"], &cells["bytes"], &cells["type"]),
        (&"cells".into(), &64.into(), &"u32".into())
    );
}

#[test]
fn a_page_is_one_file_that_asks_for_no_other_and_whose_data_end_where_they_should() {
    let (_, page) = warpsim(&["trace", SCAN, "--format", "html"], &LAUNCH);
    // Its icon is empty, so that a browser asks for none.
    let page = page.replace("<link rel=\"icon\" href=\"data:,\">", "");
    for link in ["src=", "href=", "@import", "url(", "fetch(", "XMLHttpRequest"] {
        assert!(!page.contains(link), "{link}");
    }
    let start = page.find("id=\"data\"").unwrap();
    let end = start + page[start..].find("</script>").unwrap();
    assert!(!page[start + 9..end].contains("<!--"), "data that a browser takes for a comment");
    assert!(page.len() < 1 << 20, "{} bytes", page.len());
}

#[test]
fn the_page_of_a_check_shows_the_schedule_of_its_first_finding_and_that_of_explore_two() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("page.html");
    let path = report.to_str().unwrap();
    let (exit, _) = warpsim(&["check", SCAN, "--report", path], &LAUNCH);
    assert_eq!(exit, 1);
    let page = data(&std::fs::read_to_string(&report).unwrap());
    let first = &page["findings"][0];
    let replay = first["replay"].as_str().unwrap();
    let schedule = page["launch"]["schedule"].as_str().unwrap();
    assert!(replay.contains(schedule), "{replay} {schedule}");
    assert!(page.get("other").is_none());
    let (exit, _) = warpsim(&["explore", SCAN, "--schedules", "30", "--report", path], &LAUNCH);
    assert_eq!(exit, 1);
    let page = data(&std::fs::read_to_string(&report).unwrap());
    let other = &page["other"];
    assert_ne!(page["launch"]["schedule"], other["schedule"]);
    assert_ne!(page["buffers"], other["buffers"], "the schedules differ in their results");
    assert!(!other["steps"].as_array().unwrap().is_empty());
}

#[test]
fn a_timeline_has_a_slice_for_each_step_and_an_arrow_for_each_race_forward_in_time() {
    let (exit, text) = warpsim(&["trace", SCAN, "--format", "perfetto"], &LAUNCH);
    let document: Value = serde_json::from_str(&text).unwrap();
    let events = document["traceEvents"].as_array().unwrap();
    let of = |phase: &str| -> Vec<&Value> {
        events.iter().filter(|event| event["ph"] == phase).collect()
    };
    let (_, lines) = warpsim(&["trace", SCAN, "--format", "json"], &LAUNCH);
    let slices = of("X");
    assert_eq!((exit, slices.len()), (1, lines.lines().count() - 1));
    for (slice, line) in slices.iter().zip(lines.lines()) {
        let step: Value = serde_json::from_str(line).unwrap();
        assert_eq!((&slice["ts"], &slice["name"]), (&step["step"], &step["op"]));
    }
    // The eight threads of the only warp move together, in order.
    assert!(of("C").iter().all(|counter| counter["args"]["lanes"] == 8));
    assert_eq!(of("M").len(), 2, "a block and a warp have names");
    let (starts, ends) = (of("s"), of("f"));
    assert!(!starts.is_empty() && starts.len() == ends.len());
    for (start, end) in starts.iter().zip(&ends) {
        assert_eq!(start["id"], end["id"]);
        assert!(start["ts"].as_u64() < end["ts"].as_u64());
        assert!(start["name"].as_str().unwrap().contains("race on shared memory `cells`"));
    }
}

#[test]
fn colour_is_what_was_asked_for_whatever_the_stream_and_the_environment() {
    let coloured = |words: &[&str], no_colour: bool| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_warpsim"));
        command.args(["check", SCAN]).args(LAUNCH).args(words).env_remove("NO_COLOR");
        if no_colour {
            command.env("NO_COLOR", "1");
        }
        let run = command.output().unwrap();
        [run.stdout, run.stderr].map(|text| text.contains(&0x1b))
    };
    assert_eq!(coloured(&[], false), [false, false], "no terminal");
    assert_eq!(coloured(&["--color", "always"], true), [true, true]);
    assert_eq!(coloured(&["--color", "never"], false), [false, false]);
}
