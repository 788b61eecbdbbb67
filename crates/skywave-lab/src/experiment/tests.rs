use std::sync::Arc;

use std::fs;
use std::io::Write;

use skywave_core::link::{Limit, LinkConfig, LossConfig, QueueConfig};
use skywave_core::tcp::{CustomDetection, DetectionConfig, Profile, TcpConfig, preset};
use skywave_core::{Duration, Rate, Time};
use skywave_sim::outcome::{Bins, FlowOutcome, LinkOutcome, Request, Series};
use skywave_sim::spec::{FlowSpec, LinkSpec, Traffic, Transport};

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::threads::lock;

/// Four loss rates, with as many seeds as wanted.
pub(super) struct Losses(pub(super) Vec<u64>);

impl Design for Losses {
    fn points(&self) -> usize {
        4
    }

    fn seeds(&self) -> &[u64] {
        &self.0
    }

    fn spec(&self, point: usize, seed: u64) -> Spec {
        let queue = QueueConfig::DropTail(Limit::Packets(50));
        let mut config = LinkConfig::new(Rate::from_bps(2_000_000), Duration::ZERO, queue);
        config.loss = vec![LossConfig::Iid(point as f64 / 100.0)];
        Spec {
            nodes: vec!["S".into(), "R".into()],
            links: vec![LinkSpec {
                name: "wireless".into(),
                from: 0,
                to: 1,
                config: config.into(),
            }],
            flows: vec![FlowSpec {
                name: "bulk".into(),
                from: 0,
                to: 1,
                route: None,
                transport: Transport::Udp { header: 28 },
                traffic: Traffic::Ftp,
                start: Time::ZERO,
                stop: None,
            }],
            duration: Time::from_nanos(1_000_000_000),
            measure: (Time::ZERO, Time::from_nanos(1_000_000_000)),
            seed,
            series: false,
            details: false,
            agents: Vec::new(),
            proxies: Vec::new(),
            radio: None,
            bins: None,
            requests: false,
        }
    }
}

/// Numbers that depend on point and seed, have long decimals, and sometimes take a while.
pub(super) fn fake(spec: &Spec) -> Outcome {
    let loss = match spec.links[0].config.loss[0] {
        LossConfig::Iid(p) => p,
        _ => 0.0,
    };
    if spec.seed.is_multiple_of(2) {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    let x = libm::sqrt(2.0 + loss) / spec.seed as f64;
    let series = Series {
        entity: "bulk".into(),
        quantity: "cwnd",
        points: vec![(0.0, x), (1.0, loss)],
    };
    Outcome {
        proxies: Vec::new(),
        stations: Vec::new(),
        flows: vec![FlowOutcome {
            name: "bulk".into(),
            goodput_bps: x * 1e6,
            delivered_bytes: u64::MAX - spec.seed,
            rtt_mean_s: (loss > 0.0).then_some(x),
            ..FlowOutcome::default()
        }],
        links: vec![LinkOutcome {
            name: "wireless".into(),
            utilisation: x / 3.0,
            ..LinkOutcome::default()
        }],
        bins: None,
        requests: None,
        series: if spec.series { vec![series] } else { vec![] },
        events: spec.seed,
    }
}

#[expect(clippy::unnecessary_wraps, reason = "`run` wants it so")]
fn faked(spec: &Spec, _cancel: &AtomicBool) -> Option<Outcome> {
    Some(fake(spec))
}

/// Runs and counts the simulations.
fn counted(design: &impl Design, options: &Options<'_>) -> (Results, usize) {
    let count = AtomicUsize::new(0);
    let results = run(design, options, |spec, _| {
        count.fetch_add(1, Ordering::Relaxed);
        Some(fake(spec))
    });
    (results.unwrap(), count.into_inner())
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let design = Losses((1..=7).collect());
    let with = |threads| {
        let options = Options {
            threads: Some(threads),
            ..Options::default()
        };
        run(&design, &options, faked).unwrap()
    };
    let one = with(1);
    assert!(one.is_complete());
    assert_eq!(one.total(), 28);
    for threads in [2, 5] {
        assert_eq!(with(threads), one);
    }
    for (point, seed_index, result) in one.iter() {
        assert_eq!(
            result.outcome,
            fake(&design.spec(point, design.0[seed_index]))
        );
    }
}

#[test]
fn a_cancelled_experiment_goes_on_where_it_stopped() {
    let dir = tempfile::tempdir().unwrap();
    let design = Losses((1..=5).collect());
    let cancel = AtomicBool::new(false);
    let calls = Mutex::new(Vec::new());
    let first = Options {
        dir: Some(dir.path()),
        threads: Some(1),
        cancel: &cancel,
        progress: &|p| {
            lock(&calls).push(p.done);
            cancel.store(p.done == 9, Ordering::Relaxed);
        },
        ..Options::default()
    };
    let (partial, simulated) = counted(&design, &first);
    assert_eq!((partial.finished(), simulated), (9, 9));
    assert!(!partial.is_complete());
    assert_eq!(*lock(&calls), (0..=9).collect::<Vec<_>>());
    // Seed by seed: every point has two seeds, one has three.
    assert!((0..4).all(|p| partial.get(p, 1).is_some()));

    let reused = AtomicUsize::new(0);
    let again = Options {
        dir: Some(dir.path()),
        progress: &|p| reused.store(p.reused, Ordering::Relaxed),
        ..Options::default()
    };
    let (whole, simulated) = counted(&design, &again);
    assert_eq!((simulated, reused.load(Ordering::Relaxed)), (11, 9));
    assert_eq!(whole, run(&design, &Options::default(), faked).unwrap());
    assert_eq!(counted(&design, &again), (whole, 0));

    // More seeds: only the new ones. Fewer: none.
    assert_eq!(counted(&Losses((1..=6).collect()), &again).1, 4);
    assert_eq!(counted(&Losses(vec![2, 4]), &again).1, 0);
    let fresh = Options {
        fresh: true,
        ..again
    };
    assert_eq!(counted(&design, &fresh).1, 20);
}

#[test]
fn a_run_that_is_given_up_is_missing_and_the_last() {
    let dir = tempfile::tempdir().unwrap();
    let design = Losses((1..=5).collect());
    let options = Options {
        dir: Some(dir.path()),
        threads: Some(1),
        ..Options::default()
    };
    let started = AtomicUsize::new(0);
    let partial = run(&design, &options, |spec, _| {
        let number = started.fetch_add(1, Ordering::Relaxed) + 1;
        (number < 7).then(|| fake(spec))
    })
    .unwrap();
    assert_eq!((partial.finished(), started.into_inner()), (6, 7));
    // Runs that finished before stay.
    assert_eq!(counted(&design, &options).1, 14);
}

#[test]
fn a_set_flag_ends_a_long_simulation() {
    let mut endless = Losses(vec![1]).spec(1, 1);
    endless.duration = Time::from_nanos(u64::MAX / 4);
    endless.flows[0].traffic = Traffic::Cbr {
        rate: Rate::from_bps(1_000_000),
        packet: 1000,
        jitter: 0.0,
    };
    let cancel = AtomicBool::new(true);
    assert_eq!(simulate(&endless, &cancel), None);
    let short = Losses(vec![1]).spec(1, 1);
    cancel.store(false, Ordering::Relaxed);
    assert_eq!(
        simulate(&short, &cancel),
        Some(skywave_sim::simulate(&short))
    );
}

#[test]
fn another_engine_version_starts_anew() {
    let dir = tempfile::tempdir().unwrap();
    let design = Losses(vec![1, 2]);
    let options = Options {
        dir: Some(dir.path()),
        ..Options::default()
    };
    assert_eq!(counted(&design, &options).1, 8);
    let newer = Options {
        engine: "skywave 9.0.0",
        ..options
    };
    assert_eq!(counted(&design, &newer).1, 8);
    assert_eq!(counted(&design, &newer).1, 0);
    let text = fs::read_to_string(dir.path().join("runs.jsonl")).unwrap();
    assert_eq!(text.lines().count(), 8, "stale rows are gone:\n{text}");
}

#[test]
fn the_key_follows_the_meaning() {
    let design = Losses(vec![1]);
    let spec = design.spec(1, 1);
    let key = RunKey::new(&spec, ENGINE);
    assert_eq!(RunKey::new(&spec.clone(), ENGINE), key);
    assert_eq!(RunKey::parse(&key.to_string()), Some(key));
    assert_ne!(RunKey::new(&design.spec(2, 1), ENGINE), key);
    assert_ne!(RunKey::new(&design.spec(1, 2), ENGINE), key);
    assert_ne!(RunKey::new(&spec, "other"), key);
    let mut longer = spec;
    longer.duration = Time::from_nanos(1_000_000_001);
    assert_ne!(RunKey::new(&longer, ENGINE), key);
}

#[test]
fn what_a_crash_leaves_behind_is_run_again() {
    let dir = tempfile::tempdir().unwrap();
    let design = Losses(vec![3]);
    let told = Mutex::new(0);
    let options = Options {
        dir: Some(dir.path()),
        doubts: &|_| *lock(&told) += 1,
        ..Options::default()
    };
    let (whole, _) = counted(&design, &options);
    let path = dir.path().join("runs.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    // Wherever the file is cut, its whole lines count, and nothing else does; also where just the end of the
    // last line is missing.
    let ends = text.match_indices('\n').map(|(end, _)| end);
    for cut in (0..text.len()).step_by(97).chain(ends) {
        fs::write(&path, &text[..cut]).unwrap();
        let kept =
            text[..cut].lines().count() - usize::from(!text[..cut].ends_with('\n') && cut > 0);
        let complete_last = cut > 0 && text[cut..].starts_with('\n');
        let (results, simulated) = counted(&design, &options);
        assert_eq!(
            simulated,
            4 - kept - usize::from(complete_last),
            "cut at {cut}"
        );
        assert_eq!(results, whole);
    }
    assert_eq!(
        *lock(&told),
        0,
        "what a crash leaves is no reason for doubts"
    );
    // The same with invalid bytes.
    let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(b"\xff\xfe{\"key\":\n[]\n{}\n").unwrap();
    assert_eq!(counted(&design, &options), (whole, 0));
}

#[test]
fn a_line_that_was_edited_is_told_of_and_its_run_made_again() {
    let dir = tempfile::tempdir().unwrap();
    let design = Losses((1..=5).collect());
    let told = Mutex::new(Vec::new());
    let options = Options {
        dir: Some(dir.path()),
        threads: Some(1),
        doubts: &|doubts| lock(&told).push(doubts.clone()),
        ..Options::default()
    };
    let (whole, _) = counted(&design, &options);
    let path = dir.path().join("runs.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    // One digit of one number: the line is still JSON, and the number possible.
    let edited = lines[6].replacen("\"goodput_bps\":7", "\"goodput_bps\":9", 1);
    assert_ne!(edited, lines[6]);
    // As versions wrote it that knew no checks.
    let (old, _) = lines[8].split_once(",\"check\"").unwrap();
    let mut changed = lines.clone();
    changed[6] = &edited;
    let old = format!("{old}}}");
    changed[8] = &old;
    fs::write(&path, changed.join("\n") + "\n").unwrap();
    assert_eq!(counted(&design, &options), (whole.clone(), 2));
    let expected = Doubts {
        path: path.clone(),
        first: vec![7],
        damaged: 1,
        unchecked: 1,
    };
    assert_eq!(*lock(&told), [expected]);
    // The journal is what it was.
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    assert_eq!(counted(&design, &options), (whole, 0));
    assert_eq!(lock(&told).len(), 1);
}

#[test]
fn the_journal_is_the_same_for_any_number_of_threads_and_any_interruption() {
    let design = Losses((1..=5).collect());
    let journal = |threads, pieces: &[&[u64]]| {
        let dir = tempfile::tempdir().unwrap();
        let options = Options {
            dir: Some(dir.path()),
            threads: Some(threads),
            ..Options::default()
        };
        for seeds in pieces {
            counted(&Losses(seeds.to_vec()), &options);
        }
        counted(&design, &options);
        fs::read(dir.path().join("runs.jsonl")).unwrap()
    };
    let one = journal(1, &[]);
    assert!(one == journal(5, &[]));
    assert!(one == journal(2, &[&[4], &[2, 3]]));
}

#[test]
fn points_that_mean_the_same_share_what_is_found() {
    /// Every point is the same.
    struct Same(Losses);

    impl Design for Same {
        fn points(&self) -> usize {
            4
        }

        fn seeds(&self) -> &[u64] {
            self.0.seeds()
        }

        fn spec(&self, _point: usize, seed: u64) -> Spec {
            self.0.spec(0, seed)
        }
    }

    let dir = tempfile::tempdir().unwrap();
    let options = Options {
        dir: Some(dir.path()),
        ..Options::default()
    };
    let path = dir.path().join("runs.jsonl");
    let design = Same(Losses(vec![1, 2]));
    assert_eq!(counted(&design, &options).1, 8);
    let whole = fs::read(&path).unwrap();
    assert_eq!(counted(&design, &options).1, 0);
    assert!(fs::read(&path).unwrap() == whole);
    // One of them is enough.
    assert_eq!(
        counted(
            &Losses(vec![1, 2]),
            &Options {
                fresh: true,
                ..options
            }
        )
        .1,
        8
    );
    assert_eq!(counted(&design, &options).1, 0);
    assert_eq!(
        counted(&design, &options).0,
        run(&design, &Options::default(), faked).unwrap()
    );
}

#[test]
fn runs_with_code_of_a_users_own_are_never_reused() {
    struct Custom(Losses);

    impl Design for Custom {
        fn points(&self) -> usize {
            self.0.points()
        }

        fn seeds(&self) -> &[u64] {
            self.0.seeds()
        }

        fn spec(&self, point: usize, seed: u64) -> Spec {
            let mut spec = self.0.spec(point, seed);
            let mut composition = preset("reno").unwrap().composition.clone();
            // Point 0 is built in, the others are not.
            if point > 0 {
                composition.detection =
                    DetectionConfig::Custom(CustomDetection::new("mine", |_| {
                        skywave_core::tcp::detection::Dupacks(4)
                    }));
            }
            let config = TcpConfig::new(Profile::Rfc, composition);
            spec.flows[0].transport = Transport::Tcp(Arc::new(config));
            spec
        }
    }

    let dir = tempfile::tempdir().unwrap();
    let options = Options {
        dir: Some(dir.path()),
        series: RecordSeries::FirstSeed,
        ..Options::default()
    };
    let design = Custom(Losses(vec![1, 2]));
    let (first, simulated) = counted(&design, &options);
    assert_eq!(simulated, 8);
    let (second, simulated) = counted(&design, &options);
    assert_eq!(simulated, 6);
    for point in 0..4 {
        let series = |results: &Results| results.get(point, 0).unwrap().series().unwrap();
        assert_eq!(series(&first), series(&second));
        assert_eq!(series(&first).len(), 1);
    }
}

#[test]
fn bins_and_requests_are_kept_with_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let options = Options {
        dir: Some(dir.path()),
        ..Options::default()
    };
    let binned = |spec: &Spec, _: &AtomicBool| {
        let mut outcome = fake(spec);
        outcome.bins = Some(Bins {
            width_s: 0.1,
            delivered: vec![vec![spec.seed, 0, u64::MAX]],
        });
        let request = |took_s| Request {
            start_s: 0.1 + 0.2,
            bytes: u64::MAX,
            took_s,
        };
        outcome.requests = Some(vec![vec![], vec![request(Some(1.0 / 3.0)), request(None)]]);
        Some(outcome)
    };
    let design = Losses(vec![1, 3]);
    let first = run(&design, &options, binned).unwrap();
    let again = run(&design, &options, |_, _| panic!("it is there")).unwrap();
    assert_eq!(first, again);
    let Outcome { bins, requests, .. } = again.get(0, 1).unwrap().outcome;
    assert_eq!(bins.unwrap().delivered, [[3, 0, u64::MAX]]);
    let times = requests.unwrap()[1]
        .iter()
        .map(|request| request.took_s)
        .collect::<Vec<_>>();
    assert_eq!(times, [Some(1.0 / 3.0), None]);
}

#[test]
fn series_are_kept_in_files_of_their_own() {
    let dir = tempfile::tempdir().unwrap();
    let design = Losses(vec![1, 3]);
    let memory = Options {
        series: RecordSeries::FirstSeed,
        ..Options::default()
    };
    let disk = Options {
        dir: Some(dir.path()),
        ..memory
    };
    let (in_memory, _) = counted(&design, &memory);
    let (on_disk, _) = counted(&design, &disk);
    let (resumed, simulated) = counted(&design, &disk);
    assert_eq!(simulated, 0);
    for point in 0..4 {
        let expected = in_memory.get(point, 0).unwrap().series().unwrap();
        assert_eq!(expected.len(), 1);
        for results in [&on_disk, &resumed] {
            let run = results.get(point, 0).unwrap();
            assert!(run.outcome.series.is_empty());
            assert_eq!(run.series().unwrap(), expected);
            assert!(!results.get(point, 1).unwrap().has_series());
        }
    }
    // A lost file of series makes its run missing.
    let file = fs::read_dir(dir.path().join("series")).unwrap().next();
    fs::remove_file(file.unwrap().unwrap().path()).unwrap();
    assert_eq!(counted(&design, &disk).1, 1);
}

#[test]
fn a_directory_belongs_to_one_process_at_a_time() {
    let dir = tempfile::tempdir().unwrap();
    let design = Losses(vec![1]);
    let options = Options {
        dir: Some(dir.path()),
        ..Options::default()
    };
    let inner = Mutex::new(None);
    run(&design, &options, |spec, cancel| {
        *lock(&inner) = Some(run(&design, &options, faked).map(|_| ()));
        faked(spec, cancel)
    })
    .unwrap();
    let inner = inner.into_inner().unwrap();
    assert!(matches!(inner, Some(Err(Error::Busy(_)))), "{inner:?}");
}

#[test]
fn a_directory_that_cannot_be_written_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "in the way").unwrap();
    let options = Options {
        dir: Some(&file),
        ..Options::default()
    };
    let error = run(&Losses(vec![1]), &options, faked).unwrap_err();
    assert!(error.to_string().contains("file"), "{error}");
}
