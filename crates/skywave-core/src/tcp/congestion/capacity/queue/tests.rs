//! What is a queue, and what is none.

use super::*;
use crate::tcp::testing::assert_near;
use crate::time::Offset;

/// Round trips with these samples each, of a round trip in ms and of a one-way delay by clocks that differ.
struct Path {
    queue: Queue,
    now: Time,
    /// How far the receiver's clock is ahead of the sender's, in seconds.
    ahead: f64,
}

const MS: f64 = 1e-3;
/// Segments a second: three are 3 ms.
const RATE: f64 = 1000.0;

impl Path {
    fn new(ahead: f64) -> Self {
        Self {
            queue: Queue::default(),
            now: Time::ZERO + Duration::from_secs(100),
            ahead,
        }
    }

    /// A round trip of 100 ms with these waits there and back; 0.1 s pass.
    fn round(&mut self, waits: &[(f64, f64)]) {
        self.round_of(true, waits);
    }

    /// As [`Self::round`], of a sender that is `steady` or is not.
    fn round_of(&mut self, steady: bool, waits: &[(f64, f64)]) {
        for (there, back) in waits {
            let rtt = Duration::from_secs_f64((100.0 + there + back) * MS);
            let arrived = self.now.as_secs_f64() + self.ahead + (50.0 + there) * MS;
            let arrived = Time::from_nanos((arrived * 1e9) as u64);
            let delay = OneWayDelays::of(arrived.offset_from(self.now));
            self.queue.on_ack(self.now, Some(rtt), Some(delay));
        }
        self.queue.end_round(steady);
        self.now += Duration::from_millis(100);
    }

    fn expect(&self, queue: f64, base: f64) {
        let near = |value: f64, expected: f64, what: &str| {
            assert!(
                (value - expected * MS).abs() < 1e-6,
                "{what}: {value} s, not {expected} ms"
            );
        };
        near(self.queue.latest(), queue, "queue");
        near(self.queue.base(), base, "base");
    }
}

#[test]
fn the_smallest_sample_counts() {
    let mut path = Path::new(0.0);
    path.round(&[(0.0, 0.0)]);
    path.round(&[(20.0, 0.0), (3.0, 0.0), (30.0, 0.0)]);
    path.expect(3.0, 100.0);
}

#[test]
fn the_way_back_is_a_part_of_the_path() {
    for ahead in [0.0, -40.0, 3.0] {
        let mut path = Path::new(ahead);
        path.round(&[(0.0, 0.0)]);
        path.round(&[(5.0, 60.0)]);
        path.expect(5.0, 160.0);
    }
}

#[test]
fn a_clock_that_drifts_makes_next_to_no_queue() {
    let mut path = Path::new(0.0);
    for _ in 0..600 {
        path.ahead += 1e-4 * 0.1;
        path.round(&[(0.0, 0.0)]);
        // 100 ppm of the memory of 10 s and a round trip or two.
        assert!(path.queue.latest() <= 1.05 * MS, "{}", path.queue.latest());
        assert!(path.queue.latest() <= path.queue.threshold(RATE));
    }
}

#[test]
fn without_timestamps_round_trips_tell() {
    let mut queue = Queue::default();
    let now = Time::ZERO + Duration::from_secs(1);
    for rtt in [100, 130, 110] {
        queue.on_ack(now, Some(Duration::from_millis(rtt)), None);
        queue.end_round(true);
    }
    assert_near(queue.latest(), 0.01, "queue");
    assert_near(queue.base(), 0.1, "base");
}

#[test]
fn what_varies_by_itself_is_no_queue() {
    let mut path = Path::new(0.0);
    path.round(&[(0.0, 0.0)]);
    assert_near(
        path.queue.threshold(RATE),
        100.0 / 32.0 * MS,
        "a part of the base",
    );
    assert_near(path.queue.threshold(100.0), 30.0 * MS, "three segments");
    for round in 0..200 {
        let wait = if round % 2 == 0 { 2.0 } else { 0.0 };
        path.round(&[(wait, 0.0)]);
    }
    assert!(
        (path.queue.threshold(RATE) - 8.0 * MS).abs() < 0.01 * MS,
        "four times 2 ms"
    );
    let mut path = Path::new(0.0);
    for _ in 0..200 {
        path.round(&[(0.0, 0.0), (10.0, 0.0), (20.0, 0.0)]);
    }
    assert!(
        (path.queue.threshold(RATE) - 30.0 * MS).abs() < 0.01 * MS,
        "three times 10 ms"
    );
}

#[test]
fn the_upper_half_of_the_range_is_long() {
    let mut path = Path::new(0.0);
    for wait in [0.0, 40.0, 19.0] {
        path.round(&[(wait, 0.0)]);
    }
    let long = |path: &Path| path.queue.is_long_for_the_buffer(5.0 * MS);
    assert!(!long(&path), "19 of 40 ms");
    path.round(&[(21.0, 0.0)]);
    assert!(long(&path), "21 of 40 ms");
    path.queue.forget_range();
    path.round(&[(21.0, 0.0)]);
    assert!(!long(&path), "no range");
}

#[test]
fn the_range_is_one_of_delays() {
    let long = |path: &Path| path.queue.is_long_for_the_buffer(5.0 * MS);
    // The smallest delay is forgotten behind a standing queue, and what counts as the queue is shorter by 50 ms.
    let mut path = Path::new(-40.0);
    path.round(&[(0.0, 0.0)]);
    path.round(&[(80.0, 0.0)]);
    while path.queue.latest() > 30.0 * MS {
        path.round(&[(50.0, 0.0)]);
        path.round(&[(70.0, 0.0)]);
    }
    path.round(&[(50.0, 0.0)]);
    path.expect(0.0, 150.0);
    path.round(&[(68.0, 0.0)]);
    assert!(long(&path), "18 of 50 to 70 ms");
    // What was of a shorter path is nothing to compare with.
    path.queue.lengthen(path.now, 50.0 * MS);
    path.round(&[(68.0, 0.0)]);
    assert!(!long(&path), "no range");
}

#[test]
fn a_range_of_round_trips_is_none_of_one_way_delays() {
    let mut path = Path::new(-40.0);
    for rtt in [100, 140] {
        path.queue
            .on_ack(path.now, Some(Duration::from_millis(rtt)), None);
        path.queue.end_round(true);
    }
    path.round(&[(0.0, 0.0)]);
    path.round(&[(8.0, 0.0)]);
    path.round(&[(7.0, 0.0)]);
    assert!(path.queue.is_long_for_the_buffer(5.0 * MS), "7 of 8 ms");
}

#[test]
fn a_longer_path_is_a_longer_base() {
    let mut path = Path::new(0.0);
    path.round(&[(0.0, 0.0)]);
    path.round(&[(30.0, 0.0)]);
    let now = path.now;
    path.queue.lengthen(now, 30.0 * MS);
    path.round(&[(30.0, 0.0)]);
    path.expect(0.0, 130.0);
}

#[test]
fn delays_told_together_count_each() {
    let at = |ms: i64| OneWayDelays::of(Offset::from_nanos(ms * 1_000_000));
    let mut queue = Queue::default();
    let now = Time::ZERO + Duration::from_secs(1);
    for _ in 0..200 {
        let delays = at(50).and(at(60)).and(at(70));
        queue.on_ack(now, Some(Duration::from_millis(100)), Some(delays));
        queue.end_round(true);
    }
    let threshold = queue.threshold(RATE);
    assert!(
        (threshold - 0.03).abs() < 1e-5,
        "three times 10 ms: {threshold}"
    );
}

#[test]
fn jitter_that_keeps_the_order_is_no_queue() {
    let mut path = Path::new(0.0);
    // Few packets: one of them is early. Of many each waits for a late one before it.
    path.round_of(false, &[(0.0, 0.0), (4.0, 0.0), (8.0, 0.0)]);
    for _ in 0..20 {
        path.round(&[(5.0, 0.0), (5.1, 0.0), (5.2, 0.0)]);
    }
    path.expect(5.0, 100.0);
    let threshold = path.queue.threshold(RATE);
    assert_near(threshold, 6.0 * MS, "half as much again as 4 ms");
    assert!(
        path.queue.least_change(RATE) < 4.0 * MS,
        "a change of it is one"
    );
    // However much samples vary, half of the base may be a queue.
    let mut path = Path::new(0.0);
    path.round(&[(0.0, 0.0), (300.0, 0.0)]);
    path.round(&[(90.0, 0.0), (90.0, 0.0)]);
    let threshold = path.queue.threshold(RATE);
    assert_near(threshold, path.queue.base() * LONGEST_WAIT, "threshold");
    // The smallest sample is one of a round trip that varies little now.
    path.round(&[(0.0, 0.0), (0.1, 0.0)]);
    assert_near(path.queue.scatter_of_least, 0.05 * MS, "scatter");
}
