//! Copies and kernels at the same time, and the events that order them. Some variants leave out one
//! of these orders.
//!
//! The input lies in page-locked memory. One stream copies it to the device in pieces, through two
//! buffers in turn. Another stream works on the pieces and copies the results back. The work on a
//! piece waits for its arrival, and the next piece but one waits for that work. A stream waits for
//! an event in both cases. The host reads the results after it has waited for both streams.

mod times;

use warpsim::element::ElementType;
use warpsim::host::{Argument, Device, Event, Launch, ModuleHandle, Pointer, Stream, StreamKind};
use warpsim::report::Code;

use crate::ints;
use crate::numbers::Numbers;
use crate::program::{
    ANY, Inputs, Length, Program, Reporting, RunError, Soundness, Told, Variant, completed,
};
use crate::texts::{compiled, cuda};

/// Pieces of the input.
const PIECES: usize = 4;
/// Buffers for the next pieces to work on.
const BUFFERS: usize = 2;
/// Threads of a block.
const BLOCK: usize = 256;

/// The program.
pub static PROGRAM: Program = Program {
    name: "async",
    summary: "numbers go to the device and back in pieces, while others are worked on",
    source: cuda!("async"),
    ptx: compiled!("async"),
    variants: &[
        Variant {
            name: "events",
            kernel: "work",
            soundness: Soundness::Synchronised,
            note: "two streams, an event wherever one needs the other, and the host waits",
        },
        Variant {
            name: "one-stream",
            kernel: "work",
            soundness: Soundness::Synchronised,
            note: "one stream: everything in turn",
        },
        Variant {
            name: "before-arrival",
            kernel: "work",
            soundness: RACES,
            note: "kernels do not wait for their piece",
        },
        Variant {
            name: "overwritten",
            kernel: "work",
            soundness: RACES,
            note: "copies to the device do not wait for the buffer to be free",
        },
        Variant {
            name: "before-done",
            kernel: "work",
            soundness: RACES,
            note: "the host reads the results without waiting",
        },
    ],
    length: Length::AtMost(1 << 26),
    values: ANY,
    inputs: Inputs {
        example: thousands,
        checked: thousands,
        recorded: &["s32[4096]=iota:1", "s32[4096]=rand:71:-100000:100000"],
    },
    tolerance: 0.0,
    told: Told::Report(Reporting {
        sizes: Some((1 << 10, 1 << 26)),
        has_sweep: false,
        report: times::report,
    }),
    driver: drive,
    oracle,
};

/// The finding if an event is missing.
const RACES: Soundness = Soundness::Faulty(&[Code::Race]);

fn thousands() -> Vec<i32> {
    (1..=4096).collect()
}

/// Who waits for whom.
#[derive(Clone, Copy, Debug)]
struct Waits {
    /// A kernel for the copy of its piece.
    arrival: bool,
    /// A copy to the device for the kernel that used the buffer before.
    free: bool,
    /// The host for all of it.
    done: bool,
}

impl Waits {
    const ALL: Waits = Waits { arrival: true, free: true, done: true };

    fn of(variant: &Variant) -> Waits {
        match variant.name {
            "before-arrival" => Waits { arrival: false, ..Waits::ALL },
            "overwritten" => Waits { free: false, ..Waits::ALL },
            "before-done" => Waits { done: false, ..Waits::ALL },
            _ => Waits::ALL,
        }
    }
}

fn drive(
    device: &mut dyn Device,
    module: ModuleHandle,
    variant: &Variant,
    input: &[i32],
) -> Result<Numbers, RunError> {
    if input.is_empty() {
        return Ok(Vec::<i32>::new().into());
    }
    let streams = match variant.name {
        "one-stream" => [device.stream(StreamKind::NonBlocking)?; 2],
        _ => [device.stream(StreamKind::NonBlocking)?, device.stream(StreamKind::NonBlocking)?],
    };
    let ends = [device.event()?, device.event()?];
    Pipeline::new(device, module, streams, input)?.run(device, Waits::of(variant), ends)
}

/// Two streams, the memory of the pieces, and the events of each piece.
struct Pipeline {
    module: ModuleHandle,
    /// Copies to the device.
    coming: Stream,
    /// Kernels, and copies back.
    going: Stream,
    count: usize,
    /// Numbers of a piece, except the last one.
    size: usize,
    /// All numbers, and all results, page-locked.
    source: Pointer,
    results: Pointer,
    buffers: Vec<Pointer>,
    out: Pointer,
    arrived: Vec<Event>,
    worked: Vec<Event>,
}

impl Pipeline {
    fn new(
        device: &mut dyn Device,
        module: ModuleHandle,
        [coming, going]: [Stream; 2],
        input: &[i32],
    ) -> Result<Pipeline, RunError> {
        let (count, size) = (input.len(), input.len().div_ceil(PIECES));
        let mut pipeline = Pipeline {
            module,
            coming,
            going,
            count,
            size,
            source: device.allocate_host(4 * count as u64)?,
            results: device.allocate_host(4 * count as u64)?,
            buffers: Vec::new(),
            out: ints::upload(device, &vec![0; count])?,
            arrived: Vec::new(),
            worked: Vec::new(),
        };
        device.host_write(pipeline.source, &Numbers::from(input.to_vec()).bytes)?;
        device.host_write(pipeline.results, &vec![0; 4 * count])?;
        for _ in 0..BUFFERS {
            pipeline.buffers.push(ints::upload(device, &vec![0; size])?);
        }
        for _ in 0..PIECES {
            pipeline.arrived.push(device.event()?);
            pipeline.worked.push(device.event()?);
        }
        Ok(pipeline)
    }

    /// Issues everything, waits once, and reads the results. `ends` are recorded before the first
    /// operation and behind the last.
    fn run(
        self,
        device: &mut dyn Device,
        waits: Waits,
        [start, end]: [Event; 2],
    ) -> Result<Numbers, RunError> {
        device.record(start, self.coming)?;
        for (number, first) in (0..self.count).step_by(self.size).enumerate() {
            self.work_on(device, waits, number, first)?;
        }
        device.record(end, self.going)?;
        let mut bytes = vec![0; 4 * self.count];
        if !waits.done {
            device.host_read(self.results, &mut bytes)?;
        }
        for ended in device.synchronise()? {
            completed("work", ended.report)?;
        }
        if waits.done {
            device.host_read(self.results, &mut bytes)?;
        }
        for memory in [self.source, self.results, self.out].into_iter().chain(self.buffers) {
            device.free(memory)?;
        }
        Ok(Numbers { ty: ElementType::I32, bytes })
    }

    /// Copies a piece to the device, launches the kernel on it, and copies the results back.
    fn work_on(
        &self,
        device: &mut dyn Device,
        waits: Waits,
        number: usize,
        first: usize,
    ) -> Result<(), RunError> {
        let (buffer, at) = (self.buffers[number % BUFFERS], 4 * first as u64);
        let count = self.size.min(self.count - first);
        let bytes = 4 * count as u64;
        if waits.free && number >= BUFFERS {
            device.wait(self.coming, self.worked[number - BUFFERS])?;
        }
        device.copy_async(self.coming, buffer, self.source.offset(at), bytes)?;
        device.record(self.arrived[number], self.coming)?;

        if waits.arrival {
            device.wait(self.going, self.arrived[number])?;
        }
        let place = self.out.offset(at);
        let arguments =
            [Argument::Pointer(buffer), Argument::Pointer(place), Argument::I32(count as i32)];
        let shape = Launch::new(count.div_ceil(BLOCK) as u32, BLOCK as u32);
        device.launch_on(self.going, self.module, "work", &shape, &arguments)?;
        device.record(self.worked[number], self.going)?;
        device.copy_async(self.going, self.results.offset(at), place, bytes)?;
        Ok(())
    }
}

/// One number after the other.
fn oracle(_: &Variant, input: &[i32]) -> Numbers {
    let work = |number: &i32| {
        let rounds = (0..16).fold(*number as u32, |mut x, _| {
            x ^= x << 13;
            x ^= x >> 17;
            x ^ x << 5
        });
        rounds as i32
    };
    input.iter().map(work).collect::<Vec<i32>>().into()
}
