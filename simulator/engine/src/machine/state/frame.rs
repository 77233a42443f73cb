//! An activation of a function by lanes that called it together.
//!
//! Its registers, its `.param` bytes and its place in the local memory of its threads. The frames
//! of a warp lie in one arena. A frame knows its caller's frame, so the call stack of a lane is a
//! chain of frames.

use std::sync::Arc;

use crate::lanes::{Constants, FULL, LANES, Mask, Registers, lanes_of, set_all, write_lanes};
use crate::lower::{Function, Home, Pc};
use crate::machine::memory::{Values, place};

/// Four bytes of each lane.
type Word4 = [[u8; 4]; LANES];

/// An index into a warp's frames.
pub type FrameId = u16;

/// The origin of a call.
#[derive(Clone, Copy, Debug)]
pub struct Caller {
    /// The caller's frame.
    pub frame: FrameId,
    /// The call in it.
    pub call: Pc,
    /// How many calls lead from the kernel to the caller.
    pub depth: u32,
}

/// An activation.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// The function, as an index into the program's.
    pub function: usize,
    /// The caller's frame; `None` for the kernel's own.
    pub caller: Option<FrameId>,
    /// The call in the caller.
    pub call: Pc,
    /// How many calls lead here from the kernel.
    pub depth: u32,
    /// The registers.
    pub registers: Registers,
    /// The `.param` bytes, laid out as in [`crate::machine::memory::Interleaved`].
    params: Vec<u8>,
    /// The `.param` bytes of each lane.
    param_bytes: u32,
    /// Where the activation's `.local` variables begin in each thread's local memory.
    pub local_base: u32,
    /// One past the variables in its local memory.
    pub local_top: u32,
    /// Stack bytes of the activation and its callers, at least.
    pub stack_bytes: u32,
    /// One past its local memory, for each lane, once `alloca` has been executed.
    tops: Option<Box<[u32; LANES]>>,
}

/// Memory taken by the activations below one: local memory, and stack as
/// [`crate::lower::CallStack`] counts it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Where the activation's local memory begins.
    pub local: u32,
    /// Bytes of stack.
    pub stack: u32,
}

impl Frame {
    /// A fresh activation.
    pub fn new(
        index: usize,
        function: &Function,
        constants: &Arc<Constants>,
        caller: Option<Caller>,
        taken: Taken,
    ) -> Frame {
        Frame {
            function: index,
            caller: caller.map(|caller| caller.frame),
            call: caller.map_or(0, |caller| caller.call),
            depth: caller.map_or(0, |caller| caller.depth + 1),
            registers: Registers::new(function.slots, Arc::clone(constants)),
            params: vec![0; function.param_bytes.next_multiple_of(4) as usize * LANES],
            param_bytes: function.param_bytes,
            local_base: taken.local,
            local_top: taken.local + function.local_bytes,
            stack_bytes: taken.stack.saturating_add(function.frame_bytes),
            tops: None,
        }
    }

    /// Becomes a fresh activation of the same program, in the same memory.
    pub(in crate::machine) fn renew(
        &mut self,
        index: usize,
        function: &Function,
        caller: Option<Caller>,
        taken: Taken,
    ) {
        self.function = index;
        self.caller = caller.map(|caller| caller.frame);
        self.call = caller.map_or(0, |caller| caller.call);
        self.depth = caller.map_or(0, |caller| caller.depth + 1);
        self.param_bytes = function.param_bytes;
        self.local_base = taken.local;
        self.local_top = taken.local + function.local_bytes;
        self.stack_bytes = taken.stack.saturating_add(function.frame_bytes);
        self.registers.resize(function.slots);
        self.params.resize(function.param_bytes.next_multiple_of(4) as usize * LANES, 0);
        self.begin_anew();
    }

    /// Becomes a fresh activation of the same function, with the same caller.
    #[inline]
    pub(in crate::machine) fn begin_anew(&mut self) {
        self.registers.clear();
        set_all(&mut self.params, 0);
        if self.tops.is_some() {
            self.tops = None;
        }
    }

    /// One past the local memory of a lane.
    pub fn top(&self, lane: usize) -> u32 {
        self.tops.as_ref().map_or(self.local_top, |tops| tops[lane % LANES])
    }

    /// Moves the end of a lane's local memory.
    pub fn set_top(&mut self, lane: usize, top: u32) {
        let tops = self.tops.get_or_insert_with(|| Box::new([self.local_top; LANES]));
        tops[lane % LANES] = top;
    }

    /// Where a callee's local memory begins: the same for all lanes.
    pub fn callee_base(&self, align: u64) -> u32 {
        match &self.tops {
            None => self.local_top,
            Some(tops) => {
                let highest = tops.iter().copied().fold(self.local_top, u32::max);
                u64::from(highest).next_multiple_of(align.max(1)) as u32
            }
        }
    }

    /// One past the local memory of all lanes; `None` where they differ.
    #[inline]
    pub(in crate::machine) fn top_of_all(&self) -> Option<u32> {
        self.tops.is_none().then_some(self.local_top)
    }

    /// The `.param` bytes of each lane.
    #[inline]
    pub fn param_bytes(&self) -> u32 {
        self.param_bytes
    }

    /// The registers, and the `.param` bytes of all lanes, word by word.
    #[inline]
    pub(in crate::machine) fn registers_and_params(&mut self) -> (&mut Registers, &mut [u8]) {
        (&mut self.registers, &mut self.params)
    }

    /// The part of the parameters that belongs to the state of a lane.
    pub(in crate::machine) fn params(&self) -> &[u8] {
        &self.params
    }

    /// Where a byte of a lane's parameters is; `None` beyond the end.
    fn place_of_param(&self, lane: usize, offset: u64) -> Option<usize> {
        (offset < self.param_bytes.into()).then(|| place(offset, lane) as usize)
    }

    /// Reads `width` bytes of a lane's parameters; bytes beyond the end are zero.
    pub fn read_param(&self, lane: usize, offset: u64, width: u32) -> u64 {
        (0..u64::from(width)).fold(0, |value, i| {
            let byte = self.place_of_param(lane, offset + i).map_or(0, |at| self.params[at]);
            value | u64::from(byte) << (8 * i)
        })
    }

    /// The values of the lanes in a home; the first 8 bytes of a struct.
    pub(in crate::machine) fn values(&self, home: Home) -> Values {
        match home {
            Home::Param { offset, size } => match (self.word(offset), size) {
                (Some(word), 4) => word.map(|bytes| u32::from_le_bytes(bytes).into()),
                _ => std::array::from_fn(|lane| self.read_param(lane, offset.into(), size.min(8))),
            },
            Home::W32(slot, _) => self.registers.w32(slot).map(u64::from),
            Home::W64(slot) => *self.registers.w64(slot),
            Home::Predicate(slot) => {
                let mask = self.registers.predicate(slot);
                std::array::from_fn(|lane| u64::from(mask >> lane & 1))
            }
        }
    }

    /// Puts values into a home of some lanes.
    pub(in crate::machine) fn set_values(&mut self, home: Home, mask: Mask, values: &Values) {
        match home {
            Home::Param { offset, size } => match (self.word_mut(offset), size) {
                (Some(word), 4) if mask == FULL => {
                    *word = std::array::from_fn(|lane| (values[lane] as u32).to_le_bytes());
                }
                _ => lanes_of(mask).for_each(|lane| {
                    self.write_param(lane, offset.into(), size.min(8), values[lane]);
                }),
            },
            Home::W32(slot, _) => {
                write_lanes(&mut self.registers, slot, mask, &values.map(|value| value as u32));
            }
            Home::W64(slot) => write_lanes(&mut self.registers, slot, mask, values),
            Home::Predicate(slot) => {
                let bits =
                    (0..LANES).fold(0, |bits, lane| bits | (values[lane] as Mask & 1) << lane);
                self.registers.set_predicate(slot, mask, bits);
            }
        }
    }

    /// The value of a lane in a home; the first 8 bytes of a struct.
    pub(in crate::machine) fn value(&self, home: Home, lane: usize) -> u64 {
        self.values(home)[lane % LANES]
    }

    /// Puts a value into a home of a lane.
    pub(in crate::machine) fn set_value(&mut self, home: Home, lane: usize, value: u64) {
        self.set_values(home, 1 << (lane % LANES), &[value; LANES]);
    }

    /// A word of the parameters of all lanes; `None` where none begins.
    fn word(&self, offset: u32) -> Option<&Word4> {
        let words = self.params.as_chunks().0.as_chunks().0;
        offset.is_multiple_of(4).then(|| words.get(offset as usize / 4)).flatten()
    }

    /// The same, to write to.
    fn word_mut(&mut self, offset: u32) -> Option<&mut Word4> {
        let words = self.params.as_chunks_mut().0.as_chunks_mut().0;
        offset.is_multiple_of(4).then(|| words.get_mut(offset as usize / 4)).flatten()
    }

    /// Writes `width` bytes of a lane's parameters; bytes beyond the end are dropped.
    pub fn write_param(&mut self, lane: usize, offset: u64, width: u32, value: u64) {
        for i in 0..u64::from(width) {
            if let Some(at) = self.place_of_param(lane, offset + i) {
                self.params[at] = (value >> (8 * i)) as u8;
            }
        }
    }
}

/// Copies values from their place in one activation to their place in another: arguments into a
/// callee, results out of it.
pub(in crate::machine) fn transfer(
    from: &Frame,
    sources: &[Home],
    to: &mut Frame,
    targets: &[Home],
    mask: Mask,
) {
    for (source, target) in sources.iter().zip(targets) {
        match (*source, *target) {
            (Home::Param { offset: a, size }, Home::Param { offset: b, size: limit }) => {
                copy_params(from, a, to, (b, size.min(limit)), mask);
            }
            (source, target) => to.set_values(target, mask, &from.values(source)),
        }
    }
}

/// Copies parameters to parameters, by words of all lanes where whole words exist.
fn copy_params(from: &Frame, a: u32, to: &mut Frame, (b, bytes): (u32, u32), mask: Mask) {
    let mut done = 0;
    while done < bytes {
        let left = bytes - done;
        if left >= 4
            && let (Some(word), Some(into)) = (from.word(a + done), to.word_mut(b + done))
        {
            if mask == FULL {
                *into = *word;
            } else {
                lanes_of(mask).for_each(|lane| into[lane] = word[lane]);
            }
            done += 4;
        } else {
            for lane in lanes_of(mask) {
                let byte = from.read_param(lane, (a + done).into(), 1);
                to.write_param(lane, (b + done).into(), 1, byte);
            }
            done += 1;
        }
    }
}
