//! Numbers of groups of flows, of links and of bins, and the measures for curves.

use std::collections::BTreeMap;

use skywave_sim::outcome::{Bins, FlowOutcome, LinkOutcome, Outcome};

use crate::claims::{Paper, Scorecard, Verdict, evaluate, read};
use skywave_lab::experiment::{ENGINE, Results, RunResult};
use skywave_scenario::{NoFiles, ParamValue, Scenario};

/// Two groups of flows and one alone, at four loss rates with three seeds, with bins.
const SCENARIO: &str = r#"
[[link]]
name = "air"
between = ["A", "B"]
rate = "1Mbps"
delay = "10ms"
loss = { forward = { iid = 0.01 } }

[[flow]]
name = "long"
count = 2
from = "A"
to = "B"

[[flow]]
name = "web"
count = 3
from = "A"
to = "B"

[[flow]]
name = "alone"
from = "A"
to = "B"

[run]
duration = "4s"
seeds = 3
bins = "1s"

[sweep]
"link.air.loss.forward.iid" = [0.01, 0.02, 0.04, 0.08]
"#;

const HEAD: &str = r#"
title = "A paper"
source = "Somebody, somewhere"
[parameters]
loss = ["link.air.loss.forward.iid"]
[[claim]]
id = "one"
where = "Sec. 1"
kind = "value"
core = true
statement = "It is so."
"#;

fn paper(measure: &str) -> Result<Paper, crate::claims::ClaimsError> {
    let scenario = Scenario::parse("fig", SCENARIO, &NoFiles).expect("the scenario is right");
    read(
        "paper",
        "claims.toml",
        &format!("{HEAD}{measure}"),
        vec![scenario],
        &NoFiles,
    )
}

/// The outcome of flow number `index` at a loss rate; seeds differ by parts in a thousand.
fn flow(name: &str, index: usize, loss: f64, seed: u64) -> FlowOutcome {
    let noise = 1.0 + 0.001 * seed as f64;
    let kbps = [100.0, 300.0, 10.0, 20.0, 30.0, 500.0][index];
    FlowOutcome {
        name: name.into(),
        goodput_bps: kbps * 1e3 * libm::exp(-20.0 * loss) * noise,
        sent_packets: 1000 * (index as u64 + 1),
        received_packets: ((1.0 - loss) * 10_000.0) as u64,
        queue_drops: 10 * (index as u64 + 1) + seed,
        timeouts: (loss * 1000.0) as u64 + seed,
        fast_retransmits: 40,
        rtt_mean_s: Some(0.1 * (index + 1) as f64),
        ..FlowOutcome::default()
    }
}

fn judged(measure: &str) -> Scorecard {
    let paper = paper(measure).unwrap_or_else(|e| panic!("{e}"));
    let scenario = &paper.experiments()[0];
    let mut results = Results::empty(ENGINE, scenario.seeds(), scenario.points().len());
    for (at, point) in scenario.points().iter().enumerate() {
        let loss = point
            .param("link.air.loss.forward.iid")
            .and_then(ParamValue::number);
        for (index, &seed) in scenario.seeds().iter().enumerate() {
            let spec = point.spec(seed);
            let flows = spec.flows.iter().enumerate();
            let outcome = Outcome {
                flows: flows
                    .map(|(i, f)| flow(&f.name, i, loss.unwrap_or_default(), seed))
                    .collect(),
                links: vec![LinkOutcome {
                    name: "air".into(),
                    drop_rate: Some(0.02 + 0.001 * seed as f64),
                    ..LinkOutcome::default()
                }],
                // Of 125 kB a second; the long flows give way in the third second.
                bins: Some(Bins {
                    width_s: 1.0,
                    delivered: vec![
                        vec![60_000, 40_000, 30_000, 30_000],
                        vec![60_000, 40_000, 30_000, 30_000],
                        vec![0, 40_000, 60_000, 60_000],
                        vec![0; 4],
                        vec![0; 4],
                        vec![0; 4],
                    ],
                }),
                ..Outcome::default()
            };
            results.put(at, index, &RunResult::new(outcome));
        }
    }
    evaluate(&paper, &BTreeMap::from([("fig".to_owned(), results)]))
}

/// The number of the claim's only part.
#[track_caller]
fn ours(measure: &str) -> f64 {
    let card = judged(measure);
    let [part] = card.scores[0].parts.as_slice() else {
        panic!("{:?}", card.scores[0].parts);
    };
    part.ours.expect("a number")
}

/// A number as a bound reads it, at 1 % loss.
#[track_caller]
fn number(data: &str) -> f64 {
    ours(&format!(
        "[[claim.measure.bound]]\nat_least = 0\n\
         data = {{ experiment = \"fig\", at = {{ loss = 0.01 }}, {data} }}"
    ))
}

#[track_caller]
fn near(actual: f64, expected: f64) {
    assert!(
        (actual / expected - 1.0).abs() < 0.005,
        "{actual}, not {expected}"
    );
}

#[test]
fn groups_add_up_or_are_averaged_by_what_they_measure() {
    let at_one_percent = libm::exp(-0.2) * 1e3;
    near(number("flow = \"long\""), 400.0 * at_one_percent);
    near(
        number("flow = \"long\", pool = \"mean\""),
        200.0 * at_one_percent,
    );
    near(
        number("flow = \"web\", pool = \"max\""),
        30.0 * at_one_percent,
    );
    near(number("flow = \"*\""), 960.0 * at_one_percent);
    near(number("flow = \"*.2\""), 320.0 * at_one_percent);
    near(number("flow = \"web.3\""), 30.0 * at_one_percent);
    near(number("flow = \"long\", pool = \"jain\""), 0.8);
    // Times are averaged unless a claim says otherwise.
    near(number("flow = \"web\", metric = \"rtt_mean\""), 0.4);
}

#[test]
fn numbers_are_added_and_divided() {
    // Drops 10 + 20 and two each, of 1000 + 2000 packets: not the mean of two rates.
    near(
        number("flow = \"long\", metric = \"queue_drops\", per = \"sent\""),
        34.0 / 3000.0,
    );
    near(
        number("metric = [\"timeouts\", \"fast_retransmits\"], per = [\"sent\", \"received\"]"),
        52.0 / 10_900.0,
    );
    near(number("metric = \"timeouts\", per = 4"), 3.0);
    near(number("link = \"air\", metric = \"drop_rate\""), 0.022);
    near(
        number("flow = \"alone\", share_of = \"air\", per = 2"),
        0.5 * libm::exp(-0.2) / 2.0,
    );
}

#[test]
fn bins_give_goodput_at_a_time_and_times_until_flows_give_way() {
    near(
        number("flow = \"long\", during = [\"1s\", \"3s\"]"),
        560_000.0,
    );
    let takeover = |more: &str| {
        number(&format!(
            "takeover = {{ falls = \"long\", to = 0.55, rises = \"web\", from = 0.45, \
             of = \"air\", after = \"1s\"{more} }}"
        ))
    };
    near(takeover(""), 2.0);
    // Over two seconds: 140 kB and 100 kB of 250 kB are too much and too little.
    near(takeover(", smooth = \"2s\""), 3.0);
}

#[test]
fn curves_cross_where_their_means_do() {
    // 10, 20, 40 and 80 timeouts and two more; 40 fast retransmits.
    let crossing = |more: &str| {
        format!(
            "[[claim.measure.crossing]]\nalong = {{ parameter = \"loss\" }}\nunit = \"%\"\n\
             data = {{ experiment = \"fig\", metric = \"timeouts\" }}\n{more}"
        )
    };
    let with = "with = { experiment = \"fig\", metric = \"fast_retransmits\" }\n";
    near(ours(&crossing(&format!("{with}paper = 3.5"))), 3.8);
    near(ours(&crossing("level = 32\npaper = 3.5")), 3.0);
    let verdict = |more: &str| judged(&crossing(more)).scores[0].verdict;
    assert_eq!(verdict("level = 40\npaper = 3.8"), Verdict::Reproduced);
    assert_eq!(verdict("level = 40\npaper = 2.5"), Verdict::DirectionOnly);
    assert_eq!(verdict("level = 400\npaper = 3.5"), Verdict::NotReproduced);
}

#[test]
fn lines_exponentials_and_differences() {
    let line = "[[claim.measure.linear]]\nalong = { parameter = \"loss\" }\n\
        data = { experiment = \"fig\", metric = \"received\", per = 10_000 }\n\
        paper = { slope = -1.0, intercept = 1.0 }";
    let card = judged(line);
    let parts: Vec<(&str, Option<f64>)> = card.scores[0]
        .parts
        .iter()
        .map(|p| (&*p.name, p.ours.map(|x| libm::round(x * 1e6) / 1e6)))
        .collect();
    assert_eq!(parts, [("slope", Some(-1.0)), ("intercept", Some(1.0))]);
    assert_eq!(card.scores[0].verdict, Verdict::Reproduced);

    let exponential = |metric: &str| {
        judged(&format!(
            "[[claim.measure.exponential]]\nalong = {{ parameter = \"loss\" }}\n\
             data = {{ experiment = \"fig\", metric = \"{metric}\" }}"
        ))
        .scores[0]
            .verdict
    };
    assert_eq!(exponential("goodput"), Verdict::Reproduced);
    assert_eq!(exponential("received"), Verdict::NotReproduced);

    let difference = "[[claim.measure.difference]]\npaper = 2.0\n\
        top = { experiment = \"fig\", at = { loss = 0.01 }, flow = \"web.1\", metric = \"rtt_mean\" }\n\
        bottom = { experiment = \"fig\", at = { loss = 0.01 }, flow = \"long.1\", metric = \"rtt_mean\" }\n\
        per = { experiment = \"fig\", at = { loss = 0.01 }, flow = \"long.1\", metric = \"rtt_mean\" }";
    near(ours(difference), 2.0);
}

#[test]
fn a_quotient_of_two_numbers_has_a_trend_of_its_own() {
    // Timeouts over received packets rise, though the latter fall.
    let measure = |kind: &str, direction: &str| {
        judged(&format!(
            "[[claim.measure.{kind}]]\nalong = {{ parameter = \"loss\" }}\n\
             data = {{ experiment = \"fig\", metric = \"received\" }}\n\
             over = {{ experiment = \"fig\", metric = \"timeouts\" }}\ndirection = \"{direction}\""
        ))
        .scores[0]
            .verdict
    };
    assert_eq!(measure("correlation", "falling"), Verdict::Reproduced);
    assert_eq!(measure("trend", "falling"), Verdict::Reproduced);
    assert_eq!(measure("trend", "rising"), Verdict::NotReproduced);
}

#[test]
fn a_ratio_may_be_the_papers() {
    let ratio = |paper: f64| {
        judged(&format!(
            "[[claim.measure.ratio]]\npaper = {paper}\n\
             top = {{ experiment = \"fig\", at = {{ loss = 0.01 }}, flow = \"long\", pool = \"mean\" }}\n\
             bottom = {{ experiment = \"fig\", at = {{ loss = 0.01 }}, flow = \"alone\" }}"
        ))
        .scores[0]
            .verdict
    };
    assert_eq!(ratio(0.42), Verdict::Reproduced);
    assert_eq!(ratio(0.6), Verdict::DirectionOnly);
    assert_eq!(ratio(0.9), Verdict::NotReproduced);
}

#[test]
fn models_are_evaluated_without_runs() {
    let model = |more: &str| judged(&format!("[[claim.measure.model]]\n{more}"));
    let value = "of = { formula = \"sifest-timeout\", at = { w = 4 } }\npaper = 2.667";
    assert_eq!(model(value).scores[0].verdict, Verdict::Reproduced);
    let order = "of = { formula = \"sifest-timeout\" }\nover = { formula = \"sifest-dupack\" }\n\
        along = { argument = \"w\", values = [2, 3, 8, 64] }\nat_most = 1.0";
    assert_eq!(model(order).scores[0].verdict, Verdict::Reproduced);
    let reverse = order.replace("at_most", "at_least");
    assert_eq!(model(&reverse).scores[0].verdict, Verdict::NotReproduced);
}

#[test]
fn what_cannot_be_measured_is_said() {
    let error = |measure: &str| paper(measure).expect_err("it is wrong").to_string();
    let data = |more: &str| {
        error(&format!(
            "[[claim.measure.bound]]\nat_least = 0\n\
             data = {{ experiment = \"fig\", at = {{ loss = 0.01 }}, {more} }}"
        ))
    };
    let crossing = |more: &str| {
        error(&format!(
            "[[claim.measure.crossing]]\nalong = {{ parameter = \"loss\" }}\n\
             data = {{ experiment = \"fig\" }}\n{more}"
        ))
    };
    let takeover =
        "takeover = { falls = \"long\", to = 0.5, rises = \"web\", from = 0.5, of = \"air\", after";
    insta::assert_snapshot!(
        "groups",
        [
            data("flow = \"lang*\""),
            data("per = \"nothing\""),
            data("during = [\"1s\", \"2.5s\"]"),
            data("during = [\"1s\", \"soon\"]"),
            data("metric = \"sent\", during = [\"1s\", \"2s\"]"),
            data(&format!("{takeover} = \"9s\" }}")),
            crossing("paper = 1"),
            crossing("level = 1\npaper = { a = 1 }"),
            error("[[claim.measure.model]]\nof = { formula = \"aimd\", at = { alpha = 1 } }\npaper = 1"),
            error("[[claim.measure.model]]\nof = { formula = \"sifest-dupack\", at = { w = 1, x = 2 } }\npaper = 1"),
            error("[[claim.measure.model]]\nof = { formula = \"sifest-dupack\", at = { w = 1 } }"),
        ]
        .join("\n")
    );
}
