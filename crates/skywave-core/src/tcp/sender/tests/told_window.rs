//! A sender tells its window where the receiver acknowledges by it.

use crate::packet::Options;
use crate::tcp::acking::{DelayedDupacks, SelfTriggered};
use crate::tcp::config::{Acking, TcpConfig};
use crate::tcp::testing::{MSS, Script, config};

fn told(config: TcpConfig) -> Options {
    let mut s = Script::new(config);
    s.poll_segment().expect("data").options
}

#[test]
fn a_sender_tells_its_window_in_whole_segments_to_a_receiver_that_wants_it() {
    let by_window = TcpConfig {
        acking: Acking::SelfTriggered(SelfTriggered::DEFAULT),
        ..config("newreno", 5)
    };
    assert_eq!(told(by_window.clone()), Options::Window(5));
    let small_peer = TcpConfig {
        rwnd: 3 * MSS,
        ..by_window.clone()
    };
    assert_eq!(told(small_peer), Options::Window(3));
    let mut s = Script::sent(by_window, 5);
    s.ack(6);
    // 5.2 segments: the receiver is to wait for five.
    let next = s.poll_segment().expect("data");
    assert_eq!(next.options, Options::Window(5));
}

#[test]
fn it_tells_no_other_receiver() {
    for acking in [
        Acking::EverySegment,
        Acking::DELAYED,
        Acking::DelayedDupacks(DelayedDupacks::DEFAULT),
    ] {
        let other = TcpConfig {
            acking,
            ..config("newreno", 5)
        };
        assert_eq!(told(other), Options::None);
    }
}

#[test]
fn it_takes_eight_bytes_of_the_header() {
    let config = config("newreno", 5);
    let mut s = Script::new(config.clone());
    let mut data = s.poll_segment().expect("data");
    let without = config.wire_size(&data);
    data.options = Options::Window(5);
    assert_eq!(config.wire_size(&data), without + 8);
}
