//! Findings as people read them: a file that runs, lines of a table, a line of JSON.

use std::fmt::Write;

use serde_json::{Map, Value, json};
use skywave_lab::report::number::counted;
use skywave_scenario::{Key, Space};

use crate::findings::Finding;
use crate::{Objective, keys_off};

/// Particulars of a search (space, flow, senders, objective, command), with which its findings are written as text.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// Search space of network paths, with the judged sender in its flow.
    pub space: &'a Space<'a>,
    /// Name of the flow whose sender is judged.
    pub flow: &'a str,
    /// The judged sender, then those that it is compared with, by the names that the caller gave.
    pub senders: &'a [String],
    /// Names of [`Self::senders`] for a scenario file, in their order. For a sender of another library, which the
    /// simulator does not have, the name of a simulated one that stands in its place.
    pub seats: &'a [String],
    /// Objective of the search.
    pub objective: &'a Objective,
    /// Command that makes the same search again.
    pub command: &'a str,
}

impl Page<'_> {
    /// Text of a scenario file of the finding's path, with a comment that says what was found there. If
    /// [`Self::seats`] has several different names, a sweep goes through them; the seeds are those by which the finding
    /// was judged.
    pub fn file(&self, finding: &Finding) -> String {
        let sender = &self.senders[0];
        let mut text = format!("# {sender}: {}.\n", self.verdict(finding));
        // Writing to a string does not fail.
        for (key, words) in self.settings(finding) {
            let _ = writeln!(text, "#   {}: {words}", key.text());
        }
        let (found, below) = (percent(finding.found), percent(finding.below));
        let _ = writeln!(
            text,
            "# Shrunk from a path of {found} so that the value stays at most {below}. Found by\n#   {}\n",
            self.command
        );
        let both = self.senders.iter().zip(self.seats);
        for (sender, seat) in both.filter(|(sender, seat)| sender != seat) {
            let _ = writeln!(
                text,
                "# {sender} is another library's whole connection; here {seat} stands in its place.\n"
            );
        }
        let title = format!("The worst path of {sender}");
        // Two may have one seat, and a sweep has each value once.
        let mut swept: Vec<String> = Vec::new();
        for seat in self.seats {
            if !swept.contains(seat) {
                swept.push(seat.clone());
            }
        }
        if swept.len() < 2 {
            swept.clear();
        }
        let settings = &finding.candidate;
        text + &self
            .space
            .text(settings, &title, &finding.seeds, (self.flow, &swept))
    }

    /// Line of text with the objective's value for a finding: per cent with the 95 % interval, the words that say what
    /// the value is a share of, and the number of seeds.
    pub fn verdict(&self, finding: &Finding) -> String {
        let value = percent(finding.value.mean);
        let half = finding.value.half.unwrap_or_default() * 100.0;
        let seeds = counted(finding.value.n, "seed");
        let compared = match self.senders {
            [_, others @ ..] if self.objective.compares => format!(" ({})", others.join(", ")),
            _ => String::new(),
        };
        format!(
            "{value} ± {half:.1} {}{compared}, {seeds}",
            self.objective.says
        )
    }

    /// Lines of text about a finding: its verdict, then each key off its default with its value.
    pub fn lines(&self, finding: &Finding) -> Vec<String> {
        let settings = self.settings(finding);
        let width = settings.iter().map(|(key, _)| key.text().chars().count());
        let width = width.max().unwrap_or_default();
        let mut lines = vec![self.verdict(finding)];
        lines.extend(
            settings
                .iter()
                .map(|(key, words)| format!("  {:<width$}  {words}", key.text())),
        );
        if keys_off(&finding.candidate) == 0 {
            lines.push("  on the path of all defaults".to_owned());
        }
        lines
    }

    /// JSON object of a finding: the senders, the objective, its mean value by new seeds with the half width of the
    /// 95 % interval, these seeds, the value in the search, the bound for shrinking ([`Finding::below`]), whether the
    /// finding stands, and the keys off their defaults; `file` is the path of its scenario file.
    pub fn json(&self, finding: &Finding, file: &str) -> Value {
        let keys = self.space.keys().iter().zip(&finding.candidate);
        let keys: Map<String, Value> = keys
            .filter_map(|(key, setting)| {
                let written = key.written(setting.as_ref()?);
                Some((key.text().to_owned(), written.into()))
            })
            .collect();
        json!({
            "sender": self.senders[0],
            "against": self.senders[1..],
            "objective": self.objective.name,
            "value": { "mean": finding.value.mean, "ci95": finding.value.half },
            "seeds": finding.seeds,
            "below": finding.below,
            "found": finding.found,
            "stands": finding.stands(),
            "keys": keys,
            "file": file,
        })
    }

    fn settings(&self, finding: &Finding) -> Vec<(&Key, String)> {
        let both = self.space.keys().iter().zip(&finding.candidate);
        both.filter_map(|(key, setting)| Some((key, key.words(setting.as_ref()?))))
            .collect()
    }
}

/// Text of a share from 0 to 1 in per cent, with one decimal: `5.0 %`.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}
