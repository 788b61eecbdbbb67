//! How many packets a run has at its links, before it is run.

use std::collections::BTreeSet;

use skywave_core::link::Service;
use skywave_sim::network::{Router, edges};
use skywave_sim::spec::{LinkSpec, ProxySpec, Spec};

/// Payload and headers of a packet, and the rate of a network without wires.
pub(super) const PACKET_BITS: f64 = 12_000.0;
const RADIO_BPS: f64 = 2e6;
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
    let mut router = Router::new(edges(&spec.links, &[]), spec.nodes.len());
    // A flow without a way sends nothing: the scenario is refused elsewhere.
    let mut route = |from, via: &[usize], to| router.route(from, via, to).unwrap_or_default();
    let mut flows_of = vec![0_u32; spec.links.len()];
    let mut ways = Vec::new();
    // What carries a proxy's state sends little.
    let states: BTreeSet<usize> = spec.proxies.iter().flat_map(ProxySpec::states).collect();
    let flows = spec.flows.iter().enumerate();
    for (_, flow) in flows.filter(|(index, _)| !states.contains(index)) {
        let there = route(flow.from, &flow.way().via, flow.to);
        let back = route(flow.to, &flow.way().reverse_via, flow.from);
        for &link in &there {
            flows_of[link as usize] += 1;
        }
        ways.push((there, back.len()));
    }
    let packets = ways.iter().map(|(there, back)| {
        let links = there.iter().map(|&link| link as usize);
        let shares = links.map(|link| bps(&spec.links[link]) / f64::from(flows_of[link]));
        let narrowest = shares.reduce(f64::min).unwrap_or(0.0);
        narrowest * seconds / PACKET_BITS * (there.len() + back) as f64
    });
    packets.sum()
}

/// Rate of a link; the mean of a recorded one.
fn bps(link: &LinkSpec) -> f64 {
    match &link.config.service {
        Service::Rate(rate) => rate.as_bps() as f64,
        Service::Trace(trace) => trace.mean_rate().as_bps() as f64,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use skywave_core::Rate;

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
    fn a_flow_without_a_way_sends_nothing() {
        let mut spec = narrow();
        spec.links[1].to = 0;
        assert!(packets_of(&spec).abs() < f64::EPSILON);
    }
}
