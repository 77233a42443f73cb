//! A property: the kernel is right, and has no race, for every shape and every number that is
//! drawn. In your tests, `main` is a `#[test]`.
//!
//!     cargo run -p warpsim --example property_test

#![allow(clippy::print_stdout, reason = "a command-line program")]

use warpsim::property::{Failure, Kernel, buffer, expect, launch};

const TEXT: &str = include_str!("neighbour.ptx");

fn neighbour(kernel: &str) -> Kernel {
    Kernel::from_ptx(TEXT, kernel)
        .launch(launch().blocks(1..=3).threads(1..=128))
        .argument(buffer::<u32>().one_per_thread().any())
}

pub(crate) fn main() -> Result<(), Failure> {
    let evidence = neighbour("neighbour").matches(|case| {
        let numbers = case.buffer::<u32>(0)?;
        let threads = case.launch.block[0] as usize;
        let rotated = numbers.chunks(threads).flat_map(|block| {
            block.iter().cycle().skip(1).take(threads).copied().collect::<Vec<_>>()
        });
        Ok(expect().buffer(0, rotated))
    })?;
    println!("{evidence}");
    println!("{}", neighbour("neighbour").race_free()?);

    // The smallest case in which the other one has a race.
    let Err(failure) = neighbour("neighbour_racy").race_free() else {
        unreachable!("it has one");
    };
    println!("{failure}");
    Ok(())
}
