//! What loads, runs.

use std::path::Path;

use skywave_lab::scenario::Scenario;

#[test]
fn every_part_of_the_format_can_be_simulated() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/scenario/files"));
    let path = folder.join("everything.toml");
    let scenario = Scenario::load(&path).unwrap_or_else(|e| panic!("{}", e.render(false)));
    let spec = scenario.points()[0].spec(1);
    let outcome = skywave_sim::simulate(&spec);
    assert_eq!(outcome, skywave_sim::simulate(&spec), "the same bits again");
    assert_eq!(outcome.flows.len(), spec.flows.len());
    for flow in &outcome.flows {
        assert!(flow.delivered_bytes > 0, "{} delivers nothing", flow.name);
    }
}
