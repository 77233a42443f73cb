//! Buffers and findings as rows of an answer.

use serde::Serialize;
use serde_json::{Value, json};
use warpsim::host::Device;
use warpsim::internal;
use warpsim::internal::InternalError;
use warpsim::report::Finding;
use warpsim_formats::findings::finding_row;
use warpsim_formats::spec::cell::Cell;

use crate::ready::Ready;
use crate::refusal::Refusal;

/// Cells of a buffer that are shown.
const CELLS: u64 = 1024;

/// What the buffers of a launch hold, as far as it is shown.
pub(crate) fn buffers(ready: &mut Ready) -> Result<Vec<Value>, Refusal> {
    let Ready { gpu, module, buffers, .. } = ready;
    let mut all = Vec::new();
    for buffer in buffers {
        let shown = buffer.length.min(CELLS);
        // No more than a thousand cells of at most eight bytes.
        let mut bytes = vec![0; shown as usize * buffer.element.size()];
        gpu.download(buffer.pointer, &mut bytes).map_err(|error| Refusal::device(error, module))?;
        let element = buffer.element;
        let cells = element.numbers(&bytes);
        let cells = cells.map(|bits| cell(Cell { element, bits, as_bits: false }));
        let cells = cells.collect::<Result<Vec<Value>, Refusal>>()?;
        all.push(json!({
            "param": buffer.parameter.argument,
            "type": element.name(),
            "len": buffer.length,
            "values": cells,
        }));
    }
    Ok(all)
}

/// The greatest integer below which JavaScript has all of them.
const EXACT: u128 = 1 << 53;

/// A cell: a number where JavaScript has it exactly, otherwise its text.
fn cell(cell: Cell) -> Result<Value, Refusal> {
    match cell.element.integer(cell.bits) {
        Some(integer) if integer.unsigned_abs() <= EXACT => Ok(value(&cell)?),
        Some(_) | None => Ok(Value::String(cell.text())),
    }
}

/// Findings; each with the schedule that shows it.
pub(crate) fn rows(findings: &[Finding]) -> Result<Vec<Value>, InternalError> {
    let schedule = |finding: &Finding| finding.replay.clone().unwrap_or_else(in_order);
    findings.iter().map(|finding| value(&finding_row(finding, &schedule(finding)))).collect()
}

fn in_order() -> String {
    "in-order".to_owned()
}

/// A row as a value. One that JSON cannot hold is a bug in warpsim.
pub(crate) fn value(row: &impl Serialize) -> Result<Value, InternalError> {
    serde_json::to_value(row).map_err(|error| internal!("a row that JSON cannot hold: {error}"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_row_that_json_cannot_hold_is_our_bug_and_not_null() {
        assert_eq!(value(&7).unwrap(), json!(7));
        // Keys of an object are texts.
        let bug = value(&BTreeMap::from([((), 1)])).unwrap_err();
        assert!(bug.what.starts_with("a row that JSON cannot hold"), "{bug}");
        let document = Refusal::from(bug).document();
        assert_eq!(document["error"]["kind"], "bug");
    }
}
