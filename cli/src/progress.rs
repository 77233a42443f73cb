//! The progress of long work, on a terminal. Ctrl-C or SIGTERM ends the work with what was done so
//! far.

use std::cell::OnceCell;
use std::fmt::Write as _;
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use warpsim::host::{Listener, Meter};
use warpsim::report::Finding;

use crate::output::Output;

/// What the simulator's runs tell, and what ends them: one for the process, as Ctrl-C is.
fn meter() -> &'static Arc<Meter> {
    static METER: OnceLock<Arc<Meter>> = OnceLock::new();
    METER.get_or_init(Arc::default)
}

/// What a process exits with that SIGINT ended, in the words of shells.
const ENDED_BY_INTERRUPT: i32 = 130;

/// From now on Ctrl-C does not end the process, but is told by [`interrupted`], and ends the runs
/// of the simulator; the second one ends the process. Where that cannot be had the first does. The
/// same goes for SIGTERM and SIGHUP: a job that runs out of time prints what it has.
pub(crate) fn notice_interrupts() {
    static ASKED: OnceLock<bool> = OnceLock::new();
    ASKED.get_or_init(|| ctrlc::set_handler(interrupt).is_ok());
}

#[expect(
    clippy::exit,
    reason = "who interrupts twice does not want to wait for what was done so far"
)]
fn interrupt() {
    if interrupted() {
        std::process::exit(ENDED_BY_INTERRUPT);
    }
    meter().interrupt();
}

/// Whether Ctrl-C was pressed.
pub(crate) fn interrupted() -> bool {
    meter().is_interrupted()
}

/// Findings that wait to be told; who finds more waits, too.
const WAITING: usize = 64;

/// A line on standard error, as long as it is kept, that says how far the simulator's runs have
/// come, with what they have found above it; nothing where that is no terminal.
pub(crate) struct RunningLine {
    bar: ProgressBar,
    teller: OnceCell<Teller>,
}

/// A thread that tells findings, until there comes none.
struct Teller {
    found: Sender<Option<Finding>>,
    thread: JoinHandle<()>,
}

impl RunningLine {
    /// No line, for work that shows by itself how far it is; interrupts are noticed all the same.
    pub(crate) fn hidden() -> (RunningLine, Arc<Meter>) {
        notice_interrupts();
        (RunningLine::of(ProgressBar::hidden()), Arc::clone(meter()))
    }

    /// Notices interrupts, too. The runs tell the meter that comes with it.
    pub(crate) fn new(output: &Output) -> (RunningLine, Arc<Meter>) {
        notice_interrupts();
        let bar = match output.is_watched() {
            true => ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()),
            false => ProgressBar::hidden(),
        };
        let (line, counted) = (RunningLine::of(bar), Arc::clone(meter()));
        let words = move |state: &ProgressState, text: &mut dyn std::fmt::Write| {
            // A line that cannot be drawn is not worth a word.
            let _ = text.write_str(&so_far(&counted, state.elapsed()));
        };
        // A template that does not parse leaves indicatif's own.
        if let Ok(style) = ProgressStyle::with_template("{spinner} {so_far}  Ctrl-C ends it") {
            line.bar.set_style(style.with_key("so_far", words));
        }
        line.bar.enable_steady_tick(Duration::from_millis(200));
        (line, Arc::clone(meter()))
    }

    fn of(bar: ProgressBar) -> RunningLine {
        RunningLine { bar, teller: OnceCell::new() }
    }

    /// Has what is found written above the line, in these words, as it is found; nobody listens
    /// where there is no terminal. The words are those of the first call.
    pub(crate) fn tell(
        &self,
        words: impl Fn(&Finding) -> Option<String> + Send + 'static,
    ) -> Option<Listener> {
        if self.bar.is_hidden() {
            return None;
        }
        let teller = self.teller.get_or_init(|| {
            let (found, told) = bounded(WAITING);
            let bar = self.bar.clone();
            Teller { found, thread: thread::spawn(move || tell(&told, &bar, words)) }
        });
        let found = teller.found.clone();
        // The teller ends behind all launches.
        Some(Listener::new(move |finding| drop(found.send(Some(finding.clone())))))
    }
}

/// Writes findings above a line until none comes.
fn tell(
    told: &Receiver<Option<Finding>>,
    bar: &ProgressBar,
    words: impl Fn(&Finding) -> Option<String>,
) {
    while let Ok(Some(finding)) = told.recv() {
        if let Some(text) = words(&finding) {
            bar.println(text);
        }
    }
}

impl Drop for RunningLine {
    /// What was found before is told before the line goes.
    fn drop(&mut self) {
        if let Some(Teller { found, thread }) = self.teller.take()
            && found.send(None).is_ok()
        {
            // One that panicked has told what it could; the report has all.
            let _ = thread.join();
        }
        self.bar.finish_and_clear();
    }
}

/// A count in units of a thousand, a million or a thousand million, whichever leaves few digits.
fn in_units(count: f64) -> String {
    match count {
        few if few < 1e5 => format!("{few:.0}"),
        thousands if thousands < 1e6 => format!("{:.0} k", thousands / 1e3),
        millions if millions < 1e9 => format!("{:.1} M", millions / 1e6),
        more => format!("{:.2} G", more / 1e9),
    }
}

/// `2 runs, 3.14 G lane-instructions, 120.0 M a second`.
fn so_far(meter: &Meter, elapsed: Duration) -> String {
    let count = meter.lane_instructions() as f64;
    let rate = count / elapsed.as_secs_f64().max(1e-3);
    let mut text = String::new();
    match meter.runs() {
        0 => {}
        1 => text.push_str("1 run, "),
        // Writing to a string does not fail.
        runs => drop(write!(text, "{runs} runs, ")),
    }
    text + &format!("{} lane-instructions, {} a second", in_units(count), in_units(rate))
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
