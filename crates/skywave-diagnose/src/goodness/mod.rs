//! Goodness of fit on the part of a record that was not used: the link is fitted to the first two thirds, and what the last third
//! sent is sent over it anew, in the simulator's own links.
//!
//! A record and its replays are measured alike. A number fits if it is within three standard deviations of the replays'
//! numbers, and what would not matter beside them (`MATTERS` in `compare`).

mod compare;
mod measure;
mod replay;
mod split;

pub use compare::{Compared, Overlay};

use crate::fit::Known;
use crate::fit::path::{Idle, RateModel, Recorded};
use crate::fit::probes::ProbeFit;
use crate::link::{Fits, Link};
use crate::record::Probes;
use crate::transfer::Transfer;
use measure::Measured;
use replay::Ways;

/// Replays of a held part, each with other luck and other values from the intervals.
const REPLAYS: u64 = 20;
/// A round trip this much above the base shows a queue, where the rate changes: seconds, and a share of the base. Seconds with one
/// all the while without which rates are not compared.
const BUSY: (f64, f64) = (0.006, 0.06);
const FEWEST_BUSY: usize = 5;

/// Comparison of the last third of a record with a link that is fitted to the first two thirds. Of a transfer, at most
/// 100 000 transmissions before the cut are fitted, and at most 50 000 after it compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Goodness {
    /// Name of the record's file, without its folder: of a packet capture (`a + b` for captures that were read as one)
    /// or of probes, such as a ping's output.
    pub from: String,
    /// Length of the part of the record before the cut to which the link was fitted, seconds; 0 if nothing was
    /// compared.
    pub fitted_s: f64,
    /// Length of the part of the record after the cut with which the fitted link is compared, seconds; 0 if nothing was
    /// compared.
    pub held_s: f64,
    /// Numbers of the record's last part, each beside the same number of the fitted link's replays, or why there are
    /// none. Where the link's rate changes, only rates while it was busy, beside those of parts of the recorded rate.
    pub compared: Known<Vec<Compared>>,
    /// Curves of record and model, for plots.
    pub overlays: Vec<Overlay>,
    /// Clauses that may explain why some numbers do not fit.
    pub hints: Vec<String>,
}

impl Goodness {
    /// Whether all numbers of the record fit the model; `None` if nothing was compared.
    pub fn fits(&self) -> Option<bool> {
        let compared = self.compared.told()?;
        Some(compared.iter().all(|number| number.fits))
    }

    /// Numbers of the record that do not fit the model; none if nothing was compared.
    pub fn wrong(&self) -> impl Iterator<Item = &Compared> {
        let compared = self.compared.told().into_iter().flatten();
        compared.filter(|number| !number.fits)
    }

    /// Nothing was compared, for this reason.
    fn unknown(from: &str, reason: impl std::fmt::Display) -> Self {
        Self {
            from: from.to_owned(),
            fitted_s: 0.0,
            held_s: 0.0,
            compared: Known::unknown(reason),
            overlays: Vec::new(),
            hints: Vec::new(),
        }
    }
}

/// Comparisons of the last third of each record of probes, and of `transfer` if given, with a link fitted to the first
/// two thirds. Records stand beside the names of their files; `fits` are the fits of whole records, which serve for
/// those that are not cut in two: throughput tests, traces of rates, and probes that are too few or too short.
pub fn goodness(
    probes: &[(String, Probes)],
    transfer: Option<(&str, &Transfer)>,
    fits: &Fits,
) -> Vec<Goodness> {
    let halves = |(name, probes): &(String, Probes)| (name.clone(), split::probes(probes));
    let halves: Vec<_> = probes.iter().map(halves).collect();
    let mut first = Fits {
        throughputs: fits.throughputs.clone(),
        rates: fits.rates.clone(),
        ..Fits::default()
    };
    let mut found = Vec::new();
    for ((name, half), (_, whole)) in halves.iter().zip(&fits.probes) {
        let fit = match half {
            Ok(half) => {
                let fit = ProbeFit::new(&half.first);
                // Other records are of the link under load.
                let idle = Fits {
                    probes: vec![(name.clone(), fit.clone())],
                    ..Fits::default()
                };
                found.push(match untold(&fit, whole) {
                    Some(reason) => Goodness::unknown(name, reason),
                    None => of_probes(name, half, &Link::of(&idle)),
                });
                fit
            }
            Err(reason) => {
                found.push(Goodness::unknown(name, reason));
                whole.clone()
            }
        };
        first.probes.push((name.clone(), fit));
    }
    if let Some((name, transfer)) = transfer {
        let idle = Idle::of(first.probes.iter().map(|(_, fit)| fit));
        found.push(match split::transfer(transfer, idle) {
            Ok((half, fit)) => {
                first.paths.push((name.to_owned(), fit));
                of_transfer(name, &half, &Link::of(&first))
            }
            Err(reason) => Goodness::unknown(name, reason),
        });
    }
    found
}

/// Reason why the first part of a record of probes tells less than all of it, so that the rest cannot fit.
fn untold(first: &ProbeFit, whole: &ProbeFit) -> Option<String> {
    let Known::Unknown(why) = &first.jitter else {
        return None;
    };
    let lacks_losses = first.losses.told().is_none() && whole.losses.told().is_some();
    (whole.jitter.told().is_some() || lacks_losses)
        .then(|| format!("its first two thirds tell less than all of it: {why}"))
}

fn of_probes(name: &str, half: &split::Half<Probes>, link: &Link) -> Goodness {
    let packets = replay::probes(&half.held);
    let coarse = replay::reading(&half.held);
    let bytes = half.held.bytes.unwrap_or(replay::USUAL_PROBE);
    let replay = |ways: &Ways, number| ways.probed(&packets, bytes, coarse, number);
    let measured = Measured::of(&packets);
    goodness_of(name, half, link, &measured, |ways, number| {
        Measured::of(&replay(ways, number))
    })
}

fn of_transfer(name: &str, half: &split::Half<Transfer>, link: &Link) -> Goodness {
    let held = &half.held.sent;
    let from = held.partition_point(|sent| sent.at_s() < half.from_s);
    let packets = replay::transmissions(held);
    let record = &packets[from..];
    if let Some(RateModel::Recorded(rate)) = link.rate.known.told() {
        let base_s = link.base_s.known.told().map_or(0.0, |base| base.value);
        let idle_s = base_s + f64::max(BUSY.0, BUSY.1 * base_s);
        return of_rates(name, half, rate, &Measured::of_busy(record, idle_s));
    }
    let measured = Measured::of_transfer(record);
    let mut goodness = goodness_of(name, half, link, &measured, |ways, number| {
        Measured::of_transfer(&ways.sent(&packets, from, link, number))
    });
    if link.rate.known.told().is_none() {
        let hint = "the rate is not known, it was taken to be the most that was seen";
        goodness.hints.push(hint.to_owned());
    }
    goodness
}

/// Compares what was carried over a link whose rate changes with parts of the recorded rate, each as long: a sender follows its
/// link's rate, so what it sent cannot be sent anew over another draw of the rate.
fn of_rates(
    name: &str,
    half: &split::Half<Transfer>,
    rate: &Recorded,
    busy: &Measured,
) -> Goodness {
    if busy.bps.len() < FEWEST_BUSY {
        return Goodness::unknown(
            name,
            "its rate changes, and the link was not busy for long enough at the end",
        );
    }
    let parts = measure::parts(rate, half.held_s as usize, REPLAYS as usize);
    Goodness {
        from: name.to_owned(),
        fitted_s: half.fitted_s,
        held_s: half.held_s,
        compared: Known::Told(compare::compared(busy, &parts)),
        overlays: compare::overlays(busy, &parts),
        hints: vec!["the rate was recorded, which is one draw of it".to_owned()],
    }
}

/// Compares a record with replays of it, which a function makes and measures by their numbers.
fn goodness_of<T>(
    name: &str,
    half: &split::Half<T>,
    link: &Link,
    record: &Measured,
    replay: impl Fn(&Ways, u64) -> Measured,
) -> Goodness {
    let replays: Option<Vec<Measured>> = (1..=REPLAYS)
        .map(|number| Some(replay(&Ways::of(link, number)?, number)))
        .collect();
    let Some(replays) = replays else {
        return Goodness::unknown(name, "the fitted link cannot be simulated");
    };
    Goodness {
        from: name.to_owned(),
        fitted_s: half.fitted_s,
        held_s: half.held_s,
        compared: Known::Told(compare::compared(record, &replays)),
        overlays: compare::overlays(record, &replays),
        hints: hints(link),
    }
}

/// Known reasons for which a fitted link does not go on as its record.
fn hints(link: &Link) -> Vec<String> {
    let mut hints = Vec::new();
    let steps = link.steps.known.told();
    if steps.is_some_and(|base| base.levels.len() > 1 && base.every.is_none()) {
        hints.push("the base round trip changes at no regular times, which is left out".to_owned());
    }
    let outages = link
        .outages
        .as_ref()
        .and_then(|outages| outages.known.told());
    if outages.is_some_and(|outages| outages.every.is_none()) {
        hints.push("outages come at no regular times".to_owned());
    }
    if let Known::Unknown(why) = &link.losses.known {
        hints.push(format!("no law of losses was fitted: {why}"));
    }
    hints
}

#[cfg(test)]
mod tests;
