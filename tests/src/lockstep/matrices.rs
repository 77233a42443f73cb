//! Matrices of the naive interpreter (PTX ISA 9.7.14): where elements of `ldmatrix`, `stmatrix` and
//! `movmatrix` are; `wmma` by matrices as a whole; products by [`crate::tiles::reference`].

use warpsim::ptx::{Instruction, Operand, OperandKind};

use super::{Machine, has, name};
use crate::tiles::{Form, bits, reference};

/// A matrix, row by row.
pub(super) type Matrix = Vec<u64>;

const TYPES: &[&str] =
    &["f16", "f32", "f64", "bf16", "tf32", "s32", "s8", "u8", "s4", "u4", "b1", "e4m3", "e5m2"];

/// The form that an instruction's name spells.
fn form(text: &str) -> Form {
    let parts: Vec<&str> = text.split('.').collect();
    let shape = parts.iter().find(|m| m.starts_with('m') && m.len() > 4 && m.contains('k'));
    let numbers: Vec<usize> = shape
        .expect("a shape")
        .split(['m', 'n', 'k'])
        .skip(1)
        .map(|n| n.parse().expect("a number"))
        .collect();
    let of = |name: &str| TYPES.iter().copied().find(|ty| *ty == name);
    let named: Vec<&'static str> = parts.iter().filter_map(|part| of(part)).collect();
    let types = match named.as_slice() {
        [d, a, b, c] => [*a, *b, *c, *d],
        [d, c] => ["f16", "f16", *c, *d],
        [one] => [*one; 4],
        other => panic!("{other:?}"),
    };
    let [m, n, k] = numbers[..] else { panic!("{text}") };
    let (sparse, wmma) = (text.starts_with("mma.sp"), text.starts_with("wmma"));
    Form { text: text.to_owned(), m, n, k, types, sparse, wmma, seed: 0 }
}

impl Machine {
    /// What all lanes of a warp do together.
    pub(super) fn warp(&mut self, instruction: &Instruction, warp: usize) {
        let operands = &instruction.operands;
        let lanes = warp * 32..warp * 32 + 32;
        match &*instruction.opcode.text {
            "vote" => {
                let given = lanes.clone().map(|lane| self.value(lane, &operands[1]));
                let mask = given.enumerate().fold(0u128, |mask, (i, p)| mask | (p & 1) << i);
                lanes.for_each(|lane| self.set(lane, &operands[0], mask));
            }
            // Any lane may be elected.
            "elect" => {
                let OperandKind::Pair(who, chosen) = &operands[0].kind else { panic!() };
                for lane in lanes {
                    self.set(lane, who, 7);
                    self.set(lane, chosen, (lane % 32 == 7).into());
                }
            }
            "activemask" => lanes.for_each(|lane| self.set(lane, &operands[0], 0xffff_ffff)),
            "ldmatrix" => self.ldmatrix(instruction, warp),
            "stmatrix" => self.stmatrix(instruction, warp),
            "movmatrix" => {
                let given: Vec<u32> =
                    lanes.clone().map(|lane| self.value(lane, &operands[1]) as u32).collect();
                let at = |row: usize, column: usize| {
                    given[row * 4 + column / 2] >> (16 * (column % 2)) & 0xffff
                };
                for lane in 0..32 {
                    let (row, column) = (lane / 4, lane % 4 * 2);
                    let word = at(column, row) | at(column + 1, row) << 16;
                    self.set(warp * 32 + lane, &operands[0], word.into());
                }
            }
            "mma" => self.mma(instruction, warp),
            _ => self.wmma(instruction, warp),
        }
    }

    fn ldmatrix(&mut self, instruction: &Instruction, warp: usize) {
        let [to, from] = &instruction.operands[..] else { panic!() };
        for (i, to) in Self::elements(to).iter().enumerate() {
            let mut rows = Vec::new();
            for row in 0..8 {
                let lane = warp * 32 + 8 * i + row;
                let at = self.address(lane, from);
                rows.push(self.read(lane, at, 16));
            }
            let at = |row: usize, column: usize| rows[row] >> (16 * column) & 0xffff;
            for lane in 0..32 {
                let (row, column) = (lane / 4, lane % 4 * 2);
                let word = match has(instruction, "trans") {
                    true => at(column, row) | at(column + 1, row) << 16,
                    false => at(row, column) | at(row, column + 1) << 16,
                };
                self.set(warp * 32 + lane, to, word);
            }
        }
    }

    fn stmatrix(&mut self, instruction: &Instruction, warp: usize) {
        let [to, from] = &instruction.operands[..] else { panic!() };
        for (i, from) in Self::elements(from).iter().enumerate() {
            for lane in 0..32 {
                let word = self.value(warp * 32 + lane, from);
                for half in 0..2 {
                    let (mut row, mut column) = (lane / 4, lane % 4 * 2 + half);
                    if has(instruction, "trans") {
                        (row, column) = (column, row);
                    }
                    let owner = warp * 32 + 8 * i + row;
                    let at = self.address(owner, to) + 2 * column as u64;
                    self.write(owner, at, 2, word >> (16 * half) & 0xffff);
                }
            }
        }
    }

    /// Fragments as the words that [`reference::product`] takes.
    fn mma(&mut self, instruction: &Instruction, warp: usize) {
        let form = form(&name(instruction));
        let operands = &instruction.operands;
        let mut words = Vec::new();
        for (operand, ty) in operands[1..4].iter().zip(form.types) {
            for element in Self::elements(operand) {
                let lanes: Vec<u128> =
                    (0..32).map(|lane| self.value(warp * 32 + lane, element)).collect();
                words.extend(lanes.iter().map(|value| *value as u32));
                if ty == "f64" {
                    words.extend(lanes.iter().map(|value| (*value >> 32) as u32));
                }
            }
        }
        if form.sparse {
            words.extend((0..32).map(|lane| self.value(warp * 32 + lane, &operands[4]) as u32));
        }
        let product = reference::product(&form, &words);
        for (i, to) in Self::elements(&operands[0]).iter().enumerate() {
            for lane in 0..32 {
                let value = match form.types[3] {
                    "f64" => {
                        let [low, high] = [0, 32].map(|half| product[64 * i + half + lane]);
                        u128::from(high) << 32 | u128::from(low)
                    }
                    _ => product[32 * i + lane].into(),
                };
                self.set(warp * 32 + lane, to, value);
            }
        }
    }

    fn wmma(&mut self, instruction: &Instruction, warp: usize) {
        let name = name(instruction);
        let form = form(&name);
        let operands = &instruction.operands;
        let first = |operand: &Operand| match &Self::elements(operand)[0].kind {
            OperandKind::Name(name) => (warp, name.to_string()),
            other => panic!("{other:?}"),
        };
        let kind = &*instruction.modifiers[0].text;
        if kind == "mma" {
            let [a, b, c] = [1, 2, 3].map(|i| self.matrices[&first(&operands[i])].clone());
            let d = product(&form, &a, &b, &c);
            self.matrices.insert(first(&operands[0]), d);
            return;
        }
        let which = &*instruction.modifiers[1].text;
        let [rows, columns] = match which {
            "a" => [form.m, form.k],
            "b" => [form.k, form.n],
            _ => [form.m, form.n],
        };
        let (memory, registers) = match kind {
            "load" => (&operands[1], &operands[0]),
            _ => (&operands[0], &operands[1]),
        };
        let start = self.address(warp * 32, memory);
        let stride = self.value(warp * 32, &operands[2]) as usize;
        let width = bits(form.types[0]);
        let row_major = has(instruction, "row");
        let mut matrix = Vec::new();
        for row in 0..rows {
            for column in 0..columns {
                let element = if row_major { row * stride + column } else { column * stride + row };
                let bit = element * width;
                let at = start + (bit / 8) as u64;
                if kind == "load" {
                    let value = self.read(warp * 32, at, width.div_ceil(8)) >> (bit % 8);
                    matrix.push(value as u64 & (u64::MAX >> (64 - width)));
                } else {
                    let value = self.matrices[&first(registers)][row * columns + column];
                    self.write(warp * 32, at, width / 8, value.into());
                }
            }
        }
        if kind == "load" {
            self.matrices.insert(first(registers), matrix);
        }
    }
}

/// The product of whole matrices: A and C row by row, B column by column.
fn product(form: &Form, a: &Matrix, b: &Matrix, c: &Matrix) -> Matrix {
    let Form { n, k, types, .. } = form;
    let columns: Matrix = (0..*n)
        .flat_map(|column| (0..*k).map(move |row| row * n + column))
        .map(|at| b[at])
        .collect();
    let mut words = Vec::new();
    for (matrix, ty) in [a, &columns, c].into_iter().zip(types) {
        let width = bits(ty);
        match width {
            64 => words.extend(matrix.iter().flat_map(|x| [*x as u32, (*x >> 32) as u32])),
            _ => words.extend(matrix.chunks(32 / width).map(|chunk| {
                let word = |(i, x): (usize, &u64)| (*x as u32) << (i * width);
                chunk.iter().enumerate().map(word).fold(0, |all, x| all | x)
            })),
        }
    }
    let product = reference::product(form, &words);
    let width = bits(types[3]);
    (0..form.m * n)
        .map(|i| match width {
            64 => u64::from(product[2 * i]) | u64::from(product[2 * i + 1]) << 32,
            width => {
                let bit = i * width;
                u64::from(product[bit / 32] >> (bit % 32)) & (u64::MAX >> (64 - width))
            }
        })
        .collect()
}
