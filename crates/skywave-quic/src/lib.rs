//! Congestion control laws of [`skywave_core`] as congestion controllers of QUIC connections, by the QUIC library
//! [noq](noq_proto), which lets a controller set its pacing rate and tells it of each packet.
//!
//! ```
//! use std::sync::Arc;
//!
//! let mut transport = noq::TransportConfig::default();
//! transport.congestion_controller_factory(Arc::new(skywave_quic::Law::named("skywave")?));
//! # Ok::<(), skywave_quic::LawError>(())
//! ```
//!
//! | module | what it is |
//! |---|---|
//! | [`Law`] | which law, and how it is set up: noq's factory of controllers |
//! | [`FixedRate`] | a constant rate instead |
//! | [`one_way`] | delays from one end to the other, which QUIC does not tell, for laws that go by them |
//! | [`Silence`] | when to ask a peer that does not answer, sooner than QUIC would |
//! | `controller` | one connection's law, told by noq |
//! | `pending` | which packets noq speaks of |
//! | `versions` | which datagrams are not answered |
//!
//! What the law is told is [`skywave_core::quic::Control`]'s business, the same as in the simulator.

mod controller;
mod fixed;
mod law;
pub mod one_way;
mod pending;
#[doc(hidden)]
pub mod rules;
mod silence;
mod versions;

pub use fixed::FixedRate;
pub use law::{Law, LawError};
/// Factory of controllers that noq takes as `congestion_controller_factory`.
pub use noq_proto::congestion::ControllerFactory;
pub use silence::Silence;
