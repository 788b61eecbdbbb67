//! What a path is, whoever sends over it: the links on the data's way, the flows that share it, what it carries.

use skywave_core::link::{
    DropCause, Fate, Limit, Link, LinkConfig, QueueConfig, Service, TimedLink,
};
use skywave_core::{Duration, Rate, Time};
use skywave_sim::Spec;
use skywave_sim::network::{Router, edges};

/// Bytes of a packet on the wire, and of its payload in a UDP datagram over IPv4.
const PACKET: u32 = 1500;
const PAYLOAD: u32 = 1472;
/// A packet that is lost before it uses the link is followed by the next one after this part of a packet's time, and
/// so many packets wait that no such gap leaves the link idle.
const GAP: u64 = 4;
const WAITING: u32 = 128;

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

/// Whether the data of two flows meet at a link.
pub(super) fn meet(spec: &Spec, one: usize, other: usize) -> bool {
    let links = links_of(spec, one);
    links_of(spec, other)
        .iter()
        .any(|link| links.contains(link))
}

/// Whether a flow goes over a recorded link.
pub(super) fn is_recorded(spec: &Spec, flow: usize) -> bool {
    let links = links_of(spec, flow).into_iter();
    let mut services = links.map(|link| &spec.links[link].config.service);
    services.any(|service| matches!(service, Service::Trace(_)))
}

/// The long-run rate of the narrowest link on a flow's way, bit/s; `None` through a radio network alone.
pub(super) fn rate(spec: &Spec, flow: usize) -> Option<f64> {
    let links = links_of(spec, flow).into_iter();
    let rates = links.map(|link| allowed(&spec.links[link].config).as_bps() as f64);
    rates.reduce(f64::min)
}

/// The long-run rate of a link, or of its policer if that lets less pass.
fn allowed(config: &LinkConfig) -> Rate {
    let rate = config.mean_rate();
    config
        .policer
        .map_or(rate, |policer| rate.min(policer.rate))
}

/// Payload that a flow's way carries in the measured time, bit/s: of its links the least that one carries which always has a
/// UDP datagram to send. A sender with larger headers gets less; one that has its way to itself cannot get more.
/// `None` through a radio network alone.
pub(super) fn carried(spec: &Spec, flow: usize) -> Option<f64> {
    let seconds = spec.window().as_secs_f64();
    let links = links_of(spec, flow).into_iter();
    let packets = links.map(|link| {
        let link = &spec.links[link];
        filled(&link.config, spec.seed, &link.name, spec.measure)
    });
    let least = packets.min()?;
    Some(least as f64 * f64::from(PAYLOAD) * 8.0 / seconds)
}

/// Packets that come out of a link in a window while there is always one to send: whole ones, copies not counted.
fn filled(config: &LinkConfig, seed: u64, name: &str, (start, end): (Time, Time)) -> u64 {
    let config = LinkConfig {
        // How long packets wait is no matter of the channel, nor which are dropped for it.
        queue: QueueConfig::DropTail(Limit::Packets(WAITING)),
        ..config.clone()
    };
    let packet = allowed(&config)
        .transmission_time(u64::from(PACKET), 0)
        .0
        .as_nanos();
    let gap = Duration::from_nanos((packet / GAP).max(1));
    let counts = |fate: Fate| match fate {
        Fate::Arrives { at, corrupt, .. } => u64::from(!corrupt && at >= start && at < end),
        Fate::Dropped(_) => 0,
    };
    if config.needs_time() {
        fill_timed(TimedLink::new(config, seed, name), end, gap, counts)
    } else {
        fill(Link::new(config, seed, name), end, gap, counts)
    }
}

fn fill(mut link: Link, end: Time, gap: Duration, counts: impl Fn(Fate) -> u64) -> u64 {
    let (mut now, mut arrived) = (Time::ZERO, 0);
    while now < end {
        let fate = link.send(now, PACKET);
        arrived += counts(fate);
        match fate {
            // The queue is full: when the first half has left it is time for more.
            Fate::Dropped(DropCause::Queue) => {
                let half = link.leaving().nth(WAITING as usize / 2);
                now = half.unwrap_or(now + gap);
            }
            Fate::Dropped(DropCause::Early | DropCause::Channel) => now += gap,
            Fate::Dropped(DropCause::Blackout) | Fate::Arrives { .. } => {}
        }
    }
    arrived
}

fn fill_timed(mut link: TimedLink, end: Time, gap: Duration, counts: impl Fn(Fate) -> u64) -> u64 {
    let (mut now, mut arrived) = (Time::ZERO, 0);
    while now < end {
        // The packets are all alike: nobody asks which one it is.
        let refused = link.offer(now, 0, PACKET);
        match refused {
            Some(DropCause::Queue) => now = link.next_time().unwrap_or(now + gap).max(now),
            Some(_) => now += gap,
            None => {}
        }
        link.on_time(now);
        while let Some(settled) = link.poll() {
            arrived += counts(settled.fate);
        }
    }
    arrived
}

#[cfg(test)]
mod tests {
    use skywave_lab::folder::Folder;
    use skywave_scenario::Scenario;

    use super::*;

    /// What the way of the first flow of a scenario with this link carries in its seconds 10 to 20, Mb/s.
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

    /// Within a thousandth of a part of 12 Mb/s, as much of it as is payload.
    fn is(link: &str, share: f64) {
        let whole = 12.0 * f64::from(PAYLOAD) / f64::from(PACKET);
        let carried = carries(link) / whole;
        assert!(
            (carried - share).abs() < 1e-3,
            "{link}: {carried} is not {share}"
        );
    }

    #[test]
    fn a_link_carries_its_rate_whatever_it_loses_before_it_sends() {
        is("rate = \"12Mbps\"", 1.0);
        is(
            "rate = \"12Mbps\"\nqueue = { droptail = \"4 packets\" }",
            1.0,
        );
        is(
            "rate = \"12Mbps\"\nqueue = \"codel\"\nloss = { forward = { iid = 0.25 } }",
            1.0,
        );
    }

    #[test]
    fn what_is_lost_after_its_transmission_is_not_carried() {
        let loss = "loss = { forward = { periodic = { every = 20 } } }";
        is(
            &format!("rate = \"12Mbps\"\n{loss}\nloss_at = \"tail\""),
            0.95,
        );
        // The same takes as many transmissions if the link repairs it.
        is(&format!("rate = \"12Mbps\"\n{loss}\narq = {{}}"), 0.95);
    }

    #[test]
    fn policers_shapers_steps_and_blackouts_take_their_parts() {
        is(
            "rate = \"12Mbps\"\npolicer = { rate = \"6Mbps\", burst = \"30kB\" }",
            0.5,
        );
        is(
            "rate = \"12Mbps\"\nshaper = { rate = \"3Mbps\", burst = \"30kB\" }",
            0.25,
        );
        is(
            "rate = \"12Mbps\"\nsteps = { every = \"1s\", share = [1, 0.5] }",
            0.75,
        );
        is(
            "rate = \"12Mbps\"\nblackouts = { duration = \"500ms\", every = \"5s\" }",
            0.9,
        );
    }

    #[test]
    fn the_narrowest_link_decides() {
        let rate = carries("rate = \"1000Mbps\"");
        assert!((rate / 100.0 * f64::from(PACKET) / f64::from(PAYLOAD) - 1.0).abs() < 1e-3);
    }
}
