//! What the page is answered: the same as the library answers, and never a panic.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod agreement;
mod anything;
mod refusals;
mod volatile;

use serde_json::Value;

/// The answer to a request.
fn ask(request: &Value) -> Value {
    serde_json::from_str(&warpsim_playground::answer(&request.to_string())).unwrap()
}

/// A launch of a built-in program, as the page asks for it.
fn work(of: &str, program: &str, variant: &str) -> Value {
    let example = ask(&serde_json::json!({
        "do": "program", "program": program, "variant": variant
    }));
    assert!(example.get("error").is_none(), "{program} {variant}: {example}");
    let launch = &example["launch"];
    serde_json::json!({
        "do": of, "text": example["ptx"]["text"], "kernel": launch["kernel"],
        "grid": launch["grid"], "block": launch["block"], "shared": launch["shared"],
        "args": launch["args"], "program": program, "variant": variant,
    })
}
