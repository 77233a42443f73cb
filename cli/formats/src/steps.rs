//! A step of a trace as a row of JSON: what each register and each address was, lane by lane.

use serde::Serialize;
use warpsim::lanes::LANES;
use warpsim::observe::{AccessKind, Pending, Step, Touch, Values};

use crate::findings::{SourceRow, source_row, space_name};

/// A step of a trace.
#[derive(Serialize)]
pub struct Row<'a> {
    step: usize,
    block: [u32; 3],
    warp: u32,
    mask: String,
    active: String,
    op: &'a str,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    ptx_file: Option<&'a str>,
    ptx_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<SourceRow<'a>>,
    reads: Vec<RegisterRow<'a>>,
    writes: Vec<RegisterRow<'a>>,
    memory: Vec<TouchRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pending: Vec<PendingRow<'a>>,
}

/// A register of the lanes for which the instruction had an effect; `null` for the others.
#[derive(Serialize)]
struct RegisterRow<'a> {
    register: &'a str,
    #[serde(rename = "type")]
    ty: String,
    bits: Vec<Option<String>>,
}

#[derive(Serialize)]
struct TouchRow {
    kind: &'static str,
    space: &'static str,
    bytes: u32,
    addresses: Vec<Option<u64>>,
}

#[derive(Serialize)]
struct PendingRow<'a> {
    register: &'a str,
    lanes: String,
}

/// The row of a step.
pub fn row(step: &Step) -> Row<'_> {
    Row {
        step: step.number,
        block: step.block_index,
        warp: step.warp,
        mask: format!("{:#010x}", step.mask),
        active: format!("{:#010x}", step.active),
        op: &step.name,
        text: &step.text,
        ptx_file: step.file.as_deref(),
        ptx_line: step.line,
        source: step.source.as_ref().map(source_row),
        reads: step.reads.iter().map(|v| register_row(v, step.active)).collect(),
        writes: step.writes.iter().map(|v| register_row(v, step.active)).collect(),
        memory: step.touches.iter().map(touch_row).collect(),
        pending: step.pending.iter().map(pending_row).collect(),
    }
}

fn register_row(values: &Values, active: u32) -> RegisterRow<'_> {
    let bits = |lane: usize| format!("{:#x}", values.bits[lane]);
    RegisterRow {
        register: &values.register,
        ty: values.ty.to_string().trim_start_matches('.').to_owned(),
        bits: (0..LANES).map(|l| (active >> l & 1 == 1).then(|| bits(l))).collect(),
    }
}

fn touch_row(touch: &Touch) -> TouchRow {
    let here = |lane: usize| touch.mask >> lane & 1 == 1;
    TouchRow {
        kind: match touch.kind {
            AccessKind::Read => "read",
            AccessKind::Write => "write",
            AccessKind::Atomic => "atomic",
        },
        space: space_name(touch.space),
        bytes: touch.bytes,
        addresses: (0..LANES).map(|l| here(l).then(|| touch.addresses[l])).collect(),
    }
}

fn pending_row(pending: &Pending) -> PendingRow<'_> {
    PendingRow { register: &pending.holder, lanes: format!("{:#010x}", pending.lanes) }
}
