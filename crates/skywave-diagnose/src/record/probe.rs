//! Small packets sent now and then, each answered or not: ping, irtt.

/// Series of probes of one link, such as the output of a ping.
#[derive(Clone, Debug, PartialEq)]
pub struct Probes {
    /// Tool that sent the probes.
    pub tool: ProbeTool,
    /// The probes in the order in which they were sent.
    pub probes: Vec<Probe>,
    /// Bytes of a probe from the IP header on; `None` if the record does not tell.
    pub bytes: Option<u32>,
    /// Whether the record tells when probes were sent; if not, they are taken to be evenly spaced.
    pub is_timed: bool,
}

/// Tool that sent probes and wrote the record of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeTool {
    /// Any ping: round trips alone.
    Ping,
    /// irtt, which measures each direction.
    Irtt,
    /// A table of times and delays: round trips, each direction, or both.
    Table,
}

/// Probe, such as a ping, and whether it was answered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probe {
    /// Time at which the probe was sent, seconds from the first probe.
    pub sent_s: f64,
    /// Fate of the probe: answered or lost.
    pub fate: Fate,
}

/// Fate of a probe.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fate {
    /// An answer to the probe came.
    Answered {
        /// Round trip of the probe and its answer.
        rtt: Reading,
        /// Delay from the probing host to the answering one, seconds, by two clocks that need not agree: only its
        /// changes mean something. `None` if the record has round trips only.
        up_s: Option<f64>,
        /// Delay of the answer on its way back, seconds, by two clocks that need not agree: only its changes mean
        /// something. `None` if the record has round trips only.
        down_s: Option<f64>,
    },
    /// No answer ever came; the probe or its answer was lost in this direction.
    Lost(Way),
}

impl Fate {
    /// Round trip of the probe; `None` if it was lost.
    pub fn rtt(self) -> Option<Reading> {
        match self {
            Self::Answered { rtt, .. } => Some(rtt),
            Self::Lost(_) => None,
        }
    }
}

/// A measured time as the record has it: rounded or cut off, so the true one is between two bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// Least that the true time may be, seconds.
    pub low_s: f64,
    /// Most that the true time may be, seconds.
    pub high_s: f64,
}

impl Reading {
    /// Middle between the two bounds, seconds.
    pub fn middle_s(self) -> f64 {
        f64::midpoint(self.low_s, self.high_s)
    }
}

/// Direction of the link in which a probe was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The record does not tell the direction.
    Unknown,
    /// Lost on the way from the host that sends probes to the one that answers.
    Up,
    /// Lost on the way back, as an answer.
    Down,
}
