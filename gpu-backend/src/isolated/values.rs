//! The simulator's values on the wire: handles, launches, reports, refusals.

use warpsim::host::{
    Argument, DeviceError, Ended, Event, Launch, LaunchHandle, ModuleHandle, Pointer, Stream,
    StreamKind,
};
use warpsim::ptx::{SourcePosition, Space, Type};
use warpsim::report::{Checked, Code, Counts, Finding, Hazard, Outcome, Report, Severity, Site};

use super::wire::{Malformed, Unread, Wire, wire_enum, wire_struct};
use crate::error::{GpuError, Lacking};
use crate::probe::GpuFacts;

/// A handle goes as its number.
macro_rules! handles {
    ($($handle:ty),*) => {$(
        impl Wire for $handle {
            fn put(&self, to: &mut Vec<u8>) {
                self.number().put(to);
            }

            fn take(from: &mut Unread<'_>) -> Result<Self, Malformed> {
                Wire::take(from).map(<$handle>::new)
            }
        }
    )*};
}

handles!(ModuleHandle, Stream, Event, LaunchHandle, warpsim::host::Download);

impl Wire for Pointer {
    fn put(&self, to: &mut Vec<u8>) {
        self.0.put(to);
    }

    fn take(from: &mut Unread<'_>) -> Result<Self, Malformed> {
        u64::take(from).map(Pointer)
    }
}

wire_struct!(Launch { grid, block, shared });
wire_enum!(StreamKind { 0 => Blocking, 1 => NonBlocking });
wire_enum!(Argument {
    0 => U8(v), 1 => I8(v), 2 => U16(v), 3 => I16(v), 4 => U32(v), 5 => I32(v), 6 => U64(v),
    7 => I64(v), 8 => F32(v), 9 => F64(v), 10 => Pointer(v), 11 => Bytes(v),
});

wire_enum!(Space { 0 => Global, 1 => Shared, 2 => Local, 3 => Const, 4 => Param, 5 => Tex });
wire_enum!(Type {
    0 => B8, 1 => B16, 2 => B32, 3 => B64, 4 => B128, 5 => U8, 6 => U16, 7 => U32, 8 => U64,
    9 => S8, 10 => S16, 11 => S32, 12 => S64, 13 => F16, 14 => F16x2, 15 => Bf16, 16 => Bf16x2,
    17 => F32, 18 => F64, 19 => Pred, 20 => Texref, 21 => Samplerref, 22 => Surfref,
});

/// The chain of calls goes flat, as it is kept: those that are inlined have no chain of their own.
impl Wire for SourcePosition {
    fn put(&self, to: &mut Vec<u8>) {
        put_place(self, to);
        u32::try_from(self.inlined_at.len()).unwrap_or(u32::MAX).put(to);
        self.inlined_at.iter().for_each(|call| put_place(call, to));
    }

    fn take(from: &mut Unread<'_>) -> Result<Self, Malformed> {
        let mut position = take_place(from)?;
        let calls = u32::take(from)?;
        position.inlined_at = (0..calls).map(|_| take_place(from)).collect::<Result<_, _>>()?;
        Ok(position)
    }
}

fn put_place(position: &SourcePosition, to: &mut Vec<u8>) {
    position.file.put(to);
    (position.line, position.column).put(to);
}

fn take_place(from: &mut Unread<'_>) -> Result<SourcePosition, Malformed> {
    let file = Wire::take(from)?;
    let (line, column) = Wire::take(from)?;
    Ok(SourcePosition { file, line, column, inlined_at: Vec::new() })
}

wire_struct!(Site { operation, thread, block, warp, lane, ptx_line, source });
wire_enum!(Severity { 0 => Note, 1 => Warning, 2 => Error });

/// By its name.
impl Wire for Code {
    fn put(&self, to: &mut Vec<u8>) {
        self.name().to_owned().put(to);
    }

    fn take(from: &mut Unread<'_>) -> Result<Self, Malformed> {
        String::take(from)?.parse().map_err(|_| Malformed)
    }
}

wire_enum!(Hazard { 0 => ReadAfterWrite, 1 => WriteAfterRead, 2 => WriteAfterWrite });
wire_enum!(Outcome {
    0 => Completed, 1 => Finding, 2 => Deadlock, 3 => Livelock, 4 => Limit, 5 => Fault, 6 => Trap,
    7 => Hung,
});
wire_struct!(Counts {
    warp_instructions,
    lane_instructions,
    branches,
    divergent_branches,
    barriers,
});
wire_struct!(Checked { schedules, every_schedule, unfinished });
wire_struct!(Finding {
    severity,
    code,
    hazard,
    space,
    address,
    object,
    argument,
    sites,
    count,
    explanation,
    notes,
    chain,
    help,
    replay,
});
wire_struct!(Report { outcome, counts, findings, checked });
wire_struct!(Ended { launch, kernel, report });

wire_struct!(GpuFacts { ordinal, name, capability, multiprocessors, memory, cuda, driver });
wire_enum!(Lacking { 0 => Version { needed, cuda, has }, 1 => Target { needed, has } });
wire_enum!(GpuError {
    0 => NoDriver, 1 => NoGpu { ordinal, count }, 2 => Driver { call, code, name, words, log },
    3 => MissingFunction { name }, 4 => Worker { what },
    5 => ModuleNeedsMore { name, file, line, lacking, code, words },
});

/// A refusal of a device. [`DeviceError::Program`] points into a text that only the child has, so
/// it arrives as [`DeviceError::Driver`], with the same words; so would kinds that are unknown here.
macro_rules! refusals {
    ($($tag:literal => $variant:ident { $($field:ident),* }),* $(,)?) => {
        impl Wire for DeviceError {
            fn put(&self, to: &mut Vec<u8>) {
                match self {
                    $(DeviceError::$variant { $($field),* } => {
                        u8::put(&$tag, to);
                        $($field.put(to);)*
                    })*
                    other => {
                        WORDS.put(to);
                        other.to_string().put(to);
                    }
                }
            }

            fn take(from: &mut Unread<'_>) -> Result<Self, Malformed> {
                match u8::take(from)? {
                    $($tag => {
                        $(let $field = Wire::take(from)?;)*
                        Ok(DeviceError::$variant { $($field),* })
                    })*
                    WORDS => Wire::take(from).map(DeviceError::Driver),
                    _ => Err(Malformed),
                }
            }
        }
    };
}

/// The tag of a refusal that goes as its words.
const WORDS: u8 = 255;

refusals! {
    0 => UnknownKernel { name, available },
    1 => UnknownVariable { name, available },
    2 => ArgumentCount { kernel, expected, found },
    3 => ArgumentType { index, parameter, expected, size, found },
    4 => ImpossibleLaunch { reason },
    5 => OutOfMemory { requested, available },
    6 => BadPointer { address, bytes },
    7 => Freed { address, bytes },
    8 => StillInUse { address, user, stream },
    9 => NotSynchronised { stream },
    10 => UnknownHandle { what },
    11 => NotSupported { what },
    12 => UnknownModule {},
    13 => Lost {},
}
