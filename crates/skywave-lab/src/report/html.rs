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

mod long;
pub(super) mod radio;
mod sequence;
pub(super) mod traces;

use long::{MOST_ROWS, Room, Table, hidden};
use traces::Trace;

/// A page with at least this many plots begins with links to them.
const MIN_INDEX: usize = 3;
/// Limits that keep a page light; the Parquet files have everything.
pub(super) const MAX_PLOTS: usize = 30;
const MAX_PANEL_ROWS: usize = 120;
/// Cells of a table beside a plot, of which each costs a browser about a kilobyte.
const MAX_PANEL_CELLS: usize = 12_000;
/// An index with more links scrolls by itself.
const LONG_INDEX: usize = 60;

/// The beginning of all pages.
const HEAD: &str = include_str!("head.html");
/// The macro for tables.
const TABLE: &str = include_str!("html/table.html");
/// A plot with its tables.
const FIGURE: &str = include_str!("html/figure.html");
const TEMPLATE: &str = include_str!("template.html");
/// Style sheet (CSS) of all HTML pages.
pub const CSS: &str = include_str!("style.css");

/// Choices for a report's HTML page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HtmlOptions {
    /// Label ([`PanelSeries::label`](super::PanelSeries::label)) of the series that gains are relative to; `None`, or a
    /// label that no series has, for the first series.
    pub reference: Option<String>,
    /// Shell command by which the page says to run the scenario again; `None` for `skywave run NAME.toml`.
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
    long_index: bool,
    figures: Vec<Figure>,
    plots_left_out: usize,
    why: Why,
    tables: Vec<Table>,
    /// Pictures of the radio network.
    radio: Vec<String>,
    traces: Vec<Trace>,
    traces_left_out: usize,
    facts: Vec<(&'static str, String)>,
    command: String,
    scenario: String,
}

/// A plot with its tables.
#[derive(Debug, Default, Serialize)]
struct Figure {
    title: String,
    facet: String,
    /// Empty if it is drawn later.
    svg: String,
    /// Table of the values; a plot over time has none, as it has too many values.
    values: Option<Grid>,
    gains: Option<Grid>,
    /// Plot and tables as text of the page, which is drawn when it comes into view.
    later: Option<String>,
}

/// Makes the report of an experiment as an HTML page, which needs no other file.
///
/// # Errors
///
/// When a recorded time series, or a run, cannot be read back.
pub fn html(study: &Study, results: &Results, options: &HtmlOptions) -> std::io::Result<String> {
    let page = page(study, results, options)?;
    let script = page.is_scripted().then_some(long::SCRIPT);
    let html = render_page(TEMPLATE, CSS, &page, script)?;
    results.check()?;
    Ok(html)
}

/// A script of an HTML page, with the hash by which the page's Content-Security-Policy permits it.
#[derive(Clone, Copy, Debug)]
pub struct Script {
    /// Text of the script.
    pub text: &'static str,
    /// SHA-256 of the text as a Content-Security-Policy has it, `sha256-…`.
    pub hash: &'static str,
}

/// Renders an HTML page from `template`, a Jinja template of the body's content, which reads the data as `page` and may
/// call `table(grid)` to show a [`Grid`]; `css` is the page's style sheet, and `script`, if any, runs in the page.
///
/// # Errors
///
/// When the page cannot be rendered, which would be a mistake in its template.
pub fn render_page(
    template: &str,
    css: &str,
    page: &impl Serialize,
    script: Option<Script>,
) -> std::io::Result<String> {
    let template = format!("{HEAD}{TABLE}{template}");
    render(&template, css, page, script).map_err(std::io::Error::other)
}

fn render(
    template: &str,
    css: &str,
    page: &impl Serialize,
    script: Option<Script>,
) -> Result<String, minijinja::Error> {
    let mut environment = minijinja::Environment::new();
    let syntax = SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .build()?;
    environment.set_syntax(syntax);
    // One place decides what is escaped, here and in plots.
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::Html);
    environment.add_filter("marked", marked);
    environment.add_template("page.html", template)?;
    environment
        .get_template("page.html")?
        .render(minijinja::context! {
            page => minijinja::value::Serde(page),
            css,
            plot_css => style(),
            script => script.map(|script| script.text),
            script_hash => script.map(|script| script.hash),
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
    let (titles, figures, plots_left_out) = figures(study, results, options)?;
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
    let tables = tables(study, results);
    let radio: Vec<String> = radio::pictures(study, results)
        .iter()
        .map(radio::Picture::inline)
        .collect();
    let why = why(study, results);
    let mut parts = vec![
        ("radio", "Radio network", !radio.is_empty()),
        ("why", "Why it was slow", why.is_worth()),
    ];
    parts.extend(tables.iter().map(|table| (table.place, table.title, true)));
    parts.push(("made", "How this was made", true));
    let index = index(&titles, &traces, &parts);
    Ok(Page {
        title: title.clone(),
        name: study.name.clone(),
        description: study.description.clone(),
        note: grid::sample_note(results),
        partial: !results.is_complete(),
        caution: caution(results),
        long_index: index.len() > LONG_INDEX,
        index,
        figures,
        plots_left_out,
        why,
        tables,
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

impl Page {
    /// Whether something on the page needs its script.
    fn is_scripted(&self) -> bool {
        let mut tables = self.tables.iter();
        let mut figures = self.figures.iter();
        tables.any(|table| table.rows.is_some()) || figures.any(|figure| figure.later.is_some())
    }
}

/// The tables that have rows.
fn tables(study: &Study, results: &Results) -> Vec<Table> {
    let flows = grid::flows(study, results, MOST_ROWS);
    let links = grid::links(study, results, MOST_ROWS);
    let proxies = grid::proxies(study, results, MOST_ROWS);
    let stations = grid::stations(study, results, MOST_ROWS);
    let mut tables = vec![
        Table::new("flows", "Flows", "results.parquet", flows),
        Table::new("links", "Links", "links.parquet", links),
        Table::new("proxies", "Proxies", "proxies.parquet", proxies),
        Table::new("stations", "Stations", "stations.parquet", stations),
    ];
    tables.retain(|table| table.count > 0);
    Table::limit(&mut tables);
    tables
}

/// The plots: their titles, what the page has of them, and how many are left out.
fn figures(
    study: &Study,
    results: &Results,
    options: &HtmlOptions,
) -> std::io::Result<(Vec<String>, Vec<Figure>, usize)> {
    let sketches = sketches(study);
    let (mut titles, mut figures) = (Vec::new(), Vec::new());
    let mut room = Room::default();
    let template = format!("{TABLE}{FIGURE}");
    // One panel at a time is in memory.
    for sketch in &sketches {
        if room.is_full() {
            break;
        }
        let panel = sketch.panel(study, results);
        let mut figure = figure(&panel, options);
        let text = render(&template, "", &figure, None).map_err(std::io::Error::other)?;
        if figures.len() >= MAX_PLOTS || !room.is_for_now(text.len()) {
            let text = hidden(&text);
            if !room.is_for_later(text.len()) {
                continue;
            }
            figure = Figure {
                title: figure.title,
                facet: figure.facet,
                later: Some(text),
                ..Figure::default()
            };
        }
        titles.push(panel.full_title());
        figures.push(figure);
    }
    let left_out = sketches.len() - figures.len();
    Ok((titles, figures, left_out))
}

fn figure(panel: &Panel, options: &HtmlOptions) -> Figure {
    let wanted = options.reference.as_ref();
    let reference = panel
        .series
        .iter()
        .position(|s| Some(&s.label) == wanted)
        .unwrap_or(0);
    let rows = (MAX_PANEL_CELLS / panel.series.len().max(1)).min(MAX_PANEL_ROWS);
    Figure {
        title: panel.title.clone(),
        facet: panel.facet_label(),
        svg: panel_plot(panel).to_inline_svg(),
        values: (!panel.over_time).then(|| grid::values(panel, rows)),
        gains: grid::gains(panel, reference, rows),
        later: None,
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
