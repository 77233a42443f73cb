//! A table of the values that five threads find and leave.

use warpsim::host::{Device, Launch};

use super::{PROGRAM, common, rows};
use crate::columns::columns;
use crate::program::{Asked, Form, RunError};

/// The numbers of five threads.
const NUMBERS: [i32; 5] = [1, 2, 3, 4, 5];

/// Five threads of one block, with the numbers 1 to 5.
pub(super) fn report(device: &mut dyn Device, _: &Asked) -> Result<String, RunError> {
    let module = device.load(&PROGRAM.module(Form::Optimised)?)?;
    let launch = Launch::new(1, NUMBERS.len() as u32);
    let all = common(device, module, PROGRAM.variants[0].kernel, &launch, &NUMBERS)?;
    let mut table = vec![
        ["function", "type", "at first", "threads 0 to 4 find", "left"].map(str::to_owned).to_vec(),
    ];
    for (row, common) in rows::rows().into_iter().zip(&all) {
        let text = |bits: u64| row.text(bits);
        let found: Vec<String> = common.found.iter().map(|bits| text(*bits)).collect();
        let (name, ty) = (row.function.name().to_owned(), row.type_name());
        table.push(vec![name, ty, text(row.before()), found.join(" "), text(common.left)]);
    }
    let numbers = "Five threads with the numbers 1 to 5 (of 64 bits: in both halves):\n\n";
    Ok(format!("{numbers}{}", columns(&table)))
}
