//! The choice of what is sent next, and when: one decision, for [`Sender::poll_transmit`] and
//! [`Sender::next_timer`] alike.

use crate::time::{Duration, Time};

use super::pacing::Pace;
use super::{Sender, State};
use crate::wtcp::packet::{Control, Data, Micros, Open, Packet, Probe};
use crate::wtcp::reliability::SentPacket;

/// Something that a sender can send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// A packet of a pair.
    Open,
    /// The first packet that is marked for retransmission.
    Retransmission,
    /// New data: this many bytes.
    New(u16),
    /// A probe in a slot without data (section 4.3, item 2), at most one in
    /// [`Config::probe_separation`](crate::wtcp::Config::probe_separation).
    Probe,
    /// A probe outside the pace: in a blackout, or to see whether the receiver's window has opened.
    LoneProbe,
}

impl Sender {
    /// The next packet to put on the wire; `None` if none may be sent now. Call until `None` after every input.
    #[must_use]
    pub fn poll_transmit(&mut self, now: Time) -> Option<Packet> {
        if let Some(reason) = self.reset.take() {
            return Some(Packet::Reset(reason));
        }
        let Some((at, next)) = self.due() else {
            self.pacer.pause();
            return None;
        };
        if at > now {
            // Slots that are not used end the run.
            let leaves_slots = next == Next::Probe && at > self.pacer.slot();
            if next == Next::LoneProbe || leaves_slots {
                self.pacer.pause();
            }
            return None;
        }
        self.counters.sent += 1;
        Some(match next {
            Next::Open => self.transmit_open(now),
            Next::Retransmission => self.transmit_again(now),
            Next::New(len) => self.transmit_new(now, len),
            Next::Probe => {
                let pace = self.pacer.sent(now);
                self.transmit_probe(now, pace)
            }
            Next::LoneProbe => {
                let pace = self.pacer.sent_alone(now);
                let interval = self.probe_interval();
                if let Some(blackout) = &mut self.blackout {
                    blackout.next_probe = now + interval;
                }
                self.transmit_probe(now, pace)
            }
        })
    }

    /// Chooses what is to be sent next and when; retransmissions before new data.
    pub(super) fn due(&self) -> Option<(Time, Next)> {
        match self.state {
            State::Opening(opening) => return Some((opening.at(), Next::Open)),
            State::Established => {}
            _ => return None,
        }
        if let Some(blackout) = &self.blackout {
            return Some((blackout.next_probe, Next::LoneProbe));
        }
        let slot = self.pacer.slot();
        if self.unacked.has_ready() {
            Some((slot, Next::Retransmission))
        } else if let Some(len) = self.sendable() {
            Some((slot, Next::New(len)))
        } else if !self.unacked.is_empty() {
            let least = self.config.probe_separation.to_duration();
            Some((slot.max(self.pacer.last() + least), Next::Probe))
        } else if self.written > self.next {
            Some((self.pacer.last() + self.probe_interval(), Next::LoneProbe))
        } else {
            None
        }
    }

    /// New bytes that the receiver's window lets go now: a full packet or the last one, or whatever
    /// fits while nothing else is outstanding. None but the end of the stream is `Some(0)`.
    fn sendable(&self) -> Option<u16> {
        let left = self.written - self.next;
        if left == 0 {
            return (self.closing && !self.fin_sent).then_some(0);
        }
        let room = self.limit.saturating_sub(self.next);
        let full = left.min(u64::from(self.config.mss));
        if room >= full {
            Some(full as u16)
        } else if self.unacked.is_empty() && room > 0 {
            Some(room as u16)
        } else {
            None
        }
    }

    fn probe_interval(&self) -> Duration {
        self.config.blackout.probe_interval(self.rtt())
    }

    fn transmit_open(&mut self, now: Time) -> Packet {
        if let State::Opening(opening) = &mut self.state {
            opening.sent(now, &self.config.setup);
        }
        let _ = self.pacer.sent_alone(now);
        Packet::Open(Open {
            ctrl_seq: self.pending.push(now),
            padding: self.config.mss,
        })
    }

    fn transmit_again(&mut self, now: Time) -> Packet {
        let pace = self.pacer.sent(now);
        let control = self.control(now, pace);
        self.counters.data += 1;
        self.counters.retransmits += 1;
        let again = self.unacked.retransmit(control.ctrl_seq);
        let packet = again.expect("due() has seen one");
        self.data(control, &packet)
    }

    fn transmit_new(&mut self, now: Time, len: u16) -> Packet {
        let pace = self.pacer.sent(now);
        let control = self.control(now, pace);
        self.counters.data += 1;
        let rel_seq = self.next;
        self.next += u64::from(len);
        self.fin_sent = self.closing && self.next == self.written;
        let packet = SentPacket {
            rel_seq,
            len,
            fin: self.fin_sent,
            ctrl_seq: control.ctrl_seq,
            ready_for_retx: false,
        };
        self.unacked.push(packet);
        self.data(control, &packet)
    }

    fn transmit_probe(&mut self, now: Time, pace: Pace) -> Packet {
        self.counters.probes += 1;
        Packet::Probe(Probe {
            control: self.control(now, pace),
        })
    }

    fn control(&mut self, now: Time, pace: Pace) -> Control {
        let (hack_seq, hack_at) = self.hack.expect("an ACK established the connection");
        Control {
            ctrl_seq: self.pending.push(now),
            hack_seq,
            hack_delay: Micros::from_duration(now.since(hack_at)),
            separation: self.pacer.separation(),
            gap: pace.gap,
            run: pace.run,
        }
    }

    fn data(&self, control: Control, packet: &SentPacket) -> Packet {
        Packet::Data(Data {
            control,
            rel_seq: packet.rel_seq,
            len: packet.len,
            fin: packet.fin,
            ack_every: self.ack_every(),
        })
    }

    /// The number of packets after which an ACK is asked for: a packet that no other follows asks
    /// for one at once.
    fn ack_every(&self) -> u16 {
        if !self.unacked.has_ready() && self.sendable().is_none() {
            return 1;
        }
        let threshold = self.config.ack_threshold;
        let separation = self.pacer.separation();
        self.ack_loss.ack_every(self.rtt(), threshold, separation)
    }
}
