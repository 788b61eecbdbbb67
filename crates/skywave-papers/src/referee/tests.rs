//! A small set, a good law, and laws with a planted fault each: the right cases fail, at the right time.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use skywave_core::tcp::congestion::standard_growth;
use skywave_core::tcp::window::{AckEvent, LossEvent, Response, TimeoutEvent, Window};
use skywave_core::tcp::{CongestionControl, CustomCongestion};
use skywave_core::{Segments, Time};
use skywave_lab::experiment::{self, RunOptions};
use skywave_scenario::{CustomMembers, Files, NoFiles, Scenario};

use super::{Card, Case, Law, Retracing, Sender, SetCard, Standing, Trial};
use crate::claims::{ClaimsError, Paper, read};

/// The set that docs/judge.md shows.
fn cases() -> Paper {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/own-cases");
    super::load_dir(&folder).expect("the set is right")
}

fn judged(set: &Paper, sender: &dyn Sender) -> SetCard {
    let trial = Trial::new(set, sender).expect("the set has a place for it");
    let run = |spec: &_, cancel: &AtomicBool| sender.run(spec, cancel);
    let options = RunOptions::default();
    let results = experiment::run_all(trial.scenarios(), &options, run).expect("it runs");
    let never = AtomicBool::new(false);
    let retracing = Retracing {
        threads: None,
        cancel: &never,
    };
    trial.judge(&results, Some(&retracing))
}

fn names(card: &SetCard, standing: Standing) -> Vec<&str> {
    card.with(standing).map(|case| case.case.as_str()).collect()
}

/// Which fault a law has.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    /// Marks are nothing to it.
    Deaf,
    /// It grows as in slow start, whatever is lost.
    Endless,
    /// From this second on it has one segment under way.
    Stuck(u64),
}

/// Additive increase and halving, with a fault.
struct Faulty(Fault);

impl CongestionControl for Faulty {
    fn grow(&mut self, ack: &AckEvent, window: &mut Window) {
        match self.0 {
            Fault::Endless => window.cwnd += ack.acked,
            Fault::Stuck(second) if ack.now >= at(second) => window.cwnd = Segments::ONE,
            _ => standard_growth(ack, window),
        }
    }

    fn on_loss(&mut self, loss: &LossEvent, window: &Window) -> Response {
        match self.0 {
            Fault::Endless => Response::unchanged(window),
            _ => Response::cut_to(loss.window * 0.5),
        }
    }

    fn on_timeout(&mut self, timeout: &TimeoutEvent, _window: &Window) -> Response {
        Response::restart(timeout.window / 2.0)
    }

    fn on_ecn(&mut self, mark: &LossEvent, window: &Window) -> Response {
        match self.0 {
            Fault::Deaf => Response::unchanged(window),
            _ => self.on_loss(mark, window),
        }
    }
}

fn at(second: u64) -> Time {
    Time::from_nanos(second * 1_000_000_000)
}

fn faulty(fault: Fault) -> Law {
    let mut custom = CustomMembers::default();
    let member = CustomCongestion::new("faulty", move |_| Faulty(fault));
    custom.add_congestion(member).expect("the name is free");
    let text = "{ preset = \"sack\", congestion = \"faulty\" }";
    Law::with_members(text, &custom).expect("it is a law")
}

/// The number of seconds at which a case went wrong.
fn moment(case: &Case) -> f64 {
    let wrong = case.wrong.as_ref().expect("the run is shown");
    assert!(wrong.plots.len() >= 2, "{}", case.case);
    wrong.moment_s.expect("the moment can be told")
}

#[test]
fn a_good_law_passes_every_case() {
    let card = judged(&cases(), &faulty(Fault::None));
    let passed = names(&card, Standing::Pass);
    let all = [
        "fills-the-link",
        "little-in-vain",
        "answers-marks",
        "leaves-room",
    ];
    assert_eq!(passed, all);
}

#[test]
fn a_law_without_an_ear_for_marks_fails_where_there_are_marks() {
    let card = judged(&cases(), &faulty(Fault::Deaf));
    assert_eq!(
        names(&card, Standing::Fail),
        ["answers-marks", "leaves-room"]
    );
    // The neighbour comes at 10 s, and the measured window begins then: the queue is long, and it has little.
    for case in card.with(Standing::Fail) {
        let at = moment(case);
        assert!((10.0..12.0).contains(&at), "{} at {at}", case.case);
    }
}

#[test]
fn a_law_that_never_leaves_slow_start_sends_in_vain_from_the_first_seconds_on() {
    let card = judged(&cases(), &faulty(Fault::Endless));
    let failed = names(&card, Standing::Fail);
    assert!(failed.contains(&"little-in-vain"), "{failed:?}");
    let case = card
        .with(Standing::Fail)
        .find(|case| case.case == "little-in-vain");
    let at = moment(case.expect("it failed"));
    assert!(at < 2.0, "{at}");
}

#[test]
fn a_law_that_stops_is_wrong_from_the_second_on_in_which_it_stops() {
    for second in [7, 15] {
        let card = judged(&cases(), &faulty(Fault::Stuck(second)));
        let case = card
            .with(Standing::Fail)
            .find(|case| case.case == "fills-the-link");
        let at = moment(case.expect("it failed"));
        // What was under way still arrives.
        assert!((at - second as f64 - 0.1).abs() < 0.25, "{at}");
    }
}

#[test]
fn what_cannot_have_a_law_is_not_possible_and_the_reason_is_told() {
    let law = Law::parse("quic-cubic").expect("it is a law");
    let card = judged(&cases(), &law);
    assert_eq!(
        names(&card, Standing::NotPossible),
        ["answers-marks", "leaves-room"]
    );
    let case = card
        .with(Standing::NotPossible)
        .next()
        .expect("there is one");
    insta::assert_snapshot!(case.why.as_deref().unwrap_or_default());
}

/// A law of which goodput alone is known.
struct FromOutside(Law);

impl Sender for FromOutside {
    fn name(&self) -> &'static str {
        "outside"
    }

    fn take(
        &self,
        scenario: &Scenario,
        seats: &[&str],
        files: &dyn Files,
    ) -> Result<Scenario, String> {
        self.0.take(scenario, seats, files)
    }

    fn measures(&self, number: &str) -> bool {
        number == "goodput"
    }
}

#[test]
fn what_reads_a_number_that_is_not_measured_is_not_possible() {
    let law = FromOutside(Law::parse("cubic").expect("it is a law"));
    let card = judged(&cases(), &law);
    let absent: Vec<&Case> = card.with(Standing::NotPossible).collect();
    let why = |case: &&Case| case.why.clone().unwrap_or_default();
    assert!(names(&card, Standing::Pass).contains(&"fills-the-link"));
    assert!(names(&card, Standing::NotPossible).contains(&"little-in-vain"));
    for case in absent {
        assert!(why(&case).starts_with("not for outside: needs `"));
    }
}

/// A set of one case with these lines, on a scenario with these.
fn set(head: &str, case: &str, scenario: &str) -> Result<Paper, ClaimsError> {
    let text = format!(
        "title = \"Cases\"\nsource = \"here\"\n{head}\n[parameters]\nv = [\"flow.test.transport\"]\n\
         [[claim]]\nid = \"one\"\nwhere = \"here\"\nkind = \"value\"\ncore = true\n\
         statement = \"It delivers.\"\n{case}\n"
    );
    let scenario = Scenario::parse("short", scenario, &NoFiles).expect("the scenario is right");
    read("cases", "claims.toml", &text, vec![scenario], &NoFiles)
}

const SCENARIO: &str = r#"
[[link]]
name = "path"
between = ["A", "B"]
rate = "1Mbps"
delay = "10ms"
[[flow]]
name = "test"
from = "A"
to = "B"
[run]
duration = "3s"
seeds = 2
"#;

const BOUND: &str =
    "[[claim.measure.bound]]\ndata = { experiment = \"short\" }\nat_least = 500000.0";

#[test]
fn a_case_about_other_laws_is_not_asked_and_runs_nothing() {
    for (head, only) in [("", "only = [\"bbr*\"]"), ("only = [\"bbr*\"]", "")] {
        let set = set(head, &format!("{only}\n{BOUND}"), SCENARIO).expect("it is right");
        let standing = |text: &str| {
            let law = Law::parse(text).expect("it is a law");
            let trial = Trial::new(&set, &law).expect("there is a place");
            (
                trial.scenarios().len(),
                judged(&set, &law).cases[0].standing,
            )
        };
        assert_eq!(standing("cubic"), (0, Standing::NotAsked));
        assert_eq!(standing("bbr3"), (1, Standing::Pass));
        // A composition is a variant of its preset, and of the law that it has.
        assert_eq!(
            standing("{ preset = \"bbr3\", recovery = \"sack\" }").1,
            Standing::Pass
        );
        let own = faulty(Fault::None);
        assert_eq!(judged(&set, &own).cases[0].standing, Standing::NotAsked);
        let variant = own.also("bbr3");
        assert_eq!(judged(&set, &variant).cases[0].standing, Standing::Pass);
    }
}

#[test]
fn a_set_without_a_place_for_the_law_is_told_in_a_sentence() {
    let swept = format!("{SCENARIO}[sweep]\n\"flow.test.transport\" = [\"reno\", \"cubic\"]\n");
    let mut said = Vec::new();
    for (head, scenario) in [
        ("sender = \"flow.bulk.transport\"", SCENARIO),
        ("sender = \"link.path.rate\"", SCENARIO),
        ("", swept.as_str()),
    ] {
        let case = BOUND.replace(
            "\"short\" }",
            if scenario == SCENARIO {
                "\"short\" }"
            } else {
                "\"short\", at = { v = \"reno\" } }"
            },
        );
        let set = match set(head, &case, scenario) {
            Ok(set) => set,
            Err(error) => {
                said.push(error.to_string());
                continue;
            }
        };
        let law = Law::parse("cubic").expect("it is a law");
        let error = Trial::new(&set, &law).err().expect("there is no place");
        said.push(error.to_string());
    }
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn what_is_no_law_is_told_in_a_sentence() {
    let said = [
        "cubbic",
        "{ preset = \"cubic\"",
        "",
        "udp",
        "{ congestion = \"bbr9\" }",
    ];
    let said = said.map(|text| match Law::parse(text) {
        Ok(law) => law.name().to_owned(),
        Err(error) => error.to_string(),
    });
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn a_card_is_read_in_a_terminal_and_by_a_program() {
    let law = faulty(Fault::Stuck(15));
    let mut card = Card::new(&law);
    card.sets.push(judged(&cases(), &law));
    insta::assert_snapshot!(card.table(90, true));
    assert_eq!(card.failed()[0], "own-cases/fills-the-link");
    let lines = card.to_json_lines();
    let first: serde_json::Value =
        serde_json::from_str(lines.lines().next().expect("a line")).expect("JSON");
    assert_eq!(first["standing"], "fail");
    assert_eq!(first["numbers"][0]["asked"], "≥ 0.8");
    assert!(first["wrong"]["moment_s"].is_number());
    let page = super::page(&card).expect("the page");
    assert!(page.contains("Wrong from <b>"), "{page}");
    assert!(page.matches("<svg").count() >= 3);
    assert!(!page.contains("src="), "the page needs nothing else");
}

#[test]
fn every_built_in_set_takes_a_law() {
    for name in super::sets() {
        let set = super::load(name).expect("the set is right");
        for law in ["cubic", "bbr3", "quic"] {
            let law = Law::parse(law).expect("it is a law");
            assert!(Trial::new(&set, &law).is_ok(), "{name}");
        }
    }
}

#[test]
fn a_run_that_ends_early_is_the_beginning_of_the_whole_run() {
    let set = cases();
    for law in ["cubic", "bbr3", "skywave", "vegas"] {
        let law = Law::parse(law).expect("it is a law");
        let trial = Trial::new(&set, &law).expect("there is a place");
        for scenario in trial.scenarios() {
            let whole = scenario.points()[0].spec(1);
            let early = super::moment::ended(&whole, 17.0).expect("some of it is measured");
            let mut looked_at = whole.clone();
            looked_at.measure = early.measure;
            let never = AtomicBool::new(false);
            let run = |spec: &_| law.run(spec, &never).expect("it ends");
            let (early, whole) = (run(&early), run(&looked_at));
            assert_eq!(early.flows, whole.flows, "{}", scenario.name());
            assert_eq!(early.links, whole.links, "{}", scenario.name());
        }
    }
}
