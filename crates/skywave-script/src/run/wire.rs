//! Packets of a script as segments.

use skywave_core::packet::{Ecn, Flags, Options, SackBlock, Segment, SynOptions, Timestamps};
use skywave_core::seq::SeqNr;
use skywave_core::tcp::connection::State;
use skywave_core::time::Time;

use super::{Run, Stop, failed};
use crate::language::{TcpOption, TcpPacket};
use crate::numbers::Direction;

/// A tick of the peer's clock, as a time: only their order and their echo matter.
const PEER_TICK: u64 = 1_000_000;
/// First timestamp of the peer, in ticks: so high that earlier ones are above zero.
const PEER_FIRST: i64 = 1 << 33;

impl Run {
    pub(super) fn inject(&mut self, packet: &TcpPacket) -> Result<(), Stop> {
        let flags = Flags::from_bits_truncate(packet.flags);
        let is_syn = flags.contains(Flags::SYN);
        let state = self.host.tested().map(crate::host::End::state);
        let unmet = matches!(
            state,
            None | Some(State::Closed | State::Listen | State::SynSent)
        );
        if is_syn && unmet {
            self.remote = Direction::new(packet.seq, packet.seq);
        }
        let mut options = Options::None;
        let mut timestamps = None;
        let mut syn = SynOptions::default();
        for option in packet.options.iter().flatten() {
            match option {
                TcpOption::Mss(mss) => syn.mss = Some(*mss),
                TcpOption::WindowScale(shift) => syn.window_scale = Some(*shift),
                TcpOption::SackPermitted => syn.sack_permitted = true,
                TcpOption::Sack(blocks) => options = self.blocks(blocks),
                TcpOption::Timestamps { value, echo } => {
                    timestamps = Some(self.timestamps(*value, *echo)?);
                }
                TcpOption::Nop | TcpOption::End | TcpOption::Other(_) => {}
            }
        }
        if is_syn {
            options = Options::Syn(syn);
        }
        let segment = Segment {
            seq: SeqNr(self.remote.to_wire(packet.seq, is_syn)),
            ack: SeqNr(if flags.contains(Flags::ACK) {
                self.local.to_wire(packet.ack.unwrap_or(0), is_syn)
            } else {
                0
            }),
            len: packet.len,
            window: packet.window.unwrap_or(0).min(0xffff),
            timestamps,
            flags,
            options,
            ..Segment::default()
        };
        let ecn = match packet.ecn.as_deref() {
            Some("ect0" | "ect01") => Ecn::Ect0,
            Some("ect1") => Ecn::Ect1,
            Some("ce") => Ecn::Ce,
            _ => Ecn::NotEct,
        };
        let signed = |o: &TcpOption| matches!(o, TcpOption::Other(name) if name == "md5");
        if !packet.options.iter().flatten().any(signed) {
            self.host.deliver(&segment, ecn);
        }
        Ok(())
    }

    fn blocks(&self, blocks: &[(u32, u32)]) -> Options {
        let wire = |number| SeqNr(self.local.to_wire(number, false));
        let block = |&(start, end): &(u32, u32)| SackBlock {
            start: wire(start),
            end: wire(end),
        };
        blocks.iter().map(block).collect()
    }

    fn timestamps(&mut self, value: u32, echo: u32) -> Result<Timestamps, Stop> {
        let first = *self.first_timestamp.get_or_insert(value);
        let ticks = PEER_FIRST + i64::from(value.wrapping_sub(first).cast_signed());
        let echoed = match self.sent_timestamps.get(&echo) {
            Some(sent) => *sent,
            None if echo == 0 => Time::ZERO,
            None => {
                return failed(
                    format!("a segment with `TS val {echo}` before it is echoed"),
                    "none",
                );
            }
        };
        Ok(Timestamps {
            value: Time::from_nanos(ticks.unsigned_abs() * PEER_TICK),
            echo: echoed,
        })
    }
}
