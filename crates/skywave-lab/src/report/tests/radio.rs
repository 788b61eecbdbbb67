//! A radio network, from its scenario to the results of its runs.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};

use crate::experiment::{Options, Results, run, simulate};
use crate::report::drawings::drawings;
use crate::report::html::{HtmlOptions, html};
use crate::report::panel::panels;
use crate::report::study::Study;
use crate::report::{frame, write_all};
use crate::scenario::{NoFiles, Scenario};

const TEXT: &str = r#"
    title = "A chain"
    [radio]
    standard = "802.11g"
    routing = "static"
    timeline = ["1s", "1.02s"]
    [[station]]
    name = "chain"
    node = "N#"
    count = 3
    at = ["0m", "0m"]
    step = ["200m", "0m"]
    [[flow]]
    from = "N1"
    to = "N3"
    [run]
    duration = "2s"
    seeds = 2
    [sweep]
    "radio.rts" = ["always", "never"]
    [report]
    plot = [
        { x = "radio.rts", y = "requests", station = "chain" },
        { x = "radio.rts", y = "unanswered_share", station = "N2" },
        { x = "radio.rts", y = "no_route_drops" },
    ]
"#;

fn measured(dir: Option<&std::path::Path>) -> (Study, Results) {
    let scenario = Scenario::parse("chain", TEXT, &NoFiles).unwrap_or_else(|e| panic!("{e}"));
    let options = Options {
        dir,
        ..Options::default()
    };
    let results = run(&scenario, &options, simulate).unwrap();
    (Study::from(&scenario), results)
}

#[test]
fn stations_and_their_timelines_are_tables() {
    let (study, results) = measured(None);
    let stations = frame::stations(&study, &results).next().unwrap().unwrap();
    assert_eq!(stations.num_rows(), 2 * 2 * 3);
    let names = stations
        .column_by_name("station")
        .unwrap()
        .as_string::<i32>();
    assert_eq!(
        names.iter().take(3).flatten().collect::<Vec<_>>(),
        ["N1", "N2", "N3"]
    );
    let requests = stations.column_by_name("requests").unwrap();
    let requests = requests.as_primitive::<UInt64Type>().values();
    // The first point has RTS, the second none.
    assert!(requests[..6].iter().all(|n| *n > 0) && requests[6..].iter().all(|n| *n == 0));

    let timelines = frame::timelines(&study, &results).next().unwrap().unwrap();
    let time = |name: &str| {
        let column = timelines.column_by_name(name).unwrap();
        column.as_primitive::<Float64Type>().values().to_vec()
    };
    let (from, to) = (time("from_s"), time("to_s"));
    assert!(from.iter().zip(&to).all(|(from, to)| from < to));
    assert!(from.iter().all(|t| *t >= 1.0) && to.iter().all(|t| *t <= 1.02));
    let activities = timelines
        .column_by_name("activity")
        .unwrap()
        .as_string::<i32>();
    for activity in ["sends", "receives", "backs off"] {
        assert!(
            activities.iter().flatten().any(|a| a == activity),
            "{activity}"
        );
    }
}

#[test]
fn plots_and_the_page_show_stations() {
    let (study, results) = measured(None);
    let panels = panels(&study, &results);
    let title = |at: usize| panels[at].y_label.as_str();
    assert_eq!(title(0), "RTS, station chain");
    assert_eq!(title(1), "Unanswered share, station N2");
    let mean = |panel: usize, x: usize| panels[panel].series[0].estimate(x).unwrap().mean;
    // The values of all stations together, in the order of the file.
    let all = results.at(0).flatten().map(|run| {
        let stations = run.outcome.stations.iter();
        stations.map(|s| s.requests as f64).sum::<f64>()
    });
    assert_eq!(mean(0, 0), all.sum::<f64>() / 2.0);
    assert_eq!(mean(0, 1), 0.0);
    let page = html(&study, &results, &HtmlOptions::default()).unwrap();
    for part in [
        ">Stations</h2>",
        "Mean contention",
        ">Radio network</h2>",
        "Carrier sense: 550 m",
        "Time after 1 s (ms)",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn what_a_run_directory_holds_of_stations_is_what_was_measured() {
    let dir = tempfile::tempdir().unwrap();
    let (study, first) = measured(Some(dir.path()));
    let (_, again) = measured(Some(dir.path()));
    assert_eq!(first, again);
    assert_eq!(first.finished(), 4);
    write_all(dir.path(), &study, &again, &HtmlOptions::default(), false).unwrap();
    for file in ["stations.parquet", "timelines.parquet", "links.parquet"] {
        assert!(dir.path().join(file).is_file(), "{file}");
    }
}

#[test]
fn the_pictures_of_the_network_stand_alone() {
    let (study, results) = measured(None);
    let drawings = drawings(&study, &results, None).unwrap();
    let titles: Vec<&str> = drawings.iter().skip(3).map(|d| d.title.as_str()).collect();
    // The same network at both points; the activity of its stations at each.
    assert_eq!(
        titles,
        [
            "The radio network",
            "What stations do, radio RTS = always, seed 1",
            "What stations do, radio RTS = never, seed 1",
        ]
    );
    let map = &drawings[3].svg;
    // Neighbours in the chain receive each other, the ends do not.
    let joined = map.split("<path class=\"a\" d=\"").nth(2).unwrap();
    assert_eq!(
        joined.split('"').next().unwrap().matches('M').count(),
        2,
        "{map}"
    );
}
