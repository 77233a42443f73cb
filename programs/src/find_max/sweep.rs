//! The time that one block takes for the largest of n numbers, by its number of threads: a table
//! and a plot.
//!
//! Two events around the launch give the time, so the copies do not count. A GPU reports the time
//! it took. The simulator has no clock, and says so: it counts a nanosecond for each instruction of
//! a warp, as if one warp could run at a time.

use std::time::Duration;

use warpsim::element::ElementType;
use warpsim::host::{Device, Launch, ModuleHandle, Stream};
use warpsim::report::Counts;

use super::random::{Filled, fill};
use super::{KERNEL, PROGRAM, arguments};
use crate::columns::columns;
use crate::program::{Asked, Form, RunError, completed};
use crate::{arrays, ints};

/// The size that is taken when none is asked for.
const SIZE: u64 = 1 << 16;
/// The threads of the block without a sweep.
const FULL: u32 = 1024;
/// Characters of the longest bar.
const BAR: f64 = 50.0;

/// A launch of the sweep.
struct Row {
    threads: u32,
    found: u32,
    took: Duration,
    counts: Counts,
}

/// What the program finds out about itself.
pub(super) fn report(device: &mut dyn Device, asked: &Asked) -> Result<String, RunError> {
    let n = asked.n.unwrap_or(SIZE);
    let module = device.load(&PROGRAM.module(Form::Optimised)?)?;
    let filled = fill(device, n)?;
    let threads = if asked.sweep { (1..=10).map(|log| 1 << log).collect() } else { vec![FULL] };
    let rows: Vec<Row> = threads
        .into_iter()
        .map(|threads| measure(device, module, &filled, n, threads))
        .collect::<Result<_, RunError>>()?;
    device.free(filled.numbers)?;
    if rows.iter().any(|row| row.found != filled.largest) {
        return Err(RunError::NothingToTell("the largest number that the host found"));
    }
    Ok(worded(&device.name(), n, &filled, &rows))
}

/// One launch between two events.
fn measure(
    device: &mut dyn Device,
    module: ModuleHandle,
    filled: &Filled,
    n: u64,
    threads: u32,
) -> Result<Row, RunError> {
    let max = ints::zeros(device, 1)?;
    let (start, end) = (device.event()?, device.event()?);
    let launch = Launch::new(1, threads);
    device.record(start, Stream::DEFAULT)?;
    let arguments = arguments(filled.numbers, n, max);
    device.launch_on(Stream::DEFAULT, module, KERNEL, &launch, &arguments)?;
    device.record(end, Stream::DEFAULT)?;
    let mut counts = Counts::default();
    for ended in device.synchronise()? {
        counts = ended.report.counts;
        completed(KERNEL, ended.report)?;
    }
    let took = device.elapsed(start, end)?;
    let bytes = arrays::download(device, max, ElementType::U32, 1)?.bits().next();
    device.free(max)?;
    // One number was read, so there is one.
    Ok(Row { threads, found: bytes.unwrap_or(0) as u32, took, counts })
}

fn worded(device: &str, n: u64, filled: &Filled, rows: &[Row]) -> String {
    let power =
        if n.is_power_of_two() { format!("2^{} = ", n.trailing_zeros()) } else { String::new() };
    let mut text = format!(
        "The largest of {power}{n} random numbers ({} bytes, and 4 for the result) is {}.\n",
        4 * n,
        filled.largest
    );
    text += &format!("one after the other on the host: {}\n", milliseconds(filled.serial));
    text += &format!("by one block of {device}:\n\n");
    let longest = rows.iter().map(|row| row.took).max().unwrap_or_default();
    let bar = |row: &Row| {
        let share = row.took.as_secs_f64() / longest.as_secs_f64().max(f64::MIN_POSITIVE);
        "#".repeat((share * BAR).round().max(1.0) as usize)
    };
    let is_counted = rows.iter().any(|row| row.counts.warp_instructions > 0);
    let mut table = vec![vec!["threads".to_owned(), "numbers a thread".to_owned()]];
    if is_counted {
        table[0].push("instructions a warp".to_owned());
    }
    table[0].push("time".to_owned());
    for row in rows {
        let mut cells =
            vec![row.threads.to_string(), n.div_ceil(u64::from(row.threads)).to_string()];
        if is_counted {
            let warps = u64::from(row.threads.div_ceil(32));
            cells.push((row.counts.warp_instructions / warps).to_string());
        }
        cells.push(milliseconds(row.took));
        if rows.len() > 1 {
            cells.push(bar(row));
        }
        table.push(cells);
    }
    text + &columns(&table)
}

/// A time in milliseconds, with three digits that count.
fn milliseconds(time: Duration) -> String {
    let value = time.as_secs_f64() * 1e3;
    let digits = (2 - value.max(1e-6).log10().floor() as i32).max(0) as usize;
    format!("{value:.digits$} ms")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits_that_count() {
        let of = |nanoseconds| milliseconds(Duration::from_nanos(nanoseconds));
        assert_eq!(of(1_234_567), "1.23 ms");
        assert_eq!(of(4_995_000_000), "4995 ms");
        assert_eq!(of(12_345), "0.0123 ms");
    }
}
