use super::*;
use skywave_lab::experiment::{self, Options, simulate};

/// SIFEST's first row with `reference` as the other simulator's numbers.
fn set(reference: Vec<(Quantity, Estimate)>, decisive: &[Quantity]) -> Set {
    let mut set = Set::load("sifest", 1).expect("a set");
    set.rows.truncate(1);
    set.rows[0].reference = reference;
    for measured in &mut set.terms.quantity {
        measured.decides = decisive.contains(&measured.name);
    }
    set
}

fn estimate(mean: f64, half: f64) -> Estimate {
    Estimate {
        n: 10,
        mean,
        sd: half,
        half: Some(half),
    }
}

#[test]
fn a_decisive_quantity_that_is_missing_is_apart() {
    let wide = (Quantity::Goodput, estimate(0.0, 1e9));
    let set = set(vec![wide], &[Quantity::Goodput, Quantity::Timeouts]);
    let results = experiment::run(&set, &Options::default(), simulate).expect("runs");
    let judged = set.judge(&results);
    let apart: Vec<Quantity> = judged.rows[0].apart().collect();
    assert_eq!(apart, [Quantity::Timeouts]);
    assert_eq!(judged.agreeing(), 0);
    assert!(!judged.passes());
}

#[test]
fn agreement_by_overlap_alone_is_told() {
    let wide = (Quantity::Goodput, estimate(0.0, 1e9));
    let set = set(vec![wide], &[Quantity::Goodput]);
    let results = experiment::run(&set, &Options::default(), simulate).expect("runs");
    let judged = set.judge(&results);
    assert_eq!((judged.agreeing(), judged.close()), (1, 0));
    let summary = judged.summary();
    let told = "1 agree (100.0%: 0 by tolerance, 1 only by overlap of intervals)";
    assert!(summary.contains(told), "{summary}");
    let lines = judged.to_json_lines();
    let last: serde_json::Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&last["by_tolerance"], &last["by_overlap"]),
        (&0.into(), &1.into())
    );
}

#[test]
fn a_set_without_rows_does_not_pass() {
    let mut set = set(Vec::new(), &[Quantity::Goodput]);
    set.rows.clear();
    let judged = Judged {
        set: &set,
        rows: Vec::new(),
    };
    assert!(!judged.passes());
}
