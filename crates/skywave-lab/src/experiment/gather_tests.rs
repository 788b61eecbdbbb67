use std::fs;
use std::sync::atomic::AtomicBool;

use super::super::store::RUNS;
use super::super::tests::{Losses, fake};
use super::super::{Maker, run};
use super::*;

/// Losses, and the first two points once more.
struct Twice(Losses);

impl Design for Twice {
    fn points(&self) -> usize {
        self.0.points() + 2
    }

    fn seeds(&self) -> &[u64] {
        self.0.seeds()
    }

    fn spec(&self, point: usize, seed: u64) -> Spec {
        self.0.spec(point % self.0.points(), seed)
    }
}

static NEVER: AtomicBool = AtomicBool::new(false);

fn made(maker: &Maker, design: &impl Design, place: usize) -> Line {
    let line = maker.make(design, place, &NEVER, |spec, _| Some(fake(spec)));
    line.expect("it is not given up")
}

fn sent(line: &Line) -> Option<SentSeries<'_>> {
    let bytes = line.series.as_deref()?;
    Some(SentSeries {
        key: line.key,
        bytes,
    })
}

#[test]
fn runs_from_elsewhere_in_any_order_are_those_from_here() {
    let design = Twice(Losses((1..=3).collect()));
    let series = RecordSeries::FirstSeed;
    let root = tempfile::tempdir().unwrap();
    let (here, there) = (root.path().join("here"), root.path().join("there"));
    let options = Options {
        dir: Some(&here),
        series,
        threads: Some(1),
        ..Options::default()
    };
    let whole = run(&design, &options, |spec, _| Some(fake(spec))).unwrap();
    let options = Options {
        dir: Some(&there),
        ..options
    };
    let maker = Maker::of(&design, series);
    // The client stops in the middle, and goes on later. Some lines come twice.
    let gathering = Gathering::open(&design, &options).unwrap();
    assert_eq!(gathering.hash(), maker.hash());
    let missing = gathering.missing();
    assert_eq!(missing, (0..18).collect::<Vec<_>>());
    for &place in missing.iter().rev().take(9) {
        for _ in 0..2 {
            let line = made(&maker, &design, place);
            let added = gathering.add(&line.line, sent(&line)).unwrap().unwrap();
            assert!(added.places.contains(&place));
        }
    }
    let left = gathering.missing();
    drop(gathering);
    let gathering = Gathering::open(&design, &options).unwrap();
    assert_eq!(gathering.missing(), left);
    assert_eq!(gathering.reused(), 18 - left.len());
    for &place in &left {
        let line = made(&maker, &design, place);
        gathering.add(&line.line, sent(&line)).unwrap().unwrap();
    }
    assert!(gathering.missing().is_empty());
    let all: Vec<usize> = (0..18).collect();
    let lines = gathering.lines(&all).unwrap();
    let results = gathering.finish().unwrap();
    for (point, seed, run) in whole.iter() {
        let again = results.get(point, seed).unwrap();
        assert_eq!(again.outcome, run.outcome);
        assert_eq!(again.series().unwrap(), run.series().unwrap());
    }
    let journal = fs::read(there.join(RUNS)).unwrap();
    assert!(journal == fs::read(here.join(RUNS)).unwrap());
    // What the journal has is what was sent.
    for line in lines {
        assert!(all.iter().any(|&p| made(&maker, &design, p) == line));
    }
}

#[test]
fn what_is_no_line_of_this_engine_is_not_taken() {
    let design = Losses(vec![1, 2]);
    let maker = Maker::of(&design, RecordSeries::Never);
    for dir in [None, Some(tempfile::tempdir().unwrap())] {
        let options = Options {
            dir: dir.as_ref().map(tempfile::TempDir::path),
            series: RecordSeries::Never,
            ..Options::default()
        };
        let gathering = Gathering::open(&design, &options).unwrap();
        let line = made(&maker, &design, 3);
        let text = String::from_utf8(line.line.clone()).unwrap();
        for wrong in [
            text.replace("\"seed\":1", "\"seed\":2"),
            text.trim_end().to_owned(),
            format!("{text}{text}"),
            "\n".to_owned(),
        ] {
            assert_eq!(gathering.add(wrong.as_bytes(), None).unwrap(), None);
        }
        // Of another experiment.
        let other = Losses(vec![7]);
        let strange = made(&Maker::of(&other, RecordSeries::Never), &other, 0);
        let added = gathering.add(&strange.line, None).unwrap();
        let nothing = Added {
            places: vec![],
            new: 0,
        };
        assert_eq!(added, Some(nothing));
        assert_eq!(gathering.missing().len(), 8);
        for new in [1, 0] {
            let added = gathering.add(&line.line, None).unwrap();
            let places = vec![3];
            assert_eq!(added, Some(Added { places, new }));
        }
        assert_eq!(gathering.has_line(3), dir.is_some());
        assert_eq!(gathering.finish().unwrap().finished(), 1);
    }
    // Its time series did not come along.
    let maker = Maker::of(&design, RecordSeries::Always);
    let dir = tempfile::tempdir().unwrap();
    let options = Options {
        dir: Some(dir.path()),
        series: RecordSeries::Always,
        ..Options::default()
    };
    let gathering = Gathering::open(&design, &options).unwrap();
    let line = made(&maker, &design, 0);
    assert_eq!(gathering.add(&line.line, None).unwrap(), None);
    assert!(gathering.add(&line.line, sent(&line)).unwrap().is_some());
}

#[test]
fn runs_of_seeds_of_a_point_have_one_specification() {
    let design = Twice(Losses(vec![1, 2, 3]));
    let options = Options {
        series: RecordSeries::FirstSeed,
        ..Options::default()
    };
    let gathering = Gathering::open(&design, &options).unwrap();
    let all = gathering.specifications(&design);
    assert_eq!(all.len(), 18);
    // Six points: the last two mean the same as the first two.
    assert_eq!(all[0], all[4]);
    assert_ne!(all[0], all[1]);
    // The first seed records time series, the others do not.
    assert!(all[0].1 && !all[6].1);
    assert_ne!(all[0].0, all[6].0);
    assert_eq!(all[6], all[12]);
}
