//! What the journal has of a program beyond findings: how its kernels used the machine, and when
//! its operations were carried out.

use warpsim::observe::MemoryOperation;
use warpsim::report::Outcome;

use super::*;
use crate::{CountsEntry, Entry, SpanEntry, SpanTask, Spot};

/// Two launches of `twice` by a warp, a copy to the device and back, a set; the whole journal.
fn program(options: Options) -> Vec<Entry> {
    let (driver, fake, mut caller) = driver(options);
    let mut call = driver.enter(&mut caller).unwrap();
    let module = call.load_module(KERNELS.as_bytes(), Some("kernels.ptx")).unwrap();
    let twice = call.module_function(module, "twice").unwrap();
    let memory = call.allocate(128).unwrap();
    let stream = call.create_stream(0, 0).unwrap();
    let stream = call.stream(stream, LEGACY).unwrap();
    call.copy(Spot::Device(memory), Spot::Host(OWN), 128, stream, true).unwrap();
    for _ in 0..2 {
        call.launch(&request(twice, 32, &memory.to_le_bytes()), stream).unwrap();
    }
    call.copy(Spot::Host(OWN), Spot::Device(memory), 64, stream, true).unwrap();
    call.set(memory, &[7], [100, 1], 0, stream).unwrap();
    drop(call);
    driver.finish(false);
    let recorded = fake.0.lock().unwrap().recorded.concat();
    recorded.lines().map(|line| Entry::read(line).unwrap()).collect()
}

#[test]
fn a_kernel_has_the_counts_of_its_launches_so_far_and_in_the_end_of_all() {
    for check in [false, true] {
        let counts = |entry| match entry {
            Entry::Counts(counts) => Some(*counts),
            _ => None,
        };
        let options = Options { stats: true, check, ..Options::default() };
        let all: Vec<CountsEntry> = program(options).into_iter().filter_map(counts).collect();
        let launches: Vec<u64> = all.iter().map(|entry| entry.launches).collect();
        assert_eq!(launches, [1, 2], "check: {check}");
        for CountsEntry { kernel, module, launches, totals, .. } in &all {
            assert_eq!((&**kernel, &**module), ("twice", "kernels.ptx"));
            // 32 words side by side: four sectors of 32 bytes.
            for operation in [MemoryOperation::Load, MemoryOperation::Store] {
                let global = totals.requests[&operation].global;
                assert_eq!((global.requests, global.taken), (*launches, 4 * launches));
            }
            assert_eq!(totals.last.unwrap().block, [32, 1, 1]);
        }
    }
    assert_eq!(program(Options::default()), []);
}

#[test]
fn operations_have_their_times_and_their_places_on_the_device_one_after_the_other() {
    for check in [false, true] {
        let span = |entry| match entry {
            Entry::Span(span) => Some(span),
            _ => None,
        };
        let options = Options { timeline: true, check, ..Options::default() };
        let all: Vec<SpanEntry> = program(options).into_iter().filter_map(span).collect();
        let launch = |number| SpanTask::Launch {
            launch: number,
            kernel: "twice".to_owned(),
            module: "kernels.ptx".to_owned(),
            grid: [1; 3],
            block: [32, 1, 1],
            shared: 0,
            outcome: Outcome::Completed,
            is_checked: check,
        };
        let tasks: Vec<SpanTask> = all.iter().map(|span| span.task.clone()).collect();
        let copy = |from_host, bytes| SpanTask::Copy { from_host, to_host: !from_host, bytes };
        let wanted =
            [copy(true, 128), launch(1), launch(2), copy(false, 64), SpanTask::Set { bytes: 100 }];
        assert_eq!(tasks, wanted, "check: {check}");
        assert!(all.iter().all(|span| span.stream != 0 && span.context == all[0].context));
        for pair in all.windows(2) {
            let [before, after] = pair else { panic!() };
            assert!(before.start + before.nanoseconds < after.start);
            assert!(before.operations.1 < after.operations.0);
            assert!(before.operations.0 <= before.operations.1);
        }
    }
}
