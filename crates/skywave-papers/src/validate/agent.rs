//! The agents of ns-2 and ns-3, and what we compare each with.

/// An agent of another simulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agent {
    /// Its name there and in the reference tables.
    pub name: &'static str,
    /// Our transport, as a scenario file writes it.
    pub(super) transport: &'static str,
    /// The profile with the defaults of that simulator.
    pub(super) profile: &'static str,
    /// Its packets have no header, because the agent forgets it.
    pub(super) bare: bool,
    /// It is the same algorithm, so that it must agree.
    pub(super) comparable: bool,
}

const fn same(name: &'static str, transport: &'static str) -> Agent {
    Agent {
        name,
        transport,
        profile: "ns2",
        bare: false,
        comparable: true,
    }
}

const fn similar(name: &'static str, transport: &'static str) -> Agent {
    Agent {
        comparable: false,
        ..same(name, transport)
    }
}

const fn modern(name: &'static str, transport: &'static str) -> Agent {
    Agent {
        profile: "rfc",
        ..similar(name, transport)
    }
}

const fn kernel(name: &'static str, transport: &'static str) -> Agent {
    Agent {
        profile: "linux",
        ..same(name, transport)
    }
}

/// Those of ns-2. `Vegas_pkt1500` is Vegas with packets that have the header's size added.
const NS2: &[Agent] = &[
    same("Tahoe", "\"tahoe\""),
    same("Reno", "\"reno\""),
    same("Newreno", "\"newreno\""),
    same("Sack1", "\"sack1\""),
    Agent {
        bare: true,
        ..same("Vegas", "\"vegas\"")
    },
    same("Vegas_pkt1500", "\"vegas\""),
    similar("Linux/reno", "\"sack\""),
    similar("Linux/veno", "{ preset = \"veno\", recovery = \"sack\" }"),
    similar(
        "Linux/westwood",
        "{ preset = \"westwood+\", recovery = \"sack\" }",
    ),
    similar("Linux/cubic", "\"cubic\""),
];

/// Those that are written for ns-2 in `bench/peers/ns2/agents`. CERL's threshold is a setting of its
/// row.
const WITNESS: &[Agent] = &[
    same("CERL", "\"cerl\""),
    same("CERL2", "\"cerl2\""),
    same("DCR", "\"dcr-sack1\""),
    same("Tahoe+SIF", "\"sifest-tahoe\""),
    same("Tahoe+SIF+LIW", "\"sifest-tahoe\""),
    same("Reno+SIF", "\"sifest-reno\""),
    same("Newreno+SIF", "\"sifest-newreno\""),
    same(
        "Sack1+SIF",
        "{ preset = \"sack1\", detection = \"sifest\" }",
    ),
];

/// Those of ns-3 that we have something like.
const NS3: &[Agent] = &[
    modern("TcpNewReno", "\"sack\""),
    modern(
        "TcpVegas",
        "{ preset = \"vegas\", detection = \"dupacks\", recovery = \"sack\" }",
    ),
    modern("TcpVeno", "{ preset = \"veno\", recovery = \"sack\" }"),
    modern(
        "TcpWestwoodPlus",
        "{ preset = \"westwood+\", recovery = \"sack\" }",
    ),
    modern("TcpCubic", "\"cubic\""),
];

/// Those of ns-3 whose algorithms ours are, beside its detection and recovery: duplicate ACKs, SACK, PRR.
const MODERN: &[Agent] = &[
    Agent {
        comparable: true,
        ..modern("Bbr", "\"bbr\"")
    },
    Agent {
        comparable: true,
        // As Linux, it does not become as fast as Reno (RFC 9438 section 4.3).
        ..modern(
            "Cubic",
            "{ preset = \"cubic\", congestion = { cubic = { alpha_one = false } }, recovery = \"prr\" }",
        )
    },
    Agent {
        comparable: true,
        ..modern("LinuxReno", "{ preset = \"sack\", recovery = \"prr\" }")
    },
];

/// Those of the Linux kernel, by the names of `net.ipv4.tcp_congestion_control`.
const KERNEL: &[Agent] = &[
    kernel("bbr", "\"bbr\""),
    kernel(
        "cubic",
        "{ preset = \"linux\", congestion = { cubic = { alpha_one = false } } }",
    ),
    kernel("reno", "\"rack-tlp\""),
];

impl Agent {
    /// The agent of ns-2 of this name, whatever the case.
    pub fn find(name: &str) -> Option<Self> {
        let found = NS2.iter().find(|a| a.name.eq_ignore_ascii_case(name));
        found.copied()
    }

    /// The agent of the witness of this name: one of its own, or ns-2's.
    pub(super) fn of_witness(name: &str) -> Option<Self> {
        let own = WITNESS.iter().find(|a| a.name == name).copied();
        own.or_else(|| Self::find(name))
    }

    /// The agent of ns-3 of this name.
    pub(super) fn of_ns3(name: &str) -> Option<Self> {
        NS3.iter().find(|a| a.name == name).copied()
    }

    /// The agent of ns-3 of this name, as its table of today's senders calls it.
    pub(super) fn of_modern(name: &str) -> Option<Self> {
        MODERN.iter().find(|a| a.name == name).copied()
    }

    /// The congestion control of the Linux kernel of this name.
    pub(super) fn of_kernel(name: &str) -> Option<Self> {
        KERNEL.iter().find(|a| a.name == name).copied()
    }

    /// The names of all of ns-2.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NS2.iter().map(|a| a.name)
    }
}
