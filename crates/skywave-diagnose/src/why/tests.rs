use super::*;
use crate::transfer::script::{MSS, Script};

/// A link that takes a millisecond for a segment, a round trip of 50 ms without a queue.
const BASE_MS: u64 = 50;

/// A sender that may have some segments in flight over a link, until a time; segments of it that are lost, and found missing.
struct Sender {
    script: Script,
    at_ms: u64,
    sent: u32,
    acked: u32,
    /// When the link is free again.
    free_ms: u64,
    /// Answers that are under way: when they come, and what they acknowledge.
    answers: Vec<(u64, u32)>,
}

impl Sender {
    fn new() -> Self {
        Self {
            script: Script::begun(1),
            at_ms: 60,
            sent: 0,
            acked: 0,
            free_ms: 0,
            answers: Vec::new(),
        }
    }

    /// Keeps so many segments in flight until a time.
    fn keep(&mut self, segments: u32, until_ms: u64) -> &mut Self {
        while self.at_ms < until_ms {
            while self
                .answers
                .first()
                .is_some_and(|(at, _)| *at <= self.at_ms)
            {
                let (at, acked) = self.answers.remove(0);
                self.script.ack(at, acked * MSS, &[]);
                self.acked = acked;
            }
            while self.sent - self.acked < segments {
                self.script.data(self.at_ms, self.sent * MSS, MSS);
                self.sent += 1;
                self.free_ms = self.free_ms.max(self.at_ms) + 1;
                self.answers.push((self.free_ms + BASE_MS - 1, self.sent));
            }
            self.at_ms += 1;
        }
        self
    }

    fn why(&self) -> Why {
        why(&self.script.transfer(), None)
    }
}

#[test]
fn a_transfer_that_is_over_soon_is_a_short_flow() {
    let why = Sender::new().keep(10, 500).why();
    assert_eq!(why.verdict, Verdict::ShortFlow);
    assert!((why.shares.of(State::Handshake) - 0.1).abs() < 0.02);
}

#[test]
fn a_link_with_a_queue_all_the_while_is_full_and_a_deep_one_is_named() {
    let full = Sender::new().keep(100, 5000).why();
    assert_eq!(full.verdict, Verdict::LinkFull, "{}", full.sentence);
    assert!(full.shares.of(State::Queue) > 0.9);
    let mut deep = Sender::new();
    deep.script.window = u16::MAX;
    let deep = deep.keep(260, 9000).why();
    assert_eq!(deep.verdict, Verdict::Bufferbloat, "{}", deep.sentence);
}

#[test]
fn a_window_that_is_full_is_the_receivers_and_one_that_shrank_a_slow_readers() {
    let mut sender = Sender::new();
    sender.script.window = 2500;
    let small = sender.keep(10, 3000).why();
    assert_eq!(small.verdict, Verdict::ReceiveWindow);
    assert!(small.sentence.contains("10 kB"), "{}", small.sentence);
    let mut sender = Sender::new();
    sender.keep(40, 500);
    sender.script.window = 2500;
    let shrunk = sender.keep(10, 3000).why();
    assert_eq!(shrunk.verdict, Verdict::SlowReceiver);
}

#[test]
fn bursts_with_pauses_are_the_applications_doing() {
    let mut sender = Sender::new();
    for burst in 1..10 {
        sender.keep(20, burst * 400 - 300);
        // Nothing more is sent, and what was is answered.
        sender.keep(0, burst * 400);
    }
    let why = sender.why();
    assert_eq!(why.verdict, Verdict::Application, "{}", why.sentence);
    assert!((why.shares.of(State::Application) - 0.62).abs() < 0.1);
}

#[test]
fn the_same_in_flight_at_all_times_without_a_queue_is_the_senders_buffer() {
    let why = Sender::new().keep(20, 3000).why();
    assert_eq!(why.verdict, Verdict::SendBuffer, "{}", why.sentence);
    assert!((why.numbers.goodput_bps / 1e6 - 3.2).abs() < 0.2);
}

#[test]
fn waits_for_a_timer_are_timeouts_and_long_ones_outages() {
    let mut sender = Sender::new();
    sender.keep(10, 1000).keep(0, 1100);
    for _ in 0..3 {
        let lost = sender.sent * MSS;
        sender.script.data(sender.at_ms, lost, MSS);
        sender.script.data(sender.at_ms, lost + MSS, MSS);
        sender.script.data(sender.at_ms + 800, lost, MSS);
        sender.script.ack(sender.at_ms + 850, lost + MSS, &[]);
        sender.script.data(sender.at_ms + 851, lost + MSS, MSS);
        sender.script.ack(sender.at_ms + 901, lost + 2 * MSS, &[]);
        sender.sent += 2;
        sender.acked = sender.sent;
        sender.at_ms += 902;
        let until_ms = sender.at_ms + 300;
        sender.keep(10, until_ms).keep(0, until_ms + 100);
    }
    let why = sender.why();
    assert_eq!(why.verdict, Verdict::Timeouts, "{}", why.sentence);
    let outage = &why.events[0];
    assert_eq!((outage.kind, outage.count), (EventKind::Outage, 3));
    assert!((outage.longest_s - 0.85).abs() < 0.1);
    let timeouts = why.again.iter().find(|(cause, _)| *cause == Cause::Timeout);
    assert_eq!(timeouts.unwrap().1, 6);
    assert_eq!((why.losses.all, why.numbers.again), (6, 6));
}

#[test]
fn a_closed_window_is_named() {
    let mut sender = Sender::new();
    sender.keep(10, 1000).keep(0, 1100);
    sender.script.window = 0;
    let acked = sender.acked * MSS;
    sender.script.ack(1101, acked, &[]);
    sender.script.window = 60_000;
    sender.script.ack(1701, acked, &[]);
    sender.at_ms = 1702;
    let why = sender.keep(10, 2700).why();
    let closed = &why.events[0];
    assert_eq!((closed.kind, closed.count), (EventKind::ZeroWindow, 1));
    assert!((closed.total_s - 0.6).abs() < 0.02);
    assert!((closed.at_s - 1.1).abs() < 0.02);
}

#[test]
fn a_capture_at_the_receiver_tells_not_what_the_sender_waited_for() {
    let mut transfer = Sender::new().keep(10, 3000).script.transfer();
    transfer.is_near_sender = false;
    let why = why(&transfer, None);
    assert_eq!(why.verdict, Verdict::Untold);
    assert!(
        why.sentence.contains("taken at the receiver"),
        "{}",
        why.sentence
    );
    assert_eq!(
        (why.shares, why.numbers.rtt_s, why.events),
        (Shares::default(), None, Vec::new())
    );
}

#[test]
fn waits_that_jitter_explains_fill_no_link() {
    // Round trips vary by up to 20 ms, and what is in flight is always the same.
    let mut script = Script::begun(1);
    let mut packets = Vec::new();
    let mut came_ms = 0;
    for number in 0..1000_u32 {
        let sent_ms = 60 + 4 * u64::from(number);
        came_ms = (came_ms + 1).max(sent_ms + BASE_MS + 20 * u64::from(number / 20 % 2));
        packets.extend([(sent_ms, number, false), (came_ms, number, true)]);
    }
    packets.sort_unstable();
    for (at_ms, number, is_answer) in packets {
        if is_answer {
            script.ack(at_ms, (number + 1) * MSS, &[]);
        } else {
            script.data(at_ms, number * MSS, MSS);
        }
    }
    let transfer = script.transfer();
    let mut path = crate::fit::path::fit(&transfer).unwrap();
    let full = |path: &_| why(&transfer, Some(path)).shares.of(State::Queue);
    assert!(path.rate.told().is_none(), "{:?}", path.rate);
    assert!(full(&path) > 0.1, "{}", full(&path));
    path.varies_s = 0.02;
    assert!(full(&path) < 0.01, "{}", full(&path));
}

#[test]
fn times_that_no_clock_has_end_nothing() {
    let mut sender = Sender::new();
    sender.keep(10, 1000);
    sender
        .script
        .data(4_000_000_000_000, sender.sent * MSS, MSS);
    let why = sender.why();
    assert!(why.shares.of(State::Application) <= 1.0);
}
