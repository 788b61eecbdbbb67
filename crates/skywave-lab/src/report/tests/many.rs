//! Reports of more runs than fit into memory side by side.

use crate::experiment::Results;
use crate::report::tests::fixture::small;
use crate::report::{HtmlOptions, Study, StudyPoint, html, panels, write_all};
use crate::scenario::{GOODPUT, ParamValue, Plot, PlotAxis, Written};

#[test]
fn a_place_for_each_seed_takes_memory_for_each_seed_alone() {
    // A matrix of places and seeds would be 6 GB.
    let seeds: Vec<u64> = (1..=20_000).collect();
    let (mut study, small) = small();
    study.points.truncate(1);
    study.report.plots = vec![Plot::new(PlotAxis::Seed, GOODPUT)];
    let mut results = Results::empty("skywave 0", &seeds, 1);
    let run = small.get(0, 0).unwrap();
    for seed in 0..seeds.len() {
        results.put(0, seed, &run);
    }
    let panel = &panels(&study, &results)[0];
    assert_eq!(panel.x.values.len(), seeds.len());
    assert_eq!(panel.series[0].estimate(19_999).unwrap().n, 1);
    let page = html(&study, &results, &HtmlOptions::default()).unwrap();
    assert!(page.len() < 1_000_000, "{}", page.len());
}

#[test]
fn a_plot_of_very_many_series_shows_the_first_ones_and_says_so() {
    let count = 700;
    let (mut study, small) = small();
    let point = study.points[0].clone();
    let path = point.params[0].0.clone();
    study.points = (0..count)
        .map(|n| {
            let mut point = point.clone();
            point.params = vec![(
                path.clone(),
                ParamValue {
                    written: Written::Int(n),
                    quantity: None,
                },
            )];
            point
        })
        .collect();
    let by = Some(PlotAxis::Param(path));
    study.report.plots = vec![Plot {
        by,
        ..Plot::new(PlotAxis::Seed, GOODPUT)
    }];
    let mut results = Results::empty("skywave 0", &[1], study.points.len());
    for at in 0..study.points.len() {
        results.put(at, 0, &small.get(0, 0).unwrap());
    }
    let panel = &panels(&study, &results)[0];
    assert_eq!(panel.series.len(), 500);
    assert!(panel.by.ends_with("(the first 500 of 700)"), "{}", panel.by);
}

/// A study of many points, each with a run, whose flow has this name.
fn points(count: i64, name: &str) -> (Study, Results) {
    let (mut study, small) = small();
    let point = study.points[0].clone();
    let path = point.params[0].0.clone();
    let value = |n| ParamValue {
        written: Written::Int(n),
        quantity: None,
    };
    study.points = (0..count)
        .map(|n| StudyPoint {
            params: vec![(path.clone(), value(n))],
            ..point.clone()
        })
        .collect();
    let mut results = Results::empty("skywave 0", &[1], study.points.len());
    let mut run = small.get(0, 0).unwrap();
    for flow in &mut run.outcome.flows {
        name.clone_into(&mut flow.name);
    }
    for at in 0..study.points.len() {
        results.put(at, 0, &run);
    }
    (study, results)
}

#[test]
fn a_page_has_all_rows_of_a_long_table_and_shows_a_few() {
    let (study, results) = points(20_000, "bulk");
    let page = html(&study, &results, &HtmlOptions::default()).unwrap();
    let (_, rows) = page.split_once("id=\"flows-rows\">").unwrap();
    let (rows, _) = rows.split_once("</script>").unwrap();
    // Two flows, and both together.
    assert_eq!(rows.lines().count(), 60_000);
    assert!(
        rows.lines().all(|row| row.split('\t').count() == 10),
        "{}",
        &rows[..500]
    );
    assert!(page.contains("60000 rows, also in results.parquet"));
    assert!(
        page.matches("<tr>").count() < 400,
        "{}",
        page.matches("<tr>").count()
    );
    assert!(page.len() < 8_000_000, "{} bytes", page.len());
    // It needs nothing else, and nothing else may run.
    for load in ["<link", "<img", "@import", "url(", "src=", "href=\"h"] {
        assert!(!page.contains(load), "{load}");
    }
    assert!(page.contains("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-"));
}

#[test]
fn what_is_beyond_the_rows_of_a_page_is_counted() {
    let (study, results) = points(40_000, "bulk");
    let page = html(&study, &results, &HtmlOptions::default()).unwrap();
    assert!(page.contains("100000 rows, also in results.parquet"));
    assert!(page.contains("20000 more rows are in the Parquet files."));
}

#[test]
fn names_in_a_long_table_end_no_script() {
    let evil = "</script><!--\\u003c\t<script>alert(1)</script>";
    let (study, results) = points(300, evil);
    let page = html(&study, &results, &HtmlOptions::default()).unwrap();
    let (begin, end) = (
        page.matches("<script").count(),
        page.matches("</script").count(),
    );
    // The rows of flows and of links, and the page's own.
    assert_eq!((begin, end), (3, 3));
    assert!(!page.contains("<!--"));
}

#[test]
fn threads_that_write_into_one_directory_do_not_disturb_each_other() {
    let dir = tempfile::tempdir().unwrap();
    let write = || {
        let (study, results) = small();
        for _ in 0..5 {
            write_all(dir.path(), &study, &results, &HtmlOptions::default(), false).unwrap();
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(write);
        }
    });
    let names = std::fs::read_dir(dir.path()).unwrap();
    let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    let expected = [
        ".lock",
        "links.parquet",
        "report.html",
        "results.parquet",
        "scenario.toml",
    ];
    assert_eq!(names, expected);
}
