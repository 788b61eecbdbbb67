//! Advice as a section of a page, in plain text: a table, verdicts, and commands, each with how to take it back.

use std::fmt::{self, Write as _};

use skywave_lab::report::columns;

use super::rank::{Alternative, Hang, Measure, Ranking, SenderResult, Spread};
use super::recipe::Recipe;
use super::units::{rate, size, three, time};
use super::{Advice, Change};

/// Most senders in the table.
const SENDERS: usize = 8;
/// Most lines about draws on which the answer is another one.
const HANGS: usize = 3;

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = self.cautions.clone();
        lines.extend(self.table());
        for ranking in &self.rankings {
            lines.push(self.verdict(ranking));
        }
        let hangs = self
            .rankings
            .iter()
            .filter_map(|ranking| self.hang(ranking));
        lines.extend(hangs.take(HANGS));
        let mut told = Vec::new();
        for other in self.alternatives.iter().filter(|other| other.helps) {
            // One line a change.
            if !told.contains(&other.change) {
                told.push(other.change);
                lines.push(self.other(other));
            }
        }
        lines.extend(self.recipes.iter().flat_map(typed));
        for line in lines {
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

impl Advice {
    fn table(&self) -> Vec<String> {
        let draws = match self.links.len() {
            1 => String::new(),
            many => format!(", and {} draws of it", many - 1),
        };
        let mut lines = vec![format!(
            "Senders, simulated over the link ({}, {} round trip){draws}; today's is {}, {}:",
            rate(self.facts.rate_bps),
            time(self.facts.base_rtt_s),
            self.today,
            self.today_by
        )];
        let measures: Vec<Measure> = self
            .rankings
            .iter()
            .map(|ranking| ranking.measure)
            .collect();
        let has = |measure: Measure| measures.contains(&measure);
        let mut heads = vec![String::new()];
        if has(Measure::Goodput) {
            heads.extend(
                ["long flow", "sent again", "arrives in", "leaves CUBIC"].map(str::to_owned),
            );
        }
        for measure in &measures {
            match measure {
                Measure::Goodput => {}
                Measure::Transfer(bytes) => heads.push(size(*bytes)),
                Measure::Call => heads.push("a call beside".to_owned()),
            }
        }
        let row = |sender: &SenderResult| -> Vec<String> {
            let advised = self
                .rankings
                .iter()
                .any(|ranking| ranking.chosen == sender.name);
            let mark = if advised { '*' } else { ' ' };
            let mut cells = vec![format!("{mark} {}", sender.name)];
            if has(Measure::Goodput) {
                cells.push(range(Measure::Goodput, sender.goodput_bps));
                cells.push(format!("{:.1} %", 100.0 * sender.resent.median));
                cells.push(time(sender.delay_s.median));
                cells.push(rate(sender.left_bps.median));
            }
            for (median, p95) in sender.transfers_s.iter().zip(&sender.transfers_p95_s) {
                if measures
                    .iter()
                    .any(|measure| matches!(measure, Measure::Transfer(_)))
                {
                    let (median, p95) = (time(median.median), time(p95.median));
                    cells.push(if median == p95 {
                        median
                    } else {
                        format!("{median} (95 %: {p95})")
                    });
                }
            }
            if has(Measure::Call) {
                cells.push(time(sender.call_s.median));
            }
            cells
        };
        let mut rows = vec![heads];
        rows.extend(self.shown().into_iter().map(row));
        lines.extend(columns(&rows).lines().map(str::to_owned));
        let mut legend = "* is advised.".to_owned();
        if has(Measure::Goodput) {
            legend.push_str(
                " arrives in: the time within which 90 % of its packets arrive; leaves CUBIC: what a CUBIC flow beside it has.",
            );
        }
        lines.push(legend);
        lines
    }

    /// The senders in the table: all, or the best of each ranking and today's first.
    fn shown(&self) -> Vec<&SenderResult> {
        let place = |sender: &&SenderResult| {
            let places = self.rankings.iter().filter_map(|ranking| {
                ranking
                    .order
                    .iter()
                    .position(|(name, _)| *name == sender.name)
            });
            (sender.name != self.today, places.min())
        };
        let mut kept: Vec<&SenderResult> = self.senders.iter().collect();
        kept.sort_by_key(place);
        kept.truncate(SENDERS);
        let shown = self.senders.iter();
        shown
            .filter(|sender| kept.iter().any(|other| other.name == sender.name))
            .collect()
    }

    fn verdict(&self, ranking: &Ranking) -> String {
        let of = |name: &str| {
            let found = ranking.order.iter().find(|(sender, _)| *sender == name);
            found.map_or_else(String::new, |&(_, spread)| range(ranking.measure, spread))
        };
        let mut what = ranking.measure.purpose();
        if let Some(first) = what.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        let others: Vec<&str> = ranking
            .best
            .iter()
            .copied()
            .filter(|name| *name != ranking.chosen)
            .collect();
        let same = match others.len() {
            0 => String::new(),
            _ if ranking.best.len() == ranking.order.len() => "; all are within 5 %".to_owned(),
            _ => format!("; within 5 %: {}", others.join(", ")),
        };
        let today = if ranking.chosen == self.today {
            " as today".to_owned()
        } else {
            format!("; today {} has {}", self.today, of(&self.today))
        };
        format!(
            "{what}: {}, {}{today}{same}.",
            ranking.chosen,
            of(ranking.chosen)
        )
    }

    /// The draws that a ranking hangs on, and the one of them on which most is lost.
    fn hang(&self, ranking: &Ranking) -> Option<String> {
        let ratio = |hang: &Hang| (hang.best / hang.chosen).max(hang.chosen / hang.best);
        let hangs = ranking.hangs.iter();
        let most = hangs.max_by(|one, other| ratio(one).total_cmp(&ratio(other)))?;
        let number = |value| number(ranking.measure, value);
        Some(format!(
            "  {}: another answer on {} of {}, most of all on {}: {} {}, {} {}",
            ranking.measure.purpose(),
            ranking.hangs.len(),
            self.links.len(),
            most.link,
            most.winner,
            number(most.best),
            ranking.chosen,
            number(most.chosen)
        ))
    }

    fn other(&self, other: &Alternative) -> String {
        let what = match other.change {
            Change::Queue => "FQ-CoDel at the narrowest link",
            Change::Shaped => "FQ-CoDel at your router, 5 % below the link's rate,",
            Change::Paced => "A pace 4 % below the policer",
            Change::InitialWindow => "A first window of 20 segments",
        };
        let of = match other.measure {
            Measure::Goodput => "a long flow".to_owned(),
            Measure::Transfer(bytes) => size(bytes),
            Measure::Call => "a call".to_owned(),
        };
        let number = |spread: Spread| number(other.measure, spread.median);
        let (with, best) = (number(other.with), number(other.best));
        if other.change == Change::Paced {
            let percent = |share: f64| three(100.0 * share);
            let again = other.resent.map_or(String::new(), |(now, before)| {
                let (now, before) = (percent(now), percent(before));
                format!(", and {now} % of its packets sent again instead of {before} %")
            });
            return format!("{what}: {with} with {}{again}.", self.today);
        }
        let mut line = format!(
            "{what} does more than another sender: {of} {with} with {} instead of {}",
            self.today,
            number(other.today)
        );
        if other.best_sender != self.today {
            let _ = write!(line, "; without it {best} with {}", other.best_sender);
        }
        line + "."
    }
}

/// The first way of a recipe, with what comes before it: each command, and how to take it back and to keep it.
fn typed(recipe: &Recipe) -> Vec<String> {
    let first = |scope: &str| scope.starts_with("first");
    let before = recipe
        .steps
        .iter()
        .take_while(|step| first(&step.scope))
        .count();
    let steps = recipe.steps.iter().take(before + 1);
    steps
        .flat_map(|step| {
            let undo = step.undo.as_ref().map(|undo| format!("back: {undo}"));
            let keep = step.keep.as_ref().map(|keep| format!("keep: {keep}"));
            let more: Vec<String> = undo.into_iter().chain(keep).collect();
            let run = format!("{} ({}): {}", recipe.of, step.scope, step.run);
            let more = (!more.is_empty()).then(|| format!("  {}", more.join("   ")));
            std::iter::once(run).chain(more)
        })
        .collect()
}

fn number(measure: Measure, value: f64) -> String {
    match measure {
        Measure::Goodput => rate(value),
        Measure::Transfer(_) | Measure::Call => time(value),
    }
}

/// A median, and the range if there is one.
fn range(measure: Measure, spread: Spread) -> String {
    let median = number(measure, spread.median);
    let (low, high) = (number(measure, spread.low), number(measure, spread.high));
    if low == high {
        return median;
    }
    // The unit of all three once, if it is the same.
    let unit = |text: &str| {
        text.split_once(' ')
            .map_or(String::new(), |(_, unit)| unit.to_owned())
    };
    if [&low, &high].iter().all(|text| unit(text) == unit(&median)) {
        let digits = |text: &str| text.split(' ').next().unwrap_or_default().to_owned();
        format!("{median} ({} to {})", digits(&low), digits(&high))
    } else {
        format!("{median} ({low} to {high})")
    }
}
