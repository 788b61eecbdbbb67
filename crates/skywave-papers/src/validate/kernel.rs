//! The Linux kernel's TCP through the relay: near – rate, delay, queue, loss – far.

use super::agent::Agent;
use super::case::{Case, Path};
use super::reference::Row;
use super::table::{Cells, Unreadable};
use super::verdict::Quantity;

/// Payload of a segment: packets of 1500 bytes with timestamps.
pub(super) const MSS: u32 = 1448;

/// Part of a run that is not measured: slow start.
const WARM: f64 = 0.2;

/// Settings of the link.
#[derive(Clone, Debug, PartialEq)]
pub struct Relayed {
    /// Rate, Mb/s.
    pub rate: f64,
    /// Round trip without waiting, ms.
    pub rtt_ms: f64,
    /// Share of data packets lost, each independently, before the queue.
    pub loss: f64,
    /// Places of the queue, the packet in transmission included.
    pub queue: u32,
    /// When measuring begins, s.
    pub from: f64,
}

impl Relayed {
    /// The scenario file up to `[run]`.
    pub(super) fn scenario(&self, agent: Agent) -> String {
        let Self {
            rate,
            rtt_ms,
            loss,
            queue,
            ..
        } = self;
        format!(
            "[[link]]\nname = \"bottleneck\"\nbetween = [\"near\", \"far\"]\nrate = \"{rate}Mbps\"\n\
             delay = \"{}ms\"\nqueue = {{ droptail = \"{queue} packets\" }}\n\
             loss = {{ forward = {{ iid = {loss:?} }} }}\n\n\
             [[flow]]\nname = \"bulk\"\nfrom = \"near\"\nto = \"far\"\ntransport = {}\n\
             profile = \"{}\"\nmss = {MSS}\nrwnd = \"6MB\"\ntraffic = \"ftp\"\n\
             start = {{ uniform = [\"0ms\", \"100ms\"] }}\n\
             tcp = {{ initial_ssthresh = \"1000000 segments\" }}\n",
            rtt_ms / 2.0,
            agent.transport,
            agent.profile,
        )
    }
}

impl Case {
    /// The same, run for `seconds`; of a path of the kernel's a fifth of them is not measured.
    #[must_use]
    pub fn lasting(mut self, seconds: f64) -> Self {
        if let Path::Relayed(path) = &mut self.path {
            path.from = WARM * seconds;
        }
        self.duration = format!("{seconds}s");
        self
    }
}

/// One law over one path.
pub(super) fn row(cells: &Cells<'_>) -> Result<Row, Unreadable> {
    let seconds = cells.number("seconds")?;
    Ok(Row {
        labels: cells.labels(&["law", "rtt_ms", "loss", "queue_packets"])?,
        case: Case {
            agent: cells.read("law", "a law of Linux", Agent::of_kernel)?,
            path: Path::Relayed(Relayed {
                rate: cells.number("rate_mbps")?,
                rtt_ms: cells.number("rtt_ms")?,
                loss: cells.number("loss")?,
                queue: cells.whole("queue_packets")?,
                from: 0.0,
            }),
            duration: String::new(),
        }
        .lasting(seconds),
        reference: vec![(Quantity::Goodput, cells.samples("goodputs_mbps")?)],
    })
}
