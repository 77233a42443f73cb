//! The simulator behind the playground page: requests and answers as JSON.
//!
//! [`answer`] is the whole interface. A request says what to do with a PTX text ([`Request`]); the
//! answer is what the library says, or why it refuses. The page is in `cli/playground/page`. It
//! runs this crate as WebAssembly in a worker, without threads, files or clocks; the module
//! `boundary` is the only place that knows of memory shared with JavaScript.
//!
//! It must know neither the look of the page nor the command. It keeps nothing from one request to
//! the next: the same request has the same answer. In which direction it can be wrong: results are
//! the library's, but a launch ends with `limit` after fewer steps than on the command line
//! ([`MOST_STEPS`]). Of long buffers and traces only the beginning is shown.

#[cfg(target_family = "wasm")]
mod boundary;
mod examples;
mod launches;
mod preset;
mod ready;
mod refusal;
mod request;
mod results;
mod tracing;

pub use ready::MOST_STEPS;
pub use request::{Request, Work};

use serde_json::Value;
use warpsim_formats::json;

use refusal::Refusal;

/// The answer in place of one that cannot be written: values are texts, numbers and lists of such.
const UNWRITTEN: &str = r#"{"error": {"kind": "bug", "message": "JSON cannot hold the answer"}}"#;

/// The answer to a request: a JSON object. One with the key `error` says why there is no other.
///
/// ```
/// let answer = warpsim_playground::answer(r#"{"do": "programs"}"#);
/// assert!(answer.contains("\"volatile\""));
/// let answer = warpsim_playground::answer("no request");
/// assert!(answer.contains("\"error\""));
/// ```
pub fn answer(request: &str) -> String {
    let found =
        serde_json::from_str(request).map_err(Refusal::from).and_then(|request| act(&request));
    let value = found.unwrap_or_else(|refusal| refusal.document());
    json::to_string(&value).unwrap_or_else(|_| UNWRITTEN.to_owned())
}

fn act(request: &Request) -> Result<Value, Refusal> {
    match request {
        Request::Programs => Ok(examples::list()),
        Request::Program { program, variant, form } => {
            examples::one(program, variant.as_deref(), form.as_deref())
        }
        Request::Story { program } => examples::story(program),
        Request::Kernels { text } => launches::kernels(text),
        Request::Run(work) => launches::run(work),
        Request::Check(work) => launches::check(work),
        Request::Explore { work, schedules, seed } => launches::explore(work, *schedules, *seed),
        Request::Trace(work) => tracing::trace(work),
    }
}
