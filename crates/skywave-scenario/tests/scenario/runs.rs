//! A scenario that loads also runs.

use skywave_scenario::Scenario;

use crate::wrong::FILES;

#[test]
fn every_part_of_the_format_can_be_simulated() {
    let text = include_str!("files/everything.toml");
    let scenario = Scenario::parse("everything", text, &FILES);
    let scenario = scenario.unwrap_or_else(|e| panic!("{}", e.render(false)));
    let spec = scenario.points()[0].spec(1);
    let outcome = skywave_sim::simulate(&spec);
    assert_eq!(outcome, skywave_sim::simulate(&spec), "the same bits again");
    assert_eq!(outcome.flows.len(), spec.flows.len());
    for flow in &outcome.flows {
        assert!(flow.delivered_bytes > 0, "{} delivers nothing", flow.name);
    }
}
