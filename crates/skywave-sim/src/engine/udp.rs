//! Datagrams of a source, and what is measured of them.

use skywave_core::Time;
use skywave_core::packet::{Body, Datagram, Packet};

use super::transport::Transport;
use crate::measure::FlowMeter;
use crate::outcome::FlowOutcome;

/// Both ends of a flow of UDP datagrams, which nobody acknowledges.
#[derive(Default)]
pub(super) struct Udp {
    /// Bytes of the headers of each datagram.
    header: u32,
    /// Number of datagrams so far.
    number: u64,
    /// The datagram that the application has just handed over.
    fresh: Option<Datagram>,
}

impl Udp {
    pub(super) fn new(header: u32) -> Self {
        Self {
            header,
            ..Self::default()
        }
    }
}

impl Transport for Udp {
    /// Each call makes one datagram.
    fn write(&mut self, now: Time, bytes: u64, _: &mut FlowMeter) {
        self.fresh = Some(Datagram {
            number: self.number,
            sent_at: now,
            len: bytes.min(u64::from(u16::MAX)) as u32,
        });
        self.number += 1;
    }

    fn on_data(&mut self, now: Time, packet: &Packet, _: u32, meter: &mut FlowMeter) {
        let Body::Udp(datagram) = packet.body else {
            return;
        };
        let counts = meter.arrived(now, packet.size);
        if packet.is_copy() {
            return;
        }
        meter.delivered(now, counts, u64::from(datagram.len));
        if counts {
            meter.delay(now.since(datagram.sent_at));
        }
    }

    fn poll_sender(&mut self, now: Time, flow: u32, meter: &mut FlowMeter) -> Option<Packet> {
        let datagram = self.fresh.take()?;
        meter.sent_packet(now);
        let size = self.header + datagram.len;
        Some(Packet::new(flow, size, Body::Udp(datagram)))
    }

    fn is_drained(&self) -> bool {
        self.fresh.is_none()
    }

    fn explain(&mut self, _: Time, outcome: &mut FlowOutcome) {
        let lost = outcome.queue_drops + outcome.channel_drops + outcome.no_route_drops;
        outcome.datagrams_lost =
            (outcome.sent_packets > 0).then(|| lost as f64 / outcome.sent_packets as f64);
    }
}
