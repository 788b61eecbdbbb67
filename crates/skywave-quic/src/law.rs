//! A window law for QUIC connections: how it is chosen by name or parameters.

use std::sync::Arc;
use std::time::Instant;

use noq_proto::congestion;
use skywave_core::quic::config::law;
use skywave_core::tcp::config::NeedsEcn;
use skywave_core::tcp::{CongestionConfig, TcpConfig, preset};

use crate::controller::Controller;
use crate::one_way::Ear;

/// Payload of a packet of 1200 bytes, which all paths carry (RFC 9000 section 14): what a law calls a segment.
pub(crate) const SEGMENT: u32 = 1200;

/// Congestion control of this project, or a user's own, for QUIC connections: a factory of noq's controllers.
#[derive(Clone, Debug)]
pub struct Law {
    pub(crate) config: TcpConfig,
    /// Source of one-way delays that the law hears; none unless set.
    pub(crate) ear: Option<Ear>,
}

/// Why a law cannot be had for QUIC.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum LawError {
    /// No preset has this name.
    #[error("there is no transport \"{0}\" (`skywave variants` lists them)")]
    Unknown(String),
    /// Congestion control that needs every ECN mark: QUIC's ACKs have the number of marks, and noq tells of
    /// the first one only.
    #[error(
        "this law wants to know of every mark of congestion, which the QUIC library does not tell"
    )]
    NeedsMarks,
}

impl Law {
    /// The law of a preset, as "skywave", "bbr" or "cubic". Its rules for finding and repairing losses are
    /// QUIC's (RFC 9002), whatever the preset says.
    pub fn named(name: &str) -> Result<Self, LawError> {
        let preset = preset(name).ok_or_else(|| LawError::Unknown(name.to_owned()))?;
        Self::new(preset.composition.congestion.clone())
    }

    /// Law for noq's connections from a congestion control's parameters, also a user's own
    /// ([`CustomCongestion`](skywave_core::tcp::CustomCongestion)).
    ///
    /// # Errors
    /// [`LawError::NeedsMarks`] if the congestion control needs ECN.
    pub fn new(congestion: CongestionConfig) -> Result<Self, LawError> {
        if congestion.needs_ecn() != NeedsEcn::Nothing {
            return Err(LawError::NeedsMarks);
        }
        Ok(Self {
            config: law(congestion, SEGMENT),
            ear: None,
        })
    }

    /// Whether the congestion control uses one-way delays; also true of a user's own, which may.
    pub fn hears_one_way(&self) -> bool {
        self.config.composition.congestion.hears_one_way()
    }

    /// A copy of the law for one connection, of whose one-way delays it hears by `ear`
    /// ([`one_way`](crate::one_way)).
    #[must_use]
    pub fn hearing(&self, ear: Ear) -> Self {
        Self {
            ear: Some(ear),
            ..self.clone()
        }
    }
}

impl congestion::ControllerFactory for Law {
    fn build(self: Arc<Self>, now: Instant, mtu: u16) -> Box<dyn congestion::Controller> {
        Box::new(Controller::new(self, now, mtu))
    }
}
