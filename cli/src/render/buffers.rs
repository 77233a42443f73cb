//! Buffers as people read them: a grid of cells with the index of each row's first.

use warpsim::host::ArgumentPlace;
use warpsim::names;

use crate::launch::state::BufferState;
use crate::output::Style;

/// Columns of a row, about.
const WIDTH: usize = 96;

/// Whose buffer it is, in a heading: `1 pout`, or `parameter 1 of scan`.
pub(crate) fn of_parameter(place: ArgumentPlace, name: &str) -> String {
    place.of_parameter(&match names::made_up(name) {
        Some(_) => names::parameter(name),
        None => format!("{} {name}", place.argument),
    })
}

/// A heading and a grid.
pub(crate) fn buffer(state: &BufferState, parameter: &str, as_bits: bool, colour: bool) -> String {
    let whose = of_parameter(state.parameter, parameter);
    let heading = format!("{whose}: {}[{}]", state.element, state.length);
    let mut text = format!("{}\n", Style::Bold.paint(&heading, colour));
    if state.is_lost() {
        let reason = "  lost: a GPU's memory does not outlive a launch that hangs or faults";
        return text + &format!("{}\n", Style::Dim.paint(reason, colour));
    }
    let cells: Vec<String> = state.cells(as_bits).map(|cell| cell.text()).collect();
    let widest = cells.iter().map(String::len).max().unwrap_or(1);
    let index_width = state.length.saturating_sub(1).to_string().len();
    for (row, start) in cells.chunks(per_row(widest)).zip((0..).step_by(per_row(widest))) {
        let index = format!("{start:>width$} |", width = index_width + 2);
        text += &Style::Dim.paint(&index, colour);
        for cell in row {
            text += &format!(" {cell:>widest$}");
        }
        text.push('\n');
    }
    if state.is_elided() {
        let more = state.length - state.shown();
        let sha256 = state.sha256.as_deref().unwrap_or_default();
        let note = format!("  ... {more} more cells; sha256 {sha256}");
        text += &format!("{}\n", Style::Dim.paint(&note, colour));
    }
    text
}

/// The largest power of two of cells that fits, at most 16: eyes count in those.
fn per_row(widest: usize) -> usize {
    [16, 8, 4, 2].into_iter().find(|n| n * (widest + 1) <= WIDTH).unwrap_or(1)
}
