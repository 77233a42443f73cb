//! Tables in plain text.

/// Lines whose cells are aligned in columns, with two blanks between them.
pub(crate) fn columns(rows: &[Vec<String>]) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|c| c.chars().count()).max()
    };
    let widths: Vec<usize> = (0..count).map(|column| width(column).unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::columns;

    #[test]
    fn cells_stand_below_each_other_without_blanks_at_the_end() {
        let rows = [["a", "b"], ["long", ""]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(columns(&rows), "a     b\nlong\n");
    }
}
