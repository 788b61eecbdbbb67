//! How many packets a run has at its links, and how often its applications hand data over, before it is run.

use std::collections::{BTreeMap, BTreeSet};

use skywave_core::Rate;
use skywave_core::link::Service;
use skywave_sim::network::{Router, edges};
use skywave_sim::spec::{FlowSpec, LinkSpec, PauseFrom, ProxySpec, Spec, Traffic};

/// Payload and headers of a packet, and the rate of a network without wires.
pub(super) const PACKET_BITS: f64 = 12_000.0;
pub(super) const RADIO_BPS: f64 = 2e6;
/// Packets of a wire that are as much work as one of a radio network, with its frames, backoffs and hops.
const RADIO_WORK: f64 = 40.0;

/// Packets at all links of a run in which each flow has its share of the narrowest link on its way, and an ACK
/// comes back for each packet; every flow stays on its first way. With a radio network, as if it and all links were busy
/// all the time, and in packets of a wire.
pub(super) fn packets_of(spec: &Spec) -> f64 {
    let seconds = spec.duration.as_secs_f64();
    if spec.radio.is_some() {
        let links: f64 = spec.links.iter().map(bps).sum();
        return (links + RADIO_BPS * RADIO_WORK) * seconds / PACKET_BITS;
    }
    let packets = ways(spec)
        .into_iter()
        .map(|way| way.bps * seconds / PACKET_BITS * way.links);
    packets.sum()
}

/// Times that applications hand data over in a run, which is work even where their way carries little of it.
pub(super) fn turns_of(spec: &Spec) -> f64 {
    spec.flows.iter().map(|flow| turns(spec, flow)).sum()
}

/// Transfers that wait to be sent at the end of a run, where they are made without waiting and their way carries fewer.
/// How much a radio network carries is not known: it counts as nothing.
pub(super) fn waiting_of(spec: &Spec) -> f64 {
    let made = spec.flows.iter().enumerate();
    let made = made.filter_map(|(index, flow)| match &flow.traffic {
        Traffic::Requests {
            size,
            pause_from: PauseFrom::Start,
            ..
        } => Some((index, flow, size.mean().max(1.0))),
        _ => None,
    });
    let mut made = made.peekable();
    let mut bps = BTreeMap::new();
    if made.peek().is_some() && spec.radio.is_none() {
        bps.extend(ways(spec).into_iter().map(|way| (way.flow, way.bps)));
    }
    let waiting = made.map(|(index, flow, size)| {
        let bytes = bps.get(&index).unwrap_or(&0.0) * seconds(spec, flow) / 8.0;
        (turns(spec, flow) - bytes / size).max(0.0)
    });
    waiting.sum()
}

/// Times that the application of a flow hands data over in a run.
fn turns(spec: &Spec, flow: &FlowSpec) -> f64 {
    // Time goes on by a nanosecond at least.
    let packet_s =
        |rate: Rate, packet: u32| (f64::from(packet) * 8.0 / rate.as_bps() as f64).max(1e-9);
    let a_second = match &flow.traffic {
        Traffic::Cbr { rate, packet, .. } => 1.0 / packet_s(*rate, *packet),
        Traffic::OnOff {
            rate,
            packet,
            on,
            off,
        } => {
            let packets = (on.mean() / packet_s(*rate, *packet)).max(1.0);
            packets / (on.mean() + off.mean()).max(1e-9)
        }
        Traffic::Requests {
            think,
            pause_from: PauseFrom::Start,
            ..
        } => 1.0 / think.mean().max(1e-9),
        Traffic::Requests { .. } | Traffic::Ftp | Traffic::Bytes(_) => 0.0,
    };
    a_second * seconds(spec, flow)
}

/// Seconds for which an application runs.
fn seconds(spec: &Spec, flow: &FlowSpec) -> f64 {
    let end = flow
        .stop
        .map_or(spec.duration, |stop| stop.min(spec.duration));
    end.since(flow.start.min(end)).as_secs_f64()
}

/// First way of a flow.
struct Way {
    /// Place of the flow in the specification.
    flow: usize,
    /// Share of the narrowest link.
    bps: f64,
    /// Links there and back.
    links: f64,
}

/// The ways of the flows of a network without radio; flows that carry a proxy's state send little, and have none.
fn ways(spec: &Spec) -> Vec<Way> {
    let mut router = Router::new(edges(&spec.links, &[]), spec.nodes.len());
    // A flow without a way sends nothing: the scenario is refused elsewhere.
    let mut route = |from, via: &[usize], to| router.route(from, via, to).unwrap_or_default();
    let mut flows_of = vec![0_u32; spec.links.len()];
    let mut routes = Vec::new();
    let states: BTreeSet<usize> = spec.proxies.iter().flat_map(ProxySpec::states).collect();
    let flows = spec.flows.iter().enumerate();
    for (index, flow) in flows.filter(|(index, _)| !states.contains(index)) {
        let there = route(flow.from, &flow.way().via, flow.to);
        let back = route(flow.to, &flow.way().reverse_via, flow.from);
        for &link in &there {
            flows_of[link as usize] += 1;
        }
        routes.push((index, there, back.len()));
    }
    let ways = routes.into_iter().map(|(flow, there, back)| {
        let links = there.iter().map(|&link| link as usize);
        let shares = links.map(|link| bps(&spec.links[link]) / f64::from(flows_of[link]));
        Way {
            flow,
            bps: shares.reduce(f64::min).unwrap_or(0.0),
            links: (there.len() + back) as f64,
        }
    });
    ways.collect()
}

/// Rate of a link; the mean of a recorded one.
pub(super) fn bps(link: &LinkSpec) -> f64 {
    match &link.config.service {
        Service::Rate(rate) => rate.as_bps() as f64,
        Service::Trace(trace) => trace.mean_rate().as_bps() as f64,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use skywave_core::{Duration, Time};
    use skywave_sim::spec::Dist;

    use super::super::Design;
    use super::super::tests::Losses;
    use super::*;

    /// Two flows over a wire, a slow hop and a wire, with a way back.
    fn narrow() -> Spec {
        let mut spec = Losses(vec![0]).spec(0, 1);
        spec.nodes = ["S", "A", "B", "R"].map(Into::into).to_vec();
        let like = spec.links[0].clone();
        let link = |from: usize, to: usize| {
            let mut config = (*like.config).clone();
            let mbps = if from + to == 3 { 2 } else { 100 };
            config.service = Service::Rate(Rate::from_bps(mbps * 1_000_000));
            LinkSpec {
                name: format!("{from}-{to}").into(),
                from,
                to,
                config: Arc::new(config),
            }
        };
        spec.links = [(0, 1), (1, 2), (2, 3), (3, 2), (2, 1), (1, 0)]
            .map(|(from, to)| link(from, to))
            .to_vec();
        spec.flows[0].to = 3;
        spec.flows.push(spec.flows[0].clone());
        spec
    }

    #[test]
    fn flows_share_what_is_narrowest_on_their_way() {
        // 2 Mb/s of packets of 12 kb for a second, three links there and three back.
        let expected = 2e6 / 12e3 * 6.0;
        assert!((packets_of(&narrow()) - expected).abs() < 1.0);
        // Many flows are no more packets.
        let mut many = narrow();
        many.flows = vec![many.flows[0].clone(); 1000];
        assert!((packets_of(&many) / expected - 1.0).abs() < 0.05);
    }

    #[test]
    fn applications_are_counted_by_their_own_rates() {
        let mut spec = narrow();
        spec.flows.truncate(1);
        let mut turns = |traffic, stop| {
            spec.flows[0].traffic = traffic;
            spec.flows[0].stop = stop;
            (turns_of(&spec).round(), waiting_of(&spec).round())
        };
        assert_eq!(turns(Traffic::Ftp, None), (0.0, 0.0));
        let cbr = |rate, packet| Traffic::Cbr {
            rate: Rate::from_bps(rate),
            packet,
            jitter: 0.0,
        };
        let half = Some(Time::ZERO + Duration::from_millis(500));
        assert_eq!(turns(cbr(8_000_000, 10), half), (50_000.0, 0.0));
        // No two turns are nearer than a nanosecond.
        assert_eq!(turns(cbr(100_000_000_000, 1), None), (1e9, 0.0));
        let bursts = Traffic::OnOff {
            rate: Rate::from_bps(8_000_000),
            packet: 10,
            on: Dist::Constant(0.001),
            off: Dist::Constant(0.009),
        };
        assert_eq!(turns(bursts, None), (10_000.0, 0.0));
        let requests = |pause_from| Traffic::Requests {
            size: Dist::Constant(1000.0),
            think: Dist::Constant(0.001),
            pause_from,
        };
        // 8 Mb/s for 2 Mb/s.
        assert_eq!(turns(requests(PauseFrom::Start), None), (1000.0, 750.0));
        assert_eq!(turns(requests(PauseFrom::End), None), (0.0, 0.0));
    }

    #[test]
    fn a_flow_without_a_way_sends_nothing() {
        let mut spec = narrow();
        spec.links[1].to = 0;
        assert!(packets_of(&spec).abs() < f64::EPSILON);
    }
}
