//! Which lane holds which element of a matrix (PTX ISA 9.7.14.5.1 to 9.7.14.5.13, "Matrix
//! Fragments for mma").
//!
//! A lane's elements are numbered as in the ISA, from the low bits of its first register up. All
//! shapes follow one scheme except `m8n8k4` of f16, where four groups of eight lanes each multiply
//! their own matrices.

use crate::internal;
use crate::internal::InternalError;
use crate::lanes::LANES;

/// The layout of a matrix over the lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// The left factor.
    Left,
    /// The right factor; its consecutive elements belong to one column.
    Right,
    /// The accumulator and the result.
    Accumulator,
    /// `m8n8k4` of f16: four left factors below each other; `.row` or `.col`.
    FourLeft { by_row: bool },
    /// Four right factors beside each other.
    FourRight { by_row: bool },
    /// Four accumulators of f16 below each other.
    FourHalf,
    /// Four accumulators of f32 below each other.
    FourSingle,
}

/// A matrix held by lanes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fragment {
    pub(super) layout: Layout,
    /// Rows of the matrix in its layout over the lanes.
    pub(super) rows: usize,
    /// Its columns.
    pub(super) columns: usize,
    /// Bits of an element.
    pub(super) bits: usize,
    /// Registers that instructions name for it; unneeded ones repeat the same values.
    pub(super) registers: usize,
    /// The layout describes the transposed matrix.
    pub(super) transposed: bool,
}

impl Fragment {
    /// A matrix in exactly the needed registers.
    pub(super) fn new(layout: Layout, rows: usize, columns: usize, bits: usize) -> Fragment {
        let registers =
            rows * columns * bits.min(32) / (32 * LANES) * if bits == 64 { 2 } else { 1 };
        let registers = if bits == 64 { registers / 2 } else { registers };
        Fragment { layout, rows, columns, bits, registers, transposed: false }
    }

    /// Elements of a register.
    pub(super) fn per_register(&self) -> usize {
        (32 / self.bits).max(1)
    }

    /// Elements of a lane.
    pub(super) fn elements(&self) -> usize {
        self.rows * self.columns / LANES
    }

    /// Registers that these need.
    pub(super) fn needed(&self) -> usize {
        self.elements() / self.per_register()
    }

    /// Row and column of a lane's element.
    pub(super) fn place(&self, lane: usize, element: usize) -> (usize, usize) {
        let (row, column) = self.untransposed(lane, element);
        if self.transposed { (column, row) } else { (row, column) }
    }

    fn untransposed(&self, lane: usize, element: usize) -> (usize, usize) {
        let (group, within) = (lane / 4, lane % 4);
        let per = self.per_register();
        let (register, part) = (element / per, element % per);
        // Rows of eight in a block of up to 16.
        let eights = self.rows.min(16) / 8;
        // For `m8n8k4` of f16: the number of the product, and the lane among its eight.
        let (product, eighth) = (lane / 4 % 4, lane % 4 + lane / 16 * 4);
        match self.layout {
            Layout::Left => {
                let in_block = eights * (self.columns / (4 * per));
                let (block, register) = (register / in_block, register % in_block);
                let row = 16 * block + 8 * (register % eights) + group;
                (row, register / eights * 4 * per + within * per + part)
            }
            Layout::Right => {
                let in_block = self.rows / (4 * per);
                let (block, register) = (register / in_block, register % in_block);
                (register * 4 * per + within * per + part, 8 * block + group)
            }
            Layout::Accumulator => {
                let across = self.columns / 8;
                let (block, pair) = (element / (2 * eights), element / 2 % eights);
                let row = 16 * (block / across) + 8 * pair + group;
                (row, 8 * (block % across) + 2 * within + element % 2)
            }
            Layout::FourLeft { by_row: true } => (8 * product + eighth, element),
            Layout::FourLeft { by_row: false } => (8 * product + element + lane / 16 * 4, within),
            Layout::FourRight { by_row: false } => (element, 8 * product + eighth),
            Layout::FourRight { by_row: true } => (within, 8 * product + element + lane / 16 * 4),
            Layout::FourHalf => (8 * product + eighth, element),
            Layout::FourSingle => {
                let row = (lane & 1) + (element & 2) + lane / 16 * 4;
                (8 * product + row, (element & 4) + (lane & 2) + (element & 1))
            }
        }
    }

    /// The size of the matrix.
    pub(super) fn size(&self) -> (usize, usize) {
        if self.transposed { (self.columns, self.rows) } else { (self.rows, self.columns) }
    }

    /// The elements by rows, from the values of each register in each lane.
    pub(super) fn gather(&self, registers: &[[u64; LANES]]) -> Result<Vec<u64>, InternalError> {
        let (rows, columns) = self.size();
        let mut out = vec![0; rows * columns];
        let all = self.each(|lane, element, register, shift| {
            let (row, column) = self.place(lane, element);
            let held = registers.get(register)?[lane];
            *out.get_mut(row * columns + column)? = held >> shift & self.mask();
            Some(())
        });
        all.ok_or_else(|| internal!("{} registers hold {self:?}", registers.len()))?;
        Ok(out)
    }

    /// The values of each register in each lane, from the elements by rows.
    pub(super) fn scatter(&self, elements: &[u64]) -> Result<Vec<[u64; LANES]>, InternalError> {
        let (_, columns) = self.size();
        let mut out = vec![[0; LANES]; self.needed()];
        let all = self.each(|lane, element, register, shift| {
            let (row, column) = self.place(lane, element);
            let value = elements.get(row * columns + column)?;
            out.get_mut(register)?[lane] |= (value & self.mask()) << shift;
            Some(())
        });
        all.ok_or_else(|| internal!("{} elements are those of {self:?}", elements.len()))?;
        Ok(out)
    }

    fn mask(&self) -> u64 {
        u64::MAX >> (64 - self.bits)
    }

    /// Calls `f` with each lane, element, and its register and lowest bit there, until `f` returns
    /// `None`.
    fn each(&self, mut f: impl FnMut(usize, usize, usize, usize) -> Option<()>) -> Option<()> {
        let per = self.per_register();
        for element in 0..self.elements() {
            for lane in 0..LANES {
                f(lane, element, element / per, element % per * self.bits)?;
            }
        }
        Some(())
    }
}
