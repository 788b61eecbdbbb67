mod drawn;
mod link;

use link::Link;

use super::{JitterModel, ProbeFit};
use crate::fit::Known;
use crate::fit::hidden::LossModel;
use crate::record::{Fate, Probe, ProbeTool, Probes, Reading, Way};

fn reason<T: std::fmt::Debug>(known: &Known<T>) -> &str {
    match known {
        Known::Unknown(reason) => reason,
        Known::Told(told) => panic!("{told:?}"),
    }
}

fn told<T>(known: &Known<T>) -> &T {
    match known {
        Known::Told(told) => told,
        Known::Unknown(reason) => panic!("{reason}"),
    }
}

#[test]
fn records_without_answers_or_too_short_ones_say_so() {
    let empty = ProbeFit::new(&Probes {
        tool: ProbeTool::Ping,
        probes: Vec::new(),
        bytes: None,
        is_timed: false,
    });
    assert_eq!(reason(&empty.base), "no probe was answered");
    assert_eq!(reason(&empty.losses), "the record has only 0 probes in 0 s");

    let mut short = Link::ping(1);
    short.probes = 50;
    let fit = ProbeFit::new(&short.probe());
    let base = told(&fit.base).least();
    assert!((0.0399..0.0405).contains(&base.value), "{base:?}");
    assert_eq!(reason(&fit.jitter), "the record has only 50 probes in 10 s");

    let mut dead = Link::ping(1).probe();
    for probe in &mut dead.probes {
        probe.fate = Fate::Lost(Way::Unknown);
    }
    let fit = ProbeFit::new(&dead);
    assert_eq!(reason(&fit.base), "no probe was answered");
    assert_eq!(told(&fit.outages).all.len(), 1);
}

#[test]
fn probes_lost_at_the_end_are_not_counted_where_their_answers_may_only_be_late() {
    let mut record = Link::ping(2).probe();
    let count = record.probes.len();
    record.probes[count - 1].fate = Fate::Lost(Way::Unknown);
    let fit = ProbeFit::new(&record);
    let losses = told(&fit.losses);
    assert_eq!(
        (losses.observations, *losses.best()),
        (count - 1, LossModel::None)
    );
}

#[test]
fn readings_of_whole_milliseconds_do_not_become_jitter() {
    let mut link = Link::ping(3);
    link.base = |_| 120.3;
    let fit = ProbeFit::new(&link.probe());
    assert_eq!(*told(&fit.jitter).best(), JitterModel::None);
    let base = told(&fit.base);
    assert_eq!(base.levels.len(), 1);
    assert!((0.1195..0.1207).contains(&base.least().value), "{base:?}");
}

#[test]
fn a_loaded_link_has_no_jitter() {
    let mut link = Link::ping(4);
    link.queue_ms = 4.0;
    let fit = ProbeFit::new(&link.probe());
    assert!(reason(&fit.jitter).starts_with("delays hang together"));
    assert_eq!(*told(&fit.arq), None);
}

/// A record of answers with these times of sending and round trips.
fn answered(times: impl Iterator<Item = (f64, f64)>) -> Probes {
    let probe = |(sent_s, rtt): (f64, f64)| Probe {
        sent_s,
        fate: Fate::Answered {
            rtt: Reading {
                low_s: rtt,
                high_s: rtt,
            },
            up_s: Some(rtt),
            down_s: Some(-rtt),
        },
    };
    Probes {
        tool: ProbeTool::Table,
        probes: times.map(probe).collect(),
        bytes: None,
        is_timed: true,
    }
}

#[test]
fn odd_records_break_nothing() {
    let odd: [fn(u32) -> (f64, f64); 7] = [
        |i| (f64::from(i), 0.0),
        |i| (f64::from(i), 1e9 * f64::from(i % 3)),
        |i| (-f64::from(i), 0.1),
        |_| (0.0, 0.1),
        |i| (1e12 * f64::from(i), f64::from(i)),
        |i| (f64::from(i), -f64::from(i % 7)),
        |i| (f64::from(i % 50), f64::from(i * i % 101)),
    ];
    for times in odd {
        ProbeFit::new(&answered((0..300).map(times)));
    }
}
