//! What is found out about a program before it runs must not take the square of its length.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use super::{kernel, run};
use warpsim::host::Model;
use warpsim::ptx::Module;

/// Conditions one after the other, with barriers between them.
fn conditions(count: u32) -> Module {
    let mut body = String::from("setp.eq.u32 %p1, %t, 7;\n");
    for i in 0..count {
        let barrier = if i % 8 == 0 { "bar.sync 0;" } else { "" };
        let _ = writeln!(body, "@%p1 bra L{i}; add.u32 %r1, %r1, {i}; L{i}: {barrier}");
    }
    kernel("", &body)
}

/// Jumps from anywhere to anywhere, with barriers between them.
fn scattered(count: u32) -> Module {
    let mut body = String::from("setp.eq.u32 %p1, %t, 7;\n");
    for i in 0..count {
        let barrier = if i % 8 == 0 { "bar.sync 0;" } else { "" };
        let to = i.wrapping_mul(2_654_435_761) % count;
        let _ = writeln!(body, "L{i}: {barrier} add.u32 %r1, %r1, {i}; @%p1 bra L{to};");
    }
    kernel("", &body)
}

/// Early returns, one after the other, and a barrier behind each.
fn early_returns(count: u32) -> Module {
    let mut body = String::from("setp.eq.u32 %p1, %t, 7;\n");
    for i in 0..count {
        let _ = writeln!(body, "@%p1 bra E{i}; bar.sync 0; bra L{i}; E{i}: ret; L{i}:");
    }
    kernel("", &body)
}

fn fastest(module: &Module) -> Duration {
    let once = |_| {
        let start = Instant::now();
        run(module, "k", 1, Model::Independent, "in-order");
        start.elapsed()
    };
    (0..3).map(once).min().unwrap()
}

#[test]
fn looking_at_four_times_as_long_a_program_does_not_take_sixteen_times_as_long() {
    for (what, program, count) in [
        ("conditions", conditions as fn(u32) -> Module, 5_000),
        ("scattered", scattered, 5_000),
        ("early returns", early_returns, 2_500),
    ] {
        let (short, long) = (program(count), program(4 * count));
        // Others may be using the machine: what is linear is seen to be so once.
        let ratio = |_| fastest(&long).as_secs_f64() / fastest(&short).as_secs_f64();
        let ratios: Vec<f64> = (0..3).map(ratio).collect();
        assert!(ratios.iter().any(|ratio| *ratio < 9.0), "{what}: {ratios:?}");
    }
}
