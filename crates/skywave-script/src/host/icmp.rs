//! ICMP messages about a segment that was sent.

use skywave_core::tcp::connection::State;

use super::{Host, System};
use crate::language::IcmpPacket;
use crate::report::Skip;

impl Host {
    /// A message arrives that quotes the segment with the number `seq` on the wire. One about a number that is not in
    /// flight is ignored (RFC 5927 section 4.1), and only a connection that is not established ends (RFC 1122 section
    /// 4.2.3.9 allows more).
    pub(crate) fn deliver_icmp(
        &mut self,
        message: &IcmpPacket,
        seq: Option<u32>,
    ) -> Result<(), Skip> {
        if message.code == "frag_needed" || message.kind == "packet_too_big" {
            return Err(Skip::new("path MTU discovery", ""));
        }
        let Some(end) = self.tested.and_then(|n| self.ends.get_mut(n)) else {
            return Ok(());
        };
        let flight = end.connection.sender().flight();
        let in_flight = seq.is_some_and(|seq| {
            let from_start = u64::from(seq.wrapping_sub(super::ISS));
            (flight.una()..flight.max()).contains(&from_start)
        });
        let opening = matches!(end.connection.state(), State::SynSent | State::SynReceived);
        if !in_flight || !opening || !self.settings.icmp_may_reset {
            return Ok(());
        }
        let expired = message.kind == "time_exceeded" && message.code.contains("exceeded_");
        let refused =
            self.settings.system == System::FreeBsd && message.code == "unknown_next_header";
        if message.kind != "unreachable" && !expired && !refused {
            return Ok(());
        }
        let error = match (self.settings.system, message.code.as_str()) {
            _ if expired => "EHOSTUNREACH",
            _ if refused => "ECONNREFUSED",
            (_, "port_unreachable")
            | (
                System::FreeBsd,
                "net_prohibited"
                | "host_prohibited"
                | "packet_filtered"
                | "admin_prohibited"
                | "protocol_unreachable",
            ) => "ECONNREFUSED",
            (System::FreeBsd, _) => return Ok(()),
            (System::Linux, "net_unreachable") => "ENETUNREACH",
            (System::Linux, "protocol_unreachable") => "ENOPROTOOPT",
            (System::Linux, "admin_prohibited") => "EACCES",
            (System::Linux, _) => "EHOSTUNREACH",
        };
        end.give_up(error);
        self.drain();
        Ok(())
    }
}
