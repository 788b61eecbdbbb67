//! noq's BBR3 with a seed.
//!
//! The library seeds the random times of its probes from the system, and lets nobody else do it. Two runs would differ, and a
//! search for a path could not be repeated. So the law's own text, as it is in the sources of the library that this is linked
//! with, is built a second time here, by `build/main.rs`, with nothing changed but where it finds its neighbours.

use std::sync::Arc;
use std::time::Instant;

use noq_proto::congestion::{Controller, ControllerFactory};

use crate::keys::numbered;

/// BBR3 whose random numbers this seed decides.
pub(crate) struct SeededBbr3(pub(crate) u64);

impl ControllerFactory for SeededBbr3 {
    fn build(self: Arc<Self>, now: Instant, mtu: u16) -> Box<dyn Controller> {
        Arc::new(text::seeded(numbered(self.0, 2))).build(now, mtu)
    }
}

#[allow(warnings, clippy::all, clippy::pedantic, reason = "the library's text")]
mod text {
    include!(concat!(env!("OUT_DIR"), "/bbr3.rs"));
}
