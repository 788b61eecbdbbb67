//! Properties that hold for every link and every pattern of packets.

use std::collections::BTreeMap;

use super::*;

fn service() -> impl Strategy<Value = Service> {
    let trace = |mut at: Vec<u32>| {
        at.sort_unstable();
        at.push(40);
        let text: Vec<_> = at.iter().map(u32::to_string).collect();
        Service::Trace(Arc::new(Trace::parse(&text.join("\n")).unwrap()))
    };
    prop_oneof![
        (1_000u64..100_000_000).prop_map(|bps| Service::Rate(Rate::from_bps(bps))),
        prop::collection::vec(0u32..40, 0..10).prop_map(trace),
    ]
}

fn queue() -> impl Strategy<Value = QueueConfig> {
    let limit = prop_oneof![
        (0u32..20).prop_map(Limit::Packets),
        (0u64..30_000).prop_map(Limit::Bytes),
    ];
    let red = (limit.clone(), any::<bool>(), any::<bool>()).prop_map(|(limit, gentle, wait)| {
        QueueConfig::Red(RedConfig {
            limit,
            min_threshold: 2.0,
            max_threshold: 6.0,
            max_p: 0.3,
            weight: 0.2,
            gentle,
            wait,
            mean_packet: 500,
            mark_p: None,
        })
    });
    let weight = prop_oneof![Just(None), Just(Some(0.2))];
    let step = (limit.clone(), 0u64..10, weight).prop_map(|(limit, threshold, weight)| {
        QueueConfig::Step(StepConfig {
            limit,
            threshold,
            weight,
        })
    });
    prop_oneof![limit.prop_map(QueueConfig::DropTail), red, step]
}

/// Queues that also decide when packets leave; tighter than usual, so that they do.
fn timed_queue() -> impl Strategy<Value = QueueConfig> {
    (0u32..20, 1u64..20, 1u64..50, 0usize..4).prop_map(|(packets, target, interval, kind)| {
        let limit = Limit::Packets(packets);
        let target = Duration::from_millis(target);
        let interval = Duration::from_millis(interval);
        let codel = CoDelConfig {
            target,
            interval,
            ..CoDelConfig::new(limit)
        };
        let pie = PieConfig {
            target,
            update: interval,
            burst: Duration::ZERO,
            ..PieConfig::new(limit)
        };
        match kind {
            0 => QueueConfig::CoDel(codel),
            1 => QueueConfig::FqCoDel(FqCoDelConfig {
                queues: 4,
                ..FqCoDelConfig::new(codel)
            }),
            2 => QueueConfig::Pie(pie),
            _ => QueueConfig::DualPi2(DualPi2Config {
                target,
                update: interval,
                shift: interval,
                ..DualPi2Config::new(limit)
            }),
        }
    })
}

fn loss() -> impl Strategy<Value = LossConfig> {
    let by_time = LossConfig::GilbertElliottTime(GilbertElliottTimeConfig {
        good: Duration::from_millis(30),
        bad: Duration::from_millis(10),
        loss_good: 0.01,
        loss_bad: 0.5,
    });
    prop_oneof![
        (0.0..1.0).prop_map(LossConfig::Iid),
        (0.0..1.0).prop_map(LossConfig::Exponential),
        (0.0..50_000.0).prop_map(LossConfig::ExponentialBytes),
        Just(by_time),
        (0u64..9, 0u64..9).prop_map(|(every, first)| LossConfig::Periodic(PeriodicConfig {
            every,
            first: Some(first)
        })),
    ]
}

prop_compose! {
    fn any_config()(
        service in service(),
        queue in queue(),
        loss in prop::collection::vec(loss(), 0..3),
        tail in any::<bool>(),
        jitter in prop::option::of(0u64..20_000_000),
        rates in (0.0..0.3, 0.0..0.3),
        outage in prop::option::of((0u64..200_000_000, 0u64..200_000_000)),
        policer in prop::option::weighted(0.3, (100_000u64..50_000_000, 500u64..20_000)),
        shaper in prop::option::weighted(0.3, (100_000u64..50_000_000, 0u64..20_000)),
        contention in prop::option::weighted(0.3, (0.0..0.9, 0u64..50_000_000, any::<bool>())),
    ) -> LinkConfig {
        let is_rate = matches!(service, Service::Rate(_));
        let blackout = |(start, length)| Blackout {
            start: Time::from_nanos(start),
            end: Time::from_nanos(start + length),
        };
        LinkConfig {
            steps: None,
            service,
            delay: DELAY,
            policer: policer.map(|(bps, burst)| Policer { rate: Rate::from_bps(bps), burst }),
            shaper: shaper.map(|(bps, burst)| Shaper { rate: Rate::from_bps(bps), burst })
                .filter(|_| is_rate && contention.is_none()),
            jitter: jitter.map(|mean| Jitter::Exponential(Duration::from_nanos(mean))),
            queue,
            ring: 0,
            loss,
            loss_at: if tail { LossAt::Tail } else { LossAt::Head },
            blackouts: outage.map(blackout).into_iter().collect(),
            corruption: rates.0,
            duplication: rates.1,
            reordering: None,
            fec: None,
            contention: contention.map(|(failure, hold, capture)| Contention {
                slot: Duration::from_millis(2),
                window: 4,
                max_window: 32,
                failure,
                hold: Duration::from_nanos(hold),
                capture,
            })
            .filter(|_| is_rate),
            arq: None,
        }
    }
}

/// Gaps (often none) and sizes.
fn packets() -> impl Strategy<Value = Vec<(u64, u32)>> {
    let gap = prop_oneof![Just(0u64), 0u64..20_000_000];
    prop::collection::vec((gap, 1u32..4000), 1..150)
}

/// Measurements of a plain link and a timed link for the same packets, whose fates and numbers of waiting
/// packets must be equal.
fn side_by_side(
    plain: LinkConfig,
    timed: LinkConfig,
    packets: Vec<(u64, u32)>,
) -> Result<[Measured; 2], TestCaseError> {
    let mut plain = link(plain);
    let mut timed = TimedLink::new(timed, 1, "wireless");
    let mut now = Time::ZERO;
    let mut fates = Vec::new();
    for (id, (gap, size)) in (0..).zip(packets) {
        now += Duration::from_nanos(gap);
        let fate = plain.send(now, size);
        match timed.offer(now, id, size) {
            Some(cause) => prop_assert_eq!(fate, Fate::Dropped(cause)),
            None => fates.push((id, fate)),
        }
        prop_assert_eq!(timed.queue_len(), plain.queue_len(now));
    }
    while let Some(at) = timed.next_time() {
        timed.on_time(at);
        now = at;
    }
    let settled = std::iter::from_fn(|| timed.poll());
    let settled: Vec<_> = settled.map(|s| (s.tag.id(), s.fate)).collect();
    prop_assert_eq!(settled, fates);
    let end = now + Duration::from_nanos(1);
    Ok([plain.finish(end), timed.finish(end)])
}

proptest! {
    #[test]
    fn packets_are_conserved_and_keep_their_order(config in any_config(), packets in packets()) {
        let mut l = link(config);
        let (mut now, mut last) = (Time::ZERO, Time::ZERO);
        let (mut arrived, mut corrupted) = (0, 0);
        let offered = packets.len() as u64;
        for (gap, size) in packets {
            now += Duration::from_nanos(gap);
            if let Fate::Arrives { at, corrupt, .. } = l.send(now, size) {
                prop_assert!(at >= last && at > now + DELAY);
                last = at;
                arrived += 1;
                corrupted += u64::from(corrupt);
            }
        }
        let got = l.finish(now);
        prop_assert_eq!(got.offered, offered);
        prop_assert_eq!(
            got.offered,
            arrived + got.queue_drops + got.channel_drops + got.blackout_drops
        );
        prop_assert_eq!(got.corrupted, corrupted);
        prop_assert!((0.0..=1.0).contains(&got.utilisation));
    }

    #[test]
    fn the_limit_holds_and_the_mean_queue_is_its_integral(
        bps in 100_000u64..10_000_000,
        limit in 0u32..10,
        packets in packets(),
    ) {
        let mut c = config(limit);
        c.service = Service::Rate(Rate::from_bps(bps));
        let mut l = link(c);
        // Starts of transmission of the packets that were not dropped: the arrival, or the previous
        // departure.
        let (mut now, mut free) = (Time::ZERO, Time::ZERO);
        let (mut waits, mut busy) = (Vec::new(), 0);
        for (gap, size) in packets {
            now += Duration::from_nanos(gap);
            let waiting = waits.iter().filter(|&&(_, start)| start > now).count();
            prop_assert!(waiting <= limit as usize);
            prop_assert_eq!(l.queue_len(now) as usize, waiting);
            let full = free > now && waiting == limit as usize;
            match l.send(now, size) {
                Fate::Dropped(cause) => prop_assert!(full && cause == DropCause::Queue),
                Fate::Arrives { at, .. } => {
                    prop_assert!(!full);
                    let start = free.max(now);
                    free = at - DELAY;
                    waits.push((now, start));
                    busy += free.since(start).as_nanos();
                }
            }
        }
        let waited: u64 = waits.iter().map(|(at, start)| start.since(*at).as_nanos()).sum();
        let whole = free.as_nanos() as f64;
        let got = l.finish(free);
        prop_assert_eq!(got.queue_mean_packets, waited as f64 / whole);
        prop_assert_eq!(got.utilisation, busy as f64 / whole);
    }

    #[test]
    fn reading_early_is_the_same_as_a_window_that_ends_there(
        config in any_config(),
        packets in packets(),
        ahead in 0u64..50_000_000,
    ) {
        let last = Time::from_nanos(packets.iter().map(|(gap, _)| gap).sum());
        // Counts include offers before `end`, so it must lie after the last one.
        let end = last + Duration::from_nanos(ahead + 1);
        let run = |window_end| {
            let mut l = link(config.clone());
            l.measure(Time::ZERO, window_end);
            let mut now = Time::ZERO;
            for &(gap, size) in &packets {
                now += Duration::from_nanos(gap);
                l.send(now, size);
            }
            l
        };
        let early = run(Time::MAX).finish(end);
        prop_assert_eq!(early, run(end).finish(end));
        prop_assert_eq!(early, run(end).finish(Time::MAX));
    }

    #[test]
    fn the_short_way_through_a_plain_link_is_the_long_one(
        bps in prop_oneof![0u64..10, 1_000u64..100_000_000, Just(8_000_000), Just(100_000_000_000)],
        limit in prop_oneof![(0u32..20).prop_map(Limit::Packets), (0u64..30_000).prop_map(Limit::Bytes)],
        packets in packets(),
        large in any::<u32>(),
        end in prop_oneof![Just(u64::MAX), 0u64..1_000_000_000],
    ) {
        let mut c = config(0);
        (c.service, c.queue) = (Service::Rate(Rate::from_bps(bps)), QueueConfig::DropTail(limit));
        let (short, mut long) = (link(c.clone()), link(c));
        prop_assert!(short.is_plain());
        let mut short = short.into_pipe();
        let window = (Time::ZERO, Time::from_nanos(end));
        long.measure(window.0, window.1);
        let mut now = Time::ZERO;
        let packets = packets.into_iter().chain([(0, large), (0, 1)]);
        for (gap, size) in packets {
            now += Duration::from_nanos(gap);
            let arrives = match long.send(now, size) {
                Fate::Arrives { at, .. } => Some(at),
                Fate::Dropped(_) => None,
            };
            prop_assert_eq!(short.send(now, size, &window), arrives);
        }
        prop_assert_eq!(short.finish(now, &window), long.finish(now));
    }

    #[test]
    fn the_same_seed_gives_the_same_fates(config in any_config(), packets in packets()) {
        let run = |seed| {
            let mut l = Link::new(config.clone(), seed, "wireless");
            let mut now = Time::ZERO;
            let send = |&(gap, size): &(u64, u32)| {
                now += Duration::from_nanos(gap);
                l.send(now, size)
            };
            packets.iter().map(send).collect::<Vec<_>>()
        };
        prop_assert_eq!(run(7), run(7));
    }

    #[test]
    fn a_link_that_may_not_retransmit_is_a_plain_link(
        config in any_config(),
        packets in packets(),
    ) {
        let arq = Arq { retries: Some(0), ..Arq::default() };
        let config = LinkConfig { loss_at: LossAt::Tail, contention: None, ..config };
        let [plain, timed] =
            side_by_side(config.clone(), LinkConfig { arq: Some(arq), ..config }, packets)?;
        prop_assert_eq!(Measured { arq: Retransmission::default(), ..timed }, plain);
    }

    #[test]
    fn a_link_with_a_time_of_its_own_is_a_plain_link_where_it_need_not_be_one(
        config in any_config(),
        packets in packets(),
    ) {
        let config = LinkConfig { contention: None, ..config };
        let [plain, timed] = side_by_side(config.clone(), config, packets)?;
        prop_assert_eq!(timed, plain);
    }

    #[test]
    fn a_queue_that_drops_late_settles_every_packet_once(
        config in any_config(),
        queue in timed_queue(),
        packets in packets(),
        arq in any::<bool>(),
        flows in 1u32..6,
    ) {
        let arq = arq.then(Arq::default);
        let ring = flows % 3;
        let config = LinkConfig { queue, ring, arq, contention: None, blackouts: vec![], ..config };
        // ARQ without a retry limit would never end at a loss rate of 1.
        let loss = if arq.is_some() { vec![LossConfig::Iid(0.2)] } else { config.loss.clone() };
        let mut l = TimedLink::new(LinkConfig { loss, ..config }, 1, "wireless");
        let (mut now, mut waiting) = (Time::ZERO, BTreeMap::new());
        let (mut settled, mut refused) = (Vec::new(), 0);
        let offered = packets.len() as u64;
        for (id, (gap, size)) in (0..).zip(packets) {
            now += Duration::from_nanos(gap);
            let packet = Offered {
                tag: Tag::new(id, size).of_flow(id % flows).with_note(!id),
                ecn: Ecn::NotEct,
            };
            match l.offer_packet(now, packet) {
                Some(_) => refused += 1,
                None => { waiting.insert(id, now); }
            }
            settled.extend(std::iter::from_fn(|| l.poll()));
        }
        while let Some(at) = l.next_time() {
            prop_assert!(at >= now, "back in time");
            now = at;
            l.on_time(at);
            settled.extend(std::iter::from_fn(|| l.poll()));
        }
        let (mut last, mut arrived, mut dropped) = (Time::ZERO, 0, 0);
        for Settled { tag, at: decided, fate, .. } in settled {
            let id = tag.id();
            prop_assert_eq!((tag.note(), tag.flow()), (!id, id % flows));
            let came = waiting.remove(&id);
            prop_assert!(came.is_some_and(|at| at <= decided), "{} twice or too early", id);
            match fate {
                Fate::Arrives { at, marked, .. } => {
                    prop_assert!(at >= decided + DELAY && at >= last && !marked);
                    last = at;
                    arrived += 1;
                }
                Fate::Dropped(_) => dropped += 1,
            }
        }
        prop_assert!(waiting.is_empty(), "forgotten: {:?}", waiting);
        prop_assert_eq!(l.queue_len(), 0);
        let got = l.finish(now + Duration::from_nanos(1));
        prop_assert_eq!(got.offered, offered);
        prop_assert_eq!(arrived + dropped + refused, offered);
        prop_assert_eq!(got.queue_drops + got.channel_drops + got.blackout_drops, dropped + refused);
        prop_assert!((0.0..=1.0).contains(&got.utilisation));
    }

    #[test]
    fn a_link_that_retransmits_settles_every_packet_once(
        config in any_config(),
        packets in packets(),
        (retries, in_order, errors_on_retransmissions) in any::<(u8, bool, bool)>(),
        round_trip in prop::option::of(0u64..300_000_000),
    ) {
        let arq = Arq {
            round_trip: round_trip.map(Duration::from_nanos),
            retries: Some(u32::from(retries % 8)),
            in_order,
            errors_on_retransmissions,
        };
        let mut l = TimedLink::new(LinkConfig { arq: Some(arq), contention: None, ..config }, 1, "wireless");
        let (mut now, mut last, mut waiting) = (Time::ZERO, Time::ZERO, BTreeMap::new());
        let (mut settled, mut refused) = (Vec::new(), 0);
        for (id, (gap, size)) in (0..).zip(packets) {
            now += Duration::from_nanos(gap);
            match l.offer(now, id, size) {
                Some(_) => refused += 1,
                None => { waiting.insert(id, now); }
            }
            settled.extend(std::iter::from_fn(|| l.poll()));
        }
        while let Some(at) = l.next_time() {
            prop_assert!(at >= now, "back in time");
            now = at;
            l.on_time(at);
            settled.extend(std::iter::from_fn(|| l.poll()));
        }
        let mut order = Vec::new();
        for Settled { tag, at: decided, fate, .. } in settled {
            let id = tag.id();
            let offered = waiting.remove(&id);
            prop_assert!(offered.is_some_and(|at| at <= decided), "{} twice or too early", id);
            if let Fate::Arrives { at, .. } = fate {
                prop_assert!(at >= decided + DELAY && at >= last);
                last = at;
                order.push(id);
            }
        }
        prop_assert!(waiting.is_empty(), "forgotten: {:?}", waiting);
        prop_assert!(!in_order || order.is_sorted());
        let got = l.finish(now + Duration::from_nanos(1));
        let lost = got.channel_drops + got.blackout_drops;
        prop_assert_eq!(got.queue_drops, refused);
        prop_assert_eq!(got.arq.given_up, lost);
        prop_assert_eq!(got.offered, order.len() as u64 + refused + lost);
        prop_assert_eq!(
            got.arq.transmissions - got.arq.retransmissions,
            got.offered - refused
        );
        prop_assert!((0.0..=1.0).contains(&got.utilisation));
    }

    #[test]
    fn no_input_panics_where_it_retransmits(
        config in any_config(),
        packets in prop::collection::vec((any::<u64>(), any::<u32>()), 0..20),
        window: (u64, u64),
        round_trip in prop::option::of(any::<u64>()),
        in_order: bool,
    ) {
        let arq = Arq {
            round_trip: round_trip.map(Duration::from_nanos),
            retries: Some(3),
            in_order,
            errors_on_retransmissions: true,
        };
        let mut l = TimedLink::new(LinkConfig { arq: Some(arq), contention: None, ..config }, 1, "wireless");
        l.measure(Time::from_nanos(window.0), Time::from_nanos(window.1));
        for (id, (now, size)) in (0..).zip(packets) {
            l.offer(Time::from_nanos(now), id, size);
            l.on_time(Time::from_nanos(now));
        }
        l.finish(Time::ZERO);
        l.on_time(Time::MAX);
        l.finish(Time::MAX);
    }

    #[test]
    fn no_input_panics(
        config in any_config(),
        packets in prop::collection::vec((any::<u64>(), any::<u32>()), 0..20),
        window: (u64, u64),
    ) {
        let mut l = link(config);
        l.measure(Time::from_nanos(window.0), Time::from_nanos(window.1));
        for (now, size) in packets {
            l.send(Time::from_nanos(now), size);
            l.queue_len(Time::from_nanos(now));
        }
        l.finish(Time::ZERO);
        l.finish(Time::MAX);
    }
}
