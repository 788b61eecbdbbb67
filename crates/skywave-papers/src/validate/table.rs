//! Tables of other simulators' numbers, as CSV. A row that cannot be read is an error: one left out would never
//! disagree.

use std::collections::BTreeMap;
use std::str::FromStr;

use minijinja::Value;

use super::SetError;
use skywave_lab::experiment::stats::Estimate;

/// A row of a table by the names of its columns, and values that a set adds to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Cells {
    /// Place of the row in messages: a table and a line.
    place: String,
    texts: BTreeMap<String, String>,
}

/// The rows of the table in `text`, which messages call `file`; each is a line.
pub(super) fn rows(file: &str, text: &str) -> Result<Vec<Cells>, SetError> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let unreadable = |line: u64| {
        move |error: csv::Error| SetError::Row {
            place: format!("{file}, line {line}"),
            what: error.to_string(),
        }
    };
    let names = reader.headers().map_err(unreadable(1))?.clone();
    // After the heading.
    let rows = (2..).zip(reader.records()).map(|(line, row)| {
        let row = row.map_err(unreadable(line))?;
        let texts = names.iter().zip(&row);
        Ok(Cells {
            place: format!("{file}, line {line}"),
            texts: texts.map(|(n, t)| (n.to_owned(), t.to_owned())).collect(),
        })
    });
    rows.collect()
}

impl Cells {
    /// A row of no table yet, which messages call `place`.
    pub(super) fn empty(place: &str) -> Self {
        Self {
            place: place.to_owned(),
            texts: BTreeMap::new(),
        }
    }

    /// Gives the column `name` this value.
    pub(super) fn set(&mut self, name: &str, text: String) {
        self.texts.insert(name.to_owned(), text);
    }

    /// Whether there is such a column, or a value of the set's.
    pub(super) fn has(&self, name: &str) -> bool {
        self.texts.contains_key(name)
    }

    /// Place of the row in messages: a table and a line.
    pub(super) fn place(&self) -> &str {
        &self.place
    }

    /// An error in the row.
    pub(super) fn wrong(&self, what: &impl ToString) -> SetError {
        SetError::Row {
            place: self.place.clone(),
            what: what.to_string(),
        }
    }

    /// The cell of the column `name`; an error where it is missing or empty.
    pub(super) fn text(&self, name: &str) -> Result<&str, SetError> {
        let text = self.texts.get(name).map(String::as_str);
        let text = text.filter(|text| !text.is_empty());
        text.ok_or_else(|| self.expected("a value", name))
    }

    /// All cells by name, as templates see them: what is a number, as one.
    pub(super) fn values(&self) -> BTreeMap<&str, Value> {
        let cells = self.texts.iter();
        cells
            .map(|(name, text)| (name.as_str(), value(text)))
            .collect()
    }

    /// The number in the column `name`.
    pub(super) fn number(&self, name: &str) -> Result<f64, SetError> {
        let number = f64::from_str(self.text(name)?).ok();
        let number = number.filter(|x| x.is_finite());
        number.ok_or_else(|| self.expected("a number", name))
    }

    /// The estimate in the columns `name_mean`, `name_sd` and, unless it follows from these, `name_ci95`, of as many
    /// runs as the column `runs` says.
    pub(super) fn moments(&self, name: &str, runs: &str) -> Result<Estimate, SetError> {
        let n = usize::from_str(self.text(runs)?).ok().filter(|&n| n > 0);
        let n = n.ok_or_else(|| self.expected("a number of runs", runs))?;
        let mean = self.number(&format!("{name}_mean"))?;
        let sd = self.number(&format!("{name}_sd"))?;
        let half = format!("{name}_ci95");
        if !self.has(&half) {
            return Ok(Estimate::from_moments(n, mean, sd));
        }
        let half = (n > 1).then(|| self.number(&half)).transpose()?;
        Ok(Estimate { n, mean, sd, half })
    }

    /// From a cell that has the runs with spaces between them, and in each a number a flow with `/` between them: of each
    /// run its flows. There is at least one run, and all have as many flows.
    pub(super) fn samples(&self, name: &str) -> Result<Vec<Vec<f64>>, SetError> {
        let runs = self.text(name)?.split(' ');
        let runs = runs.map(|run| run.split('/').map(str::parse).collect());
        let runs: Option<Vec<Vec<f64>>> = runs.collect::<Result<_, _>>().ok();
        let even = runs.filter(|runs| runs.iter().all(|run| run.len() == runs[0].len()));
        even.ok_or_else(|| self.expected("a number a flow and run", name))
    }

    fn expected(&self, expected: &str, column: &str) -> SetError {
        self.wrong(&format!("{expected} expected in column `{column}`"))
    }
}

/// A cell as templates see it.
fn value(text: &str) -> Value {
    if let Ok(whole) = text.parse::<i64>() {
        return Value::from(whole);
    }
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Value::from(number),
        _ => Value::from(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_cannot_be_read_is_named() {
        let error = |text: &str| {
            let read = |cells: &Cells| {
                cells.text("agent")?;
                cells.moments("rtt", "n")
            };
            let rows = rows("bench/a.csv", text);
            let read = rows.and_then(|rows| rows.iter().map(read).collect::<Result<Vec<_>, _>>());
            read.expect_err("unreadable").to_string()
        };
        let at = |line, what| format!("bench/a.csv, line {line}: {what}");
        for (text, line, what) in [
            (
                "agent,n,rtt_mean,rtt_sd\nReno,2,1,1\nReno,2,x,1\n",
                3,
                "a number expected in column `rtt_mean`",
            ),
            (
                "agent,n,rtt_mean,rtt_sd\nReno,2,NaN,1\n",
                2,
                "a number expected in column `rtt_mean`",
            ),
            (
                "agent,n,rtt_mean\nReno,2,1\n",
                2,
                "a value expected in column `rtt_sd`",
            ),
            (
                "agent,n,rtt_mean,rtt_sd,rtt_ci95\nReno,2,1,1,\n",
                2,
                "a value expected in column `rtt_ci95`",
            ),
            (
                "agent,n,rtt_mean,rtt_sd\nReno,0,1,1\n",
                2,
                "a number of runs expected in column `n`",
            ),
            (
                "agent,n,rtt_mean,rtt_sd\n,2,1,1\n",
                2,
                "a value expected in column `agent`",
            ),
        ] {
            assert_eq!(error(text), at(line, what));
        }
        let short = error("agent,n,rtt_mean,rtt_sd\nReno,2,1\n");
        assert!(short.starts_with("bench/a.csv, line 2: "), "{short}");
    }
}
