//! A congestion control law for QUIC connections: how it is chosen by name or parameters.

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

/// Congestion control law (rule for window and pacing rate) of this project, or a user's own, for QUIC connections: a
/// factory of congestion controllers for the QUIC library noq.
#[derive(Clone, Debug)]
pub struct Law {
    pub(crate) config: TcpConfig,
    /// Source of one-way delays that the law hears; none unless set.
    pub(crate) ear: Option<Ear>,
}

/// Reason why a congestion control law is not possible for QUIC connections.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum LawError {
    /// Name that none of the presets of [`skywave_core::tcp`] has.
    #[error("there is no transport \"{0}\" (`skywave variants` lists them)")]
    Unknown(String),
    /// Law that needs to hear of every ECN mark, as DCTCP's: QUIC's ACKs have the number of marks, but the library noq
    /// tells only that an ACK has new ones, not how many.
    #[error(
        "this law wants to know of every mark of congestion, which the QUIC library does not tell"
    )]
    NeedsMarks,
}

impl Law {
    /// Congestion control law of the TCP preset called `name`, such as "skywave", "bbr" or "cubic" (`skywave variants`
    /// lists them). Losses are found and repaired by QUIC's rules (RFC 9002), whatever the preset says. The error is
    /// [`LawError::Unknown`] without such a preset, [`LawError::NeedsMarks`] if its law needs every ECN mark.
    pub fn named(name: &str) -> Result<Self, LawError> {
        let preset = preset(name).ok_or_else(|| LawError::Unknown(name.to_owned()))?;
        Self::new(preset.composition.congestion.clone())
    }

    /// Law for QUIC connections from a congestion control's parameters, also of a user's own
    /// ([`CustomCongestion`](skywave_core::tcp::CustomCongestion)).
    ///
    /// # Errors
    /// [`LawError::NeedsMarks`] if the congestion control needs to know of every ECN mark.
    pub fn new(congestion: CongestionConfig) -> Result<Self, LawError> {
        if congestion.needs_ecn() != NeedsEcn::Nothing {
            return Err(LawError::NeedsMarks);
        }
        Ok(Self {
            config: law(congestion, SEGMENT),
            ear: None,
        })
    }

    /// Whether the congestion control uses one-way delays; always true of a user's own, which may use them.
    pub fn hears_one_way(&self) -> bool {
        self.config.composition.congestion.hears_one_way()
    }

    /// Copy of the law for one connection, which reads that connection's one-way delays from `ear` (module
    /// [`one_way`](crate::one_way)).
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
