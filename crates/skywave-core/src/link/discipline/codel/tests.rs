use super::super::testing::{arrival, frame, ms};
use super::*;
use crate::packet::Ecn;

const LIMIT: Limit = Limit::Packets(1000);

fn codel(change: impl FnOnce(&mut CoDelConfig)) -> CoDel {
    let mut config = CoDelConfig::new(LIMIT);
    change(&mut config);
    CoDel::new(config)
}

/// Takes a packet every millisecond from `from` to `to`, after a second. Each has been in the queue for `delay`, and
/// the queue never empties. Returns the milliseconds of the drops, and the number of packets that came out marked.
fn drops(queue: &mut CoDel, from: u64, to: u64, delay: Duration, ecn: Ecn) -> (Vec<u64>, u32) {
    let (mut dropped, mut marked) = (Vec::new(), 0);
    for at in from..to {
        let now = ms(1000 + at);
        let mut gone = Gone::new();
        while queue.frames.len() < 10 {
            queue.frames.push(Frame {
                ecn,
                ..frame(0, Time::ZERO)
            });
        }
        // Gives all waiting packets the same waiting time.
        let mut aged = Frames::default();
        while let Some(waiting) = queue.frames.pop() {
            aged.push(Frame {
                came: now - delay,
                ..waiting
            });
        }
        queue.frames = aged;
        let head = queue.take(now, &mut gone).expect("there are more");
        marked += u32::from(head.marked);
        dropped.extend(gone.iter().map(|_| at));
    }
    (dropped, marked)
}

#[test]
fn a_queue_below_the_target_loses_nothing() {
    let mut queue = codel(|_| ());
    let below = Duration::from_nanos(4_999_999);
    assert_eq!(drops(&mut queue, 0, 1000, below, Ecn::NotEct).0, []);
}

#[test]
fn drops_come_by_the_control_law() {
    let mut queue = codel(|_| ());
    let above = Duration::from_millis(5);
    // First an interval above the target; then 100 ms, 100/√2, 100/√3, … after each other.
    let (dropped, _) = drops(&mut queue, 0, 500, above, Ecn::NotEct);
    assert_eq!(dropped, [100, 200, 271, 329, 379, 424, 464]);
}

#[test]
fn one_packet_below_the_target_ends_the_drops() {
    let mut queue = codel(|_| ());
    let (above, below) = (Duration::from_millis(20), Duration::from_millis(1));
    drops(&mut queue, 0, 150, above, Ecn::NotEct);
    assert_eq!(drops(&mut queue, 150, 151, below, Ecn::NotEct).0, []);
    // The first drop comes after a whole interval again.
    let (dropped, _) = drops(&mut queue, 151, 260, above, Ecn::NotEct);
    assert_eq!(dropped, [251]);
}

#[test]
fn a_drop_state_that_comes_back_soon_goes_on_where_it_was() {
    let (above, below) = (Duration::from_millis(20), Duration::from_millis(1));
    let again_after = |pause: u64| {
        let mut queue = codel(|_| ());
        let (dropped, _) = drops(&mut queue, 0, 450, above, Ecn::NotEct);
        assert_eq!(dropped.len(), 6);
        drops(&mut queue, 450, 450 + pause, below, Ecn::NotEct);
        let start = 450 + pause;
        let (dropped, _) = drops(&mut queue, start, start + 250, above, Ecn::NotEct);
        dropped.iter().map(|at| at - start).collect::<Vec<_>>()
    };
    // Five drops more than when the state was entered: 100/√5 and so on.
    assert_eq!(again_after(10), [100, 145, 186, 224]);
    // After more than 16 intervals the state is forgotten.
    assert_eq!(again_after(2000), [100, 200]);
}

#[test]
fn the_last_packet_is_never_dropped() {
    let mut queue = codel(|_| ());
    let mut gone = Gone::new();
    for at in (0..1000).step_by(10) {
        queue.offer(arrival(frame(0, ms(at)), Backlog::default()), &mut gone);
        assert!(queue.take(ms(at + 500), &mut gone).is_some());
    }
    assert!(gone.is_empty());
}

#[test]
fn with_ecn_capable_packets_are_marked_instead() {
    let above = Duration::from_millis(5);
    let mut queue = codel(|config| config.ecn = true);
    let (dropped, marked) = drops(&mut queue, 0, 500, above, Ecn::Ect0);
    assert_eq!((dropped, marked), (vec![], 7));
    let mut queue = codel(|config| config.ecn = true);
    let (dropped, marked) = drops(&mut queue, 0, 500, above, Ecn::NotEct);
    assert_eq!((dropped.len(), marked), (7, 0));
}

#[test]
fn above_the_threshold_each_capable_packet_is_marked() {
    let mut queue = codel(|config| {
        config.ecn = true;
        config.ce_threshold = Some(Duration::from_millis(1));
    });
    let one = Duration::from_millis(1);
    assert_eq!(drops(&mut queue, 0, 50, one, Ecn::Ect0).1, 0);
    let more = one + Duration::from_nanos(1);
    assert_eq!(drops(&mut queue, 50, 100, more, Ecn::Ect0).1, 50);
}

#[test]
fn a_full_queue_drops_what_comes() {
    let mut queue = codel(|config| config.limit = Limit::Packets(2));
    let mut gone = Gone::new();
    let mut offer = |waiting| queue.offer(arrival(frame(0, ms(0)), waiting), &mut gone);
    assert_eq!(offer(Backlog::new(1, 1500)), None);
    assert_eq!(offer(Backlog::new(2, 3000)), Some(DropCause::Queue));
}
