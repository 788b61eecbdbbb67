//! The paths with proxies, and the radio networks.

use crate::scenarios::Path;

/// Each has the flows `tcp` and `other`.
pub(crate) const NETWORKS: [Path; 4] = [
    Path {
        name: "split",
        shows: &[
            "retransmits",
            "delay_p50_s",
            "buffered_max_bytes",
            "at_risk_max_bytes",
            "lost_bytes",
        ],
        text: r#"
[[link]]
name = "wired"
between = ["S", "M"]
rate = "10Mbps"
delay = "30ms"
queue = { droptail = "60 packets" }

[[link]]
name = "air"
between = ["M", "R"]
rate = "2Mbps"
delay = "10ms"
queue = { droptail = "30 packets" }
loss = { forward = { iid = 0.01 } }
loss_at = "tail"

[[flow]]
name = "tcp"
from = "S"
to = "R"
proxy = { at = "M", buffer = "64 KiB", fails_at = "15s" }

[[flow]]
name = "other"
from = "S"
to = "R"
proxy = { at = "M", towards_source = "m-tcp" }
start = "1s"

[run]
duration = "20s"
measure = ["0.5s", "20s"]
seeds = [1, 2]
details = true

[sweep]
"#,
    },
    Path {
        name: "hand-over",
        shows: &["retransmits", "hand_over_bytes", "hand_over_s"],
        text: r#"
[[link]]
between = ["S", "G"]
rate = "10Mbps"
delay = "20ms"

[[link]]
between = ["G", "east"]
rate = "100Mbps"
delay = "1ms"

[[link]]
between = ["G", "west"]
rate = "100Mbps"
delay = "1ms"

[[link]]
between = ["east", "west"]
rate = "10Mbps"
delay = "5ms"

[[link]]
between = ["east", "R"]
rate = "2Mbps"
delay = "10ms"
queue = { droptail = "30 packets" }
loss = { forward = { iid = 0.01 } }

[[link]]
between = ["west", "R"]
rate = "2Mbps"
delay = "10ms"
queue = { droptail = "30 packets" }
loss = { forward = { iid = 0.01 } }

[[flow]]
name = "tcp"
from = "S"
to = "R"
proxy = { at = "east", buffer = "64 KiB", hand_overs = [{ at = "5s", to = "west" }, { at = "12s", to = "east" }] }

[[flow]]
name = "other"
from = "S"
to = "G"
traffic = { bytes = "200kB" }

[run]
duration = "20s"
seeds = [1, 2]

[sweep]
"#,
    },
    Path {
        name: "chain",
        shows: &[
            "delivered_bytes",
            "attempts",
            "requests",
            "unanswered",
            "contention_mean_s",
        ],
        text: r#"
[radio]
standard = "802.11b"
rate = "2Mbps"
rts = "always"
routing = "aodv"
timeline = ["5s", "6s"]

[[station]]
node = "N#"
count = 5
at = ["0m", "0m"]
step = ["200m", "0m"]

[[flow]]
name = "tcp"
from = "N1"
to = "N5"

[[flow]]
name = "other"
from = "N4"
to = "N2"
traffic = { requests = { size = { exponential = "20kB" }, think = { exponential = "300ms" } } }

[run]
duration = "20s"
seeds = [1, 2]
requests = true

[sweep]
"#,
    },
    Path {
        name: "walkers",
        shows: &["delivered_bytes", "attempts", "given_up"],
        text: r#"
[radio]
standard = "802.11b"
rate = "2Mbps"
routing = "dsr"

[[station]]
node = "N#"
count = 12
moves = { random_waypoint = { area = ["800m", "300m"], speed = ["5m/s", "20m/s"], pause = "1s" } }

[[flow]]
name = "tcp"
from = "N1"
to = "N12"

[[flow]]
name = "other"
from = "N2"
to = "N11"

[run]
duration = "30s"
seeds = [1, 2]

[sweep]
"#,
    },
];
