//! When two simulators agree, by one rule for all rows.
//!
//! A quantity agrees when the means are within its tolerance of the reference's mean, or the 95%
//! intervals overlap (a single run is a point without an interval). A row agrees when all quantities
//! that decide do.

use serde::Deserialize;
use skywave_sim::Outcome;
use skywave_sim::outcome::LinkOutcome;

use super::row::Reading;
use skywave_lab::experiment::stats::Estimate;

/// A quantity that is compared between this simulator and another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Quantity {
    /// In-order payload of all measured flows together, Mb/s.
    Goodput,
    /// In-order payload of the first measured flow alone, Mb/s.
    FirstGoodput,
    /// In-order payload of the flows beside the measured ones, Mb/s.
    BesideGoodput,
    /// Share (0 to 1) of the measured flows in the goodput of these and the flows beside them.
    Share,
    /// Number of packets that the bottleneck's queue drops, early or because it is full.
    QueueDrops,
    /// Number of packets that the bottleneck's queue marks (ECN).
    Marks,
    /// Number of retransmission timeouts of the measured flows.
    Timeouts,
    /// Number of segments that the measured flows sent again.
    Retransmits,
    /// Share (0 to 1) of the packets offered to the bottleneck that its queue drops.
    LossRate,
    /// Time average of the bottleneck's queue, packets.
    MeanQueue,
    /// Mean time that a packet waits in the bottleneck's queue, ms.
    Sojourn,
}

impl Quantity {
    /// All quantities, in the order of table columns.
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

    /// Name of the quantity in tables and JSON: `goodput_mbps`.
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

    /// Largest difference at which the means of both simulators agree, as a share of the other simulator's mean (0.05
    /// is 5 %), unless a set has a tolerance of its own.
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

    /// Value in our outcome, read as `reading` says; `None` where the outcome has no such thing.
    pub(super) fn of(self, outcome: &Outcome, reading: &Reading) -> Option<f64> {
        let flows = || outcome.flows.iter().take(reading.measured);
        let mbps = |bps: f64| bps * 1e-6 * reading.scale;
        let bottleneck = || {
            let mut links = outcome.links.iter();
            links.find(|l| l.name == Reading::BOTTLENECK)
        };
        match self {
            Self::Goodput => Some(mbps(flows().map(|f| f.goodput_bps).sum())),
            Self::FirstGoodput => Some(mbps(flows().next()?.goodput_bps)),
            Self::BesideGoodput => {
                let beside = outcome.flows.iter().skip(reading.measured);
                let bps = beside.take(reading.beside).map(|f| f.goodput_bps);
                Some(mbps(bps.sum()))
            }
            Self::Share => {
                let [measured, beside] =
                    [Self::Goodput, Self::BesideGoodput].map(|part| part.of(outcome, reading));
                let (measured, beside) = (measured?, beside?);
                let all = measured + beside;
                (reading.beside > 0 && all > 0.0).then(|| measured / all)
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
            Self::Sojourn => Some(1e3 * reading.sojourn(bottleneck()?)?),
        }
    }
}

impl TryFrom<String> for Quantity {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let found = Self::ALL
            .into_iter()
            .find(|quantity| quantity.name() == name);
        found.ok_or_else(|| {
            let known = Self::ALL.map(Self::name).join(", ");
            format!("there is no quantity `{name}`; there are {known}")
        })
    }
}

impl Reading {
    /// Mean time in the queue, s, of packets that leave it, be it to be dropped; `None` if there was none.
    fn sojourn(&self, link: &LinkOutcome) -> Option<f64> {
        let refused = if self.drops_late { 0 } else { link.queue_drops };
        let left = link.offered.checked_sub(refused).filter(|&n| n > 0)?;
        // Little's law.
        let wait = link.queue_mean_packets * self.seconds / left as f64;
        Some((wait - self.wait_less).max(0.0))
    }
}

/// A quantity of one row: our number beside the other simulator's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The quantity that is compared.
    pub quantity: Quantity,
    /// Estimate from our runs.
    pub ours: Estimate,
    /// Estimate from the other simulator's runs.
    pub theirs: Estimate,
    /// Largest difference at which the means agree, as a share of the other simulator's mean (0.05 is 5 %).
    pub tolerance: f64,
}

impl Comparison {
    /// Our mean as a multiple of the other simulator's; `None` when that is 0.
    pub fn ratio(&self) -> Option<f64> {
        (self.theirs.mean != 0.0).then(|| self.ours.mean / self.theirs.mean)
    }

    /// Whether the means differ by no more than the tolerance.
    pub fn is_close(&self) -> bool {
        self.ours.is_close(&self.theirs, self.tolerance)
    }

    /// Whether the means differ by no more than the tolerance, or the 95 % intervals overlap.
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
