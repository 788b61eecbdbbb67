//! Times that have not come by the end of some runs.

use crate::experiment::{Options, Results, run, simulate};
use crate::report::html::{HtmlOptions, html};
use crate::report::study::Study;
use crate::report::{frame, table};
use crate::scenario::{NoFiles, Scenario};
use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;

/// Reno is not done in one of six runs; the other variant is in all.
const TEXT: &str = r#"
    [[link]]
    name = "radio"
    between = ["a", "b"]
    rate = "1Mbps"
    delay = "20ms"
    queue = { droptail = "50 packets" }
    loss = { forward = { iid = 0.05 } }
    [[flow]]
    name = "f"
    from = "a"
    to = "b"
    transport = "reno"
    traffic = { bytes = "500kB" }
    [run]
    duration = "12s"
    seeds = 6
    [sweep]
    "flow.f.transport" = ["reno", "rack-tlp"]
    [report]
    table = ["completion", "goodput"]
    plot = [{ x = "flow.f.transport", y = "completion" }]
"#;

fn measured(text: &str) -> (Study, Results) {
    let scenario = Scenario::parse("ends", text, &NoFiles).unwrap_or_else(|e| panic!("{e}"));
    let results = run(&scenario, &Options::default(), simulate).unwrap();
    (Study::from(&scenario), results)
}

/// The completion times of a point that are there, in order, and how many flows are said to be unfinished.
fn completions(results: &Results, point: usize) -> (Vec<f64>, u64) {
    let runs: Vec<_> = results.at(point).flatten().collect();
    let flows = runs.iter().map(|run| &run.outcome.flows[0]);
    let mut times: Vec<f64> = flows.clone().filter_map(|flow| flow.completion_s).collect();
    times.sort_by(f64::total_cmp);
    (times, flows.map(|flow| flow.unfinished).sum())
}

#[test]
fn a_mean_is_not_of_those_alone_that_finished() {
    let (study, results) = measured(TEXT);
    let (times, unfinished) = completions(&results, 0);
    assert_eq!((times.len(), unfinished), (5, 1));
    assert_eq!(completions(&results, 1).1, 0);

    // Six numbers, of which the largest is not known.
    let median = f64::midpoint(times[2], times[3]);
    let text = table(&study, &results, 100);
    assert!(
        text.contains(&format!("median {median:.2} (5 of 6)")),
        "{text}"
    );
    assert!(text.contains("(6 of 6)"), "{text}");
    let page = html(&study, &results, &HtmlOptions::default()).unwrap();
    assert!(page.contains("5 of 6") && page.contains("6 of 6"));

    let summary = frame::summary(&study, &results).next().unwrap().unwrap();
    let column = |name: &str| {
        summary
            .column_by_name(name)
            .unwrap()
            .as_primitive::<Float64Type>()
            .clone()
    };
    let means = column("completion_s");
    assert!(means.is_null(0) && !means.is_null(1));
    assert!((column("unfinished").value(0) - 1.0 / 6.0).abs() < 1e-12);
    assert_eq!(column("unfinished").value(1), 0.0);
}

#[test]
fn what_never_ends_has_no_time_and_is_not_unfinished() {
    let (study, results) = measured(&TEXT.replace("    traffic = { bytes = \"500kB\" }\n", ""));
    assert_eq!(completions(&results, 0), (vec![], 0));
    let text = table(&study, &results, 100);
    assert!(!text.contains("median") && !text.contains(" of "), "{text}");
}

#[test]
fn no_middle_is_made_up_where_half_of_the_runs_are_unfinished() {
    let (study, results) = measured(&TEXT.replace("\"12s\"", "\"9s\""));
    let (times, unfinished) = completions(&results, 0);
    assert!(
        times.len() < 3 && times.len() as u64 + unfinished == 6,
        "{times:?}"
    );
    let text = table(&study, &results, 100);
    assert!(text.contains(&format!("({} of 6)", times.len())), "{text}");
    assert!(!text.contains("median"), "{text}");
}
