//! Agreement with ns-2.35, ns-3 and Linux, with fewer replications than `skywave validate` makes.

use skywave_lab::experiment::{self, Options, simulate};
use skywave_papers::validate::{Comparison, Judged, Quantity, Set, names};

fn judge(name: &str, seeds: u64, holds: impl Fn(&Judged<'_>) -> bool) {
    judge_set(&Set::load(name, seeds).expect("a set"), holds);
}

fn judge_set(set: &Set, holds: impl Fn(&Judged<'_>) -> bool) {
    let results = experiment::run(set, &Options::default(), simulate).expect("runs");
    let judged = set.judge(&results);
    let decisive = set.terms.decisive().count();
    assert!(
        judged
            .rows
            .iter()
            .all(|row| row.comparisons.len() >= decisive)
    );
    assert!(holds(&judged), "{}", judged.table());
}

#[expect(
    clippy::redundant_closure_for_method_calls,
    reason = "the method alone is not general enough"
)]
fn passes(set: &Set) {
    judge_set(set, |set| set.passes());
}

fn agrees(name: &str, seeds: u64) {
    passes(&Set::load(name, seeds).expect("a set"));
}

#[test]
fn cerls_path_agrees_with_ns2() {
    agrees("cerl", 4);
}

#[test]
fn sifests_path_agrees_with_ns2() {
    agrees("sifest", 4);
}

/// Two rows with ECN have so few drops that three runs do not decide them by tolerance.
#[test]
fn a_red_bottleneck_agrees_with_ns2_with_ecn_and_without() {
    judge("ecn", 3, |set| set.passes() && set.close() >= 10);
}

/// The cheapest points of the witness, with each of the three mechanisms and without it.
#[test]
fn cerl_dcr_and_sifest_agree_with_their_agents_in_ns2() {
    let mut set = Set::load("witness", 5).expect("a set");
    let few = ["cerl-cwnd", "dcr-limited", "sifest-z", "sifest-bases"];
    set.retain(|row| few.contains(&row.labels[0].1.as_str()));
    assert_eq!(set.rows().len(), 39);
    passes(&set);
}

/// A row that is lost while the table is read could never disagree.
#[test]
fn every_set_has_all_rows_of_its_table() {
    let rows = names().into_iter().map(|name| {
        let set = Set::load(name, 1).expect("a set");
        (name, set.rows().len())
    });
    let rows: Vec<_> = rows.collect();
    let expected = [
        ("cerl", 90),
        ("sifest", 336),
        ("dcr", 13),
        ("dcr-lockstep", 8),
        ("ecn", 12),
        ("witness", 216),
        ("linux", 60),
        ("ns3", 25),
        ("modern", 9),
        ("queues", 10),
        ("kernel", 36),
        ("shares", 62),
        ("wifi", 20),
        ("wifi-far", 10),
    ];
    assert_eq!(rows, expected);
}

/// All rows without random loss agree by tolerance alone, and nearly all of BBR and Reno.
#[test]
fn bbr_cubic_and_reno_agree_with_the_linux_kernel() {
    judge("kernel", 4, |set| set.passes() && set.close() >= 24);
}

/// All rows over buffers of up to 16 BDPs, where single runs of Linux say enough.
#[test]
fn bbr_beside_cubic_and_reno_has_the_share_that_it_had_in_linux() {
    let mut set = Set::load("shares", 2).expect("a set");
    set.retain(|row| row.number("buffer_bdp").expect("a number") <= 16.0);
    assert_eq!(set.rows().len(), 44);
    judge_set(&set, |set| set.close() == 44);
}

/// Goodput of every row is near, and where packets can be marked neither side drops any.
#[test]
fn queues_that_mark_carry_what_they_carry_in_ns3() {
    judge("queues", 3, |set| {
        set.rows.iter().all(|row| {
            let of = |quantity| row.comparisons.iter().find(|c| c.quantity == quantity);
            let near = of(Quantity::Goodput).is_some_and(Comparison::is_close);
            let marks = of(Quantity::Marks).map_or(0.0, |marks| marks.theirs.mean);
            let drops = of(Quantity::QueueDrops).map_or(f64::NAN, |drops| drops.ours.mean);
            near && (marks == 0.0 || drops == 0.0)
        })
    });
}

#[test]
fn short_chains_of_stations_agree_with_ns3() {
    judge("wifi", 5, |set| set.passes() && set.close() >= 20);
}

/// Ordered by goodput, chains of one kind come in the same order as ns-3's.
#[test]
fn long_chains_of_stations_agree_with_ns3_but_for_one() {
    judge("wifi-far", 5, |set| {
        set.agreeing() >= 9 && stand_in_order(set)
    });
}

fn stand_in_order(set: &Judged<'_>) -> bool {
    let mut orders = Vec::new();
    for (at, one) in set.rows.iter().enumerate() {
        for other in &set.rows[at + 1..] {
            // All but the hops are the same.
            let labels = one.row.labels.len() - 1;
            if one.row.labels[..labels] == other.row.labels[..labels] {
                let [one, other] = [one, other].map(|row| row.comparisons[0]);
                let theirs = one.theirs.mean < other.theirs.mean;
                orders.push((one.ours.mean < other.ours.mean, theirs));
            }
        }
    }
    orders.len() == 4 && orders.iter().all(|(ours, theirs)| ours == theirs)
}
