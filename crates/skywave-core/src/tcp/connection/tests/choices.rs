//! Choices that differ from one stack to another: each is a switch that is off.

use super::script::{BUFFER, IRS, MSS, Script, config, own, peer, with_window};
use crate::packet::{Flags, Segment, Timestamps};
use crate::tcp::connection::{ConnectionConfig, Event, State};
use crate::time::{Duration, Time};

const ACK: Flags = Flags::ACK;
const RST: Flags = Flags::RST;

#[test]
fn an_exact_window_tells_of_every_byte() {
    let mut s = Script::established(ConnectionConfig {
        exact_window: true,
        ..config()
    });
    s.send(0, peer(ACK, 1, 1, 100));
    s.recv(0, own(ACK, 1, 101, 0).with_less(100));
    s.act(|c| assert_eq!(c.read(1), 1));
    s.recv_nothing(10);
    s.send(10, peer(ACK, 101, 1, 100));
    s.recv(10, own(ACK, 1, 201, 0).with_less(199));
}

#[test]
fn a_larger_buffer_opens_the_window_and_takes_what_fits_in_any_order() {
    let mut s = Script::established(config());
    s.act(|c| c.set_receive_buffer(2 * BUFFER));
    s.send(0, peer(ACK, 1, 1, MSS));
    s.recv(0, with_window(2 * BUFFER - MSS, own(ACK, 1, 1 + MSS, 0)));
    // Out of order, beyond the first size.
    s.send(1, peer(ACK, 1 + MSS + BUFFER, 1, 100));
    s.act(|c| assert!(c.receiver().has(u64::from(1 + MSS + BUFFER))));
}

#[test]
fn a_window_scale_can_be_chosen() {
    let mut s = Script::new(ConnectionConfig {
        window_shift: Some(6),
        ..config()
    });
    s.act(crate::tcp::Connection::open_active);
    let (_, syn) = s.poll().expect("a SYN");
    let options = syn.segment.options.syn().copied().expect("its options");
    assert_eq!(options.window_scale, Some(6));
}

fn blind() -> ConnectionConfig {
    ConnectionConfig {
        blind_resets: true,
        ..config()
    }
}

#[test]
fn blindly_any_reset_in_the_window_is_believed() {
    for (seq, ends) in [(1, true), (BUFFER, true), (BUFFER + 1, false), (0, false)] {
        let mut s = Script::established(blind());
        s.expect_events_of_fixture();
        s.send(0, peer(RST, seq, 0, 0));
        s.recv_nothing(0);
        let state = if ends {
            State::Closed
        } else {
            State::Established
        };
        s.expect(state);
        s.expect_events(if ends {
            &[Event::Reset, Event::Closed]
        } else {
            &[]
        });
    }
}

#[test]
fn blindly_a_syn_in_the_window_resets() {
    let mut s = Script::established(blind());
    s.send(0, peer(Flags::SYN, 1, 0, 0));
    s.recv(0, own(RST | ACK, 1, 1, 0));
    s.expect(State::Closed);
    let mut s = Script::established(blind());
    s.send(0, peer(Flags::SYN, BUFFER + 1, 0, 0));
    s.recv(0, own(ACK, 1, 1, 0));
    s.expect(State::Established);
}

#[test]
fn the_mss_may_count_options() {
    for (counts, mss) in [(false, MSS), (true, MSS - 12)] {
        let mut config = ConnectionConfig {
            mss_counts_options: counts,
            ..config()
        };
        config.tcp.timestamps = true;
        let mut s = Script::new(config);
        s.act(crate::tcp::Connection::open_active);
        assert!(s.poll().is_some());
        let answer = Segment {
            timestamps: Some(Timestamps {
                value: Time::ZERO + Duration::from_secs(IRS.into()),
                echo: Time::ZERO,
            }),
            ..peer(Flags::SYN_ACK, 0, 1, 0)
        };
        s.send(0, answer);
        assert_eq!(s.connection.agreed().mss, mss);
    }
}

#[test]
fn nagles_rule_can_be_ended() {
    let mut s = Script::established(ConnectionConfig {
        nagle: true,
        ..config()
    });
    s.act(|c| c.write(100));
    s.recv(0, own(ACK, 1, 1, 100));
    s.act(|c| c.write(50));
    s.recv_nothing(0);
    s.act(|c| c.set_nagle(false));
    s.recv(0, own(ACK, 101, 1, 50));
}
