use super::*;
use crate::advice::host::{Current, Host};
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

/// Advice for `host`. `results` has the goodput (bit/s) and the transfer time (seconds) of each of the host's senders, in
/// the order of [`senders::on`]; `today` is the index of today's.
fn advised(host: &Host, findings: &[Finding], results: &[(f64, f64)], today: usize) -> Advice {
    let question = Question {
        objectives: &[Objective::Bulk, Objective::Short],
        findings,
        ..Question::new("", host)
    };
    let senders = senders::on(host);
    let contestants: Vec<Contestant> = senders
        .iter()
        .map(|sender| Contestant {
            sender,
            change: None,
        })
        .collect();
    let results: Vec<Vec<OnLink>> = results
        .iter()
        .map(|&(goodput_bps, took)| {
            vec![OnLink {
                goodput_bps,
                transfers: [(took, took); 2],
                ..OnLink::default()
            }]
        })
        .collect();
    let facts = Facts {
        rate_bps: 1e7,
        base_rtt_s: 0.04,
        policer_bps: None,
        managed: false,
        constant: true,
    };
    advice(&question, facts, senders[today], &contestants, &results)
}

/// Purpose of each recipe for `host`, and the scope of each of its steps; arguments as of [`advised`].
fn typed(host: &Host, results: &[(f64, f64)], today: usize) -> Vec<(String, Vec<String>)> {
    let advice = advised(host, &[], results, today);
    let typed = advice.recipes.iter().map(|recipe| {
        let scopes = recipe.steps.iter().map(|step| step.scope.clone());
        (recipe.of.clone(), scopes.collect())
    });
    typed.collect()
}

#[test]
fn a_host_is_given_one_law_and_programs_another_one() {
    let host = Host::parse("linux:cubic,bbr,hybla").unwrap();
    let results = [(1e6, 1.0), (9e6, 1.0), (2e6, 0.5), (5e6, 1.0)];
    let typed = typed(&host, &results, 0);
    let all = ["all new connections", "one route", "one program"].map(str::to_owned);
    let one = vec!["one program".to_owned()];
    let expected = [("BBR", all.to_vec()), ("Hybla for 100 kB", one)];
    assert_eq!(typed, expected.map(|(of, steps)| (of.to_owned(), steps)));
}

#[test]
fn a_law_that_makes_something_worse_is_for_single_programs() {
    let host = Host::parse("linux:cubic,bbr,hybla").unwrap();
    let one = vec!["one program".to_owned()];
    // BBR is today's; CUBIC is faster for transfers alone.
    let today = Some(Current {
        name: "bbr".into(),
        from: "--today".into(),
    });
    let on_bbr = Host {
        current: today,
        ..host.clone()
    };
    let with = |took: f64| {
        typed(
            &on_bbr,
            &[(1.7e6, took), (9.6e6, 0.346), (1e6, 1.0), (1e6, 1.0)],
            1,
        )
    };
    assert_eq!(with(0.2), [("CUBIC for 100 kB".to_owned(), one.clone())]);
    assert_eq!(with(0.333), [], "within five per cent");
    // CUBIC is today's; BBR carries more, and takes longer for transfers.
    let results = [(1.7e6, 0.1), (9.6e6, 0.346), (1e6, 1.0), (1e6, 1.0)];
    assert_eq!(typed(&host, &results, 0), [("BBR".to_owned(), one)]);
}

/// Results of a host with CUBIC, BBR and Hybla besides `skywave send`, over a link on which BBR carries most.
const BBR_IS_BEST: [(f64, f64); 4] = [(1e6, 1.0), (9e6, 1.0), (2e6, 1.0), (2e6, 1.0)];

#[test]
fn a_limit_that_no_sender_lifts_is_said_first() {
    let host = Host::parse("linux:cubic,bbr,hybla").unwrap();
    let window = Finding::ReceiveWindow { bdp_bytes: 5e5 };
    let limited = advised(&host, &[Finding::ShortFlows, window], &BBR_IS_BEST, 0);
    let order: Vec<&str> = limited.recipes.iter().map(|r| r.of.as_str()).collect();
    let expected = [
        "a larger receive window, at the receiver",
        "BBR",
        "a larger first window",
    ];
    assert_eq!(order, expected);
    let text = limited.to_string();
    let said = "The transfer was held up by the receiver's window: no other sender helps before";
    assert!(text.starts_with(said), "{text}");
    let other = advised(&host, &[Finding::ShortFlows], &BBR_IS_BEST, 0);
    assert!(other.cautions.is_empty(), "{other}");
}

#[test]
fn a_first_window_leaves_the_law_of_a_route_as_it_is() {
    let host = Host::parse("linux:cubic,bbr,hybla").unwrap();
    let advice = advised(&host, &[Finding::ShortFlows], &BBR_IS_BEST, 0);
    let runs = advice.recipes.iter().flat_map(|recipe| &recipe.steps);
    let routes: Vec<&str> = runs
        .map(|step| step.run.as_str())
        .filter(|run| run.starts_with("ip route"))
        .collect();
    let expected = [
        "ip route replace DST via GW dev DEV congctl bbr initcwnd 20 initrwnd 40",
        "ip route replace DST via GW dev DEV initcwnd 20 initrwnd 40",
    ];
    assert_eq!(routes, expected);
}

#[test]
fn each_command_that_is_printed_can_be_taken_back() {
    let host = Host::parse("linux:cubic,bbr,hybla").unwrap();
    let (bdp_bytes, rate_bps) = (5e6, 1e7);
    let findings = [
        Finding::ReceiveWindow { bdp_bytes },
        Finding::DeepQueue {
            ours: false,
            rate_bps,
        },
        Finding::Policer { rate_bps },
        Finding::SendBuffer { bdp_bytes },
        Finding::ShortFlows,
        Finding::Timeouts { rtt_s: 0.04 },
        Finding::Reordering,
    ];
    let text = advised(&host, &findings, &BBR_IS_BEST, 0).to_string();
    let lines: Vec<&str> = text.lines().collect();
    let sets = |line: &str| {
        [": sysctl ", ": tc ", ": ip "]
            .iter()
            .any(|word| line.contains(word))
    };
    let mut commands = 0;
    for (at, line) in lines.iter().enumerate() {
        if !line.starts_with("  ") && sets(line) {
            commands += 1;
            let next = lines.get(at + 1).unwrap_or(&"");
            assert!(
                next.starts_with("  back: ") && next.contains("keep: "),
                "{line}\n{next}"
            );
        }
    }
    assert_eq!(commands, 8, "{text}");
}
