//! Today's senders over a dumbbell in ns-3: S –100 Mb/s– A –bottleneck– B –100 Mb/s– D.

use super::agent::Agent;
use super::case::{Case, HEADER, Path};
use super::reference::Row;
use super::table::{Cells, Unreadable};
use super::verdict::Quantity;
use skywave_lab::experiment::stats::Estimate;
use skywave_sim::outcome::LinkOutcome;

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
    /// Agents beside the first one, each with links of its own at both ends; all are measured.
    pub beside: Vec<Agent>,
    /// Queue discipline of the bottleneck.
    pub queue: Discipline,
    /// Flows use ECN, and the queue marks their packets.
    pub ecn: bool,
    /// Bottleneck rate, Mb/s.
    pub rate: f64,
    /// Bottleneck delay, ms.
    pub delay_ms: f64,
    /// Limit of the queue discipline, packets.
    pub buffer: u32,
    /// Loss probability on the last links.
    pub loss: f64,
    /// When measuring begins, s.
    pub from: f64,
}

/// Queue disciplines, each with the parameters that its RFC states, which are those of ns-3 too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discipline {
    /// Tail drop.
    Fifo,
    /// RFC 8289.
    CoDel,
    /// RFC 8290.
    FqCoDel,
    /// RFC 8033.
    Pie,
}

impl Discipline {
    /// That of this name in the table.
    fn of_ns3(name: &str) -> Option<Self> {
        match name {
            "fifo" => Some(Self::Fifo),
            "codel" => Some(Self::CoDel),
            "fqcodel" => Some(Self::FqCoDel),
            "pie" => Some(Self::Pie),
            _ => None,
        }
    }

    /// The bottleneck's `queue`, and its `ring` where there is one. Tail drop is the same whether a packet waits
    /// in the device or before it.
    fn scenario(self, limit: u32, ecn: bool) -> String {
        let name = match self {
            Self::Fifo => {
                return format!("queue = {{ droptail = \"{} packets\" }}", limit + DEVICE);
            }
            Self::CoDel => "codel",
            Self::FqCoDel => "fq-codel",
            Self::Pie => "pie",
        };
        format!(
            "queue = {{ {name} = {{ limit = \"{limit} packets\", ecn = {ecn} }} }}\nring = \"1 packets\""
        )
    }
}

impl Dumbbell {
    /// Number of flows.
    pub(super) fn flows(&self) -> usize {
        1 + self.beside.len()
    }

    /// Mean time in the queue discipline, s, of packets that leave it, be it to be dropped; `None` if there was none.
    pub(super) fn sojourn(&self, link: &LinkOutcome, measured: f64) -> Option<f64> {
        // CoDel drops at the head of the queue, the others on arrival.
        let refused = match self.queue {
            Discipline::Fifo | Discipline::Pie => link.queue_drops,
            Discipline::CoDel | Discipline::FqCoDel => 0,
        };
        let left = link.offered.checked_sub(refused).filter(|&n| n > 0)?;
        // Little's law.
        let wait = link.queue_mean_packets * measured / left as f64;
        // A packet of ns-3's leaves the queue discipline for the device one transmission before its own begins.
        let in_device = match self.queue {
            Discipline::Fifo => self.transmission(),
            _ => 0.0,
        };
        Some((wait - in_device).max(0.0))
    }

    /// Time that a full packet takes on the bottleneck, s.
    fn transmission(&self) -> f64 {
        let timestamps = 12;
        f64::from(MSS + HEADER + timestamps + PPP) * 8.0 / (self.rate * 1e6)
    }

    /// The scenario file up to `[run]`.
    pub(super) fn scenario(&self, first: Agent) -> String {
        let Self { rate, delay_ms, .. } = self;
        let mut text = format!(
            "[[link]]\nname = \"bottleneck\"\nbetween = [\"A\", \"B\"]\nrate = \"{rate}Mbps\"\n\
             delay = \"{delay_ms}ms\"\n{}\n",
            self.queue.scenario(self.buffer, self.ecn),
        );
        let agents = [first].into_iter().chain(self.beside.iter().copied());
        for (at, agent) in agents.enumerate() {
            let number = match self.flows() {
                1 => String::new(),
                _ => (at + 1).to_string(),
            };
            text += &self.flow(agent, at, &number);
        }
        text
    }

    /// A flow, which starts `at` tenths of a second after the first, and its links.
    fn flow(&self, agent: Agent, at: usize, number: &str) -> String {
        let Self { loss, ecn, .. } = self;
        let [first, last] = [100 * at, 100 * at + 100];
        format!(
            "\n[[link]]\nname = \"access{number}\"\nbetween = [\"S{number}\", \"A\"]\nrate = \"100Mbps\"\n\
             delay = \"1ms\"\nqueue = {{ droptail = \"1000 packets\" }}\n\n\
             [[link]]\nname = \"last{number}\"\nbetween = [\"B\", \"D{number}\"]\nrate = \"100Mbps\"\n\
             delay = \"1ms\"\nqueue = {{ droptail = \"1000 packets\" }}\nloss_at = \"tail\"\n\
             loss = {{ forward = {{ iid = {loss:?} }} }}\n\n\
             [[flow]]\nname = \"bulk{number}\"\nfrom = \"S{number}\"\nto = \"D{number}\"\ntransport = {}\n\
             profile = \"{}\"\nmss = {MSS}\nheader = {}\nrwnd = \"8388608B\"\ntraffic = \"ftp\"\n\
             acking = {{ delayed = {{ every = 2, timeout = \"200ms\" }} }}\n\
             start = {{ uniform = [\"{first}ms\", \"{last}ms\"] }}\n\
             tcp = {{ min_rto = \"200ms\", ecn = {ecn} }}\n",
            agent.transport,
            agent.profile,
            HEADER + PPP,
        )
    }
}

/// One flow over FIFO.
pub(super) fn row(cells: &Cells<'_>) -> Result<Row, Unreadable> {
    let agent = cells.read("tcp", "an agent of ns-3", Agent::of_modern)?;
    Ok(Row {
        labels: cells.labels(&["tcp", "buf", "loss"])?,
        case: case(cells, agent, Vec::new())?,
        reference: vec![
            (Quantity::Goodput, cells.samples("goodputs")?),
            (Quantity::Sojourn, cells.samples("sojourn_ms")?),
            (Quantity::QueueDrops, cells.samples("drops")?),
        ],
    })
}

/// One flow or several over one of the queues.
pub(super) fn queues_row(cells: &Cells<'_>) -> Result<Row, Unreadable> {
    let agents = cells.read("tcp", "agents of ns-3", |names| {
        names
            .split('+')
            .map(Agent::of_modern)
            .collect::<Option<Vec<_>>>()
    })?;
    let (first, beside) = agents
        .split_first()
        .ok_or_else(|| cells.unreadable("tcp", "agents of ns-3"))?;
    let flows = cells.flow_samples("goodputs")?;
    if flows.len() != agents.len() {
        return Err(cells.unreadable("goodputs", "a number a flow"));
    }
    let of_all = (0..flows[0].len()).map(|run| flows.iter().map(|flow| flow[run]).sum());
    let of_all: Vec<f64> = of_all.collect();
    let goodput = |samples: &[f64]| {
        Estimate::of(samples).ok_or_else(|| cells.unreadable("goodputs", "a number a run"))
    };
    let mut reference = vec![(Quantity::Goodput, goodput(&of_all)?)];
    if !beside.is_empty() {
        reference.push((Quantity::FirstGoodput, goodput(&flows[0])?));
    }
    reference.extend([
        (Quantity::QueueDrops, cells.samples("drops")?),
        (Quantity::Marks, cells.samples("marks")?),
        (Quantity::Sojourn, cells.samples("sojourn_ms")?),
    ]);
    Ok(Row {
        labels: cells.labels(&["tcp", "qdisc", "buf"])?,
        case: case(cells, *first, beside.to_vec())?,
        reference,
    })
}

fn case(cells: &Cells<'_>, agent: Agent, beside: Vec<Agent>) -> Result<Case, Unreadable> {
    let duration = cells.number("dur")?;
    Ok(Case {
        agent,
        path: Path::Dumbbell(Dumbbell {
            beside,
            queue: cells.read("qdisc", "a queue discipline of ns-3", Discipline::of_ns3)?,
            ecn: cells.whole("ecn")? > 0,
            rate: cells.number("rate")?,
            delay_ms: cells.number("oneway")?,
            buffer: cells.whole("buf")?,
            loss: cells.number("loss")?,
            // A fifth of the run is not measured.
            from: 0.2 * duration,
        }),
        duration: format!("{duration}s"),
    })
}
