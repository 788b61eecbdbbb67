//! The rows of the witness: CERL, TCP-DCR and SIFEST written as agents of ns-2, beside ns-2's own
//! senders. `bench/peers/ns2/agents/README.md` explains the columns.

use super::agent::Agent;
use super::case::{Case, Path};
use super::reference::Row;
use super::table::{Cells, Unreadable};
use super::verdict::Quantity;
use skywave_lab::experiment::stats::Estimate;

/// Settings of a row of the witness.
#[derive(Clone, Debug, PartialEq)]
pub struct Witness {
    /// Nodes and links.
    pub shape: Shape,
    /// Number of flows that are measured together.
    pub measured: u32,
    /// Flows beside them, and their agent.
    pub beside: Option<(u32, Agent)>,
    /// Rate of the bottleneck or of the wireless link, Mb/s.
    pub rate: f64,
    /// Its delay, ms.
    pub delay_ms: f64,
    /// Delay of CERL's last link, ms.
    pub last_ms: f64,
    /// Limit of the queue that `shape` names, packets.
    pub buffer: u32,
    /// Receiver's window, packets.
    pub window: u32,
    /// Largest congestion window, packets; `None` without a cap.
    pub cap: Option<u32>,
    /// Probability of independent losses (CERL) or of errors that the link repairs (TCP-DCR).
    pub loss: f64,
    /// SIFEST's channel.
    pub channel: Channel,
    /// Rate of the voice flow, kb/s; 0 for none.
    pub voice_kbps: u32,
    /// The settings of the senders and receivers.
    pub stack: Stack,
    /// Seconds between the starts of two flows.
    pub step: f64,
    /// Seconds up to which a start is later, at random.
    pub jitter: f64,
    /// Width of the range around 5 ms from which access delays are drawn, ms.
    pub spread_ms: f64,
    /// When measuring begins, s.
    pub from: f64,
    /// When the run ends, s.
    pub until: f64,
    /// CERL's threshold as a share of the longest queue.
    pub threshold: f64,
}

/// Nodes and links of the witness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// CERL, figure 3; all flows start together. `buffer` is that of every link.
    Dumbbell,
    /// The same; the flows beside come and go, each with its own access delays (section 4.3).
    Crowd,
    /// Two bottlenecks in a row, losses on every link (CERL, figure 12).
    Chain,
    /// Flows share the wireless link, which has `buffer` (TCP-DCR, figure 4).
    Wireless,
    /// Each flow has a wireless link after the bottleneck, which has `buffer` (TCP-DCR, figure 9).
    Shared,
    /// SIFEST, figures 3 and 4. `buffer` is that of every link.
    Sifest,
}

/// Two states with independent losses in each; a step a packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Channel {
    /// Probability to go from the good state to the bad one.
    pub to_bad: f64,
    /// Probability to go back.
    pub to_good: f64,
    /// Loss probability in the good state.
    pub loss_good: f64,
    /// Loss probability in the bad state.
    pub loss_bad: f64,
}

/// Settings of TCP.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stack {
    /// Payload as ns-2 counts it, bytes.
    pub mss: u32,
    /// Packets have a header beyond the payload.
    pub header: bool,
    /// Longest delay of an ACK, ms; 0 for none.
    pub delack_ms: u32,
    /// Limited Transmit.
    pub limited_transmit: bool,
    /// First window, packets.
    pub initial_window: u32,
    /// Clock tick, s.
    pub tick: f64,
    /// Smallest timeout, s.
    pub min_rto: f64,
    /// First timeout, s.
    pub initial_rto: f64,
}

impl Witness {
    /// Number of flows beside the measured ones.
    pub(super) fn others(&self) -> u32 {
        self.beside.map_or(0, |(number, _)| number)
    }
}

impl Shape {
    fn find(name: &str) -> Option<Self> {
        Some(match name {
            "single" | "pair" => Self::Dumbbell,
            "multi" => Self::Crowd,
            "chain" => Self::Chain,
            "wireless" => Self::Wireless,
            "shared" => Self::Shared,
            "sifest" => Self::Sifest,
            _ => return None,
        })
    }
}

/// What becomes of a line of the table; `None` where its agent is another algorithm than ours, or follows
/// a reading of the paper that ours does not have.
pub(super) fn row(cells: &Cells<'_>) -> Result<Option<Row>, Unreadable> {
    let shape = cells.read("path", "a path of the witness", Shape::find)?;
    let flag = |name| Ok(cells.whole(name)? > 0);
    let other_reading = flag("syn")? || flag("fresh")? || flag("bugfix")?;
    let agent = |column| cells.read(column, "an agent of the witness", Agent::of_witness);
    let other_algorithm = !agent("agent")?.comparable;
    let other_reading = other_reading || (shape == Shape::Sifest && !flag("idle")?);
    if other_algorithm || other_reading {
        return Ok(None);
    }
    let (others, flows) = (cells.whole("others")?, cells.whole("flows")?);
    let measured = match shape {
        Shape::Shared => flows - others,
        _ => flows,
    };
    let path = Witness {
        shape,
        measured,
        beside: (others > 0)
            .then(|| Ok((others, agent("beside")?)))
            .transpose()?,
        rate: cells.number("B")?,
        delay_ms: cells.number("Tp")?,
        last_ms: cells.number("last")?,
        buffer: cells.whole("buf")?,
        window: cells.whole("win")?,
        cap: Some(cells.whole("cap")?).filter(|&cap| cap > 0),
        loss: cells.number("q")?,
        channel: Channel {
            to_bad: cells.number("tobad")?,
            to_good: cells.number("togood")?,
            loss_good: cells.number("x")?,
            loss_bad: cells.number("y")?,
        },
        voice_kbps: cells.whole("cbr")?,
        stack: Stack {
            mss: cells.whole("mss")?,
            header: flag("header")?,
            delack_ms: cells.whole("delack")?,
            limited_transmit: flag("limited")?,
            initial_window: cells.whole("iw")?,
            tick: cells.number("tick")?,
            min_rto: cells.number("minrto")?,
            initial_rto: cells.number("initrto")?,
        },
        step: cells.number("step")?,
        jitter: cells.number("jitter")?,
        spread_ms: cells.number("spread")?,
        from: cells.number("from")?,
        until: cells.number("dur")?,
        threshold: cells.number("A")?,
    };
    Ok(Some(Row {
        labels: labels(cells)?,
        reference: reference(cells, &path)?,
        case: Case {
            agent: agent("agent")?,
            duration: format!("{}s", cells.text("dur")?),
            path: Path::Witness(Box::new(path)),
        },
    }))
}

/// The point, the agents, and the settings that the point varies.
fn labels(cells: &Cells<'_>) -> Result<Vec<(&'static str, String)>, Unreadable> {
    let varied: &[&'static str] = match cells.text("point")? {
        "cerl-Tp" | "cerl-multi-Tp" => &["Tp"],
        "cerl-last" => &["last"],
        "cerl-B" | "cerl-multi-B" | "dcr-B" => &["B"],
        "cerl-buf" | "dcr-mixed" => &["buf"],
        "cerl-A" => &["A"],
        "dcr-Tp" => &["q", "Tp"],
        "dcr-flows" => &["flows"],
        point if point.starts_with("sifest-") => &["x", "y"],
        _ => &["q"],
    };
    let mut labels = cells.labels(&["point", "agent", "beside"])?;
    let settings = cells.labels(varied)?;
    let words: Vec<String> = settings.iter().map(|(n, v)| format!("{n} {v}")).collect();
    labels.push(("at", words.join(", ")));
    Ok(labels)
}

/// What ns-2 measured. The table has means a flow; ours are sums over all measured flows.
fn reference(cells: &Cells<'_>, path: &Witness) -> Result<Vec<(Quantity, Estimate)>, Unreadable> {
    let sum = |name, flows: u32| {
        let one = cells.estimate(name)?;
        let flows = f64::from(flows);
        Ok(Estimate {
            n: one.n,
            mean: one.mean * flows,
            sd: one.sd * flows,
            half: one.half.map(|half| half * flows),
        })
    };
    let mut reference = Vec::new();
    for (quantity, of) in [
        (Quantity::Goodput, path.measured),
        (Quantity::BesideGoodput, path.others()),
        (Quantity::Timeouts, path.measured),
        (Quantity::Retransmits, path.measured),
    ] {
        if of > 0 {
            reference.push((quantity, sum(quantity.name(), of)?));
        }
    }
    if path.shape == Shape::Shared {
        for quantity in [Quantity::LossRate, Quantity::MeanQueue] {
            reference.push((quantity, sum(quantity.name(), 1)?));
        }
    }
    Ok(reference)
}
