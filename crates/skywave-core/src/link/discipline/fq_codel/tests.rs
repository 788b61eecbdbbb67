use std::collections::VecDeque;

use proptest::prelude::*;

use super::super::Frames;
use super::super::testing::{arrival, frame, ms};
use super::*;
use crate::link::Tag;
use crate::units::Limit;

fn fq(limit: u32) -> FqCoDel {
    let config = FqCoDelConfig::new(CoDelConfig::new(Limit::Packets(limit)));
    FqCoDel::new(config, Stream::named(1, "test", "fq"))
}

/// Offers a packet of a flow at time zero; what was dropped in its favour.
fn offer(queue: &mut FqCoDel, flow: u32, size: u32) -> Vec<u32> {
    let mut gone = Gone::new();
    let packet = Frame {
        tag: Tag::new(flow, size).of_flow(flow),
        ..frame(flow, ms(0))
    };
    let waiting = queue.waiting();
    assert_eq!(queue.offer(arrival(packet, waiting), &mut gone), None);
    gone.iter().map(|(frame, _)| frame.tag.flow()).collect()
}

/// The flows of the packets, in the order of departure.
fn order(queue: &mut FqCoDel) -> Vec<u32> {
    let mut gone = Gone::new();
    let flows = std::iter::from_fn(|| queue.take(ms(0), &mut gone)).map(|frame| frame.tag.flow());
    let flows = flows.collect();
    assert!(gone.is_empty());
    assert_eq!(queue.waiting(), Backlog::default());
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
        bytes[frame.tag.flow() as usize] += frame.tag.size();
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
    let mut take = |queue: &mut FqCoDel| queue.take(ms(0), &mut gone).map(|frame| frame.tag.flow());
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
    assert_eq!(queue.waiting(), Backlog::new(7, 4 * 1500 + 300));
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

#[test]
fn a_queue_is_in_one_line_of_the_cache() {
    assert_eq!(size_of::<Queue>(), 64);
}

/// The same rules written down plainly: a list of its own for each queue, a look at all of them for the
/// longest, and CoDel without its short way.
struct Plain {
    config: FqCoDelConfig,
    queues: Vec<(Frames, Control, i64, bool)>,
    new: VecDeque<usize>,
    old: VecDeque<usize>,
}

impl Plain {
    fn new(config: FqCoDelConfig) -> Self {
        let queues = (0..config.queues).map(|_| (Frames::default(), Control::default(), 0, false));
        Self {
            config,
            queues: queues.collect(),
            new: VecDeque::new(),
            old: VecDeque::new(),
        }
    }

    fn waiting(&self) -> Backlog {
        let each = self.queues.iter().map(|queue| queue.0.totals());
        each.fold(Backlog::default(), |sum, more| sum + more)
    }

    fn offer(&mut self, index: usize, arrival: Arrival, gone: &mut Gone) {
        let (frames, _, deficit, active) = &mut self.queues[index];
        frames.push(arrival.frame);
        if !*active {
            (*active, *deficit) = (true, i64::from(self.config.quantum));
            self.new.push_back(index);
        }
        if !arrival.exceeds(self.config.codel.limit) {
            return;
        }
        let longest = self.queues.iter_mut().max_by_key(|queue| queue.0.bytes());
        let Some((frames, ..)) = longest else { return };
        let keep = frames.bytes() / 2;
        for _ in 0..DROP_BATCH {
            let Some(frame) = frames.pop() else { return };
            gone.push((frame, DropCause::Queue));
            if frames.bytes() <= keep {
                return;
            }
        }
    }

    fn take(&mut self, now: Time, gone: &mut Gone) -> Option<Frame> {
        loop {
            let is_new = !self.new.is_empty();
            let list = if is_new { &mut self.new } else { &mut self.old };
            let index = list.pop_front()?;
            let (frames, control, deficit, active) = &mut self.queues[index];
            if *deficit <= 0 {
                *deficit += i64::from(self.config.quantum);
                self.old.push_back(index);
                continue;
            }
            match control.take(&self.config.codel, now, frames, gone) {
                Some(frame) => {
                    *deficit -= i64::from(frame.tag.size());
                    list.push_front(index);
                    return Some(frame);
                }
                None if is_new => self.old.push_back(index),
                None => *active = false,
            }
        }
    }
}

proptest! {
    #[test]
    fn it_is_the_plain_queue(
        queues in 1u32..80,
        limit in 1u32..40,
        acts in prop::collection::vec((0u32..60, 40u32..3000, 0u64..8, any::<bool>()), 0..300),
    ) {
        let codel = CoDelConfig {
            interval: crate::time::Duration::from_millis(10),
            ..CoDelConfig::new(Limit::Packets(limit))
        };
        let config = FqCoDelConfig { queues, ..FqCoDelConfig::new(codel) };
        let mut fast = FqCoDel::new(config, Stream::named(1, "test", "fq"));
        let mut plain = Plain::new(config);
        let mut now = 0;
        for (id, (flow, size, pause, takes)) in (0..).zip(acts) {
            now += pause;
            let mut gone = [Gone::new(), Gone::new()];
            if takes {
                let taken = fast.take(ms(now), &mut gone[0]).map(|frame| frame.tag.id());
                let expected = plain.take(ms(now), &mut gone[1]).map(|frame| frame.tag.id());
                prop_assert_eq!(taken, expected);
            } else {
                let packet = Frame { tag: Tag::new(id, size).of_flow(flow), ..frame(id, ms(now)) };
                let arrival = arrival(packet, plain.waiting());
                prop_assert_eq!(fast.offer(arrival, &mut gone[0]), None);
                plain.offer(fast.hash(flow) as usize, arrival, &mut gone[1]);
            }
            let [gone, expected] = gone.map(|gone| {
                gone.into_iter().map(|(frame, cause)| (frame.tag.id(), cause)).collect::<Vec<_>>()
            });
            prop_assert_eq!(gone, expected);
            prop_assert_eq!(fast.waiting(), plain.waiting());
        }
    }
}
