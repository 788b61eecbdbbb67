//! Distributions as they were measured: what is drawn from them, and messages about wrong ones.

use skywave_scenario::{NoFiles, Scenario};
use skywave_sim::spec::{Dist, Spec, Traffic};

use crate::wrong::{cases, changed};

const GOOD: &str = r#"
[[link]]
between = ["A", "B"]
rate = "2Mbps"
delay = { empirical = [["10ms", 0.5], ["20ms", 1]] }

[[flow]]
from = "A"
to = "B"
start = { empirical = [["5s", 0.1], ["9s", 1.0]] }
traffic = { requests = { size = { empirical = [["1kB", 0.2], ["10 segments", 0.5], ["1MB", 1]] }, think = { empirical = [["1s", 1]] } } }

[run]
duration = "100s"
"#;

fn specs() -> Vec<Spec> {
    let scenario = Scenario::parse("case.toml", GOOD, &NoFiles);
    let scenario = scenario.unwrap_or_else(|error| panic!("{}", error.render(false)));
    let point = &scenario.points()[0];
    (1..=400).map(|seed| point.spec(seed)).collect()
}

#[test]
fn sizes_and_pauses_are_numbers_with_their_shares() {
    let Traffic::Requests { size, think, .. } = &specs()[0].flows[0].traffic else {
        panic!("not requests");
    };
    let points = [(1000.0, 0.2), (14_600.0, 0.5), (1e6, 1.0)];
    assert_eq!(*size, Dist::Empirical(points.into()));
    assert_eq!(*think, Dist::Empirical([(1.0, 1.0)].into()));
}

#[test]
fn delays_and_starts_are_drawn_for_each_seed() {
    let specs = specs();
    let delays = specs
        .iter()
        .map(|spec| spec.links[0].config.delay.as_secs_f64());
    let (least, most) = (0.010, 0.020);
    let delays: Vec<f64> = delays.collect();
    assert!(delays.iter().all(|delay| (least..most).contains(delay)));
    let atoms = delays.iter().filter(|&&delay| delay == least).count();
    assert!(
        (160..240).contains(&atoms),
        "{atoms} of 400 are the first value"
    );
    let above = delays.iter().filter(|&&delay| delay > 0.015).count();
    assert!(
        (70..130).contains(&above),
        "{above} of 400 are in the upper half"
    );
    let starts = specs.iter().map(|spec| spec.flows[0].start.as_secs_f64());
    assert!(starts.into_iter().all(|start| (5.0..9.0).contains(&start)));
}

cases! {
    GOOD;
    a_distribution_of_nothing: r#"{ empirical = [["10ms", 0.5], ["20ms", 1]] }"# => "{ empirical = [] }";
    a_distribution_whose_values_fall: r#"{ empirical = [["10ms", 0.5], ["20ms", 1]] }"# => "{ empirical = [[\"9ms\", 0.5], [\"8ms\", 1]] }";
    a_distribution_whose_shares_fall: r#"{ empirical = [["10ms", 0.5], ["20ms", 1]] }"# => "{ empirical = [[\"8ms\", 0.5], [\"9ms\", 0.4], [\"9ms\", 1]] }";
    a_distribution_without_end: r#"{ empirical = [["10ms", 0.5], ["20ms", 1]] }"# => "{ empirical = [[\"8ms\", 0.5], [\"9ms\", 0.9]] }";
    a_share_above_one: r#"{ empirical = [["10ms", 0.5], ["20ms", 1]] }"# => "{ empirical = [[\"8ms\", 0.5], [\"9ms\", 100]] }";
    a_distribution_of_starts_after_the_run: r#"["5s", 0.1], ["9s", 1.0]"# => r#"["101s", 0.1], ["102s", 1.0]"#;
}
