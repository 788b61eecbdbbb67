//! Named QUIC transports: RFC 9002 with a window law.

use crate::tcp::config::CongestionConfig;
use crate::tcp::congestion::CubicConfig;
use crate::time::Duration;

use super::config::{Config, LossConfig, UNBOUNDED};

/// Longest time that Skywave's own senders wait for a silent peer before they probe, or two round trips if longer;
/// [`Sender`](super::Sender) waits for a probe timeout without backoff even if that is longer.
pub const PATIENCE: Duration = Duration::from_millis(500);

/// A named QUIC transport: RFC 9002's loss recovery together with a congestion control.
#[derive(Clone, Debug)]
pub struct Preset {
    /// Name of the transport in scenario files.
    pub name: &'static str,
    /// Description in one line: how the transport differs from the other presets.
    pub summary: &'static str,
    /// Documents that define the transport: RFCs, drafts, or a file of this project.
    pub source: &'static str,
    /// Congestion control of the transport.
    pub congestion: CongestionConfig,
    /// Bound of the transport's probe timeout ([`LossConfig::max_pto`]).
    pub max_pto: Duration,
    /// Whether the sender asks for fewer ACKs ([`Config::ack_frequency`]), if its congestion control uses arrival
    /// times.
    pub ack_frequency: bool,
}

impl Preset {
    /// Settings of this transport with `congestion` in place of its own congestion control.
    pub fn with(&self, congestion: CongestionConfig) -> Config {
        Config {
            loss: LossConfig {
                max_pto: self.max_pto,
                ..LossConfig::default()
            },
            ack_frequency: self.ack_frequency && congestion.hears_one_way(),
            ..Config::new(congestion)
        }
    }

    /// Settings of this transport.
    pub fn config(&self) -> Config {
        self.with(self.congestion.clone())
    }
}

/// The named QUIC transports; a scenario may also combine the first of them with any other congestion control of this
/// crate.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "quic",
        summary: "QUIC with the window law of its specification, that of NewReno",
        source: "RFC 9000, RFC 9002",
        congestion: CongestionConfig::Reno,
        max_pto: UNBOUNDED,
        ack_frequency: false,
    },
    Preset {
        name: "quic-cubic",
        summary: "QUIC with CUBIC",
        source: "RFC 9002, RFC 9438",
        congestion: CongestionConfig::Cubic(CubicConfig::DEFAULT),
        max_pto: UNBOUNDED,
        ack_frequency: false,
    },
    Preset {
        name: "quic-bbr",
        summary: "QUIC with BBR version 1",
        source: "RFC 9002; draft-cardwell-iccrg-bbr-00",
        congestion: CongestionConfig::Bbr,
        max_pto: UNBOUNDED,
        ack_frequency: false,
    },
    Preset {
        name: "quic-skywave",
        summary: "QUIC with our own law",
        source: "RFC 9002; docs/mechanisms/capacity.md",
        congestion: CongestionConfig::Capacity,
        max_pto: PATIENCE,
        ack_frequency: true,
    },
];

/// The QUIC transport of that name; `None` if there is none.
pub fn preset(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}
