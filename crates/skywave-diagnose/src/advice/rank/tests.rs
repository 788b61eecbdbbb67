use super::*;
use crate::advice::host::Host;
use crate::advice::senders::{self, SENDERS};

fn link(goodput: f64, left: f64) -> OnLink {
    OnLink {
        goodput_bps: goodput,
        left_bps: left,
        ..OnLink::default()
    }
}

fn ranked(results: &[Vec<OnLink>]) -> Ranking {
    let links: Vec<String> = (0..results[0].len()).map(|n| format!("draw {n}")).collect();
    let standings: Vec<Standing<'_>> = SENDERS
        .iter()
        .zip(results)
        .map(|(sender, results)| (sender, results.as_slice()))
        .collect();
    ranking(Measure::Goodput, &standings, &SENDERS[0], &links)
}

#[test]
fn todays_sender_stays_if_it_is_as_good() {
    let ranking = ranked(&[vec![link(9.85, 1.0)], vec![link(10.0, 5.0)]]);
    assert_eq!(ranking.order[0].0, "Reno");
    assert_eq!(
        (ranking.best.as_slice(), ranking.chosen),
        (&["Reno", "CUBIC"][..], "CUBIC")
    );
}

#[test]
fn of_equals_the_one_that_leaves_more_is_chosen() {
    let results = [
        vec![link(2.0, 1.0)],
        vec![link(10.0, 1.0)],
        vec![link(9.9, 3.0)],
        vec![link(9.8, 3.1)],
    ];
    assert_eq!(ranked(&results).chosen, "BBR");
}

#[test]
fn draws_on_which_another_one_wins_are_named() {
    let results = [
        vec![link(2.0, 1.0), link(9.0, 1.0), link(2.0, 1.0)],
        vec![link(8.0, 1.0), link(5.0, 1.0), link(8.0, 1.0)],
    ];
    let ranking = ranked(&results);
    assert_eq!(ranking.chosen, "Reno");
    let hang = Hang {
        link: "draw 1".into(),
        winner: "CUBIC",
        best: 9.0,
        chosen: 5.0,
    };
    assert_eq!(ranking.hangs, [hang]);
}

#[test]
fn delays_are_the_same_within_two_milliseconds() {
    assert!(Measure::Call.is_as_good(0.0119, 0.010));
    assert!(!Measure::Call.is_as_good(0.0121, 0.010));
    assert!(Measure::Transfer(SIZES[0]).is_as_good(1.05, 1.0));
    assert!(!Measure::Goodput.is_as_good(0.94, 1.0));
}

#[test]
fn a_host_is_given_one_law_and_programs_another_one() {
    let host = Host::parse("linux:cubic,bbr,hybla").unwrap();
    let question = Question {
        objectives: &[Objective::Bulk, Objective::Short],
        ..Question::new("", &host)
    };
    let senders = senders::on(&host);
    let contestants: Vec<Contestant> = senders
        .iter()
        .map(|sender| Contestant {
            sender,
            change: None,
        })
        .collect();
    let results = [(1e6, 1.0), (9e6, 1.0), (2e6, 0.5), (5e6, 1.0)];
    let results = results.map(|(goodput_bps, took)| {
        vec![OnLink {
            goodput_bps,
            transfers: [(took, took); 2],
            ..OnLink::default()
        }]
    });
    let facts = Facts {
        rate_bps: 1e7,
        base_rtt_s: 0.04,
        policer_bps: None,
        managed: false,
        constant: true,
    };
    let advice = advice(&question, facts, senders[0], &contestants, &results);
    let typed: Vec<(&str, Vec<&str>)> = advice
        .recipes
        .iter()
        .map(|recipe| {
            let scopes = recipe.steps.iter().map(|step| step.scope.as_str());
            (recipe.of.as_str(), scopes.collect())
        })
        .collect();
    let all = vec!["all new connections", "one route", "one program"];
    let expected = [("BBR", all), ("Hybla for 100 kB", vec!["one program"])];
    assert_eq!(typed, expected);
}
