//! The volatile story, as the page tells it.

use serde_json::{Value, json};

use crate::{ask, work};

fn verdict(variant: &str, passes: &[&str], schedule: &str) -> Value {
    let mut request = work("run", "volatile", variant);
    request["passes"] = json!(passes);
    request["schedule"] = json!(schedule);
    ask(&request)["verdict"]["right"].clone()
}

#[test]
fn without_volatile_the_pass_makes_the_result_wrong_and_with_it_nothing_changes() {
    assert_eq!(verdict("plain", &[], ""), true);
    assert_eq!(verdict("plain", &["register-cache"], ""), false);
    assert_eq!(verdict("volatile", &[], ""), true);
    assert_eq!(verdict("volatile", &["register-cache"], ""), true);
    // Lanes that do not move together make both wrong.
    assert_eq!(verdict("volatile", &[], "reverse"), false);
}

#[test]
fn the_buffer_on_the_page_holds_the_sums_that_the_verdict_is_about() {
    let answer = ask(&work("run", "volatile", "volatile"));
    let sums: Vec<i64> = (1..=32).map(|n| n * (n + 1) / 2).collect();
    assert_eq!(answer["buffers"][1]["values"], json!(sums), "{answer}");
}

#[test]
fn the_story_is_that_of_the_programs_crate() {
    let answer = ask(&json!({"do": "story", "program": "volatile"}));
    let tale = warpsim_programs::volatile::tell().unwrap();
    let text = warpsim_programs::volatile::render(&tale, warpsim_programs::Colour::Never);
    assert_eq!(answer["story"], text);
}

#[test]
fn the_changed_text_comes_with_the_answer() {
    let mut request = work("run", "volatile", "plain");
    assert!(ask(&request)["rewritten"].is_null());
    request["passes"] = json!(["register-cache"]);
    let answer = ask(&request);
    assert!(answer["rewritten"].as_str().unwrap().contains(".entry"), "{answer}");
    assert!(answer["remarks"].as_u64().unwrap() > 0);
}
