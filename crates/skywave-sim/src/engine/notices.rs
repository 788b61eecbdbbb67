//! Explicit loss notification: after a channel has lost data of a flow, the next packet of the flow that
//! gets through says so, as a base station's link layer can (Balakrishnan and Katz 1998).

use skywave_core::packet::{Body, Marks, Packet};

use super::world::World;
use crate::losses::LossCause;

/// Flows whose next packet is to tell of a loss. They are few at any time, and most links never
/// have any, so that this is only a pointer.
#[derive(Debug, Default)]
#[expect(clippy::box_collection, reason = "a pointer is smaller than a list")]
pub(super) struct LossNotices(Option<Box<Vec<u32>>>);

impl LossNotices {
    fn note(&mut self, flow: u32) {
        let flows = self.0.get_or_insert_default();
        if !flows.contains(&flow) {
            flows.push(flow);
        }
    }

    /// No packet is to tell of a loss.
    #[inline]
    pub(super) fn are_none(&self) -> bool {
        self.0.as_ref().is_none_or(|flows| flows.is_empty())
    }

    /// A packet gets through: it says whether the one before it was lost.
    #[inline]
    pub(super) fn tell(&mut self, packet: &mut Packet) {
        if let Some(flows) = &mut self.0
            && !flows.is_empty()
        {
            tell(flows, packet);
        }
    }
}

#[cold]
fn tell(flows: &mut Vec<u32>, packet: &mut Packet) {
    if let Body::TcpData(_) = packet.body
        && let Some(place) = flows.iter().position(|&flow| flow == packet.flow)
    {
        flows.swap_remove(place);
        packet.marks |= Marks::ELN;
    }
}

impl World<'_> {
    /// Lane `lane` has lost packet `id`: if a channel did it, and the flow wants to know, the lane's next
    /// packet of the flow tells.
    #[cold]
    pub(super) fn notice_loss(&mut self, lane: u32, id: u32, cause: LossCause) {
        let packet = &self.packets[id as usize].packet;
        let by_channel = matches!(cause, LossCause::Channel | LossCause::Blackout);
        if by_channel
            && matches!(packet.body, Body::TcpData(_))
            && self.flows[packet.flow as usize].wants_loss_notices()
            && let Some(notices) = self.lanes[lane as usize].notices()
        {
            notices.note(packet.flow);
        }
    }
}
