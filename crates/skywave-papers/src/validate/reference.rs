//! The reference tables, and what each of their rows measured.

use super::agent::Agent;
use super::case::{Case, Cerl, Dcr, Path, Queue, Radios, RedBottleneck, Sifest, Wifi};
use super::table::{Cells, Table, Unreadable};
use super::verdict::Quantity;
use super::{kernel, modern, shares, witness};
use skywave_lab::experiment::stats::Estimate;

/// One row: a case, and the other simulator's numbers.
#[derive(Clone, Debug)]
pub struct Row {
    /// The settings that tell it from other rows, as names and values.
    pub labels: Vec<(&'static str, String)>,
    /// The case.
    pub case: Case,
    /// The other simulator's numbers.
    pub reference: Vec<(Quantity, Estimate)>,
}

macro_rules! table {
    ($path:literal) => {
        Table::of(
            concat!("bench/peers/", $path, ".csv"),
            include_str!(concat!("../../../../bench/peers/", $path, ".csv")),
        )
    };
}

/// CERL's path, ns-2.35.
pub(super) fn cerl() -> Result<Vec<Row>, Unreadable> {
    let tables = [
        table!("ns2/reference/cerl_single"),
        table!("ns2/reference/cerl_delay"),
        table!("ns2/reference/cerl_bw"),
        table!("ns2/reference/cerl_buf"),
    ];
    let row = |cells: &Cells<'_>| {
        Ok(Row {
            labels: cells.labels(&["agent", "Tp", "B", "buf", "q"])?,
            case: Case {
                agent: cells.read("agent", "an agent of ns-2", Agent::find)?,
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
    let rows: Result<Vec<_>, _> = tables.iter().map(|table| table.each(row)).collect();
    Ok(rows?.concat())
}

/// SIFEST's path, ns-2.35. Points that stand there twice, under two names, count once.
pub(super) fn sifest() -> Result<Vec<Row>, Unreadable> {
    let row = |cells: &Cells<'_>| {
        let scenario = cells.text("scenario")?;
        let set = scenario.split_once(':').map_or(scenario, |(set, _)| set);
        let era = set.starts_with("era") || set.starts_with("paper_like");
        let mut labels = vec![("set", set.to_owned())];
        labels.extend(cells.labels(&["agent", "x", "y"])?);
        Ok(Row {
            labels,
            case: Case {
                agent: cells.read("agent", "an agent of ns-2", Agent::find)?,
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
    for row in table!("ns2/reference/sifest").each(row)? {
        if rows.iter().all(|r| r.labels != row.labels) {
            rows.push(row);
        }
    }
    Ok(rows)
}

/// TCP-DCR's path, ns-2.35: RED, and tail drop with unequal access delays.
pub(super) fn dcr() -> Result<Vec<Row>, Unreadable> {
    let mut rows = table!("ns2/reference/dcr_congestion").each(dcr_row)?;
    rows.retain(|row| !in_lockstep(row));
    rows.extend(table!("ns2/reference/dcr_spread").each(dcr_row)?);
    Ok(rows)
}

/// TCP-DCR's path with equal delays and tail drop: flows in lockstep, ns-2.35.
pub(super) fn dcr_lockstep() -> Result<Vec<Row>, Unreadable> {
    let mut rows = table!("ns2/reference/dcr_congestion").each(dcr_row)?;
    rows.retain(in_lockstep);
    Ok(rows)
}

fn in_lockstep(row: &Row) -> bool {
    matches!(&row.case.path, Path::Dcr(dcr) if dcr.queue == Queue::DropTail && dcr.spread_ms == 0)
}

fn dcr_row(cells: &Cells<'_>) -> Result<Row, Unreadable> {
    let mut reference = cells.flow_reference("agg_goodput_mbps")?;
    reference.push((Quantity::LossRate, cells.estimate("loss_rate")?));
    reference.push((Quantity::MeanQueue, cells.estimate("mean_queue_pkts")?));
    let mut labels = cells.labels(&["queue", "buf", "win", "jitter"])?;
    let spread_ms = if cells.has("spread_ms") {
        cells.whole("spread_ms")?
    } else {
        0
    };
    labels.push(("spread", spread_ms.to_string()));
    Ok(Row {
        labels,
        case: Case {
            agent: cells.read("agent", "an agent of ns-2", Agent::find)?,
            path: Path::Dcr(Dcr {
                queue: cells.read("queue", "a queue of ns-2", Queue::of_ns)?,
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

/// Reno over a RED bottleneck without ECN and with it, ns-2.35.
pub(super) fn red() -> Result<Vec<Row>, Unreadable> {
    table!("ns2/reference/red_ecn").each(|cells| {
        let reno = || Agent::find("Reno");
        let unit = |text| match text {
            "bytes" => Some(true),
            "packets" => Some(false),
            _ => None,
        };
        let read = |quantity: Quantity| Ok((quantity, cells.estimate(quantity.name())?));
        Ok(Row {
            labels: cells.labels(&["point", "ecn"])?,
            case: Case {
                agent: reno().ok_or_else(|| cells.unreadable("point", "an agent"))?,
                path: Path::Red(RedBottleneck {
                    flows: cells.whole("flows")?,
                    rate: format!("{}Mbps", cells.text("B")?),
                    delay: format!("{}ms", cells.text("Tp")?),
                    step_ms: cells.whole("step")?,
                    buffer: cells.whole("buf")?,
                    in_bytes: cells.read("unit", "packets or bytes", unit)?,
                    min: cells.whole("min")?,
                    max: cells.whole("max")?,
                    max_p: cells.number("maxp")?,
                    gentle: cells.whole("gentle")? > 0,
                    wait: cells.whole("wait")? > 0,
                    loss: cells.number("q")?,
                    ecn: cells.whole("ecn")? > 0,
                }),
                duration: format!("{}s", cells.text("dur")?),
            },
            reference: Quantity::OF_RED
                .into_iter()
                .map(read)
                .collect::<Result<_, _>>()?,
        })
    })
}

/// CERL, TCP-DCR and SIFEST inside ns-2.35, and its own senders beside them.
pub(super) fn witness() -> Result<Vec<Row>, Unreadable> {
    let rows = table!("ns2/reference/witness").each(witness::row)?;
    Ok(rows.into_iter().flatten().collect())
}

/// CERL's path, ns-3.44, without the algorithms that we have nothing like.
pub(super) fn ns3() -> Result<Vec<Row>, Unreadable> {
    let rows = table!("ns3/reference/single_lossy").each(|cells| {
        let Some(agent) = Agent::of_ns3(cells.text("tcp")?) else {
            return Ok(None);
        };
        let n = cells.runs("n_seeds")?;
        let mean = cells.number("goodput_mbps_mean")?;
        let goodput = Estimate::from_moments(n, mean, cells.number("goodput_mbps_sd")?);
        Ok(Some(Row {
            labels: cells.labels(&["tcp", "q"])?,
            case: Case {
                agent,
                path: Path::Cerl(Cerl {
                    rate: "2Mbps".into(),
                    delay: format!("{}ms", cells.text("tp_ms")?),
                    buffer: 90,
                    loss: cells.number("q")?,
                    beside: None,
                }),
                duration: "480s".into(),
            },
            reference: vec![(Quantity::Goodput, goodput)],
        }))
    })?;
    Ok(rows.into_iter().flatten().collect())
}

/// BBR, CUBIC and Reno over a FIFO, ns-3.44.
pub(super) fn modern() -> Result<Vec<Row>, Unreadable> {
    table!("ns3/reference/modern_single").each(modern::row)
}

/// Queues that mark, and flows of different laws beside each other, ns-3.44.
pub(super) fn queues() -> Result<Vec<Row>, Unreadable> {
    table!("ns3/reference/modern_queues").each(modern::queues_row)
}

/// BBR, CUBIC and Reno of the Linux kernel through the relay.
pub(super) fn kernel() -> Result<Vec<Row>, Unreadable> {
    table!("linux/reference/kernel").each(kernel::row)
}

/// BBR beside CUBIC and Reno of the Linux kernel, measured by others.
pub(super) fn shares() -> Result<Vec<Row>, Unreadable> {
    table!("linux/reference/shares").each(shares::row)
}

/// Chains of 802.11g stations, ns-3.
pub(super) fn wifi() -> Result<Vec<Row>, Unreadable> {
    table!("ns3/reference/wifi_chain").each(|cells| {
        let n = cells.runs("n_seeds")?;
        let mean = cells.number("goodput_mbps_mean")?;
        let goodput = Estimate::from_moments(n, mean, cells.number("goodput_mbps_sd")?);
        let newreno = || Agent::of_ns3("TcpNewReno");
        Ok(Row {
            labels: cells.labels(&["model", "mss", "slot_us", "rts", "hops"])?,
            case: Case {
                agent: newreno().ok_or_else(|| cells.unreadable("model", "an agent"))?,
                path: Path::Wifi(Wifi {
                    radios: cells.read("model", "a model of ours", Radios::of_ns3)?,
                    hops: cells.whole("hops")?,
                    rts: cells.whole("rts")? > 0,
                    slot_us: cells.whole("slot_us")?,
                    mss: cells.whole("mss")?,
                }),
                // Of some rows one run was longer.
                duration: cells.read("durations_s", "seconds", |all| {
                    let first = all.split('/').next()?;
                    first.parse::<u32>().ok().map(|s| format!("{s}s"))
                })?,
            },
            reference: vec![(Quantity::Goodput, goodput)],
        })
    })
}
