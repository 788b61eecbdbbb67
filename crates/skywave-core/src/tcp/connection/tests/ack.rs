//! Acknowledgements that arrive: which ones are accepted, and which ones are duplicates.

use super::script::{IRS, ISS, MSS, PEER_WINDOW, Script, config, own, peer, with_window};
use crate::packet::{Flags, Options, SackBlock, Segment, SynOptions};
use crate::seq::SeqNr;
use crate::tcp::connection::{Connection, ConnectionConfig, Event, State};
use crate::tcp::preset::preset;

const ACK: Flags = Flags::ACK;

/// In ESTABLISHED, with segments of [`MSS`] at 1, 1001, and so on in flight.
#[track_caller]
fn in_flight(segments: u32) -> Script {
    let mut s = Script::established(config());
    s.act(|c| c.write(u64::from(segments * MSS)));
    for n in 0..segments {
        s.recv(0, own(ACK, 1 + n * MSS, 1, MSS));
    }
    s
}

#[test]
fn a_segment_without_ack_is_dropped() {
    let mut s = Script::established(config());
    assert_eq!(s.send(10, peer(Flags::empty(), 1, 0, 100)), None);
    assert_eq!(s.send(10, peer(Flags::FIN, 1, 0, 100)), None);
    s.recv_nothing(10);
    s.expect(State::Established);
}

#[test]
fn an_ack_of_data_not_sent_is_answered() {
    let mut s = in_flight(2);
    s.send(10, peer(ACK, 1, 2002, 0));
    s.recv(10, own(ACK, 2001, 1, 0));
    assert_eq!(s.connection.acknowledged(), 0);
}

#[test]
fn data_with_an_old_ack_is_taken() {
    let mut s = in_flight(2);
    s.send(10, peer(ACK, 1, 2001, 0));
    s.send(10, peer(ACK, 1, 1001, 100));
    s.recv(10, own(ACK, 2001, 101, 0).with_less(100));
    assert_eq!(s.connection.acknowledged(), 2000);
}

#[test]
fn two_ends_that_disagree_do_not_answer_each_other_for_ever() {
    let mut s = Script::established(config());
    let mut answers = 0;
    for at in 0..1000 {
        s.send(at, peer(ACK, 50_000, 1, 0));
        while s.poll().is_some() {
            answers += 1;
        }
    }
    assert_eq!(answers, 2);
}

#[test]
fn three_duplicates_retransmit() {
    let mut s = in_flight(5);
    s.send(10, peer(ACK, 1, 1, 0));
    s.send(10, peer(ACK, 1, 1, 0));
    s.recv_nothing(10);
    s.send(10, peer(ACK, 1, 1, 0));
    s.recv(10, own(ACK, 1, 1, MSS));
    assert_eq!(s.connection.sender().counters().fast_retransmits, 1);
}

#[test]
fn an_ack_with_data_or_fin_or_another_window_is_no_duplicate() {
    // RFC 5681 section 2, conditions b, c and e.
    let mut s = in_flight(5);
    for n in 0..6 {
        s.send(10, peer(ACK, 1 + n * 100, 1, 100));
        s.recv(
            10,
            own(ACK, 5001, 101 + n * 100, 0).with_less(100 + n * 100),
        );
    }
    for n in 0..6 {
        let update = peer(ACK, 601, 1, 0);
        s.send(10, with_window(PEER_WINDOW + 1 + n, update));
    }
    // A pure ACK counts again, and those with a FIN do not.
    s.send(10, with_window(PEER_WINDOW + 6, peer(ACK, 601, 1, 0)));
    for _ in 0..4 {
        let fin = with_window(PEER_WINDOW + 6, peer(ACK | Flags::FIN, 601, 1, 0));
        s.send(10, fin);
        s.recv(10, own(ACK, 5001, 602, 0).with_less(601));
    }
    assert_eq!(s.connection.sender().counters().fast_retransmits, 0);
    s.recv_nothing(10);
}

#[test]
fn nothing_is_a_duplicate_while_nothing_is_in_flight() {
    let mut s = Script::established(config());
    for _ in 0..5 {
        s.send(10, peer(ACK, 1, 1, 0));
    }
    s.act(|c| c.write(u64::from(MSS)));
    s.recv(10, own(ACK, 1, 1, MSS));
    s.send(20, peer(ACK, 1, 1, 0));
    s.send(20, peer(ACK, 1, 1, 0));
    s.recv_nothing(20);
    assert_eq!(s.connection.sender().counters().fast_retransmits, 0);
}

/// In ESTABLISHED with SACK, five segments in flight.
fn sacking(name: &str) -> Script {
    let mut config: ConnectionConfig = config();
    config.tcp.sack = true;
    config.tcp.composition = preset(name).expect("a preset").composition.clone();
    let mut s = Script::new(config);
    s.act(Connection::open_active);
    let permitted = |segment| Segment {
        options: Options::Syn(SynOptions {
            mss: Some(MSS as u16),
            window_scale: Some(0),
            sack_permitted: true,
        }),
        ..segment
    };
    s.recv(0, permitted(own(Flags::SYN, 0, 0, 0)));
    s.send(0, permitted(peer(Flags::SYN_ACK, 0, 1, 0)));
    s.recv(0, own(ACK, 1, 1, 0));
    s.act(|c| c.write(u64::from(5 * MSS)));
    for n in 0..5 {
        s.recv(0, own(ACK, 1 + n * MSS, 1, MSS));
    }
    s
}

fn block(base: u32, start: u32, end: u32) -> Options {
    let block = SackBlock {
        start: SeqNr(base + start),
        end: SeqNr(base + end),
    };
    [block].into_iter().collect()
}

#[test]
fn with_sack_data_with_news_is_a_duplicate_and_data_without_is_not() {
    // RFC 6675 section 2.
    for (news, retransmits) in [(true, 1), (false, 0)] {
        let mut s = sacking("sack");
        for n in 0..3 {
            let held = if news { 2001 + n * MSS } else { 2001 };
            let segment = peer(ACK, 1 + n * 100, 1, 100);
            let options = block(ISS, 1001, held);
            s.send(10, Segment { options, ..segment });
            while s.poll().is_some() {}
        }
        let counters = s.connection.sender().counters();
        assert_eq!(counters.fast_retransmits, retransmits, "news: {news}");
    }
}

#[test]
fn blocks_of_both_directions_count_from_their_own_numbers() {
    let mut s = sacking("sack");
    s.send(10, peer(ACK, 2001, 1, 1000));
    let answer = own(ACK, 5001, 1, 0);
    let options = block(IRS, 2001, 3001);
    s.recv(10, Segment { options, ..answer });
    // Data carry the blocks too, when these report nothing new.
    s.act(|c| c.write(10));
    let data = own(ACK, 5001, 1, 10);
    s.recv(10, Segment { options, ..data });
}

#[test]
fn only_a_newer_segment_changes_the_window() {
    // RFC 9293 section 3.10.7.4: SND.WL1 and SND.WL2.
    let mut s = Script::established(config());
    s.send(10, with_window(500, peer(ACK, 101, 1, 100)));
    s.recv(10, own(ACK, 1, 1, 0));
    s.send(11, with_window(9000, peer(ACK, 1, 1, 100)));
    s.recv(11, own(ACK, 1, 201, 0).with_less(200));
    s.act(|c| c.write(500));
    s.recv(11, own(ACK, 1, 201, 500).with_less(200));
    s.act(|c| c.write(500));
    s.recv_nothing(12);
    // A retransmission that acknowledges more carries newer information about the window.
    s.send(12, with_window(9000, peer(ACK, 150, 501, 52)));
    s.recv(12, own(ACK, 501, 202, 500).with_less(201));
}

#[test]
fn an_ack_tells_the_application_of_room() {
    let mut s = in_flight(2);
    s.expect_events(&[]);
    s.send(10, peer(ACK, 1, 1001, 0));
    s.expect_events(&[Event::Writable]);
    assert_eq!(s.connection.acknowledged(), 1000);
    s.send(10, peer(ACK, 1, 1001, 0));
    s.expect_events(&[]);
}

#[test]
fn an_old_ack_may_report_blocks_and_says_nothing_else() {
    let mut config = ConnectionConfig::from(crate::tcp::TcpConfig {
        composition: preset("sack").expect("a preset").composition.clone(),
        ..config().tcp
    });
    config.tcp.sack = true;
    let mut s = Script::new(config);
    let with_sack = |mut segment: Segment| {
        if let Options::Syn(syn) = &mut segment.options {
            *syn = SynOptions {
                sack_permitted: true,
                ..*syn
            };
        }
        segment
    };
    s.act(Connection::open_active);
    s.recv(0, with_sack(own(Flags::SYN, 0, 0, 0)));
    s.send(0, with_sack(peer(Flags::SYN_ACK, 0, 1, 0)));
    s.recv(0, own(ACK, 1, 1, 0));
    s.act(|c| c.write(5000));
    for n in 0..5 {
        s.recv(0, own(ACK, 1 + n * MSS, 1, MSS));
    }
    s.send(10, peer(ACK, 1, 2001, 0));
    // Overtaken by the last one: it acknowledges less, with a smaller window.
    let block = SackBlock {
        start: SeqNr(ISS + 3001),
        end: SeqNr(ISS + 4001),
    };
    let old = Segment {
        options: [block].into_iter().collect(),
        ..with_window(PEER_WINDOW / 2, peer(ACK, 1, 1001, 0))
    };
    s.send(10, old);
    s.recv_nothing(10);
    let flight = s.connection.sender().flight();
    assert_eq!((flight.una(), flight.sacked_bytes()), (2001, 1000));
    assert_eq!(s.connection.peer_window.bytes(), PEER_WINDOW);
}
