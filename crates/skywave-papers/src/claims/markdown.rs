//! Parts of a scorecard as Markdown, for pages that have them between hand-written text.

use std::fmt::Write;

use super::measure::Part;
use super::score::{Score, Scorecard};
use super::text::{escape, markdown_rows, ours, stated};
use super::verdict::{Verdict, WIDEST};
use crate::page::{Block, PageError, replaced};

/// The verb in the marks of blocks.
pub const VERB: &str = "reproduce";
/// In place of a paper's name: all of them.
const ALL: &str = "all";
/// The kinds of blocks that a paper has.
pub const KINDS: [&str; 6] = [
    "inputs",
    "counts",
    "main",
    "claims",
    "decisions",
    "readings",
];
/// Numbers of a claim that a table of main statements has room for.
const ROOM: usize = 5;

/// The page with all blocks of these papers replaced by what the scorecards say; blocks of other papers stay.
///
/// # Errors
///
/// When a block has no end, or there is none of its kind.
pub fn in_page(page: &str, cards: &[&Scorecard]) -> Result<String, PageError> {
    replaced(page, VERB, |block| text(block, cards))
}

/// A block's new text; `None` when its paper is not among these.
fn text(block: &Block<'_>, cards: &[&Scorecard]) -> Result<Option<String>, String> {
    if block.name == ALL {
        return match block.kind {
            "counts" => Ok((cards.len() > 1).then(|| counts_of_all(cards))),
            kind => Err(format!(
                "of all papers there is no block `{kind}`; there is counts"
            )),
        };
    }
    if !KINDS.contains(&block.kind) {
        let known = KINDS.join(", ");
        return Err(format!(
            "there is no block `{}`; there are {known}",
            block.kind
        ));
    }
    let Some(card) = cards.iter().find(|card| card.paper == block.name) else {
        return Ok(None);
    };
    Ok(Some(match block.kind {
        "inputs" => format!("\n`{}`\n\n", card.inputs),
        "counts" => card.markdown_counts(),
        "main" => card.markdown_main(),
        "claims" => card.markdown_claims(),
        "decisions" => card.markdown_decisions(),
        "readings" => card.markdown_readings(),
        _ => return Ok(None),
    }))
}

/// The core claims of each paper in a table with a column for each verdict that occurs.
fn counts_of_all(cards: &[&Scorecard]) -> String {
    let shown: Vec<Verdict> = Scorecard::total(cards, Some(true))
        .into_iter()
        .filter_map(|(verdict, count)| (count > 0).then_some(verdict))
        .collect();
    let heads: Vec<&str> = shown.iter().map(|v| v.as_str()).collect();
    let mut out = format!(
        "\n| core claims | of | {} |\n|---|---|{}\n",
        heads.join(" | "),
        "---|".repeat(shown.len())
    );
    for card in cards {
        let counts = card.counts(Some(true));
        let all: usize = counts.iter().map(|(_, count)| count).sum();
        let of = |verdict: &Verdict| {
            let found = counts.iter().find(|(v, _)| v == verdict);
            found.map_or_else(String::new, |(_, count)| count.to_string())
        };
        let cells: Vec<String> = shown.iter().map(of).collect();
        let _ = writeln!(out, "| {} | {all} | {} |", card.paper, cells.join(" | "));
    }
    out + "\n"
}

impl Scorecard {
    fn markdown_counts(&self) -> String {
        let columns = [Some(true), None];
        let claims = columns.map(|core| self.counts(core));
        let parts = columns.map(|core| self.parts(core).1);
        let sum = |counts: &[(Verdict, usize)]| -> usize { counts.iter().map(|(_, n)| n).sum() };
        let mut out = format!(
            "\n| | core claims ({}) | their parts ({}) | all claims ({}) | their parts ({}) |\n|---|---|---|---|---|\n",
            sum(&claims[0]),
            sum(&parts[0]),
            sum(&claims[1]),
            sum(&parts[1])
        );
        for (at, verdict) in Verdict::ALL.into_iter().enumerate() {
            let row = [
                claims[0][at].1,
                parts[0][at].1,
                claims[1][at].1,
                parts[1][at].1,
            ];
            if row.iter().any(|count| *count > 0) {
                let [a, b, c, d] = row;
                let _ = writeln!(out, "| {verdict} | {a} | {b} | {c} | {d} |");
            }
        }
        let wide = self.wide();
        if !wide.is_empty() {
            let names: Vec<String> = wide.iter().map(|name| escape(name)).collect();
            let _ = write!(
                out,
                "\nUndecided by an interval of more than {:.0} % of the number to either side: {}.\n",
                100.0 * WIDEST,
                names.join("; ")
            );
        }
        out + "\n"
    }

    /// The parts of core claims whose interval decides nothing and is wider than [`WIDEST`], with half of its width.
    pub fn wide(&self) -> Vec<String> {
        let scores = self.scores.iter().filter(|score| score.core);
        let parts = scores.flat_map(|score| score.parts.iter().map(move |part| (score, part)));
        let undecided = parts.filter(|(_, part)| part.verdict == Verdict::TooFewSeeds);
        let wide = undecided.filter_map(|(score, part)| {
            let half = part.half_width().filter(|half| *half > WIDEST)?;
            let name = format!("{} {}", score.claim, part.name);
            Some(format!("{} (±{:.0} %)", name.trim_end(), 100.0 * half))
        });
        wide.collect()
    }

    pub(super) fn markdown_main(&self) -> String {
        let mut out = String::from(
            "\n| the paper says | its number, and ours [95 %] | verdict | |\n|---|---|---|---|\n",
        );
        for (score, why) in self.main() {
            let number = |part: &Part| {
                let name = match part.name.as_str() {
                    "" => String::new(),
                    name => format!("{}: ", escape(name)),
                };
                format!("{name}{} / {}", escape(&stated(part)), escape(&ours(part)))
            };
            let mut numbers: Vec<String> = score.parts.iter().take(ROOM).map(number).collect();
            if score.parts.len() > ROOM {
                numbers.push(format!("… {} more", score.parts.len() - ROOM));
            }
            let _ = writeln!(
                out,
                "| {} *({})* | {} | {} | {} |",
                escape(&score.statement),
                escape(&score.place),
                numbers.join("<br>"),
                score.verdicts(),
                escape(why)
            );
        }
        out + "\n"
    }

    fn markdown_claims(&self) -> String {
        let mut out =
            String::from("\n| claim | paper | ours [95 %] | verdict |\n|---|---|---|---|\n");
        for score in &self.scores {
            markdown_rows(&mut out, score);
        }
        out + "\n"
    }

    pub(super) fn markdown_decisions(&self) -> String {
        let mut out = String::from(
            "\n| what the text leaves open | here | why | claims seen before | other reading |\n|---|---|---|---|---|\n",
        );
        for one in &self.decisions {
            let about = match one.experiments.as_slice() {
                [] => String::new(),
                names => format!(" ({})", escape(&names.join(", "))),
            };
            let _ = writeln!(
                out,
                "| {}{about} | {} | {} | {} | {} |",
                escape(&one.setting),
                escape(&one.value),
                escape(&one.why),
                if one.claims_seen { "yes" } else { "no" },
                escape(one.reading.as_deref().unwrap_or_default())
            );
        }
        out + "\n"
    }

    pub(super) fn markdown_readings(&self) -> String {
        let mut out = String::from(
            "\n| reading | claims with parts that have another verdict under it: as above → so; those parts |\n|---|---|\n",
        );
        for (name, what) in &self.readings {
            let moved = self.scores.iter().filter_map(|score| {
                let found = score.rereads.iter().find(|other| other.reading == *name)?;
                found.differs(score).then(|| {
                    let (claim, numbers) = (escape(&score.claim), escape(&found.numbers(score)));
                    format!(
                        "**{claim}**: {} → {}; {numbers}",
                        score.verdict, found.verdict
                    )
                })
            });
            let moved: Vec<String> = moved.collect();
            let moved = match moved.as_slice() {
                [] => "none".to_owned(),
                some => some.join("<br>"),
            };
            let _ = writeln!(out, "| **{}**: {} | {moved} |", escape(name), escape(what));
        }
        out + "\n"
    }

    /// The paper's main statements, each with why it stands or not.
    pub fn main(&self) -> impl Iterator<Item = (&Score, &str)> {
        let scores = self.scores.iter();
        scores.filter_map(|score| Some((score, score.main.as_deref()?)))
    }
}

impl Score {
    /// Its verdict under a reading that has other numbers for it.
    pub fn under(&self, reading: &str) -> Option<Verdict> {
        let found = self.rereads.iter().find(|other| other.reading == reading);
        found.map(|other| other.verdict)
    }

    /// Its verdict, and those that differ from it under other readings.
    pub(super) fn verdicts(&self) -> String {
        let mut out = format!("**{}**", self.verdict);
        for other in self.rereads.iter().filter(|o| o.verdict != self.verdict) {
            let _ = write!(out, "<br>{}: {}", other.reading, other.verdict);
        }
        out
    }
}
