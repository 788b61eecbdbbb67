//! Agents at nodes in the middle of a path.
//!
//! To packets, an agent is a link without delay, in both directions of its flows. It always has an
//! inbox, because it must see data and ACKs in the order of time. Its timers lie in the inbox among
//! the packets, as those of a link with ARQ do.
//!
//! Flows without an agent stay as they were. A Snoop agent's repairs go to the end of the next link's queue: that
//! link has already decided about the packets that wait there, so that nothing can be put before them. The agent
//! hears of the drops of that queue before it does anything else; for this, a link that several lanes feed
//! decides at once there.
//!
//! D-Proxy has two machines for each connection, one before and one after a hop. They talk in packets of their
//! own, which the links between them carry, lose and count.

use std::collections::BTreeSet;

use skywave_core::agent::d_proxy::{self, Answer, Downstream, Heard, Upstream};
use skywave_core::agent::snoop::{Snoop, Verdict};
use skywave_core::packet::{Body, Hole, Packet, Segment};
use skywave_core::{Duration, Time};

use super::arrival::{Arrival, Label};
use super::lane::LaneKind;
use super::routes::Direction;
use super::stop;
use super::wake::Wake;
use super::world::{Travelling, World};
use crate::spec::{AgentKind, AgentSpec, Spec};

/// An agent and what it knows of its flows.
pub(crate) struct AgentLane {
    kind: AgentKind,
    /// Connection of each flow; `None` until the flow's first packet passes the agent.
    connections: Vec<Option<Box<Connection>>>,
    /// The timers of all connections.
    timers: BTreeSet<(Time, u32)>,
    /// The earliest timer that lies in the inbox.
    timer: Wake,
}

struct Connection {
    machine: Machine,
    /// Places on the routes of the flow's data and of its ACKs right after the agent, where what it sends enters them.
    /// `None` until the flow's first packet passes.
    places: Option<[Option<u32>; 2]>,
    /// The time of its entry in `AgentLane::timers`.
    due: Option<Time>,
}

enum Machine {
    Snoop(Snoop),
    Upstream(Upstream),
    Downstream(Downstream),
}

/// Packet that an agent's machine sends of its own accord, and its direction.
enum Sent {
    /// A segment again, towards the receiver.
    Again(Packet),
    /// Another packet towards the receiver.
    Ahead(Packet),
    /// A packet towards the sender.
    Back(Packet),
}

impl Machine {
    fn new(kind: &AgentKind) -> Self {
        match kind {
            AgentKind::Snoop(config) => Self::Snoop(Snoop::new(*config)),
            AgentKind::Upstream { config, .. } => Self::Upstream(Upstream::new(*config)),
            AgentKind::Downstream { config, .. } => Self::Downstream(Downstream::new(*config)),
        }
    }

    fn next_timer(&self) -> Option<Time> {
        match self {
            Self::Snoop(snoop) => snoop.next_timer(),
            Self::Upstream(_) => None,
            Self::Downstream(downstream) => downstream.next_timer(),
        }
    }

    fn on_timer(&mut self, now: Time) {
        match self {
            Self::Snoop(snoop) => snoop.on_timer(now),
            Self::Upstream(_) => {}
            Self::Downstream(downstream) => downstream.on_timer(now),
        }
    }

    fn on_drop(&mut self, segment: &Segment) {
        match self {
            Self::Snoop(snoop) => snoop.on_drop(segment),
            Self::Upstream(upstream) => upstream.on_drop(segment),
            Self::Downstream(_) => {}
        }
    }

    /// A whole packet comes. What becomes of it.
    fn on_packet(&mut self, now: Time, packet: &Packet) -> Fate {
        match (self, &packet.body) {
            (Self::Snoop(snoop), Body::TcpData(segment)) => snoop.on_data(now, packet, segment),
            (Self::Snoop(snoop), Body::TcpAck(segment)) => {
                return match snoop.on_ack(now, segment) {
                    Verdict::Suppress => Fate::Suppressed,
                    Verdict::Forward => Fate::Passes,
                };
            }
            (Self::Upstream(upstream), Body::TcpData(segment)) => upstream.on_data(packet, segment),
            (Self::Upstream(upstream), Body::TcpAck(segment)) => upstream.on_ack(segment),
            (Self::Upstream(upstream), Body::Nack(hole)) => {
                upstream.on_nack(*hole);
                return Fate::Taken;
            }
            (Self::Downstream(downstream), Body::TcpData(segment)) => {
                return match downstream.on_data(now, packet, segment) {
                    d_proxy::Verdict::Keep => Fate::Taken,
                    d_proxy::Verdict::Forward => Fate::Passes,
                };
            }
            (Self::Downstream(downstream), Body::NackRefused(hole)) => {
                downstream.on_refused(*hole);
                return Fate::Taken;
            }
            _ => {}
        }
        Fate::Passes
    }

    fn poll_transmit(&mut self, flow: u32) -> Option<Sent> {
        let message = |body| Packet::new(flow, Hole::WIRE_BYTES, body);
        Some(match self {
            Self::Snoop(snoop) => Sent::Again(snoop.poll_transmit()?),
            Self::Upstream(upstream) => match upstream.poll_transmit()? {
                Answer::Again(packet) => Sent::Again(packet),
                Answer::Refused(hole) => Sent::Ahead(message(Body::NackRefused(hole))),
            },
            Self::Downstream(downstream) => match downstream.poll_transmit()? {
                Heard::Forward(packet) => Sent::Ahead(packet),
                Heard::Nack(hole) => Sent::Back(message(Body::Nack(hole))),
            },
        })
    }
}

/// Treatment of a packet that comes to an agent.
enum Fate {
    /// The packet goes on along its route.
    Passes,
    /// A duplicate ACK that the sender is not to see.
    Suppressed,
    /// The agent keeps it, or it was for the agent.
    Taken,
}

impl AgentLane {
    pub(super) fn new(agent: &AgentSpec, run: &Spec) -> Self {
        Self {
            kind: agent.kind,
            connections: run.flows.iter().map(|_| None).collect(),
            timers: BTreeSet::new(),
            timer: Wake::default(),
        }
    }

    fn connection(&mut self, flow: u32) -> &mut Connection {
        self.connections[flow as usize].get_or_insert_with(|| {
            Box::new(Connection {
                machine: Machine::new(&self.kind),
                places: None,
                due: None,
            })
        })
    }

    /// Moves the connection's entry in `timers` to the time at which its timer is due now.
    fn reset_timer(&mut self, flow: u32) {
        let connection = self.connection(flow);
        let due = connection.machine.next_timer();
        let before = std::mem::replace(&mut connection.due, due);
        if before != due {
            self.timers.extend(due.map(|at| (at, flow)));
            if let Some(at) = before {
                self.timers.remove(&(at, flow));
            }
        }
    }
}

impl World<'_> {
    /// An agent does what is due by the end of its earliest bucket.
    pub(super) fn on_agent(&mut self, lane: usize) {
        let Some(inbox) = self.lanes[lane].inbox() else {
            return;
        };
        let horizon = inbox.horizon(self.now);
        let mut packets = inbox.take(self.now);
        // Of a flow's packets with equal times, data goes before ACKs, whichever was decided first.
        let same = |a: &Arrival, b: &Arrival| a.at == b.at && a.label.flow() == b.label.flow();
        for packets in packets.chunk_by_mut(same) {
            packets.sort_by_key(|arrival| arrival.label.hop());
        }
        for (turn, some) in packets.chunks(stop::TURNS).enumerate() {
            if turn > 0 && self.is_to_stop() {
                return;
            }
            for arrival in some.iter().filter(|arrival| !arrival.is_timer()) {
                self.fire_agent_timers(lane, arrival.at);
                self.pass_agent(lane, arrival.at, arrival.label);
            }
        }
        self.lanes[lane].recycle(packets);
        self.fire_agent_timers(lane, horizon);
        self.lanes[lane].agent().timer.pass(horizon);
        self.set_agent_timer(lane);
    }

    fn set_agent_timer(&mut self, lane: usize) {
        let agent = self.lanes[lane].agent();
        let Some(&(at, _)) = agent.timers.first().filter(|(at, _)| *at < self.end) else {
            return;
        };
        if agent.timer.earlier(at) {
            self.collect(lane as u32, Arrival::timer(at));
        }
    }

    /// Fires the timers that are due by `until`, except after the end of the run.
    fn fire_agent_timers(&mut self, lane: usize, until: Time) {
        let until = until.min(self.end - Duration::from_nanos(1));
        while let Some(&(at, flow)) = self.lanes[lane].agent().timers.first()
            && at <= until
        {
            let agent = self.lanes[lane].agent();
            agent.connection(flow).machine.on_timer(at);
            agent.reset_timer(flow);
            self.send_own(lane, flow, at);
        }
    }

    /// A packet comes to an agent.
    fn pass_agent(&mut self, lane: usize, at: Time, label: Label) {
        let packet = self.packets[label.id() as usize].packet;
        let flow = packet.flow;
        let agent = self.lanes[lane].agent();
        let connection = agent.connection(flow);
        let after = |direction| self.routes.after(flow, direction, lane as u32);
        connection
            .places
            .get_or_insert_with(|| Direction::BOTH.map(after));
        let fate = if packet.is_corrupt() {
            // It fails the agent's check of the checksum: the agent ignores it.
            Fate::Passes
        } else {
            connection.machine.on_packet(at, &packet)
        };
        agent.reset_timer(flow);
        if let Fate::Passes = fate {
            self.take_on(at, label.at_next_hop());
        } else {
            if let Fate::Suppressed = fate {
                self.flows[flow as usize].meter.suppressed_dupack(at);
            }
            self.release(label.id());
        }
        self.send_own(lane, flow, at);
    }

    /// The link at place `hop` of the route has no room for packet `id`: tells the agent right
    /// before the link, if there is one.
    #[cold]
    pub(super) fn tell_agent(&mut self, id: u32, hop: u32) {
        let Some(lane) = self.routes.lane_before(hop) else {
            return;
        };
        let packet = &self.packets[id as usize].packet;
        if let (LaneKind::Agent, Body::TcpData(segment)) =
            (self.lanes[lane as usize].kind(), &packet.body)
            && !packet.is_corrupt()
        {
            let agent = self.lanes[lane as usize].agent();
            agent.connection(packet.flow).machine.on_drop(segment);
            agent.reset_timer(packet.flow);
        }
    }

    /// Sends what the agent sends by itself.
    fn send_own(&mut self, lane: usize, flow: u32, at: Time) {
        loop {
            let connection = self.lanes[lane].agent().connection(flow);
            let Some(sent) = connection.machine.poll_transmit(flow) else {
                return;
            };
            let [ahead, back] = connection.places.unwrap_or_default();
            let (place, packet) = match sent {
                Sent::Again(packet) | Sent::Ahead(packet) => (ahead, packet),
                Sent::Back(packet) => (back, packet),
            };
            let Some(hop) = place else {
                continue; // it has only heard ACKs: there is nothing that it could send
            };
            if let (Sent::Again(_), Body::TcpData(segment)) = (&sent, &packet.body) {
                self.flows[flow as usize].repaired_locally(at, segment);
            }
            let label = |id| Label::of(&packet, id, hop);
            let id = self.store(Travelling { hop, packet });
            self.take_on(at, label(id));
        }
    }
}
