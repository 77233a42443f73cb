//! `exec --perfetto`: the timeline of a program. The operations and their order are those that
//! `tests/exec/counts.c` and `tests/exec/shared.c` ask for.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use serde_json::Value;

use super::exec::{c_program, exec, scratch, text};

/// The events of a program's timeline, and what standard error says.
fn timeline(name: &str, options: &[&str], program: &[&str]) -> (Vec<Value>, String) {
    let file = scratch(&format!("exec_timeline_{name}.json")).display().to_string();
    let run = exec(&[&["--perfetto", &file], options].concat(), program);
    let document: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert!(document["otherData"]["time"].as_str().unwrap().starts_with("host time"));
    (document["traceEvents"].as_array().unwrap().clone(), text(&run.stderr))
}

/// Events of a phase and a category.
fn of<'a>(events: &'a [Value], phase: &str, category: &str) -> Vec<&'a Value> {
    let is_one = |event: &&Value| event["ph"] == phase && event["cat"] == category;
    events.iter().filter(is_one).collect()
}

fn number(event: &Value, key: &str) -> f64 {
    event[key].as_f64().unwrap()
}

/// Whether a slice lies within another one.
fn is_within(inner: &Value, outer: &Value) -> bool {
    let end = |event| number(event, "ts") + number(event, "dur");
    number(inner, "ts") >= number(outer, "ts") && end(inner) <= end(outer)
}

#[test]
fn launches_lie_on_the_track_of_their_stream_within_the_calls_that_issued_them() {
    let Some(program) = c_program("counts") else { return };
    let (events, said) = timeline("launches", &[], &[&program, "part", "column"]);
    let launches = of(&events, "X", "kernel");
    let names: Vec<&str> = launches.iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["part", "column"], "{said}");
    let arguments = &launches[0]["args"];
    assert_eq!(arguments["grid"], serde_json::json!([2, 1, 1]));
    assert_eq!(arguments["block"], serde_json::json!([64, 1, 1]));
    assert_eq!((&arguments["launch"], &arguments["outcome"]), (&1.into(), &"completed".into()));
    // One after the other, each within its call.
    assert!(number(launches[0], "ts") < number(launches[1], "ts"));
    let calls = of(&events, "X", "call");
    let issuing: Vec<_> = calls.iter().filter(|call| call["name"] == "cuLaunchKernel").collect();
    assert_eq!(issuing.len(), 2);
    for (launch, call) in launches.iter().zip(&issuing) {
        assert!(is_within(launch, call), "{launch} {call}");
        assert_ne!(launch["pid"], call["pid"], "the threads and the streams are apart");
    }
    // An arrow leads from each call to what it issued.
    let (starts, ends) = (of(&events, "s", "issue"), of(&events, "f", "issue"));
    assert_eq!((starts.len(), ends.len()), (2, 2));
    for ((start, end), (launch, call)) in starts.iter().zip(&ends).zip(launches.iter().zip(issuing))
    {
        assert_eq!(start["id"], end["id"]);
        assert_eq!((&start["ts"], &start["tid"]), (&call["ts"], &call["tid"]));
        assert_eq!((&end["ts"], &end["pid"]), (&launch["ts"], &launch["pid"]));
    }
    let named = |kind: &str, track: &Value| {
        let is_one = |event: &&Value| event["name"] == kind && event["pid"] == track["pid"];
        events.iter().find(is_one).unwrap()["args"]["name"].as_str().unwrap().to_owned()
    };
    assert!(named("process_name", launches[0]).starts_with("device, context 1 of process "));
    assert_eq!(named("thread_name", launches[0]), "default stream");
    assert_eq!(named("thread_name", calls[0]), "thread 1");
}

#[test]
fn processes_have_tracks_of_their_own_and_the_log_is_the_same_with_a_timeline() {
    let Some(program) = c_program("counts") else { return };
    let log = scratch("exec_timeline_log.json").display().to_string();
    let script = "\"$0\" part && \"$0\" column";
    let words = ["sh", "-c", script, &program];
    let (events, said) = timeline("processes", &["--log", &log], &words);
    let launches = of(&events, "X", "kernel");
    assert_eq!(launches.len(), 2, "{said}");
    assert_ne!(launches[0]["pid"], launches[1]["pid"]);
    // Each line of the log is a slice.
    let lines = std::fs::read_to_string(&log).unwrap();
    assert_eq!(lines.lines().count(), of(&events, "X", "call").len());
    let line: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!((&line["call"], &line["result"]), (&"cuInit".into(), &"CUDA_SUCCESS".into()));
    assert!(line["thread"] == 1 && line["start"].is_u64() && line["nanoseconds"].is_u64());
}

#[test]
fn copies_have_their_ways_and_bytes_and_a_race_of_two_streams_is_an_arrow_between_them() {
    let Some(program) = c_program("memory") else { return };
    let (events, said) = timeline("race", &["--check"], &[&program, "racy"]);
    assert!(said.contains("error[race]"), "{said}");
    let marks = of(&events, "i", "finding");
    let [mark] = marks.as_slice() else { panic!("{marks:?}") };
    assert_eq!(mark["name"], "race");
    let (starts, ends) = (of(&events, "s", "finding"), of(&events, "f", "finding"));
    let ([start], [end]) = (starts.as_slice(), ends.as_slice()) else { panic!("{starts:?}") };
    assert_eq!((&start["id"], &end["ts"]), (&end["id"], &mark["ts"]));
    assert!(start["name"].as_str().unwrap().contains("the launch of `fill` in stream"));
    // `n` words, as the program has them: a piece of 2 MiB, and 2000 more.
    let copy = of(&events, "X", "copy")[0];
    assert_eq!(
        (&copy["name"], &copy["args"]["bytes"]),
        (&"copy device to host".into(), &2_105_152.into())
    );
    let slices: Vec<&Value> = events.iter().filter(|event| event["ph"] == "X").collect();
    for at in [start, end] {
        let is_there = |slice: &&&Value| {
            slice["cat"] != "call" && slice["ts"] == at["ts"] && slice["tid"] == at["tid"]
        };
        assert!(slices.iter().any(|slice| is_there(&slice)), "{at}");
    }
    assert_ne!(start["tid"], end["tid"], "two streams");
}

#[test]
fn a_file_that_cannot_be_written_is_an_error_before_the_program_starts() {
    let run = exec(&["--perfetto", "/no/such/folder/t.json"], &["sh", "-c", "echo started"]);
    assert_eq!((run.status.code(), text(&run.stdout).as_str()), (Some(2), ""));
    assert!(text(&run.stderr).contains("/no/such/folder/t.json"), "{}", text(&run.stderr));
    let file = scratch("exec_timeline_none.json").display().to_string();
    let run = exec(&["--perfetto", &file, "--log", "/dev/null"], &["sh", "-c", "echo started"]);
    assert_eq!((run.status.code(), text(&run.stdout).as_str()), (Some(2), ""));
    assert!(text(&run.stderr).contains("/dev/null is no file"), "{}", text(&run.stderr));
}
