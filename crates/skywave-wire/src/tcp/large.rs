//! Packets larger than a path takes, for a device that cuts them in segments and fills in their checksums.

use skywave_core::Time;
use skywave_core::packet::Flags;
use skywave_core::tcp::connection::Outgoing;
use skywave_core::tcp::wire::{self, WireError};

use super::endpoint::Endpoint;
use super::table::StreamId;

/// Payload bytes of a large packet at most: what its length field has room for beside the headers.
const LARGEST: u32 = wire::MAX_PAYLOAD as u32;

/// Work on a packet of [`Endpoint::transmit_large`] that is left to the device: its checksum, and cutting it in
/// segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Complete packet, which leaves nothing to the device.
    Whole,
    /// Packet whose TCP checksum the device completes (the field has the sum of the pseudo header), and whose
    /// payload it cuts in segments, as with TSO.
    Unsummed {
        /// Bytes of the IP header.
        ip: u16,
        /// Bytes of the IP and TCP headers together.
        headers: u16,
        /// Payload bytes of each segment except the last one, which may be shorter; `None` if the packet is one
        /// segment.
        piece: Option<u16>,
    },
}

impl Endpoint {
    /// Takes a TCP packet that arrives, but does not look at its TCP checksum: a device has checked it, or left it out.
    /// The error says why the packet was ignored.
    pub fn receive_unsummed(&mut self, now: Time, packet: &[u8]) -> Result<(), WireError> {
        let parsed = wire::parse_unsummed(packet)?;
        self.on_segment(now, &parsed);
        Ok(())
    }

    /// Writes the next packet to send into `out`, which is emptied before: one packet, or several consecutive segments
    /// of a connection as one large packet that the device cuts. `None` if there is none.
    pub fn transmit_large(&mut self, now: Time, out: &mut Vec<u8>) -> Option<Form> {
        if self.take_waiting(out) {
            return Some(Form::Whole);
        }
        while let Some((id, outgoing)) = self.next(now) {
            let len = outgoing.segment.len;
            if len == 0 || len > self.room(now, id, &outgoing) {
                if self.write_out(now, id, &outgoing, out) {
                    return Some(Form::Whole);
                }
            } else if let Some(form) = self.write_large(now, id, outgoing, out) {
                return Some(form);
            }
        }
        None
    }

    /// Writes a segment that the path takes, and what follows it.
    fn write_large(
        &mut self,
        now: Time,
        id: StreamId,
        first: Outgoing,
        out: &mut Vec<u8>,
    ) -> Option<Form> {
        let socket = self.table.get_mut(id)?;
        let mut whole = first;
        while whole.segment.len.is_multiple_of(first.segment.len)
            && let Some(next) = socket.poll(now)
        {
            // A device's MTU may allow one segment more than this.
            let room = LARGEST.saturating_sub(whole.segment.len);
            if next.segment.len > first.segment.len.min(room) || !follows(&whole, &next) {
                socket.held = Some(next);
                break;
            }
            whole.segment.len += next.segment.len;
            // Devices set it on the last segment alone.
            whole.segment.flags |= next.segment.flags;
        }
        let ip = wire::write_unsummed(&socket.header(whole.ecn), &whole.segment, out).ok()?;
        let headers = out.len();
        socket
            .sending
            .copy(whole.position, whole.segment.len as usize, out);
        Some(Form::Unsummed {
            ip: ip as u16,
            headers: headers as u16,
            piece: (whole.segment.len > first.segment.len).then_some(first.segment.len as u16),
        })
    }
}

/// Whether a segment is the other one's continuation, with all else alike.
fn follows(first: &Outgoing, next: &Outgoing) -> bool {
    let plain = Flags::ACK | Flags::PSH;
    let (a, b) = (&first.segment, &next.segment);
    b.len > 0
        && plain.contains(a.flags | b.flags)
        && next.position == first.position + u64::from(a.len)
        && b.seq.0 == a.seq.0.wrapping_add(a.len)
        && (a.ack, a.window, a.timestamps, a.options) == (b.ack, b.window, b.timestamps, b.options)
        && first.ecn == next.ecn
}
