//! The ways out: half-close, abort, and the end of a connection.
//!
//! Closing before the connection is established waits for the handshake if something was written (RFC 9293 would
//! drop it).

use super::event::Event;
use super::timers::{Timer, Timers};
use super::{Connection, Owed, State};
use crate::packet::{Flags, Segment};
use crate::seq::SeqNr;
use crate::time::Time;

impl Connection {
    /// The application has no more data: a FIN follows what it has written. The peer may still send.
    ///
    /// During the handshake everything waits until it is over (RFC 9293 would drop what was written in
    /// SYN-SENT). In LISTEN, or in SYN-SENT with nothing written, the connection ends at once.
    pub fn close(&mut self) {
        if self.closing {
            return;
        }
        match self.state {
            State::Closed => return,
            State::Listen => return self.end(None),
            State::SynSent if self.unsent() == 0 => return self.end(None),
            State::Established => self.transition_to(State::FinWait1),
            State::CloseWait => self.transition_to(State::LastAck),
            _ => {}
        }
        self.closing = true;
        self.flush();
    }

    /// Ends the connection at once. A reset tells the peer, but not in SYN-SENT, nor when both ends have closed.
    pub fn abort(&mut self) {
        match self.state {
            State::Closed => return,
            State::SynReceived
            | State::Established
            | State::FinWait1
            | State::FinWait2
            | State::CloseWait => {
                self.owed.reset = Some(self.own_reset());
            }
            _ => {}
        }
        self.end(None);
    }

    /// The reset by which this end tells that it gives the connection up.
    pub(super) fn own_reset(&self) -> Segment {
        Segment {
            seq: self.send_next(),
            flags: Flags::RST,
            ..Segment::default()
        }
    }

    /// SND.NXT on the wire: after everything ever sent.
    pub(super) fn send_next(&self) -> SeqNr {
        SeqNr::at(self.tcp.iss, self.sender.flight().max())
    }

    /// Closes the connection, with an event for `reason` if it was not the application's wish.
    pub(super) fn end(&mut self, reason: Option<Event>) {
        self.transition_to(State::Closed);
        self.timers = Timers::default();
        self.owed = Owed {
            reset: self.owed.reset,
            ..Owed::default()
        };
        if let Some(reason) = reason {
            self.events.tell(reason);
        }
        self.events.tell(Event::Closed);
    }

    /// The peer's FIN has arrived, and everything before it.
    pub(super) fn on_fin(&mut self, now: Time) {
        self.events.tell(Event::PeerClosed);
        match self.state {
            State::Established => self.transition_to(State::CloseWait),
            State::FinWait1 => {
                self.transition_to(State::Closing);
                self.owed.fin = self.config.repeats_fin && self.sender.has_sent_all();
            }
            State::FinWait2 => self.wait_out(now),
            _ => {}
        }
    }

    /// Goes on to the state that follows when this end's FIN is acknowledged.
    pub(super) fn on_own_fin_acked(&mut self, now: Time) {
        match self.state {
            State::FinWait1 => self.transition_to(State::FinWait2),
            State::Closing => self.wait_out(now),
            State::LastAck => self.end(None),
            _ => {}
        }
    }

    fn wait_out(&mut self, now: Time) {
        self.transition_to(State::TimeWait);
        self.timers = Timers::default();
        self.restart_time_wait(now);
    }

    /// The peer did not hear the acknowledgement of its FIN.
    pub(super) fn restart_time_wait(&mut self, now: Time) {
        self.timers.set(Timer::TimeWait, now + self.config.msl * 2);
    }
}
