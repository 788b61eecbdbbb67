//! The comparison as text for a terminal, and as JSON lines.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::{Comparison, Judged, JudgedRow, Quantity};
use skywave_lab::experiment::Design;
use skywave_lab::experiment::stats::Estimate;
use skywave_lab::report::number::fixed;

impl Judged<'_> {
    /// Table for a terminal, a line for each row: each quantity as ours, the other simulator's and the ratio,
    /// and the verdict.
    pub fn table(&self) -> String {
        let terms = &self.set.terms;
        let mut out = format!("{}: {}\n", self.set.name, terms.title);
        if !terms.note.is_empty() {
            let _ = writeln!(out, "{}", terms.note);
        }
        let lines: Vec<Vec<String>> = std::iter::once(self.heading())
            .chain(self.rows.iter().map(|row| self.line(row)))
            .collect();
        let columns = lines.first().map_or(0, Vec::len);
        let widths: Vec<usize> = (0..columns)
            .map(|c| {
                lines
                    .iter()
                    .map(|l| l[c].chars().count())
                    .max()
                    .unwrap_or(0)
            })
            .collect();
        for (i, line) in lines.iter().enumerate() {
            let mut text = String::new();
            for (cell, width) in line.iter().zip(&widths) {
                let _ = write!(text, "{cell:<width$}  ");
            }
            let _ = writeln!(out, "{}", text.trim_end());
            if i == 0 {
                let rule: usize = widths.iter().map(|w| w + 2).sum();
                let _ = writeln!(out, "{}", "─".repeat(rule.saturating_sub(2)));
            }
        }
        out + &self.summary() + "\n"
    }

    /// Sentence for a terminal: how many rows agree, by tolerance or only by overlapping intervals, and how many must.
    pub fn summary(&self) -> String {
        let (agreeing, close, rows) = (self.agreeing(), self.close(), self.rows.len());
        let share = 100.0 * agreeing as f64 / rows.max(1) as f64;
        let asked = match self.set.terms.required {
            Some(share) => {
                let verdict = if self.passes() { "passes" } else { "FAILS" };
                format!("{}% required: {verdict}", fixed(100.0 * share, 0))
            }
            None => "not judged".to_owned(),
        };
        format!(
            "{}: {rows} rows, {agreeing} agree ({}%: {close} by tolerance, {} only by overlap of \
             intervals), {asked}",
            self.set.name,
            fixed(share, 1),
            agreeing - close
        )
    }

    fn quantities(&self) -> impl Iterator<Item = Quantity> {
        let known = |quantity| {
            let mut all = self.rows.iter().flat_map(|row| &row.comparisons);
            all.any(|c| c.quantity == quantity)
        };
        Quantity::ALL.into_iter().filter(move |&q| known(q))
    }

    fn heading(&self) -> Vec<String> {
        let labels = self.rows.first().map(|row| &row.row.labels);
        let mut cells: Vec<String> = labels
            .into_iter()
            .flatten()
            .map(|(name, _)| name.clone())
            .collect();
        for quantity in self.quantities() {
            cells.extend([
                quantity.name().into(),
                self.set.terms.peer.clone(),
                "ratio".into(),
            ]);
        }
        cells.push("verdict".into());
        cells
    }

    fn line(&self, row: &JudgedRow<'_>) -> Vec<String> {
        let mut cells: Vec<String> = row.row.labels.iter().map(|(_, v)| v.clone()).collect();
        for quantity in self.quantities() {
            let found = row.comparisons.iter().find(|c| c.quantity == quantity);
            match found {
                Some(c) => cells.extend([
                    estimate(quantity, &c.ours),
                    estimate(quantity, &c.theirs),
                    c.ratio().map_or("–".into(), |r| fixed(r, 3)),
                ]),
                None => cells.extend(["–"; 3].map(String::from)),
            }
        }
        cells.push(self.verdict(row));
        cells
    }

    fn verdict(&self, row: &JudgedRow<'_>) -> String {
        if row.agrees() {
            return "agrees".into();
        }
        let names: Vec<&str> = row.apart().map(Quantity::name).collect();
        let word = match self.set.terms.required {
            Some(_) => "DIFFERS",
            None => "differs",
        };
        format!("{word} in {}", names.join(", "))
    }

    /// The comparison as JSON: a line with an object for each row, then one for the set.
    pub fn to_json_lines(&self) -> String {
        let mut out = String::new();
        for row in &self.rows {
            let labels: Map<String, Value> = row
                .row
                .labels
                .iter()
                .map(|(name, value)| (name.clone(), json!(value)))
                .collect();
            let quantities: Map<String, Value> = row.comparisons.iter().map(json_pair).collect();
            let line = json!({
                "set": self.set.name,
                "row": labels,
                "judged": self.set.terms.required.is_some(),
                "agrees": row.agrees(),
                "within_tolerance": row.is_close(),
                "quantities": quantities,
            });
            let _ = writeln!(out, "{line}");
        }
        let (agreeing, close) = (self.agreeing(), self.close());
        let summary = json!({
            "set": self.set.name,
            "rows": self.rows.len(),
            "seeds": self.set.seeds().len(),
            "agreeing": agreeing,
            "by_tolerance": close,
            "by_overlap": agreeing - close,
            "required": self.set.terms.required,
            "passes": self.passes(),
        });
        let _ = writeln!(out, "{summary}");
        out
    }
}

fn json_pair(c: &Comparison) -> (String, Value) {
    let value = json!({
        "ours": c.ours.mean,
        "ours_ci95": c.ours.half,
        "theirs": c.theirs.mean,
        "theirs_ci95": c.theirs.half,
        "ratio": c.ratio(),
        "agrees": c.agrees(),
        "within_tolerance": c.is_close(),
    });
    (c.quantity.name().to_owned(), value)
}

/// A mean with half its interval.
fn estimate(quantity: Quantity, e: &Estimate) -> String {
    let digits = match quantity {
        Quantity::Goodput
        | Quantity::FirstGoodput
        | Quantity::BesideGoodput
        | Quantity::Share
        | Quantity::LossRate => 4,
        Quantity::QueueDrops
        | Quantity::Marks
        | Quantity::Timeouts
        | Quantity::Retransmits
        | Quantity::MeanQueue => 1,
        Quantity::Sojourn => 2,
    };
    match e.half {
        Some(half) => format!("{} ±{}", fixed(e.mean, digits), fixed(half, digits)),
        None => fixed(e.mean, digits),
    }
}
