//! Packet by packet: the receiver alone.

use super::*;
use crate::wtcp::packet::{Probe, SackBlock};

/// A receiver and its clock; packets of the stream are 10 bytes.
struct Script {
    receiver: Receiver,
    now: Time,
    control: Control,
    ack_every: u16,
}

const LEN: u16 = 10;

impl Script {
    /// Open since 0.1 s with a separation of 100 ms; its first ACK is sent.
    fn new() -> Self {
        let mut script = Self::listening();
        script.open(0);
        script.now += Duration::from_millis(100);
        script.open(1);
        let ack = script.ack().expect("the pair is answered");
        assert_eq!((ack.separation, ack.hctrl_seq), (Micros(100_000), 1));
        script
    }

    fn listening() -> Self {
        Self {
            receiver: Receiver::new(Config {
                receive_buffer: 200,
                ..Config::default()
            }),
            now: Time::ZERO,
            control: Control {
                ctrl_seq: 1,
                separation: Micros(100_000),
                gap: Micros(100_000),
                ..Control::default()
            },
            ack_every: 1000,
        }
    }

    fn open(&mut self, ctrl_seq: u64) {
        let open = Open {
            ctrl_seq,
            padding: LEN,
        };
        self.receiver.on_packet(self.now, &Packet::Open(open));
    }

    /// Packet `n` of the stream arrives 100 ms later, after `lost` others.
    fn data(&mut self, n: u64, lost: u64) -> Option<Range<u64>> {
        self.number(lost);
        let data = Data {
            control: self.control,
            rel_seq: n * u64::from(LEN),
            len: LEN,
            fin: false,
            ack_every: self.ack_every,
        };
        self.receiver.on_packet(self.now, &Packet::Data(data))
    }

    fn number(&mut self, lost: u64) {
        self.now += Duration::from_millis(100);
        self.control.ctrl_seq += 1 + lost;
        self.control.run = self.control.run.saturating_add(1);
    }

    fn ack(&mut self) -> Option<Ack> {
        let packet = self.receiver.poll_transmit(self.now)?;
        assert_eq!(self.receiver.poll_transmit(self.now), None, "one at a time");
        match packet {
            Packet::Ack(ack) => Some(ack),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn acks_come_as_often_as_the_sender_wants() {
    let mut s = Script::new();
    s.ack_every = 2;
    let acks: Vec<bool> = (0..4)
        .map(|n| {
            s.data(n, 0);
            s.ack().is_some()
        })
        .collect();
    assert_eq!(acks, [false, true, false, true]);
}

#[test]
fn a_hole_is_reported_at_once() {
    let mut s = Script::new();
    s.data(0, 0);
    assert_eq!(s.ack(), None);
    s.data(3, 2);
    let ack = s.ack().expect("an ACK at once");
    let held = SackBlock { start: 20, end: 30 };
    assert_eq!((ack.cack, ack.hctrl_seq, ack.sack[0]), (10, 5, held));
    s.data(4, 0);
    assert_eq!(s.ack(), None, "the hole is known");
}

#[test]
fn probes_and_copies_are_answered_at_once() {
    let mut s = Script::new();
    s.number(0);
    let probe = Packet::Probe(Probe { control: s.control });
    assert_eq!(s.receiver.on_packet(s.now, &probe), None);
    assert_eq!(s.ack().unwrap().hctrl_seq, 2);
    assert_eq!(s.data(0, 0), Some(0..10));
    assert_eq!(s.ack(), None);
    assert_eq!(s.data(0, 0), None, "nothing to keep");
    assert!(s.ack().is_some());
}

#[test]
fn acks_are_numbered_and_tell_how_old_their_news_is() {
    let mut s = Script::new();
    s.data(0, 0);
    s.now += Duration::from_millis(30);
    s.receiver.ack_due = true;
    let ack = s.ack().unwrap();
    assert_eq!((ack.ack_seq, ack.hctrl_delay), (1, Micros(30_000)));
    assert_eq!(ack.window, 190);
}

#[test]
fn the_round_trip_is_measured_by_ack_numbers_without_the_senders_wait() {
    let mut s = Script::new();
    s.now += Duration::from_millis(800);
    s.control.hack_delay = Micros(300_000);
    s.data(0, 0);
    // It arrives 900 ms after the ACK; the sender waited 300 of these.
    assert_eq!(s.receiver.rtt(), Duration::from_millis(600));
    s.data(1, 0);
    assert_eq!(s.receiver.rtt(), Duration::from_millis(600), "once an ACK");
}

#[test]
fn a_new_rate_is_told_at_once() {
    let mut s = Script::new();
    let change = (0..20).find_map(|n| {
        s.data(n, 0);
        s.ack()
    });
    // The first ACK echo made the round trip 0.1 s; four samples at 10/s pass more than two of them.
    assert_eq!(s.receiver.counters().increases, 1);
    assert_eq!(change.unwrap().separation, Micros(50_000));
}

#[test]
fn a_duplicate_of_the_pair_is_answered_again() {
    let mut s = Script::new();
    s.open(0);
    assert!(s.ack().is_some());
    s.open(7);
    assert_eq!(s.ack().unwrap().hctrl_seq, 7);
}

#[test]
fn data_beyond_the_window_is_refused_and_answered() {
    let mut s = Script::new();
    assert_eq!(s.data(20, 0), None);
    assert!(s.ack().is_some());
    assert_eq!(s.receiver.counters().duplicates, 0);
}

#[test]
fn reading_opens_a_closed_window_and_says_so_once() {
    let mut s = Script::new();
    for n in 0..20 {
        s.data(n, 0);
        s.ack();
    }
    s.receiver.ack_due = true;
    assert_eq!(s.ack().unwrap().window, 0);
    s.receiver.read(99);
    assert_eq!(s.ack(), None, "less than half of a small buffer");
    s.receiver.read(1);
    assert_eq!(s.ack().unwrap().window, 100);
    s.receiver.read(50);
    assert_eq!(s.ack(), None);
}

#[test]
fn nothing_is_answered_before_a_connection_but_by_a_reset() {
    let mut s = Script::listening();
    assert_eq!(s.data(0, 0), None);
    let reset = s.receiver.poll_transmit(s.now);
    assert_eq!(reset, Some(Packet::Reset(Reset::Unknown)));
    assert_eq!(s.receiver.poll_transmit(s.now), None);
    assert_eq!(s.receiver.next_timer(), None);
}
