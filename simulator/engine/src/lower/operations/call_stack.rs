//! The stack that the activations of functions take from a thread (CUDA C++ Programming Guide,
//! "Call stack"; `cudaLimitStackSize`).
//!
//! Where the call graph bounds the depth of calls, NVIDIA's assembler adds up the stack of all
//! activations. The driver gives a thread that much. Where functions may call themselves, directly
//! or in a cycle, it cannot. A thread then has the limit, or the size of the largest frame if that
//! is more. Measured on an H100: with frames of 16, 48, 96, 160, 288 and 1056 bytes, at limits from
//! 512 to 16384, with local arrays of the kernel and without.
//!
//! Deviation: each frame counts with its least possible size. A function that calls keeps its
//! return address and a register: 16 bytes. The assembler's other saved registers are not known
//! here and are left out (measured: 16 bytes more where the function has an array). So a GPU can
//! run out of stack some activations before the simulator. It never runs out later, unless an
//! earlier kernel of the program made the driver reserve more local memory.

use crate::lower::operations::operation::{Callee, Kind, Operation};
use crate::lower::program::Function;

/// The least that a calling function saves: its return address, and one register.
const SAVED: u32 = 16;

/// The stack that the threads of a kernel need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallStack {
    /// The call graph has no cycle: the longest path's stack, which a device always gives.
    Bounded,
    /// Functions may call themselves.
    Recursive {
        /// Bytes of the largest frame.
        largest: u32,
    },
}

impl CallStack {
    /// Bytes of stack of a thread under a limit; `None` where no limit applies.
    pub fn capacity(self, limit: u32) -> Option<u32> {
        match self {
            CallStack::Bounded => None,
            CallStack::Recursive { largest } => Some(limit.max(largest)),
        }
    }
}

/// Adds its saved registers to the frame of each function, which has its `.local` variables.
/// Returns whether functions may call themselves.
pub(in crate::lower) fn measure(
    functions: &mut [Function],
    operations: &[Operation],
    address_taken: &[(u64, usize)],
) -> CallStack {
    let calls: Vec<Vec<usize>> =
        functions.iter().map(|function| callees(function, operations, address_taken)).collect();
    for (index, function) in functions.iter_mut().enumerate() {
        // A kernel has no caller.
        let saved = if index == 0 || calls[index].is_empty() { 0 } else { SAVED };
        function.frame_bytes = function.frame_bytes.saturating_add(saved);
    }
    match has_circle(&calls) {
        false => CallStack::Bounded,
        true => {
            let largest = functions.iter().map(|function| function.frame_bytes).max();
            CallStack::Recursive { largest: largest.unwrap_or(0) }
        }
    }
}

/// The functions that a function may call.
fn callees(
    function: &Function,
    operations: &[Operation],
    address_taken: &[(u64, usize)],
) -> Vec<usize> {
    let own = &operations[function.entry as usize..function.end as usize];
    let mut called = Vec::new();
    for operation in own {
        if let Kind::Call(call) = &operation.kind {
            match call.callee {
                Callee::Direct(function) => called.push(function),
                Callee::Indirect(_) => called.extend(address_taken.iter().map(|(_, f)| *f)),
            }
        }
    }
    called.sort_unstable();
    called.dedup();
    called
}

/// Whether the call graph has a cycle. Functions without callers, or with no more callees, are
/// removed until none is left or a cycle is.
fn has_circle(calls: &[Vec<usize>]) -> bool {
    let mut callers = vec![0_usize; calls.len()];
    calls.iter().flatten().for_each(|callee| callers[*callee] += 1);
    let mut free: Vec<usize> = (0..calls.len()).filter(|f| callers[*f] == 0).collect();
    let mut taken = 0;
    while let Some(function) = free.pop() {
        taken += 1;
        for callee in &calls[function] {
            callers[*callee] -= 1;
            if callers[*callee] == 0 {
                free.push(*callee);
            }
        }
    }
    taken < calls.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_is_seen_wherever_it_is() {
        let cases: [(&[&[usize]], bool); 6] = [
            (&[&[]], false),
            (&[&[1, 2], &[2], &[]], false),
            (&[&[1], &[1]], true),
            (&[&[1], &[2], &[1]], true),
            (&[&[], &[2], &[1]], true),
            (&[&[1, 2, 3], &[2, 3], &[3], &[]], false),
        ];
        for (calls, expected) in cases {
            let calls: Vec<Vec<usize>> = calls.iter().map(|c| c.to_vec()).collect();
            assert_eq!(has_circle(&calls), expected, "{calls:?}");
        }
    }

    #[test]
    fn a_largest_frame_above_the_limit_is_given_once() {
        assert_eq!(CallStack::Bounded.capacity(1024), None);
        assert_eq!(CallStack::Recursive { largest: 80 }.capacity(1024), Some(1024));
        assert_eq!(CallStack::Recursive { largest: 1040 }.capacity(1024), Some(1040));
    }
}
