//! Made-up studies with results that look like real ones.

use std::sync::atomic::AtomicBool;

use skywave_core::Time;
use skywave_core::rng::Stream;
use skywave_sim::losses::{Found, LossCause, LossTable};
use skywave_sim::outcome::{Bins, FlowOutcome, LinkOutcome, Outcome, Request, Series};
use skywave_sim::spec::Spec;

use crate::experiment::{Design, Options, RecordSeries, Results, run};
use crate::report::{FlowLabel, Study, StudyPoint};
use crate::scenario::{GOODPUT, Metric, ParamValue, Plot, PlotAxis, Quantity, Report, Written};

/// The results' engine, so that they do not change with the sources of the real one.
const FIXED: Options<'static> = Options {
    dir: None,
    fresh: false,
    threads: None,
    series: RecordSeries::AsSpecified,
    shard: None,
    engine: "skywave 0.1.0",
    cancel: &NEVER,
    progress: &|_| (),
    doubts: &|_| (),
    begin: &|| Ok(()),
};
static NEVER: AtomicBool = AtomicBool::new(false);

const LOSSES: [f64; 10] = [0.0, 0.001, 0.003, 0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1];
const VARIANTS: [&str; 6] = ["reno", "newreno", "vegas", "veno", "westwood-nr", "cerl"];

/// A design whose points are numbered by the length of the run.
struct Numbered {
    points: usize,
    seeds: Vec<u64>,
    series: bool,
}

impl Design for Numbered {
    fn points(&self) -> usize {
        self.points
    }

    fn seeds(&self) -> &[u64] {
        &self.seeds
    }

    fn spec(&self, point: usize, seed: u64) -> Spec {
        let end = Time::from_nanos(point as u64);
        Spec {
            nodes: vec![],
            links: vec![],
            flows: vec![],
            duration: end,
            measure: (Time::ZERO, end),
            seed,
            series: self.series,
            details: false,
            agents: Vec::new(),
            proxies: Vec::new(),
            radio: None,
            bins: None,
            requests: false,
        }
    }
}

fn point_of(spec: &Spec) -> usize {
    spec.duration.as_nanos() as usize
}

fn value(written: Written) -> ParamValue {
    let quantity = match &written {
        Written::Text(text) if text == "2Mbps" => Some(Quantity {
            value: 2e6,
            unit: "bit/s",
        }),
        _ => None,
    };
    ParamValue { written, quantity }
}

fn text(s: &str) -> ParamValue {
    value(Written::Text(s.to_owned()))
}

fn label(transport: &str, group: &str) -> FlowLabel {
    FlowLabel {
        transport: transport.to_owned(),
        group: group.to_owned(),
        ..FlowLabel::default()
    }
}

fn plot(x: &str, by: PlotAxis) -> Plot {
    Plot {
        by: Some(by),
        x_log: true,
        ..Plot::new(PlotAxis::Param(x.to_owned()), GOODPUT)
    }
}

fn flow(name: &str, goodput: f64, loss: f64) -> FlowOutcome {
    let delivered = (goodput * 60.0) as u64;
    let packets = delivered / 1460;
    let mut losses = LossTable::default();
    let lost = (packets as f64 * loss) as u64;
    losses.add(LossCause::Channel, Found::Dupacks, lost - lost / 10);
    losses.add(LossCause::Channel, Found::Timeout, lost / 10);
    FlowOutcome {
        share_handshake: Some(0.005),
        share_cwnd: Some(0.995 - loss),
        share_rwnd: Some(0.0),
        share_application: Some(0.0),
        share_recovery: Some(loss * 0.75),
        share_timeout: Some(loss * 0.25),
        losses,
        name: name.to_owned(),
        delivered_bytes: delivered,
        goodput_bps: goodput,
        throughput_bps: goodput * 1.03,
        sent_packets: packets,
        retransmits: (packets as f64 * loss) as u64,
        timeouts: (packets as f64 * loss * loss) as u64,
        channel_drops: (packets as f64 * loss) as u64,
        rtt_mean_s: (loss < 0.1).then_some(0.21 + goodput * 2e-8),
        rtt_min_s: Some(0.2),
        delay_p95_s: Some(0.35),
        ..FlowOutcome::default()
    }
}

fn link(name: &str, goodput: f64) -> LinkOutcome {
    LinkOutcome {
        name: name.to_owned(),
        utilisation: goodput / 2e6,
        queue_mean_packets: 14.0 * goodput / 2e6,
        offered: (goodput / 100.0) as u64,
        ..LinkOutcome::default()
    }
}

/// Goodput of a variant at a loss rate; the random part of a seed is the same for all variants.
fn goodput(variant: usize, loss: f64, seed: u64) -> f64 {
    let mut stream = Stream::named(seed, &format!("{loss}"), "luck");
    let luck = stream.uniform(-0.08, 0.08);
    let own = Stream::named(seed, VARIANTS[variant % 6], "luck").uniform(-0.03, 0.03);
    let robust = [230.0, 200.0, 180.0, 120.0, 90.0, 45.0][variant % 6];
    1.93e6 / (1.0 + robust * loss) * (1.0 + if loss > 0.0 { luck + own } else { 0.0 })
}

/// Roughly figure 7(a) of CERL: six variants, ten loss rates.
pub(in crate::report) fn cerl() -> (Study, Results) {
    on_threads(2)
}

/// The same, run on this many threads.
pub(in crate::report) fn on_threads(threads: usize) -> (Study, Results) {
    let params = |i: usize| {
        vec![
            ("flow.bulk.transport".to_owned(), text(VARIANTS[i / 10])),
            (
                "link.wireless.loss.forward.exponential".to_owned(),
                value(Written::Float(LOSSES[i % 10])),
            ),
        ]
    };
    let points = (0..60).map(|i| StudyPoint {
        params: params(i),
        flows: vec![label(VARIANTS[i / 10], "bulk")],
        links: vec![],
        stations: vec![],
        duration_s: 10.0,
        radio: None,
    });
    let study = Study {
        name: "cerl-fig7a".into(),
        title: "CERL figure 7(a): goodput against random loss, one connection".into(),
        description: Some("One bulk transfer over two wired hops and a wireless one.".into()),
        text: "title = \"CERL figure 7(a)\"\n\n[[link]]\nname = \"wireless\"\n".into(),
        points: points.collect(),
        report: Report {
            plots: vec![plot(
                "link.wireless.loss.forward.exponential",
                PlotAxis::Param("flow.bulk.transport".into()),
            )],
            table: vec![],
        },
    };
    let design = Numbered {
        points: 60,
        seeds: (1..=10).collect(),
        series: false,
    };
    let options = Options {
        threads: Some(threads),
        ..FIXED
    };
    let results = run(&design, &options, |spec, _| {
        let (variant, loss) = (point_of(spec) / 10, LOSSES[point_of(spec) % 10]);
        let goodput = goodput(variant, loss, spec.seed);
        Some(Outcome {
            proxies: Vec::new(),
            stations: Vec::new(),
            flows: vec![flow("bulk", goodput, loss)],
            links: ["S1-G0", "bottleneck", "wireless", "wireless.reverse"]
                .map(|name| link(name, goodput))
                .to_vec(),
            series: vec![],
            bins: None,
            requests: None,
            events: 100_000,
        })
    });
    (study, results.unwrap())
}

/// Two points, two seeds, two flows; one of every kind of parameter.
pub(in crate::report) fn small() -> (Study, Results) {
    let points = ["reno", "cerl"].map(|variant| StudyPoint {
        params: vec![
            ("flow.bulk.transport".to_owned(), text(variant)),
            ("link.wireless.rate".to_owned(), text("2Mbps")),
            ("flow.bulk.tcp.sack".to_owned(), value(Written::Bool(true))),
            ("flow.bulk.count".to_owned(), value(Written::Int(1))),
        ],
        flows: vec![label(variant, "bulk"), label("udp", "voice")],
        links: vec!["wireless".into()],
        stations: Vec::new(),
        duration_s: 10.0,
        radio: None,
    });
    let study = Study {
        name: "small".into(),
        title: "A small study".into(),
        description: None,
        text: "[run]\nseeds = 2\n".into(),
        points: points.to_vec(),
        report: Report::default(),
    };
    let design = Numbered {
        points: 2,
        seeds: vec![1, 2],
        series: false,
    };
    let results = run(&design, &FIXED, |spec, _| {
        let goodput = goodput(5 * point_of(spec), 0.1, spec.seed);
        let voice = FlowOutcome {
            name: "voice".into(),
            goodput_bps: 64e3,
            delivered_bytes: 480_000,
            ..FlowOutcome::default()
        };
        Some(Outcome {
            proxies: Vec::new(),
            stations: Vec::new(),
            flows: vec![flow("bulk", goodput, 0.1), voice],
            links: vec![link("wireless", goodput + 64e3)],
            series: vec![],
            bins: None,
            requests: None,
            events: 1000,
        })
    });
    (study, results.unwrap())
}

/// Two flows at three rates of loss, with a series for each flow, and time series.
pub(in crate::report) fn two_flows() -> (Study, Results) {
    let losses = [0.001, 0.01, 0.05];
    let points = losses.map(|loss| StudyPoint {
        params: vec![(
            "link.wireless.loss.forward.iid".to_owned(),
            value(Written::Float(loss)),
        )],
        flows: vec![label("reno", "old"), label("cerl", "new")],
        links: vec!["wireless".into()],
        stations: Vec::new(),
        duration_s: 10.0,
        radio: None,
    });
    let rtt_over_time = Plot {
        x: PlotAxis::Time,
        y: Metric {
            name: "cwnd",
            field: "cwnd",
            about: "",
        },
        ..plot("", PlotAxis::Flow)
    };
    let study = Study {
        name: "shared".into(),
        title: "Old and new share a link".into(),
        description: None,
        text: String::new(),
        points: points.to_vec(),
        report: Report {
            plots: vec![
                plot("link.wireless.loss.forward.iid", PlotAxis::Flow),
                rtt_over_time.clone(),
                Plot {
                    y: Metric {
                        name: "queue",
                        field: "queue",
                        about: "",
                    },
                    ..rtt_over_time
                },
            ],
            table: vec![],
        },
    };
    let design = Numbered {
        points: 3,
        seeds: vec![7, 8, 9],
        series: true,
    };
    let results = run(&design, &FIXED, |spec, _| {
        let loss = losses[point_of(spec)];
        let (old, new) = (
            goodput(0, loss, spec.seed) / 2.0,
            goodput(5, loss, spec.seed) / 2.0,
        );
        let saw = |entity: &str, quantity, top: f64| Series {
            entity: entity.into(),
            quantity,
            points: (0..3000)
                .map(|i| {
                    (
                        f64::from(i) * 0.02,
                        top * (0.5 + 0.5 * libm::fmod(f64::from(i) * 0.004, 1.0)),
                    )
                })
                .collect(),
        };
        Some(Outcome {
            proxies: Vec::new(),
            stations: Vec::new(),
            flows: vec![flow("old", old, loss), flow("new", new, loss)],
            links: vec![link("wireless", old + new)],
            bins: Some(Bins {
                width_s: 2.5,
                delivered: vec![vec![1, 2, 3], vec![4, 5, 6]],
            }),
            requests: Some(vec![requests(&[0.1, 0.3]), requests(&[0.2])]),
            series: vec![
                saw("old", "cwnd", old / 2e4),
                saw("new", "cwnd", new / 2e4),
                saw("wireless", "queue", 20.0),
            ],
            events: 5000,
        })
    });
    (study, results.unwrap())
}

/// Transfers that take so long, and one that is not done.
fn requests(times: &[f64]) -> Vec<Request> {
    let done = times.iter().copied().map(Some);
    let all = done.chain([None]).zip(1_u32..);
    all.map(|(took_s, n)| Request {
        start_s: f64::from(n),
        bytes: u64::from(n) * 1000,
        took_s,
    })
    .collect()
}
