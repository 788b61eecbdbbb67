//! L²CLAMP: the last hop's MAC acknowledges on behalf of TCP's receiver.
//!
//! Francis 2012, section 3.2.5: over 802.11 the MAC acknowledges each data frame, and TCP's receiver acknowledges
//! the same data once more, at the price of a frame of its own. So an agent at the receiver drops such ACKs, and an
//! agent at the station that sent it the data makes them out of the MAC's ACK.
//!
//! # The caller's contract
//! Of each connection a [`Suppressor`] at the receiver's station, which sees every segment that the receiver sends,
//! and a [`Regenerator`] at each station that sends it data frames over one hop. The latter sees the segment of each
//! such frame that the MAC found acknowledged, [`Regenerator::on_confirmed`], and the segments that the
//! [`Suppressor`] let pass, [`Regenerator::on_ack`]; both return an ACK to be sent on to the source, after what has
//! just passed. The receiver must take whatever its MAC acknowledges: its window never moves back, and it has room
//! for all that it has granted.
//!
//! # What an ACK stands for
//! The MAC's ACK says that one frame has arrived, TCP's that all before a number has. So the regenerator keeps what
//! was confirmed beyond a hole, and says nothing before it has heard a number of the receiver's own: a station to
//! which a route has just changed does not know what others have brought.

use super::ORIGIN;
use crate::packet::{Flags, Options, Segment, Timestamps};
use crate::ranges::{Ranges, Span};
use crate::seq::SeqNr;
use crate::time::Time;

/// L²CLAMP's agent at the TCP receiver's station: drops pure ACKs of new data, which a [`Regenerator`] makes
/// again from the MAC's acknowledgements.
#[derive(Clone, Copy, Debug, Default)]
pub struct Suppressor {
    /// Number and window of the receiver's latest acknowledgement, sent or not.
    last: Option<(SeqNr, u32)>,
}

impl Suppressor {
    /// Decides on a segment that the receiver sends: `true` to send it on, `false` to drop it.
    ///
    /// Drops acknowledgements of new data that carry nothing else but timestamps and SACK blocks. Duplicate ACKs pass,
    /// since only the receiver knows of a hole, and so do data, control bits, [hints](crate::packet::Hints), a request
    /// for a missing segment ([`Options::Missing`]), a changed window, and the first acknowledgement that this agent
    /// sees.
    #[must_use]
    pub fn passes(&mut self, segment: &Segment) -> bool {
        if !segment.is_ack() {
            return true;
        }
        let told = (segment.ack, segment.window);
        let last = self.last.replace(told);
        let standalone = segment.len == 0 && segment.is_plain();
        let is_named = segment.options.missing().is_some();
        !standalone
            || is_named
            || last.is_none_or(|(ack, window)| ack == segment.ack || window != segment.window)
    }
}

/// L²CLAMP's agent at the station before the last hop: makes the ACKs that the [`Suppressor`] drops, when the
/// MAC has acknowledged the frame with the data.
#[derive(Clone, Debug, Default)]
pub struct Regenerator {
    /// The first number that was seen; positions count from [`ORIGIN`] there.
    first: Option<SeqNr>,
    /// Everything before this has arrived. `None` until the receiver has said a number itself.
    arrived: Option<u64>,
    /// The highest acknowledgement number that this agent has sent or let pass to the source.
    told: u64,
    /// Data after `arrived`, behind a hole, whose frames the MAC has found acknowledged.
    confirmed: Ranges,
    /// The receiver's window, and the newest timestamp of data that has arrived.
    window: u32,
    timestamp: Option<Time>,
}

impl Regenerator {
    /// Takes note that the MAC of the receiver's station has acknowledged the frame with this data `segment`. Returns
    /// the ACK that the receiver would send; `None` if nothing new can be acknowledged.
    #[must_use]
    pub fn on_confirmed(&mut self, now: Time, segment: &Segment) -> Option<Segment> {
        let start = self.position(segment.seq)?;
        let span = Span {
            start,
            end: start + segment.span(),
        };
        if span.len() == 0 || self.arrived.is_some_and(|arrived| span.end <= arrived) {
            return None;
        }
        if let Some(timestamps) = segment.timestamps {
            let value = timestamps.value;
            self.timestamp = Some(self.timestamp.map_or(value, |newest| newest.max(value)));
        }
        self.confirmed.insert(span);
        self.acknowledge(now)
    }

    /// Takes a segment of the receiver that passes on its way to the source. Returns an ACK, to be sent right after
    /// it, if the MAC has confirmed the data that follow those it acknowledges; else `None`.
    #[must_use]
    pub fn on_ack(&mut self, now: Time, segment: &Segment) -> Option<Segment> {
        if !segment.is_ack() {
            return None;
        }
        let ack = self.position(segment.ack)?;
        self.arrived = Some(self.arrived.map_or(ack, |arrived| arrived.max(ack)));
        self.told = self.told.max(ack);
        self.window = segment.window;
        self.acknowledge(now)
    }

    fn position(&mut self, number: SeqNr) -> Option<u64> {
        let first = *self.first.get_or_insert(number);
        number.expand(first.0, self.arrived.unwrap_or(ORIGIN))
    }

    /// The ACK of everything that has arrived, unless the source knows.
    fn acknowledge(&mut self, now: Time) -> Option<Segment> {
        let mut arrived = self.arrived?;
        while let Some(next) = self.confirmed.first().filter(|next| next.start <= arrived) {
            arrived = arrived.max(next.end);
            self.confirmed.remove_below(next.end);
        }
        self.arrived = Some(arrived);
        if arrived <= self.told {
            return None;
        }
        self.told = arrived;
        Some(Segment {
            ack: SeqNr::at(self.first?.0, arrived),
            window: self.window,
            flags: Flags::ACK,
            options: Options::None,
            timestamps: self.timestamp.map(|echo| Timestamps { value: now, echo }),
            ..Segment::default()
        })
    }
}

#[cfg(test)]
mod tests;
