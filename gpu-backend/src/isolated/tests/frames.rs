//! Messages on a stream of bytes.

use std::io::{self, ErrorKind, Read};

use proptest::prelude::*;

use crate::isolated::frames::{Frame, MOST_BODY, MOST_HEAD, receive, send};

/// Bytes that come a few at a time, and the largest room that was made for them.
struct Trickle<'a> {
    bytes: &'a [u8],
    step: usize,
    most_room: usize,
}

impl<'a> Trickle<'a> {
    fn new(bytes: &'a [u8], step: usize) -> Trickle<'a> {
        Trickle { bytes, step, most_room: 0 }
    }
}

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.most_room = self.most_room.max(buffer.len());
        let count = buffer.len().min(self.step).min(self.bytes.len());
        let (now, later) = self.bytes.split_at(count);
        buffer[..count].copy_from_slice(now);
        self.bytes = later;
        Ok(count)
    }
}

fn announced(head: u32, body: u64) -> Vec<u8> {
    [&head.to_le_bytes()[..], &body.to_le_bytes()].concat()
}

fn error(bytes: &[u8]) -> (ErrorKind, usize) {
    let mut from = Trickle::new(bytes, 5);
    let error = receive(&mut from).expect_err("it is no message");
    (error.kind(), from.most_room)
}

proptest! {
    #[test]
    fn messages_arrive_one_after_the_other(
        messages in prop::collection::vec(
            (prop::collection::vec(any::<u8>(), 0..100), prop::collection::vec(any::<u8>(), 0..40_000)),
            0..5,
        ),
        step in 1_usize..5000,
    ) {
        let mut bytes = Vec::new();
        for (head, body) in &messages {
            send(&mut bytes, head, body).expect("memory takes all");
        }
        let mut from = Trickle::new(&bytes, step);
        for (head, body) in messages {
            let frame = receive(&mut from).expect("it is whole");
            prop_assert_eq!(frame, Some(Frame { head, body }));
        }
        prop_assert_eq!(receive(&mut from).expect("it is the end"), None);
    }

    #[test]
    fn a_message_that_stops_is_an_error(
        head in prop::collection::vec(any::<u8>(), 0..50),
        body in prop::collection::vec(any::<u8>(), 0..50),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = Vec::new();
        send(&mut bytes, &head, &body).expect("memory takes all");
        let part = &bytes[..1 + cut.index(bytes.len() - 1)];
        prop_assert_eq!(error(part).0, ErrorKind::UnexpectedEof);
    }

    #[test]
    fn garbage_is_at_most_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut from = Trickle::new(&bytes, 7);
        while let Ok(Some(_)) = receive(&mut from) {}
        prop_assert!(from.most_room <= 1 << 16);
    }
}

#[test]
fn lengths_over_the_limit_are_refused_before_anything_is_read() {
    for bytes in [announced(MOST_HEAD + 1, 0), announced(0, MOST_BODY + 1), vec![0xff; 12]] {
        let (kind, room) = error(&[bytes, vec![0; 1000]].concat());
        assert_eq!((kind, room), (ErrorKind::InvalidData, 12));
    }
}

#[test]
fn room_is_made_for_what_comes_and_not_for_what_is_announced() {
    for bytes in [announced(MOST_HEAD, 0), announced(0, MOST_BODY)] {
        let (kind, room) = error(&[bytes, vec![0; 1000]].concat());
        assert_eq!(kind, ErrorKind::UnexpectedEof);
        assert!(room <= 1 << 16, "room for {room} bytes");
    }
}
