//! Parameters of transports that contradict each other, or their protocol: messages as printed.

use crate::wrong::{cases, changed};

const GOOD: &str = r#"[[link]]
between = ["A", "B"]
rate = "2Mbps"
delay = "80ms"

[[flow]]
from = "A"
to = "B"
transport = "reno"

[run]
duration = "100s"
"#;

cases! {
    GOOD;
    a_delay_of_acks_beyond_quics: "\"reno\"" => "{ preset = \"quic\", quic = { max_ack_delay = \"16384ms\" } }";
}

#[test]
fn the_bounds_themselves_agree() {
    for transport in [
        "{ preset = \"quic\", quic = { max_ack_delay = \"16383ms\" } }",
    ] {
        let text = GOOD.replace("\"reno\"", transport);
        let read = skywave_scenario::Scenario::parse("case", &text, &skywave_scenario::NoFiles);
        assert!(read.is_ok(), "{transport}");
    }
}
