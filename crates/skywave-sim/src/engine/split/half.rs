//! Both ends of one half, or of another whole connection, and what is measured of it: the same as of any TCP flow.

use std::ops::Range;

use skywave_core::Time;
use skywave_core::packet::{Body, Packet, Segment};
use skywave_core::tcp::connection::Outgoing;
use skywave_core::tcp::{Connection, ConnectionConfig, Sender, TcpConfig};

use super::super::tcp;
use super::super::transport::Transport;
use super::super::world::Travelling;
use super::Joint;
use crate::losses::LossCause;
use crate::measure::{FlowMeter, LossLedger};
use crate::outcome::FlowOutcome;
use crate::spec::{Outage, ProxySpec, Spec};

/// Both connections of one half.
pub(crate) struct Half {
    /// Sends the data.
    pub(super) client: Connection,
    /// Receives the data.
    pub(super) server: Connection,
    /// Number of the segment to be delivered next, among those sent.
    next_number: u64,
    losses: LossLedger,
    /// End of the payload that was sent.
    sent: u64,
    pub(super) client_is: Presence,
    pub(super) server_is: Presence,
    /// Places on routes from which data and ACKs come that are for these ends. After a hand-over those of the ways before
    /// are not: what is under way there comes to a host that one of the ends has left.
    pub(super) data_from: Range<u32>,
    pub(super) acks_from: Range<u32>,
    /// When the server shuts its window, and when it announces itself to the client, the last time first.
    warnings: Vec<Time>,
    reconnections: Vec<Time>,
    pub(super) role: Role,
}

/// Whether an end works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    /// The end works.
    Here,
    /// The proxy's state is on its way to another node: the end rests until it is there.
    Away,
    /// The proxy has failed: the end does nothing any more.
    Failed,
}

/// Hosts that the connection joins, and what it carries.
#[expect(clippy::large_enum_variant, reason = "a half is in a box already")]
pub(super) enum Role {
    /// The connection from the source to the proxy.
    Near {
        far: u32,
        /// Payload that was sent for the first time: where it ends, and when.
        fresh: Vec<(u64, Time)>,
    },
    /// The connection from the proxy to the destination.
    Far(Joint),
    /// No half: it carries the state of the proxy between these to another node.
    State { near: u32, far: u32 },
    /// No half: from the source to the destination, which freezes the source.
    Alone,
}

impl Half {
    pub(super) fn near(proxy: &ProxySpec, config: &TcpConfig, run: &Spec) -> Self {
        let policy = proxy.config.towards_source;
        let server = TcpConfig {
            rwnd: proxy.buffer,
            timestamps: config.timestamps && policy.allows_timestamps(),
            ..config.clone()
        };
        let client = ConnectionConfig {
            freezes: policy.freezes_source(),
            ..ConnectionConfig::from(config.clone())
        };
        let role = Role::Near {
            far: proxy.far as u32,
            fresh: Vec::new(),
        };
        let mut half = Self::new(client, server, role, run);
        proxy.config.listen(&mut half.server, config.mss);
        half
    }

    pub(super) fn far(proxy: &ProxySpec, config: &TcpConfig, run: &Spec) -> Self {
        let role = Role::Far(Joint::new(proxy, run));
        let client = ConnectionConfig::from(config.clone());
        let mut half = Self::new(client, config.clone(), role, run);
        half.reconnections = proxy.reconnections.iter().rev().copied().collect();
        half.server.open_passive();
        half
    }

    /// The connection that moves the state of a proxy.
    pub(super) fn state(proxy: &ProxySpec, config: &TcpConfig, run: &Spec) -> Self {
        let role = Role::State {
            near: proxy.near as u32,
            far: proxy.far as u32,
        };
        let client = ConnectionConfig::from(config.clone());
        let mut half = Self::new(client, config.clone(), role, run);
        half.server.open_passive();
        half
    }

    /// The connection of a flow whose receiver sees these disconnections coming.
    pub(super) fn alone(outages: &[Outage], config: &TcpConfig, run: &Spec) -> Self {
        let client = ConnectionConfig {
            freezes: true,
            ..ConnectionConfig::from(config.clone())
        };
        let mut half = Self::new(client, config.clone(), Role::Alone, run);
        half.warnings = outages.iter().rev().map(|outage| outage.warned).collect();
        half.reconnections = outages.iter().rev().map(|outage| outage.over).collect();
        half.server.open_passive();
        half
    }

    fn new(client: ConnectionConfig, server: TcpConfig, role: Role, run: &Spec) -> Self {
        let mut client = Connection::new(client);
        client.measure(run.measure.0, run.measure.1);
        Self {
            client,
            server: Connection::new(ConnectionConfig::from(server)),
            next_number: 0,
            losses: LossLedger::new(run.measure, run.details),
            sent: 0,
            client_is: Presence::Here,
            server_is: Presence::Here,
            data_from: 0..u32::MAX,
            acks_from: 0..u32::MAX,
            warnings: Vec::new(),
            reconnections: Vec::new(),
            role,
        }
    }

    /// Whether the proxy is the sending application: it writes and closes, not the flow's own source.
    fn relays(&self) -> bool {
        matches!(self.role, Role::Far(_) | Role::State { .. })
    }

    /// Whether the receiving application reads at once; the proxy at the end of a near half does not.
    fn is_read_at_once(&self) -> bool {
        !matches!(self.role, Role::Near { .. })
    }

    /// The proxy sends `bytes` of its state, and no more.
    pub(super) fn carry(&mut self, now: Time, bytes: u64, meter: &mut FlowMeter) {
        self.client.open_active();
        self.client.write(bytes);
        self.client.close();
        self.measure_sender(now, meter);
    }

    /// Measures after every input to the client, but for the round trip.
    fn measure_sender(&mut self, now: Time, meter: &mut FlowMeter) {
        if self.client.state().is_synchronized() {
            meter.open(now);
        }
        tcp::measure_sender(now, self.client.sender(), &mut self.losses, meter);
    }

    /// Measures the round trip after every input to the client, and records the series.
    fn after_sender(&mut self, now: Time, meter: &mut FlowMeter) {
        let rtt = self.client.poll_rtt();
        let sender = self.client.sender();
        if let Some(rtt) = rtt {
            meter.rtt(now, rtt, sender.rto());
        }
        if let Some(recorder) = &mut meter.recorder {
            tcp::record_sender(now, sender, rtt, recorder);
        }
    }

    /// A segment of the client is lost at `at`. One without data is never sent again, so that nobody finds its loss.
    fn lose(&mut self, at: Time, segment: &Segment, cause: LossCause) {
        if segment.span() > 0 {
            let end = tcp::end_of(segment, self.client.sender());
            self.losses.lost(at, end, cause);
        }
    }
}

impl Transport for Half {
    fn write(&mut self, now: Time, bytes: u64, meter: &mut FlowMeter) {
        if !self.relays() {
            self.client.open_active();
            self.client.write(bytes);
            self.measure_sender(now, meter);
        }
    }

    fn close(&mut self) {
        if !self.relays() {
            self.client.close();
        }
    }

    fn sender_due(&self) -> Time {
        let timer = match self.client_is {
            Presence::Here => self.client.next_timer().unwrap_or(Time::MAX),
            Presence::Away | Presence::Failed => Time::MAX,
        };
        match &self.role {
            Role::Near { .. } | Role::State { .. } | Role::Alone => timer,
            Role::Far(joint) => timer.min(joint.due()),
        }
    }

    fn receiver_due(&self) -> Time {
        let timer = self.server.next_timer();
        let timer = timer.filter(|_| self.server_is == Presence::Here);
        let own = [self.warnings.last(), self.reconnections.last()];
        timer
            .into_iter()
            .chain(own.into_iter().flatten().copied())
            .min()
            .unwrap_or(Time::MAX)
    }

    fn on_sender_timer(&mut self, now: Time, meter: &mut FlowMeter) {
        if self.client_is == Presence::Here {
            self.client.on_timer(now);
            self.measure_sender(now, meter);
        }
        self.after_sender(now, meter);
    }

    fn on_receiver_timer(&mut self, now: Time) {
        if self.warnings.pop_if(|at| *at <= now).is_some() {
            self.server.shut_window(true);
        }
        if self.reconnections.pop_if(|at| *at <= now).is_some() {
            self.server.shut_window(false);
            self.server.announce();
        }
        if self.server_is == Presence::Here {
            self.server.on_timer(now);
        }
    }

    /// The destination's application reads at once; the proxy reads what it has got rid of.
    fn on_data(&mut self, now: Time, packet: &Packet, place: u32, meter: &mut FlowMeter) {
        let Body::TcpData(segment) = &packet.body else {
            return;
        };
        if self.server_is != Presence::Here || !self.data_from.contains(&place) {
            self.lose(now, segment, LossCause::NoRoute);
            return meter.lost(now, LossCause::NoRoute);
        }
        let counts = meter.arrived(now, packet.size);
        if self.losses.wants_arrivals() {
            let receiver = self.server.receiver();
            tcp::arrives(
                now,
                segment,
                self.client.sender(),
                receiver,
                &mut self.losses,
            );
        }
        let before = self.server.receiver().next();
        self.server.on_segment(now, segment, packet.way());
        let receiver = self.server.receiver();
        let data_end = receiver.next() - u64::from(receiver.is_finished());
        let position = before.max(1); // the SYN carries nothing
        if data_end <= position {
            return;
        }
        meter.delivered(now, counts, data_end - position);
        let span = position..data_end;
        let flight = self.client.sender().flight();
        tcp::note_delays(now, counts, flight, &mut self.next_number, span, meter);
        if self.is_read_at_once() {
            self.server.read(u64::MAX);
        }
    }

    fn on_ack(&mut self, now: Time, travelling: &Travelling, meter: &mut FlowMeter) {
        let Travelling { hop, packet } = travelling;
        let is_heard = self.client_is != Presence::Away && self.acks_from.contains(hop);
        let Body::TcpAck(segment) = packet.body else {
            return;
        };
        if !is_heard {
            return;
        }
        if self.client_is == Presence::Here {
            self.client.on_segment(now, &segment, packet.way());
            self.measure_sender(now, meter);
        }
        self.after_sender(now, meter);
    }

    fn lost(&mut self, at: Time, body: &Body, cause: LossCause) {
        if let Body::TcpData(segment) = body {
            self.lose(at, segment, cause);
        }
    }

    fn poll_sender(&mut self, now: Time, flow: u32, meter: &mut FlowMeter) -> Option<Packet> {
        if self.client_is != Presence::Here {
            return None;
        }
        let counted = self.client.sender().counters().sent;
        let Outgoing {
            segment,
            ecn,
            position,
        } = self.client.poll_transmit(now)?;
        // Probes, answers to the peer's FIN and the like take no sequence number.
        if self.client.sender().counters().sent == counted {
            meter.sent_packet(now);
        }
        if let Some(resend) = self.client.poll_resend() {
            self.losses.resent(now, resend.end, resend.why.into());
        }
        let end = position + u64::from(segment.len);
        if segment.len > 0 && end > self.sent {
            self.sent = end;
            if let Role::Near { fresh, .. } = &mut self.role {
                fresh.push((end, now));
            }
        }
        let size = self.client.sender().config().wire_size(&segment);
        Some(Packet {
            ecn,
            ..Packet::new(flow, size, Body::TcpData(segment))
        })
    }

    fn poll_receiver(&mut self, now: Time, flow: u32) -> Option<Packet> {
        if self.server_is != Presence::Here {
            return None;
        }
        let Outgoing { segment, ecn, .. } = self.server.poll_transmit(now)?;
        let size = self.client.sender().config().wire_size(&segment);
        Some(Packet {
            ecn,
            ..Packet::new(flow, size, Body::TcpAck(segment))
        })
    }

    fn sender(&self) -> Option<&Sender> {
        Some(self.client.sender())
    }

    fn is_drained(&self) -> bool {
        self.client.sender().flight().is_empty() && self.client.unsent() == 0
    }

    fn explain(&mut self, now: Time, outcome: &mut FlowOutcome) {
        tcp::explain(now, self.client.sender(), &mut self.losses, outcome);
    }
}
