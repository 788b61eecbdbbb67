//! Losses at random gaps.
//!
//! Error points lie on an axis of packets or bytes, at exponentially distributed distances that are
//! rounded up to whole units; a packet is lost when a point lies in it. The ceiling of an
//! exponential with mean μ is geometric with mean 1/(1 − e^(−1/μ)), hence:
//!
//! - in packets with loss rate p, μ = −1/ln(1 − p) (a little below 1/p: the half packet that
//!   rounding up adds). The gap is then at least 1 and its mean exactly 1/p, so the long-run loss
//!   rate is exactly p, and losses are independent;
//! - in bytes, μ is the mean gap itself: a packet of n bytes survives with probability e^(−n/μ).
//!
//! ns-2's error model in packets with an exponential variable of mean 1 is the same but for the
//! rate: it loses independently with probability 1 − e^(−p), which is 0.995% for p = 1% and 9.5% for
//! p = 10%. Here the rate is p as named. One draw a loss, not one a packet.

use super::{LossModel, Streams};
use crate::parameter::{Described, Field, Kind};
use crate::rng::Stream;
use crate::time::Time;

/// Loss model with exponential gaps between losses, counted in packets, so that losses are independent; its
/// setting is the loss rate.
#[derive(Clone, Debug)]
pub struct Exponential(Gaps);

impl Described for Exponential {
    type Config = f64;
    const NAME: &'static str = "exponential";
    const SUMMARY: &'static str = "Gaps between losses are exponential and counted in packets. The number p is the loss \
                                   rate; the mean gap is 1/p.";
    const DEFAULT: f64 = 0.0;
    const FIELDS: &'static [Field<f64>] = &[Field::whole(Kind::Probability, "p", "Loss rate")];
}

impl LossModel for Exponential {
    fn build(p: &f64, Streams { losses, .. }: Streams) -> Self {
        Self(Gaps::with_rate(*p, losses))
    }

    fn loses(&mut self, _now: Time, _size: u32) -> bool {
        self.0.passes(1)
    }
}

/// Loss model with exponential gaps between errors, counted in bytes: a packet with an error in it is lost.
/// Its setting is the mean gap in bytes.
#[derive(Clone, Debug)]
pub struct ExponentialBytes(Gaps);

impl Described for ExponentialBytes {
    /// Mean gap in bytes.
    type Config = f64;
    const NAME: &'static str = "exponential-bytes";
    const SUMMARY: &'static str =
        "Gaps between losses are exponential and counted in bytes. The size is the mean gap.";
    const DEFAULT: f64 = f64::INFINITY;
    const FIELDS: &'static [Field<f64>] = &[Field::whole(Kind::Size, "gap", "Mean gap")];
}

impl LossModel for ExponentialBytes {
    fn build(mean: &f64, Streams { losses, .. }: Streams) -> Self {
        Self(Gaps::with_mean(*mean, losses))
    }

    fn loses(&mut self, _now: Time, size: u32) -> bool {
        self.0.passes(u64::from(size))
    }
}

/// Error points at exponential gaps.
#[derive(Clone, Debug)]
struct Gaps {
    /// Mean of the exponential before rounding; infinite for no loss.
    mean: f64,
    /// Units up to and including the next error point; at least 1.
    until_loss: u64,
    stream: Stream,
}

impl Gaps {
    /// One point in 1/`rate` units on average: none for 0 (and below, and NaN), all from 1 on.
    fn with_rate(rate: f64, stream: Stream) -> Self {
        let mean = if rate >= 1.0 {
            0.0
        } else if rate > 0.0 {
            -1.0 / libm::log1p(-rate)
        } else {
            f64::INFINITY
        };
        Self::new(mean, stream)
    }

    /// Exponential gaps with `mean` units: no loss for an infinite one (and NaN), in every unit
    /// for 0 and below.
    fn with_mean(mean: f64, stream: Stream) -> Self {
        let mean = if mean.is_nan() {
            f64::INFINITY
        } else {
            mean.max(0.0)
        };
        Self::new(mean, stream)
    }

    fn new(mean: f64, stream: Stream) -> Self {
        let mut gaps = Self {
            mean,
            until_loss: u64::MAX,
            stream,
        };
        gaps.draw();
        gaps
    }

    /// The next `units` pass. Returns whether an error point lies in them.
    fn passes(&mut self, units: u64) -> bool {
        if units < self.until_loss {
            self.until_loss -= units;
            return false;
        }
        // The rest of a packet after its first point need not be looked at: gaps have no memory, so
        // the next one may be drawn from the packet's end.
        self.draw();
        self.mean.is_finite()
    }

    fn draw(&mut self) {
        if self.mean.is_finite() {
            let gap = libm::ceil(self.stream.exponential(self.mean));
            self.until_loss = (gap as u64).max(1);
        } else {
            self.until_loss = u64::MAX;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream() -> Stream {
        Stream::named(11, "test", "loss.0")
    }

    fn gaps_between_losses(mut gaps: Gaps, losses: usize) -> Vec<u64> {
        let mut next = || {
            let mut gap = 1;
            while !gaps.passes(1) {
                gap += 1;
            }
            gap
        };
        (0..losses).map(|_| next()).collect()
    }

    #[test]
    fn gaps_in_packets_are_geometric_with_mean_one_over_p() {
        for p in [0.001, 0.01, 0.1, 0.5, 0.9] {
            let n = 100_000;
            let gaps = gaps_between_losses(Gaps::with_rate(p, stream()), n);
            let mean = gaps.iter().sum::<u64>() as f64 / n as f64;
            // Five standard errors of a geometric mean.
            let error = 5.0 * libm::sqrt((1.0 - p) / n as f64) / p;
            assert!((mean - 1.0 / p).abs() < error, "p {p}: mean gap {mean}");
            let ones = gaps.iter().filter(|&&gap| gap == 1).count() as f64 / n as f64;
            let error = 5.0 * libm::sqrt(p * (1.0 - p) / n as f64);
            assert!((ones - p).abs() < error, "p {p}: P(gap = 1) {ones}");
        }
    }

    #[test]
    fn a_rate_of_zero_never_loses_and_of_one_always() {
        for p in [0.0, -0.5, f64::NAN] {
            let mut gaps = Gaps::with_rate(p, stream());
            assert!((0..10_000).all(|_| !gaps.passes(1)));
        }
        for p in [1.0, 2.0, f64::INFINITY] {
            let mut gaps = Gaps::with_rate(p, stream());
            assert!((0..10_000).all(|_| gaps.passes(1)));
        }
    }

    #[test]
    fn in_bytes_a_packet_survives_with_the_exponential_of_its_size() {
        let mut gaps = Gaps::with_mean(10_000.0, stream());
        let n = 200_000;
        let mut lost = [0u32; 2];
        for _ in 0..n {
            lost[0] += u32::from(gaps.passes(40));
            lost[1] += u32::from(gaps.passes(1500));
        }
        for (lost, size) in lost.into_iter().zip([40.0, 1500.0]) {
            let p = 1.0 - libm::exp(-size / 10_000.0);
            let error = 5.0 * libm::sqrt(p * (1.0 - p) / f64::from(n));
            let rate = f64::from(lost) / f64::from(n);
            assert!((rate - p).abs() < error, "{size} bytes: {rate} for {p}");
        }
    }

    #[test]
    fn an_infinite_mean_never_loses_and_a_mean_of_zero_always() {
        let mut never = Gaps::with_mean(f64::INFINITY, stream());
        assert!((0..1000).all(|_| !never.passes(u64::MAX / 2)));
        let mut always = Gaps::with_mean(0.0, stream());
        assert!((0..1000).all(|_| always.passes(1)));
    }
}
