//! BBR flows beside a flow of CUBIC or Reno over one link between `near` and `far`. The reference was published by
//! Sarpkaya et al., who measured Linux.

use super::agent::Agent;
use super::case::{Case, HEADER, Path};
use super::kernel::MSS;
use super::reference::Row;
use super::table::{Cells, Unreadable};
use super::verdict::Quantity;
use skywave_lab::experiment::stats::Estimate;

/// Bytes of Ethernet's header, which `tc` counts.
const ETHERNET: u32 = 14;

/// The largest window that Linux 5.15 advertises with its defaults, bytes: half of the largest receive buffer
/// (`tcp_rmem`, 6 MiB), as `tcp_adv_win_scale` leaves it. That the testbed had these defaults is an assumption.
const RWND: u32 = 3 << 20;

/// Settings of the bottleneck and its flows.
#[derive(Clone, Debug, PartialEq)]
pub struct Shared {
    /// BBR flows, which are measured.
    pub flows: u32,
    /// The flow beside them.
    pub beside: Agent,
    /// Bytes of the queue.
    pub queue: u32,
    /// When measuring begins, s.
    pub from: f64,
}

impl Shared {
    /// The scenario file up to `[run]`. All flows begin within a second.
    pub(super) fn scenario(&self, measured: Agent) -> String {
        let flow = |name: &str, count: u32, agent: Agent| {
            format!(
                "\n[[flow]]\nname = \"{name}\"\ncount = {count}\nfrom = \"near\"\nto = \"far\"\ntransport = {}\n\
                 profile = \"{}\"\nmss = {MSS}\nheader = {}\nrwnd = \"{RWND}B\"\ntraffic = \"ftp\"\n\
                 start = {{ uniform = [\"0s\", \"1s\"] }}\n",
                agent.transport,
                agent.profile,
                HEADER + ETHERNET,
            )
        };
        format!(
            "[[link]]\nname = \"bottleneck\"\nbetween = [\"near\", \"far\"]\nrate = \"10Mbps\"\n\
             delay = \"20.05ms\"\nqueue = {{ droptail = \"{}B\" }}\n",
            self.queue
        ) + &flow("bbr#", self.flows, measured)
            + &flow("other", 1, self.beside)
    }
}

/// Flows of both kinds over one queue.
pub(super) fn row(cells: &Cells<'_>) -> Result<Row, Unreadable> {
    let flows = cells.flow_samples("goodputs_mbps")?;
    let [measured, beside] = &flows[..] else {
        return Err(cells.unreadable("goodputs_mbps", "that of BBR and that of the other flow"));
    };
    let shares = measured.iter().zip(beside).map(|(m, b)| m / (m + b));
    let shares: Vec<f64> = shares.collect();
    let reference = [
        (Quantity::Share, &shares),
        (Quantity::Goodput, measured),
        (Quantity::BesideGoodput, beside),
    ];
    let reference = reference.into_iter().map(|(quantity, runs)| {
        let estimate = Estimate::of(runs).ok_or_else(|| cells.unreadable("goodputs_mbps", "a run"));
        Ok((quantity, estimate?))
    });
    Ok(Row {
        labels: cells.labels(&["figure", "beside", "bbr_flows", "buffer_bdp"])?,
        case: Case {
            agent: Agent::of_kernel("bbr")
                .ok_or_else(|| cells.unreadable("bbr_flows", "flows of a law that is known"))?,
            path: Path::Shared(Shared {
                flows: cells.whole("bbr_flows")?,
                beside: cells.read("beside", "a law of Linux", Agent::of_kernel)?,
                queue: cells.whole("queue_bytes")?,
                from: cells.number("from_s")?,
            }),
            duration: format!("{}s", cells.text("to_s")?),
        },
        reference: reference.collect::<Result<_, _>>()?,
    })
}
