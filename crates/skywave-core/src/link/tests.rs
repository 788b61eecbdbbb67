use super::*;
use crate::time::Duration;
use crate::units::Rate;
use proptest::prelude::*;
use std::sync::Arc;

mod figures;
mod properties;

/// 1500 bytes take 10 ms.
const RATE: Rate = Rate::from_bps(1_200_000);
const DELAY: Duration = Duration::from_millis(100);

fn config(places: u32) -> LinkConfig {
    // One place more than the limit, for the packet in transmission.
    let limit = Limit::Packets(places + 1);
    LinkConfig::new(RATE, DELAY, QueueConfig::DropTail(limit))
}

fn link(config: LinkConfig) -> Link {
    Link::new(config, 1, "wireless")
}

fn ms(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

fn arrives(at: Time) -> Fate {
    Fate::Arrives {
        at,
        corrupt: false,
        marked: false,
        duplicate: false,
    }
}

fn list(numbers: &[u64]) -> Vec<LossConfig> {
    vec![LossConfig::Packets(numbers.into())]
}

const QUEUE: Fate = Fate::Dropped(DropCause::Queue);
const CHANNEL: Fate = Fate::Dropped(DropCause::Channel);
const BLACKOUT: Fate = Fate::Dropped(DropCause::Blackout);

#[test]
fn a_packet_takes_its_transmission_and_the_delay() {
    let mut l = link(config(10));
    assert_eq!(l.send(ms(0), 1500), arrives(ms(110)));
    assert_eq!(l.send(ms(0), 1500), arrives(ms(120)));
    assert_eq!(l.send(ms(100), 150), arrives(ms(201)));
}

#[test]
fn the_queue_holds_its_limit_beside_the_packet_in_transmission() {
    let mut l = link(config(2));
    for k in 1..=3 {
        assert_eq!(l.send(ms(0), 1500), arrives(ms(100 + 10 * k)));
    }
    assert_eq!(l.send(ms(0), 1500), QUEUE);
    assert_eq!(l.queue_len(ms(9)), 2);
    assert_eq!(l.send(ms(9), 1500), QUEUE);
    assert_eq!(l.send(ms(10), 1500), arrives(ms(140)));
    assert_eq!(l.queue_len(ms(39)), 0);
}

#[test]
fn a_queue_without_places_still_sends_on_a_free_link() {
    let mut l = link(config(0));
    assert_eq!(l.send(ms(0), 1500), arrives(ms(110)));
    assert_eq!(l.send(ms(9), 1500), QUEUE);
    assert_eq!(l.send(ms(10), 1500), arrives(ms(120)));
}

#[test]
fn loss_at_the_head_uses_no_capacity() {
    let mut c = config(10);
    c.loss = list(&[1, 3]);
    let mut l = link(c);
    let fates: Vec<_> = (0..4).map(|_| l.send(ms(0), 1500)).collect();
    assert_eq!(
        fates,
        [CHANNEL, arrives(ms(110)), CHANNEL, arrives(ms(120))]
    );
}

#[test]
fn loss_at_the_tail_has_used_its_share() {
    let mut c = config(2);
    c.loss = list(&[1, 4]);
    c.loss_at = LossAt::Tail;
    let mut l = link(c);
    let fates: Vec<_> = (0..4).map(|_| l.send(ms(0), 1500)).collect();
    assert_eq!(fates, [CHANNEL, arrives(ms(120)), arrives(ms(130)), QUEUE]);
    // The packet that the queue dropped did not count for the channel.
    assert_eq!(l.send(ms(10), 1500), CHANNEL);
    assert_eq!(l.send(ms(20), 1500), arrives(ms(150)));
}

#[test]
fn a_chain_by_time_sees_arrivals_at_the_head_and_departures_at_the_tail() {
    let chain = LossConfig::GilbertElliottTime(GilbertElliottTimeConfig {
        good: Duration::from_millis(500),
        bad: Duration::from_millis(500),
        loss_good: 0.0,
        loss_bad: 1.0,
    });
    let run = |loss_at, shift| {
        let mut c = config(10);
        c.loss = vec![chain.clone()];
        c.loss_at = loss_at;
        let mut l = link(c);
        let lost = |i: u64| l.send(ms(20 * i + shift), 1500) == CHANNEL;
        (0..1000).map(lost).collect::<Vec<_>>()
    };
    // Each departs 10 ms after its arrival.
    assert_eq!(run(LossAt::Head, 10), run(LossAt::Tail, 0));
    assert_ne!(run(LossAt::Head, 0), run(LossAt::Tail, 0));
}

#[test]
fn a_transmission_that_ends_in_a_blackout_is_lost_and_took_its_time() {
    let mut c = config(10);
    c.blackouts = vec![Blackout {
        start: ms(20),
        end: ms(40),
    }];
    let mut l = link(c);
    let fates: Vec<_> = (0..5).map(|_| l.send(ms(0), 1500)).collect();
    // Ends at 10, 20, 30, 40 and 50 ms.
    let want = [
        arrives(ms(110)),
        BLACKOUT,
        BLACKOUT,
        arrives(ms(140)),
        arrives(ms(150)),
    ];
    assert_eq!(fates, want);
}

#[test]
fn in_a_blackout_the_blackout_is_the_cause() {
    let mut c = config(10);
    c.loss = vec![LossConfig::Iid(1.0)];
    c.loss_at = LossAt::Tail;
    c.blackouts = vec![Blackout {
        start: ms(0),
        end: ms(15),
    }];
    let mut l = link(c);
    assert_eq!(l.send(ms(0), 1500), BLACKOUT);
    assert_eq!(l.send(ms(0), 1500), CHANNEL);
}

#[test]
fn red_keeps_the_mean_queue_between_its_thresholds() {
    let mut c = config(0);
    c.queue = QueueConfig::Red(RedConfig {
        limit: Limit::Packets(100),
        min_threshold: 20.0,
        max_threshold: 60.0,
        max_p: 0.2,
        weight: 0.01,
        gentle: false,
        wait: true,
        mean_packet: 1500,
        mark_p: None,
    });
    let mut l = link(c);
    l.measure(ms(20_000), ms(400_000));
    // The load is 4% more than the link carries: the early drops must remove those 4%.
    let mut early = 0;
    for i in 0..41_600_u64 {
        let fate = l.send(Time::from_nanos(i * 9_615_385), 1500);
        assert_ne!(fate, QUEUE);
        early += u32::from(fate == Fate::Dropped(DropCause::Early));
    }
    let got = l.finish(ms(400_000));
    assert!((20.0..60.0).contains(&got.queue_mean_packets), "{got:?}");
    assert!((1_400..1_700).contains(&early), "{early}");
}

#[test]
fn a_full_red_queue_drops_as_full() {
    let mut c = config(0);
    c.queue = QueueConfig::Red(RedConfig {
        limit: Limit::Packets(3),
        min_threshold: 100.0,
        max_threshold: 200.0,
        max_p: 0.1,
        weight: 0.002,
        gentle: true,
        wait: true,
        mean_packet: 1500,
        mark_p: None,
    });
    let mut l = link(c);
    for k in 1..=4 {
        assert_eq!(l.send(ms(0), 1500), arrives(ms(100 + 10 * k)));
    }
    assert_eq!(l.send(ms(0), 1500), QUEUE);
}

#[test]
fn a_trace_link_queues_until_the_opportunity() {
    let mut c = config(2);
    c.service = Service::Trace(Arc::new(Trace::parse("10\n20\n30").unwrap()));
    let mut l = link(c);
    assert_eq!(l.send(ms(1), 1500), arrives(ms(110)));
    assert_eq!(l.send(ms(1), 1500), arrives(ms(120)));
    assert_eq!(l.send(ms(1), 1500), QUEUE);
    assert_eq!(l.queue_len(ms(9)), 2);
    assert_eq!(l.queue_len(ms(10)), 1);
    assert_eq!(l.send(ms(10), 1500), arrives(ms(130)));
}

#[test]
fn a_link_without_rate_delivers_nothing_and_fills() {
    let mut c = config(1);
    c.service = Service::Rate(Rate::from_bps(0));
    let mut l = link(c);
    assert_eq!(l.send(ms(0), 1500), arrives(Time::MAX));
    assert_eq!(l.send(ms(1), 1500), arrives(Time::MAX));
    assert_eq!(l.send(ms(2), 1500), QUEUE);
    assert_eq!(l.finish(ms(10)).utilisation, 1.0);
}

#[test]
fn a_fate_stays_small() {
    assert!(size_of::<Fate>() <= 32, "{}", size_of::<Fate>());
}
