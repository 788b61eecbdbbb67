//! Shares, ranks, wins, losses and fairness of numbers that can be checked by hand.

use crate::rank::{Contestant, Kind, Order, PathSamples, Ranking, Samples};
use skywave_lab::experiment::stats::Estimate;

/// Three seeds around a mean.
fn around(mean: f64) -> Samples {
    vec![Some(mean - 1.0), Some(mean), Some(mean + 1.0)]
}

fn path(name: &str, kind: Kind, goodput: Vec<Samples>) -> PathSamples {
    PathSamples {
        name: name.into(),
        kind,
        baseline: None,
        others: vec![],
        jain: vec![],
        delay: goodput.iter().map(|_| around(3.0)).collect(),
        timeouts: goodput.iter().map(|_| around(2.0)).collect(),
        retransmits: goodput.iter().map(|_| around(9.0)).collect(),
        resent: goodput.iter().map(|_| around(0.1)).collect(),
        carried: vec![],
        goodput,
    }
}

/// Ranks compositions, of which some are published and none is set beside another.
fn rank(paths: &[PathSamples], published: &[bool], order: Order) -> Ranking {
    let contestant = |&published| Contestant {
        published,
        base: None,
    };
    let contestants: Vec<Contestant> = published.iter().map(contestant).collect();
    crate::rank::rank(paths, &contestants, order)
}

fn mean(estimate: Option<Estimate>) -> f64 {
    estimate.unwrap().mean
}

/// Two published variants (0, 1) and two compositions.
const PUBLISHED: [bool; 4] = [true, true, false, false];

fn example() -> Ranking {
    let lossy = [50.0, 80.0, 100.0, 80.0].map(around).to_vec();
    let other = [40.0, 20.0, 30.0, 10.0].map(around).to_vec();
    let clean = [100.0, 90.0, 100.0, 50.0].map(around).to_vec();
    let paths = [
        path("a", Kind::Lossy, lossy),
        path("b", Kind::Lossy, other),
        path("c", Kind::Clean, clean),
    ];
    rank(&paths, &PUBLISHED, Order::Share)
}

#[test]
fn shares_are_of_the_best_on_each_path_and_ties_share_a_rank() {
    let ranking = example();
    let order: Vec<usize> = ranking.rows.iter().map(|r| r.entry).collect();
    // Mean shares 0.875, 0.75, 0.65, 0.525.
    assert_eq!(order, [2, 0, 1, 3]);
    let row = |entry| ranking.row(entry).unwrap();
    assert_eq!(mean(row(2).lossy), f64::midpoint(1.0, 0.75));
    assert_eq!(mean(row(0).lossy), f64::midpoint(0.5, 1.0));
    assert_eq!(mean(row(3).clean), 0.5);
    let ranks = |path: usize| [0, 1, 2, 3].map(|e| row(e).on[path].rank.unwrap());
    assert_eq!(ranks(0), [4.0, 2.5, 1.0, 2.5]);
    assert_eq!(ranks(2), [1.5, 3.0, 1.5, 4.0]);
    assert_eq!(row(0).mean_rank, Some((4.0 + 1.0 + 1.5) / 3.0));
    assert_eq!(row(0).delay, Some(3.0));
}

#[test]
fn wins_and_losses_are_against_the_published_with_the_whole_interval() {
    let ranking = example();
    let row = |entry| ranking.row(entry).unwrap();
    assert_eq!(ranking.paths[0].best_published, Some(1));
    // 100 over 80 wins; 30 under 40 does not.
    assert_eq!((row(2).wins, row(2).losses), (1, 0));
    assert_eq!(mean(row(2).on[0].gain), 0.25);
    // As fast as the best published is no win.
    assert_eq!((row(3).wins, row(3).losses), (0, 1));
    // A published variant is judged against the other published one.
    assert_eq!((row(0).wins, row(0).losses), (1, 0));
    assert_eq!((row(1).wins, row(1).losses), (1, 1));
}

#[test]
fn a_mean_above_within_the_interval_is_no_win() {
    let noisy = vec![Some(60.0), Some(100.0), Some(110.0)];
    let steady = vec![Some(80.0), Some(81.0), Some(79.0)];
    let paths = [path("a", Kind::Lossy, vec![steady, noisy])];
    let ranking = rank(&paths, &[true, false], Order::Share);
    let row = ranking.row(1).unwrap();
    assert!(mean(row.on[0].gain) > 0.0);
    assert_eq!(row.wins, 0);
}

#[test]
fn one_seed_proves_nothing() {
    let one = |x: f64| vec![Some(x)];
    let goodput = vec![one(10.0), one(90.0)];
    let paths = [
        path("a", Kind::Lossy, goodput.clone()),
        path("b", Kind::Clean, goodput),
    ];
    let ranking = rank(&paths, &[true, false], Order::Share);
    assert_eq!(ranking.row(1).unwrap().wins, 0);
    assert_eq!(ranking.row(1).unwrap().on[0].gain.unwrap().half, None);
}

/// An interval of ±0 says nothing of chance: such runs are one run.
#[test]
fn seeds_that_all_give_the_same_prove_nothing() {
    let same = |x: f64| vec![Some(x); 3];
    let counts = |published: Samples, other: Samples| {
        let paths = [Kind::Lossy, Kind::Clean].map(|kind| {
            let (a, b) = (published.clone(), other.clone());
            path(
                "a",
                kind,
                if kind == Kind::Lossy {
                    vec![a, b]
                } else {
                    vec![b, a]
                },
            )
        });
        let row = rank(&paths, &[true, false], Order::Share);
        let row = row.row(1).unwrap();
        (row.wins, row.losses)
    };
    assert_eq!(counts(same(10.0), same(90.0)), (0, 0));
    // Chance in one of them is enough to compare with.
    assert_eq!(counts(around(10.0), same(90.0)), (1, 1));
    assert_eq!(counts(same(10.0), around(90.0)), (1, 1));
}

#[test]
fn fairness_is_against_one_of_the_others_in_its_place() {
    let mut shared = path("a", Kind::Fairness, vec![around(50.0), around(75.0)]);
    shared.baseline = Some(0);
    shared.others = vec![around(50.0), around(20.0)];
    shared.jain = vec![vec![Some(1.0); 3], vec![Some(0.75), Some(0.5), Some(1.0)]];
    let mut second = shared.clone();
    second.others[1] = around(30.0);
    let ranking = rank(&[shared, second], &[true, false], Order::Share);
    assert_eq!(ranking.baselines(), [0]);
    let row = ranking.row(1).unwrap();
    let (baseline, beside) = row.beside[0];
    assert_eq!(baseline, 0);
    assert_eq!(mean(beside.taken), 1.5);
    assert_eq!(mean(beside.left), 0.5);
    assert_eq!(mean(beside.jain), 0.75);
    assert_eq!(mean(row.on[0].beside.left), 0.4);
    let own = ranking.row(0).unwrap().beside[0].1;
    assert_eq!((mean(own.taken), own.left.unwrap().half), (1.0, Some(0.0)));
    // Fairness is no goodput.
    assert_eq!((row.lossy, row.mean_rank), (None, None));
}

#[test]
fn order_by_rank_is_by_mean_rank() {
    let a = [100.0, 60.0].map(around).to_vec();
    let b = [50.0, 51.0].map(around).to_vec();
    let paths = [
        path("a", Kind::Lossy, a),
        path("b", Kind::Lossy, b.clone()),
        path("c", Kind::Clean, b),
    ];
    let first = |order| rank(&paths, &[true, false], order).rows[0].entry;
    assert_eq!(first(Order::Share), 0);
    assert_eq!(first(Order::Rank), 1);
}

#[test]
fn missing_runs_leave_gaps_and_break_nothing() {
    let paths = [
        path("a", Kind::Lossy, vec![vec![None; 3], around(5.0)]),
        path("b", Kind::Clean, vec![vec![None; 3], vec![None; 3]]),
    ];
    let ranking = rank(&paths, &[true, false], Order::Share);
    let row = ranking.row(0).unwrap();
    assert_eq!((row.lossy, row.clean, row.mean_rank), (None, None, None));
    assert_eq!(ranking.row(1).unwrap().wins, 0);
    assert_eq!(ranking.rows[0].entry, 1);
}
