//! The built-in sets.

use super::case::Path;
use super::reference::{self, Row};
use super::table::Unreadable;
use super::verdict::Quantity::{self, Goodput, LossRate, MeanQueue, Share, Sojourn};
use super::{NS2, Set, Terms};
use skywave_scenario::ScenarioError;

/// The names of the built-in sets.
pub const SETS: &[&str] = &[
    "cerl",
    "sifest",
    "dcr",
    "dcr-lockstep",
    "ecn",
    "witness",
    "linux",
    "ns3",
    "modern",
    "queues",
    "kernel",
    "shares",
    "wifi",
    "wifi-far",
];

/// Why there is no such set.
#[derive(Debug, thiserror::Error)]
pub enum SetError {
    /// None has this name.
    #[error("there is no set `{0}`; there are {sets}", sets = SETS.join(", "))]
    Unknown(String),
    /// A row of its table cannot be understood.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// A row is no valid scenario.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
}

/// Replications of TCP-DCR's rows at most: each of them is a million packets, and has little noise.
const LONG_SEEDS: u64 = 3;

/// Replications of shared bottlenecks at most: a run is up to 1000 s.
const SHARED_SEEDS: u64 = 5;

impl Set {
    /// A built-in set with seeds 1 to `seeds` or fewer.
    pub fn named(name: &str, seeds: u64) -> Result<Self, SetError> {
        let (terms, rows, seeds) = match name {
            "cerl" => (
                terms(
                    "one flow over CERL's path, against ns-2.35",
                    Some(0.95),
                    "Vegas in ns-2 sends no header: our packets are as large on the wire. \
                     Vegas_pkt1500 has one.",
                ),
                cerl(true)?,
                seeds,
            ),
            "sifest" => (
                terms(
                    "one flow over SIFEST's path with two-state errors, against ns-2.35",
                    Some(0.90),
                    "Without SIFEST's own mechanism, which ns-2 does not have.",
                ),
                reference::sifest()?,
                seeds,
            ),
            "dcr" => (
                Terms {
                    decisive: &Quantity::OF_DCR,
                    ..terms(
                        "24 SACK flows over TCP-DCR's bottleneck, against ns-2.35",
                        Some(1.0),
                        "Tail drop with unequal access delays (drawn within the spread, ms).",
                    )
                },
                reference::dcr()?,
                seeds.min(LONG_SEEDS),
            ),
            "dcr-lockstep" => (
                Terms {
                    decisive: &[Goodput, LossRate, MeanQueue],
                    ..terms(
                        "the same with tail drop and equal delays, against ns-2.35",
                        Some(1.0),
                        "Flows in lockstep: the phases of packets decide who loses how many in a \
                         row. Timeouts and retransmissions are printed, not judged.",
                    )
                },
                reference::dcr_lockstep()?,
                seeds.min(LONG_SEEDS),
            ),
            "ecn" => (
                Terms {
                    decisive: &Quantity::DECISIVE_OF_RED,
                    ..terms(
                        "Reno over a RED bottleneck without ECN (0) and with (1), against ns-2.35",
                        Some(1.0),
                        "first_mbps is the goodput of the flow with the shortest round trip.",
                    )
                },
                reference::red()?,
                seeds,
            ),
            "witness" => (
                Terms {
                    peer: "agents in ns-2",
                    decisive: &[Goodput],
                    ..terms(
                        "CERL, TCP-DCR and SIFEST, and senders without them, against agents of our \
                         own inside ns-2.35",
                        Some(0.90),
                        "Goodput is judged, all else only printed. Sums over the measured flows.",
                    )
                },
                reference::witness()?,
                seeds,
            ),
            "linux" => (
                terms(
                    "CERL's path, against ns-2.35's ports of Linux",
                    None,
                    "Not judged: other algorithms than ours. docs/validation.md says why they differ.",
                ),
                cerl(false)?,
                seeds,
            ),
            "ns3" => (
                Terms {
                    peer: "ns-3",
                    decisive: &[Goodput],
                    ..terms(
                        "CERL's path with the profile rfc, against ns-3.44",
                        None,
                        "Not judged: ns-3 has proportional rate reduction, and other readings of \
                         Vegas, Veno and Westwood.",
                    )
                },
                reference::ns3()?,
                seeds,
            ),
            "modern" => (
                Terms {
                    peer: "ns-3",
                    decisive: &[Goodput, Sojourn],
                    goodput_tolerance: Some(0.10),
                    ..terms(
                        "BBR, CUBIC and Reno over a FIFO, against ns-3.44",
                        None,
                        "sojourn_ms is the mean time in the queue discipline, without the packet that \
                         waits in the device.",
                    )
                },
                reference::modern()?,
                seeds,
            ),
            "queues" => (
                Terms {
                    peer: "ns-3",
                    decisive: &[Goodput, Sojourn],
                    goodput_tolerance: Some(0.10),
                    ..terms(
                        "CoDel, FQ-CoDel and PIE with ECN, and BBR beside CUBIC, against ns-3.44",
                        None,
                        "goodput_mbps is that of all flows, first_mbps that of the first; sojourn_ms the mean time \
                         in the queue discipline.",
                    )
                },
                reference::queues()?,
                seeds,
            ),
            "kernel" => (
                Terms {
                    peer: "Linux",
                    decisive: &[Goodput],
                    goodput_tolerance: Some(0.10),
                    ..terms(
                        "BBR, CUBIC and Reno over one link, against the Linux kernel through the relay",
                        Some(0.90),
                        "Goodput within 10%. The kernel's runs are of one machine; `skywave gap --kernel` makes \
                         them again.",
                    )
                },
                reference::kernel()?,
                seeds,
            ),
            "shares" => (
                Terms {
                    peer: "Linux",
                    decisive: &[Share],
                    ..terms(
                        "BBR beside a flow of CUBIC or Reno, against Linux 5.15 (Sarpkaya et al. 2025)",
                        Some(0.90),
                        "The share of the goodput that the BBR flows have together, within 15%. The reference has one \
                         run a row.",
                    )
                },
                reference::shares()?,
                seeds.min(SHARED_SEEDS),
            ),
            "wifi" => (
                Terms {
                    peer: "ns-3",
                    decisive: &[Goodput],
                    goodput_tolerance: Some(0.15),
                    ..terms(
                        "chains of 802.11g stations up to 3 hops, against ns-3",
                        Some(1.0),
                        "Goodput within 15%, with ns-3's MAC, reception and AODV on both sides.",
                    )
                },
                wifi(|hops| hops <= 3)?,
                seeds,
            ),
            "wifi-far" => (
                Terms {
                    peer: "ns-3",
                    decisive: &[Goodput],
                    goodput_tolerance: Some(0.15),
                    ..terms(
                        "the same, 5 and 7 hops",
                        None,
                        "Not judged: small differences add up.",
                    )
                },
                wifi(|hops| hops > 3)?,
                seeds,
            ),
            _ => return Err(SetError::Unknown(name.to_owned())),
        };
        Ok(Self::new(name, terms, rows, seeds)?)
    }
}

fn terms(title: &'static str, required: Option<f64>, note: &str) -> Terms {
    Terms {
        title,
        peer: NS2,
        required,
        decisive: &Quantity::OF_FLOWS,
        goodput_tolerance: None,
        note: note.to_owned(),
    }
}

/// The chains of such lengths.
fn wifi(hops: impl Fn(u32) -> bool) -> Result<Vec<Row>, Unreadable> {
    let mut rows = reference::wifi()?;
    rows.retain(|row| matches!(&row.case.path, Path::Wifi(chain) if hops(chain.hops)));
    Ok(rows)
}

/// The rows of agents that are the same algorithm as ours, or of those that are not.
fn cerl(comparable: bool) -> Result<Vec<Row>, Unreadable> {
    let mut rows = reference::cerl()?;
    rows.retain(|row| row.case.agent.comparable == comparable);
    Ok(rows)
}
