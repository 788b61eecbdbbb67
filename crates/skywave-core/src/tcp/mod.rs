//! TCP: a sender composed of policy slots, and its receiver.

pub mod config;
pub mod congestion;
pub mod custom;
pub mod detection;
pub mod flight;
pub mod limits;
mod loss_events;
pub mod preset;
pub mod receiver;
pub mod recovery;
pub mod rto;
pub mod sender;
#[cfg(test)]
mod testing;
pub mod timeout;
pub mod window;

pub use config::*;
pub use congestion::CongestionControl;
pub use custom::{CustomCongestion, CustomDetection};
pub use detection::{DetectionEvent, LossDetector};
pub use loss_events::LossEvents;
pub use preset::{MEMBERS, Member, PRESETS, Preset, preset};
pub use receiver::Receiver;
pub use sender::{Sender, SenderCounters};
