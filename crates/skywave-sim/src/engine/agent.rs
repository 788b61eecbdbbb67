//! Agents at nodes in the middle of a path.
//!
//! To packets, an agent is a link without delay, in both directions of its flows. It always has an
//! inbox, because it must see data and ACKs in the order of time. Its timers lie in the inbox among
//! the packets, as those of a link with ARQ do.

use std::collections::BTreeSet;

use skywave_core::agent::snoop::{Snoop, SnoopConfig, Verdict};
use skywave_core::packet::Body;
use skywave_core::{Duration, Time};

use super::arrival::{Arrival, Label};
use super::lane::LaneKind;
use super::stop;
use super::world::{Event, Travelling, World};
use crate::spec::{AgentSpec, Spec};

/// An agent and what it knows of its flows.
pub(crate) struct AgentLane {
    config: SnoopConfig,
    /// By flow; `None` until the flow's first packet passes the agent.
    connections: Vec<Option<Box<Connection>>>,
    /// The timers of all connections.
    timers: BTreeSet<(Time, u32)>,
    /// The earliest timer that lies in the inbox.
    timer: Option<Time>,
}

struct Connection {
    snoop: Snoop,
    /// Place on the route of the flow's data right after the agent: repairs enter the route there.
    ahead: u32,
    /// The time of its entry in `AgentLane::timers`.
    due: Option<Time>,
}

impl AgentLane {
    pub(super) fn new(agent: &AgentSpec, run: &Spec) -> Self {
        Self {
            config: agent.snoop,
            connections: run.flows.iter().map(|_| None).collect(),
            timers: BTreeSet::new(),
            timer: None,
        }
    }

    fn connection(&mut self, flow: u32) -> &mut Connection {
        self.connections[flow as usize].get_or_insert_with(|| {
            Box::new(Connection {
                snoop: Snoop::new(self.config),
                ahead: 0,
                due: None,
            })
        })
    }

    /// Moves the connection's entry in `timers` to the time at which its timer is due now.
    fn reset_timer(&mut self, flow: u32) {
        let connection = self.connection(flow);
        let due = connection.snoop.next_timer();
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
        if let Some(inbox) = self.lanes[lane].inbox() {
            inbox.recycle(packets);
        }
        self.fire_agent_timers(lane, horizon);
        self.lanes[lane].agent().timer.take_if(|at| *at <= horizon);
        self.set_agent_timer(lane);
    }

    fn set_agent_timer(&mut self, lane: usize) {
        let agent = self.lanes[lane].agent();
        let Some(&(at, _)) = agent.timers.first().filter(|(at, _)| *at < self.end) else {
            return;
        };
        if agent.timer.is_some_and(|pending| pending <= at) {
            return;
        }
        agent.timer = Some(at);
        if let Some(inbox) = self.lanes[lane].inbox()
            && let Some(wake) = inbox.insert(Arrival::timer(at))
        {
            self.push(wake, Event::Link(lane as u32));
        }
    }

    /// Fires the timers that are due by `until`, except after the end of the run.
    fn fire_agent_timers(&mut self, lane: usize, until: Time) {
        let until = until.min(self.end - Duration::from_nanos(1));
        while let Some(&(at, flow)) = self.lanes[lane].agent().timers.first()
            && at <= until
        {
            let agent = self.lanes[lane].agent();
            agent.connection(flow).snoop.on_timer(at);
            agent.reset_timer(flow);
            self.send_repairs(lane, flow, at);
        }
    }

    /// A packet comes to an agent.
    fn pass_agent(&mut self, lane: usize, at: Time, label: Label) {
        let packet = self.packets[label.id() as usize].packet;
        let flow = packet.flow;
        let agent = self.lanes[lane].agent();
        let connection = agent.connection(flow);
        let mut verdict = Verdict::Forward;
        match &packet.body {
            // A damaged packet fails the agent's check of the checksum: the agent ignores it.
            _ if packet.is_corrupt() => {}
            Body::TcpData(segment) => {
                connection.ahead = label.at_next_hop().hop();
                connection.snoop.on_data(at, &packet, segment);
            }
            Body::TcpAck(segment) => verdict = connection.snoop.on_ack(at, segment),
            Body::Udp(_)
            | Body::WtcpForward(_)
            | Body::WtcpBack(_)
            | Body::QuicForward(_)
            | Body::QuicBack(_) => {}
        }
        agent.reset_timer(flow);
        self.send_repairs(lane, flow, at);
        match verdict {
            Verdict::Forward => self.take_on(at, label.at_next_hop()),
            Verdict::Suppress => {
                self.flows[flow as usize].suppressed_dupack(at);
                self.release(label.id());
            }
        }
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
            agent.connection(packet.flow).snoop.on_drop(segment);
            agent.reset_timer(packet.flow);
        }
    }

    /// Sends the segments that the agent retransmits.
    fn send_repairs(&mut self, lane: usize, flow: u32, at: Time) {
        loop {
            let connection = self.lanes[lane].agent().connection(flow);
            let Some(packet) = connection.snoop.poll_transmit() else {
                return;
            };
            let hop = connection.ahead;
            if let Body::TcpData(segment) = &packet.body {
                self.flows[flow as usize].repaired_locally(at, segment);
            }
            let label = |id| Label::of(&packet, id, hop);
            let id = self.store(Travelling { hop, packet });
            self.take_on(at, label(id));
        }
    }
}
