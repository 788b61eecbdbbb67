//! The paths of QUIC's cases.

use crate::scenarios::Path;

/// For QUIC: each has the flows `quic` and `other`, whose transports the cases sweep.
pub(crate) const QUIC: [Path; 3] = [
    Path {
        name: "shared",
        shows: &["delivered_bytes", "cwnd_mean", "rtt_mean_s"],
        text: r#"
[[link]]
name = "access"
between = ["S", "G"]
rate = "20Mbps"
delay = "2ms"

[[link]]
between = ["G", "R"]
rate = "5Mbps"
delay = "20ms"
queue = { red = { limit = "60 packets", min = "10 packets", max = "30 packets", max_p = 0.1, ecn = true } }

[[flow]]
name = "quic"
from = "S"
to = "R"

[[flow]]
name = "other"
from = "S"
to = "R"
traffic = { bytes = "2MB" }
start = "3s"

[[flow]]
name = "tcp"
from = "S"
to = "R"
transport = "sack"
start = "7s"

[run]
duration = "20s"
seeds = [1, 2]
bins = "1s"
series = true

[sweep]
"#,
    },
    Path {
        name: "losses",
        shows: &["retransmits", "channel_drops"],
        text: r#"
[[link]]
between = ["S", "R"]
rate = "5Mbps"
delay = "30ms"
queue = { droptail = "30 packets" }
duplication = 0.01
reordering = { probability = 0.01, delay = "30ms" }

[link.loss]
forward = [
    { iid = 0.01 },
    { gilbert-elliott = { to_bad = 0.005, to_good = 0.3, loss_good = 0, loss_bad = 0.5 } },
]
reverse = { iid = 0.05 }

[[flow]]
name = "quic"
from = "S"
to = "R"

[[flow]]
name = "other"
from = "S"
to = "R"
traffic = { requests = { size = { exponential = "20kB" }, think = { exponential = "300ms" } } }

[run]
duration = "20s"
seeds = [1, 2, 77]
details = true

[sweep]
"#,
    },
    Path {
        name: "outages",
        shows: &["timeouts", "blackout_drops", "retransmits"],
        text: r#"
[[link]]
between = ["S", "R"]
rate = "1Mbps"
delay = "50ms"
queue = { droptail = "20 packets" }
blackouts = [{ start = "0s", duration = "500ms" }, { every = "9s", duration = "3s" }]

[[flow]]
name = "quic"
from = "S"
to = "R"
mss = 1000
rwnd = "40 segments"

[[flow]]
name = "other"
from = "S"
to = "R"
handshake = "none"
traffic = { bytes = "300kB" }
start = "8s"

[run]
duration = "40s"
seeds = [1, 2]
series = true

[sweep]
"#,
    },
];
