//! Memory that host and device share, written by both.

use super::*;
use crate::{Call, Entry, LaunchEntry, Spot};

/// A kernel that adds 1 to the word at an address, and a variable that the host has, too.
const MODULE: &str = ".version 7.0 .target sm_80 .address_size 64
    .visible .global .align 8 .b8 variable[4096];
    .visible .entry more(.param .u64 p) {
      .reg .u64 %a; .reg .u32 %v; ld.param.u64 %a, [p];
      ld.global.u32 %v, [%a]; add.u32 %v, %v, 1; st.global.u32 [%a], %v; ret;
    }";

/// The kinds of memory that host and device share.
const KINDS: [&str; 4] = ["page-locked", "managed", "registered", "variable"];

/// 4096 bytes of a kind: where they are on the host, and on the device.
fn shared(call: &mut Call<'_>, module: Handle, kind: &str) -> (u64, u64) {
    match kind {
        "page-locked" => {
            let memory = call.allocate_locked(4096, 0).unwrap();
            (memory, memory)
        }
        "managed" => {
            let memory = call.allocate_managed(4096, 1).unwrap();
            (memory, memory)
        }
        "registered" => {
            call.register(OWN, 4096, 0).unwrap();
            (OWN, call.pointer(OWN).unwrap().device)
        }
        "variable" => {
            let memory = call.managed_variable(module, "variable").unwrap();
            (memory, memory)
        }
        other => panic!("{other}"),
    }
}

/// Something that the device does to the first word.
fn operate(call: &mut Call<'_>, module: Handle, what: &str, (host, memory): (u64, u64)) {
    let more = call.module_function(module, "more").unwrap();
    let stream = call.stream(0, LEGACY).unwrap();
    match what {
        "kernel" => call.launch(&request(more, 1, &memory.to_le_bytes()), stream).unwrap(),
        // The word is 1, as the kernel leaves it.
        "set" => call.set(memory, &[1, 0, 0, 0], [1, 1], 0, stream).unwrap(),
        "copy" => {
            call.copy(Spot::Unified(host), Spot::Host(OWN + 8192), 4, stream, false).unwrap();
        }
        other => panic!("{other}"),
    }
}

/// A host that writes while an operation runs loses nothing, whatever it is, and the operation's
/// own writes are there, too.
#[test]
fn what_the_host_writes_beside_an_operation_is_never_lost() {
    for check in [false, true] {
        for kind in KINDS {
            for what in ["kernel", "set", "copy"] {
                let (driver, fake, mut caller) = driver(Options { check, ..Options::default() });
                let mut call = driver.enter(&mut caller).unwrap();
                let module = call.load_module(MODULE.as_bytes(), None).unwrap();
                let (host, memory) = shared(&mut call, module, kind);
                let piece =
                    |at: u64, bytes: usize| fake.0.lock().unwrap().piece(host + at, bytes).to_vec();
                fake.0.lock().unwrap().piece(OWN + 8192, 1)[0] = 1;
                fake.0.lock().unwrap().piece(host + 9, 1)[0] = 1;
                // Beside the word, in the word of eight bytes, far away, and where something else
                // was before.
                let meanwhile = [(4, vec![2]), (7, vec![3]), (4000, vec![4, 5]), (9, vec![6])];
                let meanwhile = meanwhile.map(|(at, bytes)| (host + at, bytes));
                fake.0.lock().unwrap().meanwhile = meanwhile.to_vec();
                operate(&mut call, module, what, (host, memory));
                assert_eq!(fake.0.lock().unwrap().meanwhile, [], "{kind} {what}");
                assert_eq!(piece(0, 10), [1, 0, 0, 0, 2, 0, 0, 3, 0, 6], "{kind} {what}");
                assert_eq!(piece(4000, 2), [4, 5], "{kind} {what}");
                // The device has it at the next operation, and gives nothing old back.
                let more = call.module_function(module, "more").unwrap();
                let stream = call.stream(0, LEGACY).unwrap();
                let next = (memory + 4).to_le_bytes();
                call.launch(&request(more, 1, &next), stream).unwrap();
                call.synchronise_context().unwrap();
                assert_eq!(piece(0, 10), [1, 0, 0, 0, 3, 0, 0, 3, 0, 6], "{kind} {what}");
                assert_eq!(piece(4000, 2), [4, 5], "{kind} {what}");
            }
        }
    }
}

/// The races that were recorded, in words.
fn races(fake: &Fake) -> Vec<String> {
    let recorded = fake.0.lock().unwrap().recorded.concat();
    let mut races = Vec::new();
    for line in recorded.lines() {
        match Entry::read(line).unwrap() {
            Entry::Launch(LaunchEntry { findings, .. }) | Entry::Copies { findings, .. } => {
                races.extend(findings.into_iter().map(|finding| finding.explanation));
            }
            other @ (Entry::Failed(_)
            | Entry::Counts(_)
            | Entry::Span(_)
            | Entry::Unsupported { .. }
            | Entry::Bug { .. }) => {
                panic!("{other:?}")
            }
        }
    }
    races
}

/// The calls that look at what the host has written, before they order anything.
const CALLS: [&str; 6] = ["stream", "event", "context", "copy", "free", "end"];

/// A host that writes what a kernel reads and writes, without waiting for it, or when it has
/// waited.
#[test]
fn a_write_of_the_host_that_nothing_orders_is_a_race_at_whatever_call_it_is_seen() {
    for kind in KINDS {
        for sees in CALLS {
            for waits in [false, true] {
                let options = Options { check: true, ..Options::default() };
                let (driver, fake, mut caller) = driver(options);
                let mut call = driver.enter(&mut caller).unwrap();
                let module = call.load_module(MODULE.as_bytes(), None).unwrap();
                let (host, memory) = shared(&mut call, module, kind);
                let more = call.module_function(module, "more").unwrap();
                let handle = call.create_stream(1, 0).unwrap();
                let stream = call.stream(handle, LEGACY).unwrap();
                let event = call.create_event(0).unwrap();
                call.launch(&request(more, 1, &memory.to_le_bytes()), stream).unwrap();
                call.record_event(event, handle, LEGACY).unwrap();
                if waits {
                    call.synchronise_stream(handle, LEGACY).unwrap();
                }
                fake.0.lock().unwrap().piece(host, 4)[1] = 7;
                match sees {
                    "stream" => call.synchronise_stream(handle, LEGACY).unwrap(),
                    "event" => call.synchronise_event(event).unwrap(),
                    "context" => call.synchronise_context().unwrap(),
                    "copy" => call
                        .copy(Spot::Host(OWN + 8192), Spot::Unified(host + 64), 4, stream, true)
                        .unwrap(),
                    "free" => drop(match kind {
                        "page-locked" => call.free_locked(memory),
                        "managed" => call.free(memory),
                        "registered" => call.unregister(host),
                        // It goes with its module; another call sees it.
                        "variable" => call.synchronise_context(),
                        other => panic!("{other}"),
                    }),
                    "end" => {}
                    other => panic!("{other}"),
                }
                drop(call);
                driver.finish(false);
                let races = races(&fake);
                // The kernel's load and its store lack one wait.
                let wanted = if waits { 0 } else { 1 };
                assert_eq!(races.len(), wanted, "{kind} {sees} {races:?}");
                let told = |text: &String| text.ends_with("in stream 1 and the host's write");
                assert!(races.iter().all(told), "{kind} {sees} {races:?}");
            }
        }
    }
}
