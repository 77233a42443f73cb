//! Whatever the page sends, the answer is a JSON object and not a panic.

use proptest::prelude::*;
use serde_json::{Value, json};

const TEXT: &str = ".version 7.0 .target sm_70 .address_size 64 .visible .entry k(.param .u64 p) {
    .reg .u64 %a; .reg .u32 %v; ld.param.u64 %a, [p]; ld.global.u32 %v, [%a]; ret; }";

fn is_an_answer(request: &str) {
    let answer: Value = serde_json::from_str(&warpsim_playground::answer(request)).unwrap();
    assert!(answer.is_object(), "{answer}");
}

proptest! {
    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        is_an_answer(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_text_and_any_fields_are_answered(
        word in prop::sample::select(vec!["run", "check", "explore", "trace", "kernels", "story"]),
        text in prop_oneof![Just(TEXT.to_owned()), ".{0,80}"],
        kernel in prop_oneof![Just(None), ".{0,4}".prop_map(Some)],
        (grid, block) in ("[0-9,]{0,4}", "[0-9,]{0,3}"),
        args in prop::collection::vec(
            prop_oneof![Just("u32[4]".to_owned()), "[a-z0-9@+:=,{}\\[\\]]{0,14}"], 0..3),
        schedule in prop_oneof![Just(String::new()), "(random|pct|adversarial|1a)[:@0-9a-z,]{0,6}"],
        program in prop_oneof![Just(None), Just(Some("volatile")), Just(Some("none"))],
        cut in 0..TEXT.len(),
    ) {
        let text = if text == TEXT && cut % 3 == 0 { &TEXT[..cut] } else { &text };
        is_an_answer(&json!({
            "do": word, "text": text, "kernel": kernel, "grid": grid, "block": block,
            "args": args, "schedule": schedule, "program": program, "schedules": 3,
            "max_steps": 2000, "passes": ["register-cache"],
        }).to_string());
    }
}
