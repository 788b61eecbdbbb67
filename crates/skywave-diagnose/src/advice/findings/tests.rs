use super::*;

fn first(finding: Finding, host: &Host) -> String {
    finding.recipe(host, &Attributes::default()).steps[0]
        .run
        .clone()
}

#[test]
fn a_policer_is_paced_below_by_what_the_host_has() {
    let policer = Finding::Policer { rate_bps: 5e6 };
    let host = Host::parse("linux").unwrap();
    let with = |queues: &[&str]| Host {
        queues: Some(queues.iter().map(|&name| name.to_owned()).collect()),
        ..host.clone()
    };
    let paced = |host: &Host| first(policer, host);
    assert_eq!(
        paced(&host),
        "tc qdisc replace dev DEV root fq maxrate 4800kbit"
    );
    assert_eq!(
        paced(&with(&["cake"])),
        "tc qdisc replace dev DEV root cake bandwidth 4800kbit"
    );
    assert!(paced(&with(&[])).contains("tbf rate 4800kbit"));
}

#[test]
fn a_window_holds_what_the_path_holds() {
    let finding = Finding::ReceiveWindow { bdp_bytes: 2.5e6 };
    let recipe = finding.recipe(&Host::any(), &Attributes::default());
    assert_eq!(
        recipe.steps[0].run,
        "sysctl -w net.ipv4.tcp_rmem=\"4096 131072 8388608\""
    );
    assert_eq!(
        recipe.steps[0].undo.as_deref(),
        Some("sysctl -w net.ipv4.tcp_rmem=\"4096 131072 6291456\"")
    );
}

#[test]
fn no_buffer_is_made_smaller_than_a_kernel_has_it() {
    for finding in [
        Finding::ReceiveWindow { bdp_bytes: 5e5 },
        Finding::SendBuffer { bdp_bytes: 5e5 },
    ] {
        let recipe = finding.recipe(&Host::any(), &Attributes::default());
        let mem = |step: &Step| step.run.contains("mem=");
        assert!(!recipe.steps.iter().any(mem), "{recipe:?}");
        assert!(
            recipe.steps[0]
                .run
                .contains("Linux' own limit is enough here")
        );
    }
}

#[test]
fn a_timeout_is_not_made_shorter_than_a_long_round_trip() {
    let steps = |rtt_s| {
        Finding::Timeouts { rtt_s }
            .recipe(&Host::any(), &Attributes::default())
            .steps
    };
    assert!(steps(0.04)[0].run.ends_with("rto_min 100ms"));
    assert!(steps(0.4).is_empty());
}

#[test]
fn whatever_is_set_can_be_taken_back() {
    let findings = [
        Finding::Policer { rate_bps: 1e6 },
        Finding::DeepQueue {
            ours: true,
            rate_bps: 1e6,
        },
        Finding::DeepQueue {
            ours: false,
            rate_bps: 1e6,
        },
        Finding::SendBuffer { bdp_bytes: 2e6 },
        Finding::ShortFlows,
        Finding::Reordering,
    ];
    for finding in findings {
        let recipe = finding.recipe(&Host::any(), &Attributes::default());
        for step in recipe.steps {
            let sets = ["sysctl", "tc ", "ip route", "ip link"];
            let sets = sets.iter().any(|word| step.run.starts_with(word));
            assert_eq!(sets, step.undo.is_some() && step.keep.is_some(), "{step:?}");
        }
    }
}
