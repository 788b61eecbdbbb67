//! Segments in the words of a script.

use std::fmt::Write;

use skywave_core::packet::{Flags, Segment};
use skywave_core::time::Time;

use super::Run;
use super::layout::laid_out;
use crate::host::Sent;
use crate::language::{LETTERS, TcpOption, TcpPacket};

fn letters(flags: Flags) -> String {
    let set = LETTERS.iter().filter(|(bit, _)| flags.contains(*bit));
    let text: String = set.map(|(_, letter)| letter).collect();
    if text.is_empty() {
        "-".to_owned()
    } else {
        text
    }
}

fn options(list: &[TcpOption]) -> String {
    let mut parts = Vec::new();
    for option in list {
        parts.push(match option {
            TcpOption::Nop => "nop".to_owned(),
            TcpOption::End => "eol".to_owned(),
            TcpOption::Mss(mss) => format!("mss {mss}"),
            TcpOption::WindowScale(shift) => format!("wscale {shift}"),
            TcpOption::SackPermitted => "sackOK".to_owned(),
            TcpOption::Sack(blocks) => {
                let blocks: Vec<String> = blocks.iter().map(|(a, b)| format!("{a}:{b}")).collect();
                format!("sack {}", blocks.join(" "))
            }
            TcpOption::Timestamps { value, echo } => format!("TS val {value} ecr {echo}"),
            TcpOption::Other(name) => name.clone(),
        });
    }
    if parts.is_empty() {
        String::new()
    } else {
        format!(" <{}>", parts.join(","))
    }
}

/// Text of a packet that a script expects.
pub(super) fn expected(packet: &TcpPacket) -> String {
    let mut text = String::new();
    if let Some(ecn) = &packet.ecn {
        let _ = write!(text, "[{ecn}] ");
    }
    let end = packet.seq.wrapping_add(packet.len);
    let flags = Flags::from_bits_truncate(packet.flags);
    let _ = write!(
        text,
        "{} {}:{end}({})",
        letters(flags),
        packet.seq,
        packet.len
    );
    if let Some(ack) = packet.ack {
        let _ = write!(text, " ack {ack}");
    }
    if let Some(window) = packet.window {
        let _ = write!(text, " win {window}");
    }
    text += &packet
        .options
        .as_deref()
        .map_or_else(|| " <...>".to_owned(), options);
    text
}

impl Run {
    /// The options of a segment in a script's numbers; timestamps with the values that the script knows them by.
    pub(super) fn options_of(&self, segment: &Segment) -> Vec<TcpOption> {
        let mut list = Vec::new();
        if let Some(syn) = segment.options.syn() {
            list.extend(syn.mss.map(TcpOption::Mss));
            list.extend(syn.window_scale.map(TcpOption::WindowScale));
            list.extend(syn.sack_permitted.then_some(TcpOption::SackPermitted));
        }
        if let Some(timestamps) = segment.timestamps {
            list.push(TcpOption::Timestamps {
                value: self.tick_of(timestamps.value),
                echo: 0,
            });
        }
        let blocks = segment.options.sack();
        if !blocks.is_empty() {
            let script = |n: u32| self.remote.to_script(n, false);
            let blocks = blocks.iter().map(|b| (script(b.start.0), script(b.end.0)));
            list.push(TcpOption::Sack(blocks.collect()));
        }
        laid_out(list, self.host.settings.system)
    }

    /// A timestamp that was sent, in the script's count: from the first one on, in ticks.
    pub(super) fn tick_of(&self, value: Time) -> u32 {
        let (script, wire) = self.first_sent_timestamp.unwrap_or((0, value));
        let tick = self.setup.tick.as_nanos().max(1_000_000);
        script.wrapping_add((value.since(wire).as_nanos() / tick) as u32)
    }

    /// The script's sequence number of a segment that was sent. A reset of what no connection is for has none of a
    /// connection's numbers, but zero (RFC 9293 section 3.10.7.1).
    pub(super) fn seq_of(&self, segment: &Segment) -> u32 {
        if segment.is_rst() && segment.seq.0 == 0 {
            return 0;
        }
        self.local.to_script(segment.seq.0, segment.is_syn())
    }

    /// Text of a packet that was sent.
    pub(super) fn got(&self, sent: &Sent) -> String {
        let segment = &sent.segment;
        let is_syn = segment.is_syn();
        let seq = self.seq_of(segment);
        let mut text = format!(
            "{} {seq}:{}({})",
            letters(segment.flags),
            seq.wrapping_add(segment.len),
            segment.len
        );
        if segment.is_ack() {
            let _ = write!(
                text,
                " ack {}",
                self.remote.to_script(segment.ack.0, is_syn)
            );
        }
        let _ = write!(text, " win {}", sent.window);
        text += &options(&self.options_of(segment));
        text
    }
}
