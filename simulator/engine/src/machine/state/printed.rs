//! The printed output of a launch, in a buffer of limited size (CUDA C++ Programming Guide,
//! "Formatted Output": 1 MiB unless host code says otherwise; the oldest output is lost first).
//!
//! How much of the buffer a call takes is not documented. Here a call takes 8 bytes, plus the bytes
//! of its arguments and of its texts. An H200 kept 65314 calls with two ints; warpsim keeps 65536.

use std::collections::VecDeque;

/// Bytes of the buffer.
const BUFFER: u64 = 1 << 20;

/// The printed output of a launch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Printed {
    calls: VecDeque<Call>,
    bytes: u64,
    lost: u64,
}

/// The output of a call.
#[derive(Clone, Debug, PartialEq)]
struct Call {
    text: Vec<u8>,
    /// The bytes of the buffer that it takes.
    bytes: u64,
}

impl Printed {
    /// Keeps the output of a call. The oldest calls make room.
    pub(in crate::machine) fn push(&mut self, text: Vec<u8>, bytes: u64) {
        let bytes = bytes.min(BUFFER);
        while self.bytes + bytes > BUFFER {
            let Some(oldest) = self.calls.pop_front() else { break };
            self.bytes -= oldest.bytes;
            self.lost += 1;
        }
        self.bytes += bytes;
        self.calls.push_back(Call { text, bytes });
    }

    /// Appends the output of later blocks.
    pub(in crate::machine) fn append(&mut self, later: Printed) {
        if later.lost > 0 {
            // The last of the lost calls was too large for the present buffer.
            self.lost += self.calls.len() as u64 + later.lost;
            (self.calls, self.bytes) = (VecDeque::new(), 0);
        }
        later.calls.into_iter().for_each(|call| self.push(call.text, call.bytes));
    }

    /// All kept output, in the order of the calls. Invalid UTF-8 is replaced.
    pub fn text(&self) -> String {
        let bytes: Vec<u8> = self.calls.iter().flat_map(|call| call.text.iter().copied()).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The last output.
    pub fn last(&self) -> Option<String> {
        let call = self.calls.back()?;
        Some(String::from_utf8_lossy(&call.text).into_owned())
    }

    /// How many calls printed something, whether it is kept or lost.
    pub fn calls(&self) -> u64 {
        self.calls.len() as u64 + self.lost
    }

    /// Calls whose text is lost, because later ones needed the room.
    pub fn lost(&self) -> u64 {
        self.lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_is_lost_when_the_buffer_is_full() {
        let mut printed = Printed::default();
        for number in 0..=(1 << 16) {
            printed.push(format!("{number}\n").into_bytes(), 16);
        }
        assert_eq!((printed.lost(), printed.calls()), (1, (1 << 16) + 1));
        assert!(printed.text().starts_with("1\n2\n"));
        assert_eq!(printed.last().as_deref(), Some("65536\n"));
        printed.push(b"all".to_vec(), u64::MAX);
        assert_eq!((printed.text(), printed.lost()), ("all".to_owned(), (1 << 16) + 1));
    }
}
