//! Reads a PTX file (or standard input, for `-`) and prints it again from its syntax tree.
//!
//! `scripts/ptxas-check.sh` uses it to show `ptxas` what the printer writes.

#![allow(clippy::print_stdout, reason = "a command-line program")]

use std::error::Error;
use std::io::Read;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: reprint FILE.ptx")?;
    let mut bytes = Vec::new();
    match path.as_str() {
        "-" => std::io::stdin().read_to_end(&mut bytes)?,
        path => std::fs::File::open(path)?.read_to_end(&mut bytes)?,
    };
    let module = warpsim::ptx::parse_bytes(&path, &bytes)?;
    print!("{}", warpsim::ptx::print(&module));
    Ok(())
}
