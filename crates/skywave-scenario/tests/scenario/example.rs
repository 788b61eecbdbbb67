//! The example of the architecture, number by number.

use std::sync::Arc;

use skywave_core::link::{Limit, LinkConfig, LossConfig, QueueConfig};
use skywave_core::tcp::{Profile, TcpConfig, preset};
use skywave_core::{Duration, Rate, Time};
use skywave_scenario::{
    FLOW_METRICS, LINK_METRICS, NoFiles, Plot, PlotAxis, SERIES, STATION_METRICS, Scenario, Written,
};
use skywave_sim::spec::{FlowSpec, LinkSpec, Name, Spec, Traffic, Transport};

const EXAMPLE: &str = include_str!("files/cerl-fig7a.toml");

const TRANSPORT: &str = "flow.bulk.transport";
const LOSS: &str = "link.wireless.loss.forward.exponential";

fn example() -> Scenario {
    Scenario::parse("cerl-fig7a", EXAMPLE, &NoFiles)
        .unwrap_or_else(|e| panic!("{}", e.render(false)))
}

fn link(name: &str, ends: (usize, usize), mbps: u64, delay_ms: u64) -> [LinkSpec; 2] {
    let (from, to) = ends;
    let config = LinkConfig::new(
        Rate::from_bps(mbps * 1_000_000),
        Duration::from_millis(delay_ms),
        QueueConfig::DropTail(Limit::Packets(90)),
    );
    let one = |name: String, from, to| LinkSpec {
        name: name.into(),
        from,
        to,
        config: config.clone().into(),
    };
    [
        one(name.into(), from, to),
        one(format!("{name}.reverse"), to, from),
    ]
}

#[test]
fn a_point_and_a_seed_make_the_expected_simulation() {
    let scenario = example();
    // 6 transports times 10 loss rates, the last one varying fastest.
    assert_eq!(scenario.points().len(), 60);
    let point = &scenario.points()[13];
    assert_eq!(point.params[0].0, TRANSPORT);
    assert_eq!(point.params[0].1.written, Written::Text("newreno".into()));
    assert_eq!(point.params[1].0, LOSS);
    assert_eq!(point.params[1].1.written, Written::Float(0.005));
    assert_eq!(point.transport_label(0), Some("newreno"));

    let mut links: Vec<LinkSpec> = link("S1-G0", (0, 1), 10, 10).into();
    links.extend(link("bottleneck", (1, 2), 2, 80));
    links.extend(link("wireless", (2, 3), 10, 10));
    Arc::make_mut(&mut links[4].config).loss = vec![LossConfig::Exponential(0.005)];
    let newreno = preset("newreno").expect("a preset").composition.clone();
    let expected = Spec {
        nodes: ["S1", "G0", "G1", "R1"].map(Name::from).into(),
        links,
        flows: vec![FlowSpec {
            name: "bulk".into(),
            from: 0,
            to: 3,
            route: None,
            transport: Transport::Tcp(Arc::new(TcpConfig {
                mss: 1460,
                rwnd: 270 * 1460,
                ..TcpConfig::new(Profile::Ns2, newreno)
            })),
            traffic: Traffic::Ftp,
            start: Time::ZERO,
            stop: None,
        }],
        duration: Time::from_nanos(480_000_000_000),
        measure: (Time::ZERO, Time::from_nanos(480_000_000_000)),
        seed: 7,
        series: false,
        details: false,
        agents: Vec::new(),
        proxies: Vec::new(),
        radio: None,
        bins: None,
        requests: false,
    };
    assert_eq!(point.spec(7), expected);
}

#[test]
fn the_whole_scenario_is_described() {
    let scenario = example();
    assert_eq!(scenario.name(), "cerl-fig7a");
    assert_eq!(
        scenario.title(),
        "CERL figure 7(a): throughput against random loss, one connection"
    );
    assert_eq!(scenario.text(), EXAMPLE);
    assert_eq!(scenario.seeds(), (1..=20).collect::<Vec<u64>>());
    assert_eq!(scenario.params(), [TRANSPORT, LOSS]);
    assert_eq!(scenario.runs(), 1200);
    let [plot] = scenario.report().plots.as_slice() else {
        panic!("one plot is asked for");
    };
    assert_eq!(
        *plot,
        Plot {
            by: Some(PlotAxis::Param(TRANSPORT.into())),
            x_log: true,
            ..Plot::new(PlotAxis::Param(LOSS.into()), plot.y)
        }
    );
    assert_eq!((plot.y.name, plot.y.field), ("goodput", "goodput_bps"));
}

/// Messages about unknown names promise this.
#[test]
fn the_documentation_names_all_that_is_measured() {
    const DOCS: &str = include_str!("../../../../docs/reference.md");
    for metrics in [FLOW_METRICS, LINK_METRICS, STATION_METRICS, SERIES] {
        for metric in metrics {
            let name = metric.name;
            assert!(DOCS.contains(&format!("`{name}`")), "{name}");
        }
    }
}
