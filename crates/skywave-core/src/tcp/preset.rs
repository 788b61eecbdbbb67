//! Every published combination, and every member of a slot, by its name.

use super::config::{
    CerlConfig, Composition, CongestionConfig, CubicConfig, DcrConfig, DetectionConfig,
    ExtendedConfig, NcrTransmit, RecoveryConfig, TimeoutConfig, VegasConfig, VenoConfig,
    WestwoodConfig,
};

/// A published TCP variant: a named composition.
#[derive(Clone, Debug)]
pub struct Preset {
    /// Name in scenario files.
    pub name: &'static str,
    /// What sets it apart, in one line.
    pub summary: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// Its members.
    pub composition: Composition,
}

const RENO: Composition = Composition {
    detection: DetectionConfig::Dupacks(3),
    recovery: RecoveryConfig::Reno,
    congestion: CongestionConfig::Reno,
    timeout: TimeoutConfig::Standard,
    avoid_repeated_recovery: true,
};

const NEWRENO: Composition = Composition {
    recovery: RecoveryConfig::NewReno,
    ..RENO
};

const SACK: Composition = Composition {
    recovery: RecoveryConfig::Sack,
    ..RENO
};

const DCR: DetectionConfig = DetectionConfig::Dcr(DcrConfig::DEFAULT);
const SIFEST: Composition = Composition {
    detection: DetectionConfig::Sifest(3),
    ..RENO
};

const RACK_TLP: Composition = Composition {
    detection: DetectionConfig::Rack,
    recovery: RecoveryConfig::Prr,
    ..RENO
};

/// All presets, in the order in which they are listed to a user.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "tahoe",
        summary: "fast retransmit, then slow start from one segment",
        source: "Jacobson 1988",
        composition: Composition {
            recovery: RecoveryConfig::Tahoe,
            ..RENO
        },
    },
    Preset {
        name: "reno",
        summary: "fast retransmit and fast recovery",
        source: "RFC 2581; RFC 5681",
        composition: RENO,
    },
    Preset {
        name: "newreno",
        summary: "fast recovery that survives partial ACKs",
        source: "RFC 6582",
        composition: NEWRENO,
    },
    Preset {
        name: "sack",
        summary: "selective repair with a scoreboard and pipe",
        source: "RFC 2018, RFC 6675",
        composition: SACK,
    },
    Preset {
        name: "sack1",
        summary: "SACK with the pipe accounting of ns-2's Sack1",
        source: "Fall and Floyd 1996",
        composition: Composition {
            recovery: RecoveryConfig::Sack1,
            ..RENO
        },
    },
    Preset {
        name: "vegas",
        summary: "holds a few segments in the queue; fine-grained loss check",
        source: "Brakmo, O'Malley and Peterson 1994",
        composition: Composition {
            detection: DetectionConfig::Vegas,
            congestion: CongestionConfig::Vegas(VegasConfig::DEFAULT),
            // Its own test, whether the window was cut since the segment left, takes that place.
            avoid_repeated_recovery: false,
            ..RENO
        },
    },
    Preset {
        name: "veno",
        summary: "milder cut (4/5) when the backlog is small",
        source: "Fu and Liew 2003",
        composition: Composition {
            congestion: CongestionConfig::Veno(VenoConfig::DEFAULT),
            ..RENO
        },
    },
    Preset {
        name: "westwood-nr",
        summary: "ssthresh from a bandwidth estimate, a sample an ACK; NewReno recovery",
        source: "Casetti et al. 2002",
        composition: Composition {
            congestion: CongestionConfig::Westwood(WestwoodConfig::DEFAULT),
            ..NEWRENO
        },
    },
    Preset {
        name: "westwood+",
        summary: "ssthresh from a bandwidth estimate, a sample a round trip; NewReno recovery",
        source: "Grieco and Mascolo 2004",
        composition: Composition {
            congestion: CongestionConfig::Westwood(WestwoodConfig {
                plus: true,
                ..WestwoodConfig::DEFAULT
            }),
            ..NEWRENO
        },
    },
    Preset {
        name: "cubic",
        summary: "cubic growth in time since the last loss; SACK recovery",
        source: "RFC 9438",
        composition: Composition {
            congestion: CongestionConfig::Cubic(CubicConfig::DEFAULT),
            ..SACK
        },
    },
    Preset {
        name: "rack-tlp",
        summary: "losses by time and tail loss probes; SACK recovery with PRR",
        source: "RFC 8985, RFC 6675, RFC 9937",
        composition: RACK_TLP,
    },
    Preset {
        name: "linux",
        summary: "CUBIC with RACK-TLP and PRR, as Linux has it (no pacing, HyStart or undo)",
        source: "RFC 9438, RFC 8985, RFC 9937",
        composition: Composition {
            congestion: CongestionConfig::Cubic(CubicConfig::DEFAULT),
            ..RACK_TLP
        },
    },
    Preset {
        name: "cerl",
        summary: "no cut when the queue is short (random loss), one cut a window",
        source: "El-Ocla 2008, section 3",
        composition: Composition {
            congestion: CongestionConfig::Cerl(CerlConfig::DEFAULT),
            avoid_repeated_recovery: false,
            ..RENO
        },
    },
    Preset {
        name: "cerl2",
        summary: "CERL without the guard of one cut a window",
        source: "El-Ocla 2008, section 4.3",
        composition: Composition {
            congestion: CongestionConfig::Cerl(CerlConfig {
                once_per_window: false,
                ..CerlConfig::DEFAULT
            }),
            avoid_repeated_recovery: false,
            ..RENO
        },
    },
    Preset {
        name: "dcr",
        summary: "SACK that waits a round trip before it responds to a loss",
        source: "Bhandarkar et al., TCP-DCR, section 3",
        composition: Composition {
            detection: DCR,
            ..SACK
        },
    },
    Preset {
        name: "dcr-sack1",
        summary: "the same with the pipe accounting of ns-2's Sack1",
        source: "Bhandarkar et al., TCP-DCR, section 4",
        composition: Composition {
            detection: DCR,
            recovery: RecoveryConfig::Sack1,
            ..RENO
        },
    },
    Preset {
        name: "dcr-newreno",
        summary: "the same for receivers without SACK: NewReno recovery",
        source: "Bhandarkar et al., TCP-DCR, section 3.3",
        composition: Composition {
            detection: DCR,
            ..NEWRENO
        },
    },
    Preset {
        name: "sifest-tahoe",
        summary: "Tahoe that resends on fewer duplicate ACKs when less is in flight",
        source: "Pan, Mark and Shen 2004, section 4.2",
        composition: Composition {
            recovery: RecoveryConfig::Tahoe,
            ..SIFEST
        },
    },
    Preset {
        name: "sifest-reno",
        summary: "Reno that resends on fewer duplicate ACKs when less is in flight",
        source: "Pan, Mark and Shen 2004, section 4.2",
        composition: SIFEST,
    },
    Preset {
        name: "sifest-newreno",
        summary: "NewReno that resends on fewer duplicate ACKs when less is in flight",
        source: "Pan, Mark and Shen 2004, section 4.2",
        composition: Composition {
            recovery: RecoveryConfig::NewReno,
            ..SIFEST
        },
    },
    Preset {
        name: "sifest-sack",
        summary: "SACK that resends on fewer duplicate ACKs when less is in flight",
        source: "Pan, Mark and Shen 2004, section 4.2",
        composition: Composition {
            recovery: RecoveryConfig::Sack,
            ..SIFEST
        },
    },
    Preset {
        name: "thesis-reno",
        summary: "Reno that keeps half after a timeout, three quarters after a fast retransmit",
        source: "Francis 2012, chapter 4",
        composition: Composition {
            congestion: CongestionConfig::ThreeQuarter,
            timeout: TimeoutConfig::HalfWindow,
            ..RENO
        },
    },
    Preset {
        name: "thesis-newreno",
        summary: "NewReno that waits once more before a timeout, for delayed networks",
        source: "Francis 2012, chapter 5",
        composition: Composition {
            timeout: TimeoutConfig::Extended(ExtendedConfig::DEFAULT),
            ..NEWRENO
        },
    },
    Preset {
        name: "early-retransmit",
        summary: "SACK that needs fewer duplicate ACKs when few can come",
        source: "RFC 5827",
        composition: Composition {
            detection: DetectionConfig::EarlyRetransmit,
            ..SACK
        },
    },
    Preset {
        name: "ncr-careful",
        summary: "SACK that waits a window of duplicate ACKs, at half the rate",
        source: "RFC 4653",
        composition: Composition {
            detection: DetectionConfig::Ncr(NcrTransmit::Careful),
            ..SACK
        },
    },
    Preset {
        name: "ncr-aggressive",
        summary: "SACK that waits a window of duplicate ACKs, at the full rate",
        source: "RFC 4653",
        composition: Composition {
            detection: DetectionConfig::Ncr(NcrTransmit::Aggressive),
            ..SACK
        },
    },
    // Proposed from the evidence of `skywave rank`; no paper has it.
    Preset {
        name: "skywave",
        summary: "losses by time (RACK-TLP), SACK recovery, Westwood's window",
        source: "docs/compositions.md",
        composition: Composition {
            detection: DetectionConfig::Rack,
            congestion: CongestionConfig::Westwood(WestwoodConfig::DEFAULT),
            ..SACK
        },
    },
];

/// The preset of that name.
pub fn preset(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|p| p.name == name)
}

/// A member of a policy slot, as scenario files name it.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// The slot.
    pub slot: &'static str,
    /// Name in scenario files.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Where it was published.
    pub source: &'static str,
}

const fn member(
    slot: &'static str,
    name: &'static str,
    summary: &'static str,
    source: &'static str,
) -> Member {
    Member {
        slot,
        name,
        summary,
        source,
    }
}

/// All members, slot by slot.
pub const MEMBERS: &[Member] = &[
    member(
        "detection",
        "dupacks",
        "so many duplicate ACKs (3)",
        "RFC 5681 section 3.2",
    ),
    member(
        "detection",
        "sifest",
        "as many duplicate ACKs as the segments in flight could cause, or so many (3)",
        "Pan, Mark and Shen 2004, section 4.2",
    ),
    member(
        "detection",
        "vegas",
        "three duplicate ACKs, or a fine-grained timer checked on ACKs",
        "Brakmo 1994, section 3.1",
    ),
    member(
        "detection",
        "dcr",
        "one round trip after the first duplicate ACK (tau, by, tick)",
        "Bhandarkar et al., TCP-DCR, section 3",
    ),
    member(
        "detection",
        "early-retransmit",
        "three duplicate ACKs, or fewer when so many cannot come",
        "RFC 5827",
    ),
    member(
        "detection",
        "ncr",
        "about a window's worth of duplicate ACKs (transmit)",
        "RFC 4653",
    ),
    member(
        "detection",
        "rack",
        "a round trip and a reordering window after it was sent; tail loss probes",
        "RFC 8985",
    ),
    member(
        "recovery",
        "tahoe",
        "slow start from the lost segment, going back N",
        "Jacobson 1988",
    ),
    member(
        "recovery",
        "reno",
        "fast recovery that ends with the first new ACK",
        "RFC 2581 section 3.2",
    ),
    member(
        "recovery",
        "newreno",
        "fast recovery that repairs a hole a round trip",
        "RFC 6582",
    ),
    member(
        "recovery",
        "sack",
        "selective repair by a scoreboard and pipe",
        "RFC 6675",
    ),
    member(
        "recovery",
        "prr",
        "the same with the rate reduced in proportion to what arrives",
        "RFC 6937, RFC 9937",
    ),
    member(
        "recovery",
        "sack1",
        "SACK with the simpler pipe of ns-2's Sack1",
        "Fall and Floyd 1996",
    ),
    member(
        "congestion",
        "reno",
        "additive increase, halving",
        "RFC 5681",
    ),
    member(
        "congestion",
        "vegas",
        "holds alpha to beta segments in the queue",
        "Brakmo 1994",
    ),
    member(
        "congestion",
        "veno",
        "slower growth and a milder cut by the backlog",
        "Fu and Liew 2003",
    ),
    member(
        "congestion",
        "westwood",
        "threshold from a bandwidth estimate (plus = true: Westwood+)",
        "Casetti et al. 2002; Grieco and Mascolo 2004",
    ),
    member(
        "congestion",
        "cubic",
        "cubic in the time since the last reduction",
        "RFC 9438",
    ),
    member(
        "congestion",
        "cerl",
        "no cut when the queue is short, one cut a window (a, once_per_window)",
        "El-Ocla 2008, section 3",
    ),
    member(
        "congestion",
        "three-quarter",
        "Reno with three quarters of what is outstanding after a fast retransmit",
        "Francis 2012, chapter 4",
    ),
    member(
        "timeout",
        "standard",
        "restart with one segment, go back N, double the RTO",
        "RFC 5681, RFC 6298",
    ),
    member(
        "timeout",
        "half-window",
        "the same with half of what is outstanding instead of one segment",
        "Francis 2012, chapter 4",
    ),
    member(
        "timeout",
        "extended",
        "wait once more first, 1.5 RTO, later 2 (first, later, retransmit)",
        "Francis 2012, chapter 5",
    ),
    member(
        "acking",
        "every",
        "an ACK for every segment",
        "RFC 5681 section 4.2",
    ),
    member(
        "acking",
        "delayed",
        "an ACK for every second segment or after 200 ms (every, timeout)",
        "RFC 1122, RFC 5681 section 4.2",
    ),
];
