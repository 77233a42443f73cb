//! The start of random programs, and the check that they leave nothing.
//!
//! The seed of a run is printed with the number of calls; `WARPSIM_TEST_SEED` asks for one again.

use std::hash::BuildHasher as _;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::*;
use crate::Call;
use crate::spaces::virtual_memory::VirtualMemory;

/// A runner of this many programs, and its seed.
pub(super) fn runner(cases: u32) -> (TestRunner, u64) {
    let seed = match std::env::var("WARPSIM_TEST_SEED") {
        Ok(seed) => seed.parse().expect("WARPSIM_TEST_SEED is a number"),
        Err(_) => std::collections::hash_map::RandomState::new().hash_one(()),
    };
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let random = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    // A program that does not end is no quicker when it is cut.
    let max_shrink_time = 60_000;
    let config = Config { cases, max_shrink_time, failure_persistence: None, ..Config::default() };
    (TestRunner::new_with_rng(config, random), seed)
}

/// How many there are of what a program can hold, by name.
fn live(call: &Call<'_>) -> [(&'static str, usize); 22] {
    let state = &call.state;
    let [graphs, nodes, instances, captures, events, objects] = state.graphs.live();
    let [arrays, images] = state.arrays.live();
    let [reservations, memory, mappings] = state.virtual_memory.live();
    [
        ("contexts", state.contexts.len()),
        ("modules", state.modules.len()),
        ("functions", state.functions.len()),
        ("linkers", state.linkers.len()),
        ("streams", state.streams.len()),
        ("events", state.events.len()),
        ("allocations", state.allocations.len()),
        ("registered pieces", state.registered.len()),
        ("shared pieces", state.shared.len()),
        ("pieces to be freed", state.to_free.len()),
        ("pieces of graphs to be freed", state.to_unmap.len()),
        ("objects", objects),
        ("arrays", arrays),
        ("textures and surfaces", images),
        ("graphs", graphs),
        ("nodes", nodes),
        ("instances", instances),
        ("captures", captures),
        ("captured events", events),
        ("reservations", reservations),
        ("pieces without addresses", memory),
        ("mappings", mappings),
    ]
}

/// A program is over: frees what it has, and checks the rest.
pub(super) fn finished(
    driver: &Driver,
    fake: &Fake,
    (handles, pointers): &(Vec<u64>, Vec<u64>),
) -> Result<(), TestCaseError> {
    let mut caller = Caller::default();
    let mut call = driver.enter(&mut caller).unwrap();
    for handle in handles {
        // A capture that is under way keeps from waiting, and so from freeing.
        let _ = call.destroy_stream(*handle);
        let _ = call.destroy_context(*handle);
    }
    call.reset_primary();
    while call.release_primary().is_ok() {}
    // What belongs to a pool and to the device stays; a new context frees it.
    let context = call.create_context(0).unwrap();
    for pointer in pointers {
        let _ = call.free(*pointer);
    }
    for handle in handles {
        let _ = call.destroy_instance(*handle);
        let _ = call.destroy_graph(*handle);
        while call.release_object(*handle, 1).is_ok() {}
    }
    VirtualMemory::clear(&mut call).unwrap();
    call.synchronise_context().unwrap();
    let (free, all) = call.memory_info().unwrap();
    prop_assert_eq!(free, all, "memory is lost");
    call.destroy_context(context).unwrap();
    for (what, count) in live(&call) {
        prop_assert_eq!(count, 0, "{} are left", what);
    }
    drop(call);
    driver.finish(false);
    let memory = fake.0.lock().unwrap();
    prop_assert_eq!(memory.pieces.len(), 1, "memory of the host is still mapped");
    let all = [memory.told.concat(), memory.recorded.concat()].concat();
    prop_assert!(!all.contains("bug"), "{}", all);
    Ok(())
}
