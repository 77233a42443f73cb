//! Copies in one stream, kernels in another, and the events that order them; and the same with one of
//! the events left out.
//!
//! The input goes to the device in pieces, through two buffers in turn. A piece may be worked on when it
//! is there, fetched when it is worked on, and overwritten by the next but one when it is worked on.
//! Each of these is an event that somebody waits for. On a GPU the copies go through page-locked memory
//! and overlap with the kernels.

mod times;

use warpsim::host::{
    Argument, Device, Download, Event, Launch, ModuleHandle, Pointer, Stream, StreamKind,
};
use warpsim::report::Code;

use crate::ints;
use crate::numbers::Numbers;
use crate::program::{
    ANY, Form, Inputs, Length, Program, Reporting, RunError, Soundness, Text, Told, Variant,
    completed,
};

/// Pieces of the input.
const PIECES: usize = 4;
/// Buffers for pieces that are to be worked on.
const BUFFERS: usize = 2;
/// Threads of a block.
const BLOCK: usize = 256;

/// The program.
pub static PROGRAM: Program = Program {
    name: "async",
    summary: "numbers go to the device and back in pieces, while others are worked on",
    source: Text { file: "async.cu", text: include_str!("async.cu") },
    ptx: &[
        (Form::Naive, Text { file: "async.ptx", text: include_str!("async.ptx") }),
        (Form::Optimised, Text { file: "async.o3.ptx", text: include_str!("async.o3.ptx") }),
    ],
    variants: &[
        Variant {
            name: "events",
            kernel: "work",
            soundness: Soundness::Synchronised,
            note: "two streams, and an event wherever one needs the other",
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
            name: "before-result",
            kernel: "work",
            soundness: RACES,
            note: "copies back do not wait for the kernels",
        },
        Variant {
            name: "overwritten",
            kernel: "work",
            soundness: RACES,
            note: "copies to the device do not wait for the buffer to be free",
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

/// What is found where an event is missing.
const RACES: Soundness = Soundness::Faulty(&[Code::Race]);

fn thousands() -> Vec<i32> {
    (1..=4096).collect()
}

/// Who waits for whom.
#[derive(Clone, Copy, Debug)]
struct Waits {
    /// A kernel for the copy of its piece.
    arrival: bool,
    /// A copy back for the kernel.
    result: bool,
    /// A copy to the device for the kernel that used the buffer before.
    free: bool,
}

impl Waits {
    fn of(variant: &Variant) -> Waits {
        let all = Waits { arrival: true, result: true, free: true };
        match variant.name {
            "before-arrival" => Waits { arrival: false, ..all },
            "before-result" => Waits { result: false, ..all },
            "overwritten" => Waits { free: false, ..all },
            _ => all,
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
    let mut pipeline = Pipeline::new(device, module, streams, input.len())?;
    pipeline.run(device, Waits::of(variant), input, ends)
}

/// Two streams, the memory of the pieces, and the events of each piece.
struct Pipeline {
    module: ModuleHandle,
    copies: Stream,
    kernels: Stream,
    /// Numbers of a piece, but for the last one.
    size: usize,
    buffers: Vec<Pointer>,
    out: Pointer,
    arrived: Vec<Event>,
    worked: Vec<Event>,
}

impl Pipeline {
    fn new(
        device: &mut dyn Device,
        module: ModuleHandle,
        [copies, kernels]: [Stream; 2],
        count: usize,
    ) -> Result<Pipeline, RunError> {
        let size = count.div_ceil(PIECES);
        let mut pipeline = Pipeline {
            module,
            copies,
            kernels,
            size,
            buffers: Vec::new(),
            out: ints::upload(device, &vec![0; count])?,
            arrived: Vec::new(),
            worked: Vec::new(),
        };
        for _ in 0..BUFFERS {
            pipeline.buffers.push(ints::upload(device, &vec![0; size])?);
        }
        for _ in 0..PIECES {
            pipeline.arrived.push(device.event()?);
            pipeline.worked.push(device.event()?);
        }
        Ok(pipeline)
    }

    /// Issues everything, waits once, and fetches the results. `ends` are recorded before the first
    /// operation and behind the last.
    fn run(
        &mut self,
        device: &mut dyn Device,
        waits: Waits,
        input: &[i32],
        [start, end]: [Event; 2],
    ) -> Result<Numbers, RunError> {
        device.record(start, self.copies)?;
        let pieces: Vec<&[i32]> = input.chunks(self.size).collect();
        for (number, piece) in pieces.iter().enumerate() {
            self.work_on(device, waits, number, piece)?;
        }
        let mut downloads: Vec<Download> = Vec::new();
        for (number, piece) in pieces.iter().enumerate() {
            if waits.result {
                device.wait(self.copies, self.worked[number])?;
            }
            downloads.push(device.download_async(
                self.copies,
                self.place(number),
                4 * piece.len(),
            )?);
        }
        device.record(end, self.copies)?;
        for ended in device.synchronise()? {
            completed("work", ended.report)?;
        }
        let mut bytes = Vec::new();
        for download in downloads {
            bytes.extend(device.fetch(download)?);
        }
        for memory in self.buffers.drain(..).chain([self.out]) {
            device.free(memory)?;
        }
        Ok(Numbers { ty: warpsim::element::ElementType::I32, bytes })
    }

    /// Copies a piece to the device and launches the kernel on it.
    fn work_on(
        &self,
        device: &mut dyn Device,
        waits: Waits,
        number: usize,
        piece: &[i32],
    ) -> Result<(), RunError> {
        let buffer = self.buffers[number % BUFFERS];
        if waits.free && number >= BUFFERS {
            device.wait(self.copies, self.worked[number - BUFFERS])?;
        }
        let bytes: Vec<u8> = piece.iter().flat_map(|int| int.to_le_bytes()).collect();
        device.upload_async(self.copies, buffer, &bytes)?;
        device.record(self.arrived[number], self.copies)?;
        if waits.arrival {
            device.wait(self.kernels, self.arrived[number])?;
        }
        let arguments = [
            Argument::Pointer(buffer),
            Argument::Pointer(self.place(number)),
            Argument::I32(piece.len() as i32),
        ];
        let shape = Launch::new(piece.len().div_ceil(BLOCK) as u32, BLOCK as u32);
        device.launch_on(self.kernels, self.module, "work", &shape, &arguments)?;
        device.record(self.worked[number], self.kernels)?;
        Ok(())
    }

    /// Where the results of a piece are.
    fn place(&self, number: usize) -> Pointer {
        self.out.offset(4 * (number * self.size) as u64)
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
