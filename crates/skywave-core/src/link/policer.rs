//! A policer: packets beyond a rate and a burst are dropped before the queue.
//!
//! It is a token [bucket](super::bucket). A packet that finds as many tokens as it has bytes takes them and
//! passes; any other is dropped, and takes none. So no time `t` sees more than `burst + rate · t` pass.

use crate::parameter::{Presets, optional, parameters};
use crate::units::Rate;

parameters! {
    /// A token bucket that drops packets beyond its rate and burst (RFC 2697 section 3, the committed bucket alone).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Policer as "policer" {
        /// Rate at which bytes may pass in the long run.
        rate: Rate = Rate::from_bps(1_000_000), Rate.needed();
        /// Bytes that may pass at once after a rest; larger packets never pass.
        burst: u64 = 1500, Size.needed();
    }
}

impl Presets for Policer {
    const NONE: &'static str = "No policer.";
}

optional!(Policer);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::link::bucket::Bucket;
    use crate::link::{
        CoDelConfig, DropCause, Fate, Limit, Link, LinkConfig, QueueConfig, TimedLink,
    };
    use crate::time::{Duration, Time};

    fn us(us: u64) -> Time {
        Time::ZERO + Duration::from_micros(us)
    }

    /// A byte a microsecond, and 3000 bytes at once.
    fn bucket() -> Bucket {
        Bucket::new(Rate::from_bps(8_000_000), 3000)
    }

    #[test]
    fn a_burst_passes_and_then_a_packet_whenever_its_bytes_have_come() {
        let mut bucket = bucket();
        let at_once: Vec<bool> = (0..4).map(|_| bucket.passes(us(0), 1000)).collect();
        assert_eq!(at_once, [true, true, true, false]);
        let just_before = Time::from_nanos(999_999);
        assert!(!bucket.passes(just_before, 1000));
        assert!(bucket.passes(us(1000), 1000));
        assert!(!bucket.passes(us(1000), 1));
        assert!(bucket.passes(us(1001), 1));
    }

    #[test]
    fn what_is_dropped_takes_no_tokens() {
        let mut bucket = bucket();
        assert!(!bucket.passes(us(0), 3001));
        assert!(bucket.passes(us(0), 3000));
    }

    #[test]
    fn a_rest_is_worth_one_burst_however_long_it_is() {
        let mut bucket = bucket();
        assert!(bucket.passes(us(10_000_000), 3000));
        assert!(!bucket.passes(us(10_000_000), 1));
    }

    /// 16 Mb/s for 10 s: of 20 MB pass the 10 MB of the rate and the burst, less what the last packets leave.
    #[test]
    fn the_rate_passes_in_the_long_run() {
        let mut bucket = bucket();
        let passed = (0..20_000).filter(|n| bucket.passes(us(n * 500), 1000));
        assert_eq!(passed.count(), 10_002);
    }

    #[test]
    fn a_link_of_either_kind_drops_what_does_not_pass() {
        let policer = Policer {
            rate: Rate::from_bps(8_000_000),
            burst: 3000,
        };
        for queue in [
            QueueConfig::DropTail(Limit::Packets(100)),
            QueueConfig::CoDel(CoDelConfig::new(Limit::Packets(100))),
        ] {
            let rate = Rate::from_bps(1_000_000_000);
            let config = LinkConfig {
                policer: Some(policer),
                ..LinkConfig::new(rate, Duration::from_millis(1), queue)
            };
            let late = config.needs_time();
            let mut timed = TimedLink::new(config.clone(), 1, "link");
            let dropped = (0..4).map(|id| timed.offer(us(0), id, 1000)).last();
            assert_eq!(dropped, Some(Some(DropCause::Policed)));
            assert_eq!(timed.finish(us(1)).queue_drops, 1);
            if late {
                continue;
            }
            let mut plain = Link::new(config, 1, "link");
            assert!(!plain.is_plain());
            let fate = (0..4).map(|_| plain.send(us(0), 1000)).last();
            assert_eq!(fate, Some(Fate::Dropped(DropCause::Policed)));
            assert_eq!(plain.finish(us(1)).queue_drops, 1);
        }
    }

    proptest! {
        #[test]
        fn no_time_sees_more_than_the_rate_and_a_burst(
            packets in prop::collection::vec((0u64..3000, 1u32..3200), 1..80),
        ) {
            let mut bucket = bucket();
            let mut now = 0;
            let mut passed: Vec<(u64, u64)> = Vec::new();
            for (later, size) in packets {
                now += later;
                if bucket.passes(us(now), size) {
                    passed.push((now, size.into()));
                }
            }
            for (first, &(start, _)) in passed.iter().enumerate() {
                let mut bytes = 0;
                for &(at, size) in &passed[first..] {
                    bytes += size;
                    prop_assert!(bytes <= 3000 + (at - start));
                }
            }
        }
    }
}
