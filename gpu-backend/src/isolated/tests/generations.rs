//! Handles and addresses from before a loss.

use std::collections::BTreeMap;

use proptest::prelude::*;
use warpsim::host::{DeviceError, ModuleHandle, Pointer, Stream};

use crate::isolated::generations::Generation;

#[test]
fn handles_of_an_earlier_generation_are_lost_and_new_ones_are_others() {
    let mut generation = Generation::default();
    let module = |n| ModuleHandle::new(n);
    let old: Vec<_> = (0..3).map(|n| generation.modules.given(module(n))).collect();
    assert_eq!(generation.modules.childs(old[2]), Ok(module(2)));
    generation.lose();
    let new = generation.modules.given(module(0));
    assert!(!old.contains(&new));
    assert_eq!(generation.modules.childs(new), Ok(module(0)));
    for handle in old {
        assert_eq!(generation.modules.childs(handle), Err(DeviceError::Lost));
    }
    // One that was never given out is the child's to refuse.
    assert_eq!(generation.modules.childs(module(50)), Ok(module(47)));
}

#[test]
fn the_default_stream_is_the_same_in_every_generation() {
    let mut generation = Generation::default();
    let old = generation.given_stream(Stream::new(1));
    generation.lose();
    assert_eq!(generation.childs_stream(Stream::DEFAULT), Ok(Stream::DEFAULT));
    assert_eq!(generation.childs_stream(old), Err(DeviceError::Lost));
    let new = generation.given_stream(Stream::new(1));
    assert_ne!(new, old);
    assert_eq!(generation.childs_stream(new), Ok(Stream::new(1)));
    // No number of a stream means the child's default stream by accident.
    for number in 1..10 {
        assert_ne!(generation.childs_stream(Stream::new(number)), Ok(Stream::DEFAULT));
    }
}

/// What happens to memory.
#[derive(Clone, Debug)]
enum Step {
    Allocate(u64, u64),
    Free(u64),
    Lose,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0_u64..60, 0_u64..8).prop_map(|(start, bytes)| Step::Allocate(start, bytes)),
        2 => (0_u64..60).prop_map(Step::Free),
        1 => Just(Step::Lose),
    ]
}

proptest! {
    /// Byte by byte: an address is lost when an earlier generation had it, and since then neither
    /// this one has it nor has any been given it.
    #[test]
    fn an_address_is_lost_when_it_was_given_out_before_and_not_again(
        steps in prop::collection::vec(step(), 0..40),
    ) {
        let mut memory = Generation::default();
        // First address to size; and the addresses with the range they were in.
        let mut live = BTreeMap::<u64, u64>::new();
        let mut lost = BTreeMap::<u64, u64>::new();
        for step in steps {
            match step {
                Step::Allocate(start, bytes) => {
                    let end = start + bytes.max(1);
                    if live.iter().any(|(s, b)| *s < end && start < s + b) {
                        continue;
                    }
                    lost.retain(|s, b| *s >= end || start >= *s + *b);
                    live.insert(start, bytes.max(1));
                    memory.memory.allocated(Pointer(start), bytes);
                }
                Step::Free(start) => {
                    live.remove(&start);
                    memory.memory.freed(Pointer(start));
                }
                Step::Lose => {
                    for (start, bytes) in std::mem::take(&mut live) {
                        lost.retain(|s, b| *s >= start + bytes || start >= *s + *b);
                        lost.insert(start, bytes);
                    }
                    memory.lose();
                }
            }
            let has = |ranges: &BTreeMap<u64, u64>, at| ranges.iter().any(|(s, b)| (*s..s + b).contains(&at));
            for at in 0..80 {
                let is_lost = !has(&live, at) && has(&lost, at);
                prop_assert_eq!(memory.memory.check(Pointer(at)).is_err(), is_lost, "at {}", at);
            }
        }
    }
}
