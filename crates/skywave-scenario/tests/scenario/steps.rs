//! Rates and delays in steps, and the presets of real links: what they become, and what is said of wrong ones.

use std::sync::Arc;

use skywave_core::link::{Limit, LinkConfig, LossAt, QueueConfig, Service, StepValues, Steps};
use skywave_core::{Duration, Rate};
use skywave_scenario::Scenario;

use crate::wrong::{FILES, cases, changed};

const GOOD: &str = r#"
[[link]]
name = "air"
between = ["A", "B"]
rate = "2Mbps"
delay = "80ms"
steps = { every = "15s", share = [1, 0.5] }

[[flow]]
from = "A"
to = "B"

[run]
duration = "100s"
"#;

/// Both directions of the link of this scenario.
fn links(text: &str) -> [LinkConfig; 2] {
    let scenario = Scenario::parse("test.toml", text, &FILES);
    let scenario = scenario.unwrap_or_else(|e| panic!("{}", e.render(false)));
    let links = scenario.points()[0].spec(1).links;
    [0, 1].map(|place| LinkConfig::clone(&links[place].config))
}

/// The link with other steps, and more lines.
fn stepped(steps: &str) -> [Option<Arc<Steps>>; 2] {
    let good = "steps = { every = \"15s\", share = [1, 0.5] }";
    links(&GOOD.replace(good, steps)).map(|link| link.steps)
}

/// The link by a preset, with more lines.
fn preset(lines: &str) -> [LinkConfig; 2] {
    links(&format!(
        "[[link]]\nbetween = [\"A\", \"B\"]\n{lines}\n[[flow]]\nfrom = \"A\"\nto = \"B\"\n\
         [run]\nduration = \"60s\"\n"
    ))
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn bps(bps: u64) -> Service {
    Service::Rate(Rate::from_bps(bps))
}

#[test]
fn steps_have_lists_and_draws_in_each_direction() {
    let share = StepValues::InTurn(vec![1.0, 0.5]);
    let every = Duration::from_secs(15);
    let steps = |share, delay| {
        Some(Arc::new(Steps {
            every,
            share,
            delay,
        }))
    };
    let plain = steps(Some(share.clone()), None);
    let good = "steps = { every = \"15s\", share = [1, 0.5] }";
    assert_eq!(stepped(good), [plain.clone(), plain.clone()]);
    let own = "reverse = { steps = { every = \"15s\", share = { any-of = [0.5, 0.25] }, \
               delay = { uniform = [\"0ms\", \"20ms\"] } } }";
    let drawn = steps(
        Some(StepValues::AnyOf(vec![0.5, 0.25])),
        Some(StepValues::Uniform(Duration::ZERO, ms(20))),
    );
    assert_eq!(stepped(&format!("{good}\n{own}")), [plain.clone(), drawn]);
    let none = "reverse = { steps = \"none\" }";
    assert_eq!(stepped(&format!("{good}\n{none}")), [plain, None]);
    assert_eq!(stepped("steps = \"none\""), [None, None]);
}

#[test]
fn the_presets_are_what_their_names_say() {
    let [down, up] = preset("preset = \"dsl\"");
    assert_eq!(
        [&down.service, &up.service],
        [&bps(8_000_000), &bps(1_000_000)]
    );
    let deep = QueueConfig::DropTail(Limit::Bytes(256_000));
    assert_eq!([down.queue, up.queue], [deep, deep]);
    assert_eq!(down.delay, ms(10));

    let [down, up] = preset("preset = \"lte\"");
    assert_eq!(
        [&down.service, &up.service],
        [&bps(24_000_000), &bps(10_000_000)]
    );
    for link in [down, up] {
        let arq = link.arq.expect("HARQ");
        assert_eq!((arq.round_trip, arq.retries), (Some(ms(8)), Some(3)));
        assert!(arq.in_order && link.loss.len() == 1);
        assert_eq!(link.steps.map(|steps| steps.every), Some(ms(500)));
    }

    let [down, up] = preset("preset = \"leo\"");
    assert_eq!(
        [&down.service, &up.service],
        [&bps(200_000_000), &bps(20_000_000)]
    );
    for link in [down, up] {
        // Dark at each hand-over.
        let changes = link.blackouts.iter().map(|dark| dark.start.as_nanos());
        assert_eq!(
            changes.collect::<Vec<_>>(),
            [15, 30, 45].map(|s| s * 1_000_000_000)
        );
        let steps = link.steps.expect("hand-overs");
        assert_eq!(steps.every, Duration::from_secs(15));
        assert!(steps.share.is_some() && steps.delay.is_some());
        assert_eq!((link.loss.len(), link.loss_at), (1, LossAt::Tail));
    }

    let [down, up] = preset("preset = \"wifi\"");
    assert_eq!(down.service, up.service);
    let arq = down.arq.expect("the MAC repeats frames");
    assert_eq!(arq.retries, Some(6));
    assert_eq!((down.loss.len(), up.loss.len()), (1, 1));
}

#[test]
fn single_keys_of_a_preset_are_replaced() {
    let [down, up] = preset("preset = \"lte\"\nsteps = \"none\"\nrate = \"5Mbps\"");
    assert_eq!([down.steps, up.steps], [None, None]);
    assert_eq!(
        [down.service, up.service],
        [bps(5_000_000), bps(10_000_000)]
    );
    let [down, up] = preset("preset = \"dsl\"\nreverse_rate = \"2Mbps\"");
    assert_eq!([down.service, up.service], [bps(8_000_000), bps(2_000_000)]);
    let [down, up] = preset("preset = \"dsl\"\nreverse = { rate = \"2Mbps\" }");
    assert_eq!([down.service, up.service], [bps(8_000_000), bps(2_000_000)]);
    let fair = "reverse = { queue = { fq-codel = {} } }";
    let [down, up] = preset(&format!("preset = \"leo\"\n{fair}"));
    assert!(matches!(down.queue, QueueConfig::DropTail(_)));
    assert!(matches!(up.queue, QueueConfig::FqCoDel(_)));
}

#[test]
fn a_trace_takes_the_place_of_a_presets_rate_and_of_its_shares() {
    let [down, up] = preset("preset = \"lte\"\ntrace = \"lte.trace\"");
    assert!(matches!(down.service, Service::Trace(_)));
    assert_eq!([down.steps, up.steps], [None, None]);
    let [down, _] = preset("preset = \"leo\"\ntrace = \"lte.trace\"");
    let steps = down.steps.expect("those of the delay stay");
    assert!(steps.share.is_none() && steps.delay.is_some());
}

cases! {
    GOOD;
    steps_without_a_length: "every = \"15s\", " => "";
    steps_that_are_too_short: "every = \"15s\"" => "every = \"10us\"";
    steps_of_nothing: ", share = [1, 0.5]" => "";
    steps_without_a_value: "[1, 0.5]" => "[]";
    a_step_without_a_rate: "[1, 0.5]" => "[1, 0]";
    a_step_above_the_rate: "[1, 0.5]" => "[1.5]";
    steps_with_bounds_the_wrong_way_round: "[1, 0.5]" => "{ uniform = [1, 0.5] }";
    steps_within_one_bound: "[1, 0.5]" => "{ uniform = [0.5] }";
    steps_within_no_bounds: "[1, 0.5]" => "{ uniform = 0.5 }";
    a_step_in_percent: "[1, 0.5]" => "[\"50%\"]";
    steps_of_another_kind: "[1, 0.5]" => "{ normal = [1, 0.5] }";
    steps_beside_contention: "delay" => "contention = \"cdpd\"\ndelay";
}

#[test]
fn a_trace_has_no_steps() {
    let text = GOOD.replace("rate = \"2Mbps\"", "trace = \"lte.trace\"");
    let error = Scenario::parse("case.toml", &text, &FILES).err();
    insta::assert_snapshot!(error.expect("a fault").render(false));
}
