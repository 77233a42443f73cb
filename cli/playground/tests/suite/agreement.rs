//! Every built-in program: its launch is found, and run, check and trace say what the library says.

use serde_json::{Value, json};
use warpsim_programs::{Form, Soundness, all};

use crate::{ask, work};

#[test]
fn the_list_has_every_program_and_variant() {
    let answer = ask(&json!({"do": "programs"}));
    let listed = answer["programs"].as_array().unwrap();
    assert_eq!(listed.len(), all().len());
    for (row, program) in listed.iter().zip(all()) {
        assert_eq!(row["name"], program.name);
        assert_eq!(row["variants"].as_array().unwrap().len(), program.variants.len());
        assert_eq!(row["forms"].as_array().unwrap().len(), program.ptx.len());
    }
}

#[test]
fn every_variant_has_a_launch_to_begin_with_that_runs_and_gives_the_verdict_of_the_program() {
    let mut variants = 0;
    for program in all() {
        for variant in program.variants {
            variants += 1;
            let name = format!("{} {}", program.name, variant.name);
            let answer = ask(&work("run", program.name, variant.name));
            assert!(answer.get("error").is_none(), "{name}: {answer}");
            assert_eq!(answer["kernel"], variant.kernel, "{name}");
            let first = program.ptx.first().unwrap().0;
            if let Some(right) = variant.soundness.is_right(first, false) {
                assert_eq!(answer["verdict"]["right"], right, "{name}: {answer}");
            }
            if !matches!(variant.soundness, Soundness::Faulty(_)) && first == Form::Naive {
                assert_eq!(answer["outcome"], "completed", "{name}: {answer}");
            }
        }
    }
    assert!(variants >= 16, "{variants}");
}

/// A program whose variants differ in how the host orders copies and launches. The page checks one
/// launch, which is right alone.
const OF_THE_HOST: &str = "async";

#[test]
fn what_a_check_of_a_faulty_variant_finds_is_of_a_kind_that_the_program_promises() {
    let mut seen = 0;
    for program in all().iter().filter(|program| program.name != OF_THE_HOST) {
        for variant in program.variants {
            let Soundness::Faulty(codes) = variant.soundness else { continue };
            let answer = ask(&work("check", program.name, variant.name));
            let findings = answer["findings"].as_array().unwrap();
            let promised =
                |finding: &Value| codes.iter().any(|code| finding["code"] == code.name());
            let name = format!("{} {}", program.name, variant.name);
            assert!(findings.iter().any(promised), "{name}: {answer}");
            seen += 1;
        }
    }
    assert!(seen >= 3, "{seen}");
}

/// A program whose races nothing mends that is added at one place: all trials are in vain.
#[test]
fn what_mends_a_finding_is_tried_for_a_while_and_advice_that_nobody_tried_says_so() {
    for what in ["check", "trace"] {
        let answer = ask(&work(what, "scan", "volatile"));
        let findings = answer["findings"].as_array().unwrap();
        let untried = |finding: &&Value| {
            finding["help"].as_str().is_some_and(|help| help.contains("was not tried"))
        };
        assert!(findings.len() >= 20, "{what}: {answer}");
        assert!(findings.iter().any(|finding| untried(&finding)), "{what}: {answer}");
    }
}

#[test]
fn a_launch_that_is_too_long_for_several_schedules_is_checked_under_one_and_the_answer_says_so() {
    let text = ".version 7.0 .target sm_70 .address_size 64 .visible .entry k(.param .u64 p) {
        .reg .u64 %a; .reg .u32 %n, %v; .reg .pred %q; ld.param.u64 %a, [p]; mov.u32 %n, 0;
        again: add.u32 %n, %n, 1; ld.global.u32 %v, [%a]; setp.gt.u32 %q, %v, 900000;
        @%q bra over; setp.lt.u32 %q, %n, 300000;
        @%q bra again; st.global.u32 [%a], %n; over: ret; }";
    let answer = ask(&json!({"do": "check", "text": text, "block": "2", "args": ["u32[1]"]}));
    assert_eq!(answer["outcome"], "completed", "{answer}");
    assert_eq!(answer["checked"]["limit"], 1_000_000, "{answer}");
    assert_eq!(answer["checked"]["schedules"], json!(["in-order"]));
    assert!(answer["findings"].as_array().unwrap().iter().any(|one| one["code"] == "race"));
    let short = text.replace("300000", "3");
    let answer = ask(&json!({"do": "check", "text": short, "block": "2", "args": ["u32[1]"]}));
    assert_eq!(answer["checked"]["limit"], Value::Null, "{answer}");
    assert!(answer["checked"]["schedules"].as_array().unwrap().len() > 1, "{answer}");
}

#[test]
fn the_steps_of_a_launch_are_those_of_the_library() {
    use warpsim::observe::Trace;
    use warpsim::prelude::*;

    let text = ".version 7.0 .target sm_70 .address_size 64 .visible .entry k(.param .u64 p) {
        .reg .u64 %a; .reg .u32 %v; ld.param.u64 %a, [p]; ld.global.u32 %v, [%a];
        add.u32 %v, %v, 1; st.global.u32 [%a], %v; ret; }";
    let request = json!({"do": "trace", "text": text, "grid": "1", "block": "1",
        "args": ["u32[1]=fill:6"]});
    let answer = ask(&request);
    let mut gpu = Simulator::default();
    let module = gpu.load(&warpsim::ptx::parse("k.ptx", text).unwrap()).unwrap();
    let cell = gpu.allocate(4).unwrap();
    gpu.upload(cell, &[6, 0, 0, 0]).unwrap();
    let mut trace = Trace::new();
    let launch = Launch::new(1, 1);
    gpu.launch_observed(module, "k", &launch, &[Argument::Pointer(cell)], &mut trace).unwrap();
    let steps = answer["steps"].as_array().unwrap();
    assert_eq!(steps.len(), trace.steps().len());
    for (row, step) in steps.iter().zip(trace.steps()) {
        assert_eq!((&row["text"], &row["step"]), (&json!(step.text), &json!(step.number)));
    }
    assert_eq!(answer["schema"], 1);
    assert_eq!(answer["buffers"][0]["values"], json!([7]));
}

#[test]
fn exploring_a_race_gives_each_result_a_schedule_that_leads_to_it_again() {
    let text = ".version 7.0 .target sm_70 .address_size 64 .visible .entry k(.param .u64 p) {
        .reg .u64 %a; .reg .u32 %v; ld.param.u64 %a, [p]; ld.global.u32 %v, [%a];
        add.u32 %v, %v, 1; st.global.u32 [%a], %v; ret; }";
    let launch = |of: &str, schedule: &str| {
        json!({"do": of, "text": text, "block": "2",
        "args": ["u32[1]"], "schedule": schedule, "schedules": 20})
    };
    let answer = ask(&launch("explore", ""));
    let results = answer["explored"]["results"].as_array().unwrap();
    assert_eq!(results.len(), 2, "{answer}");
    let cells: Vec<Value> = results
        .iter()
        .map(|one| {
            let again = ask(&launch("run", one["schedule"].as_str().unwrap()));
            again["buffers"][0]["values"][0].clone()
        })
        .collect();
    assert_eq!(cells, [json!(1), json!(2)]);
    assert!(answer["findings"].as_array().unwrap().iter().any(|one| one["code"] == "race"));
}
