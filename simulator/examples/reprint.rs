//! Reads a PTX file (or standard input, for `-`) and prints it again from its syntax tree; with
//! `--lowest`, for the lowest version and target that it needs.
//!
//! `scripts/ptxas-check.sh` and `scripts/check-needs.sh` use it to show `ptxas` what the printer
//! writes.

#![allow(clippy::print_stdout, reason = "a command-line program")]

use std::error::Error;
use std::io::Read;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let is_lowest = words.first().is_some_and(|word| word == "--lowest");
    words.drain(..usize::from(is_lowest));
    let path = words.pop().ok_or("usage: reprint [--lowest] FILE.ptx")?;
    let mut bytes = Vec::new();
    match path.as_str() {
        "-" => std::io::stdin().read_to_end(&mut bytes)?,
        path => std::fs::File::open(path)?.read_to_end(&mut bytes)?,
    };
    let mut module = warpsim::ptx::parse_bytes(&path, &bytes)?;
    if is_lowest {
        module = warpsim::isa::lowest(&module);
    }
    print!("{}", warpsim::ptx::print(&module));
    Ok(())
}
