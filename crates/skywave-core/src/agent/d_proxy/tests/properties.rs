//! Both agents and a hop between them that keeps order and loses data, requests and refusals.

use std::collections::VecDeque;

use proptest::prelude::*;

use super::*;
use crate::agent::LocalTimeout;
use crate::rng::Stream;

#[derive(Clone, Debug)]
struct Plan {
    segments: u64,
    /// Shares that are lost on the hop, of data and of the agents' own packets, and before the agents.
    lost: f64,
    messages_lost: f64,
    lost_before: f64,
    /// The source sends a segment a second time now and then.
    twice: f64,
    delay_ms: u64,
    cache: u64,
    buffer: u64,
    hold_ms: u64,
    seed: u64,
}

fn plans() -> impl Strategy<Value = Plan> {
    let room = || prop_oneof![Just(1 << 20), 0..20 * SIZE];
    (
        (1u64..60, 0.0..0.5f64, 0.0..0.5f64),
        (
            prop_oneof![Just(0.0), 0.0..0.2f64],
            prop_oneof![Just(0.0), 0.0..0.2f64],
        ),
        (1u64..80, room(), room(), 1u64..2000, any::<u64>()),
    )
        .prop_map(
            |((segments, lost, messages_lost), (lost_before, twice), rest)| {
                let (delay_ms, cache, buffer, hold_ms, seed) = rest;
                Plan {
                    segments,
                    lost,
                    messages_lost,
                    lost_before,
                    twice,
                    delay_ms,
                    cache,
                    buffer,
                    hold_ms,
                    seed,
                }
            },
        )
}

#[derive(Clone, Copy, Debug)]
enum Carried {
    Data(Packet),
    Refused(Hole),
    Nack(Hole),
}

/// The agents, what is on the hop in either direction, and what went out.
struct Run<'a> {
    plan: &'a Plan,
    upstream: Upstream,
    downstream: Downstream,
    hop: VecDeque<(Time, Carried)>,
    lots: Stream,
    now: Time,
    /// When each segment came over the hop first, and how often.
    came: Vec<(Option<Time>, u32)>,
    /// Segments in the order in which they went on to the receiver.
    out: Vec<(Time, u64)>,
}

impl Run<'_> {
    fn cross(&mut self, what: Carried) {
        let loss = match what {
            Carried::Data(_) => self.plan.lost,
            _ => self.plan.messages_lost,
        };
        if !self.lots.chance(loss) {
            let delay = Duration::from_millis(self.plan.delay_ms);
            self.hop.push_back((self.now + delay, what));
        }
    }

    fn answer(&mut self) {
        while let Some(answer) = self.upstream.poll_transmit() {
            self.cross(match answer {
                Answer::Again(packet) => Carried::Data(packet),
                Answer::Refused(hole) => Carried::Refused(hole),
            });
        }
    }

    fn go_on(&mut self) {
        while let Some(heard) = self.downstream.poll_transmit() {
            match heard {
                Heard::Forward(packet) => self.out.push((self.now, carried(&packet))),
                Heard::Nack(hole) => self.cross(Carried::Nack(hole)),
            }
        }
        assert!(self.downstream.held_bytes() <= self.plan.buffer);
        assert!(self.upstream.cached_bytes() <= self.plan.cache);
    }

    fn send(&mut self, segment: u64) {
        if self.lots.chance(self.plan.lost_before) {
            return;
        }
        let (packet, segment) = (packet(data(segment)), data(segment));
        self.upstream.on_data(&packet, &segment);
        self.answer();
        self.cross(Carried::Data(packet));
    }

    /// Everything that happens until `until`.
    fn advance(&mut self, until: Time) {
        loop {
            let timer = self.downstream.next_timer().filter(|due| *due <= until);
            let arrival = self
                .hop
                .front()
                .map(|(at, _)| *at)
                .filter(|at| *at <= until);
            match (timer, arrival) {
                (None, None) => break,
                (Some(due), arrival) if arrival.is_none_or(|at| due < at) => {
                    self.now = self.now.max(due);
                    self.downstream.on_timer(self.now);
                }
                _ => {
                    let (at, what) = self.hop.pop_front().unwrap();
                    self.now = self.now.max(at);
                    self.arrive(what);
                }
            }
            self.go_on();
            self.answer();
        }
        self.now = until;
    }

    fn arrive(&mut self, what: Carried) {
        match what {
            Carried::Data(packet) => {
                let n = carried(&packet);
                let (first, times) = &mut self.came[n as usize];
                first.get_or_insert(self.now);
                *times += 1;
                let verdict = self.downstream.on_data(self.now, &packet, &data(n));
                if verdict == Verdict::Forward {
                    self.out.push((self.now, n));
                }
            }
            Carried::Refused(hole) => self.downstream.on_refused(hole),
            Carried::Nack(hole) => self.upstream.on_nack(hole),
        }
    }
}

fn run(plan: &Plan) -> Run<'_> {
    let mut run = Run {
        plan,
        upstream: Upstream::new(UpstreamConfig {
            cache: plan.cache,
            in_queue: false,
        }),
        downstream: Downstream::new(DownstreamConfig {
            buffer: plan.buffer,
            hold: Duration::from_millis(plan.hold_ms),
            retry: LocalTimeout {
                rtts: 2.0,
                min: Duration::from_millis(5),
            },
        }),
        hop: VecDeque::new(),
        lots: Stream::named(plan.seed, "hop", "loss"),
        now: Time::ZERO,
        came: vec![(None, 0); plan.segments as usize + 1],
        out: Vec::new(),
    };
    for n in 1..=plan.segments {
        run.advance(run.now + Duration::from_millis(3));
        run.send(n);
        if run.lots.chance(plan.twice) {
            let earlier = run.lots.uniform_int(1, n);
            run.send(earlier);
        }
    }
    run.advance(run.now + Duration::from_secs(20_000));
    run
}

proptest! {
    #[test]
    fn what_comes_over_the_hop_goes_on_once_for_each_time_that_it_comes_and_in_time(plan in plans()) {
        let run = run(&plan);
        prop_assert_eq!((run.downstream.held_bytes(), run.downstream.next_timer()), (0, None));
        let hold = Duration::from_millis(plan.hold_ms);
        for (n, &(first, times)) in run.came.iter().enumerate() {
            let mut went = run.out.iter().filter(|(_, out)| *out == n as u64);
            let at = went.next().map(|(at, _)| *at);
            prop_assert_eq!(first.is_some(), at.is_some(), "segment {} lost or made", n);
            if let (Some(first), Some(at)) = (first, at) {
                prop_assert!(at.since(first) <= hold, "segment {} held for {:?}", n, at.since(first));
            }
            // Copies of what is held do not go on; of what went on before they do, since its ACK may be lost.
            prop_assert!((went.count() as u32) < times.max(1), "segment {} doubled", n);
        }
    }

    #[test]
    fn the_first_times_are_in_order_unless_a_segment_is_given_up(plan in plans()) {
        let run = run(&plan);
        let mut highest = 0;
        let mut late = 0;
        let mut seen = vec![false; plan.segments as usize + 1];
        for &(_, n) in &run.out {
            if !std::mem::replace(&mut seen[n as usize], true) {
                late += u64::from(n < highest);
                highest = highest.max(n);
            }
        }
        // Only what was given up comes late; before the first segment that came nothing is known to be missing.
        let first = run.out.first().map_or(0, |&(_, n)| n);
        let unknown = (1..first).filter(|&n| seen[n as usize]).count() as u64;
        let given_up = run.downstream.counters().given_up;
        prop_assert!(late <= unknown || given_up > 0, "{} late", late);
    }

    /// With enough room and time every loss of the hop is repaired, and nothing is left to the sender.
    #[test]
    fn with_room_and_time_the_receiver_sees_every_segment_in_order(plan in plans()) {
        let plan = Plan {
            lost_before: 0.0,
            twice: 0.0,
            cache: 1 << 20,
            buffer: 1 << 20,
            hold_ms: 10_000_000,
            ..plan
        };
        let run = run(&plan);
        let mut first_times: Vec<u64> = Vec::new();
        for &(_, n) in &run.out {
            if first_times.iter().all(|seen| *seen != n) {
                first_times.push(n);
            }
        }
        // The agent sees a gap only between two segments that come: not before the first, nor after the last.
        if let (Some(&first), Some(&last)) = (first_times.first(), first_times.last()) {
            prop_assert_eq!(first_times, (first..=last).collect::<Vec<_>>());
        }
        prop_assert_eq!(run.downstream.counters().given_up, 0);
    }
}
