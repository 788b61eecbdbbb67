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
    thresholds_of_vegas: "\"reno\"" => "{ congestion = { vegas = { alpha = 5, beta = 1 } } }";
    a_cubic_that_keeps_all: "\"reno\"" => "{ congestion = { cubic = { beta = 1 } } }";
    a_cubic_that_keeps_nothing: "\"reno\"" => "{ congestion = { cubic = { beta = 0 } } }";
    decreases_of_wtcp: "\"reno\"" => "{ wtcp = { rate = { min_decrease = 0.9, max_decrease = 0.1 } } }";
    a_delay_of_acks_beyond_quics: "\"reno\"" => "{ preset = \"quic\", quic = { max_ack_delay = \"16384ms\" } }";
}

#[test]
fn the_bounds_themselves_agree() {
    for transport in [
        "{ congestion = { vegas = { alpha = 2, beta = 2 } } }",
        "{ congestion = { cubic = { beta = 0.99 } } }",
        "{ wtcp = { rate = { min_decrease = 0.5, max_decrease = 0.5 } } }",
        "{ preset = \"quic\", quic = { max_ack_delay = \"16383ms\" } }",
    ] {
        let text = GOOD.replace("\"reno\"", transport);
        let read = skywave_scenario::Scenario::parse("case", &text, &skywave_scenario::NoFiles);
        assert!(read.is_ok(), "{transport}");
    }
}
