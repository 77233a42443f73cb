//! Failed calls, handed to the core with the known facts: the place in the program, and whether the
//! code behind the call reads the result.

use warpsim_driver_core::{FailedCall, Unread, is_answer};

use crate::process::{Api, Arguments, Number, checked, thread};
use crate::returned::Returned;
use crate::site::Stack;

/// A call has failed. If launches are not checked, this is not reported.
pub(crate) fn failed(
    api: Api,
    function: &'static str,
    arguments: Arguments<'_>,
    error: &dyn Number,
    reasons: Vec<String>,
) {
    let number = error.number();
    let is_told = api != Api::Library && !is_answer(number);
    let Some(driver) = checked().filter(|_| is_told) else { return };
    let stack = Stack::now();
    let answer = match stack.returned() {
        Returned::Read => return,
        Returned::Dropped => Unread::Dropped,
        Returned::Unknown => Unread::Unknown,
    };
    let in_words = |(name, value): &(&str, &dyn crate::pointers::Shown)| {
        let value = value.shown();
        match value.contains(',') {
            true => format!("{name}=({value})"),
            false => format!("{name}={value}"),
        }
    };
    let arguments: Vec<String> = arguments.iter().map(in_words).collect();
    driver.failed(FailedCall {
        thread: thread(),
        is_runtime: api == Api::Runtime,
        function,
        arguments: arguments.join(", "),
        number,
        error: [error.name(), error.words()],
        reasons,
        place: stack.number(),
        site: Some(Box::new(stack)),
        answer,
    });
}

/// The thread has asked for its last error, and was given this one.
pub(crate) fn asked(error: u32) -> u32 {
    if let Some(driver) = checked().filter(|_| error != 0) {
        driver.asked(thread());
    }
    error
}

/// The program has asked what an error is called, or what it means.
pub(crate) fn asked_about(error: u32) {
    if let Some(driver) = checked() {
        driver.asked_about(error);
    }
}
