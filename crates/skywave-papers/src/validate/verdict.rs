//! When two simulators agree, by one rule for all rows.
//!
//! A quantity agrees when the means are within its tolerance of the reference's mean, or the 95%
//! intervals overlap (a single run is a point without an interval). A row agrees when all quantities
//! that decide do.

use skywave_sim::Outcome;

use super::case::{Case, Path};
use skywave_lab::experiment::stats::Estimate;

/// A quantity that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// In-order payload of all measured flows, Mb/s.
    Goodput,
    /// That of the first one alone, which has the shortest round trip, Mb/s.
    FirstGoodput,
    /// In-order payload of the flows beside the measured ones, Mb/s.
    BesideGoodput,
    /// The measured flows' share of the goodput of these and those beside.
    Share,
    /// Packets that the bottleneck's queue drops, early or because it is full.
    QueueDrops,
    /// Packets that the bottleneck's queue marks (ECN).
    Marks,
    /// Expiries of the retransmission timer.
    Timeouts,
    /// Packets sent again.
    Retransmits,
    /// Share of the packets offered to the bottleneck that its queue drops.
    LossRate,
    /// Time average of the bottleneck's queue, packets.
    MeanQueue,
    /// Mean time that a packet waits in the bottleneck's queue, ms.
    Sojourn,
}

impl Quantity {
    /// All, in the order of columns.
    pub const ALL: [Self; 11] = [
        Self::Goodput,
        Self::FirstGoodput,
        Self::BesideGoodput,
        Self::Share,
        Self::QueueDrops,
        Self::Marks,
        Self::Timeouts,
        Self::Retransmits,
        Self::LossRate,
        Self::MeanQueue,
        Self::Sojourn,
    ];

    /// Those of TCP-DCR's path.
    pub const OF_DCR: [Self; 5] = [
        Self::Goodput,
        Self::Timeouts,
        Self::Retransmits,
        Self::LossRate,
        Self::MeanQueue,
    ];

    /// Those of a RED bottleneck.
    pub const OF_RED: [Self; 7] = [
        Self::Goodput,
        Self::FirstGoodput,
        Self::QueueDrops,
        Self::Marks,
        Self::Timeouts,
        Self::Retransmits,
        Self::MeanQueue,
    ];

    /// Those of them that decide.
    pub const DECISIVE_OF_RED: [Self; 3] = [Self::Goodput, Self::QueueDrops, Self::Marks];

    /// Those of flows, which every path has.
    pub const OF_FLOWS: [Self; 3] = [Self::Goodput, Self::Timeouts, Self::Retransmits];

    /// Its name in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Goodput => "goodput_mbps",
            Self::FirstGoodput => "first_mbps",
            Self::BesideGoodput => "beside_mbps",
            Self::Share => "share",
            Self::QueueDrops => "queue_drops",
            Self::Marks => "ecn_marks",
            Self::Timeouts => "timeouts",
            Self::Retransmits => "retransmits",
            Self::LossRate => "loss_rate",
            Self::MeanQueue => "mean_queue",
            Self::Sojourn => "sojourn_ms",
        }
    }

    /// How far apart the means may be, as a share of the reference's.
    pub fn tolerance(self) -> f64 {
        match self {
            Self::Goodput
            | Self::FirstGoodput
            | Self::BesideGoodput
            | Self::QueueDrops
            | Self::Marks => 0.05,
            Self::LossRate | Self::MeanQueue | Self::Sojourn => 0.10,
            Self::Share | Self::Timeouts | Self::Retransmits => 0.15,
        }
    }

    /// Its value in our outcome of `case`; `None` where the outcome has no such thing.
    pub(super) fn of(self, outcome: &Outcome, case: &Case) -> Option<f64> {
        let flows = || outcome.flows.iter().take(case.measured_flows());
        let bottleneck = || {
            let mut links = outcome.links.iter();
            links.find(|l| l.name == Case::BOTTLENECK)
        };
        match self {
            Self::Goodput => {
                let bps: f64 = flows().map(|f| f.goodput_bps).sum();
                Some(bps * 1e-6 * case.payload_scale())
            }
            Self::FirstGoodput => {
                let bps = flows().next()?.goodput_bps;
                Some(bps * 1e-6 * case.payload_scale())
            }
            Self::BesideGoodput => {
                let beside = outcome.flows.iter().skip(case.measured_flows());
                let bps = beside.take(case.flows_beside()).map(|f| f.goodput_bps);
                Some(bps.sum::<f64>() * 1e-6 * case.payload_scale())
            }
            Self::Share => {
                let [measured, beside] =
                    [Self::Goodput, Self::BesideGoodput].map(|part| part.of(outcome, case));
                let (measured, beside) = (measured?, beside?);
                let all = measured + beside;
                (case.flows_beside() > 0 && all > 0.0).then(|| measured / all)
            }
            Self::QueueDrops => Some(bottleneck()?.queue_drops as f64),
            Self::Marks => Some(bottleneck()?.ecn_marks as f64),
            Self::Timeouts => Some(flows().map(|f| f.timeouts as f64).sum()),
            Self::Retransmits => Some(flows().map(|f| f.retransmits as f64).sum()),
            Self::LossRate => {
                let link = bottleneck()?;
                (link.offered > 0).then(|| link.queue_drops as f64 / link.offered as f64)
            }
            Self::MeanQueue => Some(bottleneck()?.queue_mean_packets),
            Self::Sojourn => {
                let Path::Dumbbell(path) = &case.path else {
                    return None;
                };
                let measured = case.seconds()? - path.from;
                Some(1e3 * path.sojourn(bottleneck()?, measured)?)
            }
        }
    }
}

/// Our number beside the reference's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The quantity that is compared.
    pub quantity: Quantity,
    /// Ours.
    pub ours: Estimate,
    /// The reference's.
    pub theirs: Estimate,
    /// How far apart the means may be, as a share of the reference's.
    pub tolerance: f64,
}

impl Comparison {
    /// Ours over theirs; `None` when theirs is 0.
    pub fn ratio(&self) -> Option<f64> {
        (self.theirs.mean != 0.0).then(|| self.ours.mean / self.theirs.mean)
    }

    /// Whether the means are within the tolerance.
    pub fn is_close(&self) -> bool {
        self.ours.is_close(&self.theirs, self.tolerance)
    }

    /// Whether the two agree by the rule.
    pub fn agrees(&self) -> bool {
        self.ours.agrees(&self.theirs, self.tolerance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(mean: f64, half: Option<f64>) -> Estimate {
        Estimate {
            n: 10,
            mean,
            sd: 0.0,
            half,
        }
    }

    fn agrees(quantity: Quantity, ours: (f64, Option<f64>), theirs: (f64, Option<f64>)) -> bool {
        let comparison = Comparison {
            quantity,
            ours: estimate(ours.0, ours.1),
            theirs: estimate(theirs.0, theirs.1),
            tolerance: quantity.tolerance(),
        };
        comparison.agrees()
    }

    #[test]
    fn means_within_the_tolerance_agree_whatever_the_intervals() {
        let exact = Some(0.0);
        assert!(agrees(Quantity::Goodput, (1.049, exact), (1.0, exact)));
        assert!(!agrees(Quantity::Goodput, (1.051, exact), (1.0, exact)));
        assert!(!agrees(Quantity::Goodput, (0.949, exact), (1.0, exact)));
        assert!(agrees(Quantity::Marks, (1.049, exact), (1.0, exact)));
        assert!(!agrees(Quantity::Marks, (0.949, exact), (1.0, exact)));
        assert!(agrees(Quantity::LossRate, (0.91, exact), (1.0, exact)));
        assert!(!agrees(Quantity::MeanQueue, (0.89, exact), (1.0, exact)));
        assert!(agrees(Quantity::Timeouts, (1.149, exact), (1.0, exact)));
        assert!(!agrees(Quantity::Retransmits, (0.849, exact), (1.0, exact)));
        assert!(agrees(Quantity::Timeouts, (0.0, exact), (0.0, exact)));
        assert!(!agrees(Quantity::Timeouts, (1.0, exact), (0.0, exact)));
    }

    #[test]
    fn overlapping_intervals_agree_and_a_single_run_is_a_point() {
        let goodput = Quantity::Goodput;
        assert!(agrees(goodput, (1.2, Some(0.11)), (1.0, Some(0.1))));
        assert!(!agrees(goodput, (1.2, Some(0.09)), (1.0, Some(0.1))));
        assert!(agrees(goodput, (0.8, Some(0.21)), (1.0, None)));
        assert!(!agrees(goodput, (0.8, Some(0.19)), (1.0, None)));
    }
}
