//! The progress of long work, on a terminal. Ctrl-C or SIGTERM ends the work with what was done so
//! far.

use std::cell::OnceCell;
use std::sync::atomic::{AtomicU64, Ordering};
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

/// The exit status that shells give a process that SIGINT ended.
const ENDED_BY_INTERRUPT: i32 = 130;

/// From now on the first Ctrl-C does not end the process. It ends the runs of the simulator, and
/// [`interrupted`] returns true. The second one ends the process. If no handler can be set, the
/// first one ends the process. The same goes for SIGTERM and SIGHUP: a job that runs out of time
/// prints what it has.
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

/// How many findings may wait to be printed. A thread that finds more waits until there is room.
const WAITING: usize = 64;

/// A line on standard error, as long as it is kept, that says how far the simulator's runs have
/// come, with what they have found above it; nothing if standard error is no terminal.
pub(crate) struct RunningLine {
    bar: ProgressBar,
    /// How many runs there are at most; 0 if unknown.
    most_runs: Arc<AtomicU64>,
    teller: OnceCell<Teller>,
}

/// A thread that prints findings until the last one has come.
struct Teller {
    found: Sender<Option<Finding>>,
    thread: JoinHandle<()>,
}

impl RunningLine {
    /// No line, for work that shows by itself how far it is; interrupts are still noticed.
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
        let most = Arc::clone(&line.most_runs);
        let words = move |state: &ProgressState, text: &mut dyn std::fmt::Write| {
            // A line that cannot be drawn is not worth a word.
            let _ =
                text.write_str(&so_far(&counted, most.load(Ordering::Relaxed), state.elapsed()));
        };
        // A template that does not parse leaves indicatif's own.
        if let Ok(style) = ProgressStyle::with_template("{spinner} {so_far}  Ctrl-C ends it") {
            line.bar.set_style(style.with_key("so_far", words));
        }
        line.bar.enable_steady_tick(Duration::from_millis(200));
        (line, Arc::clone(meter()))
    }

    fn of(bar: ProgressBar) -> RunningLine {
        RunningLine { bar, most_runs: Arc::default(), teller: OnceCell::new() }
    }

    /// At most this many more runs come, so the line can say how long they take.
    pub(crate) fn expect(&self, runs: u64) {
        let most = meter().runs().saturating_add(runs);
        self.most_runs.store(most, Ordering::Relaxed);
    }

    /// Prints each finding above the line as it is found, in these words. Without a terminal there
    /// is no listener. The words of the first call count.
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
    /// Prints the remaining findings before the line goes.
    fn drop(&mut self) {
        if let Some(Teller { found, thread }) = self.teller.take()
            && found.send(None).is_ok()
        {
            // A thread that panicked has printed what it could. The report has all findings.
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

/// `2 of at most 100 runs, 3.14 G lane-instructions, 120.0 M a second, at most 49 s left`.
fn so_far(meter: &Meter, most: u64, elapsed: Duration) -> String {
    let (runs, count) = (meter.runs(), meter.lane_instructions() as f64);
    let seconds = elapsed.as_secs_f64().max(1e-3);
    let rate = count / seconds;
    // Behind the runs that were expected come a few that look at what was found.
    let is_expected = runs <= most;
    let runs_in_words = match runs {
        0 => String::new(),
        _ if is_expected => format!("{runs} of at most {most} runs, "),
        1 => "1 run, ".to_owned(),
        _ => format!("{runs} runs, "),
    };
    let left = match runs {
        1.. if is_expected => {
            let seconds = (most - runs) as f64 * seconds / runs as f64;
            format!(", at most {} left", in_time(seconds))
        }
        _ => String::new(),
    };
    format!(
        "{runs_in_words}{} lane-instructions, {} a second{left}",
        in_units(count),
        in_units(rate)
    )
}

/// Seconds, minutes or hours, whichever leave few digits.
fn in_time(seconds: f64) -> String {
    match seconds {
        few if few < 120.0 => format!("{few:.0} s"),
        minutes if minutes < 7200.0 => format!("{:.0} min", minutes / 60.0),
        hours => format!("{:.0} h", hours / 3600.0),
    }
}

/// A line on standard error that says how far the work is; nothing if standard error is no
/// terminal.
pub(crate) struct ProgressLine {
    bar: ProgressBar,
}

impl ProgressLine {
    /// For this many steps.
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

    /// A step is done; `lane_instructions` took this many seconds in it.
    pub(crate) fn step(&self, what: &str, lane_instructions: u64, seconds: f64) {
        let rate = lane_instructions as f64 / seconds / 1e9;
        self.bar.set_message(format!("{what}: {rate:.2} G lane-instructions a second"));
        self.bar.inc(1);
    }

    /// Says what the work does now.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_many_runs_come_and_how_long_they_take() {
        let after = |runs: u64, most, seconds| {
            let meter = Meter::default();
            (0..runs).for_each(|_| meter.end_run());
            so_far(&meter, most, Duration::from_secs(seconds))
        };
        let rest = "0 lane-instructions, 0 a second";
        assert_eq!(after(0, 100, 2), rest);
        // A quarter took 10 seconds, so the rest takes 30.
        assert_eq!(
            after(25, 100, 10),
            format!("25 of at most 100 runs, {rest}, at most 30 s left")
        );
        assert_eq!(
            after(1, 100, 10),
            format!("1 of at most 100 runs, {rest}, at most 16 min left")
        );
        assert_eq!(after(2, 0, 10), format!("2 runs, {rest}"));
        assert_eq!(after(101, 100, 10), format!("101 runs, {rest}"));
    }
}
