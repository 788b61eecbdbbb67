//! The transmitter: when a packet starts and ends its transmission.
//!
//! A transmitter works along an axis that only counts its capacity: nanoseconds for a constant
//! rate, bytes of delivery opportunities for a trace. Each packet takes the next stretch of that
//! axis; what nobody takes is lost. The meter works on the same axis.

use std::sync::Arc;

use super::config::Service;
use super::trace::{OPPORTUNITY_BYTES, Trace};
use crate::time::{Duration, Time};
use crate::units::Rate;

/// A packet's transmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    /// When its last byte has left.
    pub(super) end: Time,
    /// What it takes of the transmitter's capacity.
    pub(super) used: u64,
}

/// The transmitter behind a queue.
#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct Transmitter {
    rate: RateTransmitter,
    /// Opportunities, if it has those instead of a constant rate.
    trace: Option<Box<TraceTransmitter>>,
}

impl Transmitter {
    pub(super) fn new(service: Service) -> Self {
        let (rate, trace) = match service {
            Service::Rate(rate) => (rate, None),
            Service::Trace(trace) => (
                trace.mean_rate(),
                Some(Box::new(TraceTransmitter { trace, next: 0 })),
            ),
        };
        Self {
            rate: RateTransmitter::new(rate),
            trace,
        }
    }

    /// It has a constant rate.
    pub(super) fn is_plain(&self) -> bool {
        self.trace.is_none()
    }

    /// When a packet that arrives at `now` would start. Lets unused capacity up to `now` go, so
    /// `now` must not decrease.
    pub(super) fn begin(&mut self, now: Time) -> Time {
        match &mut self.trace {
            Some(trace) => trace.begin(now),
            None => self.rate.begin(now),
        }
    }

    /// The next packet waits so long before it starts. Only at a constant rate.
    pub(super) fn defer(&mut self, wait: Duration) {
        if !wait.is_zero() {
            self.rate.carry = 0;
            self.rate.free_at += wait;
        }
    }

    /// When the next packet of a backlog starts: nothing goes unused.
    pub(super) fn next_start(&self) -> Time {
        match &self.trace {
            Some(trace) => trace.time_of_byte(trace.next),
            None => self.rate.free_at,
        }
    }

    /// Sends a packet of `size` bytes at the start that [`Self::begin`] or [`Self::next_start`]
    /// gave.
    pub(super) fn transmit(&mut self, size: u32) -> Slot {
        match &mut self.trace {
            Some(trace) => trace.transmit(size),
            None => self.rate.transmit(size),
        }
    }

    /// At a constant rate: up to when packets are transmitted.
    #[inline(always)]
    pub(super) fn plain_free_at(&self) -> Time {
        self.rate.free_at
    }

    /// At a constant rate: sends a packet of `size` bytes that arrived at `now`, at `start`: as soon as
    /// the transmitter is free. The end of its transmission.
    #[inline(always)]
    pub(super) fn plain_transmit(&mut self, now: Time, start: Time, size: u32) -> Time {
        if let Pace::Byte(byte) = self.rate.pace {
            self.rate.free_at = start + byte.times(size);
        } else {
            self.rate.begin(now);
            self.rate.transmit_with_remainder(size);
        }
        self.rate.free_at
    }

    /// Sends a packet that arrives at `now`; the end of its transmission.
    #[cfg(test)]
    pub(super) fn departure(&mut self, now: Time, size: u32) -> Time {
        self.begin(now);
        self.transmit(size).end
    }

    /// Place of `t` on the capacity axis: all capacity before it.
    pub(super) fn position(&self, t: Time) -> u64 {
        match &self.trace {
            None => t.as_nanos(),
            Some(_) if t == Time::ZERO => 0,
            Some(tx) => tx
                .trace
                .count_until(t - Duration::from_nanos(1))
                .saturating_mul(OPPORTUNITY_BYTES),
        }
    }

    /// End of what is taken, on the capacity axis.
    pub(super) fn taken(&self) -> u64 {
        match &self.trace {
            None => self.rate.free_at.as_nanos(),
            Some(tx) => tx.next,
        }
    }

    /// Long-run capacity.
    pub(super) fn mean_rate(&self) -> Rate {
        self.rate.rate
    }
}

/// Sends at a constant rate. While it stays busy the parts of a nanosecond are carried from packet
/// to packet, so that its long-run rate is exact.
#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct RateTransmitter {
    free_at: Time,
    /// Work left over from before `free_at`, in units of 1/rate ns; below `rate`.
    carry: u64,
    pace: Pace,
    rate: Rate,
}

/// How long packets take to transmit.
#[derive(Clone, Copy, Debug)]
enum Pace {
    /// A byte takes a whole number of nanoseconds, as at most rates that people write; nothing is
    /// ever carried.
    Byte(Whole),
    /// Otherwise, that of the last packet, in whole nanoseconds and a remainder in units of 1/rate
    /// ns: most links carry one size, and the division is the dearest part of it.
    Packet {
        size: u32,
        whole: Duration,
        remainder: u64,
    },
}

/// Nanoseconds that a byte takes; so few that no packet's overflow.
#[derive(Clone, Copy, Debug)]
struct Whole(u32);

impl Whole {
    #[inline(always)]
    fn times(self, bytes: u32) -> Duration {
        Duration::from_nanos(u64::from(self.0) * u64::from(bytes))
    }
}

impl Pace {
    fn new(rate: Rate) -> Self {
        let otherwise = Self::of_packet(rate, 0);
        match rate.transmission_time(1, 0) {
            (byte, 0) if rate.as_bps() > 0 => {
                u32::try_from(byte.as_nanos()).map_or(otherwise, |ns| Self::Byte(Whole(ns)))
            }
            _ => otherwise,
        }
    }

    // Out of the way of the packets of the usual size.
    #[cold]
    #[inline(never)]
    fn of_packet(rate: Rate, size: u32) -> Self {
        let (whole, remainder) = rate.transmission_time(u64::from(size), 0);
        Self::Packet {
            size,
            whole,
            remainder,
        }
    }
}

impl RateTransmitter {
    fn new(rate: Rate) -> Self {
        Self {
            rate,
            free_at: Time::ZERO,
            carry: 0,
            pace: Pace::new(rate),
        }
    }

    #[inline]
    fn begin(&mut self, now: Time) -> Time {
        // At `now == free_at` the carried part of a nanosecond is still being sent.
        self.carry = if now > self.free_at { 0 } else { self.carry };
        self.free_at = self.free_at.max(now);
        self.free_at
    }

    #[inline]
    fn transmit(&mut self, size: u32) -> Slot {
        let start = self.free_at;
        if let Pace::Byte(byte) = self.pace {
            self.free_at += byte.times(size);
        } else {
            self.transmit_with_remainder(size);
        }
        Slot {
            end: self.free_at,
            used: self.free_at.as_nanos() - start.as_nanos(),
        }
    }

    /// The same as dividing work and carry together: both remainders are below the rate.
    fn transmit_with_remainder(&mut self, packet: u32) {
        if !matches!(self.pace, Pace::Packet { size, .. } if size == packet) {
            self.pace = Pace::of_packet(self.rate, packet);
        }
        let Pace::Packet {
            whole, remainder, ..
        } = self.pace
        else {
            return;
        };
        self.free_at += whole;
        let room = self.rate.as_bps() - remainder;
        if remainder > 0 && self.carry >= room {
            self.free_at += Duration::from_nanos(1);
            self.carry -= room;
        } else {
            self.carry += remainder;
        }
    }
}

/// Sends at a trace's opportunities, as mahimahi does: each carries up to 1500 bytes, of several
/// small packets or of a part of a large one. A packet can use the opportunities after its arrival,
/// not one at the very same instant (mahimahi serves those before it queues a packet).
#[derive(Clone, Debug)]
pub(super) struct TraceTransmitter {
    trace: Arc<Trace>,
    /// First byte not taken, on the axis of all opportunities' bytes.
    next: u64,
}

impl TraceTransmitter {
    fn begin(&mut self, now: Time) -> Time {
        let start = self.time_of_byte(self.next);
        if start > now {
            return start;
        }
        self.next = self
            .trace
            .count_until(now)
            .saturating_mul(OPPORTUNITY_BYTES);
        self.time_of_byte(self.next)
    }

    fn transmit(&mut self, size: u32) -> Slot {
        let from = self.next;
        self.next = from.saturating_add(u64::from(size));
        let last = self.next.saturating_sub(1).max(from);
        Slot {
            end: self.time_of_byte(last),
            used: self.next - from,
        }
    }

    fn time_of_byte(&self, byte: u64) -> Time {
        self.trace.time_of(byte / OPPORTUNITY_BYTES)
    }
}

#[cfg(test)]
mod tests;
