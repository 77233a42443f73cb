//! How fast the machine performs single operations, in lanes a second: lane loops, loads, barriers,
//! the start of blocks.
//!
//! Each is a kernel with one frame, a loop of [`ROUNDS`] rounds in 8 blocks of 256 threads. A round
//! performs the operation 8 times, and the loop's own three instructions once. It is launched as a
//! user launches it, so the figure includes the way to and from an operation.

use std::error::Error;
use std::hint::black_box;

use criterion::{Criterion, Throughput};
use warpsim_host::{Argument, Device, Launch, Simulator};
use warpsim_language::ptx;

/// Rounds of each kernel.
const ROUNDS: u32 = 32;
/// Times that a round does the thing.
const TIMES: usize = 8;
const BLOCKS: u32 = 8;
const BLOCK: u32 = 256;
/// Words of the buffer; a power of two.
const WORDS: u32 = 1 << 20;

/// The pieces that are measured: the name, and a round's instructions. `%x` and `%f` hold something
/// in each lane, `%at` is the address of the lane's word in the buffer.
const PIECES: [(&str, &str); 8] = [
    ("add.u32", "add.u32 %x, %x, %t;"),
    ("fma.rn.f32", "fma.rn.f32 %f, %f, 0f3F000000, %f;"),
    ("div.rn.f32", "div.rn.f32 %f, %f, 0f3F8147AE;"),
    ("ex2.approx.f32", "ex2.approx.f32 %g, %f;"),
    ("load/coalesced", "ld.global.u32 %x, [%at];"),
    ("load/strided", "ld.global.u32 %x, [%strided];"),
    ("load/gathered", "ld.global.u32 %x, [%gathered];"),
    ("barrier", "bar.sync 0;"),
];

/// A module with the kernel `piece`, and `empty`, which only exits.
fn module(thing: &str) -> String {
    let round = format!("{thing} ").repeat(TIMES);
    format!(
        ".version 7.0 .target sm_70 .address_size 64
        .visible .entry empty(.param .u64 buffer) {{ exit; }}
        .visible .entry piece(.param .u64 buffer) {{
          .reg .u32 %t, %n, %x, %r; .reg .u64 %at, %strided, %gathered, %d; .reg .f32 %f, %g; .reg .pred %p;
          ld.param.u64 %at, [buffer];
          mov.u32 %t, %tid.x; mov.u32 %x, %ctaid.x; mad.lo.u32 %t, %x, {BLOCK}, %t;
          mul.wide.u32 %d, %t, 256; add.u64 %strided, %at, %d;
          mul.lo.u32 %x, %t, 2654435761; shr.u32 %x, %x, 12;
          mul.wide.u32 %d, %x, 4; add.u64 %gathered, %at, %d;
          mul.wide.u32 %d, %t, 4; add.u64 %at, %at, %d;
          cvt.rn.f32.u32 %f, %t; mov.u32 %n, 0;
        L:
          {round}
          add.u32 %n, %n, 1; setp.lt.u32 %p, %n, {ROUNDS}; @%p bra L;
          st.global.u32 [%at], %x; exit;
        }}"
    )
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("launches");
    let threads = u64::from(BLOCKS * BLOCK);
    for (name, thing) in PIECES {
        group.throughput(Throughput::Elements(threads * u64::from(ROUNDS) * TIMES as u64));
        let mut launch = prepared(thing, "piece")?;
        launch()?;
        group.bench_function(name, |bencher| bencher.iter(|| black_box(launch().is_ok())));
    }
    group.throughput(Throughput::Elements(threads));
    let mut launch = prepared("", "empty")?;
    launch()?;
    group.bench_function("block start", |bencher| bencher.iter(|| black_box(launch().is_ok())));
    group.finish();
    criterion.final_summary();
    Ok(())
}

type Launched = Result<(), Box<dyn Error>>;

/// A launch of a kernel, ready to be made again and again.
fn prepared(thing: &str, kernel: &'static str) -> Result<impl FnMut() -> Launched, Box<dyn Error>> {
    let mut device = Simulator::default();
    let handle = device.load(&ptx::parse("piece.ptx", &module(thing))?)?;
    let buffer = device.allocate(u64::from(WORDS) * 4)?;
    Ok(move || {
        let arguments = [Argument::Pointer(buffer)];
        let report = device.launch(handle, kernel, &Launch::new(BLOCKS, BLOCK), &arguments)?;
        match report.outcome {
            warpsim_engine::report::Outcome::Completed => Ok(()),
            other => Err(other.name().into()),
        }
    })
}
