//! Functions of CUDA's toolchain, as kernels see them (CUDA C++ Programming Guide, "Formatted
//! Output", "Assertion", "Dynamic Global Memory Allocation and Operations").
//!
//! The output of a call appears at once, lane after lane, in the order of the schedule. The memory
//! that a call reads is checked for its bounds, and not reported to observers. So a race with a
//! text that `printf` reads is not found.

mod format;

use std::borrow::Cow;

use crate::internal;
use crate::lanes::lanes_of;
use crate::lower::{Base, RuntimeCall, RuntimeFunction};
use crate::machine::access::addresses::{By, of_generic};
use crate::machine::state::execution::Execution;
use crate::machine::state::stop::{FaultKind, Stop};
use crate::machine::state::warp::Warp;
use format::{Conversion, MOST_ARGUMENTS, Piece, Value, Wanted, pieces};

/// The longest text that is read, in bytes.
const LONGEST: usize = 1 << 20;

impl Execution<'_, '_> {
    /// Calls a function of the toolchain for each lane.
    #[inline(never)]
    pub(in crate::machine) fn call_runtime(
        &mut self,
        warp: &mut Warp,
        index: usize,
        call: &RuntimeCall,
        by: By,
    ) -> Result<(), Stop> {
        let mut known: Option<(u64, Vec<Piece>)> = None;
        for lane in lanes_of(by.active) {
            let frame = &warp.frames[usize::from(by.frame)];
            let argument =
                |index: usize| call.arguments.get(index).map_or(0, |home| frame.value(*home, lane));
            let arguments: [u64; 5] = std::array::from_fn(argument);
            let by = By { active: 1 << lane, ..by };
            let result = match call.function {
                RuntimeFunction::Print => {
                    let taken = self.print(warp, by, arguments, &mut known)?;
                    self.tell_printed(warp, &warp.fragments[index], by.active);
                    taken
                }
                RuntimeFunction::Allocate => self.global.allocate_on_heap(arguments[0]),
                RuntimeFunction::Free => {
                    let address = arguments[0];
                    if address != 0 && !self.global.free_on_heap(address) {
                        return Err(self.fault(
                            warp,
                            by.active,
                            by.pc,
                            FaultKind::BadFree(address),
                        ));
                    }
                    0
                }
                RuntimeFunction::AssertionFailed => {
                    self.print_assertion(warp, by, arguments);
                    self.tell_printed(warp, &warp.fragments[index], by.active);
                    0
                }
            };
            let frame = &mut warp.frames[usize::from(by.frame)];
            for home in &call.results {
                frame.set_value(*home, lane, result);
            }
        }
        match call.function {
            RuntimeFunction::AssertionFailed => {
                Err(Stop::Trap(self.thread(warp, by.active, by.pc)))
            }
            RuntimeFunction::Print | RuntimeFunction::Allocate | RuntimeFunction::Free => Ok(()),
        }
    }

    /// `vprintf(format, arguments)`: returns the number of arguments it took, or -1 without a
    /// format.
    fn print(
        &mut self,
        warp: &Warp,
        by: By,
        [format, buffer, ..]: [u64; 5],
        known: &mut Option<(u64, Vec<Piece>)>,
    ) -> Result<u64, Stop> {
        if format == 0 {
            return Ok(u64::from(u32::MAX));
        }
        let pieces = match known.take().filter(|(address, _)| *address == format) {
            Some((_, pieces)) => pieces,
            None => pieces(&self.text(warp, by, format, LONGEST)?),
        };
        let mut arguments = Arguments { buffer, offset: 0, taken: 0, texts: 0 };
        let mut text = Vec::new();
        for piece in &pieces {
            let wanted = piece.wants().filter(|_| arguments.taken < MOST_ARGUMENTS);
            match (piece, wanted) {
                (Piece::Text(words), _) => text.extend(words),
                (Piece::Conversion(conversion), None) => text.extend(conversion.text()),
                (Piece::Nothing, None) => {}
                (Piece::Nothing, Some(wanted)) => {
                    self.next_argument(warp, by, &mut arguments, wanted, 0)?;
                }
                (Piece::Conversion(conversion), Some(wanted)) => {
                    text.extend(self.convert(warp, by, &mut arguments, conversion, wanted)?);
                }
            }
        }
        *known = Some((format, pieces));
        self.printed.push(text, arguments.cost());
        Ok(arguments.taken as u64)
    }

    /// The output of a conversion for its arguments.
    fn convert(
        &mut self,
        warp: &Warp,
        by: By,
        arguments: &mut Arguments,
        conversion: &Conversion,
        wanted: Wanted,
    ) -> Result<Vec<u8>, Stop> {
        let mut conversion = Cow::Borrowed(conversion);
        if conversion.asks_for_width() {
            let width = self.next_argument(warp, by, arguments, Wanted::Word, 0)?;
            let Value::Integer(width) = width else {
                return Err(internal!("the width of a field is no integer").into());
            };
            conversion = Cow::Owned(conversion.with_width(width as u32 as i32));
        }
        let value = self.next_argument(warp, by, arguments, wanted, conversion.longest())?;
        Ok(conversion.render(&value))
    }

    /// The next argument, aligned to its size.
    fn next_argument(
        &mut self,
        warp: &Warp,
        by: By,
        arguments: &mut Arguments,
        wanted: Wanted,
        longest: usize,
    ) -> Result<Value, Stop> {
        let size: u64 = match wanted {
            Wanted::Word => 4,
            Wanted::Double | Wanted::Float | Wanted::Text => 8,
        };
        arguments.offset = arguments.offset.next_multiple_of(size);
        let mut bytes = [0; 8];
        let at = arguments.buffer.wrapping_add(arguments.offset);
        self.copy(warp, by, at, &mut bytes[..size as usize])?;
        arguments.offset += size;
        arguments.taken += 1;
        let bits = u64::from_le_bytes(bytes);
        Ok(match wanted {
            Wanted::Word | Wanted::Double => Value::Integer(bits),
            Wanted::Float => Value::Float(f64::from_bits(bits)),
            Wanted::Text if bits == 0 => Value::Text(b"(null)".to_vec()),
            Wanted::Text => {
                let text = self.text(warp, by, bits, longest.min(LONGEST))?;
                arguments.texts += text.len() as u64 + 1;
                Value::Text(text)
            }
        })
    }

    /// Prints CUDA's text of a failed `assert`.
    fn print_assertion(
        &mut self,
        warp: &Warp,
        by: By,
        [expression, file, line, function, _]: [u64; 5],
    ) {
        let mut text = |address| match address {
            0 => String::new(),
            _ => {
                // A text that is not there is left out: the assertion still failed.
                let text = self.text(warp, by, address, LONGEST).unwrap_or_default();
                String::from_utf8_lossy(&text).into_owned()
            }
        };
        let (expression, file, function) = (text(expression), text(file), text(function));
        let lane = by.active.trailing_zeros() as usize % warp.thread[0].len();
        let [x, y, z] = warp.thread.map(|of| of[lane]);
        let [bx, by, bz] = self.block_index;
        let words = format!(
            "{file}:{}: {function}: block: [{bx},{by},{bz}], thread: [{x},{y},{z}] Assertion \
             `{expression}` failed.\n",
            line as u32
        );
        self.printed.push(words.into_bytes(), 8);
    }

    /// A text up to its zero, or of this many bytes.
    fn text(&mut self, warp: &Warp, by: By, address: u64, longest: usize) -> Result<Vec<u8>, Stop> {
        let mut text = Vec::new();
        while text.len() < longest {
            let mut byte = [0];
            self.copy(warp, by, address.wrapping_add(text.len() as u64), &mut byte)?;
            match byte {
                [0] => break,
                [byte] => text.push(byte),
            }
        }
        Ok(text)
    }

    /// Bytes at a generic address, in any state space.
    fn copy(&mut self, warp: &Warp, by: By, address: u64, into: &mut [u8]) -> Result<(), Stop> {
        let (space, address) = of_generic(address);
        let bytes = into.len() as u32;
        let lane = by.active.trailing_zeros() as usize;
        let base = Base::Absolute;
        if let Some(fault) = self.outside(warp, by, space, (lane, address), bytes, base) {
            let at = self.thread(warp, by.active, by.pc);
            return Err(Stop::Memory { at, space, address, bytes, fault });
        }
        Ok(self.read_bytes(warp, lane, space, address, into)?)
    }
}

/// How many arguments of a call have been taken.
struct Arguments {
    buffer: u64,
    offset: u64,
    taken: usize,
    /// Bytes of the texts among them.
    texts: u64,
}

impl Arguments {
    /// The bytes that the call takes in the print buffer.
    fn cost(&self) -> u64 {
        8 + self.offset.next_multiple_of(8) + self.texts
    }
}
