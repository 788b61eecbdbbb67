//! Plain columns, for text of any kind.

/// Rows of cells as lines: the first column to the left, the others to the right, two spaces apart.
pub fn columns(rows: &[Vec<String>]) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cell = |row: &Vec<String>, n: usize| row.get(n).map_or(0, |cell| cell.chars().count());
    let width = |n| rows.iter().map(|row| cell(row, n)).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate();
        let cells = cells.map(|(n, (cell, &width))| match n {
            0 => format!("{cell:<width$}"),
            _ => format!("  {cell:>width$}"),
        });
        format!("{}\n", cells.collect::<Vec<_>>().concat().trim_end())
    };
    rows.iter().map(line).collect::<Vec<_>>().concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_below_each_other() {
        let row = |cells: [&str; 2]| cells.map(str::to_owned).to_vec();
        let text = columns(&[row(["link", "packets"]), row(["röntgen", "7"])]);
        assert_eq!(text, "link     packets\nröntgen        7\n");
    }
}
