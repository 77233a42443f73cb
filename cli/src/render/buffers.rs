//! Buffers as people read them: a grid of cells with the index of each row's first cell.

use warpsim::host::ArgumentPlace;
use warpsim::names;

use crate::launch::state::{BufferState, Contents, VariableState};
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
    grid(&of_parameter(state.parameter, parameter), &state.contents, as_bits, colour)
}

/// The same for a variable.
pub(crate) fn variable(state: &VariableState, as_bits: bool, colour: bool) -> String {
    grid(&state.name, &state.contents, as_bits, colour)
}

fn grid(whose: &str, state: &Contents, as_bits: bool, colour: bool) -> String {
    let heading = format!("{whose}: {}[{}]", state.element, state.shape);
    let mut text = format!("{}\n", Style::Bold.paint(&heading, colour));
    if state.is_lost() {
        let reason = "  lost: a GPU's memory does not outlive a launch that hangs or faults";
        return text + &format!("{}\n", Style::Dim.paint(reason, colour));
    }
    let cells: Vec<String> = state.cells(as_bits).map(|cell| cell.text()).collect();
    let widest = cells.iter().map(String::len).max().unwrap_or(1);
    let index_width = state.length.saturating_sub(1).to_string().len();
    // A line ends where a row of the shape does.
    let along = state.shape.dimensions().last().map_or(1, |cells| (*cells).max(1) as usize);
    let along = if state.shape.dimensions().len() > 1 { along } else { cells.len().max(1) };
    let rows = cells.chunks(along).flat_map(|row| row.chunks(per_row(widest)));
    let mut start = 0;
    for row in rows {
        let index = format!("{start:>width$} |", width = index_width + 2);
        start += row.len();
        text += &Style::Dim.paint(&index, colour);
        for cell in row {
            text += &format!(" {cell:>widest$}");
        }
        text.push('\n');
    }
    if state.is_elided() {
        let more = state.length - state.shown();
        let mut note = format!("  ... {more} more cells");
        if let Some(sha256) = &state.sha256 {
            note += &format!("; sha256 {sha256}");
        }
        text += &format!("{}\n", Style::Dim.paint(&note, colour));
    }
    text
}

/// The largest power of two of cells that fits, at most 16: eyes count in those.
fn per_row(widest: usize) -> usize {
    [16, 8, 4, 2].into_iter().find(|n| n * (widest + 1) <= WIDTH).unwrap_or(1)
}
