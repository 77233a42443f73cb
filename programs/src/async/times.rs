//! The times of the sound variants, by events, and the order of streams under which the others go
//! wrong.

use std::time::Duration;

use warpsim::host::{Device, Simulator, StreamKind, StreamOrder};

use super::{PROGRAM, Pipeline, Waits, oracle, thousands};
use crate::columns::columns;
use crate::program::{Asked, Form, RunError};

/// The time of one stream and of two on a device; then every variant under both orders of the
/// simulator.
pub(super) fn report(device: &mut dyn Device, asked: &Asked) -> Result<String, RunError> {
    let count = asked.n.unwrap_or(4096);
    let one = time(device, count as usize, 1)?;
    let two = time(device, count as usize, 2)?;
    let times = format!(
        "{count} numbers on {}, by events: {one:?} in one stream, {two:?} in two\n",
        device.name()
    );
    Ok(format!(
        "{times}\nThe simulator's two orders of what streams leave open:\n\n{}",
        columns(&orders()?)
    ))
}

/// The time from the first copy to the last.
fn time(device: &mut dyn Device, count: usize, streams: usize) -> Result<Duration, RunError> {
    let input: Vec<i32> = (0..count as i32).collect();
    let module = device.load(&PROGRAM.module(Form::Optimised)?)?;
    let first = device.stream(StreamKind::NonBlocking)?;
    let second = if streams == 1 { first } else { device.stream(StreamKind::NonBlocking)? };
    let ends = [device.event()?, device.event()?];
    Pipeline::new(device, module, [first, second], &input)?.run(device, Waits::ALL, ends)?;
    Ok(device.elapsed(ends[0], ends[1])?)
}

/// Which variants are right under which order.
fn orders() -> Result<Vec<Vec<String>>, RunError> {
    let input = thousands();
    let module = PROGRAM.module(Form::Optimised)?;
    let mut table = vec![["variant", "as issued", "reversed"].map(str::to_owned).to_vec()];
    for variant in PROGRAM.variants {
        let mut row = vec![variant.name.to_owned()];
        for order in [StreamOrder::AsIssued, StreamOrder::Reversed] {
            let mut simulator = Simulator::default();
            simulator.settings_mut().stream_order = order;
            let result = PROGRAM.run(&mut simulator, &module, variant, &input)?;
            let is_right = result == oracle(variant, &input);
            row.push(if is_right { "right" } else { "WRONG" }.to_owned());
        }
        table.push(row);
    }
    Ok(table)
}
