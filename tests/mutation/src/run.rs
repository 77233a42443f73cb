//! Many mutants, on several threads, each within its limits.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::change::mutant;
use super::examine::{Reached, examine};
use super::files::File;

/// What a mutant may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Time of a processor.
    pub time: Duration,
    /// Bytes, of all threads together beyond what the process had at first.
    pub memory: u64,
    /// Time, after which the mutant is taken to hang: the process says which it is, and aborts.
    pub hangs: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { time: Duration::from_secs(2), memory: 1 << 30, hangs: Duration::from_secs(180) }
    }
}

/// Which mutants to examine.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Their seed.
    pub seed: u64,
    /// The number of the first.
    pub first: u64,
    /// How many.
    pub count: u64,
    /// On how many threads.
    pub threads: usize,
    /// What each may use.
    pub limits: Limits,
    /// Where mutants go that failed, and, while they are examined, the numbers of those that are:
    /// an abort leaves them there.
    pub folder: Option<PathBuf>,
    /// Say how far it is after this many.
    pub tell_every: Option<u64>,
}

/// What went wrong with a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// It panicked: the message and the place.
    Panic(String),
    /// The printed module differs from the one that was read.
    Print(String),
    /// It took so long.
    Slow(Duration),
    /// The process grew by this many bytes while it was examined.
    Large(u64),
}

/// A mutant that failed.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Its number.
    pub number: u64,
    /// The file that it was made from.
    pub file: String,
    /// Its text.
    pub text: String,
    /// What went wrong.
    pub trouble: Trouble,
}

/// How it went.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// How many mutants got how far.
    pub reached: BTreeMap<Reached, u64>,
    /// Those that failed.
    pub failures: Vec<Failure>,
    /// The longest that one took, and which.
    pub longest: (Duration, u64),
    /// The most that the process grew.
    pub grown: u64,
}

impl Summary {
    /// How many mutants were examined.
    pub fn examined(&self) -> u64 {
        self.reached.values().sum::<u64>() + self.failures.len() as u64
    }
}

thread_local! {
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Examines mutants.
pub fn run(files: &[File], settings: &Settings) -> Summary {
    let before = panic::take_hook();
    panic::set_hook(Box::new(|info| {
        PANIC.with(|panic| *panic.borrow_mut() = Some(info.to_string()));
    }));
    let next = AtomicU64::new(settings.first);
    let end = settings.first.saturating_add(settings.count);
    let summary = Mutex::new(Summary::default());
    let size = resident(PEAK).unwrap_or(0);
    let threads = settings.threads.max(1);
    let begun: Vec<Mutex<Option<Begun>>> = (0..threads).map(|_| Mutex::new(None)).collect();
    let working = AtomicUsize::new(threads);
    thread::scope(|scope| {
        scope.spawn(|| watch(files, settings, &begun, &working));
        for worker in 0..threads {
            let (next, summary, begun, working) = (&next, &summary, &begun[worker], &working);
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= end {
                        *begun.lock().unwrap_or_else(PoisonError::into_inner) = None;
                        working.fetch_sub(1, Ordering::Relaxed);
                        return;
                    }
                    let now = Some(Begun { number, at: Instant::now() });
                    *begun.lock().unwrap_or_else(PoisonError::into_inner) = now;
                    let one = one(files, settings, number, worker, size);
                    let mut summary = summary.lock().unwrap_or_else(PoisonError::into_inner);
                    add(&mut summary, one, settings);
                }
            });
        }
    });
    panic::set_hook(before);
    let mut summary = summary.into_inner().unwrap_or_else(PoisonError::into_inner);
    summary.failures.sort_by_key(|failure| failure.number);
    summary
}

/// A mutant that is being examined.
struct Begun {
    number: u64,
    at: Instant,
}

/// Ends the process when a mutant hangs, as long as some thread works: a thread cannot be stopped.
#[expect(clippy::print_stderr, reason = "the last words of a process that aborts")]
fn watch(
    files: &[File],
    settings: &Settings,
    begun: &[Mutex<Option<Begun>>],
    working: &AtomicUsize,
) {
    while working.load(Ordering::Relaxed) > 0 {
        thread::sleep(Duration::from_millis(50));
        for slot in begun {
            let slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(Begun { number, at }) = &*slot else { continue };
            if at.elapsed() > settings.limits.hangs {
                let (file, text) = mutant(files, settings.seed, *number);
                if let Some(folder) = &settings.folder {
                    let name = format!("{}-{number}-hangs.ptx", settings.seed);
                    let _ = fs::write(folder.join(name), text);
                }
                eprintln!("mutant {number} of seed {}, made from {file}, hangs", settings.seed);
                std::process::abort();
            }
        }
    }
}

/// How one mutant went.
struct One {
    number: u64,
    outcome: Result<Reached, Failure>,
    time: Duration,
    grown: u64,
}

fn one(files: &[File], settings: &Settings, number: u64, worker: usize, size: u64) -> One {
    let (file, text) = mutant(files, settings.seed, number);
    if let Some(folder) = &settings.folder {
        let _ = fs::write(folder.join(format!("now-{worker}")), format!("{number}\n"));
    }
    let peak = resident(PEAK).unwrap_or(0);
    let began = Clock::now();
    let result = panic::catch_unwind(AssertUnwindSafe(|| examine(&text, number)));
    let time = began.passed();
    let after = resident(PEAK).unwrap_or(0);
    // A peak that was there before is somebody else's.
    let grown = if after > peak { after.saturating_sub(size) } else { 0 };
    let trouble = match result {
        Err(_) => {
            let told = PANIC.with(|panic| panic.borrow_mut().take());
            Err(Trouble::Panic(told.unwrap_or_else(|| "a panic without a message".to_owned())))
        }
        Ok(Err(message)) => Err(Trouble::Print(message)),
        Ok(Ok(_)) if time > settings.limits.time => Err(Trouble::Slow(time)),
        Ok(Ok(_)) if grown > settings.limits.memory => Err(Trouble::Large(grown)),
        Ok(Ok(reached)) => Ok(reached),
    };
    let outcome = trouble.map_err(|trouble| Failure { number, file, text, trouble });
    One { number, outcome, time, grown }
}

fn add(summary: &mut Summary, one: One, settings: &Settings) {
    summary.longest = summary.longest.max((one.time, one.number));
    summary.grown = summary.grown.max(one.grown);
    match one.outcome {
        Ok(reached) => *summary.reached.entry(reached).or_default() += 1,
        Err(failure) => {
            if let Some(folder) = &settings.folder {
                let name = format!("{}-{}", settings.seed, failure.number);
                let _ = fs::write(folder.join(format!("{name}.ptx")), &failure.text);
                let what = format!("{}\n{:?}\n", failure.file, failure.trouble);
                let _ = fs::write(folder.join(format!("{name}.txt")), what);
            }
            summary.failures.push(failure);
        }
    }
    let examined = summary.examined();
    if let (Some(every), Some(folder)) = (settings.tell_every, &settings.folder)
        && examined.is_multiple_of(every)
    {
        let told = format!(
            "{examined} examined, {} failed, {:?}, longest {:?}, grown {}\n",
            summary.failures.len(),
            summary.reached,
            summary.longest,
            summary.grown
        );
        let _ = fs::write(folder.join("progress"), told);
    }
}

const PEAK: &str = "VmHWM:";

/// A line of `/proc/self/status`, in bytes; `None` where there is no such file.
fn resident(line: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let found = status.lines().find_map(|l| l.strip_prefix(line))?;
    Some(found.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
}

/// The processor time of this thread where the system tells it, else time.
struct Clock {
    started: Instant,
    on_processor: Option<u64>,
}

impl Clock {
    fn now() -> Clock {
        Clock { started: Instant::now(), on_processor: on_processor() }
    }

    fn passed(&self) -> Duration {
        match (self.on_processor, on_processor()) {
            (Some(before), Some(after)) => Duration::from_nanos(after.saturating_sub(before)),
            _ => self.started.elapsed(),
        }
    }
}

fn on_processor() -> Option<u64> {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    stat.split_whitespace().next()?.parse().ok()
}
