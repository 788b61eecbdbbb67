//! Numbers from the bins of a run: goodput at a time, and how long it takes until flows have given
//! way to others.

use skywave_core::Duration;
use skywave_sim::outcome::{Bins, Outcome};
use skywave_sim::spec::Spec;

use super::error::Fault;
use super::model::{Pool, Takeover};
use skywave_scenario::Quantity;

/// A number from bins.
pub(super) enum OverTime {
    /// Goodput of flows in a time, bits per second.
    During {
        flows: Vec<usize>,
        /// First bin, and the first after the last.
        bins: (usize, usize),
        seconds: f64,
        pool: Pool,
    },
    /// Time from `after` to the end of the first stretch of bins in which the shares are as wanted;
    /// the rest of the run when they never are.
    Takeover {
        falls: Vec<usize>,
        rises: Vec<usize>,
        /// Bytes in a stretch that one group has at most and the other at least.
        at_most: f64,
        at_least: f64,
        /// Bins of a stretch.
        stretch: usize,
        /// First bin that begins at or after `after`.
        first: usize,
        after: f64,
    },
}

/// The seconds of a text such as "50s".
pub(super) fn seconds(text: &str) -> Result<f64, Fault> {
    let quantity = Quantity::parse(text).map(|q| q.value);
    quantity.ok_or_else(|| Fault::new(format!("`{text}` is no time")))
}

fn width(spec: &Spec) -> Result<f64, Fault> {
    let width = spec.bins.map(Duration::as_secs_f64);
    width.ok_or_else(|| Fault::new("this experiment has no bins; set `bins` in its [run]"))
}

impl OverTime {
    pub(super) fn during(
        spec: &Spec,
        flows: Vec<usize>,
        (from, to): (f64, f64),
        pool: Pool,
    ) -> Result<Self, Fault> {
        let width = width(spec)?;
        // Bounds that fall on bounds of bins, but for the last bit.
        let bound = |at: f64| libm::round(at / width);
        let off = |at: f64| (bound(at) - at / width).abs() > 1e-6;
        if off(from) || off(to) || from >= to || to > spec.duration.as_secs_f64() {
            return Err(Fault::new(format!(
                "{from} s to {to} s is no time of whole bins of {width} s within the run"
            )));
        }
        Ok(Self::During {
            flows,
            bins: (bound(from) as usize, bound(to) as usize),
            seconds: to - from,
            pool,
        })
    }

    pub(super) fn takeover(
        spec: &Spec,
        model: &Takeover,
        falls: Vec<usize>,
        rises: Vec<usize>,
        rate: f64,
    ) -> Result<Self, Fault> {
        let width = width(spec)?;
        let after = seconds(&model.after)?;
        if after >= spec.duration.as_secs_f64() {
            return Err(Fault::new("`after` is after the run"));
        }
        let smooth = model.smooth.as_deref().map_or(Ok(width), seconds)?;
        let stretch = libm::round(smooth / width).max(1.0);
        let capacity = rate / 8.0 * width * stretch;
        Ok(Self::Takeover {
            falls,
            rises,
            at_most: model.to * capacity,
            at_least: model.from * capacity,
            stretch: stretch as usize,
            first: libm::ceil(after / width - 1e-6) as usize,
            after,
        })
    }

    /// The flows whose goodput it is, how they become one number, and from when to when in seconds; `None` for a time
    /// until something.
    pub(super) fn window(&self) -> Option<(&Vec<usize>, Pool, (f64, f64))> {
        match self {
            Self::During {
                flows,
                bins: (from, to),
                seconds,
                pool,
            } => {
                let width = seconds / (to - from) as f64;
                Some((flows, *pool, (*from as f64 * width, *to as f64 * width)))
            }
            Self::Takeover { .. } => None,
        }
    }

    pub(super) fn read(&self, outcome: &Outcome) -> Option<f64> {
        let bins = outcome.bins.as_ref()?;
        match self {
            Self::During {
                flows,
                bins: (from, to),
                seconds,
                pool,
            } => {
                let goodput = |&flow: &usize| {
                    let bytes = bins.delivered.get(flow)?.get(*from..*to)?;
                    Some(bytes.iter().sum::<u64>() as f64 * 8.0 / seconds)
                };
                pool.of(&flows.iter().map(goodput).collect::<Option<Vec<f64>>>()?)
            }
            Self::Takeover {
                falls,
                rises,
                at_most,
                at_least,
                stretch,
                first,
                after,
            } => {
                let (falls, rises) = (added(bins, falls), added(bins, rises));
                let ends = first + stretch..=falls.len();
                let sum = |bytes: &[u64], end: usize| -> f64 {
                    bytes[end - stretch..end].iter().sum::<u64>() as f64
                };
                let taken = ends
                    .into_iter()
                    .find(|&end| sum(&falls, end) <= *at_most && sum(&rises, end) >= *at_least);
                let end = taken.unwrap_or(falls.len());
                Some(end as f64 * bins.width_s - after)
            }
        }
    }
}

/// The bins of several flows together.
fn added(bins: &Bins, flows: &[usize]) -> Vec<u64> {
    let length = bins.delivered.first().map_or(0, Vec::len);
    let mut sum = vec![0; length];
    for flow in flows.iter().filter_map(|&i| bins.delivered.get(i)) {
        for (total, bytes) in sum.iter_mut().zip(flow) {
            *total += bytes;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(delivered: Vec<Vec<u64>>) -> Outcome {
        Outcome {
            bins: Some(Bins {
                width_s: 1.0,
                delivered,
            }),
            ..Outcome::default()
        }
    }

    fn takeover(stretch: usize) -> OverTime {
        OverTime::Takeover {
            falls: vec![0],
            rises: vec![1, 2],
            at_most: 55.0 * stretch as f64,
            at_least: 45.0 * stretch as f64,
            stretch,
            first: 2,
            after: 2.0,
        }
    }

    #[test]
    fn a_takeover_ends_with_the_first_bin_in_which_both_hold() {
        // Before `after` they hold too; then one of them alone, and both in the bin from 5 to 6 s.
        let run = outcome(vec![
            vec![50, 90, 80, 50, 60, 55, 40],
            vec![25, 0, 20, 20, 25, 25, 25],
            vec![25, 0, 20, 20, 25, 20, 25],
        ]);
        assert_eq!(takeover(1).read(&run), Some(4.0));
        // Over two bins, those from 3 to 5 s: 50 + 60 and 40 + 50.
        assert_eq!(takeover(2).read(&run), Some(3.0));
    }

    #[test]
    fn what_never_happens_takes_the_rest_of_the_run() {
        let run = outcome(vec![vec![90; 7], vec![5; 7], vec![5; 7]]);
        assert_eq!(takeover(1).read(&run), Some(5.0));
    }

    #[test]
    fn goodput_during_some_bins() {
        let during = |pool| OverTime::During {
            flows: vec![0, 1],
            bins: (1, 3),
            seconds: 2.0,
            pool,
        };
        let run = outcome(vec![vec![9, 10, 20, 9], vec![9, 30, 40, 9]]);
        assert_eq!(during(Pool::Sum).read(&run), Some(400.0));
        assert_eq!(during(Pool::Mean).read(&run), Some(200.0));
    }
}
