//! What goes on the wire next: lost segments first, then the segment at `nxt`.

use super::{Sender, State, Timed};
use crate::packet::{Flags, Segment, Timestamps};
use crate::seq::SeqNr;
use crate::tcp::detection::LossDetector;
use crate::tcp::flight::Sent;
use crate::tcp::recovery::LossRecovery;
use crate::time::Time;
use crate::units::Segments;

/// What `choose` decided.
#[derive(Clone, Copy, Debug)]
pub(super) enum Next {
    /// The segment at this position, again.
    Again(u64),
    /// New data (or SYN or FIN) up to this position.
    New(u64),
}

impl Sender {
    /// What to send next: lost segments first, then the segment at `nxt`.
    pub(super) fn choose(&mut self) -> Option<Next> {
        match self.state {
            State::Closed | State::Done => return None,
            State::SynSent => {
                return (self.flight.nxt() == 0).then(|| {
                    if self.flight.is_empty() {
                        Next::New(1)
                    } else {
                        Next::Again(0)
                    }
                });
            }
            State::Established => {}
        }
        let mss = self.config.mss;
        let room = self.recovery.pipe_room(&self.flight, &self.window, mss);
        if let Some(lost) = self.flight.next_lost() {
            let fits = room.is_none_or(|room| room >= lost.len());
            return fits.then_some(Next::Again(lost.start));
        }
        self.flight.skip_sacked();
        let (next, end) = self.next_in_order();
        let una = self.flight.una();
        if let Some(next) = next
            && end <= una + self.peer_window
        {
            let fits = match room {
                Some(room) => end - self.flight.nxt() <= room,
                None => end - una <= self.plain_room(),
            };
            return fits.then_some(next);
        }
        // Room, but no new data that may fill it.
        if room.is_some_and(|room| room >= u64::from(mss)) {
            return self.recovery.rescue(&self.flight).map(Next::Again);
        }
        None
    }

    /// The segment at `nxt`, if there is one, and its end.
    fn next_in_order(&self) -> (Option<Next>, u64) {
        let nxt = self.flight.nxt();
        if let Some(old) = self.flight.at(nxt) {
            return (Some(Next::Again(nxt)), old.end);
        }
        let end = if nxt < self.written {
            // A window smaller than a segment still lets data through.
            let len = u64::from(self.config.mss).min(self.peer_window);
            nxt.saturating_add(len).min(self.written)
        } else {
            self.end()
        };
        ((end > nxt).then_some(Next::New(end)), end)
    }

    /// Bytes from `una` that a window-counting sender may have in flight.
    fn plain_room(&self) -> u64 {
        let mut window = self.window.cwnd + self.recovery.inflation();
        if self.config.limited_transmit && !self.recovery.is_active() {
            window += Segments(f64::from(self.detection.limited_transmit(self.dupacks)));
        }
        window.to_bytes(self.config.mss)
    }

    pub(super) fn transmit_new(&mut self, end: u64, now: Time) -> Segment {
        let start = self.flight.nxt();
        if self.flight.is_empty() || self.timer.is_none() {
            self.restart_timer(now);
        }
        self.flight.send_new(end, now);
        if self.timed.is_none() {
            self.timed = Some(Timed { end, sent: now });
        }
        self.recovery.on_sent();
        self.counters.sent += 1;
        self.segment(start, end, now)
    }

    pub(super) fn transmit_again(&mut self, position: u64, now: Time) -> Option<Segment> {
        let Sent { start, end, .. } = self.flight.send_again(position, now)?;
        // Karn: an ACK could now mean either transmission.
        self.timed.take_if(|t| t.end > start && t.end <= end);
        if self.timer.is_none() {
            self.restart_timer(now);
        }
        self.recovery.on_sent();
        self.counters.sent += 1;
        self.counters.retransmits += 1;
        Some(self.segment(start, end, now))
    }

    fn segment(&self, start: u64, end: u64, now: Time) -> Segment {
        let syn = start < self.config.handshake.span();
        let fin = end > self.written;
        Segment {
            seq: SeqNr::at(self.config.iss, start),
            len: (end - start - u64::from(syn) - u64::from(fin)) as u32,
            flags: Flags {
                syn,
                fin,
                ack: !syn,
            },
            timestamps: self.config.timestamps.then_some(Timestamps {
                value: now,
                echo: self.peer_timestamp,
            }),
            ..Segment::default()
        }
    }
}
