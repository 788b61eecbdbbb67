//! Long tables and many plots, too much for a page at once. The page has them as text, and its
//! script shows a page of a table, or a plot that is in view. A browser needs a hundred times as much memory for
//! what it shows.

use std::fmt::Write;

use serde::Serialize;

use super::super::grid::Grid;
use super::Script;

/// A table with at most this many rows is shown as it is.
const SHORT: usize = 240;
/// Rows that are shown of a longer one where there is no script, and at first.
const FIRST: usize = 25;
/// Most rows of a table.
pub(super) const MOST_ROWS: usize = 100_000;
/// Most bytes of text of all tables, and of all plots that are drawn when they are in view.
const TABLES: usize = 32 << 20;
const PLOTS: usize = 24 << 20;
/// Bytes of plots that are drawn at once.
const AT_ONCE: usize = 1 << 20;

/// The script of a page that has something of this kind.
pub(super) const SCRIPT: Script = Script {
    text: include_str!("page.js"),
    hash: include_str!("page.js.sha256").trim_ascii(),
};

/// A table of a page with the place of the rest of its data.
#[derive(Debug, Serialize)]
pub(super) struct Table {
    /// Place of the table on the page.
    pub(super) place: &'static str,
    /// Heading of the table.
    pub(super) title: &'static str,
    /// The file that has all of its rows.
    file: &'static str,
    /// All rows if they are few, else the first ones.
    pub(super) grid: Grid,
    /// Number of rows.
    pub(super) count: usize,
    /// All rows as text, if they are many.
    pub(super) rows: Option<String>,
}

impl Table {
    pub(super) fn new(
        place: &'static str,
        title: &'static str,
        file: &'static str,
        grid: Grid,
    ) -> Self {
        let mut table = Self {
            place,
            title,
            file,
            count: grid.rows.len(),
            grid,
            rows: None,
        };
        if table.count > SHORT {
            table.rows = Some(lines(&table.grid.rows));
            table.grid.rows.truncate(FIRST);
        }
        table
    }

    /// Cuts long tables so that all together have no more text than a browser takes.
    pub(super) fn limit(tables: &mut [Self]) {
        let mut room = TABLES;
        for table in tables {
            let Some(rows) = &mut table.rows else {
                continue;
            };
            if rows.len() > room {
                // The room may end within a letter.
                let last = rows.as_bytes()[..room].iter().rposition(|b| *b == b'\n');
                let whole = last.map_or(0, |end| end + 1);
                rows.truncate(whole);
                let kept = rows.lines().count();
                table.grid.left_out += table.count - kept;
                table.count = kept;
            }
            room -= rows.len();
        }
    }
}

/// Plots, some of which are drawn at once and others when they are in view.
#[derive(Debug, Default)]
pub(super) struct Room {
    at_once: usize,
    later: usize,
}

impl Room {
    /// Whether there is room for a plot of so many bytes among those that are drawn at once.
    pub(super) fn is_for_now(&mut self, bytes: usize) -> bool {
        let fits = self.at_once + bytes <= AT_ONCE;
        if fits {
            self.at_once += bytes;
        } else {
            self.at_once = usize::MAX / 2; // nor for those after it
        }
        fits
    }

    /// Whether there is room for a plot of so many bytes among those that are drawn when they are in view.
    pub(super) fn is_for_later(&mut self, bytes: usize) -> bool {
        let fits = self.later + bytes <= PLOTS;
        if fits {
            self.later += bytes;
        }
        fits
    }

    /// Whether no further plot has room.
    pub(super) fn is_full(&self) -> bool {
        self.later + AT_ONCE > PLOTS
    }
}

/// A table's rows as text, a line each, with tabs between the cells.
fn lines(rows: &[Vec<String>]) -> String {
    let mut out = String::new();
    for row in rows {
        for (at, cell) in row.iter().enumerate() {
            if at > 0 {
                out.push('\t');
            }
            hide(cell, &mut out);
        }
        out.push('\n');
    }
    out
}

/// Text that a page contains and does not show: without the sign that ends it, and in one byte a letter in a
/// browser's memory. The script reads it.
pub(super) fn hidden(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    hide(text, &mut out);
    out
}

fn hide(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '<' => out.push_str("\\l"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' | '\0' => out.push(' '),
            ' '..='ÿ' => out.push(c),
            other => {
                for unit in other.encode_utf16(&mut [0; 2]) {
                    // Writing to a string cannot fail.
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_text_ends_nothing_and_has_a_byte_a_letter() {
        let text = hidden("</script><!--\t\n\\ ±3 – 🚲");
        assert_eq!(
            text,
            "\\l/script>\\l!--\\t\\n\\\\ ±3 \\u2013 \\ud83d\\udeb2"
        );
        assert!(text.chars().all(|c| u32::from(c) < 256));
    }

    #[test]
    fn tables_share_their_room() {
        let grid = |rows| Grid {
            rows: vec![vec!["x".repeat(1000)]; rows],
            ..Grid::default()
        };
        let mut all = [20_000, 3, 20_000].map(|rows| Table::new("", "", "", grid(rows)));
        Table::limit(&mut all);
        assert_eq!((all[0].count, all[0].grid.left_out), (20_000, 0));
        assert_eq!((all[1].count, all[1].rows.is_none()), (3, true));
        assert_eq!(all[2].count + all[2].grid.left_out, 20_000);
        assert!(all[2].count < 14_000, "{}", all[2].count);
        let text = all.iter().flat_map(|t| &t.rows).map(String::len);
        assert!(text.sum::<usize>() <= TABLES);
    }

    #[test]
    fn a_table_is_cut_after_a_line_whatever_is_in_it() {
        // The room ends in the middle of a letter of two bytes, and at its end.
        for begin in ["", "a"] {
            let line = format!("{}\n", "ü".repeat(500));
            let mut table = Table::new("flows", "Flows", "results.parquet", Grid::default());
            table.count = TABLES / line.len() + 2;
            table.rows = Some(begin.to_owned() + &line.repeat(table.count));
            let mut tables = [table];
            Table::limit(&mut tables);
            let [table] = tables;
            let rows = table.rows.expect("they are many");
            assert!(rows.len() <= TABLES && rows.ends_with("ü\n"));
            assert_eq!((table.count, table.grid.left_out), (TABLES / line.len(), 2));
        }
    }

    /// SHA-256 in base64, as a page's policy has it.
    #[test]
    fn the_policy_permits_the_script() {
        use base64::Engine as _;
        use sha2::Digest as _;
        let digest = sha2::Sha256::digest(SCRIPT.text);
        let text = base64::engine::general_purpose::STANDARD.encode(digest);
        assert_eq!(
            SCRIPT.hash,
            format!("sha256-{text}"),
            "write it into page.js.sha256"
        );
    }
}
