//! Many programs as one module, so that loading it costs little for each.

use super::forms::Forms;
use super::program::{Family, Program, Written};

/// The text before all kernels.
pub const HEAD: &str = "\
.version 8.8
.target sm_90
.address_size 64
.extern .shared .align 16 .b8 dynamic_cells[];
";

/// Programs, written as kernels `p0`, `p1`, ... of one module.
#[derive(Clone, Debug)]
pub struct Batch {
    /// The programs.
    pub programs: Vec<Program>,
    /// The same as PTX.
    pub written: Vec<Written>,
}

impl Batch {
    /// The programs of a family from this number on.
    pub fn drawn(family: Family, forms: &Forms, seed: u64, first: u64, count: u64) -> Batch {
        Batch::of((first..first + count).map(|index| family.program(forms, seed, index)).collect())
    }

    /// These programs.
    pub fn of(programs: Vec<Program>) -> Batch {
        let written = programs.iter().enumerate().map(|(i, p)| p.write(&format!("p{i}"))).collect();
        Batch { programs, written }
    }

    /// The module's text.
    pub fn text(&self) -> String {
        self.written.iter().fold(HEAD.to_owned(), |text, written| text + &written.text)
    }

    /// 64-bit words that all programs leave.
    pub fn words(&self) -> usize {
        self.written.iter().map(Written::words).sum()
    }

    /// Both halves, where there are several programs.
    pub fn halves(&self) -> Option<[Batch; 2]> {
        let middle = self.programs.len() / 2;
        let (left, right) = self.programs.split_at(middle);
        (middle > 0).then(|| [Batch::of(left.to_vec()), Batch::of(right.to_vec())])
    }
}
