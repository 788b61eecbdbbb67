//! Tables of other simulators' numbers, as CSV without quotes. A row that cannot be read is an error:
//! one left out would never disagree.

use std::str::FromStr;

use super::verdict::Quantity;
use skywave_lab::experiment::stats::Estimate;

/// A cell that is not what its column holds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}, line {line}: {expected} expected in column `{column}`")]
pub struct Unreadable {
    /// The table, from the repository's root.
    pub file: &'static str,
    /// The line, from 1.
    pub line: usize,
    /// The column's heading.
    pub column: String,
    /// The kind of value that should be there.
    pub expected: &'static str,
}

/// A table with a heading.
pub(super) struct Table {
    file: &'static str,
    names: Vec<&'static str>,
    rows: Vec<Vec<&'static str>>,
}

impl Table {
    /// The table in `text`, which `file` contains.
    pub(super) fn of(file: &'static str, text: &'static str) -> Self {
        let mut lines = text.lines().map(|line| line.split(',').collect());
        Self {
            file,
            names: lines.next().unwrap_or_default(),
            rows: lines.collect(),
        }
    }

    /// Makes something of each row.
    pub(super) fn each<T>(
        &self,
        make: impl Fn(&Cells<'_>) -> Result<T, Unreadable>,
    ) -> Result<Vec<T>, Unreadable> {
        let rows = self.rows.iter().enumerate();
        rows.map(|(index, row)| {
            make(&Cells {
                table: self,
                // After the heading.
                line: index + 2,
                row,
            })
        })
        .collect()
    }
}

/// A row by the names of its columns.
pub(super) struct Cells<'a> {
    table: &'a Table,
    line: usize,
    row: &'a [&'static str],
}

impl Cells<'_> {
    /// The error that this column does not hold what is `expected`.
    pub(super) fn unreadable(&self, column: &str, expected: &'static str) -> Unreadable {
        Unreadable {
            file: self.table.file,
            line: self.line,
            column: column.to_owned(),
            expected,
        }
    }

    /// Whether the table has this column.
    pub(super) fn has(&self, name: &str) -> bool {
        self.table.names.contains(&name)
    }

    pub(super) fn text(&self, name: &str) -> Result<&'static str, Unreadable> {
        let column = self.table.names.iter().position(|n| *n == name);
        let cell = column.and_then(|column| self.row.get(column).copied());
        cell.filter(|cell| !cell.is_empty())
            .ok_or_else(|| self.unreadable(name, "a value"))
    }

    /// The value of a column, read by `make`.
    pub(super) fn read<T>(
        &self,
        name: &str,
        expected: &'static str,
        make: impl Fn(&'static str) -> Option<T>,
    ) -> Result<T, Unreadable> {
        make(self.text(name)?).ok_or_else(|| self.unreadable(name, expected))
    }

    pub(super) fn number(&self, name: &str) -> Result<f64, Unreadable> {
        let finite = |text: &str| f64::from_str(text).ok().filter(|x| x.is_finite());
        self.read(name, "a number", finite)
    }

    pub(super) fn whole(&self, name: &str) -> Result<u32, Unreadable> {
        self.read(name, "a whole number", |text| text.parse().ok())
    }

    /// The number of runs that the row sums up.
    pub(super) fn runs(&self, name: &str) -> Result<usize, Unreadable> {
        let some = |text: &str| usize::from_str(text).ok().filter(|&n| n > 0);
        self.read(name, "a number of runs", some)
    }

    /// The estimate in the columns `name_mean`, `name_sd` and `name_ci95`.
    pub(super) fn estimate(&self, name: &str) -> Result<Estimate, Unreadable> {
        let n = self.runs("n")?;
        let half = || self.number(&format!("{name}_ci95"));
        Ok(Estimate {
            n,
            mean: self.number(&format!("{name}_mean"))?,
            sd: self.number(&format!("{name}_sd"))?,
            half: (n > 1).then(half).transpose()?,
        })
    }

    /// The estimate from a cell that has a number a run, with spaces between them.
    pub(super) fn samples(&self, name: &str) -> Result<Estimate, Unreadable> {
        self.read(name, "a number a run", |text| {
            let runs: Result<Vec<f64>, _> = text.split(' ').map(str::parse).collect();
            Estimate::of(&runs.ok()?)
        })
    }

    /// From a cell that has the runs with spaces between them, and in each a number a flow with `/` between them:
    /// of each flow its runs. There is at least one flow, and all have as many runs.
    pub(super) fn flow_samples(&self, name: &str) -> Result<Vec<Vec<f64>>, Unreadable> {
        self.read(name, "a number a flow and run", |text| {
            let mut flows: Vec<Vec<f64>> = Vec::new();
            for (at, run) in text.split(' ').enumerate() {
                let numbers: Result<Vec<f64>, _> = run.split('/').map(str::parse).collect();
                let numbers = numbers.ok()?;
                if at == 0 {
                    flows.resize(numbers.len(), Vec::new());
                }
                if numbers.len() != flows.len() {
                    return None;
                }
                for (flow, number) in flows.iter_mut().zip(numbers) {
                    flow.push(number);
                }
            }
            Some(flows)
        })
    }

    /// The reference's numbers of flows.
    pub(super) fn flow_reference(
        &self,
        goodput: &str,
    ) -> Result<Vec<(Quantity, Estimate)>, Unreadable> {
        Ok(vec![
            (Quantity::Goodput, self.estimate(goodput)?),
            (Quantity::Timeouts, self.estimate("timeouts")?),
            (Quantity::Retransmits, self.estimate("retransmits")?),
        ])
    }

    /// Columns with their cells as they are.
    pub(super) fn labels(
        &self,
        names: &[&'static str],
    ) -> Result<Vec<(&'static str, String)>, Unreadable> {
        let cell = |&name: &&'static str| Ok((name, self.text(name)?.to_owned()));
        names.iter().map(cell).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &'static str) -> String {
        let table = Table::of("bench/a.csv", text);
        let read = table.each(|cells| Ok((cells.text("agent")?, cells.estimate("rtt")?)));
        read.expect_err("unreadable").to_string()
    }

    #[test]
    fn a_row_that_cannot_be_read_is_named() {
        let at = |line, what| format!("bench/a.csv, line {line}: {what}");
        assert_eq!(
            error("agent,n,rtt_mean,rtt_sd,rtt_ci95\nReno,2,1,1,1\nReno,2,x,1,1\n"),
            at(3, "a number expected in column `rtt_mean`")
        );
        assert_eq!(
            error("agent,n,rtt_mean,rtt_sd,rtt_ci95\nReno,2,NaN,1,1\n"),
            at(2, "a number expected in column `rtt_mean`")
        );
        assert_eq!(
            error("agent,n,rtt_mean,rtt_sd\nReno,2,1,1\n"),
            at(2, "a value expected in column `rtt_ci95`")
        );
        assert_eq!(
            error("agent,n,rtt_mean,rtt_sd\nReno,0,1,1\n"),
            at(2, "a number of runs expected in column `n`")
        );
        assert_eq!(
            error("agent,n,rtt_mean,rtt_sd\n\n"),
            at(2, "a value expected in column `agent`")
        );
    }
}
