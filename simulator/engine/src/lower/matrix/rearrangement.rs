//! The distribution of rows that lanes have loaded (`ldmatrix`), and of the lanes' values before
//! they are stored (`stmatrix`) (PTX ISA 9.7.14.5.15, 9.7.14.5.16).
//!
//! A row is 16 bytes, four words. Row r of matrix j belongs to lane 8j + r, or 16j + r for matrices
//! of 16 rows. The ISA shows the layout of the byte forms over the lanes in figures. Here they
//! follow NVIDIA's CUTLASS (`copy_traits_sm100.hpp`), which is not measured.

use crate::internal;
use crate::internal::InternalError;
use crate::lanes::{LANES, Mask, Slot};

/// The layout of matrices over the lanes, and the direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixMove {
    /// From rows of eight halves.
    LoadHalves {
        /// `.trans`
        transposed: bool,
    },
    /// From 16 rows of 16 bytes, transposed, or of a packing that unpacks to them.
    LoadBytes(Packing),
    /// From eight rows of a packing that unpacks to 16 bytes.
    LoadPacked(Packing),
    /// To rows of eight halves.
    StoreHalves {
        /// `.trans`
        transposed: bool,
    },
    /// To rows of 16 bytes, transposed.
    StoreBytes,
    /// Nothing moves: lanes that have loaded or stored their own elements wait for each other.
    Stay,
}

/// The form of a row of 16 elements in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// 16 bytes.
    Bytes,
    /// `.b6x16_p32`: 16 times 6 bits, and 4 bytes of padding.
    Six,
    /// `.b4x16_p64`: 16 times 4 bits, and 8 bytes of padding.
    Four,
}

/// Unchanged values that lanes pass to each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Rearrangement {
    /// The layout and direction.
    pub how: MatrixMove,
    /// The 32-bit registers that each lane gives.
    pub given: Vec<Slot>,
    /// The 32-bit registers that each lane gets.
    pub got: Vec<Slot>,
}

/// A byte that a lane gives.
#[derive(Clone, Copy)]
struct Byte {
    register: usize,
    lane: usize,
    byte: usize,
}

impl MatrixMove {
    /// The origin of a byte of a register that a lane gets.
    fn source(self, register: usize, lane: usize, byte: usize) -> Byte {
        let (group, within) = (lane / 4, lane % 4);
        // A byte of the row of another lane.
        let of_row =
            |row: usize, at: usize| Byte { register: at / 4, lane: row % LANES, byte: at % 4 };
        // The row that a lane stores, and the place in it.
        let (matrix, row, at) = (lane / 8, lane % 8, 4 * register + byte);
        match self {
            MatrixMove::Stay => Byte { register, lane, byte },
            MatrixMove::LoadHalves { transposed: false } | MatrixMove::LoadPacked(_) => {
                of_row(8 * register + group, 4 * within + byte)
            }
            MatrixMove::LoadHalves { transposed: true } => {
                of_row(8 * register + 2 * within + byte / 2, 2 * group + byte % 2)
            }
            MatrixMove::LoadBytes(_) => {
                let (matrix, half) = (register / 2, register % 2);
                let row = 16 * matrix + 4 * within + 2 * half + byte % 2;
                of_row(row, group + 8 * (byte / 2))
            }
            MatrixMove::StoreHalves { transposed: false } => {
                Byte { register: matrix, lane: 4 * row + at / 4, byte: at % 4 }
            }
            MatrixMove::StoreHalves { transposed: true } => Byte {
                register: matrix,
                lane: 4 * (at / 2) + row / 2,
                byte: 2 * (row % 2) + at % 2,
            },
            MatrixMove::StoreBytes => Byte {
                register: matrix,
                lane: 4 * (at % 8) + row / 2,
                byte: row % 2 + 2 * (at / 8),
            },
        }
    }

    fn packing(self) -> Packing {
        match self {
            MatrixMove::LoadBytes(packing) | MatrixMove::LoadPacked(packing) => packing,
            MatrixMove::LoadHalves { .. }
            | MatrixMove::StoreHalves { .. }
            | MatrixMove::StoreBytes
            | MatrixMove::Stay => Packing::Bytes,
        }
    }
}

impl Packing {
    /// A byte of a row of 16, from the four words of its lane.
    fn byte(self, words: [u32; 4], at: usize) -> u32 {
        let all = words.iter().rev().fold(0, |all, word| all << 32 | u128::from(*word));
        let (bits, mask) = match self {
            Packing::Bytes => (8, 0xff),
            Packing::Six => (6, 0x3f),
            Packing::Four => (4, 0xf),
        };
        (all >> (bits * at)) as u32 & mask
    }
}

impl Rearrangement {
    /// The values that each lane gets in each register, from those that each gives.
    ///
    /// # Errors
    ///
    /// A register that it takes from is not given, which is a bug of warpsim.
    pub fn moved(&self, given: &[[u32; LANES]]) -> Result<Vec<[u32; LANES]>, InternalError> {
        let mut out = vec![[0; LANES]; self.got.len()];
        // A lane without a row stores none of its values.
        let lanes = match self.how {
            MatrixMove::StoreHalves { .. } | MatrixMove::StoreBytes => {
                LANES.min(8 * self.given.len())
            }
            MatrixMove::LoadHalves { .. }
            | MatrixMove::LoadBytes(_)
            | MatrixMove::LoadPacked(_)
            | MatrixMove::Stay => LANES,
        };
        for (register, values) in out.iter_mut().enumerate() {
            for (lane, value) in values.iter_mut().enumerate().take(lanes) {
                for byte in 0..4 {
                    let from = self.how.source(register, lane, byte);
                    *value |= self.taken(given, from)? << (8 * byte);
                }
            }
        }
        Ok(out)
    }

    /// A byte of the lanes' values.
    fn taken(&self, given: &[[u32; LANES]], from: Byte) -> Result<u32, InternalError> {
        let missing = || internal!("{} registers are rearranged as {:?}", given.len(), self.how);
        match self.how.packing() {
            Packing::Bytes => {
                let held = given.get(from.register).ok_or_else(missing)?;
                Ok(held[from.lane] >> (8 * from.byte) & 0xff)
            }
            packing @ (Packing::Six | Packing::Four) => {
                let row = given.first_chunk::<4>().ok_or_else(missing)?;
                Ok(packing.byte(row.map(|held| held[from.lane]), 4 * from.register + from.byte))
            }
        }
    }

    /// The lanes from which each lane gets bytes.
    pub fn sources(&self) -> [Mask; LANES] {
        let of = |lane: usize| {
            let bytes =
                (0..self.got.len()).flat_map(|register| (0..4).map(move |byte| (register, byte)));
            bytes.fold(0, |lanes, (register, byte)| {
                lanes | 1 << self.how.source(register, lane, byte).lane
            })
        };
        std::array::from_fn(of)
    }
}
