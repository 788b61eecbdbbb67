//! The paths that all cases run over, as scenario files. Of those for TCP the sweep over transports is
//! left out: it is added to the end, after the profiles.

/// A path with its flows.
pub(crate) struct Path {
    /// Its name in the table.
    pub(crate) name: &'static str,
    /// Columns of the flow `tcp` or `wtcp` that must be above zero in every case, summed over all seeds;
    /// otherwise the path would not test what it is for.
    pub(crate) shows: &'static [&'static str],
    /// The scenario.
    pub(crate) text: &'static str,
}

/// For TCP: each has the flows `tcp` and `other`.
pub(crate) const TCP: [Path; 10] = [
    CLEAN, LOSSY, BURSTY, OPTIONS, PAUSES, REPAIRED, RECORDED, FAT, OVERSHOOT, HELPED,
];

/// A short queue that two flows fill, one of which ends.
const CLEAN: Path = Path {
    name: "clean",
    shows: &["delivered_bytes", "cwnd_mean", "rtt_mean_s"],
    text: r#"
[[link]]
name = "access"
between = ["S", "G"]
rate = "10Mbps"
delay = "2ms"

[[link]]
name = "bottleneck"
between = ["G", "R"]
rate = "2Mbps"
delay = "25ms"
queue = { droptail = "15 packets" }

[[flow]]
name = "tcp"
from = "S"
to = "R"
handshake = "three-way"

[[flow]]
name = "other"
from = "S"
to = "R"
handshake = "three-way"
fin = true
traffic = { bytes = "400kB" }
start = { uniform = ["1s", "2s"] }

[run]
duration = "20s"
measure = ["0.5s", "20s"]
seeds = [1, 2]

[sweep]
"flow.*.profile" = ["ns2", "bsd", "rfc"]
"#,
};

/// Independent losses of data and ACKs, damage, duplicates and reordering.
const LOSSY: Path = Path {
    name: "lossy",
    shows: &[
        "retransmits",
        "fast_retransmits",
        "channel_drops",
        "corrupt_drops",
        "spurious_retransmits",
    ],
    text: r#"
[[link]]
between = ["S", "R"]
rate = "3Mbps"
delay = "20ms"
queue = { droptail = "40 packets" }
loss = { forward = { iid = 0.02 }, reverse = { iid = 0.02 } }
corruption = 0.005
duplication = 0.01
reordering = { probability = 0.02, delay = "25ms" }
jitter = { exponential = "1ms" }

[[flow]]
name = "tcp"
from = "S"
to = "R"

[[flow]]
name = "other"
from = "R"
to = "S"
mss = 500
traffic = { bytes = "600kB" }
start = "500ms"

[run]
duration = "20s"
seeds = [1, 2, 77]

[sweep]
"flow.*.profile" = ["ns2", "bsd", "rfc"]
"#,
};

/// Bursts of losses and short outages, delayed ACKs, windows of a few segments.
const BURSTY: Path = Path {
    name: "bursty",
    shows: &[
        "retransmits",
        "timeouts",
        "fast_retransmits",
        "blackout_drops",
        "share_rwnd",
    ],
    text: r#"
[[link]]
between = ["S", "R"]
rate = "2Mbps"
delay = "30ms"
loss_at = "tail"
blackouts = { every = "9s", duration = "1.5s" }

[link.loss]
forward = { gilbert-elliott = { to_bad = 0.01, to_good = 0.3, loss_good = 0, loss_bad = 0.6 } }
reverse = { gilbert-elliott-time = { good = "2s", bad = "50ms", loss_good = 0, loss_bad = 0.5 } }

[[flow]]
name = "tcp"
from = "S"
to = "R"
rwnd = "8 segments"
acking = "delayed"

[[flow]]
name = "other"
from = "S"
to = "R"
rwnd = "4 segments"
acking = { delayed = { every = 3, timeout = "100ms" } }

[run]
duration = "30s"
seeds = [1, 2, 77]

[sweep]
"flow.*.profile" = ["ns2", "bsd", "rfc"]
"#,
};

/// Timestamps where the profile has none and the other way round; SACK blocks and duplicates reported to
/// all senders.
const OPTIONS: Path = Path {
    name: "options",
    shows: &["retransmits", "fast_retransmits", "channel_drops"],
    text: r#"
[[link]]
between = ["S", "R"]
rate = "4Mbps"
delay = "25ms"
queue = { droptail = "30 packets" }
loss = { forward = { iid = 0.01 }, reverse = { iid = 0.03 } }
duplication = 0.01
reordering = { probability = 0.01, delay = "8ms" }

[[flow]]
name = "tcp"
from = "S"
to = "R"
tcp = { sack = true, dsack = true }

[[flow]]
name = "other"
from = "S"
to = "R"
tcp = { sack = true, dsack = true, max_rto = "3s" }
traffic = { bytes = "500kB" }
start = "1s"

[run]
duration = "12s"
seeds = [1, 2, 77]

[sweep]
"flow.*.profile & flow.*.tcp.timestamps" = [["ns2", true], ["bsd", true], ["rfc", false]]
"#,
};

/// Transfers with pauses, no handshake, sequence numbers that wrap around, a capped window, and a flow of
/// packets that come and go beside them.
const PAUSES: Path = Path {
    name: "pauses",
    shows: &["share_application", "retransmits"],
    text: r#"
[[link]]
between = ["S", "R"]
rate = "2Mbps"
delay = "40ms"
queue = { droptail = "12 packets" }
loss = { forward = { iid = 0.01 } }

[[flow]]
name = "tcp"
from = "S"
to = "R"
handshake = "none"
tcp = { iss = 4294950000, max_cwnd = "20 segments" }
traffic = { requests = { size = { pareto = { mean = "60kB", shape = 1.5 } }, think = { exponential = "1s" } } }

[[flow]]
name = "other"
from = "S"
to = "R"
handshake = "three-way"
fin = true
tcp = { iss = 4294967295, dsack = false, restart_after_idle = false }
traffic = { requests = { segments = [1, 25], think = "1.5s", pause_from = "start" } }
stop = "14s"

[[flow]]
name = "voice"
from = "S"
to = "R"
transport = "udp"
traffic = { on_off = { rate = "800kbps", packet = 700, on = { exponential = "500ms" }, off = { exponential = "1s" } } }

[run]
duration = "20s"
seeds = [1, 2]

[sweep]
"flow.tcp.profile & flow.other.profile & flow.tcp.tcp.restart_after_idle" = [["ns2", "ns2", true], ["bsd", "bsd", true], ["rfc", "rfc", true]]
"#,
};

/// A queue that drops early, then a link that repairs its losses and thereby reorders packets.
const REPAIRED: Path = Path {
    name: "repaired",
    shows: &["retransmits", "fast_retransmits"],
    text: r#"
[[link]]
name = "early"
between = ["S", "G"]
rate = "2Mbps"
delay = "5ms"
queue = { red = { limit = "40 packets", min = "2 packets", max = "12 packets", max_p = 0.1, weight = 0.02, gentle = true } }

[[link]]
name = "radio"
between = ["G", "R"]
rate = "4Mbps"
delay = "15ms"
loss = { forward = { iid = 0.03 } }
arq = { retries = 3 }

[[flow]]
name = "tcp"
from = "S"
to = "R"

[[flow]]
name = "other"
from = "S"
to = "R"
start = "300ms"

[run]
duration = "15s"
measure = ["1s", "15s"]
seeds = [1, 2]

[sweep]
"flow.*.profile" = ["ns2", "bsd", "rfc"]
"#,
};

/// Everything that is recorded over time, and the opposite of the profiles' settings.
const RECORDED: Path = Path {
    name: "recorded",
    shows: &["retransmits", "arrival_p50_s", "retx_arrival_mean_s"],
    text: r#"
[[link]]
between = ["S", "R"]
rate = "2Mbps"
delay = "50ms"
queue = { droptail = "25 packets" }
loss = { forward = { iid = 0.015 }, reverse = { iid = 0.01 } }

[[flow]]
name = "tcp"
from = "S"
to = "R"
tcp = { impatient = false, loss_window = "2 segments", initial_window = "3 segments", initial_ssthresh = "24 segments" }

[[flow]]
name = "other"
from = "S"
to = "R"
traffic = { bytes = "300kB" }
start = "2s"

[run]
duration = "10s"
seeds = [1, 2]
details = true
bins = "500ms"
series = true

[sweep]
"flow.*.profile & flow.*.tcp.arithmetic & flow.*.tcp.limited_transmit & flow.*.tcp.counting & flow.*.tcp.whole_ssthresh & flow.*.acking & flow.*.tcp.tick" = [
    ["ns2", "exact", false, { bytes = 2 }, false, "delayed", "10ms"],
    ["bsd", "exact", true, { bytes = 1 }, false, "every", "100ms"],
    ["rfc", "ticks", false, "acks", true, "every", "50ms"],
]
"#,
};

/// Hundreds of segments in flight, and many holes among them: windows open at once, and again after each
/// pause.
const FAT: Path = Path {
    name: "fat",
    shows: &["retransmits", "fast_retransmits", "multi_loss_windows"],
    text: r#"
[[link]]
between = ["S", "R"]
rate = "60Mbps"
delay = "40ms"
queue = { droptail = "1000 packets" }

[link.loss]
forward = [
    { iid = 0.01 },
    { gilbert-elliott = { to_bad = 0.002, to_good = 0.1, loss_good = 0, loss_bad = 0.5 } },
]
reverse = { iid = 0.02 }

[[flow]]
name = "tcp"
from = "S"
to = "R"
tcp = { initial_window = "500 segments", restart_after_idle = true }
traffic = { requests = { segments = [600, 900], think = "2s" } }

[[flow]]
name = "other"
from = "S"
to = "R"
tcp = { initial_window = "300 segments" }

[run]
duration = "20s"
seeds = [1, 2, 77]

[sweep]
"flow.*.profile" = ["ns2", "bsd", "rfc"]
"#,
};

/// Slow start into a queue that is shorter than what it puts in flight: hundreds of holes at once, many of
/// whose retransmissions are lost too.
const OVERSHOOT: Path = Path {
    name: "overshoot",
    shows: &["retransmits", "multi_loss_windows", "channel_drops"],
    text: r#"
[[link]]
between = ["S", "R"]
rate = "20Mbps"
delay = "60ms"
queue = { droptail = "80 packets" }
reordering = { probability = 0.002, delay = "3ms" }
loss = { forward = { iid = 0.002 }, reverse = { iid = 0.05 } }
blackouts = [{ start = "4s", duration = "300ms" }]

[[flow]]
name = "tcp"
from = "S"
to = "R"
rwnd = "1200 segments"

[[flow]]
name = "other"
from = "S"
to = "R"
rwnd = "1200 segments"
traffic = { bytes = "3MB" }
tcp = { initial_window = "150 segments" }
start = "2s"

[run]
duration = "9s"
seeds = [1, 2, 77]

[sweep]
"flow.*.profile" = ["ns2", "bsd", "rfc"]
"#,
};

/// An agent before a lossy link that resends, and keeps duplicate ACKs to itself.
const HELPED: Path = Path {
    name: "helped",
    shows: &["local_retransmits", "suppressed_dupacks", "channel_drops"],
    text: r#"
[[link]]
between = ["S", "G"]
rate = "10Mbps"
delay = "40ms"

[[link]]
between = ["G", "R"]
rate = "2Mbps"
delay = "5ms"
queue = { droptail = "20 packets" }
loss = { forward = { iid = 0.03 }, reverse = { iid = 0.01 } }

[[agent]]
at = "G"
snoop = "original"

[[flow]]
name = "tcp"
from = "S"
to = "R"

[[flow]]
name = "other"
from = "S"
to = "R"
traffic = { bytes = "500kB" }
start = "1s"

[run]
duration = "12s"
seeds = [1, 2]

[sweep]
"flow.*.profile" = ["ns2", "bsd", "rfc"]
"#,
};

/// For WTCP: each has the flow `wtcp`.
pub(crate) const WTCP: [Path; 3] = [
    Path {
        name: "narrow",
        shows: &["delivered_bytes"],
        text: r#"
[[link]]
between = ["S", "R"]
rate = "19.2kbps"
delay = "300ms"
queue = { droptail = "10 packets" }

[[flow]]
name = "wtcp"
from = "S"
to = "R"
transport = "wtcp"
mss = 423

[[flow]]
name = "later"
from = "S"
to = "R"
transport = "wtcp"
mss = 423
traffic = { bytes = "40kB" }
start = "40s"

[run]
duration = "200s"
seeds = [1, 2]
bins = "10s"
series = true
"#,
    },
    Path {
        name: "losses",
        shows: &["retransmits", "channel_drops", "rate_halvings"],
        text: r#"
[[link]]
between = ["S", "R"]
rate = "200kbps"
delay = "150ms"
queue = { droptail = "12 packets" }
duplication = 0.01
reordering = { probability = 0.01, delay = "100ms" }

[link.loss]
forward = [
    { iid = 0.02 },
    { gilbert-elliott = { to_bad = 0.01, to_good = 0.3, loss_good = 0, loss_bad = 0.5 } },
]
reverse = { iid = 0.05 }

[[flow]]
name = "wtcp"
from = "S"
to = "R"
transport = "wtcp"

[[flow]]
name = "tcp"
from = "S"
to = "R"
transport = "newreno"
start = "50s"

[run]
duration = "120s"
seeds = [1, 2, 77]
details = true
"#,
    },
    Path {
        name: "outages",
        shows: &[
            "blackouts",
            "blackout_s",
            "probes",
            "blackout_drops",
            "retransmits",
        ],
        text: r#"
[[link]]
preset = "cdpd"
between = ["S", "R"]
blackouts = [{ start = "30s", duration = "25s" }, { start = "120s", duration = "40s" }]

[[flow]]
name = "wtcp"
from = "S"
to = "R"
transport = "wtcp"
mss = 423

[run]
duration = "240s"
seeds = [1, 2, 77]
series = true
"#,
    },
];
