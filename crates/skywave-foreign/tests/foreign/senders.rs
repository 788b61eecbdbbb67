//! What the senders carry, and that they do so again.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use skywave_core::link::{CoDelConfig, Limit, LossConfig, QueueConfig, Service};
use skywave_core::{Duration, Rate, Time};
use skywave_foreign::path::Path;
use skywave_foreign::{Sender, parse, run, run_all, run_each, senders};
use skywave_sim::outcome::Outcome;
use skywave_sim::spec::Traffic;

const MBPS: f64 = 20.0;

/// 20 Mb/s, 80 ms and a buffer of one BDP for ten seconds.
fn path() -> Path {
    let rate = Service::Rate(Rate::from_bps(20_000_000));
    Path {
        duration: Duration::from_secs(10),
        ..Path::new(rate, Duration::from_millis(80), 133)
    }
}

fn sender(name: &str) -> Sender {
    parse(name).unwrap()
}

fn outcome(name: &str, path: &Path) -> Outcome {
    run(&path.spec(1), &sender(name)).unwrap()
}

fn share(outcome: &Outcome) -> f64 {
    outcome.flows[0].goodput_bps * 1e-6 / MBPS
}

#[test]
fn the_same_seed_gives_the_same_outcome_and_another_one_another() {
    for name in senders() {
        let lossy = |seed| Path {
            seed,
            ..path().losing(LossConfig::Iid(0.01))
        };
        let first = outcome(name, &lossy(1));
        assert_eq!(first, outcome(name, &lossy(1)), "{name}");
        assert_ne!(first, outcome(name, &lossy(2)), "{name}");
    }
}

/// The times of noq's probes are random, and nothing else differs on a path without loss.
#[test]
fn the_seed_decides_the_times_of_probes() {
    let seeded = |seed| Path { seed, ..path() };
    let of = |name, seed| outcome(name, &seeded(seed)).flows[0].delivered_bytes;
    assert_eq!(of("noq:bbr3", 1), of("noq:bbr3", 1));
    assert_ne!(of("noq:bbr3", 1), of("noq:bbr3", 2));
}

/// The law is the library's own, whose probes begin two seconds after the start at the soonest; until then nothing is random.
#[test]
fn the_seeded_law_is_the_librarys() {
    let own = Sender::noq(
        "bbr3",
        Arc::new(noq_proto::congestion::Bbr3Config::default()),
    );
    for loss in [0.0, 0.02] {
        let mut path = path().losing(LossConfig::Iid(loss));
        path.duration = Duration::from_secs(2);
        let of = |sender| run(&path.spec(1), sender).unwrap();
        assert_eq!(of(&own), of(&sender("noq:bbr3")), "{loss}");
    }
}

#[test]
fn a_clean_path_is_filled() {
    for name in senders() {
        let outcome = outcome(name, &path());
        assert!(share(&outcome) > 0.8, "{name}: {}", share(&outcome));
    }
}

#[test]
fn bbr_carries_more_than_cubic_where_packets_are_lost_by_chance() {
    let lossy = path().losing(LossConfig::Iid(0.02));
    let of = |name| share(&outcome(name, &lossy));
    for (bbr, cubic) in [("noq:bbr3", "noq:cubic"), ("quinn:bbr", "quinn:cubic")] {
        assert!(of(bbr) > 2.0 * of(cubic), "{} and {}", of(bbr), of(cubic));
    }
}

#[test]
fn round_trips_and_windows_are_measured() {
    for name in senders() {
        let outcome = outcome(name, &path());
        let flow = &outcome.flows[0];
        // The link's 80 ms, and what a datagram and its ACK take to be sent.
        let least = flow.rtt_min_s.unwrap();
        assert!((0.080..0.082).contains(&least), "{name}: {least}");
        let (mean, cwnd) = (flow.rtt_mean_s.unwrap(), flow.cwnd_mean.unwrap());
        assert!((least..0.170).contains(&mean), "{name}: {mean}");
        // A BDP is 167 segments, and at most as much again waits or is not used.
        assert!((100.0..600.0).contains(&cwnd), "{name}: {cwnd}");
        let bins = outcome.bins.as_ref().unwrap();
        assert_eq!(bins.delivered[0].iter().sum::<u64>(), flow.delivered_bytes);
    }
}

#[test]
fn the_mean_window_of_a_late_flow_is_that_of_an_early_one() {
    let at = |seconds| Time::ZERO + Duration::from_secs(seconds);
    for name in ["noq:cubic", "quinn:cubic"] {
        let mean = |start, end| {
            let mut spec = path().spec(1);
            spec.flows[0].start = at(start);
            spec.measure = (at(0), at(end));
            run(&spec, &sender(name)).unwrap().flows[0].cwnd_mean
        };
        let (early, late) = (mean(0, 4).unwrap(), mean(6, 10).unwrap());
        assert!((late / early - 1.0).abs() < 0.01, "{late} and {early}");
    }
}

#[test]
fn queues_mark_instead_of_dropping() {
    let mut path = path();
    path.forward.queue = QueueConfig::CoDel(CoDelConfig {
        ecn: true,
        ..CoDelConfig::new(Limit::Packets(1000))
    });
    for name in ["noq:cubic", "quinn:cubic"] {
        let outcome = outcome(name, &path);
        assert!(outcome.links[0].ecn_marks > 5, "{name}");
        assert!(outcome.flows[0].ecn_responses > 0, "{name}");
        assert_eq!(outcome.flows[0].queue_drops, 0, "{name}");
        assert!(share(&outcome) > 0.7, "{name}: {}", share(&outcome));
    }
}

#[test]
fn libraries_share_a_path() {
    let mut path = path();
    path.duration = Duration::from_secs(30);
    let shares = path.run(&[sender("noq:cubic"), sender("quinn:cubic")]);
    let (one, other) = (shares.mbps(0) / MBPS, shares.mbps(1) / MBPS);
    assert!(
        one > 0.2 && other > 0.2 && one + other > 0.85,
        "{one} {other}"
    );
}

#[test]
fn a_transfer_of_some_bytes_is_completed() {
    for name in senders() {
        let mut spec = path().spec(1);
        spec.flows[0].traffic = Traffic::Bytes(1_000_000);
        spec.flows[0].start = Time::ZERO + Duration::from_secs(1);
        let report = run_each(&spec, &[(0, sender(name))], false).unwrap();
        let flow = &report.outcome.flows[0];
        assert_eq!(
            (flow.delivered_bytes, flow.unfinished),
            (1_000_000, 0),
            "{name}"
        );
        // Two round trips at least, and 0.4 s of sending.
        let took = flow.completion_s.unwrap();
        assert!((0.5..1.5).contains(&took), "{name}: {took}");
        let handshake = report.connections[0].handshake.unwrap().as_secs_f64();
        assert!((0.08..0.09).contains(&handshake), "{name}: {handshake}");
    }
}

#[test]
fn a_flow_that_stops_sends_no_more() {
    let mut spec = path().spec(1);
    spec.flows[0].stop = Some(Time::ZERO + Duration::from_secs(5));
    for name in senders() {
        let outcome = run(&spec, &sender(name)).unwrap();
        let bins = &outcome.bins.as_ref().unwrap().delivered[0];
        assert!(bins[40..49].iter().all(|bytes| *bytes > 0), "{name}");
        assert_eq!(bins[55..].iter().sum::<u64>(), 0, "{name}");
    }
}

#[test]
fn a_connection_that_gets_no_answer_is_given_up() {
    let mut path = path().losing(LossConfig::Iid(1.0));
    path.duration = Duration::from_secs(100);
    for name in ["noq:cubic", "quinn:cubic"] {
        let report = run_each(&path.spec(1), &[(0, sender(name))], false).unwrap();
        assert_eq!(report.outcome.flows[0].delivered_bytes, 0);
        assert_eq!(report.connections[0].handshake, None);
        let why = report.connections[0].ended.as_deref();
        assert_eq!(why, Some("timed out"), "{name}");
    }
}

#[test]
fn names_are_found_or_refused() {
    assert!(senders().all(|name| parse(name).is_ok_and(|sender| sender.name() == name)));
    let told = parse("noq:bbr").unwrap_err().to_string();
    assert_eq!(
        told,
        "no other library's sender is called \"noq:bbr\"; there are noq:cubic, noq:reno, noq:bbr3, quinn:cubic, quinn:reno, \
         quinn:bbr"
    );
}

/// Laws of a user's own, for either library.
#[test]
fn any_law_is_a_sender() {
    let noq = Arc::new(noq_proto::congestion::NewRenoConfig::default());
    let quinn = Arc::new(quinn_proto::congestion::NewRenoConfig::default());
    let given = [Sender::noq("mine", noq), Sender::quinn("mine", quinn)];
    for (given, named) in given.iter().zip(["noq:reno", "quinn:reno"]) {
        let spec = path().spec(1);
        assert_eq!(run(&spec, given).unwrap(), outcome(named, &path()));
    }
}

#[test]
fn a_run_that_is_stopped_has_no_outcome() {
    let sender = sender("noq:cubic");
    let run = |is_stopped| run_all(&path().spec(1), &sender, &AtomicBool::new(is_stopped)).unwrap();
    assert!(run(true).is_none());
    assert_eq!(
        run(false),
        skywave_foreign::run(&path().spec(1), &sender).ok()
    );
}
