//! QUIC libraries: which congestion controls each has, and how a program chooses one.

/// Congestion control that a QUIC library may offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// NewReno as RFC 9002 has it.
    NewReno,
    /// CUBIC (RFC 9438).
    Cubic,
    /// BBR, version 1.
    Bbr,
    /// BBR, versions 2 and 3, of which the simulator has version 3.
    Bbr3,
    /// The congestion control `skywave`, this project's own.
    Skywave,
}

/// QUIC library, with the congestion controls that its programs can choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Library {
    /// Name of the library, as users write it after `quic:` ([`Host::parse`](super::Host::parse)).
    pub name: &'static str,
    /// Congestion control of a program that chooses none.
    pub default: Law,
    /// Congestion controls that the library offers, each with the source code by which a program chooses it.
    pub laws: &'static [(Law, &'static str)],
}

/// QUIC libraries for which there is advice. Names of their options were read in sources of 2026, and may change.
pub const LIBRARIES: &[Library] = &[
    Library {
        name: "noq",
        default: Law::Cubic,
        laws: &[
            (
                Law::Cubic,
                "transport.congestion_controller_factory(Arc::new(noq::congestion::CubicConfig::default()))",
            ),
            (
                Law::NewReno,
                "transport.congestion_controller_factory(Arc::new(noq::congestion::NewRenoConfig::default()))",
            ),
            (
                Law::Bbr3,
                "transport.congestion_controller_factory(Arc::new(noq::congestion::Bbr3Config::default()))",
            ),
            (
                Law::Bbr,
                "transport.congestion_controller_factory(Arc::new(skywave_quic::Law::named(\"bbr\")?))",
            ),
            (
                Law::Skywave,
                "transport.congestion_controller_factory(Arc::new(skywave_quic::Law::named(\"skywave\")?))",
            ),
        ],
    },
    Library {
        name: "quinn",
        default: Law::Cubic,
        laws: &[
            (
                Law::Cubic,
                "transport.congestion_controller_factory(Arc::new(quinn::congestion::CubicConfig::default()))",
            ),
            (
                Law::NewReno,
                "transport.congestion_controller_factory(Arc::new(quinn::congestion::NewRenoConfig::default()))",
            ),
            (
                Law::Bbr,
                "transport.congestion_controller_factory(Arc::new(quinn::congestion::BbrConfig::default()))",
            ),
        ],
    },
    Library {
        name: "quiche",
        default: Law::Cubic,
        laws: &[
            (Law::Cubic, "config.set_cc_algorithm_name(\"cubic\")?"),
            (Law::NewReno, "config.set_cc_algorithm_name(\"reno\")?"),
            (
                Law::Bbr3,
                "config.set_cc_algorithm_name(\"bbr2_gcongestion\")?",
            ),
        ],
    },
    Library {
        name: "s2n-quic",
        default: Law::Cubic,
        laws: &[
            (
                Law::Cubic,
                "builder.with_congestion_controller(congestion_controller::Cubic::default())?",
            ),
            (
                Law::Bbr3,
                "builder.with_congestion_controller(congestion_controller::Bbr::default())?",
            ),
        ],
    },
    Library {
        name: "ngtcp2",
        default: Law::Cubic,
        laws: &[
            (Law::Cubic, "settings.cc_algo = NGTCP2_CC_ALGO_CUBIC;"),
            (Law::NewReno, "settings.cc_algo = NGTCP2_CC_ALGO_RENO;"),
            (Law::Bbr3, "settings.cc_algo = NGTCP2_CC_ALGO_BBR;"),
        ],
    },
    Library {
        name: "msquic",
        default: Law::Cubic,
        laws: &[
            (
                Law::Cubic,
                "settings.CongestionControlAlgorithm = QUIC_CONGESTION_CONTROL_ALGORITHM_CUBIC;",
            ),
            (
                Law::Bbr,
                "settings.CongestionControlAlgorithm = QUIC_CONGESTION_CONTROL_ALGORITHM_BBR;",
            ),
        ],
    },
    Library {
        name: "lsquic",
        default: Law::Cubic,
        laws: &[
            (Law::Cubic, "settings.es_cc_algo = 1;"),
            (Law::Bbr, "settings.es_cc_algo = 2;"),
        ],
    },
    Library {
        name: "picoquic",
        default: Law::NewReno,
        laws: &[
            (
                Law::Cubic,
                "picoquic_set_default_congestion_algorithm_by_name(quic, \"cubic\");",
            ),
            (
                Law::NewReno,
                "picoquic_set_default_congestion_algorithm_by_name(quic, \"newreno\");",
            ),
            (
                Law::Bbr,
                "picoquic_set_default_congestion_algorithm_by_name(quic, \"bbr1\");",
            ),
            (
                Law::Bbr3,
                "picoquic_set_default_congestion_algorithm_by_name(quic, \"bbr\");",
            ),
        ],
    },
    Library {
        name: "aioquic",
        default: Law::NewReno,
        laws: &[
            (
                Law::Cubic,
                "configuration.congestion_control_algorithm = \"cubic\"",
            ),
            (
                Law::NewReno,
                "configuration.congestion_control_algorithm = \"reno\"",
            ),
        ],
    },
    Library {
        name: "nginx",
        default: Law::Cubic,
        laws: &[(
            Law::Cubic,
            "listen 443 quic; # CUBIC from 1.27.5 on; there is no choice",
        )],
    },
];

impl Library {
    /// Library of this name; `None` if [`LIBRARIES`] has none.
    pub fn named(name: &str) -> Option<&'static Self> {
        LIBRARIES.iter().find(|library| library.name == name)
    }

    /// Source code with which a program chooses the congestion control `law`; `None` if the library does not have it.
    pub fn option(&self, law: Law) -> Option<&'static str> {
        let found = self.laws.iter().find(|(of, _)| *of == law);
        found.map(|&(_, option)| option)
    }
}
