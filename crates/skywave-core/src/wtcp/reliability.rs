//! Figure 2: what the sender keeps until it is acknowledged, and when it is sent again.

use std::collections::VecDeque;

use super::packet::Ack;

/// A piece of a WTCP stream that was sent and is not acknowledged yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentPacket {
    /// Stream position of the first byte.
    pub rel_seq: u64,
    /// Payload bytes.
    pub len: u16,
    /// Whether the stream ends with this piece.
    pub fin: bool,
    /// Control sequence number of the piece's latest transmission: one more in every packet of the sender.
    pub ctrl_seq: u64,
    /// Whether the latest transmission counts as lost, so that the piece is to be sent again.
    pub ready_for_retx: bool,
}

impl SentPacket {
    /// First stream position after the piece; the end of the stream takes one of its own.
    pub fn end(&self) -> u64 {
        self.rel_seq + u64::from(self.len) + u64::from(self.fin)
    }
}

/// The unacked list, in the order of the stream.
#[derive(Clone, Debug, Default)]
pub(super) struct Unacked {
    packets: VecDeque<SentPacket>,
    ready: usize,
}

impl Unacked {
    /// Adds a packet sent for the first time, which follows all others in the stream.
    pub(super) fn push(&mut self, packet: SentPacket) {
        self.packets.push_back(packet);
    }

    /// Nothing is outstanding.
    pub(super) fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// Some packet is to be sent again.
    pub(super) fn has_ready(&self) -> bool {
        self.ready > 0
    }

    /// The packet to be sent again next, the first in the stream: its transmission is numbered
    /// `ctrl_seq`.
    pub(super) fn retransmit(&mut self, ctrl_seq: u64) -> Option<SentPacket> {
        let packet = self.packets.iter_mut().find(|p| p.ready_for_retx)?;
        packet.ready_for_retx = false;
        packet.ctrl_seq = ctrl_seq;
        self.ready -= 1;
        Some(*packet)
    }

    /// Figure 2, `process_ack`.
    ///
    /// An ACK that has not room for all blocks says nothing about packets above its last one.
    pub(super) fn process_ack(&mut self, ack: &Ack) {
        let position = |offset: u32| ack.cack.saturating_add(u64::from(offset));
        let known = match ack.sack.last() {
            Some(last) if ack.more => position(last.end),
            _ => u64::MAX,
        };
        let sacked = |p: &SentPacket| {
            let mut blocks = ack.sack.iter();
            blocks.any(|b| position(b.start) <= p.rel_seq && p.end() <= position(b.end))
        };
        let mut ready = 0;
        self.packets.retain_mut(|p| {
            let cacked = p.end() <= ack.cack;
            if cacked || sacked(p) {
                return false;
            }
            // Of two transmissions the later one has arrived.
            if !p.ready_for_retx && p.ctrl_seq < ack.hctrl_seq && p.end() <= known {
                p.ready_for_retx = true;
            }
            ready += usize::from(p.ready_for_retx);
            true
        });
        self.ready = ready;
    }

    /// The list, in the order of the stream.
    pub(super) fn iter(&self) -> impl Iterator<Item = &SentPacket> {
        self.packets.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wtcp::SackBlock;

    /// Packets of 10 bytes with the control sequence numbers given.
    fn unacked(ctrl_seqs: &[u64]) -> Unacked {
        let mut list = Unacked::default();
        for (n, &ctrl_seq) in ctrl_seqs.iter().enumerate() {
            list.push(SentPacket {
                rel_seq: 10 * n as u64,
                len: 10,
                fin: false,
                ctrl_seq,
                ready_for_retx: false,
            });
        }
        list
    }

    fn ack(hctrl_seq: u64, cack: u64, blocks: &[(u32, u32)]) -> Ack {
        Ack {
            hctrl_seq,
            cack,
            sack: blocks
                .iter()
                .map(|&(start, end)| SackBlock { start, end })
                .collect(),
            ..Ack::default()
        }
    }

    fn left(list: &Unacked) -> Vec<(u64, bool)> {
        list.iter().map(|p| (p.rel_seq, p.ready_for_retx)).collect()
    }

    #[test]
    fn acknowledged_packets_leave_the_list() {
        let mut list = unacked(&[0, 1, 2, 3]);
        // Cumulatively up to 10, and 20 to 30 selectively.
        list.process_ack(&ack(0, 10, &[(10, 20)]));
        assert_eq!(left(&list), [(10, false), (30, false)]);
    }

    #[test]
    fn a_packet_is_lost_once_a_later_transmission_has_arrived() {
        let mut list = unacked(&[0, 1, 2, 3]);
        list.process_ack(&ack(2, 10, &[(10, 20)]));
        assert_eq!(left(&list), [(10, true), (30, false)]);
        assert!(list.has_ready());
        // Sent again as 4: packets up to 3 do not tell of that.
        assert_eq!(list.retransmit(4).map(|p| p.rel_seq), Some(10));
        assert!(!list.has_ready());
        list.process_ack(&ack(3, 10, &[(10, 30)]));
        assert_eq!(left(&list), [(10, false)]);
        list.process_ack(&ack(4, 10, &[(10, 30)]));
        assert_eq!(left(&list), [(10, false)], "its own transmission");
        list.process_ack(&ack(5, 10, &[(10, 30)]));
        assert_eq!(left(&list), [(10, true)]);
    }

    #[test]
    fn the_first_in_the_stream_goes_first() {
        let mut list = unacked(&[5, 3, 4]);
        list.process_ack(&ack(9, 0, &[]));
        assert_eq!(list.retransmit(10).map(|p| p.rel_seq), Some(0));
        assert_eq!(list.retransmit(11).map(|p| p.rel_seq), Some(10));
        assert_eq!(list.retransmit(12).map(|p| p.rel_seq), Some(20));
        assert_eq!(list.retransmit(13), None);
    }

    #[test]
    fn an_ack_without_room_for_all_blocks_is_silent_about_the_rest() {
        let mut list = unacked(&[0, 1, 2, 3, 4]);
        let mut short = ack(4, 0, &[(10, 20)]);
        short.more = true;
        list.process_ack(&short);
        assert_eq!(
            left(&list),
            [(0, true), (20, false), (30, false), (40, false)]
        );
    }
}
