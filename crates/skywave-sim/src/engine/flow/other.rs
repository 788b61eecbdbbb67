//! Packets of transports other than TCP.

use skywave_core::packet::{Body, Packet};
use skywave_core::{Duration, Time};

use super::super::ends::Ends;
use super::super::world::Travelling;
use super::Flow;
use crate::losses::LossCause;

impl Flow {
    /// As [`Self::on_data`], for transports other than TCP. (All packets of a flow are of the
    /// flow's own transport.)
    #[inline(never)]
    pub(super) fn on_other_data(&mut self, now: Time, packet: &Packet, place: u32) {
        match (&mut self.ends, &packet.body) {
            (Ends::Udp { .. }, Body::Udp(datagram)) => {
                let counts = self.meter.counts(now);
                if counts {
                    self.meter.arrived(packet.size);
                }
                if packet.is_copy() {
                    return;
                }
                self.meter.delivered(now, counts, u64::from(datagram.len));
                if counts {
                    self.meter.delay(now.since(datagram.sent_at));
                }
            }
            (Ends::Wtcp(wtcp), Body::WtcpForward(carried)) => {
                wtcp.on_data(now, packet.size, &{ carried.0 }, &mut self.meter);
            }
            (Ends::Quic(quic), Body::QuicForward(carried)) => {
                quic.on_data(now, packet, *carried, &mut self.meter);
            }
            (Ends::Half(half), Body::TcpData(_)) if !half.hears_data(place) => {
                self.lost(now, packet, LossCause::NoRoute);
            }
            (Ends::Half(half), Body::TcpData(segment)) => {
                half.on_data(now, packet, segment, &mut self.meter);
            }
            _ => {}
        }
    }

    /// As [`Self::on_ack`], for transports other than TCP.
    #[inline(never)]
    pub(super) fn on_other_ack(&mut self, now: Time, travelling: &Travelling) {
        let Travelling { hop, packet } = travelling;
        match (&mut self.ends, packet.body) {
            (Ends::Half(half), Body::TcpAck(segment)) if half.hears_acks(*hop) => {
                half.on_ack(now, packet, &segment, &mut self.meter);
                self.after_other_sender(now, None);
            }
            (Ends::Wtcp(wtcp), Body::WtcpBack(carried)) => {
                let rtt = wtcp.on_ack(now, &{ carried.0 });
                self.after_other_sender(now, rtt);
            }
            (Ends::Quic(quic), Body::QuicBack(carried)) => {
                quic.on_ack(now, carried);
                self.after_other_sender(now, None);
            }
            _ => {}
        }
    }

    /// As [`Self::after_sender`], for WTCP, QUIC and halves; `rtt` is the round trip that WTCP measured.
    #[inline(never)]
    pub(super) fn after_other_sender(&mut self, now: Time, rtt: Option<Duration>) {
        match &mut self.ends {
            Ends::Wtcp(wtcp) => {
                wtcp.after_sender(now, &mut self.meter, rtt);
                if let Some(recorder) = &mut self.recorder {
                    wtcp.record(now, rtt, recorder);
                }
            }
            Ends::Quic(quic) => {
                quic.after_sender(now, &mut self.meter, self.recorder.as_deref_mut());
            }
            Ends::Half(half) => {
                half.after_sender(now, &mut self.meter, self.recorder.as_deref_mut());
            }
            Ends::Tcp(_) | Ends::Udp { .. } => {}
        }
    }

    /// The next packet that a sender other than TCP's has for the wire.
    #[inline(never)]
    pub(crate) fn poll_other_sender(&mut self, now: Time) -> Option<Packet> {
        match &mut self.ends {
            Ends::Wtcp(wtcp) => wtcp.poll_sender(now, self.index, &mut self.meter),
            Ends::Quic(quic) => quic.poll_sender(now, self.index),
            Ends::Half(half) => half.poll_sender(now, self.index, &mut self.meter),
            Ends::Tcp(_) | Ends::Udp { .. } => None,
        }
    }
}
