//! The moment at which a run went wrong: from when on its number lies outside its limits.
//!
//! A **rate** (goodput of flows, or two of them divided) is wrong from the moment *m* on for which this is true: from *m*
//! to any later time, the rate is outside, and before *m* it was not so. For the sum of what was delivered above the limit,
//! that is the time of its last maximum (of its last minimum, for an upper limit). A mean over the run so far would
//! name a later time: it sinks below its limit long after a sender has stopped.
//!
//! **Any other number** (a count, a ratio of counts, a delay) is wrong from the first stretch on, at whose end and at the
//! end of all later ones the number of the run so far is outside. A stretch is a second; of a run of six seconds or less it is
//! a tenth of a second, and of one longer than a minute a sixtieth of it, in whole seconds. The number of the run so far is that of the same run, ended there: the same reader reads it.
//!
//! Nothing is said of a run that is inside its limits in the end, as that of the first seed may be where others are
//! not; of a time until something, which is known when it has come; and of a number below a lower limit that never
//! was above it, as a count is that only grows.

use skywave_core::Time;
use skywave_lab::threads::{self, NoThreads};
use skywave_sim::outcome::Bins;
use skywave_sim::{Outcome, Spec};

use crate::claims::verdict::Limits;
use crate::claims::{Rate, Reader};

/// Most stretches of a run.
const STRETCHES: f64 = 60.0;

/// A number of a run: how it is read, and the run, with bins.
pub(super) struct Term<'a> {
    pub(super) reader: &'a Reader,
    pub(super) spec: &'a Spec,
    pub(super) outcome: &'a Outcome,
}

/// The limit that a run has missed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Missed {
    /// The number is below this limit.
    Low(f64),
    /// The number is above this limit.
    High(f64),
}

impl Missed {
    fn of(limits: &Limits, number: f64) -> Option<Self> {
        let low = limits.low.filter(|low| number < *low).map(Self::Low);
        low.or(limits.high.filter(|high| number > *high).map(Self::High))
    }
}

/// The moment in seconds from which on the number of these terms is wrong; `None` where it cannot be told.
pub(super) fn moment(
    limits: &Limits,
    terms: &[Term<'_>],
    run: &(dyn Fn(&Spec) -> Option<Outcome> + Sync),
    threads: Option<usize>,
) -> Option<f64> {
    let read = |term: &Term<'_>| term.reader.read(term.outcome);
    let number = divided(&terms.iter().map(read).collect::<Option<Vec<f64>>>()?)?;
    let missed = Missed::of(limits, number)?;
    let rates: Option<Vec<Rate>> = terms.iter().map(|term| term.reader.rate()).collect();
    match rates {
        Some(rates) => of_rates(missed, terms, &rates),
        None if terms.iter().any(|term| term.reader.is_until()) => None,
        None => of_stretches(missed, limits, terms, run, threads),
    }
}

/// One number, or the first of two divided by the second.
fn divided(numbers: &[f64]) -> Option<f64> {
    let number = match numbers {
        [one] => *one,
        [top, bottom] => top / bottom,
        _ => return None,
    };
    number.is_finite().then_some(number)
}

/// Rates over time: what each bin has more than the limit.
fn of_rates(missed: Missed, terms: &[Term<'_>], rates: &[Rate]) -> Option<f64> {
    let (Missed::Low(limit) | Missed::High(limit)) = missed;
    let bits = |at: usize| Some(binned(terms[at].outcome.bins.as_ref()?, &rates[at]));
    let width = terms.first()?.outcome.bins.as_ref()?.width_s;
    let windows = terms.iter().zip(rates).map(|(term, rate)| {
        let (from, to) = term.spec.measure;
        rate.window
            .unwrap_or((from.as_secs_f64(), to.as_secs_f64()))
    });
    let windows: Vec<(f64, f64)> = windows.collect();
    let window = *windows.first()?;
    if windows.iter().any(|other| *other != window) {
        return None;
    }
    let top = bits(0)?;
    let allowed = match rates {
        [_] => vec![limit * width; top.len()],
        [_, _] => bits(1)?.into_iter().map(|x| x * limit).collect(),
        _ => return None,
    };
    let first = libm::floor(window.0 / width + 1e-6) as usize;
    let end = (libm::ceil(window.1 / width - 1e-6) as usize).min(top.len().min(allowed.len()));
    let sign = if matches!(missed, Missed::Low(_)) {
        1.0
    } else {
        -1.0
    };
    let more: Vec<f64> = (first..end)
        .map(|bin| sign * (top[bin] - allowed[bin]))
        .collect();
    Some((first + turning(&more)?) as f64 * width)
}

/// Bits of the rate's flows in each bin, divided as the rate is.
fn binned(bins: &Bins, rate: &Rate) -> Vec<f64> {
    let length = bins.delivered.first().map_or(0, Vec::len);
    let of = |bin: usize| {
        let flows = rate
            .flows
            .iter()
            .filter_map(|&flow| bins.delivered.get(flow));
        flows.filter_map(|bytes| bytes.get(bin)).sum::<u64>() as f64 * 8.0 / rate.divisor
    };
    (0..length).map(of).collect()
}

/// Index from which on every sum of values, to any later one, is below zero: the one after the last maximum of the sum from the
/// beginning. `None` when that is the end.
fn turning(more: &[f64]) -> Option<usize> {
    let (mut sum, mut most, mut at) = (0.0, 0.0, 0);
    for (index, value) in more.iter().enumerate() {
        sum += value;
        if sum >= most {
            (most, at) = (sum, index + 1);
        }
    }
    (at < more.len()).then_some(at)
}

/// Any number, by the run ended at the end of each stretch.
fn of_stretches(
    missed: Missed,
    limits: &Limits,
    terms: &[Term<'_>],
    run: &(dyn Fn(&Spec) -> Option<Outcome> + Sync),
    threads: Option<usize>,
) -> Option<f64> {
    let longest = terms
        .iter()
        .map(|term| term.spec.duration)
        .max()?
        .as_secs_f64();
    let stretch = if longest * 10.0 <= STRETCHES {
        0.1
    } else {
        libm::ceil(longest / STRETCHES)
    };
    let count = libm::ceil(longest / stretch) as usize;
    let begin = terms
        .iter()
        .map(|term| term.spec.measure.0)
        .max()?
        .as_secs_f64();
    let inside = |end: f64| {
        let read = |term: &Term<'_>| {
            let spec = ended(term.spec, end)?;
            term.reader.read(&run(&spec)?)
        };
        let numbers: Option<Vec<f64>> = terms.iter().map(read).collect();
        Some(Missed::of(limits, divided(&numbers?)?).is_none())
    };
    let inside = threads::each(threads, count, |at| {
        Ok::<_, NoThreads>(inside((at + 1) as f64 * stretch))
    });
    let first = never_again(&inside.ok()?)?;
    let was_inside = first.was_inside || matches!(missed, Missed::High(_));
    was_inside.then_some((first.index as f64 * stretch).max(begin))
}

/// The simulation, ended early; `None` when nothing of it would be measured.
pub(super) fn ended(spec: &Spec, end: f64) -> Option<Spec> {
    let end = Time::from_nanos((end * 1e9) as u64);
    let (from, to) = spec.measure;
    (from < end).then(|| Spec {
        duration: spec.duration.min(end),
        measure: (from, to.min(end)),
        series: false,
        bins: None,
        ..spec.clone()
    })
}

/// Beginning of the places at the end that are all outside.
#[derive(Clone, Copy, Debug, PartialEq)]
struct First {
    index: usize,
    /// Whether a place before it was inside.
    was_inside: bool,
}

/// The first place after the last that is inside; places without a number are neither.
fn never_again(inside: &[Option<bool>]) -> Option<First> {
    let last = inside.iter().rposition(|place| *place == Some(true));
    let from = last.map_or(0, |last| last + 1);
    let outside = inside[from..]
        .iter()
        .position(|place| *place == Some(false))?;
    Some(First {
        index: from + outside,
        was_inside: last.is_some(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_turns_where_what_is_above_its_limit_is_used_up_no_more() {
        // Full for ten seconds, then silent: the mean over the run so far is below 0.8 at 13 s only.
        let stopped: Vec<f64> = (0..30).map(|s| if s < 10 { 0.2 } else { -0.8 }).collect();
        assert_eq!(turning(&stopped), Some(10));
        // Never enough.
        assert_eq!(turning(&[-0.1, -0.1, -0.1]), Some(0));
        // Too slow at first, then good, then too slow for good.
        assert_eq!(turning(&[-1.0, 2.0, 0.5, -1.0, 0.5, -3.0]), Some(3));
        // Inside in the end.
        assert_eq!(turning(&[-1.0, 2.0]), None);
        assert_eq!(turning(&[]), None);
    }

    #[test]
    fn a_number_is_wrong_from_where_it_is_never_inside_again() {
        let of = |text: &str| {
            let places: Vec<Option<bool>> = text
                .chars()
                .map(|c| match c {
                    'i' => Some(true),
                    'o' => Some(false),
                    _ => None,
                })
                .collect();
            never_again(&places).map(|first| (first.index, first.was_inside))
        };
        assert_eq!(of("iiooo"), Some((2, true)));
        assert_eq!(of("ioioo"), Some((3, true)));
        assert_eq!(of("ooo"), Some((0, false)));
        assert_eq!(of("..ioo"), Some((3, true)));
        assert_eq!(of("ii.o"), Some((3, true)));
        assert_eq!(of("ooi"), None);
        assert_eq!(of(""), None);
    }
}
