mod directory;
pub(super) mod fixture;
mod kinds;
mod many;
mod radio;
mod unfinished;

use std::io::Write;

use ::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use arrow_schema::DataType;

use super::*;
use crate::experiment::{Options, RecordSeries, Results, run};
use crate::scenario::{NoFiles, PlotAxis, Scenario, Written};
use fixture::{cerl, small, two_flows};

#[test]
fn a_row_is_a_line_of_json() {
    let (study, results) = small();
    let lines: Vec<String> = rows(&study, &results).map(|r| r.to_json()).collect();
    assert_eq!(lines.len(), 2 * 2 * 2);
    insta::assert_snapshot!(lines[..3].join("\n"));
}

#[test]
fn a_table_of_a_sweep() {
    let (study, results) = cerl();
    let text = table(&study, &results, 100);
    assert!(text.lines().all(|l| l.chars().count() <= 100), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn a_table_that_is_too_wide_comes_in_blocks() {
    let (study, results) = cerl();
    let text = table(&study, &results, 60);
    let mut cells = text.lines().filter(|l| l.starts_with([' ', '─']));
    assert!(cells.all(|l| l.chars().count() <= 60), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn a_table_of_flows() {
    let (study, results) = two_flows();
    insta::assert_snapshot!(table(&study, &results, 100));
}

#[test]
fn the_data_of_the_page() {
    let (study, results) = small();
    let page = html::page(&study, &results, &HtmlOptions::default()).unwrap();
    let mut json = serde_json::to_value(&page).unwrap();
    for figure in json["figures"].as_array_mut().unwrap() {
        figure["svg"] = "…".into();
    }
    insta::assert_snapshot!(serde_json::to_string_pretty(&json).unwrap());
}

/// If `SKYWAVE_REPORT_DIR` is set, the pages are kept there for inspection.
fn keep(name: &str, page: &str) {
    if let Some(dir) = std::env::var_os("SKYWAVE_REPORT_DIR") {
        std::fs::write(std::path::Path::new(&dir).join(name), page).unwrap();
    }
}

#[test]
fn a_page_is_light_and_offline() {
    for (name, (study, results)) in [("cerl.html", cerl()), ("flows.html", two_flows())] {
        let page = html(&study, &results, &HtmlOptions::default()).unwrap();
        keep(name, &page);
        assert!(page.len() < 300_000, "{name}: {} bytes", page.len());
        let loads = [
            "<script", "<link", "<img", "<iframe", "@import", "url(", "src=", "href=\"h",
        ];
        for load in loads {
            assert!(!page.contains(load), "{name}: {load}");
        }
        assert!(!page.contains("NaN") && !page.contains("None"), "{name}");
        assert_eq!(page.matches("<svg").count(), page.matches("</svg>").count());
    }
}

#[test]
fn what_users_write_is_escaped() {
    let evil = "<script>alert(\"1\")</script>&'";
    let (mut study, results) = small();
    study.title = evil.into();
    study.name = evil.into();
    study.description = Some(evil.into());
    study.text = evil.into();
    for point in &mut study.points {
        point.params[0].1.written = Written::Text(format!("{evil}{}", point.params[0].1));
        for flow in &mut point.flows {
            flow.transport = evil.into();
        }
    }
    let page = html(&study, &results, &HtmlOptions::default()).unwrap();
    assert!(!page.contains("<script"));
    assert!(page.contains("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;reno"));
}

#[test]
fn a_reference_can_be_named() {
    let (study, results) = cerl();
    let options = HtmlOptions {
        reference: Some("cerl".into()),
        command: Some("skywave run --seeds 20 cerl.toml".into()),
    };
    let page = html(&study, &results, &options).unwrap();
    assert!(page.contains("Difference from cerl (%)"));
    assert!(page.contains("--seeds 20 cerl.toml"));
}

#[test]
fn partial_and_empty_results_are_said_to_be_so() {
    let (study, _) = cerl();
    let none = Results::empty("skywave 0", &[1, 2], study.points.len());
    let page = html(&study, &none, &HtmlOptions::default()).unwrap();
    assert!(page.contains("120 of 120 runs are missing"), "{page}");
    assert!(table(&study, &none, 100).contains("missing"));
    let nothing = Results::empty("skywave 0", &[], 0);
    let page = html(&Study::default(), &nothing, &HtmlOptions::default()).unwrap();
    assert!(page.ends_with("</html>"));
    let _ = table(&Study::default(), &nothing, 0);
    for table in [frame::runs, frame::series] {
        parquet_of(table, &Study::default(), &nothing);
    }
}

#[test]
fn linked_parameters_make_no_facets_and_free_ones_do() {
    let (mut study, results) = cerl();
    // A third path that follows the loss rate.
    for point in &mut study.points {
        let loss = point.params[1].1.clone();
        point
            .params
            .push(("link.wireless.queue.droptail".into(), loss));
    }
    assert_eq!(panels(&study, &results).len(), 1);
    // Without `by`, each transport is a facet.
    study.report.plots[0].by = None;
    let all = panels(&study, &results);
    assert_eq!(all.len(), 6);
    assert_eq!(all[1].facet_label(), "transport = newreno");
    // By seed, each run is a sample of its own.
    study.report.plots[0].by = Some(PlotAxis::Seed);
    let all = panels(&study, &results);
    assert_eq!((all.len(), all[0].series.len()), (6, results.seeds.len()));
    assert_eq!(all[0].series[0].estimate(0).unwrap().half, None);
    // Without a plot in the report, the default plot shows the same.
    study.report.plots.clear();
    let all = panels(&study, &results);
    assert_eq!((all.len(), all[0].by.as_str()), (1, "transport"));
}

/// A table as a Parquet file in memory.
fn parquet_of(
    table: for<'a> fn(&'a Study, &'a Results) -> frame::Frame<'a>,
    study: &Study,
    results: &Results,
) -> Vec<u8> {
    let mut bytes = Vec::new();
    parquet::write(&mut bytes, table(study, results), study, results).unwrap();
    bytes
}

/// A reader of a Parquet file in memory.
fn open(bytes: &[u8]) -> ParquetRecordBatchReaderBuilder<std::fs::File> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    ParquetRecordBatchReaderBuilder::try_new(file).unwrap()
}

#[test]
fn csv_has_the_columns_and_rows_of_parquet() {
    let (study, results) = small();
    let mut bytes = Vec::new();
    write_csv(&mut bytes, frame::runs(&study, &results)).unwrap();
    let mut reader = ::csv::Reader::from_reader(bytes.as_slice());
    let names = reader.headers().unwrap().clone();
    let schema = frame::runs(&study, &results).schema();
    assert!(names.iter().eq(schema.fields().iter().map(|f| f.name())));
    let at = |name: &str| names.iter().position(|n| n == name).unwrap();
    let lines: Vec<_> = reader.records().collect::<Result<_, _>>().unwrap();
    let expected: Vec<Row<'_>> = rows(&study, &results).collect();
    assert_eq!(lines.len(), expected.len());
    for (line, row) in lines.iter().zip(&expected) {
        assert_eq!(line[at("flow")], *row.flow.name);
        assert_eq!(line[at("goodput_bps")].parse(), Ok(row.flow.goodput_bps));
        let completion = line[at("completion_s")].parse().ok();
        assert_eq!(completion, row.flow.completion_s);
    }
}

#[test]
fn results_are_read_back_from_parquet() {
    let (study, results) = small();
    let bytes = parquet_of(frame::runs, &study, &results);
    let reader = open(&bytes);
    let kv = reader
        .metadata()
        .file_metadata()
        .key_value_metadata()
        .unwrap();
    let value = |key: &str| {
        let entry = kv.iter().find(|e| e.key == key);
        entry.and_then(|e| e.value.clone()).unwrap()
    };
    assert_eq!(value("skywave.seeds"), "1,2");
    assert_eq!(value("skywave.scenario"), study.text);
    assert_eq!(value("skywave.generator"), skywave_core::rng::GENERATOR);
    let schema = reader.schema().clone();
    let rate = schema.field_with_name("link.wireless.rate").unwrap();
    assert_eq!(rate.data_type(), &DataType::Float64);
    assert_eq!(rate.metadata()["unit"], "bit/s");
    let kinds = [
        ("flow.bulk.transport", DataType::Utf8),
        ("flow.bulk.tcp.sack", DataType::Boolean),
        ("flow.bulk.count", DataType::Int64),
        ("delivered_bytes", DataType::UInt64),
        ("rtt_mean_s", DataType::Float64),
    ];
    for (name, kind) in kinds {
        assert_eq!(
            schema.field_with_name(name).unwrap().data_type(),
            &kind,
            "{name}"
        );
    }
    let batches: Vec<_> = reader.build().unwrap().collect::<Result<_, _>>().unwrap();
    assert_eq!(batches.len(), 1);
    let batch = &batches[0];
    let expected: Vec<Row<'_>> = rows(&study, &results).collect();
    assert_eq!(batch.num_rows(), expected.len());
    let goodput = batch.column_by_name("goodput_bps").unwrap();
    let goodput = goodput.as_primitive::<Float64Type>();
    let seeds = batch.column_by_name("seed").unwrap();
    let seeds = seeds.as_primitive::<UInt64Type>();
    let rates = batch.column_by_name("link.wireless.rate").unwrap();
    let rates = rates.as_primitive::<Float64Type>();
    for (i, row) in expected.iter().enumerate() {
        assert_eq!(goodput.value(i), row.flow.goodput_bps);
        assert_eq!(seeds.value(i), row.seed);
        assert_eq!(rates.value(i), 2e6);
    }
    // Missing values are null.
    let rtt = batch.column_by_name("rtt_mean_s").unwrap();
    assert_eq!(
        rtt.null_count(),
        expected
            .iter()
            .filter(|r| r.flow.rtt_mean_s.is_none())
            .count()
    );
}

#[test]
fn links_series_bins_and_requests_are_read_back_from_parquet() {
    let (study, results) = two_flows();
    let count = |bytes: &[u8], columns: &[&str]| {
        let reader = open(bytes);
        for column in columns {
            assert!(reader.schema().field_with_name(column).is_ok(), "{column}");
        }
        let batches = reader.build().unwrap();
        batches.map(|b| b.unwrap().num_rows()).sum::<usize>()
    };
    let bytes = parquet_of(frame::links, &study, &results);
    let links: usize = results.iter().map(|(_, _, r)| r.outcome.links.len()).sum();
    assert_eq!(count(&bytes, &["link", "utilisation", "seed"]), links);
    let bytes = parquet_of(frame::series, &study, &results);
    let samples = results.iter().flat_map(|(_, _, r)| r.series().unwrap());
    let samples: usize = samples.map(|s| s.points.len()).sum();
    assert!(samples > 0);
    assert_eq!(
        count(&bytes, &["entity", "quantity", "time_s", "value"]),
        samples
    );
    let bytes = parquet_of(frame::bins, &study, &results);
    let batch = open(&bytes).build().unwrap().next().unwrap().unwrap();
    assert_eq!(batch.num_rows(), results.finished() * 6);
    let column = |name| batch.column_by_name(name).unwrap();
    let starts = column("start_s").as_primitive::<Float64Type>();
    let delivered = column("delivered_bytes").as_primitive::<UInt64Type>();
    let flows = column("flow").as_string::<i32>();
    let row = |i| (flows.value(i), starts.value(i), delivered.value(i));
    assert_eq!(row(2), ("old", 5.0, 3));
    assert_eq!(row(4), ("new", 2.5, 5));
    let bytes = parquet_of(frame::requests, &study, &results);
    let batch = open(&bytes).build().unwrap().next().unwrap().unwrap();
    assert_eq!(batch.num_rows(), results.finished() * 5);
    let column = |name| batch.column_by_name(name).unwrap();
    let starts = column("start_s").as_primitive::<Float64Type>();
    let sizes = column("bytes").as_primitive::<UInt64Type>();
    let times = column("request_time_s").as_primitive::<Float64Type>();
    let flows = column("flow").as_string::<i32>();
    let row = |i| {
        (
            flows.value(i),
            starts.value(i),
            sizes.value(i),
            times.is_valid(i).then(|| times.value(i)),
        )
    };
    assert_eq!(row(1), ("old", 2.0, 2000, Some(0.3)));
    assert_eq!(row(2), ("old", 3.0, 3000, None));
    assert_eq!(row(3), ("new", 1.0, 1000, Some(0.2)));
}

#[test]
fn the_same_results_give_the_same_bytes_on_any_number_of_threads() {
    let all = |threads| {
        let (study, results) = fixture::on_threads(threads);
        let tables = [
            frame::runs,
            frame::links,
            frame::series,
            frame::bins,
            frame::requests,
        ];
        let mut files = tables
            .map(|table| parquet_of(table, &study, &results))
            .to_vec();
        files.push(
            html(&study, &results, &HtmlOptions::default())
                .unwrap()
                .into_bytes(),
        );
        files.push(table(&study, &results, 100).into_bytes());
        files
    };
    let one = all(1);
    assert!(all(2) == one && all(1) == one, "bytes differ");
}

#[test]
fn numbers_that_tell_series_apart_say_what_they_are() {
    let (mut study, results) = cerl();
    let plot = &mut study.report.plots[0];
    plot.by = Some(std::mem::replace(&mut plot.x, PlotAxis::Seed));
    plot.x = PlotAxis::Param("flow.bulk.transport".into());
    let panel = &panels(&study, &results)[0];
    assert!(!panel.is_numeric());
    assert_eq!(panel.series[4].name, "loss rate 0.01");
    let page = html(&study, &results, &HtmlOptions::default()).unwrap();
    assert!(page.contains(">loss rate 0.01</text>"));
}

#[test]
fn a_thousand_places_on_the_axis_stay_light() {
    let (mut study, results) = cerl();
    study.points.truncate(1);
    study.report.plots[0].by = None;
    study.report.plots[0].x = PlotAxis::Seed;
    let seeds: Vec<u64> = (0..5000).collect();
    let mut many = Results::empty("skywave 0", &seeds, 1);
    for seed in 0..seeds.len() {
        many.put(0, seed, &results.get(seed % 60, 0).unwrap());
    }
    let page = html(&study, &many, &HtmlOptions::default()).unwrap();
    assert!(page.len() < 100_000, "{} bytes", page.len());
    assert!(page.contains("4880 more rows"));
    assert!(table(&study, &many, 100).lines().count() < 100);
}

#[test]
fn a_scenario_goes_all_the_way() {
    let text = r#"
        title = "Two ways over one link"
        [[link]]
        name = "air"
        between = ["A", "B"]
        rate = "1Mbps"
        delay = "10ms"
        loss = { forward = { iid = 0.01 } }
        [[flow]]
        name = "bulk"
        from = "A"
        to = "B"
        transport = "reno"
        traffic = "ftp"
        [run]
        duration = "5s"
        seeds = 2
        [sweep]
        "flow.bulk.transport" = ["reno", "cerl"]
        "link.air.rate" = ["500kbps", "1Mbps"]
    "#;
    let scenario = Scenario::parse("air", text, &NoFiles).unwrap();
    let with = |threads| {
        let options = Options {
            threads: Some(threads),
            series: RecordSeries::FirstSeed,
            ..Options::default()
        };
        run(&scenario, &options, crate::experiment::simulate).unwrap()
    };
    let results = with(2);
    assert_eq!(results, with(1));
    let study = Study::from(&scenario);
    let rows: Vec<Row<'_>> = rows(&study, &results).collect();
    assert_eq!(rows.len(), 8);
    assert_eq!((rows[0].transport, rows[7].transport), ("reno", "cerl"));
    assert!(rows.iter().all(|r| r.flow.goodput_bps > 1e5));
    let panel = &panels(&study, &results)[0];
    assert_eq!((panel.x.unit, panel.series.len()), (Some("bit/s"), 2));
    let page = html(&study, &results, &HtmlOptions::default()).unwrap();
    assert!(page.contains("Two ways over one link") && page.contains("Rate of air (Mb/s)"));
    assert!(page.contains("cwnd (segments)"));
    keep("air.html", &page);
}

#[test]
fn the_plots_of_the_page_stand_alone_with_their_titles() {
    let (study, results) = two_flows();
    let drawings = drawings(&study, &results, None).unwrap();
    let panels = panels(&study, &results).len();
    assert!(drawings.len() > panels, "series are drawn, too");
    for drawing in &drawings {
        assert!(drawing.svg.starts_with("<svg"), "{}", drawing.title);
        assert!(drawing.svg.contains("<style>"), "{}", drawing.title);
        let title = plot::escape(&drawing.title);
        assert!(!title.is_empty() && drawing.svg.contains(&title), "{title}");
    }
}
