//! Options that two SYNs agree on.

use super::script::{IRS, ISS, MSS, PEER_WINDOW, Script, config};
use crate::packet::{Ecn, Flags, Options, Segment, SynOptions, Timestamps};
use crate::parameter::Family;
use crate::seq::SeqNr;
use crate::tcp::config::{Composition, DetectionConfig, NewRenoConfig, RecoveryConfig};
use crate::tcp::connection::{Agreed, Connection, ConnectionConfig};
use crate::tcp::preset::preset;
use crate::time::Time;

/// Any combination of options, an option a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Offer(u8);

impl Offer {
    fn all() -> impl Iterator<Item = Self> {
        (0..32).map(Self)
    }

    fn has(self, bit: u8) -> bool {
        self.0 >> bit & 1 == 1
    }

    fn config(self) -> ConnectionConfig {
        let mut config = config();
        config.window_scaling = self.has(0);
        config.tcp.sack = self.has(1);
        config.tcp.timestamps = self.has(2);
        config.tcp.ecn = self.has(3);
        config.tcp.mss = if self.has(4) { MSS } else { 800 };
        config
    }

    /// The SYN of a peer with these options.
    fn syn(self, flags: Flags) -> Segment {
        let mut syn = Segment {
            seq: SeqNr(IRS),
            window: PEER_WINDOW,
            flags,
            ..Segment::default()
        };
        if flags.contains(Flags::ACK) {
            syn.ack = SeqNr(ISS + 1);
        }
        syn.options = Options::Syn(SynOptions {
            mss: Some(if self.has(4) { MSS as u16 } else { 800 }),
            window_scale: self.has(0).then_some(7),
            sack_permitted: self.has(1),
        });
        syn.timestamps = self.has(2).then_some(Timestamps {
            value: Time::from_nanos(77),
            echo: Time::ZERO,
        });
        if self.has(3) {
            syn.flags |= Flags::ECE;
            syn.flags.set(Flags::CWR, !flags.contains(Flags::ACK));
        }
        syn
    }

    fn agreed(self, other: Self) -> Agreed {
        let both = Self(self.0 & other.0);
        Agreed {
            mss: if both.has(4) { MSS } else { 800 },
            window_scaling: both.has(0),
            sack: both.has(1),
            timestamps: both.has(2),
            ecn: both.has(3),
        }
    }
}

fn syn_options(segment: &Segment) -> SynOptions {
    *segment.options.syn().expect("options of a SYN")
}

#[test]
fn an_active_open_offers_and_takes_what_comes_back() {
    for ours in Offer::all() {
        let mut s = Script::new(ours.config());
        s.act(Connection::open_active);
        let (_, syn) = s.poll().expect("a SYN");
        let offered = syn_options(&syn.segment);
        assert_eq!(offered.mss, Some(ours.config().tcp.mss as u16));
        assert_eq!(offered.window_scale.is_some(), ours.has(0));
        assert_eq!(offered.sack_permitted, ours.has(1));
        assert_eq!(syn.segment.timestamps.is_some(), ours.has(2));
        let setup = Flags::ECE | Flags::CWR;
        assert_eq!(syn.segment.flags.contains(setup), ours.has(3));
        assert_eq!(syn.segment.flags.intersects(setup), ours.has(3));
        for theirs in Offer::all() {
            let mut s = Script::new(ours.config());
            s.act(Connection::open_active);
            s.poll().expect("a SYN");
            s.send(10, theirs.syn(Flags::SYN_ACK));
            let (_, ack) = s.poll().expect("an ACK");
            check_established(&mut s, ours.agreed(theirs), &ack.segment);
        }
    }
}

#[test]
fn a_passive_open_answers_with_what_both_can() {
    for ours in Offer::all() {
        for theirs in Offer::all() {
            let mut s = Script::listening(ours.config());
            s.send(10, theirs.syn(Flags::SYN));
            let (_, answer) = s.poll().expect("a SYN-ACK");
            let agreed = ours.agreed(theirs);
            let answered = syn_options(&answer.segment);
            assert_eq!(answered.mss, Some(ours.config().tcp.mss as u16));
            assert_eq!(answered.window_scale.is_some(), agreed.window_scaling);
            assert_eq!(answered.sack_permitted, agreed.sack);
            assert_eq!(answer.segment.timestamps.is_some(), agreed.timestamps);
            let setup = Flags::ECE | Flags::CWR;
            let ecn = if agreed.ecn {
                Flags::ECE
            } else {
                Flags::empty()
            };
            assert_eq!(answer.segment.flags & setup, ecn);
            let mut ack = theirs.syn(Flags::ACK);
            ack.seq = SeqNr(IRS + 1);
            ack.options = Options::None;
            ack.flags = Flags::ACK;
            s.send(20, ack);
            check_established(&mut s, agreed, &answer.segment);
        }
    }
}

#[track_caller]
fn check_established(s: &mut Script, agreed: Agreed, answer: &Segment) {
    assert_eq!(s.connection.agreed(), agreed);
    let echo = agreed.timestamps.then_some(Time::from_nanos(77));
    assert_eq!(answer.timestamps.map(|t| t.echo), echo);
    s.act(|c| c.write(u64::from(MSS)));
    let (_, data) = s.poll().expect("data");
    assert_eq!(data.segment.len, agreed.mss);
    assert_eq!(data.segment.timestamps.map(|t| t.echo), echo);
    let expected = if agreed.ecn { Ecn::Ect0 } else { Ecn::NotEct };
    assert_eq!(data.ecn, expected);
    assert_eq!(answer.window, config().tcp.rwnd);
}

#[test]
fn a_syn_without_options_means_the_defaults() {
    let mut s = Script::listening(Offer(0xff).config());
    let bare = Segment {
        options: Options::None,
        timestamps: None,
        ..Offer(0).syn(Flags::SYN)
    };
    s.send(0, bare);
    let expected = Agreed {
        mss: 536,
        ..Offer(0).agreed(Offer(0))
    };
    assert_eq!(s.connection.agreed(), expected);
}

#[test]
fn nobody_may_ask_for_tiny_segments() {
    let mut s = Script::listening(config());
    let mut syn = Offer(0).syn(Flags::SYN);
    syn.options = Options::Syn(SynOptions {
        mss: Some(0),
        ..SynOptions::default()
    });
    s.send(0, syn);
    assert_eq!(s.connection.agreed().mss, 48);
}

#[test]
fn a_syn_ack_that_reflects_the_bits_does_not_know_ecn() {
    let mut s = Script::new(Offer(0xff).config());
    s.act(Connection::open_active);
    s.poll().expect("a SYN");
    let mut answer = Offer(0xff).syn(Flags::SYN_ACK);
    answer.flags |= Flags::CWR;
    s.send(0, answer);
    assert!(!s.connection.agreed().ecn);
}

#[test]
fn a_simultaneous_open_agrees_as_well() {
    for theirs in Offer::all() {
        let ours = Offer(0xff);
        let mut s = Script::new(ours.config());
        s.act(Connection::open_active);
        s.poll().expect("a SYN");
        s.send(0, theirs.syn(Flags::SYN));
        let (_, answer) = s.poll().expect("a SYN-ACK");
        let agreed = ours.agreed(theirs);
        assert_eq!(answer.segment.timestamps.is_some(), agreed.timestamps);
        assert_eq!(syn_options(&answer.segment).sack_permitted, agreed.sack);
        s.send(10, theirs.syn(Flags::SYN_ACK));
        check_established(&mut s, agreed, &answer.segment);
    }
}

#[test]
fn only_new_data_may_be_marked() {
    let mut s = Script::listening(Offer(0xff).config());
    s.send(0, Offer(0xff).syn(Flags::SYN));
    assert_eq!(s.poll().expect("a SYN-ACK").1.ecn, Ecn::NotEct);
    let mut ack = Offer(0xff).syn(Flags::ACK);
    (ack.seq, ack.options, ack.flags) = (SeqNr(IRS + 1), Options::None, Flags::ACK);
    s.send(0, ack);
    s.act(|c| c.write(10));
    assert_eq!(s.poll().expect("data").1.ecn, Ecn::Ect0);
    s.wait_to(2000);
    let (_, again) = s.poll().expect("a retransmission");
    assert_eq!((again.segment.len, again.ecn), (10, Ecn::NotEct));
    s.act(Connection::close);
    let (_, fin) = s.poll().expect("a FIN");
    assert_eq!((fin.segment.len, fin.ecn), (0, Ecn::NotEct));
}

/// The configuration of a connection with this composition, after a SYN that does or does not permit SACK.
fn agreed_on(composition: &Composition, sack: bool) -> Composition {
    let mut config = config();
    config.tcp.composition = composition.clone();
    config.tcp.sack = true;
    let mut s = Script::listening(config);
    s.send(0, Offer(if sack { 2 } else { 0 }).syn(Flags::SYN));
    s.poll().expect("a SYN-ACK");
    s.connection.tcp.composition.clone()
}

#[test]
fn without_sack_nothing_that_needs_it_is_left() {
    let plain = &preset("newreno").expect("a preset").composition;
    for detection in DetectionConfig::defaults() {
        for recovery in RecoveryConfig::defaults() {
            let wanted = Composition {
                detection: detection.clone(),
                recovery,
                ..plain.clone()
            };
            assert_eq!(agreed_on(&wanted, true), wanted);
            let without = Composition {
                detection: if detection.needs_sack() {
                    DetectionConfig::Dupacks(3)
                } else {
                    detection.clone()
                },
                recovery: if recovery.uses_sack() {
                    RecoveryConfig::NewReno(NewRenoConfig::DEFAULT)
                } else {
                    recovery
                },
                ..plain.clone()
            };
            assert_eq!(agreed_on(&wanted, false), without);
            assert!(!without.detection.needs_sack() && !without.recovery.uses_sack());
        }
    }
}
