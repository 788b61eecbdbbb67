//! The choice of what is sent next.

use super::{Sender, State};
use crate::quic::packet::{DATA_OVERHEAD, Data, Packet};
use crate::tcp::limits::{Limit, Resend, Why};
use crate::tcp::pacing::Quantum;
use crate::tcp::resends::Earned;
use crate::time::Time;

/// Something that a sender can send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// A piece of the stream that was lost, in a new packet.
    Again(u64, Why),
    /// New data: this many bytes that were never sent.
    New(u16),
}

impl Sender {
    /// The next packet to put on the wire; `None` if none may be sent now. Call until `None` after every input.
    #[must_use]
    pub fn poll_transmit(&mut self, now: Time) -> Option<Packet> {
        self.resend = None;
        match &mut self.state {
            State::Closed => None,
            State::Opening(_) => self.poll_hello(now),
            State::Established if self.probes > 0 => {
                self.probes -= 1;
                Some(self.probe(now))
            }
            State::Established => self.poll_request(now).or_else(|| self.poll_data(now)),
        }
    }

    fn poll_hello(&mut self, now: Time) -> Option<Packet> {
        self.limits.set(now, Some(Limit::Handshake));
        self.hello_at().filter(|&at| at <= now)?;
        let State::Opening(sent) = &mut self.state else {
            return None;
        };
        let attempt = sent.len() as u32;
        sent.push(now);
        if attempt > 0 {
            self.expired(now);
        }
        self.counters.sent += 1;
        self.limits.hear(now);
        Some(Packet::Hello { attempt })
    }

    /// A request for another frequency of ACKs, if one is due and the window lets it out.
    fn poll_request(&mut self, now: Time) -> Option<Packet> {
        // A request that the pace delays needs no timer: the next ACK calls this function again.
        if self.stream.is_done() || !self.fits(DATA_OVERHEAD) || !self.pacing.allows(now) {
            return None;
        }
        let number = self.ledger.next();
        let acking = self.ack_frequency.send(number)?;
        let packet = Packet::AckFrequency { number, acking };
        self.leaves(now, None, &packet);
        Some(packet)
    }

    fn poll_data(&mut self, now: Time) -> Option<Packet> {
        let limit = match self.choose() {
            Ok(next) if self.pacing.allows(now) => {
                self.app_limited = false;
                let piece = self.take(next);
                return Some(self.transmit(now, Some(piece)));
            }
            Ok(_) => Limit::Pacing,
            Err(limit) => limit,
        };
        self.app_limited = matches!(limit, Limit::Application | Limit::Rwnd);
        let over = self.stream.is_done();
        self.limits.set(now, (!over).then_some(limit));
        None
    }

    /// Chooses the data of the next packet; the error is the limit that forbids to send.
    fn choose(&mut self) -> Result<Next, Limit> {
        let next = match self.stream.first_lost() {
            Some((piece, why)) => Next::Again(piece, why),
            None => Next::New(self.new_piece()?),
        };
        let (payload, earned) = match next {
            Next::Again(piece, _) => {
                let len = self.stream.piece(piece).map_or(0, |piece| piece.len);
                (len, self.may_send_again(len))
            }
            Next::New(len) => (len, true),
        };
        let fits = self.fits(DATA_OVERHEAD + u32::from(payload));
        if !fits || self.control.in_flight() > 0 && !earned {
            return Err(Limit::Cwnd);
        }
        Ok(next)
    }

    /// Whether the congestion window lets a packet of `bytes` bytes leave (RFC 9002 section 7). It always does while nothing is
    /// in flight.
    fn fits(&self, bytes: u32) -> bool {
        let flight = self.control.in_flight();
        flight == 0 || flight + u64::from(bytes) <= self.control.window()
    }

    /// Whether the connection may send `bytes` again: it may repeat only so much for what has arrived ([`Resends`]).
    fn may_send_again(&self, bytes: u16) -> bool {
        self.resends.allows(
            bytes.into(),
            Earned {
                window: self.config.receive_buffer,
                arrived: self.stream.arrived(),
                timeouts: self.counters.timeouts,
                mss: self.config.mss.into(),
            },
        )
    }

    /// Bytes of the next piece of the stream.
    pub(super) fn new_piece(&self) -> Result<u16, Limit> {
        let len = self.stream.new_piece(self.config.mss);
        let len = len.ok_or(Limit::Application)?;
        if self.stream.next() + u64::from(len) > self.limit {
            return Err(Limit::Rwnd);
        }
        Ok(len)
    }

    /// A packet that a probe timeout lets out, whatever the windows say (section 6.2.4): lost data, new data, the
    /// oldest data that are not acknowledged, or nothing.
    fn probe(&mut self, now: Time) -> Packet {
        let piece = if let Some((piece, why)) = self.stream.first_lost() {
            Some(self.take(Next::Again(piece, why)))
        } else if let Ok(len) = self.new_piece() {
            Some(self.take(Next::New(len)))
        } else {
            let oldest = self.stream.unacked(self.probe_from);
            if let Some(piece) = oldest {
                self.probe_from = piece + 1;
                self.note_resend(piece, Why::Timeout);
            }
            oldest
        };
        self.transmit(now, piece)
    }

    /// Takes what is sent next off the stream; its number there.
    fn take(&mut self, next: Next) -> u64 {
        match next {
            Next::Again(piece, why) => {
                self.stream.resent(piece);
                self.note_resend(piece, why);
                piece
            }
            Next::New(len) => self.stream.cut(len),
        }
    }

    fn note_resend(&mut self, piece: u64, why: Why) {
        self.counters.retransmits += 1;
        let piece = self.stream.piece(piece);
        self.resends.add(piece.map_or(0, |piece| piece.len.into()));
        self.resend = piece.map(|piece| Resend {
            end: piece.end(),
            why,
        });
    }

    /// A packet leaves, with a piece of the stream or as a probe without data.
    fn transmit(&mut self, now: Time, piece: Option<u64>) -> Packet {
        let number = self.ledger.next();
        let packet = match piece.and_then(|piece| self.stream.piece(piece)) {
            Some(piece) => Packet::Data(Data {
                number,
                offset: piece.start,
                len: piece.len,
                fin: piece.fin,
            }),
            None => Packet::Ping { number },
        };
        if let Some(piece) = piece {
            self.stream.sent(piece);
        }
        self.leaves(now, piece, &packet);
        packet
    }

    /// Departure of this packet of the next number, as ledger, law and pace hear of it.
    fn leaves(&mut self, now: Time, piece: Option<u64>, packet: &Packet) {
        let number = self.ledger.push(now, piece);
        let known = self.control.on_sent(now, packet.len());
        debug_assert_eq!(known, number, "both count the same packets");
        let rate = self.control.pacing_rate();
        let bytes = u64::from(packet.len());
        self.pacing.sent(now, bytes, rate, || Quantum {
            own: self.control.send_quantum(),
            mss: self.config.packet_bytes(),
        });
        self.counters.sent += 1;
        self.limits.hear(now);
    }
}
