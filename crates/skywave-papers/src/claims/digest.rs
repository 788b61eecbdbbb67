//! A paper's results in words: which claims are reproduced and which are not.

use std::fmt::Write;

use super::baseline::{Baseline, names};
use super::measure::Part;
use super::score::{Score, Scorecard};
use super::text::{ours, stated};
use super::verdict::Verdict;
use skywave_lab::report::number::counted;

/// Reproduced parts of a claim are named up to this number.
const MANY: usize = 6;

/// A claim and some of its parts.
type Chosen<'a> = (&'a Score, Vec<&'a Part>);

impl Scorecard {
    /// Text that lists the judged parts (numbers) of a paper's claims by verdict: reproduced ones by name (only counted
    /// where a claim has more than six of them), the rest with our number and the paper's, and the reason for a
    /// difference where it is known.
    pub fn digest(&self) -> String {
        let (all, _) = self.parts(None);
        let mut out = String::new();
        let groups = [
            ("Reproduced", Verdict::Reproduced),
            ("In direction only", Verdict::DirectionOnly),
            ("Too few seeds to tell", Verdict::TooFewSeeds),
            ("A sender to compare with differs", Verdict::BaselineDiffers),
            ("Not reproduced", Verdict::NotReproduced),
        ];
        let width = self.scores.iter().map(|s| s.claim.len()).max().unwrap_or(0);
        for (heading, verdict) in groups {
            let chosen = self.with(verdict);
            let count: usize = chosen.iter().map(|(_, parts)| parts.len()).sum();
            if count == 0 {
                continue;
            }
            let _ = writeln!(out, "{heading}: {count} of {all} parts");
            for (score, parts) in &chosen {
                let words = parts.iter().map(|part| {
                    let name = part.name.as_str();
                    match (verdict, name) {
                        (Verdict::Reproduced, "") => "all of it".to_owned(),
                        (Verdict::Reproduced, name) => name.to_owned(),
                        (_, "") => beside(part),
                        (_, name) => format!("{name}: {}", beside(part)),
                    }
                });
                let words: Vec<String> = words.collect();
                let words = if verdict != Verdict::Reproduced {
                    words.join(&format!("\n{:indent$}", "", indent = width + 4))
                } else if words.len() > MANY {
                    format!("{} of its {} parts", parts.len(), score.parts.len())
                } else {
                    words.join(", ")
                };
                let _ = writeln!(out, "  {:<width$}  {words}", score.claim);
            }
            if matches!(verdict, Verdict::BaselineDiffers | Verdict::NotReproduced) {
                for baseline in self.met(&chosen) {
                    let _ = writeln!(out, "  Why {}: {}", baseline.sender, baseline.why);
                }
            }
            if verdict == Verdict::TooFewSeeds {
                out.push_str(
                    "  More `seeds` make the intervals narrower: four times as many halve them.\n",
                );
            }
            out.push('\n');
        }
        out
    }

    /// A first line for the counts: how much is reproduced, and what another sender is to blame for. Nothing
    /// without runs.
    pub(super) fn headline(&self) -> String {
        let (all, counts) = self.parts(None);
        let of = |verdict| {
            let found = counts.iter().find(|(v, _)| *v == verdict);
            found.map_or(0, |(_, count)| *count)
        };
        if all == of(Verdict::NotRun) {
            return String::new();
        }
        let mut out = format!(
            "{} of {} reproduced",
            of(Verdict::Reproduced),
            counted(all, "part")
        );
        let differing = of(Verdict::BaselineDiffers);
        if differing > 0 {
            let chosen = self.with(Verdict::BaselineDiffers);
            let senders: Vec<&str> = self.met(&chosen).map(|b| b.sender.as_str()).collect();
            let _ = write!(
                out,
                "; {differing} are not, because a sender to compare with differs from the paper's: {}",
                senders.join(", ")
            );
        }
        out.push_str(".\n");
        out
    }

    /// The claims with parts of this verdict, and these parts.
    fn with(&self, verdict: Verdict) -> Vec<Chosen<'_>> {
        let chosen = self.scores.iter().map(|score| {
            let parts = score.parts.iter().filter(|part| part.verdict == verdict);
            (score, parts.collect())
        });
        chosen
            .filter(|(_, parts): &Chosen<'_>| !parts.is_empty())
            .collect()
    }

    /// The baselines that these parts compare with.
    fn met(&self, parts: &[Chosen<'_>]) -> impl Iterator<Item = &Baseline> {
        self.baselines.iter().filter(|baseline| {
            let mut all = parts.iter().flat_map(|(_, parts)| parts);
            all.any(|part| names(part, &baseline.sender))
        })
    }
}

/// Ours and the paper's, shortly.
fn beside(part: &Part) -> String {
    format!("{}, the paper {}", ours(part), stated(part))
}
