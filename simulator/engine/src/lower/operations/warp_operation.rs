//! Operations for which lanes of a warp wait for each other: their reads and writes, and their
//! effect on the lanes' values (PTX ISA 9.7.9.6, 9.7.13.2, 9.7.13.9 and after; for matrices
//! 9.7.14). `lower/synchronisation/warp.rs` translates instructions to them. The machine decides
//! how lanes wait for each other.

use crate::internal;
use crate::internal::InternalError;
use crate::lanes::{FULL, LANES, Mask, Registers, Slot, lanes_of, write_lanes};
use crate::lower::matrix::{Multiply, Rearrangement};
use crate::lower::operations::operand::{
    ASKED, COMPARED, Guard, List, MEMBERS, Origin, Register, Role, VALUE,
};
use crate::lower::operations::reduction::Reduction;

/// An operation for which lanes of a warp wait for each other.
#[derive(Clone, Debug)]
pub struct WarpOperation {
    /// The member mask, in a 32-bit slot; `None` for the forms without `.sync`, which take the
    /// present lanes.
    pub mask: Option<Slot>,
    /// The action.
    pub action: WarpAction,
}

/// A common action of lanes.
#[derive(Clone, Debug, PartialEq)]
pub enum WarpAction {
    /// `bar.warp.sync`.
    Sync,
    /// `shfl` (PTX ISA 9.7.9.6).
    Shuffle {
        /// The neighbour.
        mode: ShuffleMode,
        /// The destination.
        d: Slot,
        /// Whether the source lane was in range.
        p: Option<Slot>,
        /// The value given.
        a: Slot,
        /// The lane, delta or lane mask.
        b: Slot,
        /// Clamp and segment mask.
        c: Slot,
    },
    /// `vote`.
    Vote {
        /// The question.
        mode: VoteMode,
        /// A 32-bit slot for a ballot, else a predicate.
        d: Slot,
        /// The predicate in question.
        p: Guard,
    },
    /// `match`.
    Match {
        /// `.all` rather than `.any`.
        all: bool,
        /// 64-bit values.
        wide: bool,
        /// The mask of lanes with the same value (32-bit slot).
        d: Slot,
        /// `.all`: whether all are equal.
        p: Option<Slot>,
        /// The value.
        a: Slot,
    },
    /// `redux`.
    Redux {
        /// The reduction of the values.
        reduction: Reduction,
        /// The destination.
        d: Slot,
        /// The value.
        a: Slot,
    },
    /// `elect`.
    Elect {
        /// The elected lane (32-bit slot), if used.
        d: Option<Slot>,
        /// Whether it is this lane.
        p: Slot,
    },
    /// `movmatrix`: an 8 by 8 matrix of 16-bit elements. Lane i holds two elements of row i / 4, in
    /// column 2 * (i % 4) and the next.
    Transpose {
        /// The two elements of the transposed matrix.
        d: Slot,
        /// The two elements given.
        a: Slot,
    },
    /// `ldmatrix` and `stmatrix`, after rows have been loaded or before they are stored. Also
    /// `wmma.load` and `wmma.store`, where each lane has accessed its own elements.
    Rearrange(Box<Rearrangement>),
    /// `mma`, `wmma.mma`.
    Multiply(Box<Multiply>),
}

/// The neighbour that `shfl` reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "PTX's own words")]
pub enum ShuffleMode {
    Up,
    Down,
    Butterfly,
    Index,
}

/// The question of a `vote`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "PTX's own words")]
pub enum VoteMode {
    All,
    Any,
    Uniform,
    Ballot,
}

/// Lanes that execute a warp operation together.
#[derive(Clone, Copy, Debug)]
pub struct Meeting<'a> {
    /// The lanes that take part.
    pub together: Mask,
    /// For each register that an action reads of its lanes, the value of each lane; 0 for other
    /// lanes.
    pub given: &'a [[u64; LANES]],
}

impl WarpOperation {
    /// Its operands.
    pub(in crate::lower) fn operands(&self, list: &mut List) {
        if let Some(mask) = self.mask {
            list.w32(mask, MEMBERS);
        }
        let values = Role::Writes(Origin::Values);
        match &self.action {
            WarpAction::Sync => {}
            WarpAction::Shuffle { mode: _, d, p, a, b, c } => {
                list.w32(*a, VALUE);
                list.w32(*b, MEMBERS);
                list.w32(*c, MEMBERS);
                list.w32(*d, values);
                p.iter().for_each(|p| list.predicate(*p, Role::Writes(Origin::Members)));
            }
            WarpAction::Vote { mode, d, p } => {
                list.predicate(p.predicate, ASKED);
                match mode {
                    VoteMode::Ballot => list.w32(*d, values),
                    VoteMode::All | VoteMode::Any | VoteMode::Uniform => list.predicate(*d, values),
                }
            }
            WarpAction::Match { all: _, wide, d, p, a } => {
                list.whole(Register::data(*a, *wide), COMPARED);
                list.w32(*d, values);
                p.iter().for_each(|p| list.predicate(*p, values));
            }
            WarpAction::Redux { reduction: _, d, a } => {
                list.w32(*a, COMPARED);
                list.w32(*d, values);
            }
            WarpAction::Transpose { d, a } => {
                list.w32(*a, VALUE);
                list.w32(*d, values);
            }
            WarpAction::Rearrange(rearrangement) => {
                rearrangement.given.iter().for_each(|given| list.w32(*given, VALUE));
                rearrangement.got.iter().for_each(|got| list.w32(*got, values));
            }
            WarpAction::Multiply(multiply) => {
                multiply.reads().for_each(|register| list.whole(register, VALUE));
                multiply.writes().for_each(|register| list.whole(register, values));
            }
            WarpAction::Elect { d, p } => {
                d.iter().for_each(|d| list.w32(*d, Role::Writes(Origin::Members)));
                list.predicate(*p, Role::Writes(Origin::Members));
            }
        }
    }

    /// Whether lanes get values from others, unchanged ([`WarpAction::moved`]) or multiplied.
    pub fn moves_values(&self) -> bool {
        let mut operands = List::default();
        self.operands(&mut operands);
        operands.has_value()
    }

    /// Gives `lanes`, which have these registers, the result of a meeting that includes them.
    ///
    /// # Errors
    ///
    /// A matrix held by lanes is incomplete, which is a bug of warpsim.
    pub fn finish(
        &self,
        registers: &mut Registers,
        lanes: Mask,
        meeting: &Meeting<'_>,
    ) -> Result<(), InternalError> {
        let members = self.mask.map_or([meeting.together; LANES], |slot| *registers.w32(slot));
        let among = members.map(|members| members & meeting.together);
        self.action.finish(registers, lanes, meeting, &among)
    }
}

impl WarpAction {
    /// Whether lanes at this action and lanes at the other can execute it as one.
    pub fn joins(&self, other: &WarpAction) -> bool {
        use WarpAction as A;
        match (self, other) {
            (A::Sync, A::Sync)
            | (A::Elect { .. }, A::Elect { .. })
            | (A::Transpose { .. }, A::Transpose { .. }) => true,
            (A::Shuffle { mode: x, .. }, A::Shuffle { mode: y, .. }) => x == y,
            (A::Vote { mode: x, .. }, A::Vote { mode: y, .. }) => x == y,
            (A::Match { all: x, wide: v, .. }, A::Match { all: y, wide: w, .. }) => {
                x == y && v == w
            }
            (A::Redux { reduction: x, .. }, A::Redux { reduction: y, .. }) => x == y,
            (A::Rearrange(x), A::Rearrange(y)) => {
                x.how == y.how && (x.given.len(), x.got.len()) == (y.given.len(), y.got.len())
            }
            (A::Multiply(x), A::Multiply(y)) => x.what == y.what,
            (
                A::Sync
                | A::Elect { .. }
                | A::Transpose { .. }
                | A::Shuffle { .. }
                | A::Vote { .. }
                | A::Match { .. }
                | A::Redux { .. }
                | A::Rearrange(_)
                | A::Multiply(_),
                _,
            ) => false,
        }
    }

    /// The number of registers that it reads of its lanes for the others.
    pub fn registers_given(&self) -> usize {
        match self {
            WarpAction::Sync | WarpAction::Elect { .. } => 0,
            WarpAction::Shuffle { .. }
            | WarpAction::Vote { .. }
            | WarpAction::Match { .. }
            | WarpAction::Redux { .. }
            | WarpAction::Transpose { .. } => 1,
            WarpAction::Rearrange(rearrangement) => rearrangement.given.len(),
            WarpAction::Multiply(multiply) => multiply.given.len(),
        }
    }

    /// The values of lanes with these registers, for each of [`WarpAction::registers_given`]: a
    /// value, or whether a predicate holds.
    ///
    /// # Errors
    /// There is no room for them.
    pub fn give(
        &self,
        registers: &Registers,
        lanes: Mask,
        given: &mut [[u64; LANES]],
    ) -> Result<(), InternalError> {
        match self {
            WarpAction::Shuffle { a, .. }
            | WarpAction::Transpose { a, .. }
            | WarpAction::Redux { a, .. }
            | WarpAction::Match { wide: false, a, .. } => {
                let a = registers.w32(*a);
                fill(given, lanes, |lane| a[lane].into())?;
            }
            WarpAction::Match { wide: true, a, .. } => {
                let a = registers.w64(*a);
                fill(given, lanes, |lane| a[lane])?;
            }
            WarpAction::Vote { p, .. } => {
                let holds = p.lanes(registers);
                fill(given, lanes, |lane| u64::from(holds >> lane & 1))?;
            }
            WarpAction::Sync | WarpAction::Elect { .. } => {}
            WarpAction::Rearrange(rearrangement) => {
                for (slot, given) in rearrangement.given.iter().zip(given) {
                    let held = registers.w32(*slot);
                    lanes_of(lanes).for_each(|lane| given[lane] = held[lane].into());
                }
            }
            WarpAction::Multiply(multiply) => multiply.give(registers, lanes, given),
        }
        Ok(())
    }

    /// The 32-bit registers whose unchanged values it hands from lane to lane; see
    /// [`WarpAction::moved`].
    pub fn moves(&self) -> &[Slot] {
        match self {
            WarpAction::Shuffle { a, .. } | WarpAction::Transpose { a, .. } => {
                std::slice::from_ref(a)
            }
            WarpAction::Rearrange(rearrangement) => &rearrangement.given,
            WarpAction::Sync
            | WarpAction::Vote { .. }
            | WarpAction::Match { .. }
            | WarpAction::Redux { .. }
            | WarpAction::Elect { .. }
            | WarpAction::Multiply(_) => &[],
        }
    }

    /// For an action that hands unchanged values from lane to lane: the values that each lane gets,
    /// and in which register. `given` are the values of the registers of [`WarpAction::moves`].
    /// Other registers that it reads are taken from `registers`. `None` for an action that computes
    /// new values.
    ///
    /// # Errors
    ///
    /// The given values do not belong to [`WarpAction::moves`], which is a bug of warpsim.
    pub fn moved(
        &self,
        registers: &Registers,
        given: &[[u32; LANES]],
    ) -> Result<Vec<Moved>, InternalError> {
        Ok(match (self, given) {
            (WarpAction::Shuffle { mode, d, p: _, a: _, b, c }, [given]) => {
                let (b, c) = (registers.w32(*b), registers.w32(*c));
                let source = |lane: usize| given[mode.source(lane, b[lane], c[lane]).0];
                vec![Moved { d: *d, values: std::array::from_fn(source) }]
            }
            (WarpAction::Transpose { d, a: _ }, [given]) => {
                vec![Moved { d: *d, values: transposed(given) }]
            }
            (WarpAction::Rearrange(rearrangement), given) => {
                let got = rearrangement.got.iter().zip(rearrangement.moved(given)?);
                got.map(|(d, values)| Moved { d: *d, values }).collect()
            }
            (WarpAction::Shuffle { .. } | WarpAction::Transpose { .. }, given) => {
                return Err(internal!("{} values are handed on, not one", given.len()));
            }
            (
                WarpAction::Sync
                | WarpAction::Vote { .. }
                | WarpAction::Match { .. }
                | WarpAction::Redux { .. }
                | WarpAction::Elect { .. }
                | WarpAction::Multiply(_),
                _,
            ) => Vec::new(),
        })
    }

    /// For such an action: the lanes from which each lane gets a byte; `None` for another.
    ///
    /// # Errors
    ///
    /// The errors of [`WarpAction::moved`].
    pub fn sources(&self, registers: &Registers) -> Result<Option<[Mask; LANES]>, InternalError> {
        if let WarpAction::Rearrange(rearrangement) = self {
            return Ok(Some(rearrangement.sources()));
        }
        let numbers = [std::array::from_fn(|lane| u32::from_ne_bytes([lane as u8; 4]))];
        let moved = self.moved(registers, &numbers[..self.moves().len()])?;
        let lanes =
            |value: u32| value.to_ne_bytes().iter().fold(0, |lanes, l| lanes | 1 << (l & 31));
        Ok(moved.first().map(|moved| moved.values.map(lanes)))
    }

    /// Writes the result. Of the participants, lane i named `among[i]`.
    fn finish(
        &self,
        registers: &mut Registers,
        lanes: Mask,
        Meeting { together, given }: &Meeting<'_>,
        among: &[Mask; LANES],
    ) -> Result<(), InternalError> {
        // All operands are read before any is written: they may be one register.
        let first = || given.first().ok_or_else(|| internal!("lanes met, and none gave anything"));
        match self {
            WarpAction::Sync => {}
            WarpAction::Transpose { d, a: _ } => {
                let one = first()?.map(|v| v as u32);
                write_lanes(registers, *d, lanes, &transposed(&one));
            }
            WarpAction::Rearrange(rearrangement) => {
                let given: Vec<_> = given.iter().map(|held| held.map(|v| v as u32)).collect();
                for (d, values) in rearrangement.got.iter().zip(rearrangement.moved(&given)?) {
                    write_lanes(registers, *d, lanes, &values);
                }
            }
            WarpAction::Multiply(multiply) => multiply.finish(registers, lanes, given)?,
            WarpAction::Shuffle { mode, d, p, a: _, b, c } => {
                let one = first()?;
                let (sources, inside) = mode.sources(registers.w32(*b), registers.w32(*c));
                let read = sources.map(|source| one[usize::from(source) % LANES] as u32);
                write_lanes(registers, *d, lanes, &read);
                if let Some(p) = p {
                    registers.set_predicate(*p, lanes, inside);
                }
            }
            WarpAction::Vote { mode, d, p: _ } => {
                let one = first()?;
                let votes = lanes_where(*together, |lane| one[lane] != 0);
                let asked = |answer: fn(Mask, Mask) -> bool| {
                    lanes_where(lanes, |lane| answer(votes & among[lane], among[lane]))
                };
                match mode {
                    VoteMode::Ballot => {
                        write_lanes(registers, *d, lanes, &among.map(|m| votes & m))
                    }
                    VoteMode::All => registers.set_predicate(*d, lanes, asked(|v, m| v == m)),
                    VoteMode::Any => registers.set_predicate(*d, lanes, asked(|v, _| v != 0)),
                    VoteMode::Uniform => {
                        registers.set_predicate(*d, lanes, asked(|v, m| v == 0 || v == m));
                    }
                }
            }
            WarpAction::Match { all, wide: _, d, p, a: _ } => {
                let one = first()?;
                let mut masks = [0; LANES];
                let mut rest = lanes;
                while rest != 0 {
                    let lane = rest.trailing_zeros() as usize;
                    let equal = lanes_where(among[lane], |l| one[l] == one[lane]);
                    // Lanes that named the same lanes and gave the same value get the same.
                    let alike =
                        lanes_where(rest, |l| among[l] == among[lane] && one[l] == one[lane]);
                    lanes_of(alike).for_each(|l| masks[l] = equal);
                    rest &= !alike;
                }
                let unanimous = lanes_where(lanes, |lane| masks[lane] == among[lane]);
                let shown = |lane: usize| !*all || unanimous >> lane & 1 == 1;
                let found = std::array::from_fn(|l| if shown(l) { masks[l] } else { 0 });
                write_lanes(registers, *d, lanes, &found);
                if let Some(p) = p {
                    registers.set_predicate(*p, lanes, unanimous);
                }
            }
            WarpAction::Redux { reduction, d, a: _ } => {
                let one = first()?;
                let mut reduced = [0; LANES];
                let mut rest = lanes;
                while rest != 0 {
                    let named = among[rest.trailing_zeros() as usize];
                    let value = reduction.of(lanes_of(named).map(|lane| one[lane] as u32));
                    // Lanes that named the same lanes get the same.
                    let alike = lanes_where(rest, |lane| among[lane] == named);
                    lanes_of(alike).for_each(|lane| reduced[lane] = value);
                    rest &= !alike;
                }
                write_lanes(registers, *d, lanes, &reduced);
            }
            WarpAction::Elect { d, p } => {
                let leader = among.map(|among| among.trailing_zeros() % LANES as u32);
                registers.set_predicate(*p, lanes, lanes_where(lanes, |l| leader[l] == l as u32));
                if let Some(d) = d {
                    write_lanes(registers, *d, lanes, &leader);
                }
            }
        }
        Ok(())
    }
}

/// The values of lanes in the first of the given registers.
#[inline]
fn fill(
    given: &mut [[u64; LANES]],
    lanes: Mask,
    value: impl Fn(usize) -> u64,
) -> Result<(), InternalError> {
    let first = given.first_mut();
    let first = first.ok_or_else(|| internal!("no room for what lanes give each other"))?;
    if lanes == FULL {
        // Without conditions, so that the compiler vectorises it.
        (0..LANES).for_each(|lane| first[lane] = value(lane));
    } else {
        lanes_of(lanes).for_each(|lane| first[lane] = value(lane));
    }
    Ok(())
}

/// The elements of each lane in a transposed matrix: lane i has two elements of row i / 4, in
/// column 2 * (i % 4) and the next.
fn transposed(given: &[u32; LANES]) -> [u32; LANES] {
    let element =
        |row: usize, column: usize| given[4 * row + column / 2] >> (16 * (column % 2)) & 0xffff;
    std::array::from_fn(|lane| {
        let (row, column) = (lane / 4, 2 * (lane % 4));
        element(column, row) | element(column + 1, row) << 16
    })
}

/// Values handed from lane to lane.
#[derive(Clone, Copy, Debug)]
pub struct Moved {
    /// The 32-bit register that each lane gets.
    pub d: Slot,
    /// The value for each lane.
    pub values: [u32; LANES],
}

/// The lanes of `among` for which `f` holds; it is called for others, too.
#[inline(always)]
fn lanes_where(among: Mask, f: impl Fn(usize) -> bool) -> Mask {
    (0..LANES).fold(0, |mask, lane| mask | Mask::from(f(lane)) << lane) & among
}
