//! Kinds of plots, and what their axes and series are called.

use super::fixture::{cerl, two_flows};
use super::*;
use crate::scenario::{FLOW_METRICS, Plot, PlotKind, Sample};

/// The study with this plot alone, changed.
fn with(study: &Study, change: impl FnOnce(&mut Plot)) -> Study {
    let mut study = study.clone();
    study.report.plots.truncate(1);
    change(&mut study.report.plots[0]);
    study
}

#[test]
fn goodput_over_time_is_drawn_from_bins() {
    let (study, results) = two_flows();
    let study = with(&study, |plot| {
        plot.x = PlotAxis::Time;
        plot.x_log = false;
    });
    let all = panels(&study, &results);
    assert_eq!(all.len(), 3, "one a loss rate");
    let panel = &all[0];
    assert_eq!(panel.title, "Goodput over time, by flow");
    let names: Vec<&str> = panel.series.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["old", "new"]);
    // Bins of 2.5 s with 4, 5 and 6 bytes.
    let places: Vec<_> = panel.x.values.iter().map(|v| v.number).collect();
    assert_eq!(places, [Some(1.25), Some(3.75), Some(6.25)]);
    assert_eq!(panel.series[1].estimate(2).unwrap().mean, 6.0 * 8.0 / 2.5);
    let svg = panel_plot(panel).to_svg();
    assert!(svg.contains(">Time (s)</text>") && svg.contains(">Goodput (b/s)</text>"));
    // Tables have no rows for bins.
    let text = table(&study, &results, 100);
    assert!(!text.contains("over time"), "{text}");
}

#[test]
fn a_distribution_takes_all_runs_or_all_flows() {
    let (study, results) = two_flows();
    let study = with(&study, |plot| {
        plot.kind = PlotKind::Cdf;
        plot.x = PlotAxis::Measure;
        plot.by = None;
        plot.x_log = false;
    });
    let panel = &panels(&study, &results)[0];
    assert_eq!(panel.series[0].values(0).len(), results.seeds.len());
    assert_eq!(panel.title, "Distribution of goodput, sum over flows");
    let flows = with(&study, |plot| plot.sample = Sample::Flow);
    let panel = &panels(&flows, &results)[0];
    assert_eq!(panel.series[0].values(0).len(), 2 * results.seeds.len());
    assert_eq!(panel.title, "Distribution of goodput");
    let plot = panel_plot(panel);
    assert_eq!(plot.x.label, "Goodput (Mb/s)");
    let shares: Vec<f64> = plot.series[0].points.iter().map(|p| p.1).collect();
    assert!(shares.is_sorted(), "{shares:?}");
    assert_eq!((shares[0], shares[shares.len() - 1]), (0.0, 1.0));
    let text = table(&flows, &results, 100);
    assert!(
        text.contains(" percentile") && text.contains("50%"),
        "{text}"
    );
}

#[test]
fn each_transfer_is_a_sample_and_one_that_is_not_done_is_later_than_all() {
    let (study, results) = two_flows();
    let study = with(&study, |plot| {
        plot.kind = PlotKind::Cdf;
        plot.x = PlotAxis::Measure;
        plot.x_log = false;
        plot.sample = Sample::Request;
        plot.y = *FLOW_METRICS
            .iter()
            .find(|m| m.name == "request_time")
            .unwrap();
    });
    let panel = &panels(&study, &results)[0];
    let runs = results.seeds.len();
    let values = |at: usize| panel.series[at].sorted(0);
    assert_eq!((values(0).len(), values(1).len()), (3 * runs, 2 * runs));
    assert_eq!(values(0)[runs - 1..=runs], [0.1, 0.3]);
    let plot = panel_plot(panel);
    assert_eq!(plot.x.label, "Request time (ms)");
    let last = plot
        .series
        .iter()
        .map(|series| series.points[series.points.len() - 1]);
    let last: Vec<_> = last.map(|point| (point.0, point.1)).collect();
    assert_eq!(last, [(300.0, 2.0 / 3.0), (200.0, 0.5)]);
}

#[test]
fn boxes_stand_between_quartiles() {
    let (study, results) = cerl();
    let study = with(&study, |plot| {
        plot.kind = PlotKind::Box;
        plot.by = Some(std::mem::replace(&mut plot.x, PlotAxis::Seed));
        plot.x = PlotAxis::Param("flow.bulk.transport".into());
    });
    let panel = &panels(&study, &results)[0];
    let plot = panel_plot(panel);
    // Ten rates of loss, six transports, five numbers.
    assert_eq!((plot.series.len(), plot.series[4].points.len()), (10, 30));
    let five: Vec<f64> = plot.series[4].points[..5].iter().map(|p| p.1).collect();
    assert!(five.is_sorted(), "{five:?}");
    // And one in the legend for each rate of loss.
    assert_eq!(plot.to_svg().matches("class=\"b\"").count(), 60 + 10);
}

#[test]
fn many_tables_are_cut_with_a_word_on_where_the_rest_is() {
    let (study, results) = cerl();
    let mut many = study.clone();
    many.report.plots = vec![study.report.plots[0].clone(); 40];
    let text = table(&many, &results, 200);
    assert!(text.lines().count() < 300, "{text}");
    assert!(text.contains("more tables: report.html has them"), "{text}");
    let page = html(&many, &results, &HtmlOptions::default()).unwrap();
    assert_eq!(page.matches("<li><a href=\"#plot-").count(), 40);
    // The others are drawn when they come into view.
    assert_eq!(page.matches("<figure>").count(), 30);
    assert_eq!(page.matches("class=\"later\"").count(), 10);
    assert_eq!(page.matches("\\lfigure>").count(), 10);
}

#[test]
fn axes_and_series_are_called_as_the_file_says() {
    let (study, results) = cerl();
    let study = with(&study, |plot| {
        plot.x_label = Some("Loss rate".into());
        plot.y_label = Some("Download".into());
        plot.names.insert("cerl".into(), "TCP CERL".into());
        plot.title = Some(String::new());
    });
    let panel = &panels(&study, &results)[0];
    assert!(panel.untitled && !panel.title.is_empty());
    let svg = panel_plot(panel).to_svg();
    for text in ["Loss rate", "Download (Mb/s)", "TCP CERL", "westwood-nr"] {
        assert!(svg.contains(&format!(">{text}</text>")), "{text}");
    }
    assert!(table(&study, &results, 200).contains("TCP CERL"));
    // The results keep the names in the file.
    assert_eq!(panel.series[5].label, "cerl");
}

#[test]
fn compositions_are_called_the_same_in_plots_and_tables() {
    let (mut study, results) = cerl();
    let composed = "{ preset = \"cerl\", recovery = \"sack\" }";
    for point in &mut study.points[50..] {
        point.params[0].1.written = Written::Text(composed.into());
        point.flows[0].transport = "cerl recovery=sack".into();
    }
    let svg = panel_plot(&panels(&study, &results)[0]).to_svg();
    let page = html(&study, &results, &HtmlOptions::default()).unwrap();
    for text in [svg, page, table(&study, &results, 200)] {
        assert!(text.contains("cerl, recovery sack"), "{text}");
        assert!(!text.contains("preset =") && !text.contains("recovery=sack"));
    }
}
