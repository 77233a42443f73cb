//! An error is reported with its kind, and with its place if it is in the text.

use serde_json::{Value, json};

use crate::ask;

const HEAD: &str = ".version 7.0\n.target sm_70\n.address_size 64\n";

fn kind(request: &Value) -> (String, String) {
    let answer = ask(request);
    let text = |key: &str| answer["error"][key].as_str().unwrap_or_default().to_owned();
    (text("kind"), text("message"))
}

#[test]
fn a_text_that_does_not_parse_has_a_line_a_column_and_a_drawing() {
    let text = format!("{HEAD}.visible .entry k()\n{{\n  ret\n}}\n");
    let answer = ask(&json!({"do": "kernels", "text": text}));
    let error = &answer["error"];
    assert_eq!((&error["kind"], &error["line"]), (&json!("text"), &json!(6)), "{answer}");
    assert!(error["drawn"].as_str().unwrap().contains("playground.ptx:6"), "{answer}");
}

#[test]
fn an_instruction_that_is_none_is_told_with_its_line() {
    let text = format!("{HEAD}.visible .entry k()\n{{\n  nonsense.u32;\n  ret;\n}}\n");
    let answer = ask(&json!({"do": "run", "text": text, "block": "1"}));
    assert_eq!(answer["error"]["line"], 6, "{answer}");
}

#[test]
fn wrong_fields_are_told_by_their_names() {
    let text = format!("{HEAD}.visible .entry k(.param .u64 p) {{ ret; }}");
    let with = |key: &str, value: Value| {
        let mut request = json!({"do": "run", "text": text, "args": ["u32[4]"]});
        request[key] = value;
        kind(&request)
    };
    let cases = [
        ("grid", json!("0"), "grid"),
        ("block", json!("x"), "block"),
        ("args", json!([]), "takes 1 arguments"),
        ("args", json!(["u32[4"]), "argument 0"),
        ("args", json!(["u32[999999999]"]), "the buffers have"),
        ("args", json!(["u32[1]=file:secret.bin"]), "secret.bin"),
        ("schedule", json!("sometimes"), "sometimes"),
        ("model", json!("both"), "both"),
        ("kernel", json!("j"), "j"),
        ("passes", json!(["magic"]), "magic"),
        ("program", json!("none"), "none"),
        ("block", json!("2048"), "1024"),
    ];
    for (key, value, part) in cases {
        let (kind, message) = with(key, value.clone());
        assert_eq!(kind, "usage", "{key} {value}: {message}");
        assert!(message.contains(part), "{key} {value}: {message}");
    }
}

#[test]
fn a_kernel_that_goes_on_for_ever_ends_with_the_limit() {
    let text = format!("{HEAD}.visible .entry k() {{ forever: bra forever; }}");
    let answer = ask(&json!({"do": "run", "text": text, "block": "1", "max_steps": 1000}));
    assert!(["limit", "livelock"].contains(&answer["outcome"].as_str().unwrap()), "{answer}");
}

#[test]
fn each_kernel_comes_with_its_parameters_and_a_launch() {
    let text = format!("{HEAD}.visible .entry k(.param .u64 p, .param .f32 x) {{ ret; }}");
    let answer = ask(&json!({"do": "kernels", "text": text}));
    let kernel = &answer["kernels"][0];
    assert_eq!(kernel["name"], "k");
    assert_eq!(kernel["parameters"].as_array().unwrap().len(), 2);
    assert_eq!(kernel["suggestion"]["args"].as_array().unwrap().len(), 2, "{answer}");
}
