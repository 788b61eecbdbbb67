//! Compares the packets that are sent with those that a script expects.

use skywave_core::packet::{Ecn, Flags};
use skywave_core::time::Time;

use super::{ANY_TIME, PATIENCE, Run, START, Stop, failed, seconds, show};
use crate::host::{ISS, Sent};
use crate::language::{TcpOption, TcpPacket, When};
use crate::numbers::Direction;

impl Run {
    pub(super) fn expect(&mut self, when: When, packet: &TcpPacket) -> Result<(), Stop> {
        let before = self.last;
        let (first, last) = match when {
            When::Absolute(t) => (START + t, START + t),
            When::Relative(t) => (before + t, before + t),
            When::AbsoluteRange(a, b) => (START + a, START + b),
            When::RelativeRange(a, b) => (before + a, before + b),
            When::Any => (before, before + ANY_TIME),
        };
        let any = when == When::Any;
        let limit = last + self.setup.tolerance + if any { ANY_TIME } else { PATIENCE };
        self.wait(limit)?;
        let Some(mut sent) = self.host.take_sent() else {
            return failed(show::expected(packet), "no packet");
        };
        let flags = Flags::from_bits_truncate(packet.flags);
        if flags.contains(Flags::SYN) && sent.segment.is_syn() {
            self.local = Direction::new(packet.seq, ISS);
        }
        self.merge(&mut sent, packet, limit)?;
        self.compare(packet, &sent)?;
        let early = !self.is_near(sent.at.min(first), first, before);
        let late = !self.is_near(sent.at.max(last), last, before);
        if (early || late) && !any {
            let since = |at: Time| seconds(at.since(START));
            return failed(
                format!("{} at {}", show::expected(packet), since(first)),
                format!("it at {}", since(sent.at)),
            );
        }
        self.last = self.last.max(sent.at);
        Ok(())
    }

    /// Goes on until a packet is there, or up to `limit`.
    fn wait(&mut self, limit: Time) -> Result<(), Stop> {
        while self.host.first_sent().is_none() {
            let Some(next) = self.host.next_timer().filter(|&next| next <= limit) else {
                break;
            };
            self.run_until(next.max(self.host.now()))?;
        }
        Ok(())
    }

    /// Adds the packets that follow as long as they belong to what is expected: a kernel may hand several segments to
    /// its device as one. A FIN may come in a segment of its own.
    fn merge(&mut self, sent: &mut Sent, packet: &TcpPacket, limit: Time) -> Result<(), Stop> {
        let kept = Flags::SYN | Flags::RST | Flags::ACK | Flags::ECE;
        while sent.segment.len > 0 && sent.segment.len < packet.len {
            let sum = sent.segment;
            let fits = |next: &Sent| {
                let next = &next.segment;
                next.len > 0
                    && next.seq.0 == sum.seq.0.wrapping_add(sum.len)
                    && next.flags & kept == sum.flags & kept
                    && sum.len + next.len <= packet.len
            };
            self.wait(limit)?;
            let Some(next) = self.host.take_sent_if(fits) else {
                return Ok(());
            };
            join(sent, &next);
        }
        let fin = Flags::FIN.bits() & packet.flags != 0 && packet.len > 0;
        if fin && !sent.segment.is_fin() {
            let end = sent.segment.seq.0.wrapping_add(sent.segment.len);
            let follows = |next: &Sent| {
                next.segment.is_fin() && next.segment.len == 0 && next.segment.seq.0 == end
            };
            if let Some(next) = self.host.take_sent_if(follows) {
                join(sent, &next);
            }
        }
        Ok(())
    }

    fn compare(&mut self, packet: &TcpPacket, sent: &Sent) -> Result<(), Stop> {
        let segment = &sent.segment;
        let flags = Flags::from_bits_truncate(packet.flags);
        let is_syn = segment.is_syn();
        let same_ack = !segment.is_ack()
            || packet.ack.unwrap_or(0) == self.remote.to_script(segment.ack.0, is_syn);
        let same = (segment.flags - Flags::PSH) == (flags - Flags::PSH)
            && self.seq_of(segment) == packet.seq
            && segment.len == packet.len
            && same_ack
            && packet.window.is_none_or(|window| window == sent.window)
            && same_ecn(packet.ecn.as_deref(), sent.ecn)
            && self.same_options(packet, sent);
        if same {
            return Ok(());
        }
        failed(show::expected(packet), self.got(sent))
    }

    /// Options are compared with the order and padding of the system that the script expects.
    fn same_options(&mut self, packet: &TcpPacket, sent: &Sent) -> bool {
        let Some(expected) = &packet.options else {
            return true;
        };
        for option in expected {
            if let (TcpOption::Timestamps { value, .. }, Some(wire)) =
                (option, sent.segment.timestamps)
            {
                let wire = wire.value;
                self.sent_timestamps.insert(*value, wire);
                self.first_sent_timestamp.get_or_insert((*value, wire));
            }
        }
        let got = self.options_of(&sent.segment);
        let same = |(a, b): (&TcpOption, &TcpOption)| self.same_option(a, b);
        got.len() == expected.len() && got.iter().zip(expected).all(same)
    }

    fn same_option(&self, a: &TcpOption, b: &TcpOption) -> bool {
        match (a, b) {
            (TcpOption::Timestamps { value: a, .. }, TcpOption::Timestamps { value: b, .. }) => {
                self.setup.tick.is_zero() || self.is_near_tick(*a, *b)
            }
            _ => a == b,
        }
    }

    /// Values of timestamps may differ by the tolerance, as times.
    fn is_near_tick(&self, a: u32, b: u32) -> bool {
        let apart = u64::from(a.wrapping_sub(b).min(b.wrapping_sub(a)));
        let first = self.first_sent_timestamp.map_or(0, |(script, _)| script);
        let passed = u64::from(a.wrapping_sub(first).min(b.wrapping_sub(first)));
        let tick = self.setup.tick.as_nanos();
        let share = passed as f64 * tick as f64 * self.setup.share;
        apart.saturating_mul(tick) <= self.setup.tolerance.as_nanos().max(share as u64).max(tick)
    }
}

/// Adds a packet to those before it: flags and options are the last one's.
fn join(sent: &mut Sent, next: &Sent) {
    sent.segment.len += next.segment.len;
    sent.segment.flags |= next.segment.flags;
    sent.segment.ack = next.segment.ack;
    sent.segment.options = next.segment.options;
    sent.window = next.window;
    sent.at = next.at;
}

fn same_ecn(expected: Option<&str>, got: Ecn) -> bool {
    match expected {
        None => true,
        Some("ect0") => got == Ecn::Ect0,
        Some("ect1") => got == Ecn::Ect1,
        Some("ect01") => matches!(got, Ecn::Ect0 | Ecn::Ect1),
        Some("ce") => got == Ecn::Ce,
        Some(_) => got == Ecn::NotEct,
    }
}
