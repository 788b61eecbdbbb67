//! The scorecard for a terminal and as Markdown.

use std::fmt::Write;

use super::measure::{Part, Stated};
use super::score::{Reread, Score, Scorecard};
use super::verdict::Verdict;
use skywave_lab::report::number::{counted, fixed};

/// The heading of claims that name no figure; they may be measured all the same.
pub(super) const NO_FIGURE: &str = "Without a figure";

impl Scorecard {
    /// The scorecard as text for a terminal: a line for each claim, its numbers below it, and the counts of verdicts.
    pub fn table(&self) -> String {
        let mut out = format!("{}\n{}\n\n", self.title, self.source);
        let width = self.scores.iter().map(|s| s.claim.len()).max().unwrap_or(0);
        let names = self.scores.iter().flat_map(|s| &s.parts);
        let part_width = names.map(|p| p.name.chars().count()).max().unwrap_or(0);
        for score in &self.scores {
            let verdict = score.verdict;
            let _ = write!(out, "{:<width$}  {verdict:<16}", score.claim);
            match (score.parts.as_slice(), &score.reason) {
                ([part], _) if part.name.is_empty() => {
                    let _ = write!(out, "  {}", numbers(part));
                }
                (_, Some(reason)) => {
                    let _ = write!(out, "  {reason}");
                }
                _ => {}
            }
            end_line(&mut out);
            if score.parts.len() > 1 {
                let (some, all) = (score.parts_reproduced(), score.parts_counted());
                out.truncate(out.trim_end().len());
                let _ = writeln!(out, "  {some} of {all} parts reproduced");
            }
            if score.parts.len() > 1 || score.parts.iter().any(|p| !p.name.is_empty()) {
                for part in &score.parts {
                    let (name, verdict) = (&part.name, part.verdict);
                    let _ = write!(
                        out,
                        "  {name:<part_width$}  {verdict:<16}  {}",
                        numbers(part)
                    );
                    end_line(&mut out);
                }
            }
            if let Some(what) = &score.unmeasured {
                let _ = writeln!(out, "  not measured: {what}");
            }
            for other in score.rereads.iter().filter(|other| other.differs(score)) {
                let (reading, verdict) = (&other.reading, other.verdict);
                let numbers = other.numbers(score);
                let _ = writeln!(out, "  under the reading {reading}: {verdict}; {numbers}");
            }
        }
        let _ = write!(out, "\n{}{}\n", self.headline(), self.summary());
        let wide = self.wide();
        if !wide.is_empty() {
            let _ = writeln!(out, "\nUndecided by wide intervals: {}.", wide.join("; "));
        }
        out + &self.settings()
    }

    /// How many settings are the text's, and how many were decided; nothing without a register.
    fn settings(&self) -> String {
        let mut out = String::new();
        if !self.decisions.is_empty() {
            let seen = self.decisions.iter().filter(|one| one.claims_seen).count();
            let _ = writeln!(
                out,
                "\nOf the settings of its experiments the text leaves {} open, {seen} of which were decided after a \
                 claim's outcome had been seen; the scorecard lists them.",
                self.decisions.len()
            );
        }
        for (name, what) in &self.readings {
            let _ = writeln!(out, "Also judged under the reading {name}: {what}.");
        }
        out
    }

    /// Note for a reader who takes this for all of the paper; `None` when nothing is left out.
    pub(super) fn left_out_note(&self) -> Option<String> {
        let claims = counted(self.left_out, "claim");
        (self.left_out > 0).then(|| {
            format!(
                "A part of the scorecard, without {claims} of the paper that no experiment here judges."
            )
        })
    }

    /// Text that counts the parts and the claims with each verdict, of all claims and of the core set.
    pub fn summary(&self) -> String {
        summary(&[self])
    }

    /// The scorecard as Markdown, with claims grouped by the figure that shows them.
    pub fn markdown(&self) -> String {
        let mut out = format!(
            "# Scorecard: {}\n\n{}\n\n{}\n",
            escape(&self.title),
            escape(&self.source),
            self.summary().replace('\n', "  \n")
        );
        if let Some(note) = self.left_out_note() {
            let _ = write!(out, "\n{note}\n");
        }
        if self.main().next().is_some() {
            let main = self.markdown_main();
            let _ = write!(out, "\n## What the paper mainly says\n\n{main}");
        }
        if !self.decisions.is_empty() {
            let decisions = self.markdown_decisions();
            let _ = write!(out, "\n## What it leaves open\n\n{decisions}");
        }
        if !self.readings.is_empty() {
            let _ = write!(out, "\n{}", self.markdown_readings());
        }
        for (figure, scores) in self.by_figure() {
            let heading = figure.map_or(NO_FIGURE.into(), |f| format!("`{f}`"));
            let _ = write!(out, "\n## {heading}\n\n{}", table_of_claims(scores));
        }
        out
    }
}

impl Reread {
    /// The numbers and verdicts of the parts whose verdict differs from the first reading's.
    pub(super) fn numbers(&self, score: &Score) -> String {
        let parts = self.differing(score).map(|part| {
            let name = match part.name.as_str() {
                "" => String::new(),
                name => format!("{name} "),
            };
            format!("{name}{}: {}", ours(part), part.verdict)
        });
        parts.collect::<Vec<_>>().join("; ")
    }
}

/// Text that counts the parts and the claims of several papers together with each verdict, of all claims and of the
/// core set.
pub fn summary(cards: &[&Scorecard]) -> String {
    let list = |counts: [(Verdict, usize); Verdict::ALL.len()]| {
        let some = counts.into_iter().filter(|(_, n)| *n > 0);
        let words = some.map(|(verdict, n)| format!("{n} {verdict}"));
        words.collect::<Vec<_>>().join(", ")
    };
    let scores = || cards.iter().flat_map(|card| &card.scores);
    let lines = |core| {
        let claims = scores().filter(|s| core != Some(true) || s.core).count();
        let (parts, counts) = Scorecard::total_parts(cards, core);
        format!(
            "{}: {}\n{}, each as good as its worst part: {}",
            counted(parts, "part"),
            list(counts),
            counted(claims, "claim"),
            list(Scorecard::total(cards, core)),
        )
    };
    let mut text = lines(None);
    if scores().any(|score| !score.core) {
        let _ = write!(
            text,
            "\nIn the core set: {}",
            lines(Some(true)).replace('\n', "\n  ")
        );
    }
    if cards.iter().any(|card| !card.complete) {
        text.push_str("\nNot all runs are there: these verdicts are preliminary.");
    }
    text
}

/// A table of these claims, each with its parts below it.
pub(super) fn table_of_claims<'a>(scores: impl IntoIterator<Item = &'a Score>) -> String {
    let mut out = String::from("| claim | paper | ours [95 %] | verdict |\n|---|---|---|---|\n");
    for score in scores {
        markdown_rows(&mut out, score);
    }
    out
}

fn markdown_rows(out: &mut String, score: &Score) {
    let extra = if score.core { "" } else { " (not core)" };
    let reason = score.reason.as_deref().unwrap_or_default();
    let mut claim = format!(
        "**{}**{extra}<br>{}<br>*{}*",
        escape(&score.claim),
        escape(&score.statement),
        escape(&score.place)
    );
    if let Some(what) = &score.unmeasured {
        let _ = write!(claim, "<br>Not measured: {}", escape(what));
    }
    let verdict = score.verdicts();
    if let [part] = score.parts.as_slice() {
        let (paper, ours) = (escape(&stated(part)), escape(&ours(part)));
        let _ = writeln!(out, "| {claim} | {paper} | {ours} | {verdict} |");
        return;
    }
    let _ = writeln!(out, "| {claim} | | {} | {verdict} |", escape(reason));
    for part in &score.parts {
        let _ = writeln!(
            out,
            "| – {} | {} | {} | {} |",
            escape(&part.name),
            escape(&stated(part)),
            escape(&ours(part)),
            part.verdict
        );
    }
}

/// Text that Markdown leaves alone in a table.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '|' | '*' | '_' | '`' | '<' | '[' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

fn end_line(out: &mut String) {
    out.truncate(out.trim_end().len());
    out.push('\n');
}

/// The paper's number beside ours.
fn numbers(part: &Part) -> String {
    format!("paper {}, ours {}", stated(part), ours(part))
}

/// The paper's number or condition, with its unit.
pub(crate) fn stated(part: &Part) -> String {
    match &part.paper {
        Stated::Number(x) => with_unit(&trimmed(*x), &part.unit),
        Stated::Condition(text) => text.clone(),
    }
}

/// Our number with its unit.
pub(super) fn number(part: &Part) -> String {
    let ours = part.ours.map(|x| fixed(x, digits(part)));
    with_unit(&ours.unwrap_or_default(), &part.unit)
}

/// Our number with its interval and what decides it.
pub(super) fn ours(part: &Part) -> String {
    let mut text = measured(part);
    if let Some(remark) = part.remark.as_ref().filter(|_| part.ours.is_some()) {
        let _ = write!(text, " ({remark})");
    }
    text
}

/// Our number with its interval.
pub(crate) fn measured(part: &Part) -> String {
    let Some(ours) = part.ours else {
        return match part.verdict {
            Verdict::NotRun => Verdict::NotRun.to_string(),
            _ => "undefined".into(),
        };
    };
    let digits = digits(part);
    let mut text = fixed(ours, digits);
    if let Some([low, high]) = part.ci95 {
        let _ = write!(text, " [{}, {}]", fixed(low, digits), fixed(high, digits));
    }
    with_unit(&text, &part.unit)
}

/// Decimals that suit the number: percent with one, all else with three digits or so.
fn digits(part: &Part) -> usize {
    let size = part.ours.unwrap_or(0.0).abs();
    match part.unit.as_str() {
        "%" if size < 10.0 => 1,
        "%" => 0,
        _ if size < 10.0 => 3,
        _ => 1,
    }
}

fn with_unit(number: &str, unit: &str) -> String {
    match unit {
        "" => number.to_owned(),
        unit => format!("{number} {unit}"),
    }
}

fn trimmed(x: f64) -> String {
    if x < 0.0 {
        format!("−{}", -x)
    } else {
        x.to_string()
    }
}
