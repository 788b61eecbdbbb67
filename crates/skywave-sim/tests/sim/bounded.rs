//! What a run costs: in proportion to what its links can carry and its timers, whatever is lost.

use std::sync::Arc;

use proptest::prelude::*;
use skywave_core::link::{Blackout, LinkConfig, LossConfig, Policer, Service};
use skywave_core::tcp::congestion::LawFacts;
use skywave_core::tcp::window::{AckEvent, LossEvent, Response, TimeoutEvent, Window};
use skywave_core::tcp::{
    CongestionConfig, CongestionControl, CustomCongestion, Handshake, PRESETS, Profile, TcpConfig,
    preset,
};
use skywave_core::{Duration, Rate, Segments, Time, quic};
use skywave_sim::losses::LossCause;
use skywave_sim::outcome::FlowOutcome;
use skywave_sim::simulate;
use skywave_sim::spec::{LinkSpec, Traffic, Transport};

use crate::common::{detailed, draws, ftp, link, tcp, wire};

/// A flow of 10 kB over 20 ms each way for a million seconds.
fn for_long(name: &str, rate: Rate, loss: f64) -> FlowOutcome {
    let mut config = tcp(name);
    config.handshake = Handshake::None;
    let mut flow = ftp("flow", 0, 1, config);
    flow.traffic = Traffic::Bytes(10_000);
    let mut out = wire(10.0, 20.0, 50);
    out.service = Service::Rate(rate);
    let back = out.clone();
    out.loss = vec![LossConfig::Iid(loss)];
    let links = vec![link("out", 0, 1, out), link("back", 1, 0, back)];
    let mut spec = detailed(&["A", "B"], links, flow, 1_000_000);
    spec.series = false;
    simulate(&spec).flows.remove(0)
}

// In the square or the cube of the timeouts these would take minutes.

#[test]
fn a_segment_that_is_lost_for_ever_costs_as_much_as_its_timeouts() {
    for preset in PRESETS.iter() {
        let flow = for_long(preset.name, Rate::from_bps(10_000_000), 1.0);
        // After 1, 2, 4, 8, 16 and 32 s, then each 60 s: 16,671. Others probe or wait first.
        let (name, timeouts) = (&preset.name, flow.timeouts);
        // With a bounded backoff 64 come after 8 s each, before the timer goes on doubling.
        let early = if *name == "skywave" {
            64 - 64 * 8 / 60
        } else {
            0
        };
        let others = timeouts - early;
        assert!((16_660..=16_672).contains(&others), "{name}: {timeouts}");
        assert!(
            flow.sent_packets <= 4 * timeouts + 100,
            "{name}: {}",
            flow.sent_packets
        );
        let lost = flow.losses.of_cause(LossCause::Channel);
        assert_eq!(lost, flow.sent_packets, "{name}");
    }
}

#[test]
fn a_link_of_a_bit_a_second_costs_as_much_as_its_timeouts() {
    for preset in PRESETS.iter() {
        let flow = for_long(preset.name, Rate::from_bps(1), 0.0);
        let (sent, timeouts) = (flow.sent_packets, flow.timeouts);
        assert!(
            sent <= 4 * timeouts + 100,
            "{}: {sent}, {timeouts}",
            preset.name
        );
    }
}

#[test]
fn a_finished_connection_stops() {
    // Of two probes at once a queue of one packet drops the second, whose answer another pair would ask for, for ever.
    let config = quic::Config::new(quic::preset("quic").expect("a preset").congestion.clone());
    let mut flow = ftp("flow", 0, 1, tcp("reno"));
    flow.transport = over_quic(config);
    flow.traffic = Traffic::Bytes(1_000_000);
    let wire = wire(10.0, 20.0, 1);
    let links = vec![link("out", 0, 1, wire.clone()), link("back", 1, 0, wire)];
    let mut spec = detailed(&["A", "B"], links, flow, 3000);
    spec.measure.0 = at(40_000);
    let late = simulate(&spec).flows.remove(0);
    assert_eq!((late.sent_packets, late.timeouts), (0, 0));
    spec.measure.0 = Time::ZERO;
    let flow = simulate(&spec).flows.remove(0);
    assert_eq!(flow.delivered_bytes, 1_000_000);
    assert!(flow.completion_s.is_some_and(|s| s < 40.0));
    assert!(flow.sent_packets < 1100, "{}", flow.sent_packets);
}

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

fn over_quic(config: quic::Config) -> Transport {
    Transport::Quic {
        config: Arc::new(config),
        header: 28,
    }
}

/// There and back.
fn both_ways(out: LinkConfig, back: LinkConfig) -> Vec<LinkSpec> {
    vec![link("out", 0, 1, out), link("back", 1, 0, back)]
}

/// 100 Mb/s and 10 ms each way, of which a policer lets 15 Mb/s pass.
fn policed() -> Vec<LinkSpec> {
    let back = wire(100.0, 10.0, 100);
    let mut out = back.clone();
    out.policer = Some(Policer {
        rate: Rate::from_bps(15_000_000),
        burst: 150_000,
    });
    both_ways(out, back)
}

/// 31 Mb/s and 3.2 ms each way, with a queue of four packets.
fn short() -> Vec<LinkSpec> {
    let wire = wire(31.0, 3.2, 4);
    both_ways(wire.clone(), wire)
}

#[test]
fn copa_hears_of_losses_that_no_delay_tells_of() {
    // Without that it sends 100 packets for each that arrives behind the policer, and 19 with the short queue.
    for (links, least_mbps) in [(policed(), 13.5), (short(), 27.0)] {
        let mut config =
            TcpConfig::new(Profile::Linux, preset("copa").unwrap().composition.clone());
        config.rwnd = 32 << 20;
        let spec = detailed(&["A", "B"], links, ftp("flow", 0, 1, config), 40);
        let flow = simulate(&spec).flows.remove(0);
        assert!(flow.goodput_bps > least_mbps * 1e6, "{}", flow.goodput_bps);
        let (sent, received) = (flow.sent_packets, flow.received_packets);
        assert!(sent < 2 * received, "{sent} sent, {received} received");
    }
}

/// A law that does what it wants, whatever happens.
#[derive(Clone, Copy, Debug)]
struct Stubborn {
    window: f64,
    pace: Option<u64>,
    quantum: Option<u64>,
    owns: bool,
}

impl CongestionControl for Stubborn {
    fn grow(&mut self, _ack: &AckEvent, window: &mut Window) {
        window.cwnd = Segments(self.window);
    }

    fn on_loss(&mut self, _loss: &LossEvent, window: &Window) -> Response {
        Response {
            ssthresh: window.ssthresh,
            window_after: Segments(self.window),
        }
    }

    fn on_timeout(&mut self, _timeout: &TimeoutEvent, window: &Window) -> Response {
        Response {
            ssthresh: window.ssthresh,
            window_after: Segments(self.window),
        }
    }

    fn facts(&self) -> LawFacts {
        LawFacts {
            owns_window: self.owns,
            needs_rate: self.owns,
            ..LawFacts::default()
        }
    }

    fn pacing_rate(&self) -> Option<Rate> {
        self.pace.map(Rate::from_bps)
    }

    fn send_quantum(&self) -> Option<u64> {
        self.quantum
    }
}

fn stubborn() -> impl Strategy<Value = CongestionConfig> {
    let window = prop_oneof![Just(0.0), Just(1.0), Just(100.0), Just(1e9), Just(f64::NAN)];
    let pace = prop_oneof![Just(0), Just(1), 1000..1_000_000_000u64, Just(u64::MAX)];
    let quantum = prop_oneof![Just(0), Just(1_000_000), Just(u64::MAX)];
    let law = (
        window,
        prop::option::of(pace),
        prop::option::of(quantum),
        any::<bool>(),
    );
    law.prop_map(|(window, pace, quantum, owns)| {
        let law = Stubborn {
            window,
            pace,
            quantum,
            owns,
        };
        CongestionConfig::Custom(CustomCongestion::new("stubborn", move |_| law))
    })
}

/// Window of the receiver.
const WINDOW: u32 = 1 << 20;

/// Over TCP or, with its law, over QUIC.
fn transport() -> impl Strategy<Value = Transport> {
    let presets = (0..PRESETS.len()).prop_map(|n| PRESETS[n].composition.clone());
    let own = stubborn().prop_map(|law| {
        let others = preset("rack-tlp").expect("a preset").composition.clone();
        others.with_congestion(law)
    });
    let composition = prop_oneof![presets, own];
    let profile = prop_oneof![
        Just(Profile::Ns2),
        Just(Profile::Bsd),
        Just(Profile::Rfc),
        Just(Profile::Linux)
    ];
    (composition, profile, any::<bool>()).prop_map(|(composition, profile, over_tcp)| {
        if over_tcp {
            let mut config = TcpConfig::new(profile, composition);
            config.rwnd = WINDOW;
            Transport::Tcp(Arc::new(config))
        } else {
            let mut config = quic::Config::new(composition.congestion);
            config.receive_buffer = WINDOW;
            over_quic(config)
        }
    })
}

/// A link that carries some thousand packets in ten seconds at most, and may do anything to them.
fn hostile() -> impl Strategy<Value = LinkConfig> {
    let rate = (0..9u32, 1..10u64).prop_map(|(power, first)| 10u64.pow(power) * first / 10 + 1);
    let policer = prop::option::of((1_000..5_000_000u64, 1_500..200_000u64));
    let loss = prop_oneof![Just(0.0), 0.0..0.1, 0.5..1.0, Just(1.0)];
    let dark = prop::option::of((0..8_000u64, 1..20_000u64));
    let queue = prop_oneof![Just(1), Just(4), 1..500u32];
    (rate, 0.1..100.0, queue, policer, loss, dark).prop_map(
        |(rate, delay, queue, policer, loss, dark)| {
            let mut config = wire(1.0, delay, queue);
            config.service = Service::Rate(Rate::from_bps(rate));
            config.policer = policer.map(|(rate, burst)| Policer {
                rate: Rate::from_bps(rate),
                burst,
            });
            config.loss = vec![LossConfig::Iid(loss)];
            config.blackouts = Vec::from_iter(dark.map(|(start, length)| Blackout {
                start: at(start),
                end: at(start + length),
            }));
            config
        },
    )
}

proptest! {
    #![proptest_config(draws(300))]

    #[test]
    fn nobody_sends_without_end(
        transport in transport(),
        out in hostile(),
        back in hostile(),
    ) {
        let links = both_ways(out, back);
        let mut flow = ftp("flow", 0, 1, tcp("reno"));
        flow.transport = transport;
        let outcome = simulate(&detailed(&["A", "B"], links, flow, 10));
        let flow = &outcome.flows[0];
        // A full window of a segment of 1000 bytes or more, new and again; then 16 again for each that arrives or is timed.
        let windows = 2 * u64::from(WINDOW) / 1000;
        let answers = flow.received_packets + flow.timeouts;
        prop_assert!(flow.sent_packets <= windows + 18 * answers + 100, "{flow:?}");
        prop_assert!(outcome.events <= 4 * (flow.sent_packets + answers) + 100, "{outcome:?}");
    }
}
