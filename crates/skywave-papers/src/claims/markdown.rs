//! Parts of a scorecard as Markdown, for pages that have them between hand-written text.
//!
//! `--markdown` writes them, and a test compares the pages with the recorded ones (`experiments/*/verdicts.md`).

use std::fmt::Write;

use super::measure::Part;
use super::score::{Score, Scorecard};
use super::text::{escape, ours, stated, table_of_claims};
use super::verdict::{Verdict, WIDEST};
use crate::page::{Block, PageError, replaced, table};

/// Word that marks the generated blocks of papers in a Markdown page: `<!-- reproduce cerl: counts -->`.
pub const VERB: &str = "reproduce";
/// In place of a paper's name: all of them.
const ALL: &str = "all";
/// A kind of block that a paper has, and what makes it.
type Maker = (&'static str, fn(&Scorecard) -> String);
/// Kinds of blocks that a paper has.
const KINDS: [Maker; 6] = [
    ("inputs", |card| format!("`{}`\n", card.inputs)),
    ("counts", Scorecard::markdown_counts),
    ("main", Scorecard::markdown_main),
    ("claims", |card| table_of_claims(&card.scores)),
    ("decisions", Scorecard::markdown_decisions),
    ("readings", Scorecard::markdown_readings),
];

/// Names, with commas between them, of the kinds of generated blocks that a Markdown page may have for a paper.
pub fn kinds() -> String {
    KINDS.map(|(kind, _)| kind).join(", ")
}

/// Numbers of a claim that a table of main statements has room for.
const ROOM: usize = 5;

/// The Markdown page with the generated blocks (`<!-- reproduce cerl: counts -->` to `<!-- end -->`) of all papers in
/// `cards` replaced by what their scorecards say; blocks of other papers stay.
///
/// # Errors
/// When a block has no end, or is of an unknown kind.
pub fn in_page(page: &str, cards: &[&Scorecard]) -> Result<String, PageError> {
    replaced(page, VERB, |block| text(block, cards))
}

/// A block's new text; `None` when its paper is not among these.
fn text(block: &Block<'_>, cards: &[&Scorecard]) -> Result<Option<String>, String> {
    if block.name == ALL {
        return match block.kind {
            "counts" => Ok((cards.len() > 1).then(|| apart(&counts_of_all(cards)))),
            kind => Err(format!(
                "of all papers there is no block `{kind}`; there is counts"
            )),
        };
    }
    let Some((_, make)) = KINDS.iter().find(|(kind, _)| *kind == block.kind) else {
        let (asked, known) = (block.kind, kinds());
        return Err(format!("there is no block `{asked}`; there are {known}"));
    };
    let card = cards.iter().find(|card| card.paper == block.name);
    Ok(card.map(|card| apart(&make(card))))
}

/// Text that is apart from the marks before and after it.
fn apart(text: &str) -> String {
    format!("\n{text}\n")
}

/// The core claims of each paper in a table with a column for each verdict that occurs.
fn counts_of_all(cards: &[&Scorecard]) -> String {
    let shown: Vec<Verdict> = Scorecard::total(cards, Some(true))
        .into_iter()
        .filter_map(|(verdict, count)| (count > 0).then_some(verdict))
        .collect();
    let words = shown.iter().map(|verdict| verdict.as_str());
    let head: Vec<&str> = ["core claims", "of"].into_iter().chain(words).collect();
    let row = |card: &&Scorecard| {
        let counts = card.counts(Some(true));
        let all: usize = counts.iter().map(|(_, count)| count).sum();
        let of = |verdict: &Verdict| {
            let found = counts.iter().find(|(v, _)| v == verdict);
            found.map_or_else(String::new, |(_, count)| count.to_string())
        };
        let mut cells = vec![card.paper.clone(), all.to_string()];
        cells.extend(shown.iter().map(of));
        cells
    };
    table(&head, cards.iter().map(row))
}

impl Scorecard {
    fn markdown_counts(&self) -> String {
        let of = |core| [self.counts(core), self.parts(core).1];
        let [core_claims, core_parts] = of(Some(true));
        let [claims, parts] = of(None);
        let columns = [core_claims, core_parts, claims, parts];
        let names = ["core claims", "their parts", "all claims", "their parts"];
        let heads = names.iter().zip(&columns).map(|(name, counts)| {
            let sum: usize = counts.iter().map(|(_, count)| count).sum();
            format!("{name} ({sum})")
        });
        let head: Vec<String> = [String::new()].into_iter().chain(heads).collect();
        let rows = Verdict::ALL.into_iter().enumerate().map(|(at, verdict)| {
            let counts = columns.map(|column| column[at].1);
            (verdict, counts)
        });
        let rows = rows.filter(|(_, counts)| counts.iter().any(|count| *count > 0));
        let mut out = table(
            &head,
            rows.map(|(verdict, counts)| {
                let numbers = counts.iter().map(ToString::to_string);
                [verdict.to_string()].into_iter().chain(numbers).collect()
            }),
        );
        let wide = self.wide();
        if !wide.is_empty() {
            let names: Vec<String> = wide.iter().map(|name| escape(name)).collect();
            // Writing to a string cannot fail, here and below.
            let _ = write!(
                out,
                "\nUndecided by an interval of more than {:.0} % of the number to either side: {}.\n",
                100.0 * WIDEST,
                names.join("; ")
            );
        }
        out
    }

    /// Parts of core claims that are undecided ([`Verdict::TooFewSeeds`]) because half of their interval is wider than
    /// [`WIDEST`]: for each a text with its name and that half in percent ([`Part::half_width`] says of what).
    pub fn wide(&self) -> Vec<String> {
        let scores = self.scores.iter().filter(|score| score.core);
        let parts = scores.flat_map(|score| score.parts.iter().map(move |part| (score, part)));
        let undecided = parts.filter(|(_, part)| part.verdict == Verdict::TooFewSeeds);
        let wide = undecided.filter_map(|(score, part)| {
            let half = part.half_width().filter(|half| *half > WIDEST)?;
            Some(format!(
                "{} (±{:.0} %)",
                part.of(&score.claim),
                100.0 * half
            ))
        });
        wide.collect()
    }

    pub(super) fn markdown_main(&self) -> String {
        let number = |part: &Part| {
            let name = match part.name.as_str() {
                "" => String::new(),
                name => format!("{}: ", escape(name)),
            };
            format!("{name}{} / {}", escape(&stated(part)), escape(&ours(part)))
        };
        let rows = self.main().map(|(score, why)| {
            let mut numbers: Vec<String> = score.parts.iter().take(ROOM).map(number).collect();
            if score.parts.len() > ROOM {
                numbers.push(format!("… {} more", score.parts.len() - ROOM));
            }
            vec![
                format!("{} *({})*", escape(&score.statement), escape(&score.place)),
                numbers.join("<br>"),
                score.verdicts(),
                escape(why),
            ]
        });
        let head = [
            "the paper says",
            "its number, and ours [95 %]",
            "verdict",
            "",
        ];
        table(&head, rows)
    }

    pub(super) fn markdown_decisions(&self) -> String {
        let rows = self.decisions.iter().map(|one| {
            let about = match one.experiments.as_slice() {
                [] => String::new(),
                names => format!(" ({})", escape(&names.join(", "))),
            };
            vec![
                escape(&one.setting) + &about,
                escape(&one.value),
                escape(&one.why),
                if one.claims_seen { "yes" } else { "no" }.to_owned(),
                escape(one.reading.as_deref().unwrap_or_default()),
            ]
        });
        let head = [
            "what the text leaves open",
            "here",
            "why",
            "claims seen before",
            "other reading",
        ];
        table(&head, rows)
    }

    pub(super) fn markdown_readings(&self) -> String {
        let rows = self.readings.iter().map(|(name, what)| {
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
            vec![format!("**{}**: {}", escape(name), escape(what)), moved]
        });
        let head = [
            "reading",
            "claims with parts that have another verdict under it: as above → so; those parts",
        ];
        table(&head, rows)
    }

    /// Main statements of the paper: the claims for which the file gives a reason why they stand or not, with that
    /// reason.
    pub fn main(&self) -> impl Iterator<Item = (&Score, &str)> {
        let scores = self.scores.iter();
        scores.filter_map(|score| Some((score, score.main.as_deref()?)))
    }
}

impl Score {
    /// Verdict on the claim under the other reading (value of what the paper leaves open) called `reading`; `None` if
    /// the claim's numbers are the same under that reading.
    pub fn under(&self, reading: &str) -> Option<Verdict> {
        let found = self.rereads.iter().find(|other| other.reading == reading);
        found.map(|other| other.verdict)
    }

    /// Verdict on the claim in Markdown, and those that differ from it under other readings.
    pub(super) fn verdicts(&self) -> String {
        let mut out = format!("**{}**", self.verdict);
        for other in self.rereads.iter().filter(|o| o.verdict != self.verdict) {
            let _ = write!(out, "<br>{}: {}", other.reading, other.verdict);
        }
        out
    }
}
