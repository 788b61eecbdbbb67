//! What these senders cannot have is refused in words.

use skywave_core::link::Service;
use skywave_core::{Duration, Rate, Time};
use skywave_foreign::path::Path;
use skywave_foreign::{parse, run, run_each};
use skywave_sim::Spec;
use skywave_sim::spec::{AgentSpec, Outage, Route, Traffic, Tunnel};

fn spec(flows: usize) -> Spec {
    let rate = Service::Rate(Rate::from_bps(1_000_000));
    Path::new(rate, Duration::from_millis(20), 50).spec(flows)
}

fn refused(spec: &Spec) -> String {
    run(spec, &parse("noq:cubic").unwrap())
        .unwrap_err()
        .to_string()
}

#[test]
fn flows_of_the_simulator_beside() {
    let told = "flow \"flow-2\" has no sender of another library: all flows must have one, as the libraries' connections and \
                the simulator's own do not share a run";
    assert_eq!(refused(&spec(2)), told);
    let sender = parse("quinn:bbr").unwrap();
    let error = run_each(&spec(1), &[(0, sender.clone()), (3, sender)], false).unwrap_err();
    let told = "there is no flow number 3: the scenario has 1 of them";
    assert_eq!(error.to_string(), told);
}

#[test]
fn agents_and_other_ways() {
    let mut with_agent = spec(1);
    let snoop = skywave_core::agent::SnoopConfig::default();
    with_agent.agents = vec![AgentSpec::snoop(1, snoop)];
    let told =
        "other libraries' senders run over links alone, and this scenario has an agent on the way";
    assert_eq!(refused(&with_agent), told);
    let by = |route: Route| {
        let mut spec = spec(1);
        spec.flows[0].route = Some(Box::new(route));
        refused(&spec)
    };
    let tunnel = Tunnel {
        from: 0,
        to: 1,
        header: 20,
    };
    let outage = Outage {
        warned: Time::ZERO,
        over: Time::ZERO,
    };
    let routes = [
        Route {
            tunnels: vec![tunnel],
            ..Route::default()
        },
        Route {
            outages: vec![outage],
            ..Route::default()
        },
        Route {
            via: vec![0],
            ..Route::default()
        },
    ];
    let unknown = "which other libraries' senders do not know";
    assert_eq!(
        routes.map(by),
        [
            format!("the way of flow \"flow-1\" has a tunnel, {unknown}"),
            format!(
                "the way of flow \"flow-1\" has outages that its receiver announces, {unknown}"
            ),
            "flow \"flow-1\": the route passes node 0 twice".to_owned(),
        ]
    );
}

#[test]
fn applications_that_do_not_only_write() {
    let mut spec = spec(1);
    spec.flows[0].traffic = Traffic::Cbr {
        rate: Rate::from_bps(1000),
        packet: 100,
        jitter: 0.0,
    };
    let told = "the application of flow \"flow-1\" sends at a constant rate: other libraries' senders send data without end \
                (`ftp`) or of one size (`bytes`)";
    assert_eq!(refused(&spec), told);
}
