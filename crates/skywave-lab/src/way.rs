//! A network path, whichever sender uses it: the links on the data's way, the flows that share it, what it carries.

use skywave_core::Duration;
use skywave_core::link::{Service, filled, filled_bins};
use skywave_sim::Spec;
use skywave_sim::network::{Router, edges};

/// Bytes of a packet on the wire, and of its payload in a UDP datagram over IPv4.
const PACKET: u32 = 1500;
const PAYLOAD: u32 = 1472;

/// The links on the way of a flow's data, as indices; those of a radio network are none.
fn links_of(spec: &Spec, flow: usize) -> Vec<usize> {
    let flow = &spec.flows[flow];
    let mut router = Router::new(edges(&spec.links, &spec.stations()), spec.nodes.len());
    // A flow without a way sends nothing: the scenario is refused elsewhere.
    let route = router.route(flow.from, &flow.way().via, flow.to);
    let edges = route.unwrap_or_default().into_iter();
    let links = edges.map(|edge| edge as usize);
    links.filter(|&edge| edge < spec.links.len()).collect()
}

/// Whether the data of two flows, which are indices into the specification, go over a common link in the same
/// direction.
pub fn meet(spec: &Spec, one: usize, other: usize) -> bool {
    let links = links_of(spec, one);
    links_of(spec, other)
        .iter()
        .any(|link| links.contains(link))
}

/// Whether the data of a flow (an index into the specification) go over a link whose rate is a recorded trace.
pub fn is_recorded(spec: &Spec, flow: usize) -> bool {
    let links = links_of(spec, flow).into_iter();
    let mut services = links.map(|link| &spec.links[link].config.service);
    services.any(|service| matches!(service, Service::Trace(_)))
}

/// Long-run rate of the narrowest link on the path of a flow's data, bit/s; `None` if the path has no links, only hops
/// of a radio network.
pub fn rate(spec: &Spec, flow: usize) -> Option<f64> {
    let links = links_of(spec, flow).into_iter();
    let rates = links.map(|link| spec.links[link].config.allowed_rate().as_bps() as f64);
    rates.reduce(f64::min)
}

/// Payload rate in bit/s that the path of a flow's data carries in the measured window ([`Spec::measure`]) if every
/// link always has UDP datagrams with 1472 bytes of payload waiting; the link that carries least decides. A sender with
/// larger headers gets less, and no sender gets more in the long run. `None` if the path has no links, only hops of a
/// radio network.
pub fn carried(spec: &Spec, flow: usize) -> Option<f64> {
    let seconds = spec.window().as_secs_f64();
    let links = links_of(spec, flow).into_iter();
    let packets = links.map(|link| {
        let link = &spec.links[link];
        filled(&link.config, spec.seed, &link.name, PACKET, spec.measure)
    });
    let least = packets.min()?;
    Some(least as f64 * f64::from(PAYLOAD) * 8.0 / seconds)
}

/// List with an entry for each time bin of `width` from the start of the run: true if every link on the path of a
/// flow's data delivers a UDP datagram with 1472 bytes of payload in that bin, if datagrams always wait at each link.
/// The run's end cuts the last bin, which has no length (false) if `width` divides the run. Empty if the path has no
/// links, only hops of a radio network.
pub fn carries(spec: &Spec, flow: usize, width: Duration) -> Vec<bool> {
    let mut all: Option<Vec<bool>> = None;
    for link in links_of(spec, flow) {
        let link = &spec.links[link];
        let until = (width, spec.duration);
        let packets = filled_bins(&link.config, spec.seed, &link.name, PACKET, until);
        let carries = packets.iter().map(|&packets| packets > 0);
        all = Some(match all {
            None => carries.collect(),
            Some(before) => before.iter().zip(carries).map(|(a, b)| *a && b).collect(),
        });
    }
    all.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::Folder;
    use crate::scenario::Scenario;

    /// Payload that the way of the first flow of a scenario with this link carries in its seconds 10 to 20, Mb/s.
    fn carries(link: &str) -> f64 {
        let text = format!(
            "[[link]]\nname = \"path\"\nbetween = [\"A\", \"B\"]\ndelay = \"20ms\"\n{link}\n\
             [[link]]\nbetween = [\"B\", \"C\"]\ndelay = \"1ms\"\nrate = \"100Mbps\"\n\
             [[flow]]\nfrom = \"A\"\nto = \"C\"\n[run]\nduration = \"20s\"\nmeasure = [\"10s\", \"20s\"]\n"
        );
        let files = Folder::of(std::path::Path::new("path.toml"));
        let scenario = Scenario::parse("path", &text, &files).unwrap();
        carried(&scenario.points()[0].spec(1), 0).unwrap() / 1e6
    }

    #[test]
    fn the_narrowest_link_decides() {
        let rate = carries("rate = \"1000Mbps\"");
        assert!((rate / 100.0 * f64::from(PACKET) / f64::from(PAYLOAD) - 1.0).abs() < 1e-3);
    }
}
