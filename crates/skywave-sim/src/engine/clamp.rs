//! The link agents of L²CLAMP at the stations of a radio network.
//!
//! The radio network says what its MACs have confirmed over the last hop of a flow, and what they have heard from the
//! flow's receiver; the packets themselves are here. An ACK that a station makes enters the network at that station.
//!
//! Agents need what the radio network does not have, the contents of packets. So the network says which packet a
//! MAC has confirmed or heard while its copy is still there.

use skywave_core::agent::{Regenerator, Suppressor};
use skywave_core::packet::{Body, Packet, Segment};

use super::arrival::Label;
use super::routes::{Direction, Next};
use super::world::{Travelling, World};
use crate::spec::{RadioSpec, Spec, Transport};

/// The agents of all flows that have them.
#[derive(Debug, Default)]
pub(super) struct Clamps {
    /// Agents of each flow; empty if no flow has any.
    flows: Vec<Option<Box<Clamp>>>,
}

/// The agents of a flow.
#[derive(Debug)]
struct Clamp {
    /// The receiver's station, and its agent.
    receiver: u16,
    suppressor: Suppressor,
    /// The agents of the stations that send to the receiver, in the order in which they first did.
    others: Vec<(u16, Regenerator)>,
}

/// Packet that a flow's agents are to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    /// Number of the packet among all under way.
    pub(super) id: u32,
    /// The station where it was seen.
    pub(super) station: u16,
    /// How the packet was seen there.
    pub(super) how: How,
}

/// How a packet was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// The receiver's MAC has acknowledged it to the station.
    Confirmed,
    /// The packet has come to the station from the receiver.
    Heard,
}

impl Clamps {
    pub(super) fn new(spec: &RadioSpec, run: &Spec) -> Self {
        let mut flows = Vec::new();
        if !spec.clamped.is_empty() {
            flows.resize_with(run.flows.len(), || None);
        }
        for &flow in &spec.clamped {
            let node = run.flows[flow].to;
            let receiver = spec.stations.iter().position(|s| s.node == node);
            let receiver = receiver.expect("a station: the scenario layer checks this");
            flows[flow] = Some(Box::new(Clamp {
                receiver: receiver as u16,
                suppressor: Suppressor::default(),
                others: Vec::new(),
            }));
        }
        Self { flows }
    }

    /// The receiver's station, if the flow has agents.
    pub(super) fn receiver(&self, flow: u32) -> Option<u16> {
        let clamp = self.flows.get(flow as usize)?.as_ref()?;
        Some(clamp.receiver)
    }

    fn of(&mut self, flow: u32) -> Option<&mut Clamp> {
        self.flows.get_mut(flow as usize)?.as_deref_mut()
    }
}

impl Clamp {
    fn at(&mut self, station: u16) -> &mut Regenerator {
        let known = self.others.iter().position(|(other, _)| *other == station);
        let place = known.unwrap_or_else(|| {
            self.others.push((station, Regenerator::default()));
            self.others.len() - 1
        });
        &mut self.others[place].1
    }
}

impl World<'_> {
    /// A packet enters the radio network, at place `hop` of the routes. Whether the agent at a flow's receiver drops
    /// it there.
    pub(super) fn clamp_drops(&mut self, id: u32, hop: u32) -> bool {
        let packet = &self.packets[id as usize].packet;
        let Some(clamp) = self.air.as_mut().and_then(|air| air.clamps.of(packet.flow)) else {
            return false;
        };
        let Body::TcpAck(segment) = &packet.body else {
            return false;
        };
        hop == self.routes.start(packet.flow, Direction::Reverse)
            && !clamp.suppressor.passes(segment)
    }

    /// A station's agent looks at a packet. The ACK that it makes enters the radio network there.
    pub(super) fn clamp_sees(&mut self, seen: Seen) {
        let Seen { id, station, how } = seen;
        let at = self.now;
        let packet = &self.packets[id as usize].packet;
        let flow = packet.flow;
        let Some(clamp) = self.air.as_mut().and_then(|air| air.clamps.of(flow)) else {
            return;
        };
        let made = match (&packet.body, how) {
            // TCP's checksum tells, not the MAC's.
            _ if packet.is_corrupt() => None,
            (Body::TcpData(segment), How::Confirmed) => clamp.at(station).on_confirmed(at, segment),
            (Body::TcpAck(segment), How::Heard) => clamp.at(station).on_ack(at, segment),
            _ => None,
        };
        if let Some(segment) = made {
            self.enter_made(flow, station, segment);
        }
    }

    fn enter_made(&mut self, flow: u32, station: u16, segment: Segment) {
        let hop = self.routes.start(flow, Direction::Reverse);
        let Next::Collects(lane) = self.routes.next(hop) else {
            unreachable!("ACKs of such a flow enter the radio network first")
        };
        let passage = self.lanes[lane as usize].passage();
        let Transport::Tcp(config) = &self.spec.flows[flow as usize].transport else {
            unreachable!("only TCP has segments")
        };
        let packet = Packet::new(flow, config.wire_size(&segment), Body::TcpAck(segment));
        let id = self.store(Travelling { hop, packet });
        match (&mut self.air, passage) {
            (Some(air), Some((_, to))) if to != station => {
                air.enter(self.now, id, &packet, (station, to));
            }
            // It leaves the network where it was made.
            _ => self.take_on(self.now, Label::of(&packet, id, hop + 1)),
        }
    }
}
