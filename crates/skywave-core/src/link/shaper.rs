//! A shaper: packets beyond a rate and a burst wait.
//!
//! It is the token bucket of a [policer](super::policer), but a packet for which there are too few tokens waits for
//! them before its transmission, and those behind it wait in the queue. Tokens count from when a transmission begins,
//! and a transmission takes the link's own rate: after a rest a burst leaves at that rate, and then a packet whenever
//! its bytes have come. So is Linux's `tbf` without a `peakrate`.
//!
//! The packet that waits has left the queue, as in `tbf`, which takes it out to see its size. A packet larger than
//! the burst waits for a full bucket and takes the rest on credit (`tbf` drops it), so that the rate holds for all
//! sizes in the long run.

use crate::parameter::{Presets, optional, parameters};
use crate::units::Rate;

parameters! {
    /// A token bucket, for whose tokens packets wait.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Shaper as "shaper" {
        /// Rate at which bytes leave in the long run.
        rate: Rate = Rate::from_bps(1_000_000), Rate.needed();
        /// Bytes that leave at the link's own rate after a rest; larger packets wait for a full bucket and take the rest on
        /// credit.
        burst: u64 = 1500, Size.needed();
    }
}

impl Presets for Shaper {
    const NONE: &'static str = "No shaper.";
}

optional!(Shaper);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::link::{
        CoDelConfig, Fate, Limit, Link, LinkConfig, PieConfig, QueueConfig, TimedLink,
    };
    use crate::time::{Duration, Time};

    const DELAY: Duration = Duration::from_millis(10);

    fn us(us: u64) -> Time {
        Time::ZERO + Duration::from_micros(us)
    }

    /// A byte a microsecond and 3000 bytes at once, before a link on which 1000 bytes take 100 us.
    fn config(queue: QueueConfig) -> LinkConfig {
        LinkConfig {
            shaper: Some(Shaper {
                rate: Rate::from_bps(8_000_000),
                burst: 3000,
            }),
            ..LinkConfig::new(Rate::from_bps(80_000_000), DELAY, queue)
        }
    }

    /// When packets of these times (us) and sizes arrive, in microseconds, less the delay; `None` if dropped.
    fn arrivals(config: LinkConfig, packets: &[(u64, u32)]) -> Vec<Option<u64>> {
        let mut link = Link::new(config, 1, "link");
        let fates = packets.iter().map(|&(at, size)| link.send(us(at), size));
        fates
            .map(|fate| match fate {
                Fate::Arrives { at, .. } => Some(at.since(Time::ZERO + DELAY).as_nanos() / 1000),
                Fate::Dropped(_) => None,
            })
            .collect()
    }

    const DEEP: QueueConfig = QueueConfig::DropTail(Limit::Packets(1000));

    #[test]
    fn a_burst_leaves_at_the_links_rate_and_then_a_packet_whenever_its_bytes_have_come() {
        // Three packets of the burst. The fourth begins when its last token is there: 1000 bytes after the burst
        // at 8 Mb/s are 1000 us, of which 300 have passed.
        let packets = [(0, 1000); 6];
        let expected = [100, 200, 300, 1100, 2100, 3100].map(Some);
        assert_eq!(arrivals(config(DEEP), &packets), expected);
    }

    #[test]
    fn a_rest_is_worth_one_burst_however_long_it_is() {
        let packets = [(0, 3000), (1_000_000, 3000), (1_000_000, 1000)];
        let expected = [300, 1_000_300, 1_001_100].map(Some);
        assert_eq!(arrivals(config(DEEP), &packets), expected);
    }

    #[test]
    fn a_packet_larger_than_the_burst_waits_for_a_full_bucket_and_takes_credit() {
        // 4000 bytes at once from a full bucket; then 1000 are missing, and 1000 more for the next packet.
        let packets = [(0, 4000), (0, 1000), (0, 4000)];
        // The third begins when 3000 tokens are there again: 3000 us after the second has taken the last one.
        let expected = [400, 2100, 5400].map(Some);
        assert_eq!(arrivals(config(DEEP), &packets), expected);
    }

    #[test]
    fn the_queue_holds_what_waits_behind_the_packet_that_waits_for_tokens() {
        // One in transmission or before it, and two behind it.
        let queue = QueueConfig::DropTail(Limit::Packets(3));
        let packets = [
            (0, 3000),
            (300, 1000),
            (300, 1000),
            (300, 1000),
            (300, 1000),
        ];
        let expected = [Some(300), Some(1100), Some(2100), Some(3100), None];
        assert_eq!(arrivals(config(queue), &packets), expected);
    }

    #[test]
    fn a_rate_of_zero_lets_a_burst_pass_and_nothing_after_it() {
        let stopped = LinkConfig {
            shaper: Some(Shaper {
                rate: Rate::from_bps(0),
                burst: 1000,
            }),
            ..config(DEEP)
        };
        let mut link = Link::new(stopped, 1, "link");
        assert!(!link.is_plain());
        let _ = link.send(us(0), 1000);
        let fate = link.send(us(0), 1000);
        assert!(
            matches!(fate, Fate::Arrives { at: Time::MAX, .. }),
            "{fate:?}"
        );
    }

    #[test]
    fn a_queue_that_decides_on_the_way_out_sees_the_rate_of_the_shaper() {
        // 16 Mb/s come: twice what the shaper lets leave, a fifth of what the link could send.
        let limit = Limit::Packets(1000);
        for queue in [
            QueueConfig::CoDel(CoDelConfig::new(limit)),
            QueueConfig::Pie(PieConfig::new(limit)),
        ] {
            let dropped = [
                config(queue),
                LinkConfig {
                    shaper: None,
                    ..config(queue)
                },
            ]
            .map(|config| {
                let mut link = TimedLink::new(config, 1, "link");
                for id in 0..1000 {
                    let _ = link.offer(us(u64::from(id) * 500), id, 1000);
                }
                link.on_time(us(2_000_000));
                link.finish(us(2_000_000)).queue_drops
            });
            assert!(dropped[0] > 0 && dropped[1] == 0, "{queue:?}: {dropped:?}");
        }
    }

    proptest! {
        #[test]
        fn no_time_sees_more_begin_than_the_rate_and_a_burst_and_none_waits_without_need(
            packets in prop::collection::vec((0u64..3000, 1u32..3001), 1..80),
        ) {
            let mut now = 0;
            let packets: Vec<_> = packets.into_iter().map(|(later, size)| {
                now += later;
                (now, size)
            }).collect();
            let ends = arrivals(config(DEEP), &packets);
            // Of packets of whole 10 bytes a transmission takes whole microseconds; others end within one.
            let begun: Vec<(u64, u64)> = ends.iter().zip(&packets)
                .map(|(end, &(_, size))| (end.unwrap_or(0) - u64::from(size) / 10, u64::from(size)))
                .collect();
            for (first, &(start, _)) in begun.iter().enumerate() {
                let mut bytes = 0;
                for &(at, size) in &begun[first..] {
                    bytes += size;
                    prop_assert!(bytes <= 3000 + (at - start) + 2);
                }
            }
            // What waits is let go as soon as the tokens are there: the same packets through a bucket by hand.
            let (mut tokens, mut filled, mut free) = (3000.0_f64, 0.0_f64, 0.0_f64);
            for (&(came, size), end) in packets.iter().zip(&ends) {
                let size = f64::from(size);
                let mut at = free.max(came as f64);
                tokens = (tokens + at - filled).min(3000.0);
                if tokens < size {
                    at += size - tokens;
                    tokens = size;
                }
                (tokens, filled, free) = (tokens - size, at, at + size / 10.0);
                let end = end.unwrap_or(0) as f64;
                prop_assert!((free - end).abs() <= 1.01, "{free} {end}");
            }
        }
    }
}
