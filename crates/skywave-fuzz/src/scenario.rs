//! A text as a scenario file, and the simulations that it asks for.

use std::sync::atomic::{AtomicBool, Ordering};

use skywave_core::Rate;
use skywave_lab::scenario::{CustomMembers, NoFiles, Scenario, Setting, Space};
use skywave_sim::observe::{Observer, Offer, Watch};
use skywave_sim::spec::{FlowSpec, LinkSpec, PauseFrom, Traffic};
use skywave_sim::{Outcome, Spec, simulate_watched};

/// Largest text: beyond this nothing new happens, only more of it.
const MAX_BYTES: usize = 1 << 14;
/// Points that become specifications.
const MAX_POINTS: usize = 50;
/// Links and flows of a point that is simulated.
const MAX_ENTITIES: usize = 40;
/// Times that applications hand over data in a simulation: those on TCP do so without a packet.
const MAX_WRITES: f64 = 1e5;
/// Round trips of a link that retransmits in a simulation.
const MAX_ROUND_TRIPS: f64 = 1e3;
/// Packets offered to links until a simulation is given up.
const MAX_OFFERS: u32 = 20_000;

/// Reads `data` as a scenario file. If it is one, makes specifications of its points (combinations of swept values),
/// simulates the first if it is small, and checks that the outcome's counts and shares fit each other. Panics if not.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    if text.len() > MAX_BYTES {
        return;
    }
    let scenario = match Scenario::parse("fuzz", text, &NoFiles) {
        Ok(scenario) => scenario,
        Err(error) => {
            assert!(!error.render(false).is_empty());
            return;
        }
    };
    assert!(scenario.runs() > 0);
    search(text);
    for point in scenario.points().iter().take(MAX_POINTS) {
        check(&point.spec(u64::MAX));
    }
    let spec = scenario.points()[0].spec(scenario.seeds()[0]);
    if spec.links.len() + spec.flows.len() <= MAX_ENTITIES
        && writes(&spec) <= MAX_WRITES
        && round_trips(&spec) <= MAX_ROUND_TRIPS
    {
        simulate_a_little(&spec);
    }
}

/// If the text has a search, its points at the ends and in the middle of all ranges are scenarios or refused, and so are their
/// texts.
fn search(text: &str) {
    let Ok(space) = Space::parse("fuzz", "fuzz", text, &NoFiles, &CustomMembers::default()) else {
        return;
    };
    for step in 0..=4 {
        let place = f64::from(step) / 4.0;
        let keys = space.keys().iter();
        let settings: Vec<Option<Setting>> = keys
            .map(|key| Some(key.setting(&vec![place; key.dimensions()])))
            .collect();
        for (key, setting) in space.keys().iter().zip(settings.iter().flatten()) {
            assert!(!key.written(setting).is_empty());
            let at = key.place(setting).expect("a place");
            assert_eq!(&key.setting(&at), setting);
        }
        let Ok(scenario) = space.at(&settings) else {
            continue;
        };
        let written = space.text(&settings, "worst", &[1], ("", &[]));
        let read = Scenario::parse("fuzz", &written, &NoFiles);
        let read = read.unwrap_or_else(|error| panic!("{}", error.render(false)));
        assert_eq!(read.points()[0].spec(1), scenario.points()[0].spec(1));
    }
}

fn check(spec: &Spec) {
    let nodes = spec.nodes.len();
    assert!(spec.links.iter().all(|l| l.from < nodes && l.to < nodes));
    assert!(spec.flows.iter().all(|f| f.from < nodes && f.to < nodes));
    assert!(spec.measure.0 < spec.measure.1 && spec.measure.1 <= spec.duration);
}

/// About how often the applications hand over data.
fn writes(spec: &Spec) -> f64 {
    let duration = spec.duration.as_secs_f64();
    let of_flow = |flow: &FlowSpec| duration / interval(&flow.traffic);
    spec.flows.iter().map(of_flow).sum()
}

/// How often a link may send a packet again that never gets through.
fn round_trips(spec: &Spec) -> f64 {
    let of_link = |link: &LinkSpec| {
        let arq = link.config.arq?;
        let round_trip = arq.round_trip.unwrap_or(link.config.delay * 2);
        Some(spec.duration.as_secs_f64() / round_trip.as_secs_f64())
    };
    spec.links.iter().filter_map(of_link).fold(0.0, f64::max)
}

/// Mean seconds between two writes that do not wait for the network.
fn interval(traffic: &Traffic) -> f64 {
    let packet_time = |rate: Rate, packet: u32| f64::from(packet) * 8.0 / rate.as_bps() as f64;
    match traffic {
        &Traffic::Cbr { rate, packet, .. } => packet_time(rate, packet),
        Traffic::OnOff {
            rate,
            packet,
            on,
            off,
        } => packet_time(*rate, *packet).min(on.mean() + off.mean()),
        Traffic::Requests {
            think,
            pause_from: PauseFrom::Start,
            ..
        } => think.mean(),
        _ => f64::INFINITY,
    }
}

fn simulate_a_little(spec: &Spec) {
    let enough = AtomicBool::new(false);
    let mut clock = Meter {
        left: MAX_OFFERS,
        enough: &enough,
    };
    let watch = Watch {
        observer: Some(&mut clock),
        cancel: Some(&enough),
    };
    if let Some(outcome) = simulate_watched(spec, watch) {
        check_outcome(spec, &outcome);
    }
}

fn check_outcome(spec: &Spec, outcome: &Outcome) {
    assert_eq!(outcome.links.len(), spec.links.len());
    assert_eq!(outcome.flows.len(), spec.flows.len());
    for link in &outcome.links {
        assert!((0.0..=1.0).contains(&link.utilisation), "{link:?}");
        let fullness = link.queue_above_half.unwrap_or_default();
        assert!((0.0..=1.0).contains(&fullness), "{link:?}");
        let drops = link.queue_drops + link.channel_drops + link.blackout_drops;
        // A packet may be given up long after it was offered.
        assert!(drops - link.given_up <= link.offered);
    }
    for flow in &outcome.flows {
        assert!((0.0..=f64::MAX).contains(&flow.goodput_bps), "{flow:?}");
        assert!(flow.retransmits <= flow.sent_packets, "{flow:?}");
        assert!(flow.early_drops <= flow.queue_drops, "{flow:?}");
        let by_dupacks = flow.timeouts_dupacks_0
            + flow.timeouts_dupacks_1
            + flow.timeouts_dupacks_2
            + flow.timeouts_dupacks_3;
        assert_eq!(by_dupacks, flow.timeouts, "{flow:?}");
        assert!(flow.failed_dupacks_0 <= flow.timeouts_dupacks_0);
        assert!(flow.multi_loss_timeouts <= flow.multi_loss_windows);
        assert!(flow.lost_repair_timeouts <= flow.lost_repairs);
        let small = flow.share_small_cwnd.unwrap_or_default();
        assert!((0.0..=1.0).contains(&small), "{flow:?}");
        assert!(flow.blackout_drops + flow.corrupt_drops <= flow.channel_drops);
    }
}

/// Gives a simulation up when it has seen enough packets.
struct Meter<'a> {
    left: u32,
    enough: &'a AtomicBool,
}

impl Observer for Meter<'_> {
    fn on_offer(&mut self, _: &Offer<'_>) {
        self.left = self.left.saturating_sub(1);
        if self.left == 0 {
            self.enough.store(true, Ordering::Relaxed);
        }
    }
}
