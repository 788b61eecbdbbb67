use proptest::prelude::*;

use super::*;
use crate::link::{CoDelConfig, DualPi2Config, FqCoDelConfig, PieConfig, RedConfig, StepConfig};
use crate::packet::Ecn;

/// A packet of a test: its number, its flow, and its ECN field.
#[derive(Clone, Debug, PartialEq)]
struct Packet {
    id: u32,
    flow: u32,
    ecn: Ecn,
}

impl Labelled for Packet {
    fn flow(&self) -> u32 {
        self.flow
    }

    fn ecn(&self) -> Ecn {
        self.ecn
    }

    fn mark(&mut self) {
        self.ecn = Ecn::Ce;
    }
}

const PEER: Address = Address(2);
const RATE: Rate = Rate::from_bps(12_000_000);

fn ms(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

fn packet(id: u32, flow: u32) -> Waiting<Packet> {
    let ecn = Ecn::NotEct;
    let packet = Packet { id, flow, ecn };
    let (to, bytes) = (PEER, 1500);
    Waiting { to, bytes, packet }
}

/// Offers a packet while another is in service; tells which are dropped.
fn push(queue: &mut Queue<Packet>, now: Time, waiting: Waiting<Packet>) -> Vec<(u32, DropCause)> {
    let accepted = queue.push(now, true, waiting);
    let dropped = dropped(queue);
    assert!(accepted || dropped.len() == 1);
    dropped
}

fn dropped(queue: &mut Queue<Packet>) -> Vec<(u32, DropCause)> {
    std::iter::from_fn(|| queue.poll_dropped())
        .map(|(packet, cause)| (packet.id, cause))
        .collect()
}

/// Takes the next packet: its number, its ECN field, and how long it has waited; and those that are dropped.
fn pop(queue: &mut Queue<Packet>, now: Time) -> (Option<(u32, Ecn, Duration)>, Vec<u32>) {
    let head = queue.pop(now);
    let dropped = dropped(queue).iter().map(|(id, _)| *id).collect();
    let head = head.map(|(waiting, waited)| (waiting.packet.id, waiting.packet.ecn, waited));
    (head, dropped)
}

#[test]
fn a_limit_in_packets_does_not_count_the_one_in_service() {
    let config = QueueConfig::DropTail(Limit::Packets(2));
    let mut queue = Queue::new(config, RATE, 1, "station");
    assert_eq!(push(&mut queue, ms(0), packet(0, 0)), []);
    assert_eq!(push(&mut queue, ms(0), packet(1, 0)), []);
    assert_eq!(
        push(&mut queue, ms(0), packet(2, 0)),
        [(2, DropCause::Queue)]
    );
    assert_eq!(queue.len(), 2);
}

/// CoDel with 5 ms and 100 ms: packets come every 2 ms and are served every 4 ms. The one served at 8 ms has waited
/// for 4 ms, that at 12 ms for 6 ms, above the target; so the head may be dropped from 112 ms on. There the head is
/// packet 28, as one was served every 4 ms; it came at 56 ms and is dropped, and 29 is served after 54 ms.
#[test]
fn codel_drops_the_head_that_has_waited_for_the_mac() {
    let config = QueueConfig::CoDel(CoDelConfig::new(Limit::Packets(1000)));
    let mut queue = Queue::new(config, RATE, 1, "station");
    for at in (0..=112).step_by(2) {
        assert_eq!(push(&mut queue, ms(at), packet(at as u32 / 2, 0)), []);
        if at % 4 != 0 {
            continue;
        }
        let (head, dropped) = pop(&mut queue, ms(at));
        let (id, _, waited) = head.expect("a packet waits");
        if at < 112 {
            assert_eq!((u64::from(id), dropped), (at / 4, vec![]));
            assert_eq!(waited, Duration::from_millis(at / 2));
        } else {
            assert_eq!((id, dropped), (29, vec![28]));
            assert_eq!(waited, Duration::from_millis(54));
        }
    }
}

#[test]
fn fq_codel_serves_a_sparse_flow_before_a_backlog() {
    let codel = CoDelConfig::new(Limit::Packets(1000));
    let config = QueueConfig::FqCoDel(FqCoDelConfig::new(codel));
    let mut queue = Queue::new(config, RATE, 1, "station");
    for id in 0..10 {
        push(&mut queue, ms(0), packet(id, 0));
    }
    // A quantum of 1514 bytes lets the backlog send a second packet before it is the turn of others.
    let firsts = [0, 1].map(|_| pop(&mut queue, ms(1)).0.map(|(id, ..)| id));
    assert_eq!(firsts, [Some(0), Some(1)]);
    push(&mut queue, ms(1), packet(10, 1));
    assert_eq!(
        pop(&mut queue, ms(2)).0.map(|(id, ..)| id),
        Some(10),
        "it does not wait behind the eight"
    );
}

#[test]
fn a_threshold_marks_what_can_be_marked() {
    let config = QueueConfig::Step(StepConfig {
        limit: Limit::Packets(10),
        threshold: 1,
        weight: None,
    });
    let mut queue = Queue::new(config, RATE, 1, "station");
    for id in 0..4 {
        let mut waiting = packet(id, 0);
        if id != 2 {
            waiting.packet.ecn = Ecn::Ect0;
        }
        assert_eq!(push(&mut queue, ms(0), waiting), []);
    }
    // The first two find none and one waiting; the third cannot be marked.
    let fields = [0; 4].map(|_| pop(&mut queue, ms(0)).0.map(|(_, ecn, _)| ecn));
    let expected = [Ecn::Ect0, Ecn::Ect0, Ecn::NotEct, Ecn::Ce];
    assert_eq!(fields, expected.map(Some));
}

#[test]
fn the_packet_that_has_waited_longest_for_a_station_is_taken_out_of_any_flow() {
    let codel = CoDelConfig::new(Limit::Packets(1000));
    let config = QueueConfig::FqCoDel(FqCoDelConfig::new(codel));
    let mut queue = Queue::new(config, RATE, 1, "station");
    for id in 0..6 {
        let mut waiting = packet(id, id % 3);
        if id == 0 {
            waiting.to = Address(7);
        }
        push(&mut queue, ms(id.into()), waiting);
    }
    let taken: Vec<u32> = std::iter::from_fn(|| queue.take_for(PEER))
        .map(|waiting| waiting.packet.id)
        .collect();
    assert_eq!(taken, [1, 2, 3, 4, 5]);
    assert_eq!(queue.len(), 1);
    assert_eq!(pop(&mut queue, ms(6)).0.map(|(id, ..)| id), Some(0));
    assert!(queue.is_empty());
}

/// Any discipline, small enough to be full now and then.
fn any_discipline() -> impl Strategy<Value = QueueConfig> {
    let limit = prop_oneof![
        (1u32..12).prop_map(Limit::Packets),
        (100u64..9000).prop_map(Limit::Bytes),
    ];
    (limit, 0usize..7, any::<bool>()).prop_map(|(limit, which, ecn)| {
        let codel = CoDelConfig {
            target: Duration::from_micros(500),
            interval: Duration::from_millis(3),
            ecn,
            ..CoDelConfig::new(limit)
        };
        match which {
            0 => QueueConfig::DropTail(limit),
            1 => QueueConfig::Red(RedConfig {
                limit,
                min_threshold: 1.0,
                max_threshold: 4.0,
                max_p: 0.5,
                weight: 0.5,
                gentle: true,
                wait: false,
                mean_packet: 500,
                mark_p: ecn.then_some(0.5),
            }),
            2 => QueueConfig::Step(StepConfig {
                limit,
                threshold: 2,
                weight: Some(0.5),
            }),
            3 => QueueConfig::CoDel(codel),
            4 => QueueConfig::FqCoDel(FqCoDelConfig {
                queues: 3,
                ..FqCoDelConfig::new(codel)
            }),
            5 => QueueConfig::Pie(PieConfig {
                burst: Duration::ZERO,
                target: Duration::from_micros(500),
                update: Duration::from_millis(1),
                ..PieConfig::new(limit)
            }),
            _ => QueueConfig::DualPi2(DualPi2Config::new(limit)),
        }
    })
}

proptest! {
    /// Each packet that comes is served, dropped or taken out, once; or it still waits.
    #[test]
    fn packets_are_conserved(
        config in any_discipline(),
        steps in prop::collection::vec((0u8..5, 0u64..2000, 0u32..4, 40u32..1501), 1..200),
    ) {
        let mut queue = Queue::new(config, RATE, 1, "station");
        let mut now = Time::ZERO;
        let mut inside = std::collections::BTreeMap::new();
        for (id, (act, later, flow, bytes)) in (0..).zip(steps) {
            now += Duration::from_micros(later);
            match act {
                0..=2 => {
                    let ecn = Ecn::from_bits((id % 4) as u8);
                    let packet = Packet { id, flow, ecn };
                    let to = Address(flow as u16 % 2);
                    queue.push(now, true, Waiting { to, bytes, packet });
                    inside.insert(id, (now, bytes));
                }
                3 => {
                    if let Some((waiting, waited)) = queue.pop(now) {
                        let came = inside.remove(&waiting.packet.id);
                        prop_assert_eq!(came, Some((now - waited, waiting.bytes)));
                    }
                }
                _ => {
                    if let Some(waiting) = queue.take_for(Address(flow as u16 % 2)) {
                        prop_assert!(inside.remove(&waiting.packet.id).is_some());
                    }
                }
            }
            for (id, _) in dropped(&mut queue) {
                prop_assert!(inside.remove(&id).is_some(), "{} was here", id);
            }
            prop_assert_eq!(queue.len(), inside.len());
            let bytes: u64 = inside.values().map(|(_, bytes)| u64::from(*bytes)).sum();
            prop_assert_eq!(queue.discipline.waiting().bytes, bytes);
        }
    }
}
