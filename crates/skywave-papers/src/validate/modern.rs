//! Today's senders over a dumbbell in ns-3: S –100 Mb/s– A –bottleneck– B –100 Mb/s– D.

use super::agent::Agent;
use super::case::{Case, HEADER, Path};
use super::reference::Row;
use super::table::{Cells, Unreadable};
use super::verdict::Quantity;

/// Bytes of PPP's header, which ns-3's point-to-point links send.
const PPP: u32 = 2;

/// Payload of a segment.
pub(super) const MSS: u32 = 1448;

/// Packets that ns-3 holds beyond the limit of its queue discipline: one that is transmitted, and one in the
/// queue of the device.
const DEVICE: u32 = 2;

/// Settings of the dumbbell.
#[derive(Clone, Debug, PartialEq)]
pub struct Dumbbell {
    /// Bottleneck rate, Mb/s.
    pub rate: f64,
    /// Bottleneck delay, ms.
    pub delay_ms: f64,
    /// Limit of the queue discipline, packets.
    pub buffer: u32,
    /// Loss probability on the last link.
    pub loss: f64,
    /// When measuring begins, s.
    pub from: f64,
}

impl Dumbbell {
    /// Time that a full packet takes on the bottleneck, s.
    pub(super) fn transmission(&self) -> f64 {
        let timestamps = 12;
        f64::from(MSS + HEADER + timestamps + PPP) * 8.0 / (self.rate * 1e6)
    }

    /// The scenario file up to `[run]`.
    pub(super) fn scenario(&self, agent: Agent) -> String {
        let Self {
            rate,
            delay_ms,
            buffer,
            loss,
            ..
        } = self;
        format!(
            "[[link]]\nname = \"access\"\nbetween = [\"S\", \"A\"]\nrate = \"100Mbps\"\n\
             delay = \"1ms\"\nqueue = {{ droptail = \"1000 packets\" }}\n\n\
             [[link]]\nname = \"bottleneck\"\nbetween = [\"A\", \"B\"]\nrate = \"{rate}Mbps\"\n\
             delay = \"{delay_ms}ms\"\nqueue = {{ droptail = \"{} packets\" }}\n\n\
             [[link]]\nname = \"last\"\nbetween = [\"B\", \"D\"]\nrate = \"100Mbps\"\n\
             delay = \"1ms\"\nqueue = {{ droptail = \"1000 packets\" }}\nloss_at = \"tail\"\n\
             loss = {{ forward = {{ iid = {loss:?} }} }}\n\n\
             [[flow]]\nname = \"bulk\"\nfrom = \"S\"\nto = \"D\"\ntransport = {}\n\
             profile = \"{}\"\nmss = {MSS}\nheader = {}\nrwnd = \"8388608B\"\ntraffic = \"ftp\"\n\
             acking = {{ delayed = {{ every = 2, timeout = \"200ms\" }} }}\n\
             start = {{ uniform = [\"0ms\", \"100ms\"] }}\ntcp = {{ min_rto = \"200ms\" }}\n",
            buffer + DEVICE,
            agent.transport,
            agent.profile,
            HEADER + PPP,
        )
    }
}

/// One flow over FIFO.
pub(super) fn row(cells: &Cells<'_>) -> Result<Row, Unreadable> {
    let duration = cells.number("dur")?;
    Ok(Row {
        labels: cells.labels(&["tcp", "buf", "loss"])?,
        case: Case {
            agent: cells.read("tcp", "an agent of ns-3", Agent::of_modern)?,
            path: Path::Dumbbell(Dumbbell {
                rate: cells.number("rate")?,
                delay_ms: cells.number("oneway")?,
                buffer: cells.whole("buf")?,
                loss: cells.number("loss")?,
                // A fifth of the run is not measured.
                from: 0.2 * duration,
            }),
            duration: format!("{duration}s"),
        },
        reference: vec![
            (Quantity::Goodput, cells.samples("goodputs")?),
            (Quantity::Sojourn, cells.samples("sojourn_ms")?),
            (Quantity::QueueDrops, cells.samples("drops")?),
        ],
    })
}
