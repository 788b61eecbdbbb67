//! The receiver of data. The caller's contract is in the [module above](super).

use std::sync::Arc;

use crate::packet::Ecn;
use crate::ranges::{Ranges, Span};
use crate::time::Time;

use super::config::Config;
use super::packet::{Ack, Acking, Data, MAX_ACK_RANGES, MAX_ACK_TIMES, Packet};

/// Receiver of one QUIC stream, without I/O of its own: puts the stream together and acknowledges packets.
#[derive(Clone, Debug)]
pub struct Receiver {
    config: Arc<Config>,
    /// Numbers of the packets that have arrived, of the highest ranges.
    numbers: Ranges,
    /// Packets of lower numbers are of no known fate: they are dropped, as they may be copies (RFC 9000 section
    /// 13.2.3).
    forgotten: u64,
    /// When the packet of the largest number came.
    largest_at: Time,
    /// Numbers of the latest packets that came since the last ACK, and when by its clock; if it tells of that.
    arrivals: Vec<(u64, Time)>,
    /// How it acknowledges, and the number of the packet that asked for that.
    acking: Acking,
    asked_in: u64,
    /// Packets that no ACK was sent for.
    unacknowledged: u32,
    /// When an ACK is to be sent.
    ack_at: Option<Time>,
    /// A `Hello` to be answered.
    hello: Option<u32>,
    /// Packets that came marked.
    ce: u32,
    /// First stream position that has not arrived.
    next: u64,
    /// Ranges of the stream that have arrived, above `next`.
    held: Ranges,
    /// Where the stream ends, once known.
    end: Option<u64>,
}

impl Receiver {
    /// A receiver that has received no packet yet.
    pub fn new(config: impl Into<Arc<Config>>) -> Self {
        let config = config.into();
        Self {
            acking: config.acking,
            asked_in: 0,
            config,
            numbers: Ranges::default(),
            forgotten: 0,
            largest_at: Time::ZERO,
            arrivals: Vec::new(),
            unacknowledged: 0,
            ack_at: None,
            hello: None,
            ce: 0,
            next: 0,
            held: Ranges::default(),
            end: None,
        }
    }

    /// A packet from the data sender arrived; `ecn` is the ECN field of its IP header on arrival.
    pub fn on_packet(&mut self, now: Time, packet: &Packet, ecn: Ecn) {
        match packet {
            Packet::Hello { attempt } => self.hello = Some(*attempt),
            Packet::Data(data) => {
                if self.takes(data) && self.on_number(now, data.number, ecn) {
                    self.hold(data);
                }
            }
            Packet::Ping { number } => {
                self.on_number(now, *number, ecn);
            }
            Packet::AckFrequency { number, acking } => {
                if self.on_number(now, *number, ecn) && *number >= self.asked_in {
                    self.asked_in = *number;
                    self.acking = *acking;
                }
            }
            Packet::Welcome { .. } | Packet::Ack(_) => {} // not for a receiver
        }
    }

    /// Does nothing: [`Self::poll_transmit`] itself looks whether a delayed ACK is due.
    pub fn on_timer(&mut self, _now: Time) {
        // `poll_transmit` looks at the time itself.
    }

    /// Time from which [`Self::poll_transmit`] has an ACK to send; `None` if nothing is to be acknowledged.
    pub fn next_timer(&self) -> Option<Time> {
        self.ack_at
    }

    /// The next packet to put on the wire; `None` if none is due. Call until `None` after every input.
    #[must_use]
    pub fn poll_transmit(&mut self, now: Time) -> Option<Packet> {
        if let Some(attempt) = self.hello.take() {
            return Some(Packet::Welcome { attempt });
        }
        self.ack_at.filter(|&at| at <= now)?;
        self.ack_at = None;
        self.unacknowledged = 0;
        self.ack(now).map(Packet::Ack)
    }

    fn ack(&mut self, now: Time) -> Option<Ack> {
        let largest = self.numbers.last()?.end - 1;
        let ce = self.config.ecn.then_some(self.ce);
        let mut ack = Ack::new(largest, now.since(self.largest_at), self.limit(), ce);
        if self.config.receive_times {
            ack.report.put_times(largest, &self.arrivals);
            self.arrivals.clear();
        }
        let mut above = largest + 1;
        for range in self.numbers.iter().rev() {
            if !ack.report.push(above - range.end, range.len()) {
                break;
            }
            above = range.start;
        }
        Some(ack)
    }

    /// Whether the data fits the buffer and contradicts nothing that is known.
    fn takes(&self, data: &Data) -> bool {
        let Some(end) = data.offset.checked_add(u64::from(data.len)) else {
            return false;
        };
        let highest = self.held.last().map_or(self.next, |last| last.end);
        end <= self.limit()
            && self
                .end
                .is_none_or(|known| end <= known && (!data.fin || end == known))
            && (!data.fin || self.end.is_some() || end >= highest)
    }

    /// A packet of this number came; false if it is a copy. When it is acknowledged: RFC 9000 section 13.2.1.
    fn on_number(&mut self, now: Time, number: u64, ecn: Ecn) -> bool {
        if number < self.forgotten || number == u64::MAX || self.numbers.at(number).is_some() {
            return false;
        }
        let expected = self.numbers.last().map_or(0, |last| last.end);
        self.numbers.insert(Span {
            start: number,
            end: number + 1,
        });
        if self.numbers.len() > MAX_ACK_RANGES
            && let Some(lowest) = self.numbers.first()
        {
            self.forgotten = lowest.end;
            self.numbers.remove_below(lowest.end);
        }
        if number >= expected {
            self.largest_at = now;
        }
        if self.config.receive_times {
            if self.arrivals.len() == MAX_ACK_TIMES {
                self.arrivals.remove(0);
            }
            self.arrivals.push((number, self.since_basis(now)));
        }
        self.ce += u32::from(ecn == Ecn::Ce);
        self.unacknowledged += 1;
        let at_once =
            number != expected || ecn == Ecn::Ce || self.unacknowledged >= self.acking.every;
        let due = if at_once {
            now
        } else {
            now + self.acking.delay
        };
        self.ack_at = Some(self.ack_at.map_or(due, |at| at.min(due)));
        true
    }

    /// Time that the receiver's clock has counted since the start, the basis of its arrival times.
    fn since_basis(&self, now: Time) -> Time {
        let Some(clock) = self.config.clock else {
            return now;
        };
        let counted = clock.read(now).offset_from(clock.read(Time::ZERO));
        Time::from_nanos(counted.as_nanos().cast_unsigned())
    }

    fn hold(&mut self, data: &Data) {
        if data.fin {
            self.end = Some(data.end() - 1);
        }
        let span = Span {
            start: data.offset.max(self.next),
            end: data.end(),
        };
        if span.start >= span.end {
            return;
        }
        let merged = self.held.insert(span);
        if merged.start == self.next {
            self.next = merged.end;
            self.held.remove_below(self.next);
        }
    }

    /// First position that there is no room for. The application reads at once.
    fn limit(&self) -> u64 {
        self.next + u64::from(self.config.receive_buffer)
    }

    /// Bytes of the stream that have arrived in order so far, each counted once.
    pub fn delivered(&self) -> u64 {
        self.next - u64::from(self.is_finished())
    }

    /// Whether the byte at this stream position has arrived; just after the last byte, whether the end of the stream
    /// has.
    pub fn has(&self, position: u64) -> bool {
        position < self.next || self.held.at(position).is_some()
    }

    /// Whether the end of the stream and everything before it has arrived.
    pub fn is_finished(&self) -> bool {
        self.end.is_some_and(|end| self.next > end)
    }

    /// Number of ranges of received packet numbers that the receiver remembers for its ACKs; at most 32.
    pub fn remembered(&self) -> usize {
        self.numbers.len()
    }
}
