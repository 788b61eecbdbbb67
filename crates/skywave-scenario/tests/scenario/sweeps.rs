//! Sweeps, random draws and the report.

use skywave_core::Duration;
use skywave_core::link::{Limit, LossConfig, QueueConfig};
use skywave_core::tcp::CongestionConfig;
use skywave_scenario::{NoFiles, ParamValue, PlotAxis, Point, Quantity, Scenario, Written};
use skywave_sim::spec::{Spec, Transport};

const BASE: &str = r#"
[[link]]
name = "wired"
between = ["A", "G"]
rate = "10Mbps"
delay = { uniform = ["0.1ms", "10ms"] }

[[link]]
name = "air"
between = ["G", "B"]
rate = "2Mbps"
delay = "80ms"

[[flow]]
name = "bulk"
from = "A"
to = "B"
start = { uniform = ["1s", "200s"] }
stop = { uniform = ["280s", "479s"] }

[[flow]]
name = "other"
from = "A"
to = "B"
transport = "cerl"
start = { exponential = "5s" }

[run]
duration = "480s"
series = true
"#;

fn parse(more: &str) -> Scenario {
    let text = format!("{BASE}{more}");
    Scenario::parse("test.toml", &text, &NoFiles).unwrap_or_else(|e| panic!("{}", e.render(false)))
}

fn specs(sweep: &str) -> Vec<Spec> {
    let scenario = parse(&format!("[sweep]\n{sweep}\n"));
    scenario.points().iter().map(|p| p.spec(1)).collect()
}

fn values(point: &Point) -> Vec<String> {
    point.params.iter().map(|(_, v)| v.to_string()).collect()
}

#[test]
fn the_last_axis_varies_fastest() {
    let scenario = parse(
        "[sweep]\n\"link.air.rate\" = [\"1Mbps\", \"2Mbps\"]\nflow.bulk.mss = [500, 1000, 1460]\n",
    );
    assert_eq!(scenario.params(), ["link.air.rate", "flow.bulk.mss"]);
    let all: Vec<_> = scenario.points().iter().map(values).collect();
    assert_eq!(all[0], ["1Mbps", "500"]);
    assert_eq!(all[1], ["1Mbps", "1000"]);
    assert_eq!(all[3], ["2Mbps", "500"]);
    assert_eq!(all.len(), 6);
}

#[test]
fn values_come_as_written_and_in_si_units() {
    let scenario = parse(
        "[sweep]\n\"link.air.delay\" = [\"20ms\"]\n\"flow.bulk.fin\" = [true]\n\"flow.bulk.mss\" = [512]\n\"link.air.corruption\" = [0.25]\n\"link.air.loss.forward\" = [{ iid = 0.1 }]\n\"flow.bulk.transport\" = [\"reno\"]\n",
    );
    let point = &scenario.points()[0];
    let text = |s: &str| Written::Text(s.into());
    let value = |path| point.param(path).cloned();
    let plain = |written| ParamValue {
        written,
        quantity: None,
    };
    assert_eq!(
        value("link.air.delay"),
        Some(ParamValue {
            written: text("20ms"),
            quantity: Some(Quantity {
                value: 0.02,
                unit: "s"
            }),
        })
    );
    assert_eq!(value("flow.bulk.fin"), Some(plain(Written::Bool(true))));
    assert_eq!(value("flow.bulk.mss"), Some(plain(Written::Int(512))));
    assert_eq!(
        value("link.air.corruption"),
        Some(plain(Written::Float(0.25)))
    );
    assert_eq!(
        value("link.air.loss.forward"),
        Some(plain(text("{ iid = 0.1 }")))
    );
    assert_eq!(value("flow.bulk.transport"), Some(plain(text("reno"))));
    assert_eq!(value("flow.bulk.rwnd"), None);
    let number = |path| value(path).and_then(|v| v.number());
    assert_eq!(number("link.air.delay"), Some(0.02));
    assert_eq!(number("flow.bulk.mss"), Some(512.0));
    assert_eq!(number("flow.bulk.transport"), None);
}

#[test]
fn a_path_creates_what_is_absent() {
    let specs = specs("\"link.air.loss.forward.exponential\" = [0.0, 0.01]");
    let losses = |i: usize| specs[i].links[2].config.loss.clone();
    assert_eq!(losses(0), [LossConfig::Exponential(0.0)]);
    assert_eq!(losses(1), [LossConfig::Exponential(0.01)]);
    assert!(specs[1].links[3].config.loss.is_empty());
}

#[test]
fn a_path_goes_into_what_is_written_by_name_only() {
    let a = |spec: &Spec, i: usize| match &spec.flows[i].transport {
        Transport::Tcp(config) => match config.composition.congestion {
            CongestionConfig::Cerl(cerl) => cerl.a,
            _ => f64::NAN,
        },
        Transport::Udp { .. } | Transport::Wtcp { .. } | Transport::Quic { .. } => f64::NAN,
    };
    let specs = specs("\"flow.other.transport.congestion.cerl.a\" = [0.2, 0.8]");
    assert_eq!((a(&specs[0], 1), a(&specs[1], 1)), (0.2, 0.8));
}

#[test]
fn a_star_stands_for_every_name() {
    let specs = specs("\"link.*.queue.droptail\" = [\"8 packets\", \"60 packets\"]");
    for (spec, limit) in specs.iter().zip([8, 60]) {
        let queue = QueueConfig::DropTail(Limit::Packets(limit));
        assert!(spec.links.iter().all(|l| l.config.queue == queue));
    }
}

#[test]
fn linked_paths_vary_together() {
    let scenario = parse(
        "[sweep]\n\"link.air.queue.droptail & flow.bulk.rwnd\" = \
         [[\"8 packets\", \"24 segments\"], [\"60 packets\", \"180 segments\"]]\n\
         \"link.air.rate & link.wired.rate\" = [\"3Mbps\"]\n\
         [report]\nplot = [{ x = \"flow.bulk.rwnd\", y = \"goodput\" }]\n",
    );
    assert_eq!(scenario.points().len(), 2);
    let point = &scenario.points()[1];
    assert_eq!(
        values(point),
        ["60 packets", "180 segments", "3Mbps", "3Mbps"]
    );
    let spec = point.spec(1);
    let queue = QueueConfig::DropTail(Limit::Packets(60));
    assert_eq!(spec.links[2].config.queue, queue);
    assert_eq!(spec.links[0].config.service, spec.links[2].config.service);
    match &spec.flows[0].transport {
        Transport::Tcp(config) => assert_eq!(config.rwnd, 180 * 1460),
        Transport::Udp { .. } | Transport::Wtcp { .. } | Transport::Quic { .. } => {
            panic!("TCP is expected")
        }
    }
}

#[test]
fn the_run_and_the_number_of_flows_can_be_swept() {
    let specs = specs("\"flow.other.count\" = [1, 4]\n\"run.duration\" = [\"490s\"]");
    let lens: Vec<usize> = specs.iter().map(|s| s.flows.len()).collect();
    assert_eq!(lens, [2, 5]);
    assert_eq!(specs[0].flows[1].name, "other.1");
    assert_eq!(specs[0].measure.1.as_secs_f64(), 490.0);
}

#[test]
fn a_model_of_a_list_is_swept_by_its_number() {
    let more = "[sweep]\n\"link.air.loss.forward.1.iid\" = [0.2]\n";
    let text = BASE.replace(
        "delay = \"80ms\"",
        "delay = \"80ms\"\nloss = { forward = [{ exponential = 0.1 }, { iid = 0.1 }] }",
    );
    let scenario = Scenario::parse("test.toml", &format!("{text}{more}"), &NoFiles);
    let spec = scenario.expect("is legal").points()[0].spec(1);
    assert_eq!(spec.links[2].config.loss[1], LossConfig::Iid(0.2));
}

#[test]
fn a_missing_key_may_come_from_the_sweep() {
    let text = BASE.replace("rate = \"2Mbps\"\n", "");
    let more = "[sweep]\n\"link.air.rate\" = [\"1Mbps\"]\n";
    assert!(Scenario::parse("test.toml", &format!("{text}{more}"), &NoFiles).is_ok());
    assert!(Scenario::parse("test.toml", &text, &NoFiles).is_err());
}

#[test]
fn draws_are_the_same_for_a_seed_and_differ_between_seeds() {
    let point = parse("").points()[0].clone();
    let draws = |seed| {
        let spec = point.spec(seed);
        let flow = &spec.flows[0];
        (
            spec.links[0].config.delay,
            flow.start,
            flow.stop,
            spec.flows[1].start,
        )
    };
    assert_eq!(draws(1), draws(1));
    assert_eq!(point.spec(9), parse("").points()[0].spec(9));
    let (delay, start, stop, _) = draws(1);
    let (other_delay, other_start, other_stop, _) = draws(2);
    assert!(delay != other_delay && start != other_start && stop != other_stop);
    for seed in 0..200 {
        let (delay, start, stop, _) = draws(seed);
        assert!((100_000..10_000_000).contains(&delay.as_nanos()));
        assert!((1.0..200.0).contains(&start.as_secs_f64()));
        let stop = stop.map(skywave_core::Time::as_secs_f64);
        assert!(stop.is_some_and(|s| (280.0..479.0).contains(&s)));
    }
    let mean: f64 = (0..2000).map(|s| draws(s).3.as_secs_f64()).sum::<f64>() / 2000.0;
    assert!((mean - 5.0).abs() < 0.4, "mean start {mean}");
}

#[test]
fn what_is_swept_does_not_move_the_draws() {
    let specs = specs(
        "\"flow.bulk.transport\" = [\"reno\", \"vegas\"]\n\"link.air.delay\" = [\"1ms\", \"2ms\"]",
    );
    for spec in &specs[1..] {
        assert_eq!(spec.links[0].config.delay, specs[0].links[0].config.delay);
        assert_eq!(spec.flows[0].start, specs[0].flows[0].start);
    }
    assert_eq!(specs[3].links[2].config.delay, Duration::from_millis(2));
}

#[test]
fn the_report_names_axes_metrics_flows_and_links() {
    let scenario = parse(
        "[sweep]\n\"flow.bulk.transport\" = [\"reno\", \"cerl\"]\n\
         [report]\ntable = [\"goodput\", \"rtt_mean_s\"]\n\
         plot = [{ x = \"time\", y = \"cwnd\", by = \"flow\", flow = \"bulk\" }, \
         { x = \"seed\", y = \"queue_drops\", link = \"air.reverse\", y_scale = \"log\", title = \"T\" }]\n",
    );
    let report = scenario.report();
    let table: Vec<&str> = report.table.iter().map(|m| m.field).collect();
    assert_eq!(table, ["goodput_bps", "rtt_mean_s"]);
    let [first, second] = report.plots.as_slice() else {
        panic!("two plots");
    };
    assert_eq!((&first.x, first.y.field), (&PlotAxis::Time, "cwnd"));
    assert_eq!(first.by, Some(PlotAxis::Flow));
    assert_eq!(first.flow.as_deref(), Some("bulk"));
    assert_eq!(
        (&second.x, second.y.field),
        (&PlotAxis::Seed, "queue_drops")
    );
    assert_eq!(second.link.as_deref(), Some("air.reverse"));
    assert!(second.y_log && !second.x_log);
    assert_eq!(second.title.as_deref(), Some("T"));
}

/// Nothing would be varied, and the results would say that it was.
#[test]
fn a_path_into_a_radio_network_that_is_not_there_is_refused() {
    let text = format!("{BASE}[sweep]\n\"radio.routing\" = [\"dsr\"]\n");
    let error = Scenario::parse("test.toml", &text, &NoFiles).unwrap_err();
    assert_eq!(error.to_string(), "there is no [radio] in this scenario");
}

/// A call over UDP has packets of its own, and is no transfer to which a transport could be given.
#[test]
fn a_transport_for_all_flows_leaves_those_over_udp() {
    let call = "[[flow]]\nname = \"call\"\nfrom = \"A\"\nto = \"B\"\ntransport = \"udp\"\n\
                traffic = { cbr = { rate = \"64kbps\", packet = 160 } }\n";
    let sweep =
        "[sweep]\n\"flow.*.transport\" = [\"reno\", \"vegas\"]\n\"link.*.rate\" = [\"1Mbps\"]\n";
    let scenario = parse(&format!("{call}{sweep}"));
    for point in scenario.points() {
        let spec = point.spec(1);
        let is_udp = |flow: usize| matches!(spec.flows[flow].transport, Transport::Udp { .. });
        assert_eq!([0, 1, 2].map(is_udp), [false, false, true]);
    }
    let reached = |path: &str, what: &str| (path.to_owned(), what.to_owned());
    assert_eq!(
        scenario.reaches(),
        [
            reached("flow.*.transport", "bulk, other; not call (udp)"),
            reached("link.*.rate", "wired, air"),
        ]
    );
    assert_eq!(parse("").reaches(), []);
}

#[track_caller]
fn refused(more: &str) -> String {
    let text = format!("{BASE}{more}");
    let error = Scenario::parse("test.toml", &text, &NoFiles);
    error.expect_err("this is a mistake").to_string()
}

#[test]
fn a_value_in_another_spelling_is_there_twice() {
    for (path, values) in [
        ("flow.bulk.transport", "\"cubic\", { preset = \"cubic\" }"),
        (
            "flow.bulk.transport",
            "{ congestion = \"veno\", recovery = \"sack\" }, { recovery = \"sack\", congestion = { veno = {} } }",
        ),
        (
            "link.air.queue",
            "{ droptail = \"10 packets\" }, { droptail = \"10packets\" }",
        ),
        ("link.air.delay", "\"80ms\", \"0.08s\""),
    ] {
        let told = refused(&format!("[sweep]\n\"{path}\" = [{values}]\n"));
        assert_eq!(told, "this value is in the sweep twice", "{values}");
    }
    let different =
        "{ congestion = \"cubic\" }, \"cubic\", { preset = \"cubic\", recovery = \"sack\" }";
    assert_eq!(
        specs(&format!("\"flow.bulk.transport\" = [{different}]")).len(),
        3
    );
}

#[test]
fn no_two_values_of_a_plot_have_the_same_name() {
    let sweep = "[sweep]\n\"flow.bulk.transport\" = [\"reno\", \"cubic\"]\n\
                 \"link.air.rate\" = [\"1Mbps\", \"2Mbps\"]\n";
    let plot = "x = \"link.air.rate\", y = \"goodput\", by = \"flow.bulk.transport\"";
    for names in [
        "{ reno = \"same\", cubic = \"same\" }",
        "{ reno = \"cubic\" }",
    ] {
        for report in [
            format!("plot = [{{ {plot}, names = {names} }}]"),
            format!("names = {names}\nplot = [{{ {plot} }}]"),
        ] {
            let told = refused(&format!("{sweep}[report]\n{report}\n"));
            assert!(
                told.starts_with("two values of this plot have the name"),
                "{told}"
            );
        }
    }
    // Of two axes they are two things, and names may change places.
    for names in [
        "{ reno = \"same\", 1Mbps = \"same\" }",
        "{ reno = \"cubic\", cubic = \"reno\" }",
    ] {
        parse(&format!(
            "{sweep}[report]\nplot = [{{ {plot}, names = {names} }}]\n"
        ));
    }
}
