//! One setting that both simulators can run.

use super::agent::Agent;
use super::kernel::{self, Relayed};
use super::modern::{self, Dumbbell};
use super::shares::Shared;
use super::witness::Witness;

/// Bytes of IP and TCP headers.
pub(super) const HEADER: u32 = 40;

/// A path, an agent on it, and for how long.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The agent whose flow is measured.
    pub agent: Agent,
    /// Where it runs.
    pub path: Path,
    /// Simulated time, as a scenario file writes it.
    pub duration: String,
}

/// The paths of the studies.
#[derive(Clone, Debug, PartialEq)]
pub enum Path {
    /// Three links, random loss on the last one (CERL, figure 3).
    Cerl(Cerl),
    /// Mobile IP over a slow wireless link with two-state errors (SIFEST).
    Sifest(Sifest),
    /// 24 flows over one bottleneck without channel errors (TCP-DCR, section 4.2).
    Dcr(Dcr),
    /// Flows with different round trips over one RED bottleneck.
    Red(RedBottleneck),
    /// A chain of 802.11g stations.
    Wifi(Wifi),
    /// Today's senders over a dumbbell in ns-3.
    Dumbbell(Dumbbell),
    /// The Linux kernel's senders through the relay.
    Relayed(Relayed),
    /// BBR beside another law of the Linux kernel, as others measured them.
    Shared(Shared),
    /// A point of the witness inside ns-2: the paths above with more settings.
    Witness(Box<Witness>),
}

/// Settings of a chain of stations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wifi {
    /// Its radios, and how far the stations are apart.
    pub radios: Radios,
    /// Links from end to end.
    pub hops: u32,
    /// RTS and CTS go before every unicast data frame.
    pub rts: bool,
    /// A slot in µs.
    pub slot_us: u32,
    /// Payload of a segment.
    pub mss: u32,
}

/// Radios of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Radios {
    /// Two-ray ground, 250 m of reception and 550 m of carrier sense, 200 m apart.
    Ns2,
    /// ns-3's own log-distance loss, 30 m apart.
    Ns3,
}

/// Settings of CERL's path.
#[derive(Clone, Debug, PartialEq)]
pub struct Cerl {
    /// Bottleneck rate, as a scenario file writes it.
    pub rate: String,
    /// Bottleneck delay, as a scenario file writes it.
    pub delay: String,
    /// Tail drop limit of every link in packets; the window is three times that.
    pub buffer: u32,
    /// Loss probability before the last link.
    pub loss: f64,
    /// A second agent over the same bottleneck; both then start within 100 ms.
    pub beside: Option<Agent>,
}

/// Settings of SIFEST's path.
#[derive(Clone, Debug, PartialEq)]
pub struct Sifest {
    /// Packets have a header.
    pub header: bool,
    /// Limited Transmit.
    pub limited_transmit: bool,
    /// The sender of 2001: first window 1, no smallest RTO, first RTO 6 s.
    pub era: bool,
    /// Clock tick in seconds.
    pub tick: f64,
    /// Longest delay of an ACK in ms; 0 for none.
    pub delack_ms: u32,
    /// Rate of the voice flow in kb/s; 0 for none.
    pub cbr_kbps: u32,
    /// Receiver's window in packets.
    pub window: u32,
    /// Loss probability in the good state.
    pub loss_good: f64,
    /// Loss probability in the bad state.
    pub loss_bad: f64,
    /// Losses are after the transmission instead of before the queue.
    pub tail: bool,
}

/// Settings of TCP-DCR's path.
#[derive(Clone, Debug, PartialEq)]
pub struct Dcr {
    /// The bottleneck's queue.
    pub queue: Queue,
    /// Its limit in packets.
    pub buffer: u32,
    /// Receiver's window in packets.
    pub window: u32,
    /// Flows start a second apart, plus a share of a second up to this one.
    pub jitter: f64,
    /// Access delays are drawn within ± half of this around 5 ms, in ms: unequal ones take the flows
    /// out of lockstep.
    pub spread_ms: u32,
}

/// Settings of the RED bottleneck.
#[derive(Clone, Debug, PartialEq)]
pub struct RedBottleneck {
    /// Number of flows; they start within the first second.
    pub flows: u32,
    /// Bottleneck rate, as a scenario file writes it.
    pub rate: String,
    /// Bottleneck delay, as a scenario file writes it.
    pub delay: String,
    /// Access delay of each flow beyond that of the one before it, ms: different round trips keep
    /// flows out of lockstep.
    pub step_ms: u32,
    /// Queue limit in packets.
    pub buffer: u32,
    /// The queue is measured in bytes (in packets of 1000 bytes and their headers).
    pub in_bytes: bool,
    /// Lower threshold in packets.
    pub min: u32,
    /// Upper threshold in packets.
    pub max: u32,
    /// Drop probability at the upper threshold.
    pub max_p: f64,
    /// Above the upper threshold the probability rises instead of jumping to 1.
    pub gentle: bool,
    /// No drop follows another one too early.
    pub wait: bool,
    /// Loss probability after the bottleneck.
    pub loss: f64,
    /// Flows use ECN, and the queue marks their packets instead of dropping them early.
    pub ecn: bool,
}

impl RedBottleneck {
    /// Bytes of a packet on the wire.
    pub(super) const PACKET: u32 = 1000 + HEADER;
    /// Weight of the queue's moving average.
    pub(super) const WEIGHT: f64 = 0.002;
    /// Receiver's window in packets: never full.
    pub(super) const WINDOW: u32 = 1000;
    /// When measuring begins.
    pub(super) const FROM: &str = "20s";
}

/// Queues of TCP-DCR's bottleneck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queue {
    /// Tail drop.
    DropTail,
    /// RED with thresholds at a quarter and three quarters of the buffer, in packets.
    Red,
    /// The same in ns-2's own unit, bytes of packets of 500 bytes.
    RedBytes,
}

/// Flows of TCP-DCR's path.
pub(super) const DCR_FLOWS: usize = 24;
/// When its measuring begins.
pub(super) const DCR_FROM: &str = "100s";

impl Case {
    /// Payload of a packet as ns-2 counts it, and as ours carries it. Where ns-2 sends no header,
    /// ours is part of the payload: packets then have the same size on the wire.
    pub(super) fn payload(&self) -> (u32, u32) {
        let (theirs, bare) = match &self.path {
            Path::Cerl(_) => (1460, self.agent.bare),
            Path::Sifest(s) => (512, !s.header),
            Path::Dcr(_) | Path::Red(_) => (1000, false),
            Path::Wifi(w) => (w.mss, false),
            Path::Dumbbell(_) => (modern::MSS, false),
            Path::Relayed(_) | Path::Shared(_) => (kernel::MSS, false),
            Path::Witness(w) => (w.stack.mss, !w.stack.header),
        };
        (theirs, if bare { theirs - HEADER } else { theirs })
    }

    /// Factor by which our goodput is multiplied, to count payload as ns-2 does.
    pub(super) fn payload_scale(&self) -> f64 {
        let (theirs, ours) = self.payload();
        f64::from(theirs) / f64::from(ours)
    }

    /// Simulated time in seconds.
    pub(super) fn seconds(&self) -> Option<f64> {
        self.duration.strip_suffix('s')?.parse().ok()
    }

    /// The link that is the bottleneck, by its name in the scenario.
    pub(super) const BOTTLENECK: &'static str = "bottleneck";

    /// How many flows, from the first on, are measured together.
    pub(super) fn measured_flows(&self) -> usize {
        match &self.path {
            Path::Dcr(_) => DCR_FLOWS,
            Path::Red(path) => path.flows as usize,
            Path::Dumbbell(path) => path.flows(),
            Path::Shared(path) => path.flows as usize,
            Path::Witness(path) => path.measured as usize,
            _ => 1,
        }
    }

    /// How many flows after these are measured as those beside.
    pub(super) fn flows_beside(&self) -> usize {
        match &self.path {
            Path::Shared(_) => 1,
            Path::Witness(path) => path.others() as usize,
            _ => 0,
        }
    }
}

impl Radios {
    /// Those of this name in the table.
    pub(super) fn of_ns3(name: &str) -> Option<Self> {
        match name {
            "ns2" => Some(Self::Ns2),
            "default" => Some(Self::Ns3),
            _ => None,
        }
    }
}

impl Queue {
    /// Its name in ns-2, and in the arguments of the script.
    pub fn ns_name(self) -> &'static str {
        match self {
            Self::DropTail => "DropTail",
            Self::Red => "RED",
            Self::RedBytes => "RED_bytesdefault",
        }
    }

    /// The queue of this name.
    pub(super) fn of_ns(name: &str) -> Option<Self> {
        let all = [Self::DropTail, Self::Red, Self::RedBytes];
        all.into_iter().find(|queue| queue.ns_name() == name)
    }
}
