//! The radio of one station: what it hears, what it can make of it, and whether it finds the channel
//! taken.
//!
//! Half-duplex: a station that sends receives nothing. One frame is received at a time, the first
//! whose beginning was understood; what else is on the air disturbs it.

use super::frame_error::survives;
use super::mode::{Mode, Preamble};
use crate::rng::Stream;
use crate::time::Time;

/// How two frames at a time get along.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reception {
    /// The frame that came first is received if it is so many times stronger than each other that it
    /// meets (`capture`, a ratio of powers); else both are lost. As ns-2 has it.
    Capture {
        /// Smallest ratio of powers; infinity: frames that meet are always lost.
        ratio: f64,
    },
    /// Bits are lost at random by the signal's power against the noise and the sum of all other
    /// signals, piece by piece as these come and go. As ns-3 has it.
    Interference {
        /// Power of the noise, mW.
        noise_mw: f64,
    },
}

/// What makes a station find the channel taken, beside its own frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sensing {
    /// Every signal that is strong enough to be sensed, to its end.
    Signals,
    /// The frame that it receives, and all signals together above this power, mW.
    Frames {
        /// Energy detection threshold, mW.
        energy_mw: f64,
    },
}

/// A frame that begins to reach a station.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Signal {
    /// Names it until its end.
    pub id: u32,
    /// Its power here, mW.
    pub power_mw: f64,
    /// Strong enough to be received.
    pub decodable: bool,
    /// Strong enough for carrier sense.
    pub sensed: bool,
    /// How it is modulated.
    pub mode: Mode,
    /// Its preamble.
    pub preamble: Preamble,
    /// When its last bit has passed.
    pub bits_end: Time,
}

/// What has come of the frame that was being received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received {
    /// It was understood.
    Frame,
    /// It was not.
    Garbled,
}

/// The radio of one station.
#[derive(Debug)]
pub struct Receiver {
    reception: Reception,
    sensing: Sensing,
    rng: Stream,
    /// All signals that are there now.
    signals: Vec<Signal>,
    locked: Option<Lock>,
    sending: bool,
}

/// The frame that is being received.
#[derive(Clone, Copy, Debug)]
struct Lock {
    signal: Signal,
    /// It can still be understood.
    intact: bool,
    /// Probability that all bits so far are right.
    survives: f64,
    /// Up to when that is counted; its payload begins not before.
    counted: Time,
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

    /// The station finds the channel taken.
    pub fn is_busy(&self) -> bool {
        let heard = match self.sensing {
            Sensing::Signals => self.signals.iter().any(|s| s.sensed),
            Sensing::Frames { energy_mw } => self.locked.is_some() || self.power() >= energy_mw,
        };
        self.sending || heard
    }

    /// A frame is being received that may still be understood.
    pub fn is_receiving(&self) -> bool {
        self.locked.is_some_and(|lock| lock.intact)
    }

    /// The station itself is sending.
    pub fn is_sending(&self) -> bool {
        self.sending
    }

    /// Power of all signals, mW.
    fn power(&self) -> f64 {
        self.signals.iter().map(|s| s.power_mw).sum()
    }

    /// The station begins to send: what it was receiving is lost.
    pub fn on_send(&mut self) {
        self.sending = true;
        self.locked = None;
    }

    /// The station has sent.
    pub fn on_sent(&mut self) {
        self.sending = false;
    }

    /// A signal begins.
    pub fn on_start(&mut self, now: Time, signal: Signal) {
        self.count_errors(now);
        let others = self.power();
        self.signals.push(signal);
        if self.sending {
            return;
        }
        match (&mut self.locked, self.reception) {
            (None, reception) => self.lock(now, signal, others, reception),
            (Some(lock), Reception::Capture { ratio }) => {
                if lock.signal.power_mw < signal.power_mw * ratio {
                    lock.intact = false;
                }
            }
            (Some(_), Reception::Interference { .. }) => {}
        }
    }

    fn lock(&mut self, now: Time, signal: Signal, others: f64, reception: Reception) {
        let detectable = match self.sensing {
            Sensing::Signals => signal.sensed,
            Sensing::Frames { .. } => signal.decodable,
        };
        if !detectable {
            return;
        }
        let intact = match reception {
            Reception::Capture { ratio } => others <= 0.0 || signal.power_mw >= others * ratio,
            Reception::Interference { .. } => true,
        };
        self.locked = Some(Lock {
            signal,
            intact: intact && signal.decodable,
            survives: 1.0,
            counted: now + signal.mode.preamble(signal.preamble),
        });
    }

    /// A signal ends; what came of it, if it was the one that was being received.
    pub fn on_end(&mut self, now: Time, id: u32) -> Option<Received> {
        self.count_errors(now);
        self.signals.retain(|signal| signal.id != id);
        let lock = self.locked.take_if(|lock| lock.signal.id == id)?;
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
        let Reception::Interference { noise_mw } = self.reception else {
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
            lock.survives *= survives(lock.signal.mode, sinr, bits);
            lock.counted = now;
        }
    }
}

#[cfg(test)]
mod tests;
