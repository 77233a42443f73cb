//! Two forms of a function side by side, aligned by the identity of instructions.
//!
//! A pass keeps the identity of what it leaves alone, so nothing is guessed from text. An
//! instruction shares a row with itself, or with the instruction that replaced it. An instruction
//! that moved against the order of the rest has its own row, on either side.

use std::collections::HashMap;

use warpsim::ptx::{Block, InstId, Source, Statement};

/// An instruction or a label of a body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    /// Its identity; `None` for a label.
    pub(crate) inst: Option<InstId>,
    /// The text, one blank between words.
    pub(crate) text: String,
    /// Its line in the PTX text, from 1.
    pub(crate) number: u32,
}

/// A row of the two columns.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) before: Option<Line>,
    pub(crate) after: Option<Line>,
}

impl Row {
    /// Whether both sides say the same.
    pub(crate) fn is_same(&self) -> bool {
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => before.text == after.text,
            _ => false,
        }
    }
}

/// The instructions and labels of a body and its nested scopes, in order.
pub(crate) fn lines(body: &Block, source: &Source) -> Vec<Line> {
    let line = |statement: &Statement| match statement {
        Statement::Instruction(instruction) => Some(Line {
            inst: Some(instruction.id),
            text: instruction.to_string().replace([' ', '\t'], " ").replace("  ", " "),
            number: source.line(instruction.span.start),
        }),
        Statement::Label(name) => Some(Line {
            inst: None,
            text: format!("{}:", name.text),
            number: source.line(name.span.start),
        }),
        _ => None,
    };
    body.walk().filter_map(line).collect()
}

/// Aligns two forms. `replaced` says which new instruction replaces which old one.
pub(crate) fn align(
    before: Vec<Line>,
    after: Vec<Line>,
    replaced: &HashMap<InstId, InstId>,
) -> Vec<Row> {
    let position: HashMap<&str, usize> = after.iter().zip(0..).map(label_position).collect();
    let by_inst: HashMap<InstId, usize> =
        after.iter().zip(0..).filter_map(|(line, i)| Some((line.inst?, i))).collect();
    let partner = |line: &Line| match line.inst {
        Some(inst) => {
            let replacement = replaced.get(&inst).and_then(|new| by_inst.get(new));
            by_inst.get(&inst).or(replacement).copied()
        }
        None => position.get(line.text.as_str()).copied(),
    };
    let partners: Vec<Option<usize>> = before.iter().map(partner).collect();
    let kept = longest_increasing(&partners);
    let mut rows = Vec::new();
    let mut after = after.into_iter().enumerate().peekable();
    for ((line, partner), kept) in before.into_iter().zip(partners).zip(kept) {
        let Some(partner) = partner.filter(|_| kept) else {
            rows.push(Row { before: Some(line), after: None });
            continue;
        };
        while let Some((_, alone)) = after.next_if(|(i, _)| *i < partner) {
            rows.push(Row { before: None, after: Some(alone) });
        }
        rows.push(Row { before: Some(line), after: after.next().map(|(_, line)| line) });
    }
    rows.extend(after.map(|(_, alone)| Row { before: None, after: Some(alone) }));
    rows
}

fn label_position((line, index): (&Line, usize)) -> (&str, usize) {
    (line.text.as_str(), index)
}

/// Which of the positions belong to one longest increasing subsequence (patience sorting).
fn longest_increasing(positions: &[Option<usize>]) -> Vec<bool> {
    // For each length, the index of the smallest last element so far; and predecessors.
    let mut ends: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = vec![None; positions.len()];
    for (index, position) in positions.iter().enumerate() {
        let Some(position) = position else { continue };
        let length = ends.partition_point(|end| positions[*end].is_some_and(|p| p < *position));
        previous[index] = length.checked_sub(1).and_then(|l| ends.get(l)).copied();
        if length == ends.len() {
            ends.push(index);
        } else {
            ends[length] = index;
        }
    }
    let mut chosen = vec![false; positions.len()];
    let mut at = ends.last().copied();
    while let Some(index) = at {
        chosen[index] = true;
        at = previous[index];
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(id: u32) -> Line {
        Line { inst: Some(InstId(id)), text: format!("i{id}"), number: id }
    }

    fn shape(rows: &[Row]) -> String {
        let side = |l: &Option<Line>| l.as_ref().map_or("-".to_owned(), |l| l.text.clone());
        let rows = rows.iter().map(|r| format!("{}|{}", side(&r.before), side(&r.after)));
        rows.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_is_kept_shares_a_row_and_what_moved_stands_alone() {
        let before = [1, 2, 3, 4, 5].map(line).to_vec();
        let after = [1, 3, 4, 2, 5].map(line).to_vec();
        assert_eq!(
            shape(&align(before, after, &HashMap::new())),
            "i1|i1 i2|- i3|i3 i4|i4 -|i2 i5|i5"
        );
    }

    #[test]
    fn a_replacement_stands_beside_what_it_replaced() {
        let replaced = HashMap::from([(InstId(2), InstId(9))]);
        let rows = align([1, 2, 3].map(line).to_vec(), [1, 9].map(line).to_vec(), &replaced);
        assert_eq!(shape(&rows), "i1|i1 i2|i9 i3|-");
    }
}
