//! What a launch prints, in a buffer of limited size (CUDA C++ Programming Guide, "Formatted
//! Output": 1 MiB unless host code says otherwise, the oldest being lost first).
//!
//! How much of the buffer a call takes is not documented. Here it is 8 bytes, those of its
//! arguments, and those of its texts: of calls with two ints an H200 kept 65314, and 65536 are kept
//! here.

use std::collections::VecDeque;

/// Bytes of the buffer.
const BUFFER: u64 = 1 << 20;

/// What a launch has printed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Printed {
    calls: VecDeque<Call>,
    bytes: u64,
    lost: u64,
}

/// What a call printed.
#[derive(Clone, Debug, PartialEq)]
struct Call {
    text: Vec<u8>,
    /// What it takes of the buffer.
    bytes: u64,
}

impl Printed {
    /// Keeps what a call printed. The oldest calls make room.
    pub(super) fn push(&mut self, text: Vec<u8>, bytes: u64) {
        let bytes = bytes.min(BUFFER);
        while self.bytes + bytes > BUFFER {
            let Some(oldest) = self.calls.pop_front() else { break };
            self.bytes -= oldest.bytes;
            self.lost += 1;
        }
        self.bytes += bytes;
        self.calls.push_back(Call { text, bytes });
    }

    /// Goes on with what blocks printed that came next.
    pub(in crate::machine) fn append(&mut self, later: Printed) {
        if later.lost > 0 {
            // Of what was lost, the last was too much for what is there now.
            self.lost += self.calls.len() as u64 + later.lost;
            (self.calls, self.bytes) = (VecDeque::new(), 0);
        }
        later.calls.into_iter().for_each(|call| self.push(call.text, call.bytes));
    }

    /// All that is kept, in the order in which it was printed. What is no UTF-8 is replaced.
    pub fn text(&self) -> String {
        let bytes: Vec<u8> = self.calls.iter().flat_map(|call| call.text.iter().copied()).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// What was printed last.
    pub fn last(&self) -> Option<String> {
        let call = self.calls.back()?;
        Some(String::from_utf8_lossy(&call.text).into_owned())
    }

    /// How many calls printed something, whether it is kept or not.
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
