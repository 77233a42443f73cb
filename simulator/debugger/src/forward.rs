//! Moving the launch: forwards and backwards, up to what stops it.
//!
//! A breakpoint stops before the instruction. A watchpoint stops after the access going forwards,
//! and before it going backwards: the memory then has its earlier value.

use std::sync::atomic::Ordering;

use warpsim::host::Arrival;
use warpsim::lanes::{Mask, lanes_of};
use warpsim::observe::{AccessKind, Step};

use crate::breakpoints::Breakpoint;
use crate::expression::Expression;
use crate::history::write_lanes;
use crate::lines::{Departure, Over, Unit};
use crate::regions::{Target, Watch, WatchKind};
use crate::session::Debugger;
use crate::stops::{Stop, WatchHit};
use crate::threads::ThreadId;
use crate::values::Value;

/// How far the launch moves when nothing stops it before.
enum Goal {
    End,
    Instructions(u64),
    /// Instructions of the thread in focus.
    Thread(u64),
    Line(Vec<Departure>),
}

impl Debugger<'_> {
    /// Goes on to a breakpoint, a watchpoint or the end.
    pub fn go_on(&mut self) -> Stop {
        self.run(Goal::End)
    }

    /// Executes warp instructions, of whichever warps the schedule moves.
    pub fn step_instructions(&mut self, count: u64) -> Stop {
        self.run(Goal::Instructions(count))
    }

    /// Executes instructions of the thread in focus; other threads move as the schedule has it.
    pub fn step_thread(&mut self, count: u64) -> Stop {
        self.run(Goal::Thread(count))
    }

    /// Goes on until the threads of a unit have reached another line. Where the unit's threads wait
    /// for others, the others move, too.
    pub fn step_line(&mut self, unit: Unit, over: Over) -> Stop {
        let departures = self.departures(unit, over, self.has_source());
        self.run(Goal::Line(departures))
    }

    /// Goes to the moment after this many steps: back, or forward as far as the launch goes.
    pub fn go_to(&mut self, moment: usize) -> Stop {
        self.frame = 0;
        self.stepper.go_to(moment);
        let last = self.last_step().map(|step| (step.block, step.warp, step.mask));
        if let Some((block, warp, lanes)) = last {
            self.follow(block, warp, lanes);
        }
        self.standing()
    }

    /// Takes back warp instructions.
    pub fn back(&mut self, count: u64) -> Stop {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        self.go_to(self.moment().saturating_sub(count))
    }

    /// Takes back the last instruction of the thread in focus, and all that came after it.
    pub fn back_thread(&mut self, count: u64) -> Stop {
        let ThreadId { block, warp, lane } = self.focus();
        let moved =
            |step: &&Step| (step.block, step.warp) == (block, warp) && step.mask >> lane & 1 == 1;
        let steps = self.stepper.trace().steps().iter().rev().filter(moved);
        let last = usize::try_from(count.max(1) - 1).unwrap_or(usize::MAX);
        let target = steps.map(|step| step.number).nth(last);
        self.go_back_to(target)
    }

    /// Goes back to the beginning of the line of the thread in focus, or of the line before.
    pub fn back_line(&mut self, over: Over) -> Stop {
        let target = self.line_before(over);
        self.go_back_to(target)
    }

    fn go_back_to(&mut self, moment: Option<usize>) -> Stop {
        let focus = self.focus();
        self.stepper.go_to(moment.unwrap_or(0));
        self.set_focus(focus);
        self.standing()
    }

    fn standing(&self) -> Stop {
        match self.stepper.outcome() {
            Some(_) => Stop::Ended,
            None if self.moment() == 0 => Stop::Beginning,
            None => Stop::Moved,
        }
    }

    fn run(&mut self, mut goal: Goal) -> Stop {
        self.frame = 0;
        let has_source = self.has_source();
        self.note_watched();
        // A breakpoint at the threads' place has stopped them already, except at the very
        // beginning.
        let mut passes = self.moment() > 0 || self.stands_at_breakpoint;
        self.stands_at_breakpoint = false;
        loop {
            if matches!(goal, Goal::Instructions(0) | Goal::Thread(0)) {
                return Stop::Moved;
            }
            if self.pause.swap(false, Ordering::Relaxed) {
                return Stop::Paused;
            }
            let moment = self.moment();
            let Some(step) = self.stepper.step() else {
                self.follow_end();
                return Stop::Ended;
            };
            let moved = (step.block, step.warp, step.mask);
            if !std::mem::take(&mut passes)
                && let Some(stop) = self.breakpoint_at(moment)
            {
                self.stands_at_breakpoint = true;
                return stop;
            }
            if let Some(hit) = self.watch_hit(moment) {
                return Stop::Watch(hit);
            }
            let is_there = match &mut goal {
                Goal::End => false,
                Goal::Instructions(left) => {
                    *left -= 1;
                    self.follow(moved.0, moved.1, moved.2);
                    *left == 0
                }
                Goal::Thread(left) => {
                    let ThreadId { block, warp, lane } = self.focus();
                    let is_it = (block, warp) == (moved.0, moved.1) && moved.2 >> lane & 1 == 1;
                    *left -= u64::from(is_it);
                    *left == 0
                }
                Goal::Line(departures) => self.have_moved(departures, moved, has_source),
            };
            if is_there {
                return Stop::Moved;
            }
        }
    }

    /// Looks at the threads that the launch's end speaks of.
    fn follow_end(&mut self) {
        let Some((_, Some(finding))) = self.stepper.outcome() else { return };
        if let Some(site) = finding.sites.first() {
            let [x, y, z] = site.block.map(u64::from);
            let grid = self.stepper.launch().map_or([1; 3], |launch| launch.grid);
            let [nx, ny, _] = grid.map(u64::from);
            let block = x + nx * (y + ny * z);
            self.set_focus(ThreadId { block, warp: site.warp, lane: site.lane });
        }
    }

    /// The breakpoint that stops before the step of this number. Then the launch stops before it;
    /// otherwise after it.
    fn breakpoint_at(&mut self, moment: usize) -> Option<Stop> {
        let pc = self.stepper.trace().steps().get(moment)?.pc();
        if !self.breakpoints.iter().any(|b| b.operations.contains(&pc)) {
            return None;
        }
        for index in 0..self.breakpoints.len() {
            let Some(arrival) = self.arrival(moment, index) else { continue };
            self.stepper.go_to(moment);
            let lanes = self.stopped_lanes(index, &arrival);
            let is_hit = lanes != 0 && self.counts_hit(index);
            if is_hit {
                self.follow(arrival.block, arrival.warp, lanes);
                return self.breakpoints.get(index).map(|b| Stop::Breakpoint { id: b.id, lanes });
            }
            // The step that the breakpoint let pass.
            self.stepper.step();
        }
        None
    }

    /// Whether the step of this number is the first of a visit to a breakpoint.
    fn arrival(&self, moment: usize, index: usize) -> Option<Arrival> {
        let breakpoint = self.breakpoints.get(index)?;
        let pc = self.stepper.trace().steps().get(moment)?.pc();
        if !breakpoint.operations.contains(&pc) {
            return None;
        }
        self.stepper.arrival(moment, |pc| breakpoint.operations.contains(&pc))
    }

    /// The lanes of an arrival that the breakpoint is for.
    fn stopped_lanes(&self, index: usize, arrival: &Arrival) -> Mask {
        let Some(Breakpoint { condition, thread, .. }) = self.breakpoints.get(index) else {
            return 0;
        };
        let (block, warp) = (arrival.block, arrival.warp);
        let is_for = |lane: &usize| {
            let id = ThreadId { block, warp, lane: *lane as u32 };
            let is_it = thread.is_none_or(|thread| thread == id);
            let holds = self.holds(condition.as_ref(), id);
            is_it && holds
        };
        lanes_of(arrival.lanes).filter(is_for).fold(0, |mask, lane| mask | 1 << lane)
    }

    /// Whether a condition holds for a thread. It does not where it has no value.
    fn holds(&self, condition: Option<&Expression>, thread: ThreadId) -> bool {
        condition.is_none_or(|condition| {
            condition.value(&self.leaves_of(thread)).is_ok_and(Value::holds)
        })
    }

    /// Counts a hit; `false` where it is passed over.
    fn counts_hit(&mut self, index: usize) -> bool {
        let Some(breakpoint) = self.breakpoints.get_mut(index) else { return false };
        breakpoint.hits += 1;
        let passes = breakpoint.ignore > 0;
        breakpoint.ignore -= u64::from(passes);
        !passes
    }

    /// Notes the bytes of watched memory, to see them change.
    fn note_watched(&mut self) {
        let bytes: Vec<Option<Vec<u8>>> =
            self.watches.iter().map(|watch| self.watched_bytes(watch)).collect();
        for (watch, bytes) in self.watches.iter_mut().zip(bytes) {
            watch.before = bytes;
        }
    }

    fn watched_bytes(&self, watch: &Watch) -> Option<Vec<u8>> {
        match &watch.target {
            Target::Register(thread, name) => {
                let lane = thread.lane as usize;
                let value = self.stepper.register(thread.block, thread.warp, lane, name)?;
                Some(value.bits.to_le_bytes().to_vec())
            }
            Target::Memory(region) => self.bytes(region).ok(),
        }
    }

    /// The watchpoint that the step of this number hits; it is the last step.
    fn watch_hit(&mut self, moment: usize) -> Option<WatchHit> {
        let mut hit = None;
        for index in 0..self.watches.len() {
            let this = self.hit_of(index, moment);
            let watch = self.watches.get_mut(index)?;
            let Some((now, this)) = this else { continue };
            watch.before = now;
            if let Some(this) = this.filter(|_| hit.is_none()) {
                watch.hits += 1;
                hit = Some(this);
            }
        }
        let step = self.last_step()?;
        let (block, warp, all) = (step.block, step.warp, step.mask);
        let found = hit?;
        self.follow(block, warp, if found.lanes == 0 { all } else { found.lanes });
        Some(found)
    }

    /// What a step does to one watchpoint: its bytes afterwards, and a hit if it stops.
    fn hit_of(&self, index: usize, moment: usize) -> Option<(Option<Vec<u8>>, Option<WatchHit>)> {
        let watch = self.watches.get(index)?;
        let step = self.stepper.trace().steps().get(moment)?;
        let (lanes, kind) = watched_lanes(watch, step);
        let now = self.watched_bytes(watch);
        let has_changed = match &watch.target {
            Target::Register(..) => false,
            Target::Memory(_) => now.is_some() && watch.before.is_some() && now != watch.before,
        };
        let stops = lanes != 0 || (has_changed && watch.kind != WatchKind::Reads);
        if !stops {
            return Some((now, None));
        }
        let values = |bytes: &Option<Vec<u8>>| {
            bytes.as_ref().map_or_else(Vec::new, |bytes| self.watched_values(watch, bytes))
        };
        let (before, after) = (values(&watch.before), values(&now));
        let focus = ThreadId {
            block: step.block,
            warp: step.warp,
            lane: if lanes == 0 { 0 } else { lanes.trailing_zeros() },
        };
        let holds = self.holds(watch.condition.as_ref(), focus);
        let hit = WatchHit { id: watch.id, step: moment, lanes, kind, before, after };
        Some((now, holds.then_some(hit)))
    }

    fn watched_values(&self, watch: &Watch, bytes: &[u8]) -> Vec<Value> {
        match &watch.target {
            Target::Register(thread, name) => {
                let lane = thread.lane as usize;
                let register = self.stepper.register(thread.block, thread.warp, lane, name);
                let bits = bytes.try_into().map(u64::from_le_bytes);
                register
                    .zip(bits.ok())
                    .map(|(r, bits)| Value::Bits(r.ty, bits))
                    .into_iter()
                    .collect()
            }
            Target::Memory(region) => region.values(bytes),
        }
    }

    /// Goes back to a breakpoint, to before an access to watched memory, or to the beginning.
    pub fn go_back(&mut self) -> Stop {
        self.frame = 0;
        for moment in (0..self.moment()).rev() {
            if self.pause.swap(false, Ordering::Relaxed) {
                self.stepper.go_to(moment + 1);
                return Stop::Paused;
            }
            if let Some(stop) = self.watched_before(moment) {
                return stop;
            }
            for index in 0..self.breakpoints.len() {
                let Some(arrival) = self.arrival(moment, index) else { continue };
                self.stepper.go_to(moment);
                let lanes = self.stopped_lanes(index, &arrival);
                if lanes != 0 {
                    self.stands_at_breakpoint = true;
                    self.follow(arrival.block, arrival.warp, lanes);
                    let breakpoint = self.breakpoints.get(index);
                    return breakpoint
                        .map_or(Stop::Moved, |b| Stop::Breakpoint { id: b.id, lanes });
                }
                self.stepper.step();
            }
        }
        self.stepper.go_to(0);
        Stop::Beginning
    }

    /// Stands before the step of this number, if that accesses watched memory.
    fn watched_before(&mut self, moment: usize) -> Option<Stop> {
        let step = self.stepper.trace().steps().get(moment)?;
        let (block, warp) = (step.block, step.warp);
        let hits = self.watches.iter().map(|watch| watched_lanes(watch, step));
        let (index, (lanes, kind)) = hits.enumerate().find(|(_, (lanes, _))| *lanes != 0)?;
        self.stepper.go_to(moment + 1);
        let values = |debugger: &Self| {
            let watch = debugger.watches.get(index)?;
            Some(debugger.watched_values(watch, &debugger.watched_bytes(watch)?))
        };
        let after = values(self).unwrap_or_default();
        self.stepper.go_to(moment);
        let before = values(self).unwrap_or_default();
        self.follow(block, warp, lanes);
        let focus = self.focus();
        let watch = self.watches.get(index)?;
        let holds = self.holds(watch.condition.as_ref(), focus);
        let id = watch.id;
        if !holds {
            self.stepper.step();
            return None;
        }
        Some(Stop::Watch(WatchHit { id, step: moment, lanes, kind, before, after }))
    }
}

/// The lanes of a step that access the watched target, and how they access it.
fn watched_lanes(watch: &Watch, step: &Step) -> (Mask, Option<AccessKind>) {
    match &watch.target {
        Target::Register(..) => match watch.kind {
            WatchKind::Writes | WatchKind::Accesses => (write_lanes(&watch.target, step), None),
            WatchKind::Reads => (0, None),
        },
        Target::Memory(region) => {
            let covered = step.touches.iter().filter(|touch| watch.kind.covers(touch.kind));
            let mut hit = (0, None);
            for touch in covered {
                let lanes = region.lanes(step, touch);
                if lanes != 0 {
                    hit = (hit.0 | lanes, Some(touch.kind));
                }
            }
            hit
        }
    }
}
