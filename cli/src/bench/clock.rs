//! Time on the clock, and time of the processor.
//!
//! The processor's time is `CLOCK_PROCESS_CPUTIME_ID` of POSIX; elsewhere there is none.

use std::time::Instant;

/// A moment.
pub(super) struct Moment {
    clock: Instant,
    processor: Option<f64>,
}

/// What went by since a moment, in seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spent {
    /// On the clock.
    pub(crate) seconds: f64,
    /// Of the processor, by all threads of the process; `None` where the system does not tell.
    pub(crate) processor: Option<f64>,
}

impl Moment {
    pub(super) fn now() -> Moment {
        Moment { clock: Instant::now(), processor: processor() }
    }

    pub(super) fn spent(&self) -> Spent {
        let processor = processor().zip(self.processor).map(|(now, then)| now - then);
        Spent { seconds: self.clock.elapsed().as_secs_f64(), processor }
    }
}

#[cfg(unix)]
fn processor() -> Option<f64> {
    use nix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).ok()?;
    Some(time.tv_sec() as f64 + time.tv_nsec() as f64 / 1e9)
}

#[cfg(not(unix))]
fn processor() -> Option<f64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn the_processor_works_while_something_is_computed_and_rests_while_it_sleeps() {
        let work = || (0..20_000_000_u64).fold(0, |sum, n| std::hint::black_box(sum + n));
        let moment = Moment::now();
        work();
        assert!(moment.spent().processor.is_some_and(|seconds| seconds > 1e-4));
        let moment = Moment::now();
        std::thread::sleep(std::time::Duration::from_millis(200));
        let Spent { seconds, processor } = moment.spent();
        // Other tests of this process may be at work meanwhile.
        assert!(seconds >= 0.2 && processor.is_some_and(|p| p >= 0.0));
    }
}
