//! Who accessed a word last, in 32 bits: a stamp.
//!
//! A *segment* covers the accesses of a warp between two synchronisations that order the whole
//! warp. A stamp is a segment and a lane. Stamps ascend in the order in which segments begin. So
//! one comparison shows what a barrier has ordered for a block. Some segments represent several
//! threads instead of a warp.

use crate::lanes::LANES;

/// Who accessed a word last. 0: nobody.
pub(super) type Stamp = u32;

/// The threads or atomics that a segment represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Who {
    /// The lane that the stamp says.
    Lane,
    /// Several lanes of the warp.
    Warp,
    /// Several threads of the block.
    Block,
    /// Threads of several blocks.
    Grid,
    /// Atomics of this many bytes. `is_pure`: nothing but such atomics has touched the word in this
    /// launch.
    Atomics { bytes: u8, is_pure: bool },
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    pub(super) block: u32,
    pub(super) warp: u16,
    pub(super) who: Who,
}

/// No block, no warp.
const NOBODY: (u32, u16) = (u32::MAX, u16::MAX);

/// The most segments: stamps stay below 2^31, and there is room for one more phase of a block.
const MOST: usize = (1 << 26) - 128;

/// The segments of a launch, and of those before it.
#[derive(Clone, Debug)]
pub(super) struct Stamps {
    segments: Vec<Segment>,
    most: usize,
    /// Stamps below are of earlier launches.
    pub(super) launch: Stamp,
    /// The stamp of threads of several blocks.
    pub(super) grid: Stamp,
    /// The stamps of atomics of 4 and 8 bytes of several blocks.
    pub(super) grid_atomics: [Stamp; 2],
}

/// The stamps of a block in one phase, the time between two barriers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Phase {
    /// Several threads of the block.
    pub(super) several: Stamp,
    /// Atomics of 4 and 8 bytes, pure and impure.
    atomics: [[Stamp; 2]; 2],
}

impl Phase {
    /// The stamp of atomics.
    pub(super) fn atomics(&self, bytes: u8, is_pure: bool) -> Stamp {
        self.atomics[usize::from(bytes == 8)][usize::from(is_pure)]
    }
}

impl Stamps {
    /// The stamps of a first launch.
    pub(super) fn new() -> Stamps {
        Stamps::with_room(MOST)
    }

    /// The same, with fewer segments at most.
    pub(super) fn with_room(most: usize) -> Stamps {
        let none = Segment { block: NOBODY.0, warp: NOBODY.1, who: Who::Grid };
        let (launch, grid, grid_atomics) = (0, 0, [0; 2]);
        let mut stamps = Stamps { segments: vec![none], most, launch, grid, grid_atomics };
        stamps.begin_launch();
        stamps
    }

    /// Fresh stamps as for a first launch, if so many are used that the next launch might lack
    /// some.
    pub(super) fn renewed(&self) -> Option<Stamps> {
        (self.segments.len() > self.most / 16).then(|| Stamps::with_room(self.most))
    }

    /// What earlier launches did is ordered before everything from now on.
    pub(super) fn begin_launch(&mut self) {
        self.launch = self.next();
        let (block, warp) = NOBODY;
        self.grid = self.add(Segment { block, warp, who: Who::Grid });
        self.grid_atomics = [4, 8].map(|bytes| {
            self.add(Segment { block, warp, who: Who::Atomics { bytes, is_pure: true } })
        });
    }

    /// The stamp that the next segment begins with.
    pub(super) fn next(&self) -> Stamp {
        (self.segments.len() * LANES) as Stamp
    }

    /// Whether there are no stamps left for another phase of a whole block: they stay below 2^31.
    pub(super) fn are_used_up(&self) -> bool {
        self.segments.len() >= self.most
    }

    fn add(&mut self, segment: Segment) -> Stamp {
        let stamp = self.next();
        self.segments.push(segment);
        stamp
    }

    /// A phase of a block.
    pub(super) fn begin_phase(&mut self, block: u32) -> Phase {
        let warp = NOBODY.1;
        let several = self.add(Segment { block, warp, who: Who::Block });
        let atomics = [4, 8].map(|bytes| {
            [false, true].map(|is_pure| {
                self.add(Segment { block, warp, who: Who::Atomics { bytes, is_pure } })
            })
        });
        Phase { several, atomics }
    }

    /// A segment of a warp: the stamp of its lane 0. The stamp for several of its lanes is 32
    /// above.
    pub(super) fn begin_segment(&mut self, block: u32, warp: u16) -> Stamp {
        let stamp = self.add(Segment { block, warp, who: Who::Lane });
        self.add(Segment { block, warp, who: Who::Warp });
        stamp
    }

    /// The segment of a stamp.
    pub(super) fn segment(&self, stamp: Stamp) -> Segment {
        let none = Segment { block: NOBODY.0, warp: NOBODY.1, who: Who::Grid };
        self.segments.get(stamp as usize / LANES).copied().unwrap_or(none)
    }
}
