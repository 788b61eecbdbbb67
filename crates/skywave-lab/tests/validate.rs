//! Agreement with ns-2.35, with fewer replications than `skywave validate` makes.

use skywave_lab::experiment::{self, Options, simulate};
use skywave_lab::validate::{SETS, Set};

fn agrees(name: &str, seeds: u64) {
    let set = Set::named(name, seeds).expect("a set");
    let results = experiment::run(&set, &Options::default(), simulate).expect("runs");
    let judged = set.judge(&results);
    assert!(judged.rows.iter().all(|row| row.comparisons.len() >= 3));
    assert!(judged.passes(), "{}", judged.table());
}

#[test]
fn cerls_path_agrees_with_ns2() {
    agrees("cerl", 4);
}

#[test]
fn sifests_path_agrees_with_ns2() {
    agrees("sifest", 4);
}

/// A row that is lost on the way from the table would never disagree.
#[test]
fn every_set_has_all_rows_of_its_table() {
    let rows = SETS.iter().map(|&name| {
        let set = Set::named(name, 1).expect("a set");
        (name, set.rows().len())
    });
    let rows: Vec<_> = rows.collect();
    let expected = [
        ("cerl", 90),
        ("sifest", 336),
        ("dcr", 13),
        ("dcr-lockstep", 8),
        ("linux", 60),
        ("ns3", 25),
    ];
    assert_eq!(rows, expected);
}
