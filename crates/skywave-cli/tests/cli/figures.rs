//! Figures for papers, and what a run reports about itself.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::common::{skywave, text};

/// A path without randomness, with a plot over time.
const STEADY: &str = r#"
[[link]]
name = "wire"
between = ["A", "B"]
rate = "1Mbps"
delay = "20ms"

[[flow]]
name = "bulk"
from = "A"
to = "B"
traffic = "ftp"

[run]
duration = "5s"
seeds = 2

[sweep]
"link.wire.delay" = ["10ms", "20ms", "30ms", "40ms"]

[report]
plot = [
    { x = "link.wire.delay", y = "goodput" },
    { x = "time", y = "cwnd" },
    { x = "link.wire.delay", y = "rtt_mean" },
    { x = "link.wire.delay", y = "timeouts" },
]
"#;

fn run(dir: &Path, arguments: &[&str]) -> Output {
    fs::write(dir.join("steady.toml"), STEADY).expect("written");
    skywave(
        dir,
        &[&["run", "steady.toml", "--series"], arguments].concat(),
    )
}

#[test]
fn a_pdf_is_as_large_as_asked_and_the_same_each_time() {
    let dir = tempfile::tempdir().expect("a directory");
    let print = ["--figure-width", "84mm", "--font-size", "8pt"];
    let read = |figures: &str| {
        let output = run(dir.path(), &[&["--pdf", figures][..], &print].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        let name = "steady-goodput-against-one-way-delay.pdf";
        fs::read(dir.path().join(figures).join(name)).expect("a PDF")
    };
    let one = read("one");
    assert_eq!(one, read("two"));
    let inside = String::from_utf8_lossy(&one);
    assert!(inside.starts_with("%PDF-") && inside.contains("[0 0 238.1"));
    assert!(inside.contains("LiberationSans"), "the font is inside");
}

#[test]
fn a_font_that_is_missing_is_told_before_anything_runs() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = run(dir.path(), &["--pdf", "figures", "--font", "No Such Font"]);
    assert!(!output.status.success());
    let said = text(&output.stderr);
    assert!(
        said.contains("\"No Such Font\" is not installed here"),
        "{said}"
    );
    assert!(!dir.path().join("runs").exists() && !dir.path().join("figures").exists());
    // An SVG file only names the font.
    let output = run(dir.path(), &["--svg", "figures", "--font", "No Such Font"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    // A size of zero is a mistake.
    let output = run(dir.path(), &["--figure-width", "84mm"]);
    assert!(text(&output.stderr).contains("--svg <DIR>"));
    let output = run(dir.path(), &["--svg", "figures", "--figure-width", "84"]);
    assert!(text(&output.stderr).contains("such as 84mm"));
}

#[test]
fn a_quiet_run_says_where_its_report_is() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = run(dir.path(), &["--quiet"]);
    let said = text(&output.stdout);
    assert_eq!(
        said.lines().collect::<Vec<_>>(),
        [
            "Report: runs/steady/report.html",
            "Data:   runs/steady/results.parquet"
        ]
    );
}

#[test]
fn a_plot_over_time_is_right_where_series_are_recorded() {
    let dir = tempfile::tempdir().expect("a directory");
    assert!(run(dir.path(), &[]).status.success());
    let output = skywave(dir.path(), &["run", "steady.toml"]);
    let said = text(&output.stderr);
    assert!(
        said.contains("a plot over time needs time series"),
        "{said}"
    );
    assert!(said.contains("--series"), "{said}");
}

#[test]
fn seeds_that_make_no_difference_are_told_everywhere() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = run(dir.path(), &[]);
    let warning = "all points have the same result with every seed";
    assert!(text(&output.stdout).contains(warning));
    let page = fs::read_to_string(dir.path().join("runs/steady/report.html")).expect("a report");
    assert!(page.contains(warning));
    // A page with several plots begins with links to them.
    assert!(page.contains("<a href=\"#plot-1\">") && page.contains("id=\"plot-1\""));
    assert!(page.contains("<a href=\"#flows\">") && page.contains("id=\"flows\""));
    let output = run(dir.path(), &["--json"]);
    assert!(text(&output.stderr).contains(warning));
    let lines = text(&output.stdout);
    assert!(
        lines
            .lines()
            .all(|line| line.contains("\"same_for_all_seeds\":true"))
    );
}

#[test]
fn many_time_series_are_told_before_they_fill_the_disk() {
    let dir = tempfile::tempdir().expect("a directory");
    // The scenario is as small as possible; the warning comes before the first run.
    let large = STEADY
        .replace("1Mbps", "1Gbps")
        .replace("traffic = \"ftp\"", "traffic = { bytes = \"1kB\" }")
        .replace("duration = \"5s\"", "duration = \"10s\"");
    fs::write(dir.path().join("large.toml"), large).expect("written");
    let output = skywave(dir.path(), &["run", "large.toml", "--series"]);
    let said = text(&output.stderr);
    assert!(
        said.contains("Time series of 4 runs take up to about"),
        "{said}"
    );
    let output = run(dir.path(), &[]);
    assert!(!text(&output.stderr).contains("Time series"));
}
