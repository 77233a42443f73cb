//! Races between what a program issues to its streams.

use super::*;
use crate::{Answer, Call, Choice, Entry, Spot};

/// What checking records of a program that works on 16 bytes in two streams that do not wait for
/// the default stream.
pub(super) fn recorded(
    choice: Choice,
    program: impl FnOnce(&mut Call<'_>, Handle, [Handle; 2], u64),
) -> (Vec<Entry>, Done) {
    recorded_until(choice, Ok(()), program)
}

/// The same, for a program whose wait for everything returns `end`.
pub(super) fn recorded_until(
    choice: Choice,
    end: Answer<()>,
    program: impl FnOnce(&mut Call<'_>, Handle, [Handle; 2], u64),
) -> (Vec<Entry>, Done) {
    let options = Options { check: true, choice, ..Options::default() };
    let (driver, fake, mut caller) = driver(options);
    let mut call = driver.enter(&mut caller).unwrap();
    let module = call.load_module(KERNELS.as_bytes(), Some("kernels.ptx")).unwrap();
    let twice = call.module_function(module, "twice").unwrap();
    let memory = call.allocate(16).unwrap();
    let default = call.stream(0, LEGACY).unwrap();
    call.copy(Spot::Device(memory), Spot::Host(OWN), 16, default, true).unwrap();
    let streams = [(); 2].map(|()| call.create_stream(1, 0).unwrap());
    program(&mut call, twice, streams, memory);
    assert_eq!(call.synchronise_context(), end);
    drop(call);
    driver.finish(false);
    let memory = fake.0.lock().unwrap();
    assert_eq!((memory.ended, memory.running), (Some(false), None));
    let lines = memory.recorded.concat();
    (lines.lines().map(|line| Entry::read(line).unwrap()).collect(), memory.done)
}

fn launch(call: &mut Call<'_>, kernel: Handle, stream: Handle, memory: u64) {
    let stream = call.stream(stream, LEGACY).unwrap();
    call.launch(&request(kernel, 4, &memory.to_le_bytes()), stream).unwrap();
}

/// The launches that raced, by the later one, and how many launches nobody checked.
fn races((entries, done): &(Vec<Entry>, Done)) -> (Vec<(u64, String)>, u64) {
    let mut races = Vec::new();
    for entry in entries {
        match entry {
            Entry::Launch(launch) => {
                assert_eq!(launch.module, "kernels.ptx");
                let text = launch.findings[0].explanation.clone();
                races.push((launch.launch, text));
            }
            Entry::Copies { findings, .. } => races.push((0, findings[0].explanation.clone())),
            Entry::Failed(_)
            | Entry::Counts(_)
            | Entry::Span(_)
            | Entry::Unsupported { .. }
            | Entry::Bug { .. } => {
                panic!("{entry:?}")
            }
        }
    }
    (races, done.unchecked)
}

#[test]
fn launches_on_two_streams_race_unless_an_event_or_the_host_orders_them() {
    let racy = recorded(Choice::default(), |call, twice, [s, t], memory| {
        launch(call, twice, s, memory);
        launch(call, twice, t, memory);
    });
    let (found, _) = races(&racy);
    // A load beside a store, a store beside a load, and a store beside a store lack one wait.
    let [(2, text)] = &found[..] else { panic!("{found:?}") };
    assert!(text.contains("race on global memory"), "{text}");
    let by_event = recorded(Choice::default(), |call, twice, [s, t], memory| {
        let event = call.create_event(2).unwrap();
        launch(call, twice, s, memory);
        call.record_event(event, s, LEGACY).unwrap();
        call.wait_for_event(t, LEGACY, event).unwrap();
        launch(call, twice, t, memory);
    });
    assert_eq!(races(&by_event).0, []);
    let by_host = recorded(Choice::default(), |call, twice, [s, t], memory| {
        launch(call, twice, s, memory);
        call.synchronise_stream(s, LEGACY).unwrap();
        launch(call, twice, t, memory);
    });
    assert_eq!(races(&by_host).0, []);
}

#[test]
fn a_copy_on_another_stream_races_with_a_launch_and_with_a_copy() {
    let with_launch = recorded(Choice::default(), |call, twice, [s, t], memory| {
        launch(call, twice, s, memory);
        let t = call.stream(t, LEGACY).unwrap();
        call.copy(Spot::Host(OWN), Spot::Device(memory), 16, t, false).unwrap();
    });
    let (found, _) = races(&with_launch);
    assert_eq!(found.iter().map(|(launch, _)| *launch).collect::<Vec<_>>(), [1], "{found:?}");
    let with_copy = recorded(Choice::default(), |call, _, [s, t], memory| {
        let [s, t] = [s, t].map(|stream| call.stream(stream, LEGACY).unwrap());
        call.copy(Spot::Device(memory), Spot::Host(OWN), 16, s, false).unwrap();
        call.copy(Spot::Device(memory), Spot::Host(OWN + 16), 16, t, false).unwrap();
    });
    let (found, _) = races(&with_copy);
    assert_eq!(found.iter().map(|(launch, _)| *launch).collect::<Vec<_>>(), [0], "{found:?}");
}

#[test]
fn of_lanes_that_touch_what_follows_each_other_the_one_is_told_that_touched_the_byte() {
    for lane in 0..4 {
        let entries = recorded(Choice::default(), |call, twice, [s, t], memory| {
            launch(call, twice, s, memory);
            let t = call.stream(t, LEGACY).unwrap();
            let word = Spot::Device(memory + 4 * lane);
            call.copy(Spot::Host(OWN), word, 4, t, false).unwrap();
        });
        let Some(Entry::Launch(found)) = entries.0.first() else { panic!("{entries:?}") };
        let [finding] = &found.findings[..] else { panic!("{found:?}") };
        assert_eq!(finding.sites[0].thread, [lane as u32, 0, 0]);
        assert!(finding.notes.iter().any(|note| note == "bytes that both touch: 4"), "{finding:?}");
    }
}

#[test]
fn launches_that_are_not_chosen_are_not_checked_and_are_counted() {
    let first = Choice { first: Some(1), ..Choice::default() };
    let entries = recorded(first, |call, twice, [s, t], memory| {
        launch(call, twice, s, memory);
        launch(call, twice, t, memory);
    });
    assert_eq!(races(&entries), (vec![], 1));
    let other = Choice { only: vec!["thrice".to_owned()], ..Choice::default() };
    let entries = recorded(other, |call, twice, [s, t], memory| {
        launch(call, twice, s, memory);
        launch(call, twice, t, memory);
    });
    assert_eq!(races(&entries), (vec![], 2));
}
