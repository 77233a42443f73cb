//! When a run looks at its meter ([`super::meter`]): every this many turns it adds the instructions
//! that it has executed, and asks whether to go on.

use std::sync::Arc;

use super::meter::{BEATS, Meter};
use crate::report::Counts;

/// When a run looks at its meter.
#[derive(Debug, Default)]
pub(in crate::machine) struct Pulse {
    meter: Option<Arc<Meter>>,
    /// Turns since the last report.
    beats: u32,
    /// Lane instructions reported so far.
    told: u64,
}

impl Pulse {
    /// A pulse with the same meter, which has reported nothing.
    pub(in crate::machine) fn of_another(&self) -> Pulse {
        Pulse { meter: self.meter.clone(), beats: 0, told: 0 }
    }

    /// Others have reported this many of this machine's instructions to the meter.
    pub(in crate::machine) fn others_told(&mut self, lane_instructions: u64) {
        self.told += lane_instructions;
    }

    /// Adds all later instructions to this meter, and lets it end the run.
    pub(in crate::machine) fn tell(&mut self, meter: Arc<Meter>) {
        self.meter = Some(meter);
    }

    /// A turn is over. Returns whether it is time to look at the meter.
    #[inline]
    pub(in crate::machine) fn is_due(&mut self) -> bool {
        self.beats += 1;
        if self.beats < BEATS {
            return false;
        }
        self.beats = 0;
        true
    }

    /// Reports the progress of the run to the meter. Returns whether the meter was asked to end the
    /// run.
    pub(in crate::machine) fn look(&mut self, counts: &Counts) -> bool {
        let Some(meter) = &self.meter else { return false };
        meter.add(counts.lane_instructions - self.told);
        self.told = counts.lane_instructions;
        meter.is_interrupted()
    }
}
