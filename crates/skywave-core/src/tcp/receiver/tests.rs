//! Segment-by-segment tests: RFC 9293, RFC 5681 section 4.2, RFC 2018, RFC 2883, RFC 7323.

// A block of segments is written as a range.
#![allow(clippy::single_range_in_vec_init)]

mod acking;
mod exact_echo;
mod sack;
mod signals;
mod stream;
mod survey;

use std::ops::Range;

use super::Receiver;
use crate::packet::{Flags, Options, Segment, Timestamps};
use crate::seq::SeqNr;
use crate::tcp::config::{Acking, Handshake, TcpConfig};
use crate::tcp::testing::{MSS, config};
use crate::time::{Duration, Time};

/// A receiver without a handshake that acknowledges every segment and has a window of 1000.
fn every_segment() -> TcpConfig {
    config("sack", 1)
}

/// Every second segment, or 200 ms.
fn delayed() -> TcpConfig {
    TcpConfig {
        acking: Acking::delayed(2, Duration::from_millis(200)),
        ..every_segment()
    }
}

/// Segments by number (from 1, of [`MSS`] bytes) in, ACKs out.
struct Script {
    receiver: Receiver,
    config: TcpConfig,
    now: Time,
}

impl Script {
    fn new(config: TcpConfig) -> Self {
        Self {
            receiver: Receiver::new(config.clone()),
            config,
            now: Time::ZERO + Duration::from_secs(1),
        }
    }

    fn seq(&self, segment: u64) -> SeqNr {
        let first = self.config.handshake.span();
        SeqNr::at(self.config.iss, first + (segment - 1) * u64::from(MSS))
    }

    fn number(&self, seq: SeqNr) -> u64 {
        let position = seq.expand(self.config.iss, self.receiver.next());
        let position = position.expect("one of the script's numbers");
        (position - self.config.handshake.span()) / u64::from(MSS) + 1
    }

    fn data(&self, segment: u64) -> Segment {
        Segment {
            seq: self.seq(segment),
            len: MSS,
            flags: Flags::ACK,
            timestamps: self.config.timestamps.then_some(Timestamps {
                value: self.now,
                echo: Time::ZERO,
            }),
            ..Segment::default()
        }
    }

    fn arrive(&mut self, segment: u64) {
        let segment = self.data(segment);
        self.receiver.on_segment(self.now, &segment);
    }

    fn wait(&mut self, ms: u64) {
        self.now += Duration::from_millis(ms);
    }

    /// The receiver sends this one ACK: the segment that it waits for.
    #[track_caller]
    fn expect_ack(&mut self, segment: u64) {
        let ack = self.receiver.poll_transmit(self.now).expect("an ACK");
        assert_eq!(self.number(ack.ack), segment);
        self.expect_nothing();
    }

    /// As [`Self::expect_ack`], with these blocks of segments in the SACK option.
    #[track_caller]
    fn expect_sack(&mut self, segment: u64, held: &[Range<u64>]) {
        let ack = self.receiver.poll_transmit(self.now).expect("an ACK");
        self.expect_nothing();
        assert_eq!(self.number(ack.ack), segment);
        let blocks: Vec<_> = ack
            .sack()
            .iter()
            .map(|b| self.number(b.start)..self.number(b.end))
            .collect();
        assert_eq!(blocks, held);
    }

    /// A SYN arrives: its answer.
    #[track_caller]
    fn syn(&mut self) -> Segment {
        let syn = Segment {
            flags: Flags::SYN,
            ..Segment::default()
        };
        self.receiver.on_segment(self.now, &syn);
        let answer = self.receiver.poll_transmit(self.now);
        answer.expect("a SYN-ACK at once")
    }

    #[track_caller]
    fn expect_nothing(&mut self) {
        assert_eq!(self.receiver.poll_transmit(self.now), None);
    }
}

#[test]
fn a_three_way_handshake_answers_each_syn() {
    let mut s = Script::new(TcpConfig {
        handshake: Handshake::ThreeWay,
        ..delayed()
    });
    // The first SYN-ACK is lost.
    for _ in 0..2 {
        let answer = s.syn();
        assert!(answer.is_syn() && answer.is_ack());
        assert_eq!((answer.ack, answer.window), (SeqNr(1), 1000 * MSS));
    }
    s.arrive(1);
    s.arrive(2);
    let ack = s.receiver.poll_transmit(s.now).expect("an ACK");
    assert!(!ack.is_syn());
    assert_eq!(s.receiver.delivered(), 2 * u64::from(MSS));
}

#[test]
fn a_syn_that_comes_twice_is_no_data_to_report() {
    let mut s = Script::new(TcpConfig {
        handshake: Handshake::ThreeWay,
        sack: true,
        dsack: true,
        ..delayed()
    });
    assert_eq!(s.syn(), s.syn());
}

#[test]
fn what_segments_in_order_touch_fits_a_cache_line() {
    assert!(std::mem::offset_of!(Receiver, disorder) <= 64);
    assert_eq!(size_of::<Receiver>(), 72);
}

#[test]
fn the_sender_may_begin_with_another_number_than_this_end() {
    let config = TcpConfig {
        iss: 7,
        ..config("reno", 2)
    };
    let mut receiver = Receiver::of_peer(config, u32::MAX);
    let data = Segment {
        seq: SeqNr(u32::MAX),
        len: 10,
        flags: Flags::ACK,
        ..Segment::default()
    };
    receiver.on_segment(Time::ZERO, &data);
    let ack = receiver.poll_transmit(Time::ZERO).expect("an ACK");
    assert_eq!((receiver.next(), ack.ack), (10, SeqNr(9)));
}
