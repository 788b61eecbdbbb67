//! The radio of one station: what it hears, what it can make of it, and whether it finds the channel
//! taken.
//!
//! Half-duplex: a station that sends receives nothing. One frame is received at a time, the first
//! whose beginning was understood, or the strongest of those that begin within [`DETECTION`]; what else is on
//! the air disturbs it.

use super::frame_error::{Decoder, survives};
use super::mode::{Mode, Preamble};
use crate::rng::Stream;
use crate::time::{Duration, Time};

/// Rule by which a receiver loses frames to other frames on the air, and to noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reception {
    /// A frame that begins while no other is received is received itself if its power is at least `ratio` times that of
    /// all signals together that are there already, and that of each frame that begins later; else it is lost. Frames
    /// that begin meanwhile are lost in either case. As ns-2 has it.
    Capture {
        /// Smallest ratio of powers; infinity: frames that meet are always lost.
        ratio: f64,
    },
    /// Bits are lost at random by the signal's power against the noise and the sum of all other
    /// signals, piece by piece as these come and go. As ns-3 has it.
    Interference {
        /// Power of the noise, in milliwatts.
        noise_mw: f64,
        /// A frame's preamble is found if the frame is this many times stronger than noise and all
        /// other signals together (a ratio of powers). Of frames that begin within 4 µs of each
        /// other the strongest counts.
        preamble: f64,
        /// How OFDM is decoded.
        decoder: Decoder,
    },
}

/// From the beginning of a frame until it is known whether its preamble is found.
const DETECTION: Duration = Duration::from_micros(4);

/// Rule of carrier sense: the signals for which a station finds the channel busy, besides its own frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sensing {
    /// Every signal that is strong enough to be sensed, until it ends.
    Signals,
    /// The frame that the station receives, and any signals that together reach the energy detection threshold.
    Frames {
        /// Energy detection threshold in milliwatts.
        energy_mw: f64,
    },
}

/// A frame that begins to reach a station.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Signal {
    /// Number by which [`Receiver::on_end`] knows the signal; unique among those at this station at one time.
    pub id: u32,
    /// Received power at this station, in milliwatts.
    pub power_mw: f64,
    /// Whether the signal is strong enough to be received, if nothing disturbs it.
    pub decodable: bool,
    /// Whether the signal is strong enough for carrier sense.
    pub sensed: bool,
    /// Modulation of the frame.
    pub mode: Mode,
    /// Preamble of the frame.
    pub preamble: Preamble,
    /// Time at which the frame's last bit has arrived, before any signal extension.
    pub bits_end: Time,
}

/// Outcome of receiving a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received {
    /// The frame was understood.
    Frame,
    /// The frame was not understood.
    Garbled,
}

/// Radio of one station, without I/O of its own: which of the signals on the air it receives, and whether it finds the
/// channel busy.
#[derive(Debug)]
pub struct Receiver {
    reception: Reception,
    sensing: Sensing,
    rng: Stream,
    /// All signals that are there now.
    signals: Vec<Present>,
    locked: Option<Lock>,
    sending: bool,
}

/// A signal that is there.
#[derive(Clone, Copy, Debug)]
struct Present {
    signal: Signal,
    /// Since when, if its beginning may be noticed.
    noticed: Option<Time>,
}

/// The frame that is being received.
#[derive(Clone, Copy, Debug)]
struct Lock {
    signal: Signal,
    since: Time,
    /// Whether the frame can still be understood.
    intact: bool,
    /// Probability that all bits so far are right.
    survives: f64,
    /// Up to when that is counted; its payload begins not before.
    counted: Time,
}

/// Whether the beginning of a frame is still being noticed.
fn is_fresh(since: Time, now: Time) -> bool {
    now < since + DETECTION
}

impl Receiver {
    /// A radio that hears nothing yet; bit errors are drawn from `rng`.
    pub fn new(reception: Reception, sensing: Sensing, rng: Stream) -> Self {
        Self {
            reception,
            sensing,
            rng,
            signals: Vec::new(),
            locked: None,
            sending: false,
        }
    }

    /// Whether the station finds the channel busy, by its own frame or by signals that it hears.
    pub fn is_busy(&self) -> bool {
        let heard = match self.sensing {
            Sensing::Signals => self.signals.iter().any(|s| s.signal.sensed),
            Sensing::Frames { energy_mw } => self.locked.is_some() || self.power() >= energy_mw,
        };
        self.sending || heard
    }

    /// Whether the station is receiving a frame that it may still understand.
    pub fn is_receiving(&self) -> bool {
        self.locked.is_some_and(|lock| lock.intact)
    }

    /// Whether the station itself is sending.
    pub fn is_sending(&self) -> bool {
        self.sending
    }

    /// Power of all signals, mW.
    fn power(&self) -> f64 {
        self.signals.iter().map(|s| s.signal.power_mw).sum()
    }

    /// The station begins to send: the frame that it was receiving is lost.
    pub fn on_send(&mut self) {
        self.sending = true;
        self.locked = None;
        for present in &mut self.signals {
            present.noticed = None;
        }
    }

    /// The station's own frame has ended.
    pub fn on_sent(&mut self) {
        self.sending = false;
    }

    /// A signal begins to reach the station, at `now`.
    pub fn on_start(&mut self, now: Time, signal: Signal) {
        self.count_errors(now);
        let others = self.power();
        let deaf = self.sending || self.is_decided(now);
        self.signals.push(Present {
            signal,
            noticed: (!deaf).then_some(now),
        });
        match (self.reception, &mut self.locked) {
            _ if self.sending => {}
            (Reception::Capture { ratio }, None) => {
                let intact = others <= 0.0 || signal.power_mw >= others * ratio;
                self.lock(now, signal, intact);
            }
            (Reception::Capture { ratio }, Some(lock)) => {
                lock.intact &= lock.signal.power_mw >= signal.power_mw * ratio;
            }
            (Reception::Interference { .. }, _) => self.detect(now),
        }
    }

    /// A frame is received, and it is too late for another in its place.
    fn is_decided(&self, now: Time) -> bool {
        self.locked.is_some_and(|lock| !is_fresh(lock.since, now))
    }

    /// Looks for a preamble among the signals whose beginning is still being noticed.
    fn detect(&mut self, now: Time) {
        let Reception::Interference {
            noise_mw, preamble, ..
        } = self.reception
        else {
            return;
        };
        if self.is_decided(now) {
            return;
        }
        let beginnings = self.signals.iter().filter_map(|present| {
            let since = present.noticed.filter(|&since| is_fresh(since, now))?;
            Some((since, present.signal))
        });
        let strongest = beginnings.reduce(|a, b| if b.1.power_mw > a.1.power_mw { b } else { a });
        let total = noise_mw + self.power();
        let found = strongest.filter(|(_, s)| s.power_mw >= (total - s.power_mw) * preamble);
        match (found, &self.locked) {
            (Some((_, signal)), Some(lock)) if lock.signal.id == signal.id => {}
            (Some((since, signal)), _) => self.lock(since, signal, true),
            (None, _) => self.locked = None,
        }
    }

    /// Receives a frame that has begun at `since`, if that is strong enough.
    fn lock(&mut self, since: Time, signal: Signal, intact: bool) {
        let detectable = match self.sensing {
            Sensing::Signals => signal.sensed,
            Sensing::Frames { .. } => signal.decodable,
        };
        self.locked = detectable.then(|| Lock {
            signal,
            since,
            intact: intact && signal.decodable,
            survives: 1.0,
            counted: since + signal.mode.preamble(signal.preamble),
        });
    }

    /// Signal `id` ends. Returns whether its frame was understood; `None` if the station was not receiving that frame.
    pub fn on_end(&mut self, now: Time, id: u32) -> Option<Received> {
        self.count_errors(now);
        self.signals.retain(|s| s.signal.id != id);
        let Some(lock) = self.locked.take_if(|lock| lock.signal.id == id) else {
            self.detect(now);
            return None;
        };
        let right = match self.reception {
            Reception::Capture { .. } => true,
            Reception::Interference { .. } => self.rng.chance(lock.survives),
        };
        Some(if lock.intact && right {
            Received::Frame
        } else {
            Received::Garbled
        })
    }

    /// Brings the errors of the frame that is being received up to now, before the signals change.
    fn count_errors(&mut self, now: Time) {
        let Reception::Interference {
            noise_mw, decoder, ..
        } = self.reception
        else {
            return;
        };
        let total = self.power();
        let Some(lock) = &mut self.locked else {
            return;
        };
        let now = now.min(lock.signal.bits_end);
        let bits = now.since(lock.counted).as_secs_f64() * lock.signal.mode.bps() as f64;
        if bits > 0.0 {
            let disturbance = (total - lock.signal.power_mw).max(0.0);
            let sinr = lock.signal.power_mw / (noise_mw + disturbance);
            lock.survives *= survives(lock.signal.mode, decoder, sinr, bits);
            lock.counted = now;
        }
    }
}

#[cfg(test)]
mod tests;
