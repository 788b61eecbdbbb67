use super::super::testing::{arrival, frame, ms};
use super::*;
use crate::link::config::Limit;

fn fq(limit: u32) -> FqCoDel {
    let config = FqCoDelConfig::new(CoDelConfig::new(Limit::Packets(limit)));
    FqCoDel::new(config, Stream::named(1, "test", "fq"))
}

/// Offers a packet of a flow at time zero; what was dropped in its favour.
fn offer(queue: &mut FqCoDel, flow: u32, size: u32) -> Vec<u32> {
    let mut gone = Gone::new();
    let packet = Frame {
        size,
        flow,
        ..frame(flow, ms(0))
    };
    let waiting = queue.waiting();
    assert_eq!(queue.offer(arrival(packet, waiting), &mut gone), None);
    gone.iter().map(|(frame, _)| frame.flow).collect()
}

/// The flows of the packets, in the order of departure.
fn order(queue: &mut FqCoDel) -> Vec<u32> {
    let mut gone = Gone::new();
    let flows = std::iter::from_fn(|| queue.take(ms(0), &mut gone)).map(|frame| frame.flow);
    let flows = flows.collect();
    assert!(gone.is_empty());
    assert_eq!(queue.waiting(), (0, 0));
    flows
}

#[test]
fn flows_take_turns() {
    let mut queue = fq(100);
    for flow in [1, 1, 1, 1, 2, 2, 2, 2] {
        offer(&mut queue, flow, 1500);
    }
    // 1514 bytes a turn are one packet; now and then the remainders of several turns suffice for a second
    // one.
    assert_eq!(order(&mut queue), [1, 1, 2, 2, 1, 2, 1, 2]);
}

#[test]
fn turns_are_counted_in_bytes() {
    let mut queue = fq(1000);
    for _ in 0..100 {
        offer(&mut queue, 1, 1500);
    }
    for _ in 0..1000 {
        offer(&mut queue, 2, 150);
    }
    // While both flows have a backlog, each sends half of the bytes.
    let mut gone = Gone::new();
    let mut bytes = [0_u32; 3];
    for _ in 0..500 {
        let frame = queue.take(ms(0), &mut gone).expect("there are more");
        bytes[frame.flow as usize] += frame.size;
    }
    let apart = bytes[1].abs_diff(bytes[2]);
    assert!(apart <= 2 * 1514, "{bytes:?}");
}

#[test]
fn a_new_flow_goes_first_but_not_for_long() {
    let mut queue = fq(100);
    for _ in 0..8 {
        offer(&mut queue, 1, 500);
    }
    let mut gone = Gone::new();
    let mut take = |queue: &mut FqCoDel| queue.take(ms(0), &mut gone).map(|frame| frame.flow);
    // Four packets use up the first turn; with the fifth the flow becomes an old one.
    for _ in 0..5 {
        assert_eq!(take(&mut queue), Some(1));
    }
    offer(&mut queue, 2, 100);
    assert_eq!(take(&mut queue), Some(2));
    assert_eq!(take(&mut queue), Some(1));
    // The flow's queue was empty, but it has not waited for a round: its next packet does not count as a
    // new flow's.
    offer(&mut queue, 2, 1500);
    offer(&mut queue, 3, 100);
    assert_eq!(take(&mut queue), Some(3));
}

#[test]
fn an_overflow_takes_half_of_the_longest_queue() {
    let mut queue = fq(10);
    for _ in 0..8 {
        offer(&mut queue, 1, 1500);
    }
    assert_eq!(offer(&mut queue, 2, 100), [0_u32; 0]);
    assert_eq!(offer(&mut queue, 3, 100), [0_u32; 0]);
    assert_eq!(offer(&mut queue, 2, 100), [1, 1, 1, 1]);
    assert_eq!(queue.waiting(), (7, 4 * 1500 + 300));
}

#[test]
fn flows_are_spread_over_the_queues() {
    let queue = fq(100);
    let mut load = vec![0_u32; 1024];
    for flow in 0..10_240 {
        load[queue.hash(flow) as usize] += 1;
    }
    // Ten on average; a hash that is random has more than 30 somewhere with probability below 1e-4.
    assert!(load.iter().all(|&flows| flows < 31));
    let empty = load.iter().filter(|&&flows| flows == 0).count();
    assert!(empty < 5, "{empty}");
}
