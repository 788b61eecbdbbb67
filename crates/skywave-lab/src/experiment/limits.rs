//! Most bytes that a run can leave, by its specification: what comes from elsewhere and is longer is none of ours.

use std::iter;

use skywave_sim::spec::{Spec, Traffic, Transport};

use super::Design;
use super::columns::{Column, FLOW, LINK, PROXY, STATION};
use super::load::{PACKET_BITS, packets_of};
use super::series::BYTES_PER_PACKET;

/// Bytes of a number with its commas and quotes, of a line or of an entity besides its columns, and of a sign of a name,
/// which JSON may escape.
const NUMBER: usize = 32;
const FRAME: usize = 512;
const SIGN: usize = 6;
/// Bytes of the record of a station's activity for a time; it lasts for a microsecond at least.
const SPAN: usize = 80;
const SPANS_PER_S: f64 = 1e6;
/// Time series that packets have nothing to do with, bytes.
const REST: f64 = 1e6;
/// Series have this many times as many bytes as packets that come when the path is busy leave, at most.
const SLACK: f64 = 4.0;

/// Most bytes that a run leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Limits {
    /// Of its line in the journal.
    pub line: usize,
    /// Of its time series.
    pub series: usize,
}

impl Limits {
    /// Most that any run of an experiment leaves.
    pub fn of<D: Design + ?Sized>(design: &D) -> Self {
        let seed = design.seeds().first().copied().unwrap_or_default();
        let points = 0..design.points();
        points.fold(Self::default(), |most, point| {
            let spec = design.spec(point, seed);
            Self {
                line: most.line.max(line(&spec)),
                series: most.series.max(series(&spec)),
            }
        })
    }
}

fn line(spec: &Spec) -> usize {
    let flows = spec.flows.iter().map(|flow| &*flow.name);
    let proxied = flows.clone().cycle().take(spec.proxies.len());
    let mut most = FRAME
        + table(FLOW, flows)
        + table(PROXY, proxied)
        + table(LINK, spec.links.iter().map(|link| &*link.name));
    if let Some(radio) = &spec.radio {
        let stations = radio.stations.iter();
        most += table(STATION, stations.map(|station| &*spec.nodes[station.node]));
        if let Some((from, to)) = radio.timeline {
            let seconds = to.as_secs_f64() - from.as_secs_f64();
            most += radio.stations.len() * (seconds * SPANS_PER_S) as usize * SPAN;
        }
    }
    let bins = spec.bins.map_or(0.0, |width| {
        spec.duration.as_secs_f64() / width.as_secs_f64() + 1.0
    });
    most + spec.flows.len() * bins as usize * NUMBER
}

/// A row for each of these names.
fn table<'a, T>(columns: &[Column<T>], names: impl Iterator<Item = &'a str>) -> usize {
    let row: usize = columns.iter().map(|c| c.name.len() + NUMBER).sum();
    names.map(|name| FRAME + row + name.len() * SIGN).sum()
}

fn series(spec: &Spec) -> usize {
    let payloads = spec
        .flows
        .iter()
        .map(|flow| match (&flow.transport, &flow.traffic) {
            (Transport::Tcp(config), _) => config.mss,
            (Transport::Wtcp { config, .. }, _) => config.mss.into(),
            (Transport::Quic { config, .. }, _) => config.mss.into(),
            (_, Traffic::Cbr { packet, .. } | Traffic::OnOff { packet, .. }) => *packet,
            _ => u32::MAX,
        });
    let usual = PACKET_BITS / 8.0;
    let smallest = payloads.chain(iter::once(usual as u32)).min();
    let growth = usual / f64::from(smallest.unwrap_or(1).max(1));
    (packets_of(spec) * growth * BYTES_PER_PACKET * SLACK + REST) as usize
}

#[cfg(test)]
mod tests {
    use skywave_sim::outcome::{Bins, FlowOutcome, LinkOutcome, Outcome};

    use super::super::key::RunKey;
    use super::super::results::RunResult;
    use super::super::tests::Losses;
    use super::super::{ENGINE, record};
    use super::*;

    #[test]
    fn the_longest_numbers_and_names_are_within_the_limit() {
        let mut spec = Losses(vec![1]).spec(0, u64::MAX);
        spec.flows[0].name = "\u{1}".repeat(100).into();
        spec.bins = Some(skywave_core::time::Duration::from_millis(1));
        let counts = (spec.duration.as_secs_f64() * 1e3) as usize;
        let mut flow = FlowOutcome::default();
        let mut link = LinkOutcome::default();
        let (real, count) = (Some(-f64::MIN_POSITIVE / 3.0), Some(u64::MAX));
        for column in FLOW {
            (column.set)(&mut flow, real, count).unwrap();
        }
        for column in LINK {
            (column.set)(&mut link, real, count).unwrap();
        }
        flow.name = spec.flows[0].name.to_string();
        link.name = spec.links[0].name.to_string();
        let run = RunResult::new(Outcome {
            flows: vec![flow; spec.flows.len()],
            links: vec![link; spec.links.len()],
            bins: Some(Bins {
                width_s: 1e-3,
                delivered: vec![vec![u64::MAX; counts + 1]; spec.flows.len()],
            }),
            ..Outcome::default()
        });
        let longest = record::line(RunKey::of_none(), u64::MAX, ENGINE, &run).len();
        let limit = line(&spec);
        assert!(longest <= limit, "{longest} {limit}");
        assert!(limit < 3 * longest, "{longest} {limit}");
    }
}
