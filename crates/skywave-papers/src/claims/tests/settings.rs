//! The register of decisions, and claims under other readings of a text.

use super::{HEAD, SCENARIO, claims, results};
use crate::claims::{ClaimsError, Paper, Verdict, evaluate, in_page, read};
use skywave_lab::experiment::Results;
use skywave_scenario::{NoFiles, Scenario};

/// CERL is first at every loss rate, and 100 % ahead at 1 %.
const MEASURES: &str = r#"
[[claim.measure.first]]
name = "lead"
data = { experiment = "fig" }
first = "cerl"
along = { parameter = "loss" }
[[claim.measure.gain]]
data = { experiment = "fig", at = { loss = 0.01 } }
of = "cerl"
over = { reno = 100 }
"#;

fn paper(scenario: &str, settings: &str) -> Result<Paper, ClaimsError> {
    let scenario = Scenario::parse("fig", scenario, &NoFiles).expect("the scenario is right");
    let file = claims(MEASURES).replace(HEAD, &format!("{HEAD}{settings}"));
    read("paper", "claims.toml", &file, vec![scenario], &NoFiles)
}

fn refused(settings: &str) -> String {
    paper(SCENARIO, settings)
        .expect_err("it is refused")
        .to_string()
}

/// CERL has twice Reno's goodput, any other sender four times.
#[expect(clippy::unnecessary_wraps, reason = "the form of what `results` takes")]
fn goodput(variant: &str, _: f64, seed: u64) -> Option<f64> {
    let factor = match variant {
        "reno" => 1.0,
        "cerl" => 2.0,
        _ => 4.0,
    };
    Some(factor * (100.0 + seed as f64))
}

#[test]
fn every_setting_of_a_file_is_given_or_decided() {
    let open = |settings: &str| -> Vec<String> {
        let paper = paper(SCENARIO, settings).expect("the file is right");
        paper.unregistered().into_values().flatten().collect()
    };
    let all = open("");
    assert!(all.contains(&"link.air.rate".to_owned()), "{all:?}");
    // Also where the file is silent about it.
    assert!(all.contains(&"flow.bulk.profile".to_owned()), "{all:?}");
    assert!(
        !all.iter()
            .any(|key| key == "link.air.name" || key == "run.seeds")
    );
    let register = r#"
[[given]]
keys = ["link.air", "run.duration"]
where = "Sec. 2"
[[decision]]
setting = "senders"
keys = ["flow.*"]
value = "these"
why = "the text names them"
claims_seen = false
experiments = ["fig"]
"#;
    assert_eq!(open(register), [""; 0]);
    let part = register.replace("\"link.air\"", "\"link.air.rate\"");
    assert_eq!(open(&part), ["link.air.delay", "link.air.loss.forward.iid"]);
}

#[test]
fn a_register_speaks_of_what_there_is() {
    let decision = |more: &str| {
        format!(
            "[[decision]]\nsetting = \"acks\"\nvalue = \"each\"\nwhy = \"ns-2\"\nclaims_seen = true\n{more}\n"
        )
    };
    let fault = refused(&decision("keys = [\"flow.bulk.acking\"]"));
    assert!(
        fault.contains("no experiment here sets `flow.bulk.acking`"),
        "{fault}"
    );
    let fault = refused(&decision("keys = []\nexperiments = [\"gif\"]"));
    assert!(
        fault.contains("there is no experiment `gif`; there are fig"),
        "{fault}"
    );
    let fault = refused(&decision("keys = []\nreading = \"delayed\""));
    assert!(fault.contains("there is no reading `delayed`"), "{fault}");
    let fault =
        refused("[[reading]]\nname = \"r\"\nwhat = \"w\"\nset = { \"flow.bulk.acks\" = 1 }");
    assert!(fault.contains("acks"), "{fault}");
    let fault = refused("[[reading]]\nname = \"r\"\nwhat = \"w\"");
    assert!(fault.contains("either `set`"), "{fault}");
    let reading = |more: &str| format!("[[reading]]\nname = \"r\"\nwhat = \"w\"\n{more}\n");
    for (file, expected) in [
        (
            reading("instead = { reno = \"typo\" }"),
            "`reno` and `typo` are not both values",
        ),
        (
            reading("set = { \"flow.bulk.transport\" = \"sack\" }"),
            "is swept in `fig`",
        ),
        (reading("instead = { reno = \"cerl\" }"), "cerl is left out"),
        (
            reading("set = { \"link.air.rate\" = \"1kbps\" }").repeat(2),
            "there are two of this name",
        ),
        (
            reading("set = { \"link.air.rate\" = nan }"),
            "`inf` and `nan` state nothing",
        ),
        (
            "[[given]]\nkeys = []\nwhere = \"w\"\n".to_owned(),
            "has no keys",
        ),
    ] {
        let fault = refused(&file);
        assert!(fault.contains(expected), "{fault}");
    }
    let circular = claims(&format!("circular = {{ all = \"put in\" }}\n{MEASURES}"));
    let fault = super::paper(&circular)
        .expect_err("there is no such part")
        .to_string();
    assert!(fault.contains("there is no part `all`"), "{fault}");
}

#[test]
fn a_claim_is_judged_under_a_choice_in_place_of_another() {
    let three = SCENARIO.replace(r#"["reno", "cerl"]"#, r#"["reno", "cerl", "newreno"]"#);
    let reading = "[[reading]]\nname = \"new\"\nwhat = \"Reno is NewReno\"\ninstead = { reno = \"newreno\" }\n";
    let paper = paper(&three, reading).expect("the file is right");
    let card = evaluate(&paper, &results(&paper, goodput));
    let score = &card.scores[0];
    // The third sender is faster, but not among those that the claim means.
    assert_eq!(score.verdict, Verdict::Reproduced, "{}", card.table());
    assert_eq!(score.under("new"), Some(Verdict::NotReproduced));
    assert!(
        card.table()
            .contains("under the reading new: not reproduced")
    );
}

#[test]
fn a_choice_takes_the_place_of_another_in_some_experiments() {
    let three = SCENARIO.replace(r#"["reno", "cerl"]"#, r#"["reno", "cerl", "newreno"]"#);
    let under = |experiment: &str| {
        let reading = format!(
            "[[reading]]\nname = \"new\"\nwhat = \"Reno is NewReno\"\n\
             instead = {{ reno = \"newreno\" }}\nexperiments = [\"{experiment}\"]\n"
        );
        let file = claims(MEASURES).replace(HEAD, &format!("{HEAD}{reading}"));
        let named = |name| Scenario::parse(name, &three, &NoFiles).expect("it is right");
        let both = vec![named("fig"), named("other")];
        let paper = read("paper", "claims.toml", &file, both, &NoFiles).expect("it is right");
        evaluate(&paper, &results(&paper, goodput)).scores[0].under("new")
    };
    assert_eq!(under("fig"), Some(Verdict::NotReproduced));
    assert_eq!(under("other"), None);
}

#[test]
fn a_claim_is_judged_under_another_value() {
    let reading = "[[reading]]\nname = \"slow\"\nwhat = \"half the rate\"\n\
        set = { \"link.air.rate\" = \"500kbps\", \"flow.*.acking\" = \"delayed\" }\n";
    let paper = paper(SCENARIO, reading).expect("the file is right");
    let names: Vec<&str> = paper.scenarios().map(Scenario::name).collect();
    assert_eq!(names, ["fig", "fig.slow"]);
    assert_eq!(paper.runs(), 2 * 2 * 3 * 3);
    let slow = paper.scenarios().nth(1).expect("the reading's");
    assert!(slow.settings().contains(&"flow.*.acking".to_owned()));
    let mut all = results(&paper, goodput);
    let same = evaluate(&paper, &all);
    assert!(!same.complete);
    assert_eq!(same.scores[0].under("slow"), Some(Verdict::NotRun));
    let other: Results = results(&paper, |variant, loss, seed| {
        goodput(if variant == "cerl" { "reno" } else { "cerl" }, loss, seed)
    })
    .remove("fig")
    .expect("the experiment");
    all.insert("fig.slow".into(), other);
    let card = evaluate(&paper, &all);
    assert_eq!(card.scores[0].verdict, Verdict::Reproduced);
    assert_eq!(card.scores[0].under("slow"), Some(Verdict::NotReproduced));
}

#[test]
fn what_was_put_in_does_not_count() {
    let file = claims(&format!("circular = {{ reno = \"put in\" }}\n{MEASURES}"));
    let paper = super::paper(&file).unwrap_or_else(|e| panic!("{e}"));
    let fast = |_: &str, _: f64, seed: u64| Some(100.0 + seed as f64);
    let card = evaluate(&paper, &results(&paper, fast));
    let verdicts: Vec<Verdict> = card.scores[0].parts.iter().map(|p| p.verdict).collect();
    assert_eq!(
        verdicts.iter().filter(|v| **v == Verdict::Circular).count(),
        1
    );
    assert_eq!(card.parts(None).0, 1);
    assert_eq!(card.scores[0].verdict, Verdict::NotReproduced);
}

#[test]
fn pages_say_what_the_scorecard_says() {
    let main = format!("main = \"It is | so.\"\n{MEASURES}");
    let paper = super::paper(&claims(&main)).unwrap_or_else(|e| panic!("{e}"));
    let card = evaluate(&paper, &results(&paper, goodput));
    let kinds = [
        "main",
        "counts",
        "claims",
        "decisions",
        "readings",
        "inputs",
    ];
    let mark = |kind| format!("<!-- reproduce paper: {kind} -->\n<!-- end -->\n");
    let page = kinds.map(mark).concat() + "<!-- reproduce other: counts -->\nkept\n<!-- end -->\n";
    let new = in_page(&page, &[&card]).expect("the page is right");
    assert!(
        new.contains("| **reproduced** | It is \\| so. |\n\n<!-- end -->"),
        "{new}"
    );
    assert!(new.contains("| reproduced | 1 | 2 | 1 | 2 |\n"), "{new}");
    assert!(
        new.contains(&paper.inputs()) && new.ends_with("-->\nkept\n<!-- end -->\n"),
        "{new}"
    );
    let error = in_page(&mark("mein"), &[&card])
        .expect_err("a mistake")
        .to_string();
    assert!(
        error.starts_with("line 1: there is no block `mein`"),
        "{error}"
    );
}
