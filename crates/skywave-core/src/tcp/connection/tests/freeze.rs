//! A sending half that stands still.

use super::script::{MSS, Script, config, own, peer, with_window};
use crate::packet::Flags;
use crate::tcp::connection::{Connection, ConnectionConfig, State};
use crate::time::Duration;

const ACK: Flags = Flags::ACK;

/// Two segments are in flight.
fn with_data(config: ConnectionConfig) -> Script {
    let mut s = Script::established(config);
    s.act(|c| c.write(2 * u64::from(MSS)));
    s.recv(0, own(ACK, 1, 1, MSS));
    s.recv(0, own(ACK, 1 + MSS, 1, MSS));
    s
}

#[test]
fn answers_to_probes_say_of_no_loss() {
    let mut s = with_data(config());
    let cwnd = s.connection.sender().window().cwnd;
    s.act(Connection::freeze);
    for at in 1..=5 {
        s.send(at, peer(ACK, 1, 1, 0));
    }
    s.recv_nothing(5);
    assert_eq!(s.connection.sender().counters().fast_retransmits, 0);
    assert_eq!(s.connection.sender().window().cwnd, cwnd);
}

#[test]
fn a_peer_whose_window_stays_shut_is_there_while_it_answers() {
    // What waits for a window that is shut is in flight where the sender freezes, and unsent otherwise.
    for (freezes, acknowledged) in [(true, MSS), (false, 2 * MSS)] {
        let mut s = with_data(ConnectionConfig {
            freezes,
            user_timeout: Some(Duration::from_secs(5)),
            ..config()
        });
        let shut = with_window(0, peer(ACK, 1, 1 + acknowledged, 0));
        s.send(100, shut);
        s.act(|c| c.write(10));
        let mut probes = 0;
        for at in (200..40_000).step_by(100) {
            s.wait_to(at);
            while s.poll().is_some() {
                probes += 1;
                s.send(at, shut);
            }
        }
        assert!(probes >= 10, "{probes} probes");
        s.expect(State::Established);
        // Nobody answers any more.
        s.wait_to(50_000);
        s.expect(State::Closed);
    }
}
