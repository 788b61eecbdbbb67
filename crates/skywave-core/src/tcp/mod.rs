//! TCP: a sender composed of policy slots, its receiver, and a connection made of both.

pub mod acking;
pub mod config;
pub mod congestion;
pub mod connection;
mod contention_control;
pub mod custom;
pub mod detection;
pub mod flight;
pub mod limits;
mod loss_events;
pub(crate) mod pacing;
pub mod preset;
pub mod receiver;
pub mod recovery;
pub(crate) mod resends;
pub mod rto;
mod rtt_range;
pub mod sender;
pub mod settings;
pub mod slot;
pub(crate) mod slow_start;
#[cfg(test)]
mod testing;
pub mod timeout;
mod undo;
pub mod window;
pub mod wire;

pub use config::*;
pub use congestion::CongestionControl;
pub use connection::{Connection, ConnectionConfig};
pub use custom::{CustomCongestion, CustomDetection};
pub use detection::{DetectionEvent, LossDetector};
pub use loss_events::LossEvents;
pub use pacing::PacingConfig;
pub use preset::{MEMBERS, PRESETS, Preset, preset};
pub use receiver::Receiver;
pub use sender::{Sender, SenderCounters};
pub use slot::{Member, Slot};
pub use slow_start::SlowStartConfig;
pub use undo::UndoConfig;
