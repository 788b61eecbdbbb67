//! Objectives whose minimum is known.

use std::convert::Infallible;

use skywave_scenario::{CustomMembers, Key, Setting};
use skywave_search::evolution::{Found, Plan, search};
use skywave_search::shrink::shrink;
use skywave_search::{Candidate, keys_off, kind};

use crate::common::{SMALL, space};

/// Smallest where the delay is 40 ms and the losses are 5 %, whatever else is set; nothing can be said at a rate above
/// 8 Mb/s.
fn value(candidate: &Candidate) -> Option<f64> {
    let number = |index: usize| {
        let setting = candidate[index].as_ref()?;
        Some(setting.numbers().first()?.value())
    };
    if number(0).is_some_and(|rate| rate > 8e6) {
        return None;
    }
    let apart = |index: usize, wanted: f64| match number(index) {
        Some(number) => (number / wanted).ln().abs().min(1.0),
        None => 1.0,
    };
    Some(f64::midpoint(apart(1, 40e6), apart(3, 0.05)))
}

#[expect(clippy::unnecessary_wraps, reason = "a judge of simulations may fail")]
fn all(candidates: &[Candidate]) -> Result<Vec<Option<f64>>, Infallible> {
    Ok(candidates.iter().map(value).collect())
}

fn found(keys: &[Key], seed: u64, islands: &[usize]) -> Vec<Found> {
    let plan = Plan {
        keys,
        seed,
        islands,
        each: 500,
        go_on: &|| true,
    };
    let Ok(found) = search(&plan, all);
    found
}

#[test]
fn a_known_minimum_is_found_and_shrunk() {
    let space = space(SMALL, &CustomMembers::default());
    for seed in 1..=5 {
        let found = found(space.keys(), seed, &[0, 1]);
        let best = &found[0];
        assert!(best.value < 0.03, "{best:?}");
        let Ok(small) = shrink(space.keys(), best.candidate.clone(), 0.2, all);
        assert_eq!(keys_off(&small), 2);
        let number = |index: usize| {
            small[index]
                .as_ref()
                .map_or(0.0, |s| s.numbers()[0].value())
        };
        assert_eq!((number(1), number(3)), (40e6, 0.05));
    }
}

#[test]
fn an_island_is_the_same_wherever_it_is_made() {
    let space = space(SMALL, &CustomMembers::default());
    let mut apart: Vec<Found> = [0, 2]
        .iter()
        .flat_map(|&i| found(space.keys(), 7, &[i]))
        .collect();
    apart.extend(found(space.keys(), 7, &[1, 3]));
    let mut whole = found(space.keys(), 7, &[0, 1, 2, 3]);
    let order = |a: &Found, b: &Found| (&a.candidate, a.island).cmp(&(&b.candidate, b.island));
    apart.sort_by(order);
    whole.sort_by(order);
    // What two islands have, a search tells once.
    apart.dedup_by(|later, earlier| later.candidate == earlier.candidate);
    assert_eq!(apart, whole);
    // The best of each kind, once.
    let mut kinds: Vec<_> = whole
        .iter()
        .map(|f| (f.island, kind(&f.candidate)))
        .collect();
    let all = kinds.len();
    kinds.sort();
    kinds.dedup();
    assert_eq!(kinds.len(), all);
    assert_ne!(found(space.keys(), 8, &[0]), found(space.keys(), 7, &[0]));
}

#[test]
fn a_space_that_says_nothing_has_an_end() {
    let space = space(SMALL, &CustomMembers::default());
    let plan = Plan {
        keys: space.keys(),
        seed: 1,
        islands: &[0, 1],
        each: usize::MAX,
        go_on: &|| true,
    };
    let none = |candidates: &[Candidate]| Ok::<_, Infallible>(vec![None; candidates.len()]);
    assert_eq!(search(&plan, none), Ok(Vec::new()));
}

#[test]
fn shrinking_leaves_what_the_verdict_needs() {
    let space = space(SMALL, &CustomMembers::default());
    let keys = space.keys();
    let everything: Vec<Option<Setting>> = keys
        .iter()
        .map(|key| Some(key.setting(&[0.2, 0.777])))
        .collect();
    // Stands as long as there is jitter of more than 20 ms.
    let jitter = |candidate: &Candidate| {
        let jitter = candidate[5]
            .as_ref()
            .map_or(0.0, |s| s.numbers()[0].value());
        Some(if jitter > 20e6 { 0.1 } else { 0.9 })
    };
    let judge = |tried: &[Candidate]| Ok::<_, Infallible>(tried.iter().map(jitter).collect());
    assert_eq!(
        keys[5].words(everything[5].as_ref().unwrap()),
        "0ms, 20.9ms"
    );
    let Ok(small) = shrink(keys, everything, 0.5, judge);
    assert_eq!(keys_off(&small), 1);
    assert_eq!(keys[5].words(small[5].as_ref().unwrap()), "0ms, 30ms");
}
