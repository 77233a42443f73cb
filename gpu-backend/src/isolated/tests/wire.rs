//! Values as bytes.

use proptest::prelude::*;
use warpsim::host::DeviceError;

use super::strategies::{answer, request};
use crate::error::GpuError;
use crate::isolated::messages::{Answer, Request};
use crate::isolated::wire::{Malformed, decode, encode};

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
        let bytes = encode(&request);
        let arrived: Request = decode(&bytes).expect("it is whole");
        // A NaN does not equal itself, but its bytes do, and its words.
        prop_assert_eq!(encode(&arrived), bytes);
        prop_assert_eq!(format!("{arrived:?}"), format!("{request:?}"));
    }

    #[test]
    fn answers_arrive_as_they_were_sent(answer in answer()) {
        let arrived: Answer = decode(&encode(&answer)).expect("it is whole");
        prop_assert_eq!(arrived, answer);
    }

    /// A part of a value is none, and neither is one with more behind it.
    #[test]
    fn nothing_is_missing_and_nothing_is_left_over(answer in answer(), cut in any::<prop::sample::Index>()) {
        let mut bytes = encode(&answer);
        prop_assert_eq!(decode::<Answer>(&bytes[..cut.index(bytes.len())]), Err(Malformed));
        bytes.push(0);
        prop_assert_eq!(decode::<Answer>(&bytes), Err(Malformed));
    }

    /// There is one way to write a value, so whatever is taken for one is what would be sent.
    #[test]
    fn what_is_changed_on_the_way_is_another_value_or_none(
        bytes in prop_oneof![answer().prop_map(|a| encode(&a)), request().prop_map(|r| encode(&r))]
            .prop_flat_map(nearly),
    ) {
        if let Ok(value) = decode::<Answer>(&bytes) {
            prop_assert_eq!(encode(&value), bytes.clone());
        }
        if let Ok(value) = decode::<Request>(&bytes) {
            prop_assert_eq!(encode(&value), bytes);
        }
    }

    #[test]
    fn garbage_is_at_most_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = decode::<Answer>(&bytes);
        let _ = decode::<Request>(&bytes);
    }
}

/// With the tag of each message in front of bytes that announce very much.
#[test]
fn lengths_that_are_not_there_are_refused() {
    for tag in 0..=255 {
        for rest in [0, 1, 4, 12, 40] {
            let mut bytes = vec![0xff; 1 + rest];
            bytes[0] = tag;
            let _ = decode::<Answer>(&bytes);
            let _ = decode::<Request>(&bytes);
        }
    }
    assert_eq!(decode::<Vec<u8>>(&[0xff; 100]), Err(Malformed));
    assert_eq!(decode::<String>(&[97, 0, 0, 0, 0]), Err(Malformed));
}

/// A text that is not known stays for ever, so there is a bound on them.
#[test]
fn texts_that_live_for_ever_are_few_and_short() {
    let missing = |name: String| {
        let mut bytes = encode(&3_u8);
        bytes.extend(encode(&name));
        decode::<GpuError>(&bytes)
    };
    assert_eq!(missing("cuInit".to_owned()), Ok(GpuError::MissingFunction { name: "cuInit" }));
    assert_eq!(missing("x".repeat(1000)), Err(Malformed));
}

#[test]
fn a_program_that_is_refused_arrives_in_words() {
    let module = warpsim::ptx::parse(
        "x.ptx",
        ".version 7.0\n.target sm_70\n.address_size 64\n.global .u32 x = nowhere;\n",
    );
    let error = warpsim::lower::place(&module.expect("it is well-formed")).expect_err("no such");
    let sent = DeviceError::Program(error);
    let words = sent.to_string();
    assert_eq!(decode(&encode(&sent)), Ok(DeviceError::Driver(words)));
}
