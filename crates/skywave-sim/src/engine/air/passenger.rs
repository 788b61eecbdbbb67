//! Packets of the world as a radio network carries them: a number, a flow and an ECN field.

use skywave_core::packet::{Ecn, Labelled};

/// A copy of a packet on its way through the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Passenger {
    /// Number of the packet among those under way.
    pub(super) id: u32,
    /// Flow of the packet as queues tell flows apart: each direction between two stations is a flow of
    /// its own.
    flow: u32,
    /// ECN field of the packet.
    pub(super) ecn: Ecn,
}

impl Passenger {
    /// A packet of the world's `flow` that goes from one station to another.
    pub(super) fn new(id: u32, flow: u32, ecn: Ecn, from: u16, to: u16) -> Self {
        Self {
            id,
            flow: (flow << 1) | u32::from(from > to),
            ecn,
        }
    }

    /// Flow of the packet as the world numbers flows.
    pub(super) fn flow_of_world(&self) -> u32 {
        self.flow >> 1
    }
}

impl Labelled for Passenger {
    fn flow(&self) -> u32 {
        self.flow
    }

    fn ecn(&self) -> Ecn {
        self.ecn
    }

    fn mark(&mut self) {
        self.ecn = Ecn::Ce;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_direction_of_each_flow_is_a_flow_of_its_own() {
        let flow = |flow, from, to| Passenger::new(0, flow, Ecn::NotEct, from, to).flow();
        let all = [flow(0, 1, 2), flow(0, 2, 1), flow(1, 1, 2), flow(1, 2, 1)];
        assert_eq!(all, [0, 1, 2, 3]);
        let of_world = Passenger::new(0, 7, Ecn::NotEct, 2, 1).flow_of_world();
        assert_eq!(of_world, 7);
    }
}
