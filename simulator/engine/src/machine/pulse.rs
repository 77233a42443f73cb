//! When a machine looks at its meter ([`super::meter`]): every so many turns it tells it how far it
//! has come, and asks whether to go on.

use std::sync::Arc;

use super::grid::Machine;
use super::meter::{BEATS, Meter};
use super::stop::Stop;

/// When the machine looks at its meter.
#[derive(Debug, Default)]
pub(super) struct Pulse {
    meter: Option<Arc<Meter>>,
    /// Turns since it was told of.
    beats: u32,
    /// Lane instructions that it was told of.
    told: u64,
}

impl Pulse {
    /// One that shares the meter, and has told nothing.
    pub(super) fn of_another(&self) -> Pulse {
        Pulse { meter: self.meter.clone(), beats: 0, told: 0 }
    }

    /// Others have told the meter of so many of the instructions that this machine counts.
    pub(super) fn others_told(&mut self, lane_instructions: u64) {
        self.told += lane_instructions;
    }
}

impl Machine {
    /// Tells this meter how far the run is, from now on, and lets it end the run.
    pub fn tell(&mut self, meter: Arc<Meter>) {
        self.pulse.meter = Some(meter);
    }

    /// A turn is over: now and then the meter is told, and asked.
    #[inline]
    pub(super) fn beat(&mut self) -> Result<(), Stop> {
        self.pulse.beats += 1;
        if self.pulse.beats < BEATS {
            return Ok(());
        }
        self.pulse.beats = 0;
        self.look_at_meter()
    }

    /// Tells the meter how far the run has come, and asks it whether to go on.
    pub(super) fn look_at_meter(&mut self) -> Result<(), Stop> {
        let counts = self.launched.counts;
        let Some(meter) = &self.pulse.meter else { return Ok(()) };
        meter.add(counts.lane_instructions - self.pulse.told);
        self.pulse.told = counts.lane_instructions;
        match meter.is_interrupted() && !self.has_ended() {
            true => Err(Stop::Interrupted(counts.warp_instructions)),
            false => Ok(()),
        }
    }
}
