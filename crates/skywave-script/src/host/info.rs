//! State that a connection tells of itself: the fields of `tcp_info` that are modelled.

use skywave_core::tcp::connection::State;
use skywave_core::tcp::limits::Limit;
use skywave_core::time::{Duration, Time};

use super::{End, Host};

/// Bits of `tcpi_options`.
const OPTIONS: [(&str, i64); 5] = [
    ("TCPI_OPT_TIMESTAMPS", 1),
    ("TCPI_OPT_SACK", 2),
    ("TCPI_OPT_WSCALE", 4),
    ("TCPI_OPT_ECN", 8),
    ("TCPI_OPT_SYN_DATA", 32),
];

/// The states in the order of their numbers in Linux, from 1, with their names there and as `sockstat` prints them.
const STATES: [(State, &str, &str); 11] = [
    (State::Established, "ESTABLISHED", "ESTABLISHED"),
    (State::SynSent, "SYN_SENT", "SYN_SENT"),
    (State::SynReceived, "SYN_RECV", "SYN_RCVD"),
    (State::FinWait1, "FIN_WAIT1", "FIN_WAIT_1"),
    (State::FinWait2, "FIN_WAIT2", "FIN_WAIT_2"),
    (State::TimeWait, "TIME_WAIT", "TIME_WAIT"),
    (State::Closed, "CLOSE", "CLOSED"),
    (State::CloseWait, "CLOSE_WAIT", "CLOSE_WAIT"),
    (State::LastAck, "LAST_ACK", "LAST_ACK"),
    (State::Listen, "LISTEN", "LISTEN"),
    (State::Closing, "CLOSING", "CLOSING"),
];

/// A state's name as `sockstat` prints it.
pub(crate) fn state_name(state: State) -> &'static str {
    let found = STATES.iter().find(|(known, ..)| *known == state);
    found.map_or("", |(.., name)| name)
}

fn number(state: State) -> i64 {
    let at = STATES.iter().position(|(known, ..)| *known == state);
    at.map_or(0, |at| at as i64 + 1)
}

/// A named constant of code: states, phases of congestion control, bits.
fn constant(name: &str) -> Option<i64> {
    if let Some((_, bit)) = OPTIONS.iter().find(|(n, _)| *n == name) {
        return Some(*bit);
    }
    let phases = ["Open", "Disorder", "CWR", "Recovery", "Loss"];
    if let Some(phase) = name.strip_prefix("TCP_CA_") {
        return phases.iter().position(|p| *p == phase).map(|at| at as i64);
    }
    let state = name
        .strip_prefix("TCPI_")
        .or_else(|| name.strip_prefix("TCP_"))?;
    let state = match state {
        "SYN_RECEIVED" => "SYN_RECV",
        "FIN_WAIT_1" => "FIN_WAIT1",
        "FIN_WAIT_2" => "FIN_WAIT2",
        "CLOSED" => "CLOSE",
        other => other,
    };
    let at = STATES.iter().position(|(_, name, _)| *name == state)?;
    Some(at as i64 + 1)
}

impl Host {
    /// A quantity or constant by its name in code; `None` if it is not modelled.
    pub(crate) fn quantity(&self, name: &str) -> Option<i64> {
        if let Some(value) = constant(name) {
            return Some(value);
        }
        let field = name.strip_prefix("tcpi_")?;
        if field == "state" {
            return Some(number(self.state()));
        }
        self.tested()?.field(field, self.now)
    }

    /// The state of the connection or socket under test.
    fn state(&self) -> State {
        if let Some(end) = self.tested() {
            return end.connection.state();
        }
        match self
            .newest
            .and_then(|file| self.files.get(&file))
            .map(|s| &s.kind)
        {
            Some(super::Kind::Listener(_)) => State::Listen,
            _ => State::Closed,
        }
    }
}

impl End {
    fn field(&self, field: &str, now: Time) -> Option<i64> {
        let sender = self.connection.sender();
        let flight = sender.flight();
        let agreed = self.connection.agreed();
        let mss = u64::from(agreed.mss.max(1));
        let segments = |bytes: u64| bytes.div_ceil(mss) as i64;
        let micros = |d: Duration| (d.as_nanos() / 1000) as i64;
        Some(match field {
            "snd_cwnd" => sender.window().cwnd.0 as i64,
            "snd_ssthresh" => {
                let ssthresh = sender.window().ssthresh.0;
                // A threshold that nothing has set is endless in Linux.
                if sender.counters().window_cuts == 0 {
                    i64::from(i32::MAX)
                } else {
                    ssthresh as i64
                }
            }
            "ca_state" => {
                if sender.in_recovery() {
                    3
                } else if sender.rto().backoff() > 1 {
                    4
                } else {
                    i64::from(flight.sacked_bytes() > 0)
                }
            }
            "options" => {
                i64::from(agreed.timestamps)
                    | i64::from(agreed.sack) << 1
                    | i64::from(agreed.window_scaling) << 2
                    | i64::from(agreed.ecn) << 3
            }
            "unacked" => flight.segments().len() as i64,
            "sacked" => segments(flight.sacked_bytes()),
            // Also those that were sent again, until they are acknowledged.
            "lost" => flight
                .segments()
                .filter(|s| !s.sacked && (s.lost || s.resent))
                .count() as i64,
            "retrans" => flight.segments().filter(|s| !s.sacked && s.resent).count() as i64,
            "reordering" => self.reordering.metric().into(),
            "reord_seen" => self.reordering.seen().into(),
            "bytes_received" => self.connection.received() as i64,
            "rcv_mss" => self.received_mss.into(),
            "snd_mss" => agreed.mss.into(),
            "advmss" => self.advertised.into(),
            "last_data_recv" => (now.since(self.last_data).as_nanos() / 1_000_000) as i64,
            "busy_time" => micros(self.sending.busy.read(now)),
            "sndbuf_limited" => micros(self.sending.starved.read(now)),
            "rwnd_limited" => micros(sender.limit_times(now).of(Limit::Rwnd)),
            "rto" => micros(sender.rto().rto()),
            "rtt" => micros(sender.rto().srtt()?),
            "rttvar" => micros(sender.rto().rttvar()?),
            "backoff" => sender.rto().backoff().into(),
            "total_retrans" => sender.counters().retransmits as i64,
            _ => return None,
        })
    }
}
