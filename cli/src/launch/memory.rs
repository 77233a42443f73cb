//! Checks whether buffers fit into memory, before anything is allocated.

use std::fs;

use crate::failure::Failure;
use crate::spec::Spec;

/// Refuses buffers that are together larger than the device's memory or than this machine's.
pub(super) fn check(specs: &[Spec], memory: u64) -> Result<(), Failure> {
    let mut total: u64 = 0;
    let buffers = specs.iter().enumerate().flat_map(|(k, spec)| spec.buffers(k));
    for (place, buffer) in buffers {
        let sum = buffer.bytes().and_then(|bytes| total.checked_add(bytes));
        total = sum.filter(|sum| *sum <= memory).ok_or_else(|| {
            Failure::usage(format!(
                "{}: {}[{}] does not fit into the device's memory of {memory} bytes",
                place.in_words(),
                buffer.element,
                buffer.length
            ))
        })?;
    }
    match host_memory() {
        Some(free) if total > free => Err(Failure::usage(format!(
            "the buffers need {total} bytes, but this machine has {free} bytes of free memory"
        ))),
        _ => Ok(()),
    }
}

/// Bytes of memory that this process may still take, if the system says.
pub(crate) fn host_memory() -> Option<u64> {
    let meminfo = fs::read_to_string("/proc/meminfo").ok()?;
    let line = meminfo.lines().find_map(|l| l.strip_prefix("MemAvailable:"))?;
    let available = line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024;
    let limit = fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let limit = limit.and_then(|l| l.trim().parse().ok()).unwrap_or(u64::MAX);
    Some(available.min(limit))
}
