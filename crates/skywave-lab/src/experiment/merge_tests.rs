use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use skywave_sim::outcome::Outcome;
use skywave_sim::spec::Spec;

use super::super::tests::{Losses, fake};
use super::super::{Doubts, ENGINE, RecordSeries, ShardFile, run};
use super::*;
use crate::threads::lock;

#[expect(clippy::unnecessary_wraps, reason = "`run` wants it so")]
fn faked(spec: &Spec, _cancel: &AtomicBool) -> Option<Outcome> {
    Some(fake(spec))
}

/// The directories of all shards.
fn shards(root: &Path, design: &Losses, count: usize, series: RecordSeries) -> Vec<PathBuf> {
    let shards = (1..=count).map(|number| Shard::new(number, count).unwrap());
    let one = |shard| {
        let dir = root.join(ShardFile::directory("test", shard));
        let file = ShardFile::new(design, shard, ("test", "test.toml"), series, ENGINE);
        file.write(&dir, "").unwrap();
        let options = Options {
            dir: Some(&dir),
            shard: Some(shard),
            series,
            ..Options::default()
        };
        let results = run(design, &options, faked).unwrap();
        assert_eq!(results.finished(), shard.share(results.total()));
        dir
    };
    shards.map(one).collect()
}

fn merged(dirs: &[PathBuf], design: &Losses, to: &Path) -> Result<Results, MergeError> {
    let shards = Shards::read(dirs)?;
    merge(design, &shards, "test.toml", to, &Options::default())
}

fn journal(dir: &Path) -> Vec<u8> {
    fs::read(dir.join(RUNS)).unwrap()
}

#[test]
fn merged_shards_are_one_run_of_all() {
    let root = tempfile::tempdir().unwrap();
    let design = Losses((1..=5).collect());
    let series = RecordSeries::FirstSeed;
    let alone = root.path().join("alone");
    let options = Options {
        dir: Some(&alone),
        series,
        ..Options::default()
    };
    let whole = run(&design, &options, faked).unwrap();
    // More shards than runs: some are empty.
    for count in [1, 3, 7, 25] {
        let root = tempfile::tempdir().unwrap();
        let mut dirs = shards(root.path(), &design, count, series);
        dirs.reverse();
        let to = root.path().join("merged");
        for _ in 0..2 {
            let results = merged(&dirs, &design, &to).unwrap();
            assert!(results.is_complete());
            for (point, seed, run) in whole.iter() {
                let again = results.get(point, seed).unwrap();
                assert_eq!(again.outcome, run.outcome);
                assert_eq!(again.series().unwrap(), run.series().unwrap());
            }
            assert!(journal(&to) == journal(&alone), "{count} shards");
        }
        // The merged directory is one as any other.
        let options = Options {
            dir: Some(&to),
            series,
            ..Options::default()
        };
        run(&design, &options, |_, _| panic!("it is there")).unwrap();
    }
}

#[test]
fn shards_that_do_not_belong_together_are_refused() {
    let root = tempfile::tempdir().unwrap();
    let design = Losses((1..=4).collect());
    let dirs = shards(root.path(), &design, 4, RecordSeries::Never);
    let to = root.path().join("merged");
    let refused = |dirs: &[PathBuf]| {
        let error = merged(dirs, &design, &to).unwrap_err().to_string();
        assert!(!to.exists(), "{error}");
        error.replace(&format!("{}/", root.path().display()), "")
    };
    assert_eq!(
        refused(&[&dirs[..], &dirs[2..3]].concat()),
        "shard 3/4 is there twice: test.shard-3-of-4 and test.shard-3-of-4"
    );
    assert_eq!(refused(&dirs[..1]), "missing: shards 2–4 of 4");
    assert_eq!(
        refused(&[dirs[0].clone(), root.path().join("none")]),
        "none: there is no such directory; expected a directory that `skywave run --shard` has made"
    );

    let rewritten = |change: &dyn Fn(&mut ShardFile)| {
        let mut file = read_file(&dirs[1]);
        change(&mut file);
        let other = root.path().join("other");
        file.write(&other, "").unwrap();
        refused(&[dirs[0].clone(), other])
    };
    assert_eq!(
        rewritten(&|file| file.scenario = "fig7a".into()),
        "test.shard-1-of-4 and other do not belong together: scenarios test and fig7a"
    );
    assert_eq!(
        rewritten(&|file| file.engine = "skywave 9".into()),
        format!(
            "test.shard-1-of-4 and other do not belong together: engines {ENGINE} and skywave 9"
        )
    );
    assert_eq!(
        rewritten(&|file| file.of = 5),
        "test.shard-1-of-4 and other do not belong together: shard 1 of 4 shards and 2 of 5 shards"
    );
    assert!(rewritten(&|file| file.runs = 9).contains("two versions of the scenario, "));
    assert_eq!(
        rewritten(&|file| file.shard = 5),
        "other: shard.json: there is no shard 5/4; expected a directory that `skywave run --shard` has made"
    );

    // The scenario has changed since.
    let changed = merged(&dirs, &Losses((2..=5).collect()), &to).unwrap_err();
    assert!(
        changed
            .to_string()
            .contains("shards of other results than test.toml makes")
    );
    // All are of another engine.
    let shards = Shards::read(&dirs).unwrap();
    let options = Options {
        engine: "skywave 9",
        ..Options::default()
    };
    let engine = merge(&design, &shards, "test.toml", &to, &options).unwrap_err();
    let text = engine.to_string();
    assert!(text.ends_with(&format!(
        "made by {ENGINE}; this is skywave 9, whose results may differ"
    )));
}

fn read_file(dir: &Path) -> ShardFile {
    serde_json::from_slice(&fs::read(dir.join("shard.json")).unwrap()).unwrap()
}

#[test]
fn a_shard_that_lacks_a_run_is_named() {
    let root = tempfile::tempdir().unwrap();
    let design = Losses((1..=4).collect());
    let dirs = shards(root.path(), &design, 3, RecordSeries::Never);
    let path = dirs[1].join(RUNS);
    let text = fs::read_to_string(&path).unwrap();
    // Another number of the same length: its check tells.
    let line = text.lines().nth(3).unwrap();
    let edited = line.replacen("\"goodput_bps\":", "\"goodput_bps\":9", 1);
    fs::write(&path, text.replace(line, &edited)).unwrap();
    let told = Mutex::new(Vec::new());
    let options = Options {
        doubts: &|doubts: &Doubts| lock(&told).push(doubts.first.clone()),
        ..Options::default()
    };
    let read = Shards::read(&dirs).unwrap();
    let to = root.path().join("merged");
    let error = merge(&design, &read, "test.toml", &to, &options).unwrap_err();
    assert!(
        matches!(error, MergeError::Incomplete { shard, done: 4, runs: 5, .. } if shard.number() == 2),
        "{error}"
    );
    assert_eq!(*lock(&told), [[4]]);
    // The shard is run again, and all is well.
    shards(root.path(), &design, 3, RecordSeries::Never);
    assert!(merged(&dirs, &design, &to).unwrap().is_complete());
}
