//! The agents of ns-2, and what we compare each with.

/// An agent of ns-2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agent {
    /// Its name in ns-2 and in the reference tables.
    pub name: &'static str,
    /// Our transport, as a scenario file writes it.
    pub(super) transport: &'static str,
    /// Its packets have no header, because the agent forgets it.
    pub(super) bare: bool,
    /// It is the same algorithm, so that it must agree.
    pub(super) comparable: bool,
}

const fn same(name: &'static str, transport: &'static str) -> Agent {
    Agent {
        name,
        transport,
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

/// All of them. `Vegas_pkt1500` is Vegas with packets that have the header's size added.
const AGENTS: &[Agent] = &[
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

impl Agent {
    /// The agent of this name, whatever the case.
    pub fn find(name: &str) -> Option<Self> {
        let found = AGENTS.iter().find(|a| a.name.eq_ignore_ascii_case(name));
        found.copied()
    }

    /// The names of all.
    pub fn names() -> impl Iterator<Item = &'static str> {
        AGENTS.iter().map(|a| a.name)
    }
}
