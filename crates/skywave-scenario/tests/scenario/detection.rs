//! Loss detectors with parameters: what they become and what they are called.

use skywave_core::Duration;
use skywave_core::tcp::DetectionConfig;
use skywave_core::tcp::detection::{DcrConfig, DcrWait, NcrTransmit};
use skywave_scenario::{NoFiles, Scenario};
use skywave_sim::spec::Transport;

fn read(detection: &str) -> Result<(DetectionConfig, String), String> {
    let text = format!(
        "[[link]]\nbetween = [\"A\", \"B\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\
         [[flow]]\nfrom = \"A\"\nto = \"B\"\n\
         transport = {{ preset = \"sack\", detection = {detection} }}\n\
         [run]\nduration = \"10s\"\n"
    );
    let scenario = Scenario::parse("test.toml", &text, &NoFiles).map_err(|e| e.render(false))?;
    let point = &scenario.points()[0];
    let Transport::Tcp(config) = &point.spec(1).flows[0].transport else {
        panic!("TCP is expected");
    };
    let label = point.transport_label(0).expect("a label");
    Ok((config.composition.detection.clone(), label.to_owned()))
}

/// `detection` is read as this member, under this name.
#[track_caller]
fn becomes(detection: &str, member: DetectionConfig, name: &str) {
    let label = format!("sack detection={name}");
    assert_eq!(read(detection), Ok((member, label)));
}

#[test]
fn early_retransmit() {
    let name = "early-retransmit";
    becomes(&format!("{name:?}"), DetectionConfig::EarlyRetransmit, name);
}

#[test]
fn ncr() {
    let careful = || DetectionConfig::Ncr(NcrTransmit::Careful);
    becomes("\"ncr\"", careful(), "ncr");
    becomes("{ ncr = { transmit = \"careful\" } }", careful(), "ncr");
    let aggressive = DetectionConfig::Ncr(NcrTransmit::Aggressive);
    let text = "{ ncr = { transmit = \"aggressive\" } }";
    becomes(text, aggressive, "ncr(aggressive)");
}

#[test]
fn dcr() {
    let dcr = |tau, wait| DetectionConfig::Dcr(DcrConfig { tau, wait });
    let timer = |ms| DcrWait::Timer {
        tick: Duration::from_millis(ms),
    };
    becomes("\"dcr\"", dcr(1.0, timer(0)), "dcr");
    becomes(
        "{ dcr = { tau = 1.0, by = \"timer\" } }",
        dcr(1.0, timer(0)),
        "dcr",
    );
    let all = "{ dcr = { tau = 0.5, by = \"timer\", tick = \"10ms\" } }";
    becomes(all, dcr(0.5, timer(10)), "dcr(tau=0.5, tick=0.01s)");
    let by_dupacks = "{ dcr = { by = \"dupacks\" } }";
    becomes(by_dupacks, dcr(1.0, DcrWait::Dupacks), "dcr(by=dupacks)");
    let error = read("{ dcr = { by = \"dupacks\", tick = \"10ms\" } }").unwrap_err();
    insta::assert_snapshot!(error);
}
