//! The report as one HTML page: offline, light, readable on screen and paper.

use minijinja::syntax::SyntaxConfig;
use serde::Serialize;
use skywave_core::rng::GENERATOR;

use super::caution::caution;
use super::draw::panel_plot;
use super::grid::{self, Grid};
use super::panel::{Panel, sketches};
use super::plot::{escape, style};
use super::study::Study;
use super::why::{Why, why};
use crate::experiment::Results;

pub(super) mod radio;
mod sequence;
pub(super) mod traces;

use traces::Trace;

/// A page with at least this many plots begins with links to them.
const MIN_INDEX: usize = 3;
/// Limits that keep a page light; the Parquet files have everything.
pub(super) const MAX_PLOTS: usize = 30;
const MAX_PANEL_ROWS: usize = 120;
const MAX_FLOW_ROWS: usize = 240;
const MAX_LINK_ROWS: usize = 240;
const MAX_STATION_ROWS: usize = 240;

/// The beginning of all pages, and the macro for tables.
const HEAD: &str = include_str!("head.html");
const TEMPLATE: &str = include_str!("template.html");
/// Styles of all pages.
pub const CSS: &str = include_str!("style.css");

/// Parts of a page besides the results.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HtmlOptions {
    /// The series that gains are relative to, by its label; the first one when there is no such.
    pub reference: Option<String>,
    /// How to run the scenario again, a shell command.
    pub command: Option<String>,
}

/// The data for the template.
#[derive(Debug, Serialize)]
pub(super) struct Page {
    title: String,
    name: String,
    description: Option<String>,
    note: String,
    partial: bool,
    /// A warning about intervals that say nothing, if there are any.
    caution: Option<String>,
    /// Links to the parts of a long page: place and name.
    index: Vec<(String, String)>,
    figures: Vec<Figure>,
    plots_left_out: usize,
    why: Why,
    flows: Grid,
    links: Grid,
    proxies: Grid,
    stations: Grid,
    /// Pictures of the radio network.
    radio: Vec<String>,
    traces: Vec<Trace>,
    traces_left_out: usize,
    facts: Vec<(&'static str, String)>,
    command: String,
    scenario: String,
}

/// A plot with its tables.
#[derive(Debug, Serialize)]
struct Figure {
    title: String,
    facet: String,
    svg: String,
    /// None of a plot over time, which has too many values.
    values: Option<Grid>,
    gains: Option<Grid>,
}

/// The page for these results.
///
/// # Errors
///
/// When a recorded time series, or a run, cannot be read back.
pub fn html(study: &Study, results: &Results, options: &HtmlOptions) -> std::io::Result<String> {
    let html = render_page(TEMPLATE, CSS, &page(study, results, options)?)?;
    results.check()?;
    Ok(html)
}

/// A page from its template, which begins with the body's content, may call `table(grid)`, and is given
/// `page`.
///
/// # Errors
///
/// When the page cannot be rendered, which would be a mistake in its template.
pub fn render_page(template: &str, css: &str, page: &impl Serialize) -> std::io::Result<String> {
    render(template, css, page).map_err(std::io::Error::other)
}

fn render(template: &str, css: &str, page: &impl Serialize) -> Result<String, minijinja::Error> {
    let mut environment = minijinja::Environment::new();
    let syntax = SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .build()?;
    environment.set_syntax(syntax);
    // One place decides what is escaped, here and in plots.
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::Html);
    environment.add_filter("marked", marked);
    environment.add_template_owned("page.html", format!("{HEAD}{template}"))?;
    environment
        .get_template("page.html")?
        .render(minijinja::context! {
            page => minijinja::value::Serde(page),
            css,
            plot_css => style(),
        })
}

/// A cell with its interval in a lighter tone.
fn marked(cell: &str) -> minijinja::Value {
    let split = cell.find(" ±").or_else(|| cell.find(" ["));
    minijinja::Value::from_safe_string(match split {
        Some(at) => format!("{}<i>{}</i>", escape(&cell[..at]), escape(&cell[at..])),
        None => escape(cell),
    })
}

/// Everything on the page.
pub(super) fn page(
    study: &Study,
    results: &Results,
    options: &HtmlOptions,
) -> std::io::Result<Page> {
    let sketches = sketches(study);
    let plots_left_out = sketches.len().saturating_sub(MAX_PLOTS);
    let mut titles = Vec::new();
    let mut figures = Vec::new();
    // One panel at a time is in memory.
    for sketch in sketches.iter().take(MAX_PLOTS) {
        let panel = sketch.panel(study, results);
        titles.push(panel.full_title());
        figures.push(figure(&panel, options));
    }
    let (traces, traces_left_out) = traces::traces(study, results)?;
    let seeds: Vec<String> = results.seeds.iter().map(ToString::to_string).collect();
    let events: u64 = results.iter().map(|(_, _, run)| run.outcome.events).sum();
    let facts =
        vec![
        ("Points", results.points().to_string()),
        ("Seeds", seeds.join(", ")),
        ("Runs", format!("{} of {}", results.finished(), results.total())),
        ("Simulated events", grouped(events)),
        ("Engine", results.engine.clone()),
        ("Random generator", GENERATOR.to_owned()),
        (
            "Intervals",
            "95%, Student t over seeds; comparisons are paired by seed (common random numbers); \
             differences in percent come from ratios of means, with the delta method's interval"
                .to_owned(),
        ),
    ];
    let title = if study.title.is_empty() {
        &study.name
    } else {
        &study.title
    };
    let flows = grid::flows(study, results, MAX_FLOW_ROWS);
    let links = grid::links(study, results, MAX_LINK_ROWS);
    let proxies = grid::proxies(study, results, MAX_FLOW_ROWS);
    let stations = grid::stations(study, results, MAX_STATION_ROWS);
    let radio: Vec<String> = radio::pictures(study, results)
        .iter()
        .map(radio::Picture::inline)
        .collect();
    let why = why(study, results);
    let index = index(
        &titles,
        &traces,
        &[
            ("radio", "Radio network", !radio.is_empty()),
            ("why", "Why it was slow", why.is_worth()),
            ("flows", "Flows", !flows.rows.is_empty()),
            ("links", "Links", !links.rows.is_empty()),
            ("proxies", "Proxies", !proxies.rows.is_empty()),
            ("stations", "Stations", !stations.rows.is_empty()),
            ("made", "How this was made", true),
        ],
    );
    Ok(Page {
        title: title.clone(),
        name: study.name.clone(),
        description: study.description.clone(),
        note: grid::sample_note(results),
        partial: !results.is_complete(),
        caution: caution(results),
        index,
        figures,
        plots_left_out,
        why,
        flows,
        links,
        proxies,
        stations,
        radio,
        traces,
        traces_left_out,
        facts,
        command: options
            .command
            .clone()
            .unwrap_or_else(|| format!("skywave run {}.toml", study.name)),
        scenario: study.text.clone(),
    })
}

/// The links at the top of a page with many plots; a short page needs none.
fn index(
    titles: &[String],
    traces: &[Trace],
    parts: &[(&str, &str, bool)],
) -> Vec<(String, String)> {
    let plots = titles.iter().zip(1..);
    let plots = plots.map(|(title, number)| (format!("plot-{number}"), title.clone()));
    let traces = traces.iter().zip(1..).map(|(trace, number)| {
        (
            format!("trace-{number}"),
            format!("Over time: {}", trace.title),
        )
    });
    let links: Vec<_> = plots.chain(traces).collect();
    if links.len() < MIN_INDEX {
        return Vec::new();
    }
    let parts = parts.iter().filter(|(.., there)| *there);
    let parts = parts.map(|(place, name, _)| ((*place).to_owned(), (*name).to_owned()));
    links.into_iter().chain(parts).collect()
}

fn figure(panel: &Panel, options: &HtmlOptions) -> Figure {
    let wanted = options.reference.as_ref();
    let reference = panel
        .series
        .iter()
        .position(|s| Some(&s.label) == wanted)
        .unwrap_or(0);
    Figure {
        title: panel.title.clone(),
        facet: panel.facet_label(),
        svg: panel_plot(panel).to_inline_svg(),
        values: (!panel.over_time).then(|| grid::values(panel, MAX_PANEL_ROWS)),
        gains: grid::gains(panel, reference, MAX_PANEL_ROWS),
    }
}

/// Digits in groups of three.
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(c);
    }
    out
}
