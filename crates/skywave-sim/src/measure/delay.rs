//! A histogram of delays with buckets of less than 1.6% of the delay, for percentiles.

use std::collections::BTreeMap;

use skywave_core::Duration;

/// Buckets per doubling of the delay.
const PER_OCTAVE: u32 = 64;
/// Delays below 2^6 ns share the first bucket.
const FIRST_BIT: u32 = 6;
/// Buckets are added in groups of this number.
const ROOM: usize = 16;

/// Counts of delays by logarithmic bucket, from the smallest to the largest seen: a flow's delays
/// lie within a few doublings of each other.
#[derive(Clone, Debug, Default)]
pub(crate) struct DelayHistogram {
    /// Number of the first bucket kept.
    first: usize,
    /// The counts, modulo 2^8: with many flows, few packets of one flow have the same delay.
    buckets: Vec<u8>,
    /// How often a bucket's count has passed 2^8, by the bucket's number.
    #[expect(
        clippy::box_collection,
        reason = "few flows have one, and it is small so"
    )]
    full: Option<Box<BTreeMap<u32, u64>>>,
    /// Where among them the latest delay was counted.
    latest: usize,
}

impl DelayHistogram {
    #[inline]
    pub(crate) fn record(&mut self, delay: Duration) {
        let bucket = bucket(delay.as_nanos());
        self.latest = bucket.wrapping_sub(self.first);
        match self.buckets.get_mut(self.latest) {
            Some(count) => {
                *count = count.wrapping_add(1);
                if *count == 0 {
                    self.carry(bucket);
                }
            }
            None => self.widen(bucket),
        }
    }

    /// Where the next delay is counted, if it is as long as the latest or nearly.
    #[inline]
    pub(crate) fn likely(&self) -> Option<&u8> {
        self.buckets.get(self.latest)
    }

    /// The count of a bucket has passed 2^8.
    #[cold]
    #[inline(never)]
    fn carry(&mut self, bucket: usize) {
        let full = self.full.get_or_insert_default();
        *full.entry(bucket as u32).or_default() += 1;
    }

    /// Number of delays in each bucket kept.
    fn counts(&self) -> Vec<u64> {
        let mut counts: Vec<u64> = self.buckets.iter().map(|&n| u64::from(n)).collect();
        for (&bucket, &times) in self.full.iter().flat_map(|full| full.iter()) {
            counts[bucket as usize - self.first] += times << u8::BITS;
        }
        counts
    }

    /// The first delay in a bucket that is not kept yet.
    #[cold]
    fn widen(&mut self, bucket: usize) {
        if self.buckets.is_empty() {
            self.first = bucket;
        }
        let missing = self.first.saturating_sub(bucket);
        self.buckets.reserve_exact(missing);
        self.buckets.splice(..0, std::iter::repeat_n(0, missing));
        self.first -= missing;
        let place = bucket - self.first;
        if place >= self.buckets.len() {
            // A list that doubles would lie half empty in many flows.
            let more = place + 1 - self.buckets.len();
            self.buckets.reserve_exact(more.next_multiple_of(ROOM));
            self.buckets.resize(place + 1, 0);
        }
        self.buckets[place] = 1;
    }

    /// The delay in seconds below which the share `q` of all lies; `None` when there are none.
    pub(crate) fn quantile(&self, q: f64) -> Option<f64> {
        let counts = self.counts();
        let count: u64 = counts.iter().sum();
        let rank = (q * count as f64).ceil().max(1.0) as u64;
        let mut below = 0;
        let place = counts.iter().position(|&n| {
            below += n;
            below >= rank
        })?;
        let bucket = self.first + place;
        let middle = (lower_bound(bucket) + lower_bound(bucket + 1)) as f64 / 2.0;
        Some(middle * 1e-9)
    }
}

fn bucket(ns: u64) -> usize {
    if ns < 1 << FIRST_BIT {
        return 0;
    }
    let octave = ns.ilog2();
    let within = (ns >> (octave - PER_OCTAVE.ilog2())) as u32 - PER_OCTAVE;
    ((octave - FIRST_BIT) * PER_OCTAVE + within) as usize
}

fn lower_bound(bucket: usize) -> u64 {
    let (octave, within) = (
        bucket as u32 / PER_OCTAVE + FIRST_BIT,
        bucket as u32 % PER_OCTAVE,
    );
    u64::from(PER_OCTAVE + within) << (octave - PER_OCTAVE.ilog2())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_contiguous_and_narrow() {
        for ns in [
            64u64,
            65,
            8_191,
            65_537,
            1_000_000,
            123_456_789,
            60_000_000_000,
        ] {
            let b = bucket(ns);
            assert!(lower_bound(b) <= ns && ns < lower_bound(b + 1), "{ns}");
            let width = lower_bound(b + 1) - lower_bound(b);
            assert!(width as f64 / ns as f64 <= 1.0 / 64.0);
        }
    }

    #[test]
    fn counts_pass_the_size_of_a_bucket() {
        let mut h = DelayHistogram::default();
        for ms in [10, 20] {
            for _ in 0..ms * 10_000 {
                h.record(Duration::from_millis(ms));
            }
        }
        h.record(Duration::from_millis(1)); // the other buckets move
        let counts: Vec<u64> = h.counts().into_iter().filter(|&n| n > 0).collect();
        assert_eq!(counts, [1, 100_000, 200_000]);
        assert!(h.quantile(0.3).is_some_and(|q| q < 0.011));
        assert!(h.quantile(0.4).is_some_and(|q| q > 0.019));
    }

    #[test]
    fn quantiles_of_a_known_sample() {
        let mut h = DelayHistogram::default();
        assert_eq!(h.quantile(0.5), None);
        // Neither rising nor falling.
        for ms in (50..=100).chain(1..50) {
            h.record(Duration::from_millis(ms));
        }
        for (q, expected) in [(0.5, 0.050), (0.95, 0.095), (0.99, 0.099)] {
            let got = h.quantile(q).unwrap_or_default();
            assert!((got / expected - 1.0).abs() < 0.016, "{q}: {got}");
        }
    }
}
