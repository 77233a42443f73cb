//! `mma`, `mma.sp` and `wmma.mma`: multiplies and adds the values of a warp's lanes (PTX ISA
//! 9.7.14.4.5, 9.7.14.5.14, 9.7.14.6.3).

use super::fragment::Fragment;
use super::product::{Dot, Matrices};
use crate::internal;
use crate::internal::InternalError;
use crate::lanes::{LANES, Mask, Registers, Slot, lanes_of, write_lanes};
use crate::lower::operations::operand::Register;
use crate::ptx::Type;

/// A product of matrices: its shape, its types and its layout over the lanes.
#[derive(Clone, Debug, PartialEq)]
pub struct Multiplication {
    pub(super) a: Fragment,
    pub(super) b: Fragment,
    pub(super) c: Fragment,
    pub(super) d: Fragment,
    /// The types of the registers of A, B, C and D.
    pub(super) types: [Type; 4],
    pub(super) dot: Dot,
    pub(super) sparsity: Option<Sparsity>,
}

/// The stored elements of the left factor; the others are zero (PTX ISA 9.7.14.6.1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sparsity {
    /// Elements that move together.
    pub(super) together: usize,
    /// One of two elements is stored (`.tf32`), rather than two of four.
    pub(super) one_of_two: bool,
    /// The first lane, of each four, with metadata.
    pub(super) first: usize,
    /// A lane has metadata of the two rows of a group (16 bits each) rather than of one.
    pub(super) both_rows: bool,
}

/// A product of matrices held by lanes.
#[derive(Clone, Debug, PartialEq)]
pub struct Multiply {
    /// The product.
    pub what: Box<Multiplication>,
    /// The registers that each lane gives: of A, of B, of C, and the metadata of a sparse A.
    pub given: Vec<Slot>,
    /// The registers that it gets.
    pub got: Vec<Slot>,
}

impl Multiplication {
    /// Registers of A, B, C and the metadata.
    pub(super) fn registers(&self) -> [usize; 4] {
        let metadata = usize::from(self.sparsity.is_some());
        [self.a.registers, self.b.registers, self.c.registers, metadata]
    }

    /// The result, from the values of each register in each lane.
    fn result(&self, given: &[[u64; LANES]]) -> Result<Vec<[u64; LANES]>, InternalError> {
        let [a, b, c, metadata] = self.split(given)?;
        let held = self.a.size().1;
        let turned = Fragment { transposed: !self.b.transposed, ..self.b };
        let (a, b, c) = (self.a.gather(a)?, turned.gather(b)?, self.c.gather(c)?);
        let of_sparse = match (self.sparsity, metadata) {
            (Some(sparsity), [metadata]) => {
                Some(move |row: usize, k: usize| sparsity.column(metadata, row, k))
            }
            (None, []) => None,
            (Some(_) | None, _) => {
                return Err(internal!("{} registers of metadata", metadata.len()));
            }
        };
        // Four products below each other have four right factors beside each other.
        let ((rows, across), (deep, of_b)) = (self.c.size(), self.b.size());
        let products = of_b / across;
        let column = |row: usize, column: usize| row * products / rows * across + column;
        let matrices = Matrices {
            a: &a,
            b: &b,
            c: &c,
            sizes: [held, deep, across],
            paired: of_sparse.as_ref().map(|paired| paired as &dyn Fn(usize, usize) -> usize),
            column: &column,
        };
        self.d.scatter(&self.dot.product(&matrices)?)
    }

    /// Splits registers into A, B, C and the metadata.
    fn split<'g, T>(&self, given: &'g [T]) -> Result<[&'g [T]; 4], InternalError> {
        let [a, b, c, metadata] = self.registers();
        let parts = given.split_at_checked(a).and_then(|(a, rest)| {
            let (b, rest) = rest.split_at_checked(b)?;
            let (c, rest) = rest.split_at_checked(c)?;
            (rest.len() == metadata).then_some([a, b, c, rest])
        });
        parts.ok_or_else(|| internal!("{} registers of a product of matrices", given.len()))
    }

    /// For each result register, the lanes whose value depends on an unknown one. `given` has the
    /// lanes with unknown values for each given register.
    fn unknown(&self, given: &[Mask]) -> Result<Vec<Mask>, InternalError> {
        let [a, b, c, metadata] = self.split(given)?;
        let known = |fragment: &Fragment, lanes: &[Mask]| {
            let marks: Vec<[u64; LANES]> = lanes.iter().map(marks).collect();
            fragment.gather(&marks)
        };
        let (a, b, mut c) = (known(&self.a, a)?, known(&self.b, b)?, known(&self.c, c)?);
        let (rows, across) = self.c.size();
        let held = self.a.size().1;
        let of_b = self.b.size().1;
        let products = of_b / across;
        for (at, c) in c.iter_mut().enumerate() {
            let (row, column) = (at / across, at % across);
            let column = row * products / rows * across + column;
            let in_row = a[row * held..(row + 1) * held].iter().any(|mark| *mark != 0);
            let in_column = b.iter().skip(column).step_by(of_b).any(|mark| *mark != 0);
            let in_metadata = metadata.iter().any(|lanes| *lanes != 0);
            if in_row || in_column || in_metadata {
                *c = u64::MAX;
            }
        }
        let got = self.d.scatter(&c)?;
        let lanes = |held: &[u64; LANES]| {
            lanes_of(Mask::MAX).filter(|l| held[*l] != 0).fold(0, |m, l| m | 1 << l)
        };
        Ok(got.iter().map(lanes).collect())
    }
}

/// All bits in some lanes.
fn marks(lanes: &Mask) -> [u64; LANES] {
    std::array::from_fn(|lane| if lanes >> lane & 1 == 1 { u64::MAX } else { 0 })
}

impl Sparsity {
    /// The column of the element stored as number `k` of a row.
    fn column(&self, metadata: &[u64; LANES], row: usize, k: usize) -> usize {
        let in_chunk = if self.one_of_two { 1 } else { 2 * self.together };
        let (chunk, within) = (k / in_chunk, k % in_chunk);
        // Of eight rows above eight others, four lanes have the metadata of one row of each.
        let (group, below) = (row % 8, row / 8);
        let (lane, bit) = if self.both_rows {
            (chunk / 4, 16 * below + 4 * (chunk % 4))
        } else {
            (2 * (chunk / 8) + below, 4 * (chunk % 8))
        };
        let nibble = metadata[4 * group + (self.first + lane) % 4] >> bit & 15;
        if self.one_of_two {
            // 0b1110 is the second, 0b0100 the first.
            return 2 * chunk + (nibble >> 1 & 1) as usize;
        }
        let index = nibble >> (2 * (within / self.together)) & 3;
        (4 * chunk + index as usize) * self.together + within % self.together
    }
}

impl Multiply {
    /// The register of a slot of A, B, C or the metadata, by its place in the list of given ones.
    pub(super) fn given_register(&self, at: usize) -> Option<Register> {
        let slot = *self.given.get(at)?;
        Some(Register::data(slot, self.what.a.bits == 64))
    }

    /// The registers that it reads.
    pub fn reads(&self) -> impl Iterator<Item = Register> + '_ {
        (0..self.given.len()).filter_map(|at| self.given_register(at))
    }

    /// The registers that it writes.
    pub fn writes(&self) -> impl Iterator<Item = Register> + '_ {
        self.got.iter().map(|slot| Register::data(*slot, self.what.a.bits == 64))
    }

    /// The values that lanes with these registers give.
    pub(in crate::lower) fn give(
        &self,
        registers: &Registers,
        lanes: Mask,
        given: &mut [[u64; LANES]],
    ) {
        let wide = self.what.a.bits == 64;
        for (slot, given) in self.given.iter().zip(given) {
            for lane in lanes_of(lanes) {
                given[lane] = if wide {
                    registers.w64(*slot)[lane]
                } else {
                    registers.w32(*slot)[lane].into()
                };
            }
        }
    }

    /// Writes the results of the lanes.
    pub(in crate::lower) fn finish(
        &self,
        registers: &mut Registers,
        lanes: Mask,
        given: &[[u64; LANES]],
    ) -> Result<(), InternalError> {
        let wide = self.what.a.bits == 64;
        for (slot, values) in self.got.iter().zip(self.what.result(given)?) {
            if wide {
                write_lanes(registers, *slot, lanes, &values);
            } else {
                write_lanes(registers, *slot, lanes, &values.map(|value| value as u32));
            }
        }
        Ok(())
    }

    /// For each register written, the lanes whose value depends on an unknown one. `given` has the
    /// lanes with unknown values for each register read.
    ///
    /// # Errors
    ///
    /// `given` does not match the registers that it reads, which is a bug of warpsim.
    pub fn unknown(&self, given: &[Mask]) -> Result<Vec<Mask>, InternalError> {
        self.what.unknown(given)
    }
}
