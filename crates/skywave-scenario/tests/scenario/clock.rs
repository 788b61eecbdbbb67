//! The clocks of a flow's ends.

use skywave_core::clock::{Clock, Clocks};
use skywave_core::{Duration, Offset};
use skywave_sim::spec::Transport;

use crate::flow;

fn transport(lines: &str) -> Transport {
    let scenario = flow::scenario(lines).expect("a scenario");
    scenario.points()[0].spec(1).flows[0].transport.clone()
}

fn clocks(lines: &str) -> Option<Clocks> {
    match transport(lines) {
        Transport::Tcp(config) => config.clocks,
        _ => panic!("TCP is expected"),
    }
}

const ALL: &str =
    "clock = { tick = \"4ms\", sender_tick = \"1ms\", offset = \"-3s\", drift = -1e-4 }";

#[test]
fn tcp_has_two_clocks_and_none_unless_they_are_given() {
    let ms = Duration::from_millis;
    let all = Clocks {
        receiver: Clock {
            tick: ms(4),
            offset: Offset::from_nanos(-3_000_000_000),
            drift: -1e-4,
        },
        sender_tick: ms(1),
    };
    assert_eq!(clocks(ALL), Some(all));
    let ticks = Clocks {
        receiver: Clock {
            tick: ms(10),
            ..Clock::EXACT
        },
        sender_tick: ms(10),
    };
    assert_eq!(clocks("clock = { tick = \"10ms\" }"), Some(ticks));
    assert_eq!(clocks(""), None);
}

#[test]
fn quic_has_its_receivers_clock() {
    let quic = |lines: &str| match transport(&format!("transport = \"quic\"\n{lines}")) {
        Transport::Quic { config, .. } => config.clock,
        _ => panic!("QUIC is expected"),
    };
    let clock = Clock {
        offset: Offset::from_nanos(1_500_000),
        ..Clock::EXACT
    };
    assert_eq!(quic("clock = { offset = \"+1.5ms\" }"), Some(clock));
    assert_eq!(quic(""), None);
    let wtcp = transport(&format!("transport = \"wtcp\"\n{ALL}"));
    assert!(matches!(wtcp, Transport::Wtcp { .. }), "it ignores them");
}

#[test]
fn what_cannot_be_is_an_error() {
    let error = |lines: &str| flow::scenario(lines).expect_err("a mistake");
    insta::assert_snapshot!("drift", error("clock = { drift = 0.02 }"));
    insta::assert_snapshot!("offset", error("clock = { offset = \"-3\" }"));
    insta::assert_snapshot!(
        "tick",
        error("transport = \"quic\"\nclock = { sender_tick = \"1ms\" }")
    );
    insta::assert_snapshot!("freeze", error(&format!("freeze = \"freeze-tcp\"\n{ALL}")));
    for (key, line) in [
        ("freeze", "freeze = { warning = \"1s\" }"),
        ("l2clamp", "l2clamp = true"),
        ("proxy", "proxy = { at = \"A\" }"),
    ] {
        let message = error(&format!("{line}\n{ALL}"));
        assert!(
            message.contains(&format!("`clock` does not go with `{key}`")),
            "{message}"
        );
    }
    let cbr = "traffic = { cbr = { rate = \"64kbps\", packet = 200 } }";
    let udp = error(&format!("transport = \"udp\"\n{cbr}\n{ALL}"));
    assert!(udp.contains("UDP has no `clock`"), "{udp}");
    assert!(clocks(&format!("freeze = \"none\"\nl2clamp = false\n{ALL}")).is_some());
}
