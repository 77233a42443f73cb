//! Values as bytes.

use proptest::prelude::*;
use warpsim::host::DeviceError;

use super::strategies::{answer, opened, request};
use crate::isolated::messages::{Answer, Opened, Opening, Request};
use crate::isolated::wire::{
    Malformed, Strange, decode, decode_first, encode, encode_first, encode_version,
};

fn bytes_of(value: &impl serde::Serialize) -> Vec<u8> {
    encode(value).expect("it can be sent")
}

/// Bytes that are nearly a value: the head is a tag, and small numbers are lengths.
fn nearly(bytes: Vec<u8>) -> impl Strategy<Value = Vec<u8>> {
    let last = bytes.len() - 1;
    (Just(bytes), prop::collection::vec((0..=last, any::<u8>()), 0..4), 0..=last).prop_map(
        |(mut bytes, changes, cut)| {
            for (at, value) in changes {
                bytes[at] = value;
            }
            bytes.truncate(bytes.len() - cut / 4);
            bytes
        },
    )
}

proptest! {
    #[test]
    fn requests_arrive_as_they_were_sent(request in request()) {
        let bytes = bytes_of(&request);
        let arrived: Request = decode(&bytes).expect("it is whole");
        // A NaN does not equal itself, but its bytes do, and its words.
        prop_assert_eq!(bytes_of(&arrived), bytes);
        prop_assert_eq!(format!("{arrived:?}"), format!("{request:?}"));
    }

    #[test]
    fn answers_arrive_as_they_were_sent(answer in answer(), opened in opened()) {
        let arrived: Answer = decode(&bytes_of(&answer)).expect("it is whole");
        prop_assert_eq!(arrived, answer);
        let first = encode_first(&opened).expect("it can be sent");
        prop_assert_eq!(decode_first::<Opened>(&first), Ok(opened));
    }

    /// A part of a value is none, and neither is one with more behind it.
    #[test]
    fn nothing_is_missing_and_nothing_is_left_over(answer in answer(), cut in any::<prop::sample::Index>()) {
        let mut bytes = bytes_of(&answer);
        prop_assert_eq!(decode::<Answer>(&bytes[..cut.index(bytes.len())]), Err(Malformed));
        bytes.push(0);
        prop_assert_eq!(decode::<Answer>(&bytes), Err(Malformed));
    }

    /// Decoded bytes really are a value: sent again, it arrives as it is.
    #[test]
    fn what_is_changed_on_the_way_is_another_value_or_none(
        bytes in prop_oneof![
            answer().prop_map(|a| bytes_of(&a)),
            request().prop_map(|r| bytes_of(&r)),
        ].prop_flat_map(nearly),
    ) {
        if let Ok(value) = decode::<Answer>(&bytes) {
            prop_assert_eq!(decode(&bytes_of(&value)), Ok(value));
        }
        if let Ok(value) = decode::<Request>(&bytes) {
            let again: Request = decode(&bytes_of(&value)).expect("it is whole");
            prop_assert_eq!(format!("{again:?}"), format!("{value:?}"));
        }
    }

    #[test]
    fn garbage_is_at_most_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = decode::<Answer>(&bytes);
        let _ = decode::<Request>(&bytes);
        prop_assert!(decode_first::<Opened>(&bytes).is_err());
    }
}

/// With the tag of each message in front of bytes that announce very much.
#[test]
fn lengths_that_are_not_there_are_refused() {
    for tag in 0..=255 {
        for filler in [0x7f, 0xff] {
            for rest in [0, 1, 4, 12, 40] {
                let mut bytes = vec![filler; 1 + rest];
                bytes[0] = tag;
                let _ = decode::<Answer>(&bytes);
                let _ = decode::<Request>(&bytes);
            }
        }
    }
    // Announces 2^63 elements.
    let very_many = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01];
    assert_eq!(decode::<Vec<u64>>(&very_many), Err(Malformed));
    assert_eq!(decode::<String>(&very_many), Err(Malformed));
}

#[test]
fn another_version_is_told_from_nonsense() {
    let first = encode_first(&Opening { ordinal: 3 }).expect("it can be sent");
    assert_eq!(decode_first(&first), Ok(Opening { ordinal: 3 }));
    let other = |version: &str| decode_first::<Opening>(&bytes_of(&(version, 3_u32)));
    let expected = Strange::OtherVersion("warpsim-gpu 9.9 wire 7".to_owned());
    assert_eq!(other("warpsim-gpu 9.9 wire 7"), Err(expected));
    // The printed text is short, and has no escape codes.
    assert_eq!(other(&"x".repeat(65)), Err(Strange::Malformed));
    assert_eq!(other("\u{1b}[2J"), Err(Strange::Malformed));
    // The answer to another version is a version alone.
    let alone = encode_version().expect("it can be sent");
    assert_eq!(decode_first::<Opening>(&alone), Err(Strange::Malformed));
}

/// It points into a text that only one of the processes has. So it is put in words before.
#[test]
fn a_program_that_is_refused_is_never_sent_as_it_is() {
    let module = warpsim::ptx::parse(
        "x.ptx",
        ".version 7.0\n.target sm_70\n.address_size 64\n.global .u32 x = nowhere;\n",
    );
    let error = warpsim::lower::place(&module.expect("it is well-formed")).expect_err("no such");
    let refused = Answer::Refused { error: DeviceError::Program(error) };
    assert_eq!(encode(&refused), Err(Malformed));
}
