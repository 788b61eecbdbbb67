//! Two endpoints, joined by a path in virtual time.

use std::collections::BTreeMap;

use skywave_core::wtcp::{Micros, Reset};

use super::*;

const DELAY: Duration = Duration::from_millis(20);

/// Pseudo-random numbers: losing every fourth packet would always hit the same kind.
fn mixed(n: u64) -> u64 {
    let n = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let n = (n ^ (n >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    n ^ (n >> 32)
}

/// Loses one packet of this many, if asked to.
struct World {
    now: Time,
    ends: [Endpoint; 2],
    /// Datagrams on their way, and the end that they go to.
    path: BTreeMap<(Time, u64), (usize, Vec<u8>)>,
    sent: u64,
    lose_every: u64,
}

impl World {
    fn new() -> Self {
        let config = Arc::new(Config {
            // Nothing limits the path, and a sender probes at its pace: a packet a millisecond at most.
            min_separation: Micros(1000),
            receive_buffer: 4 << 20,
            ..Config::default()
        });
        Self {
            now: Time::ZERO,
            ends: [Endpoint::connecting(&config), Endpoint::listening(&config)],
            path: BTreeMap::new(),
            sent: 0,
            lose_every: u64::MAX,
        }
    }

    fn pump(&mut self) {
        let mut out = Vec::new();
        for (from, end) in self.ends.iter_mut().enumerate() {
            while end.poll_transmit(self.now, &mut out) {
                self.sent += 1;
                if !mixed(self.sent).is_multiple_of(self.lose_every) {
                    let key = (self.now + DELAY, self.sent);
                    self.path.insert(key, (1 - from, out.clone()));
                }
            }
        }
    }

    /// Processes events for this time, or until the condition is met; whether it is.
    fn run(&mut self, time: Duration, mut until: impl FnMut(&mut Self) -> bool) -> bool {
        let end = self.now + time;
        self.pump();
        while !until(self) {
            self.pump();
            let arrival = self.path.keys().next().map(|&(at, _)| at);
            let timers = self.ends.each_ref().map(Endpoint::next_timer);
            let next = timers.into_iter().chain([arrival]).flatten().min();
            let Some(next) = next.filter(|next| *next < end) else {
                return false;
            };
            assert!(next >= self.now, "a timer in the past");
            self.now = next;
            if arrival == Some(next) {
                let (_, (to, bytes)) = self.path.pop_first().unwrap();
                assert!(self.ends[to].on_datagram(next, &bytes));
            }
            self.ends.iter_mut().for_each(|end| end.on_timer(next));
            self.pump();
        }
        true
    }
}

fn stream(len: usize) -> Vec<u8> {
    (0..len as u64).map(|n| (n * n % 251) as u8).collect()
}

/// Sends streams both ways at once and compares them.
fn talk(world: &mut World, forward: usize, back: usize) {
    let texts = [stream(forward), stream(back)];
    let mut written = [0, 0];
    let mut read = [Vec::new(), Vec::new()];
    let done = world.run(Duration::from_secs(3000), |w| {
        for (n, end) in w.ends.iter_mut().enumerate() {
            written[n] += end.write(w.now, &texts[n][written[n]..]);
            if written[n] == texts[n].len() {
                end.close(w.now);
            }
            let mut out = [0; 5000];
            let got = end.read(&mut out);
            read[1 - n].extend_from_slice(&out[..got]);
        }
        w.pump();
        w.ends.iter().all(|end| end.is_sent() && end.is_read())
    });
    assert!(done, "{:?}", world.ends.each_ref().map(Endpoint::status));
    assert_eq!(read, texts);
}

#[test]
fn streams_arrive_both_ways() {
    talk(&mut World::new(), 300_000, 70_000);
}

#[test]
fn losses_of_any_packet_are_repaired() {
    for lose_every in 2..12 {
        let mut world = World::new();
        world.lose_every = lose_every;
        talk(&mut world, 40_000, 5_000);
    }
}

#[test]
fn an_empty_stream_ends_too() {
    talk(&mut World::new(), 0, 0);
}

#[test]
fn nothing_is_written_after_the_end() {
    let mut end = World::new().ends.into_iter().next().unwrap();
    assert_eq!(end.write(Time::ZERO, b"all"), 3);
    end.close(Time::ZERO);
    assert_eq!(end.write(Time::ZERO, b"more"), 0);
    assert!(end.is_closed());
}

#[test]
fn a_writer_is_not_further_ahead_than_the_buffer() {
    let mut world = World::new();
    let text = stream(SEND_BUFFER + 1);
    assert_eq!(world.ends[0].write(Time::ZERO, &text), SEND_BUFFER);
    assert_eq!(world.ends[0].write(Time::ZERO, &text), 0);
}

#[test]
fn giving_up_is_told() {
    let mut world = World::new();
    world.ends[0].write(Time::ZERO, &stream(1_000_000));
    let begun = |w: &mut World| w.ends[1].status().delivered > 0;
    assert!(world.run(Duration::from_secs(10), begun));
    world.ends[1].abort();
    let told = |w: &mut World| w.ends[0].failure().is_some();
    assert!(world.run(Duration::from_secs(1), told));
    let failures = world.ends.each_ref().map(Endpoint::failure);
    let told = Failure::Reset(Reset::Aborted);
    assert_eq!(failures, [Some(told), Some(Failure::Aborted)]);
}

#[test]
fn a_blackout_of_ten_minutes_is_survived() {
    let mut world = World::new();
    let text = stream(1_000_000);
    assert_eq!(world.ends[0].write(world.now, &text), text.len());
    let begun = |w: &mut World| w.ends[1].status().delivered > 10_000;
    assert!(world.run(Duration::from_secs(60), begun));
    world.lose_every = 1;
    world.path.clear();
    world.run(Duration::from_secs(600), |_| false);
    assert!(world.ends[1].status().delivered < 500_000);
    assert_eq!(world.ends[0].status().sent.blackouts, 1);
    world.lose_every = u64::MAX;
    let all = |w: &mut World| w.ends[1].status().delivered == 1_000_000;
    assert!(world.run(Duration::from_secs(600), all));
    let mut read = vec![0; text.len()];
    assert_eq!(world.ends[1].read(&mut read), text.len());
    assert_eq!(read, text);
}

#[test]
fn what_is_no_packet_of_the_connection_is_ignored() {
    let mut world = World::new();
    world.ends[0].close(Time::ZERO);
    world.pump();
    let (to, opening) = world.path.pop_first().unwrap().1;
    let mut other = opening.clone();
    other[7] = 2;
    for wrong in [&other[..], &opening[..10], b"", b"hello"] {
        assert!(!world.ends[to].on_datagram(Time::ZERO, wrong));
    }
    assert!(world.ends[to].on_datagram(Time::ZERO, &opening));
}
