//! A sender, a last hop with both agents, and a receiver.

use std::collections::VecDeque;

use proptest::prelude::*;

use super::super::{Regenerator, Suppressor};
use crate::packet::Segment;
use crate::rng::Stream;
use crate::tcp::acking::SelfTriggered;
use crate::tcp::{Acking, PRESETS, Profile, Receiver, Sender, TcpConfig};
use crate::time::{Duration, Time};

#[derive(Clone, Debug)]
struct Plan {
    preset: usize,
    acking: Acking,
    segments: u64,
    /// Shares of data frames that do not arrive, that arrive while the MAC's ACK does not, and of ACKs of TCP lost.
    lost: f64,
    unconfirmed: f64,
    lost_acks: f64,
    /// Now and then data come by another station than before.
    reroutes: f64,
    seed: u64,
}

fn plans() -> impl Strategy<Value = Plan> {
    let acking = prop_oneof![
        Just(Acking::EverySegment),
        Just(Acking::DELAYED),
        Just(Acking::SelfTriggered(SelfTriggered::DEFAULT)),
    ];
    (
        0..PRESETS.len(),
        acking,
        1u64..80,
        0.0..0.2f64,
        0.0..0.1f64,
        0.0..0.2f64,
        prop_oneof![Just(0.0), 0.0..0.1f64],
        any::<u64>(),
    )
        .prop_map(
            |(preset, acking, segments, lost, unconfirmed, lost_acks, reroutes, seed)| Plan {
                preset,
                acking,
                segments,
                lost,
                unconfirmed,
                lost_acks,
                reroutes,
                seed,
            },
        )
}

/// A segment on its way: data towards the receiver, or an ACK towards the source.
struct Path {
    data: VecDeque<(Time, Segment)>,
    acks: VecDeque<(Time, Segment)>,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_byte_is_acknowledged_that_has_not_arrived_and_all_do(plan in plans()) {
        let mut config = TcpConfig::new(Profile::Rfc, PRESETS[plan.preset].composition.clone());
        config.acking = plan.acking;
        config.mss = 1000;
        let bytes = plan.segments * 1000;
        let mut sender = Sender::new(config.clone());
        let mut receiver = Receiver::new(config.clone());
        let mut suppressor = Suppressor::default();
        let mut stations = [Regenerator::default(), Regenerator::default()];
        let mut station = 0;
        let mut chance = Stream::named(plan.seed, "clamp", "fate");
        let mut path = Path { data: VecDeque::new(), acks: VecDeque::new() };
        let mut now = Time::ZERO;
        sender.open();
        sender.write(bytes);
        sender.close();
        let way = Duration::from_millis(20);
        for step in 0.. {
            prop_assert!(step < 100_000, "still busy at {now:?}");
            while let Some(segment) = sender.poll_transmit(now) {
                path.data.push_back((now + way, segment));
            }
            if sender.is_done() {
                break;
            }
            let due = |queue: &VecDeque<(Time, Segment)>| queue.front().map(|&(at, _)| at);
            let (data, acks) = (due(&path.data), due(&path.acks));
            let timers = [sender.next_timer(), receiver.next_timer()];
            let next = [data, acks].into_iter().chain(timers).flatten().min();
            now = next.ok_or_else(|| TestCaseError::fail(format!("quiet at {now:?}")))?.max(now);
            let mut answered = Vec::new();
            if acks == Some(now) && let Some((_, ack)) = path.acks.pop_front() {
                let irs = config.iss;
                let number = ack.ack.expand(irs, receiver.next()).expect("a position");
                prop_assert!(number <= receiver.next(), "acknowledges what has not arrived");
                sender.on_segment(now, &ack);
            } else if data == Some(now) && let Some((_, segment)) = path.data.pop_front() {
                if chance.chance(plan.reroutes) {
                    station ^= 1;
                }
                if !chance.chance(plan.lost) {
                    receiver.on_segment(now, &segment);
                    if !chance.chance(plan.unconfirmed) {
                        answered.extend(stations[station].on_confirmed(now, &segment));
                    }
                }
            } else {
                sender.on_timer(now);
                receiver.on_timer(now);
            }
            while let Some(ack) = receiver.poll_transmit(now) {
                if suppressor.passes(&ack) && !chance.chance(plan.lost_acks) {
                    answered.push(ack);
                    answered.extend(stations[station].on_ack(now, &ack));
                }
            }
            let kept: Vec<Segment> =
                answered.into_iter().filter(|_| !chance.chance(plan.lost_acks)).collect();
            path.acks.extend(kept.into_iter().map(|ack| (now + way, ack)));
        }
        prop_assert_eq!(receiver.delivered(), bytes);
    }
}
