//! A card for a terminal.

use std::fmt::Write;

use skywave_lab::report::number::{counted, fixed};

use super::card::{Card, Case, Number, Standing};
use crate::claims::Paper;

/// Columns of a standing.
const WORD: usize = 12;

impl Card {
    /// The sender's results as text in lines of at most `width` columns: the test cases that are failed or unsure; with
    /// `detailed` true, all cases and what each asks.
    pub fn table(&self, width: usize, detailed: bool) -> String {
        let mut out = format!("{}: {}\n", self.law, in_words(&self.counts()));
        let open = [Standing::Fail, Standing::Unsure];
        let shown = |case: &&Case| detailed || open.contains(&case.standing);
        for set in &self.sets {
            let title = format!("{} ({}): {}", set.title, set.set, in_words(&set.counts()));
            out.push('\n');
            wrapped(&mut out, "", &title, width);
            let cases = || set.cases.iter().filter(shown);
            let names = cases()
                .map(|case| case.case.chars().count())
                .max()
                .unwrap_or(0);
            for case in cases() {
                let head = format!(
                    "  {:<names$}  {:<WORD$}  ",
                    case.case,
                    case.standing.as_str()
                );
                wrapped(&mut out, &head, &case.in_words(), width);
                if detailed {
                    let asked = format!("{} ({})", case.statement, case.place);
                    wrapped(&mut out, "      ", &asked, width);
                }
            }
        }
        out
    }
}

impl Case {
    /// The number that decides it, or why it is not judged.
    pub(super) fn in_words(&self) -> String {
        if let Some(why) = &self.why {
            return why.clone();
        }
        let deciding = self
            .numbers
            .iter()
            .find(|number| number.standing == self.standing);
        let Some(number) = deciding else {
            return String::new();
        };
        if self.standing == Standing::Pass && self.numbers.len() > 1 {
            return format!("all of its {} numbers", self.numbers.len());
        }
        let mut out = number.in_words();
        if self.numbers.len() > 1 {
            let same = self
                .numbers
                .iter()
                .filter(|one| one.standing == self.standing);
            let _ = write!(out, " ({} of {} numbers)", same.count(), self.numbers.len());
        }
        if let Some(at) = self.wrong.as_ref().and_then(|wrong| wrong.moment_s) {
            let _ = write!(out, "; from {} s on", seconds(at));
        }
        out
    }
}

impl Number {
    /// The measured number beside the asked one.
    pub(super) fn in_words(&self) -> String {
        let name = match self.name.as_str() {
            "" => String::new(),
            name => format!("{name}: "),
        };
        let place = match self.place.as_str() {
            "" => String::new(),
            place => format!(" at {place}"),
        };
        format!("{name}{}{place}, asked {}", self.shown, self.asked)
    }
}

/// A moment with one decimal, or none where it is a whole second.
pub(super) fn seconds(at: f64) -> String {
    let text = fixed(at, 1);
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// Counts in words, without those that are none.
pub(super) fn in_words(counts: &[(Standing, usize)]) -> String {
    let some = counts.iter().filter(|(_, count)| *count > 0);
    let words = some.map(|(standing, count)| format!("{count} {}", standing.as_str()));
    let words: Vec<String> = words.collect();
    if words.is_empty() {
        return "no cases".to_owned();
    }
    words.join(", ")
}

/// A line that begins with `head`, and goes on below its end where it is longer than `width`.
pub(super) fn wrapped(out: &mut String, head: &str, text: &str, width: usize) {
    let indent = head.chars().count();
    // Words that have no room at all are not broken.
    let room = width.saturating_sub(indent).max(20);
    let mut line = head.to_owned();
    let mut used = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > room {
            let _ = writeln!(out, "{}", line.trim_end());
            line = " ".repeat(indent);
            used = 0;
        }
        if used > 0 {
            line.push(' ');
            used += 1;
        }
        line.push_str(word);
        used += length;
    }
    let _ = writeln!(out, "{}", line.trim_end());
}

/// Text with a line for each case of a set of test cases: its name, and what it asks; lines have at most `width`
/// columns.
pub fn list(set: &Paper, width: usize) -> String {
    let mut out = String::new();
    let cases = counted(set.claims(), "case");
    let title = format!(
        "{}: {} ({cases}, {} runs)",
        set.name(),
        set.title(),
        set.runs()
    );
    wrapped(&mut out, "", &title, width);
    let names = set.statements().map(|(id, _)| id.chars().count()).max();
    let names = names.unwrap_or(0);
    for (id, statement) in set.statements() {
        wrapped(&mut out, &format!("  {id:<names$}  "), statement, width);
    }
    out
}
