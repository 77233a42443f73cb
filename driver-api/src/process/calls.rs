//! A call from C: whatever happens in it, it returns a number, and the log gets a line.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;

use warpsim_driver_core::{Answer, CudaError};

use super::answers::{Api, Arguments, Number};
use super::driver::{CALLS, take_reasons, unsupported};
use super::system_calls::{now, tell};
use crate::{failures, records};

/// A call of the driver API from C: whatever happens in it, a number comes back.
pub(crate) fn entered(
    name: &'static str,
    arguments: Arguments<'_>,
    body: &mut dyn FnMut() -> Answer<()>,
) -> u32 {
    answered(Api::Driver, name, arguments, body)
}

/// A call of a function of the driver API that is not implemented.
pub(crate) fn absent(name: &'static str) -> u32 {
    entered(name, &[], &mut || unsupported(name))
}

/// The same of any API.
pub(crate) fn answered<E: Number + From<CudaError>>(
    api: Api,
    name: &'static str,
    arguments: Arguments<'_>,
    body: &mut dyn FnMut() -> Result<(), E>,
) -> u32 {
    // Before `cuInit` there is no log, and what it takes counts from its end.
    let begun = records::log().map(|_| now());
    CALLS.fetch_add(1, Ordering::Relaxed);
    let answer = catch_unwind(AssertUnwindSafe(body));
    CALLS.fetch_sub(1, Ordering::Relaxed);
    let answer = answer.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        let text = text.unwrap_or_else(|| "a panic without words".to_owned());
        tell(&format!(
            "this is a bug in warpsim: {name}: {text}; the program is not to blame, please report it"
        ));
        Err(CudaError::Unknown.into())
    });
    let result = answer.err().unwrap_or(CudaError::Success.into());
    if let Some(log) = records::log() {
        let arguments: serde_json::Map<String, serde_json::Value> = arguments
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.shown().into()))
            .collect();
        let ended = now();
        let begun = begun.unwrap_or(ended);
        let line = serde_json::json!({
            "process": std::process::id(),
            "thread": begun.thread,
            "start": begun.nanoseconds,
            "nanoseconds": ended.nanoseconds.saturating_sub(begun.nanoseconds),
            "call": name,
            "arguments": arguments,
            "result": result.name(),
        });
        // The log reports a line that it cannot write.
        log.write(&format!("{line}\n"));
    }
    let reasons = take_reasons();
    if result.number() != 0 {
        failures::failed(api, name, arguments, &result, reasons);
    }
    result.number()
}
