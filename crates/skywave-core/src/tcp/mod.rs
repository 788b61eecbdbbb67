//! TCP: a sender composed of policy slots, its receiver, and a connection made of both.
//!
//! # A sender is a composition
//! Each study changes one or two decisions of a sender. So a sender is assembled from slots, and a variant is a
//! named combination; a scenario can state any other combination.
//!
//! | slot | decides | file |
//! |---|---|---|
//! | detection | when a segment counts as lost, and what may be sent until then | `detection/` |
//! | recovery | what is sent after that, until it is repaired | `recovery/` |
//! | congestion | how the window grows and shrinks | `congestion/` |
//! | timeout | what the retransmission timer does | `timeout/`, `rto.rs` |
//! | acking | when the receiver acknowledges | `acking.rs`, `receiver.rs` |
//!
//! [`slot`] says how a member describes itself, and what follows from that.
//!
//! # Windows are fractions
//! Windows are `f64` segments, because the laws of the papers are fractional. Only `+ − × ÷`, rounding to whole numbers
//! and comparisons touch them, which IEEE 754 makes the same everywhere; roots and powers come from `libm`.
//!
//! # Signals of the path
//! They travel in the packet: its ECN field, marks, and the sum of contention delays. The receiver echoes them in
//! flags and [`Hints`](crate::packet::Hints). An explicit loss notification is a mark on the packet that follows
//! the lost one. From it the receiver knows that a channel lost the packet before, and says so as long as its
//! ACKs ask for that packet.

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
pub mod slow_start;
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
pub use pacing::{PacingConfig, rate_of};
pub use preset::{MEMBERS, PRESETS, Preset, preset};
pub use receiver::Receiver;
pub use sender::{Sender, SenderCounters};
pub use slot::{Member, Slot};
pub use slow_start::SlowStartConfig;
pub use undo::UndoConfig;
