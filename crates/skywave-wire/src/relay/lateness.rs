//! How much later than due packets left, and whether they still met the path that was asked for.
//!
//! A relay that was late, or lost packets itself, exits with an error, because its numbers would be those of
//! another path.

use skywave_core::Duration;

/// Lateness above which a packet counts as late: 1 ms after it was due to leave. It is the resolution of recorded
/// traces, a fortieth of a 40 ms round trip, and many times what a free machine needs to wake a thread.
pub const LATE: Duration = Duration::from_millis(1);

/// Greatest share (0 to 1) of late packets, those later than [`LATE`], with which a run still kept time. A few late
/// packets are jitter that queues absorb; one in a hundred is as often as many channels lose.
pub const LATE_SHARE: f64 = 0.01;

/// Steps of the histogram to each doubling: bounds are exact within an eighth.
const STEPS: u32 = 8;

/// Nanoseconds below which all packets are in the first step.
const FIRST: u64 = 1 << 10;

/// From 2^10 ns to 2^36 ns (69 s).
const BINS: usize = 26 * STEPS as usize + 2;

/// Histogram of the time between when a relay's packets were due and when they had left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lateness {
    bins: Vec<u64>,
    packets: u64,
    late: u64,
    max: Duration,
}

impl Default for Lateness {
    fn default() -> Self {
        Self {
            bins: vec![0; BINS],
            packets: 0,
            late: 0,
            max: Duration::ZERO,
        }
    }
}

impl Lateness {
    /// Counts a packet that left `late_by` after it was due.
    pub fn record(&mut self, late_by: Duration) {
        self.bins[bin(late_by.as_nanos())] += 1;
        self.packets += 1;
        self.late += u64::from(late_by > LATE);
        self.max = self.max.max(late_by);
    }

    /// Number of packets recorded, late or not.
    pub fn packets(&self) -> u64 {
        self.packets
    }

    /// Number of packets that left more than 1 ms ([`LATE`]) after they were due.
    pub fn late(&self) -> u64 {
        self.late
    }

    /// Share (0 to 1) of the packets that left more than 1 ms ([`LATE`]) after they were due; 0 without packets.
    pub fn late_share(&self) -> f64 {
        if self.packets == 0 {
            return 0.0;
        }
        self.late as f64 / self.packets as f64
    }

    /// Longest time from when a packet was due to when it had left; 0 without packets.
    pub fn max(&self) -> Duration {
        self.max
    }

    /// Quantile `q` (0 to 1) of the packets' lateness, the time from when a packet was due to when it had left; at most
    /// an eighth or 1 µs too high. `None` without packets.
    pub fn quantile(&self, q: f64) -> Option<Duration> {
        let rank = (q * self.packets as f64).ceil().max(1.0) as u64;
        let mut below = 0;
        for (bin, count) in self.bins.iter().enumerate() {
            below += count;
            if below >= rank && self.packets > 0 {
                return Some(Duration::from_nanos(upper(bin)).min(self.max));
            }
        }
        None
    }

    /// Whether at most 1 % ([`LATE_SHARE`]) of the packets left more than 1 ms ([`LATE`]) after they were due.
    pub fn kept_time(&self) -> bool {
        self.late_share() <= LATE_SHARE
    }
}

fn bin(ns: u64) -> usize {
    if ns < FIRST {
        return 0;
    }
    let doubling = ns.ilog2() - FIRST.ilog2();
    // The three bits after the highest one that is set.
    let step = (ns >> (ns.ilog2() - STEPS.ilog2())) & u64::from(STEPS - 1);
    (1 + doubling as usize * STEPS as usize + step as usize).min(BINS - 1)
}

/// The first value above a bin's.
fn upper(bin: usize) -> u64 {
    let (doubling, step) = (bin as u32 / STEPS, u64::from(bin as u32 % STEPS));
    // Bin 0 ends at `FIRST`; bin 1 is its first eighth.
    (FIRST << doubling) + ((FIRST << doubling) / u64::from(STEPS)) * step
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_lies_in_a_bin_that_is_at_most_an_eighth_wide() {
        for ns in (0..40).flat_map(|k| [1_u64 << k, (1 << k) + (1 << k) / 3, (2 << k) - 1]) {
            let end = upper(bin(ns));
            if bin(ns) < BINS - 1 {
                assert!(end > ns, "{ns} in a bin up to {end}");
                assert!(end <= (ns + ns / 8 + 1).max(FIRST), "{ns}: {end}");
            }
        }
    }

    #[test]
    fn bins_are_in_order() {
        for ns in 1..200_000 {
            let before = bin(ns - 1);
            assert!((before..=before + 1).contains(&bin(ns)), "{ns}");
        }
    }

    #[test]
    fn quantiles_bound_the_truth() {
        let mut lateness = Lateness::default();
        assert_eq!(lateness.quantile(0.5), None);
        for us in 1..=1000 {
            lateness.record(Duration::from_micros(us));
        }
        let median = lateness.quantile(0.5).map_or(0, Duration::as_nanos);
        assert!((500_000..=565_000).contains(&median), "{median}");
        assert_eq!(lateness.quantile(1.0), Some(Duration::from_millis(1)));
        assert_eq!(lateness.max(), Duration::from_millis(1));
    }

    #[test]
    fn a_run_with_more_than_one_late_packet_in_a_hundred_did_not_keep_time() {
        let mut lateness = Lateness::default();
        assert!(lateness.kept_time());
        for _ in 0..99 {
            lateness.record(LATE);
        }
        lateness.record(LATE + Duration::from_nanos(1));
        assert_eq!(lateness.late(), 1);
        assert!(lateness.kept_time());
        lateness.record(LATE * 2);
        assert!(!lateness.kept_time());
    }
}
