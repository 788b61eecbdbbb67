//! Rankings of senders over the draws of a link, what they hang on, and what other changes would do.

use serde::Serialize;

use super::findings::Finding;
use super::host::{Host, On};
use super::recipe::Recipe;
use super::route::Attributes;
use super::run::{OnLink, SIZES, quantile, tasks};
use super::scene::{Facts, Task};
use super::senders::{By, Sender};
use super::{Advice, Change, Contestant, Objective, Question, units};

/// Senders are as good as the best one within this share.
const TIE: f64 = 0.05;
/// The advised sender is as good as the best one within this share. On the real path it shall be so within [`TIE`], and
/// simulations put two senders up to 3 % off against each other.
const SAFE: f64 = 0.02;
/// A law for all of a host's connections is no worse than today's by more than this share for any other purpose.
const COST: f64 = 0.5;
/// Share of what the kindest sender leaves to others from which another one is as kind.
const KIND: f64 = 0.9;
/// Delays are the same within this, seconds.
const SAME_DELAY: f64 = 0.002;

/// Measure by which senders are compared; it tells the unit of its values, and which of two is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Goodput of a long flow alone, bit/s; more is better.
    Goodput,
    /// Median time of transfers of this size in bytes, seconds; less is better.
    Transfer(u64),
    /// 95th percentile of the one-way delay of a call's packets beside a long flow, seconds; less is better.
    Call,
}

/// Median and range of a quantity over the simulated links: the link itself and its draws ([`Question::draws`]). The
/// field that holds the spread says which quantity, and in which unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// Median of the quantity over the simulated links.
    pub median: f64,
    /// Least value of the quantity over the simulated links.
    pub low: f64,
    /// Greatest value of the quantity over the simulated links.
    pub high: f64,
}

/// Results of a sender over the simulated links; zero where no objective asked for them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SenderResult {
    /// Name of the sender.
    pub name: &'static str,
    /// Identifier of the sender ([`Sender::id`]).
    pub id: &'static str,
    /// Goodput of a long flow alone, bit/s.
    pub goodput_bps: Spread,
    /// 90th percentile of the one-way delay of a long flow's segments, seconds; only segments that arrive at the first
    /// transmission count.
    pub delay_s: Spread,
    /// Retransmissions as a share of the packets that a long flow sends, 0 to 1.
    pub resent: Spread,
    /// Goodput of a CUBIC flow beside a long flow of the sender, bit/s.
    pub left_bps: Spread,
    /// 95th percentile of the one-way delay of a call's packets beside a long flow of the sender, seconds.
    pub call_s: Spread,
    /// Share of a call's packets that are lost beside a long flow of the sender, 0 to 1.
    pub call_lost: Spread,
    /// Median times of transfers of 100 kB and of 1 MB, seconds.
    pub transfers_s: [Spread; 2],
    /// 95th percentiles of the times of transfers of 100 kB and of 1 MB, seconds.
    pub transfers_p95_s: [Spread; 2],
}

/// Order of senders by one measure, and the sender that is advised by it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranking {
    /// Measure by which the senders are ordered.
    pub measure: Measure,
    /// Names of the senders, each with its values of [`Self::measure`]; the sender with the best median is first: the
    /// largest for [`Measure::Goodput`] (bit/s), else the smallest (seconds).
    pub order: Vec<(&'static str, Spread)>,
    /// Names of the senders whose median of [`Self::measure`] is as good as the best one's: within 5 %, or within 2 ms
    /// of a time.
    pub best: Vec<&'static str>,
    /// Name of the sender that is advised for all simulated links together. Of those whose median is within 2 % of the
    /// best (or within 2 ms) it is today's; else the first in the order of [`SENDERS`](super::SENDERS) that leaves a
    /// CUBIC flow beside it at least 90 % of the goodput that any of them leaves.
    pub chosen: &'static str,
    /// Simulated links on which [`Self::chosen`] is clearly worse than the link's best sender, by more than 5 % (and
    /// more than 2 ms of a time): the advice hangs on whether the real link is like them.
    pub hangs: Vec<Hang>,
}

/// Simulated link on which the advice of a [`Ranking`] hangs: the sender advised for all links together
/// ([`Ranking::chosen`]) is worse there than the link's best sender, by more than 5 %, and for a time by more than
/// 2 ms.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hang {
    /// Name of the link, as in [`Advice::links`].
    pub link: String,
    /// Name of the best sender on this link by [`Ranking::measure`].
    pub winner: &'static str,
    /// Value of [`Ranking::measure`] for [`Self::winner`] on this link: bit/s, more is better, for
    /// [`Measure::Goodput`]; else seconds, less is better.
    pub best: f64,
    /// Value of [`Ranking::measure`] for the advised sender, [`Ranking::chosen`], on the link [`Self::link`]: bit/s,
    /// more is better, for [`Measure::Goodput`]; else seconds, less is better.
    pub chosen: f64,
}

/// Effect, by one measure, of a change of queue, pace or first window while today's sender stays.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Alternative {
    /// Change that was tried.
    pub change: Change,
    /// Measure of the effect, which tells the unit of the values, and whether more or less is better.
    pub measure: Measure,
    /// Values of [`Self::measure`] over the simulated links, with the change and today's sender.
    pub with: Spread,
    /// Values of [`Self::measure`] over the simulated links, without the change, with today's sender.
    pub today: Spread,
    /// Values of [`Self::measure`] over the simulated links, without the change, with [`Self::best_sender`].
    pub best: Spread,
    /// Name of the sender whose median of [`Self::measure`] is best without the change.
    pub best_sender: &'static str,
    /// Retransmissions as a share of the packets that a long flow sends, 0 to 1: with the change, then without, both
    /// with today's sender. Medians; `None` if no long flow was simulated with the change.
    pub resent: Option<(f64, f64)>,
    /// Median goodput of a long flow with the change, bit/s; `None` if no long flow was simulated with it.
    pub goodput_bps: Option<f64>,
    /// Whether the change is clearly better than the best sender without it: by 5 %, and for a time by 2 ms. A pace
    /// below a policer also helps if it halves the retransmissions and is as good as that sender.
    pub helps: bool,
}

impl Measure {
    fn of(self, result: &OnLink) -> f64 {
        match self {
            Self::Goodput => result.goodput_bps,
            Self::Transfer(bytes) => {
                let index = SIZES.iter().position(|&size| size == bytes);
                result.transfers[index.unwrap_or_default()].0
            }
            Self::Call => result.call_s,
        }
    }

    /// Whether a number is better than another.
    fn is_better(self, one: f64, other: f64) -> bool {
        match self {
            Self::Goodput => one > other,
            Self::Transfer(_) | Self::Call => one < other,
        }
    }

    /// Whether a number is as good as the best.
    fn is_as_good(self, one: f64, best: f64) -> bool {
        self.is_within(TIE, one, best)
    }

    fn is_within(self, share: f64, one: f64, best: f64) -> bool {
        match self {
            Self::Goodput => one >= (1.0 - share) * best,
            Self::Transfer(_) | Self::Call => one <= (best / (1.0 - share)).max(best + SAME_DELAY),
        }
    }

    /// The purpose that it measures, in words.
    pub(super) fn purpose(self) -> String {
        match self {
            Self::Goodput => "long flows".to_owned(),
            Self::Transfer(bytes) => units::size(bytes),
            Self::Call => "a call beside".to_owned(),
        }
    }

    fn all(objectives: &[Objective]) -> Vec<Self> {
        let mut all = Vec::new();
        if objectives.contains(&Objective::Bulk) {
            all.push(Self::Goodput);
        }
        if objectives.contains(&Objective::Short) {
            all.extend(SIZES.map(Self::Transfer));
        }
        if objectives.contains(&Objective::Calls) {
            all.push(Self::Call);
        }
        all
    }
}

impl Spread {
    fn of(results: &[OnLink], number: impl Fn(&OnLink) -> f64) -> Self {
        let values: Vec<f64> = results.iter().map(number).collect();
        Self {
            median: quantile(&values, 0.5),
            low: quantile(&values, 0.0),
            high: quantile(&values, 1.0),
        }
    }
}

impl SenderResult {
    fn of(sender: &Sender, results: &[OnLink]) -> Self {
        let times = |size: usize, of: fn((f64, f64)) -> f64| {
            Spread::of(results, |result| of(result.transfers[size]))
        };
        Self {
            name: sender.name,
            id: sender.id,
            goodput_bps: Spread::of(results, |result| result.goodput_bps),
            delay_s: Spread::of(results, |result| result.delay_s),
            resent: Spread::of(results, |result| result.resent),
            left_bps: Spread::of(results, |result| result.left_bps),
            call_s: Spread::of(results, |result| result.call_s),
            call_lost: Spread::of(results, |result| result.call_lost),
            transfers_s: [times(0, |t| t.0), times(1, |t| t.0)],
            transfers_p95_s: [times(0, |t| t.1), times(1, |t| t.1)],
        }
    }
}

/// A sender with its results on each draw.
type Standing<'a> = (&'static Sender, &'a [OnLink]);

fn ranking(
    measure: Measure,
    standings: &[Standing<'_>],
    today: &Sender,
    links: &[String],
) -> Ranking {
    let spread = |results: &[OnLink]| Spread::of(results, |result| measure.of(result));
    let mut order: Vec<(Standing<'_>, Spread)> = standings
        .iter()
        .map(|&standing| (standing, spread(standing.1)))
        .collect();
    // Equals stay in the order of the table.
    order.sort_by(|(_, one), (_, other)| match measure {
        Measure::Goodput => other.median.total_cmp(&one.median),
        Measure::Transfer(_) | Measure::Call => one.median.total_cmp(&other.median),
    });
    let top = order[0].1.median;
    let best: Vec<Standing<'_>> = order
        .iter()
        .filter(|(_, spread)| measure.is_as_good(spread.median, top))
        .map(|&(standing, _)| standing)
        .collect();
    let left = |standing: &Standing<'_>| Spread::of(standing.1, |result| result.left_bps).median;
    let safe = |standing: &&Standing<'_>| {
        let number = Spread::of(standing.1, |result| measure.of(result)).median;
        measure.is_within(SAFE, number, top)
    };
    let safe: Vec<&Standing<'_>> = standings.iter().filter(safe).collect();
    let most = safe
        .iter()
        .map(|standing| left(standing))
        .fold(0.0, f64::max);
    let is_today = |standing: &&&Standing<'_>| standing.0.id == today.id;
    let is_kind = |standing: &&&Standing<'_>| left(standing) >= KIND * most;
    let chosen = safe.iter().find(is_today).or(safe.iter().find(is_kind));
    let chosen = chosen.map_or(order[0].0, |standing| **standing);
    let hangs = links.iter().enumerate().filter_map(|(link, name)| {
        let number = |standing: &Standing<'_>| measure.of(&standing.1[link]);
        let winner = standings.iter().copied().reduce(|best, other| {
            if measure.is_better(number(&other), number(&best)) {
                other
            } else {
                best
            }
        })?;
        let (mine, theirs) = (number(&chosen), number(&winner));
        (!measure.is_as_good(mine, theirs)).then(|| Hang {
            link: name.clone(),
            winner: winner.0.name,
            best: theirs,
            chosen: mine,
        })
    });
    Ranking {
        measure,
        hangs: hangs.collect(),
        order: order
            .iter()
            .map(|((sender, _), spread)| (sender.name, *spread))
            .collect(),
        best: best.iter().map(|(sender, _)| sender.name).collect(),
        chosen: chosen.0.name,
    }
}

impl Ranking {
    /// Whether `sender` is worse than `today`'s by more than this share of the measure.
    fn is_worse(&self, share: f64, sender: &Sender, today: &Sender) -> bool {
        let of = |sender: &Sender| {
            let found = self.order.iter().find(|(name, _)| *name == sender.name);
            found.map(|(_, spread)| spread.median)
        };
        of(sender)
            .zip(of(today))
            .is_some_and(|(mine, todays)| !self.measure.is_within(share, mine, todays))
    }
}

/// Measures of a change.
fn measured_by(change: Change, measures: &[Measure]) -> Vec<Measure> {
    let wanted = |measure: &&Measure| match change {
        Change::Queue | Change::Shaped => !matches!(measure, Measure::Goodput),
        Change::Paced => !matches!(measure, Measure::Transfer(_)),
        Change::InitialWindow => matches!(measure, Measure::Transfer(_)),
    };
    measures.iter().filter(wanted).copied().collect()
}

fn alternative(
    change: Change,
    ranking: &Ranking,
    with: &[OnLink],
    today: &[OnLink],
    has_long_flows: bool,
) -> Option<Alternative> {
    let measure = ranking.measure;
    let &(best_sender, best) = ranking.order.first()?;
    let spread = |results: &[OnLink]| Spread::of(results, |result| measure.of(result));
    let median =
        |results: &[OnLink], number: fn(&OnLink) -> f64| Spread::of(results, number).median;
    let now = spread(with);
    let resent = has_long_flows.then(|| [with, today].map(|of| median(of, |result| result.resent)));
    let fewer = resent.is_some_and(|[with, without]| with < without / 2.0);
    Some(Alternative {
        change,
        measure,
        with: now,
        today: spread(today),
        best,
        best_sender,
        resent: resent.map(<(f64, f64)>::from),
        goodput_bps: has_long_flows.then(|| median(with, |result| result.goodput_bps)),
        helps: !measure.is_as_good(best.median, now.median)
            || (change == Change::Paced && fewer && measure.is_as_good(now.median, best.median)),
    })
}

/// Puts the results together. `contestants` are the senders, then today's sender with each change.
pub(super) fn advice(
    question: &Question<'_>,
    facts: Facts,
    today: &'static Sender,
    contestants: &[Contestant],
    results: &[Vec<OnLink>],
) -> Advice {
    let with_results = || contestants.iter().zip(results);
    let standings: Vec<Standing<'_>> = with_results()
        .filter(|(contestant, _)| contestant.change.is_none())
        .map(|(contestant, results)| (contestant.sender, results.as_slice()))
        .collect();
    let links = names(question);
    let measures = Measure::all(question.objectives);
    let rankings: Vec<Ranking> = measures
        .iter()
        .map(|&measure| ranking(measure, &standings, today, &links))
        .collect();
    let of_today = standings.iter().find(|(sender, _)| sender.id == today.id);
    let of_today = of_today.map_or(&[][..], |(_, results)| results);
    let mut alternatives = Vec::new();
    for (contestant, with) in with_results() {
        let Some(change) = contestant.change else {
            continue;
        };
        let has_long_flows = tasks(question.objectives, Some(change)).contains(&Task::Bulk);
        for measure in measured_by(change, &measures) {
            let ranking = rankings.iter().find(|ranking| ranking.measure == measure);
            alternatives.extend(
                ranking.and_then(|ranking| {
                    alternative(change, ranking, with, of_today, has_long_flows)
                }),
            );
        }
    }
    let recipes = recipes(
        question,
        &facts,
        today,
        &standings,
        &rankings,
        &alternatives,
    );
    let limits = question.findings.iter().filter_map(Finding::limit);
    let cautions = limits.map(|limit| {
        format!(
            "The transfer was held up by {limit}: no other sender helps before that is mended, and what is simulated \
             here has no such limit."
        )
    });
    Advice {
        cautions: cautions.collect(),
        facts,
        links,
        today: today.name.to_owned(),
        today_by: today_by(question.host, today),
        senders: standings
            .iter()
            .map(|(sender, results)| SenderResult::of(sender, results))
            .collect(),
        rankings,
        alternatives,
        recipes,
    }
}

/// A clause that says where today's sender is known from, or for which one it stands.
fn today_by(host: &Host, today: &Sender) -> String {
    match &host.current {
        Some(current) if current.name == today.id => format!("as {} says", current.from),
        Some(current) => format!(
            "in place of {} ({}), which is not simulated for this host",
            current.name, current.from
        ),
        None if matches!(host.on, On::Quic(_)) => "the library's default".to_owned(),
        None => "as is assumed (--today NAME)".to_owned(),
    }
}

/// Names of the link and its draws: their titles, if they have some.
fn names(question: &Question<'_>) -> Vec<String> {
    let title = |text: &str| {
        let table: toml::Table = text.parse().ok()?;
        Some(table.get("title")?.as_str()?.to_owned())
    };
    let link = std::iter::once(title(question.link).unwrap_or_else(|| "the link".to_owned()));
    let draws = question.draws.iter().enumerate();
    let draws = draws.map(|(index, text)| {
        let number = format!("draw {}", index + 1);
        title(text).map_or(number.clone(), |title| format!("{number}, {title}"))
    });
    link.chain(draws).collect()
}

/// Recipes: against a limit that no sender lifts; for the advised senders of the first thing that is asked; then for
/// changes that help, and for what else was found.
fn recipes(
    question: &Question<'_>,
    facts: &Facts,
    today: &Sender,
    standings: &[Standing<'_>],
    rankings: &[Ranking],
    alternatives: &[Alternative],
) -> Vec<Recipe> {
    let mut findings: Vec<Finding> = Vec::new();
    let mut find = |finding: Finding| {
        let same =
            |other: &Finding| std::mem::discriminant(other) == std::mem::discriminant(&finding);
        if !findings.iter().any(same) {
            findings.push(finding);
        }
    };
    let rate_bps = facts.rate_bps;
    if facts.policer_bps.is_some() {
        find(Finding::Policer { rate_bps });
    }
    for alternative in alternatives.iter().filter(|alternative| alternative.helps) {
        match alternative.change {
            Change::Queue => find(Finding::DeepQueue {
                ours: question.uplink,
                rate_bps,
            }),
            Change::Shaped => find(Finding::DeepQueue {
                ours: true,
                rate_bps,
            }),
            Change::Paced => {}
            Change::InitialWindow => find(Finding::ShortFlows),
        }
    }
    question.findings.iter().copied().for_each(&mut find);
    let mut attributes = Attributes::default();
    for finding in &findings {
        finding.attributes(&mut attributes);
    }
    let advised = advised(rankings, today, standings);
    // The host and the route have one law.
    let for_all = advised
        .iter()
        .find_map(|(sender, purpose)| match sender.by {
            By::Kernel(law) if law != question.host.default_law() => {
                // The sender for the first purpose may be somewhat worse for the others; a sender for one of these may not.
                let share = if purpose.is_none() { COST } else { TIE };
                let harms = |r: &Ranking| r.is_worse(share, sender, today);
                (!rankings.iter().any(harms)).then_some(sender.id)
            }
            _ => None,
        });
    let of_senders = advised.iter().map(|(sender, purpose)| {
        let mut recipe = Recipe::of_sender(sender, question.host, &attributes);
        if let Some(purpose) = purpose {
            recipe.of = format!("{} for {purpose}", recipe.of);
        }
        // Another law is for single programs.
        if sender.is_tcp() && for_all != Some(sender.id) {
            recipe
                .steps
                .retain(|step| ["first", "one program"].contains(&step.scope.as_str()));
        }
        recipe
    });
    let of_finding = |finding: &Finding| finding.recipe(question.host, &attributes);
    let (limits, others): (Vec<Finding>, Vec<Finding>) = findings
        .iter()
        .partition(|finding| finding.limit().is_some());
    let recipes = limits.iter().map(of_finding).chain(of_senders);
    recipes.chain(others.iter().map(of_finding)).collect()
}

/// Senders to type commands for: the chosen one of the first ranking and one of each other kind among those that are as
/// good, unless it is today's; then the chosen ones of the other rankings in which today's is not as good, each with the
/// purpose.
fn advised(
    rankings: &[Ranking],
    today: &Sender,
    standings: &[Standing<'_>],
) -> Vec<(&'static Sender, Option<String>)> {
    let named = |name: &&str| {
        let found = standings.iter().find(|(sender, _)| sender.name == *name);
        found.map(|&(sender, _)| sender)
    };
    let kind = |sender: &Sender| std::mem::discriminant(&sender.by);
    let mut advised: Vec<(&'static Sender, Option<String>)> = Vec::new();
    for (index, ranking) in rankings.iter().enumerate() {
        let is_tie = index > 0 && ranking.best.contains(&today.name);
        if ranking.chosen == today.name || is_tie {
            continue;
        }
        let same = ranking.best.iter().filter(|_| index == 0);
        let chosen = std::iter::once(&ranking.chosen).chain(same);
        for sender in chosen.filter_map(named) {
            let is_known = |(other, _): &(&Sender, _)| match index {
                0 => kind(other) == kind(sender),
                _ => other.id == sender.id,
            };
            if !advised.iter().any(is_known) {
                advised.push((sender, (index > 0).then(|| ranking.measure.purpose())));
            }
        }
    }
    advised
}

#[cfg(test)]
mod tests;
