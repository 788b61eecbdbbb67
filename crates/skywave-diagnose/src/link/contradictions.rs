//! Records that contradict each other, in sentences.

use super::{Fits, interval, least};
use crate::fit::hidden::LossModel;
use crate::fit::path::RateModel;
use crate::fit::{Choice, Estimate, Known};

/// Share by which values must differ beside their intervals, which know nothing of a link that changes from day to day.
const CLEARLY: f64 = 0.1;

/// Contradictions between records of different files: of each property the first one, with what was taken and why.
pub(crate) fn contradictions(fits: &Fits) -> Vec<String> {
    let captures =
        "Captures come before throughput tests, and those of larger transfers before others.";
    let constant = |rate: &Known<RateModel>| match rate.told() {
        Some(RateModel::Constant(rate, _)) => Some(rate.scaled(1e-6)),
        _ => None,
    };
    let single = |losses: &Known<Choice<LossModel>>| match losses.told().map(Choice::best) {
        Some(LossModel::Independent { p }) => Some(p.scaled(100.0)),
        _ => None,
    };
    let rates = fits
        .paths
        .iter()
        .map(|(name, fit)| (name, constant(&fit.rate)));
    let tests = fits
        .throughputs
        .iter()
        .map(|(name, fit)| (name, fit.rate.told().map(|rate| rate.scaled(1e-6))));
    let probed = fits
        .probes
        .iter()
        .map(|(name, fit)| (name, least(&fit.base, 0.0)));
    let bases = fits
        .paths
        .iter()
        .map(|(name, fit)| (name, fit.base_s.clone()));
    let bases = probed
        .chain(bases)
        .map(|(name, base)| (name, base.told().map(|base| base.scaled(1e3))));
    let losses = fits
        .paths
        .iter()
        .map(|(name, fit)| (name, single(&fit.losses)));
    [
        sentence("rate", "Mb/s", rates.chain(tests), captures),
        sentence(
            "base round trip",
            "ms",
            bases,
            "Pings come before captures.",
        ),
        sentence("share lost not by a queue", "%", losses, captures),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Sentence about the first record that contradicts the one that the page goes by.
fn sentence<'a>(
    what: &str,
    unit: &str,
    found: impl Iterator<Item = (&'a String, Option<Estimate>)>,
    order: &str,
) -> Option<String> {
    let mut told = found.filter_map(|(name, estimate)| Some((name, estimate?)));
    let (taken, first) = told.next()?;
    let (other, second) =
        told.find(|(name, estimate)| *name != taken && are_apart(first, *estimate))?;
    Some(format!(
        "{taken} and {other} contradict each other: the {what} is {} by the one, {} by the other, as if they were of \
         two links. The page has that of {taken}. {order}",
        interval(first, unit),
        interval(second, unit),
    ))
}

fn are_apart(a: Estimate, b: Estimate) -> bool {
    let is_disjoint = a.high < b.low || b.high < a.low;
    is_disjoint && (a.value - b.value).abs() > CLEARLY * a.value.max(b.value)
}
