//! A block (CTA): its warps, its shared memory and its barriers.

use std::sync::Arc;

use super::barrier::Barriers;
use super::cluster::ClusterPhase;
use super::environment::Environment;
use super::fragment::Fragment;
use super::frame::{Frame, Taken};
use super::in_flight::InFlight;
use super::warp::Warp;
use crate::internal;
use crate::internal::InternalError;
use crate::lanes::{LANES, Mask};
use crate::machine::memory::{Copier, Pages};

/// The most warps of a gang: all warps of the largest block.
pub(in crate::machine) const MOST: usize = 32;

/// A block that has started and not ended.
#[derive(Debug, PartialEq)]
pub struct Block {
    /// Its number in the grid: x + nx * (y + ny * z).
    pub linear: u64,
    /// `%ctaid`.
    pub index: [u32; 3],
    /// Its warps, in order.
    pub warps: Vec<Warp>,
    /// What its warps share.
    pub common: Common,
}

/// What the warps of a block share.
#[derive(Debug, PartialEq)]
pub struct Common {
    /// Shared memory, static before dynamic.
    pub shared: Pages,
    /// The block barriers.
    pub barriers: Barriers,
    /// The barrier of the cluster; `None` before the first arrival.
    pub cluster: Option<Box<ClusterPhase>>,
    /// Asynchronous copies; `None` before the first one.
    pub in_flight: Option<Box<InFlight>>,
    /// Warp instructions executed so far: the block's clock.
    pub clock: u64,
    /// Turns, and copies, with an effect that others may notice. An answer that a phase is not
    /// complete does not count.
    pub acts: u64,
    /// Warps whose threads have all exited.
    pub ended_warps: usize,
    /// Lanes have arrived at a barrier or exited since the barriers were last looked at.
    pub look_at_barriers: bool,
}

impl Common {
    /// The common state of a block about to start.
    fn new(shared: Pages) -> Common {
        Common {
            shared,
            barriers: Barriers::default(),
            cluster: None,
            in_flight: None,
            clock: 0,
            acts: 0,
            ended_warps: 0,
            look_at_barriers: false,
        }
    }

    /// The same in the memory of another block: barriers take much room.
    fn renew(&mut self, shared: Pages) {
        let Common {
            shared: before,
            barriers,
            cluster,
            in_flight,
            clock,
            acts,
            ended_warps,
            look_at_barriers,
        } = self;
        barriers.reset();
        *before = shared;
        (*cluster, *in_flight) = (None, None);
        (*clock, *acts) = (0, 0);
        (*ended_warps, *look_at_barriers) = (0, false);
    }
}

impl Block {
    /// A block about to start, with this shared memory.
    pub fn new(linear: u64, environment: &Environment, shared: Pages) -> Block {
        let threads = environment.launch.threads_per_block();
        let warps = (0..threads.div_ceil(LANES as u32)).map(|w| new_warp(w, environment));
        Block {
            linear,
            index: environment.launch.block_index(linear),
            warps: warps.collect(),
            common: Common::new(shared),
        }
    }

    /// Another block of the same launch about to start, in the memory of this ended one.
    pub(in crate::machine) fn renew(
        &mut self,
        linear: u64,
        environment: &Environment,
        shared: Pages,
    ) {
        self.linear = linear;
        self.index = environment.launch.block_index(linear);
        for warp in &mut self.warps {
            warp.renew(&environment.program);
        }
        self.common.renew(shared);
    }

    /// A copy for a snapshot. `copy` copies its pages.
    pub fn snapshot(&mut self, copy: Copier) -> Block {
        Block {
            linear: self.linear,
            index: self.index,
            warps: self.warps.iter_mut().map(|warp| warp.snapshot(copy)).collect(),
            common: Common {
                shared: copy(&mut self.common.shared),
                barriers: self.common.barriers.clone(),
                cluster: self.common.cluster.clone(),
                in_flight: self.common.in_flight.clone(),
                clock: self.common.clock,
                acts: self.common.acts,
                ended_warps: self.common.ended_warps,
                look_at_barriers: self.common.look_at_barriers,
            },
        }
    }

    /// How many of its warps have threads that have not exited.
    pub fn live_warps(&self) -> usize {
        self.warps.len() - self.common.ended_warps
    }

    /// Whether every thread has exited.
    pub fn has_ended(&self) -> bool {
        self.live_warps() == 0
    }
}

fn new_warp(number: u32, environment: &Environment) -> Warp {
    let threads = environment.launch.threads_per_block();
    let first = number * LANES as u32;
    let exists = crate::machine::state::block::existing(threads, number);
    let program = &environment.program;
    Warp {
        number,
        exists,
        live: exists,
        fragments: vec![Fragment::new(exists, program.functions[0].entry, 0)],
        frames: vec![Frame::new(
            0,
            &program.functions[0],
            &Arc::clone(&program.constants),
            None,
            Taken::default(),
        )],
        free_frames: Vec::new(),
        local: Default::default(),
        thread: thread_indices(first, environment.launch.block),
        ahead: None,
        local_loop: Default::default(),
        poll_loop: Default::default(),
        patience: Default::default(),
        spinning: Default::default(),
    }
}

/// `%tid` of 32 threads in a row.
fn thread_indices(first: u32, [nx, ny, _]: [u32; 3]) -> [[u32; LANES]; 3] {
    let [mut x, mut y, mut z] = [first % nx, first / nx % ny, first / nx / ny];
    let [mut xs, mut ys, mut zs] = [[0; LANES]; 3];
    for ((in_x, in_y), in_z) in xs.iter_mut().zip(&mut ys).zip(&mut zs) {
        (*in_x, *in_y, *in_z) = (x, y, z);
        x += 1;
        if x == nx {
            (x, y) = (0, y + 1);
        }
        if y == ny {
            (y, z) = (0, z + 1);
        }
    }
    [xs, ys, zs]
}

/// The lanes of a warp of a block of this many threads.
pub(in crate::machine) fn existing(threads: u32, warp: u32) -> Mask {
    match threads.saturating_sub(warp.saturating_mul(LANES as u32)) {
        0 => 0,
        rest => Mask::MAX >> (LANES as u32 - rest.min(LANES as u32)),
    }
}

pub(in crate::machine) fn no_block() -> InternalError {
    internal!("a turn without a block")
}

pub(in crate::machine) fn no_warp(warp: u32) -> InternalError {
    internal!("the schedule chose warp {warp}, which the block does not have")
}
