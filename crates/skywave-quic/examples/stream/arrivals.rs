//! The rate of a stream at its receiver. `bench/peers/quinn` has this file too, so that both libraries are measured alike.
//!
//! The sender ends a stream by a reset, whose code tells for how many ms it sent. The reset comes after what waits in the network,
//! which a path whose rate falls may keep for seconds: only bytes that came within that time count.

use std::time::{Duration, Instant};

/// The bytes of a stream that have arrived, since its beginning.
pub(crate) struct Arrivals {
    begun: Instant,
    bytes: u64,
    /// When a piece came, and the bytes until then.
    pieces: Vec<(Duration, u64)>,
}

impl Arrivals {
    /// Arrivals of a stream that begins now.
    pub(crate) fn begin() -> Self {
        Self {
            begun: Instant::now(),
            bytes: 0,
            pieces: Vec::new(),
        }
    }

    /// A piece of so many bytes comes.
    pub(crate) fn add(&mut self, bytes: usize) {
        self.bytes += bytes as u64;
        self.pieces.push((self.begun.elapsed(), self.bytes));
    }

    /// Bytes a second that came in the first `time`.
    pub(crate) fn rate_in(&self, time: Duration) -> f64 {
        let within = self.pieces.partition_point(|(at, _)| *at <= time);
        let bytes = self.pieces[..within].last().map_or(0, |(_, bytes)| *bytes);
        bytes as f64 / time.as_secs_f64()
    }
}
