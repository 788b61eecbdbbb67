//! The outcome *baseline differs*, by its rule.

use super::{HEAD, SCENARIO, results};
use crate::claims::{ClaimsError, Paper, Scorecard, Standing, Verdict, evaluate, read};
use skywave_scenario::{NoFiles, Scenario};

/// CERL gains 100 % over Reno and 30 % over Westwood, so that Westwood has 1.54 times Reno; and is first.
const CLAIMS: &str = r#"
[[claim]]
id = "gains"
where = "Sec. 1"
kind = "gain"
core = true
statement = "CERL gains."
[[claim.measure.gain]]
data = { experiment = "fig", at = { loss = 0.01 } }
of = "cerl"
over = { reno = 100, westwood-nr = 30 }

[[claim]]
id = "first"
where = "Sec. 1"
kind = "order"
core = true
statement = "CERL is first at every loss rate."
[[claim.measure.first]]
data = { experiment = "fig" }
first = "cerl"
along = { parameter = "loss" }
"#;

/// Another program's numbers: Mb/s of Westwood, of Reno, of CERL.
fn evidence(westwood: f64, reno: f64, cerl: f64) -> String {
    format!(
        r#"
[[baseline]]
sender = "westwood-nr"
why = "theirs is slower"
[[baseline.evidence]]
program = "ns-2.35"
source = "a table"
data = {{ experiment = "fig", at = {{ loss = 0.01 }} }}
unit = "Mb/s"
baseline = [{westwood}, 0.002]
over = {{ sender = "reno", measured = [{reno}, 0.001] }}
mechanism = {{ sender = "cerl", measured = [{cerl}, 0.001] }}
paper = 1.54
"#
    )
}

fn paper(baseline: &str) -> Result<Paper, ClaimsError> {
    let three = SCENARIO.replace(r#"["reno", "cerl"]"#, r#"["reno", "cerl", "westwood-nr"]"#);
    let scenario = |name| Scenario::parse(name, &three, &NoFiles).expect("the scenario is right");
    let file = format!("{HEAD}{baseline}{CLAIMS}");
    let both = vec![scenario("fig"), scenario("other")];
    read("paper", "claims.toml", &file, both, &NoFiles)
}

/// Our results: Westwood has 2.5 times Reno, and is ahead of CERL; `reno_at_worst` is Reno's goodput at the
/// largest loss rate.
fn card(baseline: &str, reno_at_worst: f64) -> Scorecard {
    let mut paper = paper(baseline).expect("the claims are right");
    // As for a user who asks for one experiment alone.
    paper.keep(&["fig".to_owned()]).expect("it is there");
    let results = results(&paper, |variant, loss, seed| {
        let kbps = match variant {
            "reno" if loss > 0.03 => reno_at_worst,
            "reno" => 100.0,
            "cerl" => 200.0,
            _ => 250.0,
        };
        Some(kbps * (1.0 + 1e-3 * seed as f64))
    });
    evaluate(&paper, &results)
}

/// The verdicts on the gain over Westwood and on the lead.
fn verdicts(card: &Scorecard) -> (Verdict, Verdict) {
    let gains = &card.scores[0].parts;
    assert_eq!(gains[0].verdict, Verdict::Reproduced, "over Reno");
    assert_eq!(gains[1].name, "westwood-nr");
    (gains[1].verdict, card.scores[1].parts[0].verdict)
}

#[test]
fn parts_that_rest_on_a_refuted_baseline_have_an_outcome_of_their_own() {
    let card = card(&evidence(0.24, 0.1, 0.205), 100.0);
    let both = (Verdict::BaselineDiffers, Verdict::BaselineDiffers);
    assert_eq!(verdicts(&card), both);
    assert_eq!(card.baselines[0].evidence[0].standing, Standing::Refuted);
    // A claim is as good as its worst part.
    assert_eq!(card.scores[0].verdict, Verdict::BaselineDiffers);
    let digest = card.digest();
    assert!(
        digest.contains("Why westwood-nr: theirs is slower"),
        "{digest}"
    );
    let table = card.table();
    let first = "1 of 3 parts reproduced; 2 are not, because a sender to compare with differs from the \
                 paper's: westwood-nr.\n3 parts: ";
    assert!(table.contains(first), "{table}");
}

#[test]
fn a_part_that_fails_without_the_baseline_too_is_not_reproduced() {
    let card = card(&evidence(0.24, 0.1, 0.205), 300.0);
    let expected = (Verdict::BaselineDiffers, Verdict::NotReproduced);
    assert_eq!(verdicts(&card), expected);
}

#[test]
fn evidence_that_does_not_stand_changes_nothing() {
    let cases = [
        (evidence(0.24, 0.1, 0.3), Standing::OtherMechanism),
        (evidence(0.165, 0.1, 0.205), Standing::AsThePaper),
        (evidence(0.19, 0.1, 0.205), Standing::OursIsFarther),
    ];
    for (baseline, standing) in cases {
        let card = card(&baseline, 100.0);
        assert_eq!(card.baselines[0].evidence[0].standing, standing);
        let failed = (Verdict::NotReproduced, Verdict::NotReproduced);
        assert_eq!(verdicts(&card), failed, "{standing:?}");
    }
    let words = "[[baseline]]\nsender = \"westwood-nr\"\nwhy = \"theirs is slower\"\n";
    let failed = (Verdict::NotReproduced, Verdict::NotReproduced);
    assert_eq!(verdicts(&card(words, 100.0)), failed);
}

#[test]
fn every_point_on_record_counts() {
    let stands = evidence(0.24, 0.1, 0.205);
    let another = stands.split("[[baseline.evidence]]").nth(1).expect("one");
    let another = another.replace("[0.24,", "[0.19,");
    let card = card(&format!("{stands}[[baseline.evidence]]{another}"), 100.0);
    let failed = (Verdict::NotReproduced, Verdict::NotReproduced);
    assert_eq!(verdicts(&card), failed);
}

#[test]
fn evidence_at_an_experiment_that_was_not_asked_for_does_not_count() {
    let stands = evidence(0.24, 0.1, 0.205);
    let another = stands.split("[[baseline.evidence]]").nth(1).expect("one");
    let another = another.replace(r#"experiment = "fig""#, r#"experiment = "other""#);
    let card = card(&format!("{stands}[[baseline.evidence]]{another}"), 100.0);
    assert_eq!(card.baselines[0].evidence.len(), 1);
    assert_eq!(verdicts(&card).0, Verdict::BaselineDiffers);
}

#[test]
fn evidence_of_unknown_senders_or_numbers_is_an_error_at_its_line() {
    let message = |from: &str, to: &str| {
        let text = evidence(0.24, 0.1, 0.205).replace(from, to);
        paper(&text).expect_err("it is wrong").to_string()
    };
    let unknown = message(r#"sender = "cerl""#, r#"sender = "cubic""#);
    assert_eq!(
        unknown,
        "claims.toml:19: baseline `westwood-nr`: experiment `fig` has no point with variant = cubic"
    );
    let nothing = message("[0.1,", "[0.0,");
    assert!(nothing.contains("the mean above 0"), "{nothing}");
}
