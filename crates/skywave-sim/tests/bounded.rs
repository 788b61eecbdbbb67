//! What a run costs: in proportion to what its links can carry and its timers, whatever is lost.

mod common;

use common::{detailed, ftp, link, tcp, wire};
use skywave_core::Rate;
use skywave_core::link::{LossConfig, Service};
use skywave_core::tcp::{Handshake, PRESETS};
use skywave_sim::losses::LossCause;
use skywave_sim::outcome::FlowOutcome;
use skywave_sim::simulate;
use skywave_sim::spec::Traffic;

/// A flow of 10 kB over 20 ms each way for a million seconds.
fn for_long(name: &str, rate: Rate, loss: f64) -> FlowOutcome {
    let mut config = tcp(name);
    config.handshake = Handshake::None;
    let mut flow = ftp("flow", 0, 1, config);
    flow.traffic = Traffic::Bytes(10_000);
    let mut out = wire(10.0, 20.0, 50);
    out.service = Service::Rate(rate);
    let back = out.clone();
    out.loss = vec![LossConfig::Bernoulli(loss)];
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
        assert!((16_660..=16_672).contains(&timeouts), "{name}: {timeouts}");
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
