//! Queues: what they become, and what is said of wrong ones.

use skywave_core::link::{
    CoDelConfig, DualPi2Config, FqCoDelConfig, Limit, LinkConfig, PieConfig, Policer, QueueConfig,
    Shaper, StepConfig,
};
use skywave_core::{Duration, Rate};
use skywave_scenario::{Bundle, NoFiles, Scenario};

use crate::wrong::cases;
use crate::wrong::changed;

const GOOD: &str = r#"
[[link]]
name = "air"
between = ["A", "B"]
rate = "2Mbps"
delay = "80ms"
queue = { codel = {} }

[[flow]]
from = "A"
to = "B"

[run]
duration = "100s"
"#;

/// The queue of the link's forward direction.
fn queue(text: &str) -> QueueConfig {
    let [there, _] = directions(&GOOD.replace("{ codel = {} }", text));
    there.queue
}

/// The two directions of the link.
fn directions(text: &str) -> [LinkConfig; 2] {
    let scenario = Scenario::parse("test.toml", text, &NoFiles);
    let scenario = scenario.unwrap_or_else(|e| panic!("{}", e.render(false)));
    let spec = scenario.points()[0].spec(1);
    [0, 1].map(|link| LinkConfig::clone(&spec.links[link].config))
}

#[test]
fn a_policer_is_that_of_both_directions_unless_one_has_its_own() {
    let policer = "policer = { rate = \"2Mbps\", burst = \"10kB\" }\nqueue";
    let both = directions(&GOOD.replace("queue", policer));
    let (rate, burst) = (Rate::from_bps(2_000_000), 10_000);
    assert_eq!(
        both.map(|link| link.policer),
        [Some(Policer { rate, burst }); 2]
    );
    let own = format!("reverse = {{ policer = \"none\" }}\n{policer}");
    let [_, back] = directions(&GOOD.replace("queue", &own));
    assert_eq!(back.policer, None);
}

#[test]
fn a_shaper_is_that_of_both_directions_unless_one_has_its_own() {
    let shaper = "shaper = { rate = \"2Mbps\", burst = \"10kB\" }\nqueue";
    let both = directions(&GOOD.replace("queue", shaper));
    let (rate, burst) = (Rate::from_bps(2_000_000), 10_000);
    assert_eq!(
        both.map(|link| link.shaper),
        [Some(Shaper { rate, burst }); 2]
    );
    let own = format!("reverse = {{ shaper = \"none\" }}\n{shaper}");
    let [_, back] = directions(&GOOD.replace("queue", &own));
    assert_eq!(back.shaper, None);
}

#[test]
fn a_size_in_time_goes_by_the_rate_of_the_shaper() {
    let text = GOOD.replace(
        "queue = { codel = {} }",
        "shaper = { rate = \"80kbps\", burst = \"10kB\" }\nqueue = { droptail = \"1s\" }",
    );
    assert!(text.contains("shaper"), "{text}");
    let there = &directions(&text)[0];
    assert_eq!(there.queue, QueueConfig::DropTail(Limit::Bytes(10_000)));
}

#[test]
fn a_size_in_time_goes_by_the_mean_of_a_rate_that_changes() {
    let text = GOOD.replace(
        "queue = { codel = {} }",
        "queue = { droptail = \"80ms\" }\nreverse = { steps = { every = \"1s\", share = [1, 0.5] } }",
    );
    let bytes = directions(&text).map(|link| link.queue);
    let of = |bytes| QueueConfig::DropTail(Limit::Bytes(bytes));
    assert_eq!(bytes, [of(20_000), of(15_000)]);
}

#[test]
fn a_size_in_time_goes_by_the_mean_rate_of_a_trace() {
    // An opportunity of 1500 bytes every 4 ms on average.
    let files = Bundle(&[("link.trace", "1\n2\n3\n4\n20\n")]);
    let text = GOOD.replace("rate = \"2Mbps\"", "trace = \"link.trace\"");
    let text = text.replace("{ codel = {} }", "{ droptail = \"80ms\" }");
    let scenario = Scenario::parse("test.toml", &text, &files);
    let scenario = scenario.unwrap_or_else(|e| panic!("{}", e.render(false)));
    let spec = scenario.points()[0].spec(1);
    let queue = QueueConfig::DropTail(Limit::Bytes(30_000));
    assert_eq!(spec.links[0].config.queue, queue);
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

const THOUSAND: Limit = Limit::Packets(1000);

#[test]
fn defaults_are_those_of_the_rfcs() {
    let codel = CoDelConfig::new(THOUSAND);
    assert_eq!(queue("{ codel = {} }"), QueueConfig::CoDel(codel));
    let fq = FqCoDelConfig::new(CoDelConfig::new(Limit::Packets(10_240)));
    assert_eq!(queue("{ fq-codel = {} }"), QueueConfig::FqCoDel(fq));
    let pie = PieConfig::new(THOUSAND);
    assert_eq!(queue("{ pie = {} }"), QueueConfig::Pie(pie));
    let dual = DualPi2Config::new(Limit::Packets(10_000));
    assert_eq!(queue("{ dualpi2 = {} }"), QueueConfig::DualPi2(dual));
}

#[test]
fn every_key_arrives() {
    let codel = CoDelConfig {
        limit: Limit::Bytes(64_000),
        target: ms(1),
        interval: ms(20),
        mtu: 9000,
        ecn: true,
        ce_threshold: Some(ms(2)),
    };
    let keys = "limit = \"64kB\", target = \"1ms\", interval = \"20ms\", mtu = \"9000B\", \
                ecn = true, ce_threshold = \"2ms\"";
    assert_eq!(
        queue(&format!("{{ codel = {{ {keys} }} }}")),
        QueueConfig::CoDel(codel)
    );
    let fq = FqCoDelConfig {
        codel,
        queues: 32,
        quantum: 300,
    };
    assert_eq!(
        queue(&format!(
            "{{ fq-codel = {{ {keys}, queues = 32, quantum = 300 }} }}"
        )),
        QueueConfig::FqCoDel(fq)
    );
    let pie = PieConfig {
        limit: Limit::Packets(200),
        target: ms(20),
        update: ms(30),
        alpha: 0.25,
        beta: 2.5,
        burst: ms(100),
        mean_packet: 1500,
        mark_p: Some(0.2),
    };
    assert_eq!(
        queue(
            "{ pie = { limit = \"200 packets\", target = \"20ms\", update = \"30ms\", \
             alpha = 0.25, beta = 2.5, burst = \"100ms\", mean_packet = 1500, ecn = true, \
             mark_p = 0.2 } }"
        ),
        QueueConfig::Pie(pie)
    );
    let dual = DualPi2Config {
        limit: Limit::Packets(200),
        target: ms(20),
        update: ms(30),
        alpha: 0.25,
        beta: 2.5,
        coupling: 1.5,
        step: ms(2),
        shift: ms(40),
    };
    assert_eq!(
        queue(
            "{ dualpi2 = { limit = \"200 packets\", target = \"20ms\", update = \"30ms\", \
             alpha = 0.25, beta = 2.5, coupling = 1.5, step = \"2ms\", shift = \"40ms\" } }"
        ),
        QueueConfig::DualPi2(dual)
    );
    let step = StepConfig {
        limit: Limit::Packets(100),
        threshold: 20,
        weight: None,
    };
    assert_eq!(
        queue("{ step = { limit = \"100 packets\", threshold = \"20 packets\" } }"),
        QueueConfig::Step(step)
    );
    let warning = StepConfig {
        weight: Some(0.2),
        ..step
    };
    assert_eq!(
        queue("{ step = { limit = \"100 packets\", threshold = \"20 packets\", weight = 0.2 } }"),
        QueueConfig::Step(warning)
    );
}

#[test]
fn a_time_stands_for_what_the_link_sends_in_it() {
    // 2 Mb/s are 250 bytes a millisecond.
    assert_eq!(
        queue("{ droptail = \"50ms\" }"),
        QueueConfig::DropTail(Limit::Bytes(12_500))
    );
    let limited = |limit| CoDelConfig::new(Limit::Bytes(limit));
    assert_eq!(
        queue("{ codel = { limit = \"1.5s\" } }"),
        QueueConfig::CoDel(limited(375_000))
    );
    assert_eq!(
        queue("{ fq-codel = { limit = \"1s\" } }"),
        QueueConfig::FqCoDel(FqCoDelConfig::new(limited(250_000)))
    );
    assert_eq!(
        queue("{ pie = { limit = \"10ms\" } }"),
        QueueConfig::Pie(PieConfig::new(Limit::Bytes(2_500)))
    );
    let step = StepConfig {
        limit: Limit::Bytes(25_000),
        threshold: 1_250,
        weight: None,
    };
    assert_eq!(
        queue("{ step = { limit = \"100ms\", threshold = \"5ms\" } }"),
        QueueConfig::Step(step)
    );
    let QueueConfig::Red(red) =
        queue("{ red = { limit = \"40ms\", min = \"5ms\", max = \"5kB\" } }")
    else {
        panic!("another queue");
    };
    assert_eq!(red.limit, Limit::Bytes(10_000));
    assert_eq!((red.min_threshold, red.max_threshold), (1_250.0, 5_000.0));
}

#[test]
fn a_time_is_that_of_the_direction() {
    let text = GOOD.replace(
        "queue = { codel = {} }",
        "reverse_rate = \"200kbps\"\nqueue = { droptail = \"100ms\" }",
    );
    let scenario = Scenario::parse("test.toml", &text, &NoFiles);
    let scenario = scenario.unwrap_or_else(|e| panic!("{}", e.render(false)));
    let links = &scenario.points()[0].spec(1).links;
    let limits = [0, 1].map(|place| links[place].config.queue.limit());
    assert_eq!(limits, [Limit::Bytes(25_000), Limit::Bytes(2_500)]);
}

#[test]
fn a_ring_belongs_to_a_queue_that_decides_late() {
    let links = |text: &str| {
        let text = GOOD.replace("queue = { codel = {} }", text);
        let scenario = Scenario::parse("test.toml", &text, &NoFiles);
        let scenario = scenario.unwrap_or_else(|e| panic!("{}", e.render(false)));
        let links = &scenario.points()[0].spec(1).links;
        [links[0].config.ring, links[1].config.ring]
    };
    let codel = "queue = { codel = {} }";
    assert_eq!(links(codel), [0, 0]);
    assert_eq!(links(&format!("{codel}\nring = \"1 packets\"")), [1, 1]);
    let back = "reverse = { queue = { droptail = \"9 packets\" } }";
    assert_eq!(
        links(&format!("{codel}\nring = \"8 packets\"\n{back}")),
        [8, 0]
    );
}

cases! {
    GOOD;
    a_ring_before_tail_drop: "queue = { codel = {} }" => "ring = \"1 packets\"";
    a_step_in_two_units: "{ codel = {} }" =>
        "{ step = { limit = \"100 packets\", threshold = \"20kB\" } }";
    a_queue_of_no_time: "{ codel = {} }" => "{ droptail = \"0ms\" }";
    a_queue_of_less_than_a_byte: "{ codel = {} }" => "{ droptail = \"3us\" }";
    a_queue_of_a_rate: "{ codel = {} }" => "{ droptail = \"2Mbps\" }";
    red_in_time_and_packets: "{ codel = {} }" =>
        "{ red = { limit = \"50ms\", min = \"5 packets\" } }";
    a_shaper_of_a_rate_that_changes: "queue = { codel = {} }" =>
        "steps = { every = \"1s\", share = [1, 0.5] }\nshaper = { rate = \"1Mbps\", burst = \"9kB\" }";
    a_shaper_beside_contention: "queue = { codel = {} }" =>
        "contention = \"cdpd\"\nshaper = { rate = \"1Mbps\", burst = \"9kB\" }";
    a_target_above_the_interval: "{ codel = {} }" => "{ codel = { target = \"100ms\" } }";
    a_threshold_without_ecn: "{ codel = {} }" => "{ codel = { ce_threshold = \"1ms\" } }";
    too_many_queues: "{ codel = {} }" => "{ fq-codel = { queues = 100000 } }";
    marks_of_pie_without_ecn: "{ codel = {} }" => "{ pie = { mark_p = 0.1 } }";
    updates_of_two_queues_in_no_time: "{ codel = {} }" => "{ dualpi2 = { update = \"1us\" } }";
    updates_in_no_time: "{ codel = {} }" => "{ pie = { update = \"1us\" } }";
    contention_beside_codel: "queue = { codel = {} }" =>
        "queue = { codel = {} }\ncontention = \"cdpd\"";
    a_queue_in_time_before_a_mac: "[run]" =>
        "[radio]\nstandard = \"802.11g\"\nqueue = { codel = { limit = \"50ms\" } }\n[run]";
    a_queue_in_time_at_a_station_without_a_rate: "[run]" =>
        "[radio]\nstandard = \"802.11g\"\n[[station]]\nnode = \"S\"\nat = [\"0m\", \"0m\"]\n\
         ip = { queue = { droptail = \"50ms\" } }\n[run]";
    codel_at_a_station: "[run]" =>
        "[radio]\nstandard = \"802.11g\"\n[[station]]\nnode = \"S\"\nat = [\"0m\", \"0m\"]\n\
         ip = { queue = { codel = {} } }\n[run]";
}
