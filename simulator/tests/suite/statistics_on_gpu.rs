//! The statistics of the kernels of `tests/hardware/statistics.cu`, compared with what Nsight
//! Compute counted on a GPU (`scripts/ncu_kernels.py` writes the recording).
//!
//! Compared are requests, sectors, passes, bank conflicts, divergent branches, barriers, additions
//! and multiplications of floating-point numbers, and limits of occupancy. Numbers of instructions
//! are not: a GPU executes other instructions than PTX's. Without a recording the test says that it
//! compared nothing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;
use warpsim::host::{Argument, Device, DeviceProfile, Launch, Simulator};
use warpsim::observe::{MemoryOperation, Precision, Statistics};
use warpsim::report::Outcome;

/// Ints in each of the two buffers.
const CELLS: u32 = 1 << 16;

/// Numbers that hardware counts in another way, each with the reason: `(kernel, metric, reason)`.
const DIFFERENT: [(&str, &str, &str); 1] = [(
    "half_a_warp",
    "smsp__sass_branch_targets_threads_divergent.sum",
    "the driver's compiler gives the body a predicate, so hardware has no branch",
)];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/hardware")
}

/// The kernels with their launches, as the source's `LAUNCH(name, blocks, threads)` say.
fn launches() -> Vec<(String, Launch)> {
    let source = std::fs::read_to_string(folder().join("statistics.cu")).unwrap();
    let lines = source.lines().filter_map(|line| line.trim().strip_prefix("LAUNCH("));
    let launch = |line: &str| {
        let parts: Vec<&str> = line.trim_end_matches(')').split(", ").collect();
        let [name, blocks, threads] = parts[..] else { panic!("{line}") };
        (name.to_owned(), Launch::new(blocks.parse().unwrap(), threads.parse().unwrap()))
    };
    lines.map(launch).collect()
}

/// What each kernel does here.
fn counted() -> BTreeMap<String, Statistics> {
    let text = std::fs::read_to_string(folder().join("statistics.o3.ptx")).unwrap();
    let parsed = warpsim::ptx::parse("statistics.o3.ptx", &text).unwrap();
    let mut all = BTreeMap::new();
    for (name, launch) in launches() {
        let mut gpu = Simulator::default();
        let module = gpu.load(&parsed).unwrap();
        let bytes = u64::from(4 * CELLS);
        let (a, b) = (gpu.allocate(bytes).unwrap(), gpu.allocate(bytes).unwrap());
        let cells: Vec<u8> = (0..CELLS).flat_map(u32::to_le_bytes).collect();
        gpu.upload(a, &cells).unwrap();
        gpu.upload(b, &vec![0; cells.len()]).unwrap();
        let mut statistics = Statistics::default();
        let arguments = [Argument::Pointer(a), Argument::Pointer(b)];
        let report = gpu.launch_observed(module, &name, &launch, &arguments, &mut statistics);
        assert_eq!(report.unwrap().outcome, Outcome::Completed, "{name}");
        all.insert(name, statistics);
    }
    all
}

/// The numbers of a kernel that do not depend on how it was compiled, by Nsight Compute's names.
fn comparable(statistics: &Statistics) -> BTreeMap<String, f64> {
    let of = |operation: MemoryOperation| {
        statistics.requests.get(&operation).copied().unwrap_or_default()
    };
    let (load, store) = (of(MemoryOperation::Load), of(MemoryOperation::Store));
    // The driver's compiler makes a reduction of an atomic whose old value nobody uses.
    let mut atomic = of(MemoryOperation::Atomic);
    atomic.add(&of(MemoryOperation::Reduction));
    let mut all = BTreeMap::new();
    for (op, usage) in [("ld", load), ("st", store), ("atom+red", atomic)] {
        let name = |what: &str| format!("l1tex__t_{what}_pipe_lsu_mem_global_op_{op}.sum");
        all.insert(name("requests"), usage.global.requests as f64);
        all.insert(name("sectors"), usage.global.taken as f64);
    }
    for (op, usage) in [("ld", load), ("st", store)] {
        let passes = format!("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum");
        let conflicts = format!("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum");
        let requests = format!("smsp__inst_executed_op_shared_{op}.sum");
        all.insert(passes, usage.shared.taken as f64);
        all.insert(conflicts, usage.shared.conflicts as f64);
        all.insert(requests, usage.shared.requests as f64);
    }
    for precision in [Precision::Fp16, Precision::Fp32, Precision::Fp64] {
        let of = statistics.floating.get(&precision).copied().unwrap_or_default();
        let counts = [of.additions, of.multiplications, of.fused];
        let names = precision.metrics().map(str::to_owned);
        all.extend(names.into_iter().zip(counts.map(|lanes| lanes as f64)));
    }
    let total = statistics.total();
    let divergent = "smsp__sass_branch_targets_threads_divergent.sum";
    all.insert(divergent.to_owned(), total.divergent as f64);
    all.insert("BAR".to_owned(), total.arrivals as f64);
    let occupancy = statistics.occupancy(&DeviceProfile::h200()).unwrap();
    for (name, value) in [("blocks", occupancy.by_blocks), ("warps", occupancy.by_warps)] {
        all.insert(format!("launch__occupancy_limit_{name}"), value as f64);
    }
    all
}

/// A number of a recorded kernel; `None` where it was not recorded.
fn recorded(kernel: &Value, name: &str) -> Option<f64> {
    if name == "BAR" {
        let opcodes = kernel.get("sass__inst_executed_per_opcode")?.as_object()?;
        // Opcodes that were not executed are left out.
        return Some(opcodes.get("BAR").map_or(0.0, |count| count.as_f64().unwrap()));
    }
    if name.contains("atom+red") {
        let of = |op: &str| kernel.get(name.replace("atom+red", op))?.as_f64();
        return Some(of("atom")? + of("red")?);
    }
    kernel.get(name)?.as_f64()
}

#[test]
fn the_numbers_are_those_that_a_gpu_counts() {
    let recordings: Vec<PathBuf> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            let name = path.file_name().unwrap().to_string_lossy();
            name.starts_with("statistics_") && name.ends_with(".json")
        })
        .collect();
    if recordings.is_empty() {
        eprintln!("statistics on a GPU: skipped: no recording; scripts/ncu_kernels.py makes one");
        return;
    }
    let here = counted();
    let (mut compared, mut wrong) = (0, Vec::new());
    for path in recordings {
        let recording = std::fs::read_to_string(&path).unwrap();
        let recording: Value = serde_json::from_str(&recording).unwrap();
        for (kernel, statistics) in &here {
            for (name, ours) in comparable(statistics) {
                let theirs = recording["kernels"].get(kernel).and_then(|of| recorded(of, &name));
                let is_different =
                    DIFFERENT.iter().any(|d| (d.0, d.1) == (kernel.as_str(), &*name));
                let Some(theirs) = theirs.filter(|_| !is_different) else { continue };
                compared += 1;
                if theirs != ours {
                    wrong.push(format!("{kernel}: {name}: {theirs} on the GPU, {ours} here"));
                }
            }
        }
    }
    eprintln!("statistics on a GPU: {compared} numbers of {} kernels compared", here.len());
    assert!(compared >= 100, "only {compared} numbers were compared");
    assert!(wrong.is_empty(), "{} of {compared} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// The requests, sectors, passes and conflicts of kernels, by hand from the definitions: loads from
/// global memory, stores there, and loads from shared memory.
#[test]
fn the_kernels_for_a_gpu_have_the_numbers_worked_out_by_hand() {
    let all = counted();
    assert!(all.len() >= 20, "{} kernels", all.len());
    let of =
        |name: &str, operation| all[name].requests.get(&operation).copied().unwrap_or_default();
    let global = |name: &str, operation: MemoryOperation| {
        let usage = of(name, operation);
        (usage.global.requests, usage.global.taken)
    };
    use MemoryOperation::{Atomic, Load, Store};
    // 4 blocks of 4 warps: 16 requests, each of 128 bytes in 4 sectors.
    assert_eq!((global("copy", Load), global("copy", Store)), ((16, 64), (16, 64)));
    assert_eq!(global("copy_shifted", Load), (16, 16 * 5));
    assert_eq!(global("load_stride_2", Load), (16, 16 * 8));
    assert_eq!(global("load_stride_32", Load), (16, 16 * 32));
    assert_eq!(global("store_stride_32", Store), (16, 16 * 32));
    assert_eq!(global("load_one", Load), (16, 16));
    assert_eq!(global("half_a_warp", Load), (16, 16 * 2));
    assert_eq!(global("copy_bytes", Load), (16, 16));
    assert_eq!(global("copy_8", Load), (16, 16 * 8));
    assert_eq!(global("copy_16", Load), (16, 16 * 16));
    assert_eq!(global("load_16_stride_64", Load), (16, 16 * 32));
    // 400 threads with three additions, two multiplications and a fused one each; 512 threads.
    let floating = |name: &str, precision: Precision| {
        let of = all[name].floating[&precision];
        [of.additions, of.multiplications, of.fused, of.operations]
    };
    assert_eq!(floating("singles", Precision::Fp32), [1200, 800, 400, 400 * (3 + 2 + 2)]);
    assert_eq!(floating("doubles", Precision::Fp64), [1536, 1024, 512, 512 * (3 + 2 + 2)]);
    assert_eq!(floating("pairs_of_halves", Precision::Fp16), [0, 512, 512, 512 * 2 * (1 + 2)]);
    // 32 rounds of one sector; one round of 4.
    assert_eq!(global("reduce_one", Atomic), (16, 16 * 32));
    assert_eq!(global("reduce_row", Atomic), (16, 16 * 4));
    // 4 blocks of one warp; the passes and the conflicts of a request.
    for (name, passes, conflicts) in [
        ("shared_row", 1, 0),
        ("shared_stride_2", 2, 1),
        ("shared_column", 32, 31),
        ("shared_padded", 1, 0),
        ("shared_row_8", 2, 0),
        ("shared_column_8", 32, 30),
        ("shared_row_16", 4, 0),
        ("shared_column_16", 32, 28),
        ("shared_one", 1, 0),
    ] {
        let usage = of(name, Load).shared;
        let found = (usage.requests, usage.taken, usage.conflicts);
        assert_eq!(found, (4, 4 * passes, 4 * conflicts), "{name}");
    }
    // One branch of each warp parts its lanes, or none does; 4 turns of 2 barriers for 8 warps.
    assert_eq!(all["branch_parts_lanes"].total().divergent, 16);
    assert_eq!(all["branch_parts_warps"].total().divergent, 0);
    assert_eq!(all["barriers"].total().arrivals, 4 * 8 * 4 * 2);
}
