//! Many launches without a wait for them. They measure the cost of ordering operations, not the
//! cost of kernels.
//!
//! They run on a device that is watched for races between launches, as in `exec --check`. Each
//! launch adds 1 to a word. In one stream, the cost of a launch must not depend on the number of
//! launches before it. Launches that nothing orders are compared with each other, in a few
//! nanoseconds for each pair.

use warpsim::host::{Argument, Device, DeviceError, Launch, Stream, StreamKind};

use super::input::words;
use super::size::Sizes;
use super::workloads::{Launched, Workload};

/// The kernel `add`.
pub(super) const TEXT: &str = ".version 8.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 p)
{
    .reg .u64 %a;
    .reg .u32 %v;
    ld.param.u64 %a, [p];
    ld.global.u32 %v, [%a];
    add.u32 %v, %v, 1;
    st.global.u32 [%a], %v;
    ret;
}
";

/// Instructions of the kernel.
const KERNEL: u64 = 5;

const SIZES: Sizes =
    Sizes { unit: "launches", usual: 20_000, small: 2000, step: 1, largest: 1 << 16 };

/// All of them, in order.
pub(super) static TASKS: [Workload; 2] = [
    Workload {
        name: "tasks:launches",
        summary: "launches in one stream, without waiting for any of them",
        sizes: SIZES,
        lane_instructions: KERNEL * SIZES.usual,
        work: |launches| launches,
        prepare: in_one_stream,
    },
    Workload {
        name: "tasks:streams",
        summary: "launches in one stream each, without waiting for any of them",
        sizes: SIZES,
        lane_instructions: KERNEL * SIZES.usual,
        work: |launches| launches,
        prepare: in_streams,
    },
];

fn in_one_stream(device: &mut dyn Device, launches: u64) -> Result<Launched, DeviceError> {
    issued(device, launches, 1)
}

fn in_streams(device: &mut dyn Device, launches: u64) -> Result<Launched, DeviceError> {
    issued(device, launches, launches)
}

/// Launches in this many streams, in turn. Each stream has its own word.
fn issued(device: &mut dyn Device, launches: u64, streams: u64) -> Result<Launched, DeviceError> {
    let at = device.allocate(streams * 4)?;
    let own = (0..streams).map(|_| device.stream(StreamKind::NonBlocking));
    let own: Vec<Stream> = own.collect::<Result<_, _>>()?;
    let launch = |number: u64| {
        let word = Argument::Pointer(at.offset(number % streams * 4));
        ("add", Launch::new(1, 1), vec![word])
    };
    let each = launches / streams;
    Ok(Launched {
        launches: (0..launches).map(launch).collect(),
        streams: own,
        result: (at, streams as usize * 4),
        check: Box::new(move |bytes| words(bytes).iter().all(|word| u64::from(*word) == each)),
    })
}
