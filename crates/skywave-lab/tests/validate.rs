//! Agreement with ns-2.35, with fewer replications than `skywave validate` makes.

use skywave_lab::experiment::simulate;
use skywave_lab::experiment::{self, Options};
use skywave_lab::validate::Set;

fn agrees(name: &str, seeds: u64, rows: usize) {
    let set = Set::named(name, seeds).expect("a set").expect("scenarios");
    assert_eq!(set.rows().len(), rows);
    let results = experiment::run(&set, &Options::default(), simulate).expect("runs");
    let judged = set.judge(&results);
    assert!(judged.rows.iter().all(|row| row.comparisons.len() >= 3));
    assert!(judged.passes(), "{}", judged.table());
}

#[test]
fn cerls_path_agrees_with_ns2() {
    agrees("cerl", 4, 90);
}

#[test]
fn sifests_path_agrees_with_ns2() {
    agrees("sifest", 4, 336);
}

#[test]
fn every_set_becomes_scenarios() {
    for name in skywave_lab::validate::SETS {
        let set = Set::named(name, 1).expect("a set").expect("scenarios");
        assert!(!set.rows().is_empty(), "{name}");
    }
}
