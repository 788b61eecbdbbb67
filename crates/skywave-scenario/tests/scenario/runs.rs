//! A scenario that loads also runs.

use skywave_scenario::Scenario;

use crate::wrong::FILES;

#[test]
fn every_part_of_the_format_can_be_simulated() {
    let everything = ("everything", include_str!("files/everything.toml"), 1);
    let routing = ("routing", include_str!("files/routing.toml"), usize::MAX);
    for (name, text, points) in [everything, routing] {
        let scenario = Scenario::parse(name, text, &FILES);
        let scenario = scenario.unwrap_or_else(|e| panic!("{}", e.render(false)));
        for point in scenario.points().iter().take(points) {
            let spec = point.spec(1);
            let outcome = skywave_sim::simulate(&spec);
            assert_eq!(outcome, skywave_sim::simulate(&spec), "the same bits again");
            assert_eq!(outcome.flows.len(), spec.flows.len());
            for flow in &outcome.flows {
                assert!(flow.delivered_bytes > 0, "{} delivers nothing", flow.name);
            }
        }
    }
}
