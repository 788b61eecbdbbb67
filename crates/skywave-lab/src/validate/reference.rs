//! The reference tables, and what each of their rows measured.

use super::agent::Agent;
use super::case::{Case, Cerl, Dcr, Path, Queue, Sifest};
use super::verdict::Quantity;
use crate::experiment::stats::Estimate;

/// One row: a case, and the other simulator's numbers.
#[derive(Clone, Debug)]
pub struct Row {
    /// What sets it apart, as names and values.
    pub labels: Vec<(&'static str, String)>,
    /// The case.
    pub case: Case,
    /// What the other simulator measured.
    pub reference: Vec<(Quantity, Estimate)>,
}

/// A table with a heading.
struct Table {
    names: Vec<&'static str>,
    rows: Vec<Vec<&'static str>>,
}

impl Table {
    fn of(text: &'static str) -> Self {
        let mut lines = text.lines().map(|line| line.split(',').collect());
        Self {
            names: lines.next().unwrap_or_default(),
            rows: lines.collect(),
        }
    }

    /// Makes something of each row; rows without a needed cell are left out.
    fn each<T>(&self, make: impl Fn(&Cells<'_>) -> Option<T>) -> Vec<T> {
        let rows = self.rows.iter();
        rows.filter_map(|row| make(&Cells { table: self, row }))
            .collect()
    }
}

/// A row by the names of its columns.
struct Cells<'a> {
    table: &'a Table,
    row: &'a [&'static str],
}

impl Cells<'_> {
    fn text(&self, name: &str) -> Option<&'static str> {
        let column = self.table.names.iter().position(|n| *n == name)?;
        self.row
            .get(column)
            .copied()
            .filter(|cell| !cell.is_empty())
    }

    fn number(&self, name: &str) -> Option<f64> {
        self.text(name)?.parse().ok()
    }

    fn whole(&self, name: &str) -> Option<u32> {
        self.text(name)?.parse().ok()
    }

    /// The estimate in the columns `name_mean`, `name_sd` and `name_ci95`.
    fn estimate(&self, name: &str) -> Option<Estimate> {
        let n = self.whole("n")? as usize;
        Some(Estimate {
            n,
            mean: self.number(&format!("{name}_mean"))?,
            sd: self.number(&format!("{name}_sd"))?,
            half: (n > 1)
                .then(|| self.number(&format!("{name}_ci95")))
                .flatten(),
        })
    }

    fn flow_reference(&self, goodput: &str) -> Option<Vec<(Quantity, Estimate)>> {
        Some(vec![
            (Quantity::Goodput, self.estimate(goodput)?),
            (Quantity::Timeouts, self.estimate("timeouts")?),
            (Quantity::Retransmits, self.estimate("retransmits")?),
        ])
    }

    fn labels(&self, names: &[&'static str]) -> Vec<(&'static str, String)> {
        let cell = |name| (name, self.text(name).unwrap_or_default().to_owned());
        names.iter().map(|&name| cell(name)).collect()
    }
}

macro_rules! table {
    ($path:literal) => {
        Table::of(include_str!(concat!(
            "../../../../bench/peers/",
            $path,
            ".csv"
        )))
    };
}

/// CERL's path, ns-2.35.
pub(super) fn cerl() -> Vec<Row> {
    let tables = [
        table!("ns2/reference/cerl_single"),
        table!("ns2/reference/cerl_delay"),
        table!("ns2/reference/cerl_bw"),
        table!("ns2/reference/cerl_buf"),
    ];
    let row = |cells: &Cells<'_>| {
        Some(Row {
            labels: cells.labels(&["agent", "Tp", "B", "buf", "q"]),
            case: Case {
                agent: Agent::find(cells.text("agent")?)?,
                path: Path::Cerl(Cerl {
                    rate: format!("{}Mbps", cells.text("B")?),
                    delay: format!("{}ms", cells.text("Tp")?),
                    buffer: cells.whole("buf")?,
                    loss: cells.number("q")?,
                    beside: None,
                }),
                duration: format!("{}s", cells.text("dur")?),
            },
            reference: cells.flow_reference("goodput_mbps")?,
        })
    };
    tables.iter().flat_map(|table| table.each(row)).collect()
}

/// SIFEST's path, ns-2.35. Points that stand there twice, under two names, count once.
pub(super) fn sifest() -> Vec<Row> {
    let row = |cells: &Cells<'_>| {
        let scenario = cells.text("scenario")?;
        let set = scenario.split(':').next()?;
        let era = set.starts_with("era") || set.starts_with("paper_like");
        let mut labels = vec![("set", set.to_owned())];
        labels.extend(cells.labels(&["agent", "x", "y"]));
        Some(Row {
            labels,
            case: Case {
                agent: Agent::find(cells.text("agent")?)?,
                path: Path::Sifest(Sifest {
                    header: !era || set.contains("hdr40"),
                    limited_transmit: set.starts_with("default"),
                    era,
                    tick: cells.number("tick")?,
                    delack_ms: cells.whole("delack")?,
                    cbr_kbps: cells.whole("cbr")?,
                    window: cells.whole("win")?,
                    loss_good: cells.number("x")?,
                    loss_bad: cells.number("y")?,
                    tail: cells.text("emplace")? == "tail",
                }),
                duration: "100s".into(),
            },
            reference: cells.flow_reference("goodput_mbps")?,
        })
    };
    let mut rows: Vec<Row> = Vec::new();
    for row in table!("ns2/reference/sifest").each(row) {
        if rows.iter().all(|r| r.labels != row.labels) {
            rows.push(row);
        }
    }
    rows
}

/// TCP-DCR's path, ns-2.35: RED, and tail drop with unequal access delays.
pub(super) fn dcr() -> Vec<Row> {
    let mut rows = table!("ns2/reference/dcr_congestion").each(dcr_row);
    rows.retain(|row| !in_lockstep(row));
    rows.extend(table!("ns2/reference/dcr_spread").each(dcr_row));
    rows
}

/// TCP-DCR's path with equal delays and tail drop: flows in lockstep, ns-2.35.
pub(super) fn dcr_lockstep() -> Vec<Row> {
    let mut rows = table!("ns2/reference/dcr_congestion").each(dcr_row);
    rows.retain(in_lockstep);
    rows
}

fn in_lockstep(row: &Row) -> bool {
    matches!(&row.case.path, Path::Dcr(dcr) if dcr.queue == Queue::DropTail && dcr.spread_ms == 0)
}

fn dcr_row(cells: &Cells<'_>) -> Option<Row> {
    let mut reference = cells.flow_reference("agg_goodput_mbps")?;
    reference.push((Quantity::LossRate, cells.estimate("loss_rate")?));
    reference.push((Quantity::MeanQueue, cells.estimate("mean_queue_pkts")?));
    let mut labels = cells.labels(&["queue", "buf", "win", "jitter"]);
    let spread_ms = cells.whole("spread_ms").unwrap_or(0);
    labels.push(("spread", spread_ms.to_string()));
    Some(Row {
        labels,
        case: Case {
            agent: Agent::find(cells.text("agent")?)?,
            path: Path::Dcr(Dcr {
                queue: Queue::of_ns(cells.text("queue")?)?,
                buffer: cells.whole("buf")?,
                window: cells.whole("win")?,
                jitter: cells.number("jitter")?,
                spread_ms,
            }),
            duration: "1100s".into(),
        },
        reference,
    })
}

/// CERL's path, ns-3.44.
pub(super) fn ns3() -> Vec<Row> {
    table!("ns3/reference/single_lossy").each(|cells| {
        let n = cells.whole("n_seeds")? as usize;
        let sd = cells.number("goodput_mbps_sd")?;
        Some(Row {
            labels: cells.labels(&["tcp", "q"]),
            case: Case {
                agent: Agent::of_ns3(cells.text("tcp")?)?,
                path: Path::Cerl(Cerl {
                    rate: "2Mbps".into(),
                    delay: format!("{}ms", cells.text("tp_ms")?),
                    buffer: 90,
                    loss: cells.number("q")?,
                    beside: None,
                }),
                duration: "480s".into(),
            },
            reference: vec![(
                Quantity::Goodput,
                Estimate::from_moments(n, cells.number("goodput_mbps_mean")?, sd),
            )],
        })
    })
}
