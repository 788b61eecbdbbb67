//! Most bytes that a run can leave, by its specification: what comes from elsewhere and is longer is none of ours.

use std::iter;

use skywave_sim::outcome::{Column, FLOW, LINK, MAX_REQUESTS, PROXY, STATION};
use skywave_sim::spec::{FlowSpec, Spec, Traffic, Transport};

use super::Design;
use super::load::{PACKET_BITS, packets_of};
use super::series::BYTES_PER_PACKET;

/// Bytes of a number with its commas, quotes and brackets.
const NUMBER: usize = 32;
/// Bytes of a line, or of an entity, besides its columns.
const FRAME: usize = 512;
/// Bytes of a character of a name: JSON may escape it.
const CHARACTER: usize = 6;
/// Bytes of a transfer that is kept by itself: its start, its payload and its time.
const REQUEST: usize = 3 * NUMBER;
/// Bytes of the record of a station's activity for a time.
const SPAN: usize = 80;
/// Most such records a second: an activity lasts for a microsecond at least.
const SPANS_PER_S: f64 = 1e6;
/// Time series that packets have nothing to do with, bytes.
const REST: f64 = 1e6;
/// Series have this many times as many bytes as packets that come when the path is busy leave, at most.
const SLACK: f64 = 4.0;

/// Upper bounds on the size of any run's result in an experiment: longer results from other machines are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Limits {
    /// Most bytes of a run's line in the journal of a run directory.
    pub line: usize,
    /// Most bytes of a run's file of time series.
    pub series: usize,
}

impl Limits {
    /// Most bytes that the journal line and the file of time series of any run of `design` can have, computed from the
    /// runs' specifications.
    pub fn of<D: Design + ?Sized>(design: &D) -> Self {
        let seed = design.seeds().first().copied().unwrap_or_default();
        let points = 0..design.points();
        points.fold(Self::default(), |most, point| {
            let spec = design.spec(point, seed);
            Self {
                line: most.line.max(line(&spec, MAX_REQUESTS)),
                series: most.series.max(series(&spec)),
            }
        })
    }
}

/// Most bytes of the line of a run that keeps `requests` transfers of each flow that measures them.
fn line(spec: &Spec, requests: usize) -> usize {
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
            let spans = radio
                .stations
                .len()
                .saturating_mul((seconds * SPANS_PER_S) as usize);
            most = most.saturating_add(spans.saturating_mul(SPAN));
        }
    }
    let bins = spec.bins.map_or(0.0, |width| {
        spec.duration.as_secs_f64() / width.as_secs_f64() + 1.0
    });
    let bins = spec.flows.len().saturating_mul(bins as usize);
    let keeping = |flow: &&FlowSpec| spec.requests && flow.measures_requests();
    let requests = requests.saturating_mul(spec.flows.iter().filter(keeping).count());
    most.saturating_add(bins.saturating_mul(NUMBER))
        .saturating_add(requests.saturating_mul(REQUEST))
}

/// A row for each of these names.
fn table<'a, T>(columns: &[Column<T>], names: impl Iterator<Item = &'a str>) -> usize {
    let row: usize = columns.iter().map(|c| c.name.len() + NUMBER).sum();
    names.map(|name| FRAME + row + name.len() * CHARACTER).sum()
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
    use std::sync::Arc;

    use skywave_core::quic;
    use skywave_core::tcp::CongestionConfig;
    use skywave_sim::outcome::{Bins, FlowOutcome, LinkOutcome, Outcome, Request};
    use skywave_sim::spec::{Dist, PauseFrom};

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
        spec.requests = true;
        spec.flows[0].transport = Transport::Quic {
            config: Arc::new(quic::Config::new(CongestionConfig::Reno)),
            header: 0,
        };
        spec.flows[0].traffic = Traffic::Requests {
            size: Dist::Constant(1.0),
            think: Dist::Constant(0.0),
            pause_from: PauseFrom::End,
        };
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
        let request = Request {
            start_s: -f64::MIN_POSITIVE / 3.0,
            bytes: u64::MAX,
            took_s: real,
        };
        let kept = 1000;
        let run = RunResult::new(Outcome {
            flows: vec![flow; spec.flows.len()],
            links: vec![link; spec.links.len()],
            bins: Some(Bins {
                width_s: 1e-3,
                delivered: vec![vec![u64::MAX; counts + 1]; spec.flows.len()],
            }),
            requests: Some(vec![vec![request; kept]; spec.flows.len()]),
            ..Outcome::default()
        });
        let longest = record::line(RunKey::of_none(), u64::MAX, ENGINE, &run).len();
        let limit = line(&spec, kept);
        assert!(longest <= limit, "{longest} {limit}");
        assert!(limit < 3 * longest, "{longest} {limit}");
    }

    #[test]
    fn the_limit_of_what_no_memory_holds_is_a_number() {
        let mut spec = Losses(vec![1]).spec(0, 1);
        spec.bins = Some(skywave_core::time::Duration::from_nanos(1));
        spec.duration = skywave_core::Time::MAX;
        spec.requests = true;
        assert!(line(&spec, usize::MAX) > usize::MAX / 2);
    }
}
