//! Queues that decide when packets leave, and the device's ring after them.

use super::*;
use crate::link::{CoDelConfig, FqCoDelConfig, Offered};
use crate::packet::Ecn;

fn with(queue: QueueConfig, ring: u32) -> TimedLink {
    let config = LinkConfig {
        ring,
        ..LinkConfig::new(RATE, DELAY, queue)
    };
    new(config)
}

const CODEL: CoDelConfig = CoDelConfig::new(Limit::Packets(100));

/// All fates until the link has nothing left to do.
fn all(link: &mut TimedLink) -> Vec<Heard> {
    while let Some(at) = link.next_time() {
        link.on_time(at);
    }
    std::iter::from_fn(|| link.poll()).map(heard).collect()
}

#[test]
fn codel_drops_at_the_head_and_marks_what_can_be_marked() {
    let mut link = with(QueueConfig::CoDel(CODEL), 0);
    offer(&mut link, ms(0), 1..=30);
    let heard = all(&mut link);
    // From 10 ms on the packets have waited too long; at 110 ms that has lasted for 100 ms: the twelfth
    // goes. The next one is due 100 ms later.
    let lost: Vec<_> = heard.iter().filter(|h| matches!(h, Lost(..))).collect();
    assert_eq!(
        lost[..2],
        [&Lost(12, DropCause::Early), &Lost(23, DropCause::Early)]
    );
    assert_eq!(heard.len(), 30);
    let mut link = with(QueueConfig::CoDel(CoDelConfig { ecn: true, ..CODEL }), 0);
    for id in 1..=30 {
        let packet = Offered {
            tag: Tag::new(id, 1500),
            ecn: Ecn::Ect0,
        };
        assert_eq!(link.offer_packet(ms(0), packet), None);
    }
    while let Some(at) = link.next_time() {
        link.on_time(at);
    }
    let marked = std::iter::from_fn(|| link.poll())
        .filter(|settled| matches!(settled.fate, Fate::Arrives { marked: true, .. }));
    let marked: Vec<_> = marked.map(|settled| settled.tag.id()).collect();
    assert_eq!(marked[..2], [12, 22]);
    assert_eq!(link.finish(ms(1000)).ecn_marks as usize, marked.len());
}

#[test]
fn a_ring_takes_packets_out_of_sight_of_the_queue() {
    let mut link = with(QueueConfig::CoDel(CODEL), 2);
    offer(&mut link, ms(0), 1..=5);
    // One in transmission, two in the ring.
    assert_eq!(link.queue_len(), 2);
    // They leave at the same times as without the ring.
    let arrivals = [10, 20, 30, 40, 50].map(|at| at + 15);
    let expected: Vec<_> = (1..).zip(arrivals).map(|(id, at)| At(id, at)).collect();
    assert_eq!(all(&mut link), expected);
}

#[test]
fn a_flow_of_few_packets_does_not_wait_behind_a_long_one() {
    let mut link = with(QueueConfig::FqCoDel(FqCoDelConfig::new(CODEL)), 0);
    offer(&mut link, ms(0), 1..=5);
    let sparse = Offered {
        tag: Tag::new(6, 1500).of_flow(1),
        ecn: Ecn::NotEct,
    };
    assert_eq!(link.offer_packet(ms(25), sparse), None);
    let order: Vec<_> = all(&mut link);
    let sparse = order.iter().position(|h| matches!(h, At(6, _)));
    assert_eq!(sparse, Some(3), "after the one in transmission: {order:?}");
}

#[test]
fn losses_before_the_queue_are_told_at_once_and_those_after_it_later() {
    let losing = |loss_at| {
        let config = LinkConfig {
            loss: vec![LossConfig::Packets([2].into())],
            loss_at,
            ..LinkConfig::new(RATE, DELAY, QueueConfig::CoDel(CODEL))
        };
        new(config)
    };
    let mut link = losing(LossAt::Head);
    assert_eq!(link.offer(ms(0), 1, 1500), None);
    assert_eq!(link.offer(ms(0), 2, 1500), Some(DropCause::Channel));
    assert_eq!(all(&mut link), [At(1, 25)]);
    let mut link = losing(LossAt::Tail);
    offer(&mut link, ms(0), 1..=3);
    assert_eq!(
        all(&mut link),
        [At(1, 25), Lost(2, DropCause::Channel), At(3, 45)]
    );
    let got = link.finish(ms(100));
    assert_eq!((got.channel_drops, got.arq), (1, Retransmission::default()));
}
