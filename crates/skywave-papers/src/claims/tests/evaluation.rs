//! Judging a tiny set of results.

use std::collections::BTreeMap;

use super::{claims, paper, results};
use crate::claims::{Reproduction, Scorecard, Verdict, evaluate, page, summary};

/// CERL has twice Reno's goodput, at each loss rate half of that at half the rate; seeds differ by
/// some percent in the same way for both.
#[expect(clippy::unnecessary_wraps, reason = "the form of what `results` takes")]
fn doubled(variant: &str, loss: f64, seed: u64) -> Option<f64> {
    let factor = if variant == "cerl" { 2.0 } else { 1.0 };
    Some(factor * (1.0 + 0.02 * seed as f64) / loss)
}

fn judged(measure: &str, goodput: impl Fn(&str, f64, u64) -> Option<f64>) -> Scorecard {
    let paper = paper(&claims(measure)).unwrap_or_else(|e| panic!("{e}"));
    evaluate(&paper, &results(&paper, goodput))
}

fn verdict(measure: &str) -> Verdict {
    judged(measure, doubled).scores[0].verdict
}

#[test]
fn gains() {
    let gain = |paper: f64| {
        format!(
            "[[claim.measure.gain]]\ndata = {{ experiment = \"fig\", at = {{ loss = 0.01 }} }}\n\
             of = \"cerl\"\nover = {{ reno = {paper} }}"
        )
    };
    assert_eq!(verdict(&gain(100.0)), Verdict::Reproduced);
    assert_eq!(verdict(&gain(130.0)), Verdict::Reproduced);
    assert_eq!(verdict(&gain(140.0)), Verdict::DirectionOnly);
    assert_eq!(verdict(&gain(-10.0)), Verdict::NotReproduced);
}

#[test]
fn a_gain_by_too_few_seeds_is_said_to_be_undecided() {
    let gain = "[[claim.measure.gain]]\nof = \"cerl\"\nover = { reno = 100 }\n\
        data = { experiment = \"fig\", at = { loss = 0.01 } }";
    // Twice Reno's goodput by the means, but 1.6 to 2.4 times at the single seeds.
    let noisy = |variant: &str, _: f64, seed: u64| match (variant, seed) {
        ("cerl", 1) => Some(160.0),
        ("cerl", 2) => Some(200.0),
        ("cerl", _) => Some(240.0),
        _ => Some(100.0),
    };
    let card = judged(gain, noisy);
    assert_eq!(card.scores[0].verdict, Verdict::TooFewSeeds);
    let table = card.table();
    assert!(table.contains("one  too few seeds"), "{table}");
    assert!(
        table.contains(
            "paper 100 %, ours 100 [1, 199] % (reproduced or direction only or not reproduced)"
        ),
        "{table}"
    );
    assert!(
        table.contains("Undecided by wide intervals: one reno (±99 %)."),
        "{table}"
    );
    let summary = card.summary();
    assert!(summary.contains("1 part: 1 too few seeds"), "{summary}");
}

#[test]
fn orders_also_along_a_sweep_and_between_flows() {
    let order = |order: &str| {
        format!(
            "[[claim.measure.order]]\ndata = {{ experiment = \"fig\" }}\norder = {order}\n\
             along = {{ parameter = \"loss\" }}"
        )
    };
    assert_eq!(verdict(&order("[\"cerl\", \"reno\"]")), Verdict::Reproduced);
    assert_eq!(
        verdict(&order("[\"reno\", \"cerl\"]")),
        Verdict::NotReproduced
    );
    let flows = "[[claim.measure.order]]\nby = \"flow\"\norder = [\"bulk\", \"other\"]\n\
        data = { experiment = \"fig\", at = { variant = \"reno\", loss = 0.01 } }";
    assert_eq!(verdict(flows), Verdict::Reproduced);
}

#[test]
fn an_order_by_the_means_alone_is_undecided() {
    let order = "[[claim.measure.order]]\ndata = { experiment = \"fig\", at = { loss = 0.01 } }\n\
        order = [\"cerl\", \"reno\"]";
    let noisy = |variant: &str, _: f64, seed: u64| match (variant, seed) {
        ("cerl", 3) => Some(200.0),
        _ => Some(100.0 + seed as f64),
    };
    let card = judged(order, noisy);
    assert_eq!(card.scores[0].verdict, Verdict::TooFewSeeds);
}

#[test]
fn the_first_is_judged_at_every_point() {
    let first = |more: &str| {
        format!(
            "[[claim.measure.first]]\ndata = {{ experiment = \"fig\" }}\nfirst = \"cerl\"\n\
             along = {{ parameter = \"loss\" }}\n{more}"
        )
    };
    assert_eq!(verdict(&first("")), Verdict::Reproduced);
    let not_at_four = |variant: &str, loss: f64, seed: u64| {
        let reversed = loss > 0.03;
        doubled(
            if (variant == "cerl") == reversed {
                "reno"
            } else {
                "cerl"
            },
            loss,
            seed,
        )
    };
    let score = &judged(&first(""), not_at_four).scores[0];
    assert_eq!(score.verdict, Verdict::NotReproduced);
    assert_eq!(
        score.parts[0].remark.as_deref(),
        Some("at loss = 0.04, over reno; holds beyond the interval at 2 of 3 points")
    );
    let most = judged(&first("min_fraction = 0.66"), not_at_four);
    assert_eq!(most.scores[0].verdict, Verdict::Reproduced);
}

#[test]
fn trends_ratios_and_bounds() {
    let trend = |direction: &str| {
        format!(
            "[[claim.measure.trend]]\ndata = {{ experiment = \"fig\" }}\nby = \"variant\"\n\
             along = {{ parameter = \"loss\" }}\ndirection = \"{direction}\""
        )
    };
    assert_eq!(verdict(&trend("falling")), Verdict::Reproduced);
    assert_eq!(verdict(&trend("rising")), Verdict::NotReproduced);

    let ratio = |limits: &str| {
        format!(
            "[[claim.measure.ratio]]\ntop = {{ experiment = \"fig\", at = {{ variant = \"cerl\" }} }}\n\
             bottom = {{ experiment = \"fig\", at = {{ variant = \"reno\", loss = 0.01 }} }}\n\
             along = {{ parameter = \"loss\" }}\n{limits}"
        )
    };
    // 2, 1 and 0.5 times Reno at 1 %.
    assert_eq!(
        verdict(&ratio("at_least = 0.4\nat_most = 2.1")),
        Verdict::Reproduced
    );
    assert_eq!(verdict(&ratio("at_least = 0.9")), Verdict::NotReproduced);
    assert_eq!(
        verdict(&ratio("at_least = 1.9\nany = true")),
        Verdict::Reproduced
    );

    let bound = "[[claim.measure.bound]]\ndata = { experiment = \"fig\", link = \"air\" }\n\
        by = \"variant\"\nalong = { parameter = \"loss\" }\nat_most = 0.3";
    assert_eq!(verdict(bound), Verdict::Reproduced);
    let share = "[[claim.measure.bound]]\nat_least = 0.19\ndata = { experiment = \"fig\", \
        at = { variant = \"cerl\", loss = 0.01 }, metric = \"throughput\", share_of = \"air\" }";
    assert_eq!(verdict(share), Verdict::Reproduced);
}

#[test]
fn spreads_contrasts_and_evenness() {
    let spread = |at_most: f64| {
        format!(
            "[[claim.measure.spread]]\ndata = {{ experiment = \"fig\" }}\n\
             along = {{ parameter = \"loss\" }}\nat_most = {at_most}"
        )
    };
    assert_eq!(verdict(&spread(2.1)), Verdict::Reproduced);
    assert_eq!(verdict(&spread(1.25)), Verdict::NotReproduced);

    let contrast = |at_most: f64| {
        format!(
            "[[claim.measure.contrast]]\nat_most = {at_most}\n\
             small.top = {{ experiment = \"fig\", at = {{ variant = \"cerl\", loss = 0.04 }} }}\n\
             small.bottom = {{ experiment = \"fig\", at = {{ variant = \"reno\", loss = 0.04 }} }}\n\
             large.top = {{ experiment = \"fig\", at = {{ variant = \"cerl\", loss = 0.01 }} }}\n\
             large.bottom = {{ experiment = \"fig\", at = {{ variant = \"cerl\", loss = 0.02 }} }}"
        )
    };
    // Both ratios are two: their quotient is one.
    assert_eq!(verdict(&contrast(1.5)), Verdict::Reproduced);
    assert_eq!(verdict(&contrast(0.75)), Verdict::NotReproduced);

    let even = "[[claim.measure.evenness]]\nflows = [\"bulk\", \"other\"]\nat_most = 2.0\n\
        data = { experiment = \"fig\", at = { variant = \"cerl\", loss = 0.01 } }";
    assert_eq!(verdict(even), Verdict::Reproduced);
}

#[test]
fn plateaus_correlations_and_the_square_root_law() {
    let plateau = "[[claim.measure.plateau]]\n\
        data = { experiment = \"fig\", at = { variant = \"cerl\" } }\n\
        along = { parameter = \"loss\" }\nflat_from = 0.02\nknee = 0.02";
    let levelling =
        |_: &str, loss: f64, seed: u64| Some(if loss < 0.015 { 50.0 } else { 100.0 } + seed as f64);
    let card = judged(plateau, levelling);
    assert_eq!(card.scores[0].verdict, Verdict::Reproduced);
    let names: Vec<&str> = card.scores[0].parts.iter().map(|p| &*p.name).collect();
    assert_eq!(names, ["rise", "knee", "flat"]);
    assert_eq!(verdict(plateau), Verdict::NotReproduced);

    let correlation = "[[claim.measure.correlation]]\ndirection = \"falling\"\n\
        data = { experiment = \"fig\", at = { variant = \"cerl\" } }\n\
        along = { parameter = \"loss\" }";
    assert_eq!(verdict(correlation), Verdict::Reproduced);

    let law = "[[claim.measure.square_root]]\nmss = 1000\npaper = 1.0\n\
        data = { experiment = \"fig\", at = { variant = \"reno\" } }\n\
        along = { parameter = \"loss\" }";
    // A window of √(1/q) segments of 1000 bytes a round trip of 0.1 s, in kb/s.
    let lawful = |_: &str, loss: f64, _: u64| Some(80.0 / loss.sqrt());
    assert_eq!(judged(law, lawful).scores[0].verdict, Verdict::Reproduced);
    assert_eq!(verdict(law), Verdict::NotReproduced);
}

#[test]
fn missing_runs_leave_gaps_and_not_errors() {
    let order = "[[claim.measure.order]]\ndata = { experiment = \"fig\" }\n\
        order = [\"cerl\", \"reno\"]\nalong = { parameter = \"loss\" }";
    let card = judged(order, |variant, loss, seed| {
        if loss > 0.03 {
            None
        } else {
            doubled(variant, loss, seed)
        }
    });
    assert_eq!(card.scores[0].verdict, Verdict::NotRun);
    assert!(!card.complete);
    // One seed of a point is missing: the others count.
    let card = judged(order, |variant, loss, seed| {
        if variant == "reno" && seed == 2 {
            None
        } else {
            doubled(variant, loss, seed)
        }
    });
    assert_eq!(card.scores[0].verdict, Verdict::Reproduced);
    let paper = paper(&claims(order)).unwrap();
    let card = evaluate(&paper, &BTreeMap::new());
    assert_eq!(card.scores[0].verdict, Verdict::NotRun);
}

const TWO_NUMBERS: &str = "note = \"A note.\"\n[[claim.measure.gain]]\n\
    data = { experiment = \"fig\", at = { loss = 0.01 } }\nof = \"cerl\"\nover = { reno = 90 }\n\
    [[claim.measure.first]]\nname = \"lead\"\ndata = { experiment = \"fig\" }\nfirst = \"cerl\"\n\
    along = { parameter = \"loss\" }";

#[test]
fn the_json_line() {
    let card = judged(TWO_NUMBERS, doubled);
    insta::assert_snapshot!("json_two_numbers", card.to_json_lines());
    let one = "[[claim.measure.order]]\ndata = { experiment = \"fig\", at = { loss = 0.01 } }\n\
        order = [\"cerl\", \"reno\"]";
    insta::assert_snapshot!("json_one_number", judged(one, doubled).to_json_lines());
    let none = judged("not_testable = \"There is no number.\"", doubled);
    insta::assert_snapshot!("json_not_testable", none.to_json_lines());
}

#[test]
fn the_same_results_give_the_same_bytes() {
    let card = || judged(TWO_NUMBERS, doubled);
    assert_eq!(card().to_json_lines(), card().to_json_lines());
    assert_eq!(card().markdown(), card().markdown());
}

#[test]
fn the_scorecard_for_people() {
    let card = judged(TWO_NUMBERS, doubled);
    insta::assert_snapshot!("table", card.table());
    insta::assert_snapshot!("markdown", card.markdown());
}

#[test]
fn the_page_is_self_contained_and_escaped() {
    let file = claims(TWO_NUMBERS).replace("It is so.", "It is <so> & \\\"so\\\".");
    let paper = paper(&file).unwrap();
    let results = results(&paper, doubled);
    let scorecard = evaluate(&paper, &results);
    let one = Reproduction {
        paper: &paper,
        results: &results,
        scorecard: &scorecard,
        maps: &[],
    };
    let page = page(&[one]).expect("the template is right");
    assert!(page.starts_with("<!doctype html>"));
    assert!(
        page.contains("It is &lt;so&gt; &amp; &quot;so&quot;."),
        "{page}"
    );
    assert!(page.contains("<svg"), "the figure's plot is missing");
    assert!(page.contains("id=\"one\""));
    let page = page.replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
    for outside in ["http://", "https://", "<script", "src=", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
}

#[test]
fn a_scorecard_of_some_claims_says_so() {
    let paper = paper(&claims("not_testable = \"There is no number.\"")).unwrap();
    let results = results(&paper, doubled);
    let whole = evaluate(&paper, &results);
    let part = whole.clone().judged();
    let shown = |scorecard| {
        let one = Reproduction {
            paper: &paper,
            results: &results,
            scorecard,
            maps: &[],
        };
        page(&[one]).expect("the template is right")
    };
    let note = "A part of the scorecard, without 1 claim of the paper";
    for (text, said) in [
        (shown(&whole), false),
        (shown(&part), true),
        (whole.markdown(), false),
        (part.markdown(), true),
    ] {
        assert_eq!(text.contains(note), said, "{text}");
    }
}

#[test]
fn a_claim_without_a_figure_is_not_said_to_be_without_an_experiment() {
    let paper = paper(&claims(TWO_NUMBERS).replace("figure = \"fig\"\n", "")).unwrap();
    let results = results(&paper, doubled);
    let scorecard = evaluate(&paper, &results);
    assert_eq!(scorecard.scores[0].verdict, Verdict::Reproduced);
    let text = scorecard.markdown();
    assert!(text.contains("\n## Without a figure\n"), "{text}");
    let one = Reproduction {
        paper: &paper,
        results: &results,
        scorecard: &scorecard,
        maps: &[],
    };
    let page = page(&[one]).expect("the template is right");
    assert!(page.contains("<h2>Without a figure</h2>"), "{page}");
}

#[test]
fn several_papers_are_one_page_and_counted_together() {
    let paper = paper(&claims(TWO_NUMBERS)).unwrap();
    let results = results(&paper, doubled);
    let first = evaluate(&paper, &results);
    let second = Scorecard {
        paper: "second".into(),
        title: "Another paper".into(),
        ..evaluate(&paper, &BTreeMap::new())
    };
    let with = |scorecard| Reproduction {
        paper: &paper,
        results: &results,
        scorecard,
        maps: &[],
    };
    let page = page(&[with(&first), with(&second)]).expect("the template is right");
    for there in [
        "<title>Scorecard of 2 papers</title>",
        "href=\"#second\"",
        "<h1 id=\"paper\">A paper</h1>",
        "<section id=\"paper-fig\">",
        "<section id=\"second-fig\">",
        "Not all runs are there",
    ] {
        assert!(page.contains(there), "{there}");
    }
    assert_eq!(
        summary(&[&first, &second]),
        "4 parts: 2 reproduced, 2 not run\n\
         2 claims, each as good as its worst part: 1 reproduced, 1 not run\n\
         Not all runs are there: these verdicts are preliminary."
    );
}

#[test]
fn the_digest_leads_with_what_came_out_and_says_why_the_rest_did_not() {
    let text = claims(&TWO_NUMBERS.replace("reno = 90", "reno = 30"));
    let head = "[[baseline]]\nsender = \"reno\"\nwhy = \"theirs is slower\"\n[[claim]]";
    let paper = paper(&text.replace("[[claim]]", head)).unwrap_or_else(|e| panic!("{e}"));
    // The first factor gives only the sign of the gain, the second one the wrong sign.
    for (name, factor) in [("ahead", 2.0), ("behind", 0.5)] {
        let goodput = |variant: &str, _: f64, seed: u64| {
            Some((100.0 + seed as f64) * if variant == "cerl" { factor } else { 1.0 })
        };
        let card = evaluate(&paper, &results(&paper, goodput));
        insta::assert_snapshot!(format!("digest_{name}"), card.digest());
    }
}
