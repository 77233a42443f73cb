//! How far long work is, on a terminal; and ending it by Ctrl-C with what was done so far.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output::Output;

/// Whether Ctrl-C was pressed since it was asked for.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C does not end the process, but is told by [`interrupted`]. Where that cannot be had it goes on to end
/// the process.
pub(crate) fn notice_interrupts() {
    static ASKED: OnceLock<bool> = OnceLock::new();
    ASKED.get_or_init(|| ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed)).is_ok());
}

/// Whether Ctrl-C was pressed.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// A line on standard error that says how far the work is; nothing where that is no terminal.
pub(crate) struct ProgressLine {
    bar: ProgressBar,
}

impl ProgressLine {
    /// For so many steps.
    pub(crate) fn new(output: &Output, steps: u64) -> ProgressLine {
        let target = match output.is_watched() {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(Some(steps), target);
        // A template that does not parse leaves indicatif's own.
        if let Ok(style) = ProgressStyle::with_template("[{bar:24}] {pos}/{len}  {msg}") {
            bar.set_style(style.progress_chars("=> "));
        }
        ProgressLine { bar }
    }

    /// A step is done; `lane_instructions` took so many seconds in it.
    pub(crate) fn step(&self, what: &str, lane_instructions: u64, seconds: f64) {
        let rate = lane_instructions as f64 / seconds / 1e9;
        self.bar.set_message(format!("{what}: {rate:.2} G lane-instructions a second"));
        self.bar.inc(1);
    }

    /// What is being done.
    pub(crate) fn begin(&self, what: &str) {
        self.bar.set_message(what.to_owned());
        self.bar.tick();
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
