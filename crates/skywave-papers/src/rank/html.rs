//! The ranking as one HTML page: offline, a heat map of compositions by paths and a plot a path.

use serde::Serialize;

use super::frame::kind;
use super::grids::{against_published, as_fair_as, delay_name, mark, summary};
use super::mechanisms;
use super::{Kind, OnPath, Ranked, RankedPath, Row, Study, families};
use skywave_lab::experiment::ENGINE;
use skywave_lab::report::number::scale;
use skywave_lab::report::plot::{Axis, Glyph, Look, Plot, Scale, SeriesData, shade, shades_css};
use skywave_lab::report::{CSS, Grid, render_page};
use skywave_sim::outcome::Unit;

const TEMPLATE: &str = concat!(include_str!("rank.html"), include_str!("end.html"));
const HEAT: &str = include_str!("heat.css");

#[derive(Debug, Serialize)]
struct Page<'a> {
    title: &'a str,
    description: Option<&'a str>,
    seeds: usize,
    compositions: usize,
    paths: Vec<PathHead<'a>>,
    heat: Vec<HeatRow<'a>>,
    tables: Vec<Grid>,
    mechanisms: Vec<Grid>,
    notes: Vec<(String, &'a str)>,
    summary: Grid,
    left_out: &'a [(String, String)],
    command: &'a str,
    engine: &'a str,
    study: &'a str,
}

#[derive(Debug, Serialize)]
struct PathHead<'a> {
    name: &'a str,
    kind: &'static str,
    about: Option<&'a str>,
    svg: String,
}

#[derive(Debug, Serialize)]
struct HeatRow<'a> {
    label: &'a str,
    mark: &'static str,
    cells: Vec<HeatCell>,
}

#[derive(Debug, Serialize)]
struct HeatCell {
    text: String,
    /// Text that is shown when the cell is pointed at.
    hint: String,
    /// Shade of the cell, if it is not empty.
    shade: Option<usize>,
}

/// Ranking of a study as an HTML page; `command` is the shell command that the page names for making it again.
///
/// # Errors
///
/// When the page cannot be rendered, which would be a mistake in its template.
pub fn html(study: &Study, ranked: &Ranked, command: &str) -> std::io::Result<String> {
    if study.has_families() {
        return families::html(study, ranked, command);
    }
    let ranking = &ranked.ranking;
    let paths = ranking
        .paths
        .iter()
        .enumerate()
        .map(|(index, path)| PathHead {
            name: &path.name,
            kind: kind(path.kind),
            about: study.paths[index].about.as_deref(),
            svg: plot(study, ranked, index).to_inline_svg(),
        });
    let tables = [
        against_published(study, ranking),
        as_fair_as(study, &ranked.samples),
    ];
    let page = Page {
        title: &study.title,
        description: study.description.as_deref(),
        seeds: study.scenarios.first().map_or(0, |s| s.seeds().len()),
        compositions: study.entries.len(),
        paths: paths.collect(),
        heat: ranking
            .rows
            .iter()
            .map(|row| heat_row(study, &ranking.paths, row))
            .collect(),
        tables: tables.into_iter().flatten().collect(),
        mechanisms: mechanisms::tables(study, ranking),
        notes: mechanisms::notes(study),
        summary: summary(study, ranking),
        left_out: &study.left_out,
        command,
        engine: ENGINE,
        study: &study.text,
    };
    let shades = shades_css();
    render_page(TEMPLATE, &format!("{CSS}{HEAT}{shades}"), &page, None)
}

fn heat_row<'a>(study: &'a Study, paths: &[RankedPath], row: &Row) -> HeatRow<'a> {
    let cells = paths.iter().zip(&row.on).enumerate();
    let cells = cells.map(|(index, (path, on))| {
        let cell = mechanisms::cell(study, index, path, on, row.entry);
        HeatCell {
            text: cell.text,
            hint: cell.hint,
            shade: cell.share.map(shade),
        }
    });
    HeatRow {
        label: &study.entries[row.entry].label,
        mark: mark(study, row.entry),
        cells: cells.collect(),
    }
}

/// Goodput against delay on a path; on one for fairness, what is left to the others against what the
/// composition takes.
fn plot(study: &Study, ranked: &Ranked, index: usize) -> Plot {
    let ranking = &ranked.ranking;
    let path = &ranking.paths[index];
    let on = |row: &Row| row.on[index];
    let goodputs = ranking
        .rows
        .iter()
        .filter_map(|r| Some(on(r).goodput?.mean));
    let scaled = scale(Unit::BitRate, goodputs.fold(0.0, f64::max));
    let point = |on: OnPath| match path.kind {
        Kind::Fairness => Some((on.beside.taken?.mean, on.beside.left?.mean)),
        _ => Some((on.delay?.mean, on.goodput?.mean * scaled.factor)),
    };
    let (x, y) = match path.kind {
        Kind::Fairness => (
            Axis::new(
                "Goodput taken (1: what one of the others would take)",
                Scale::Linear,
            )
            .from(0.0),
            Axis::new(
                "Goodput left to the others (1: beside one of them)",
                Scale::Linear,
            )
            .from(0.0),
        ),
        _ => (
            Axis::new(delay_name(study.delay), Scale::Linear),
            Axis::new(format!("Goodput ({})", scaled.label), Scale::Linear).from(0.0),
        ),
    };
    let proposed = study.proposed.map(|entry| &*study.entries[entry].label);
    let looks = [
        ("", "others", Look::Glyphs(Glyph::Dot)),
        ("published", "published", Look::Glyphs(Glyph::Ring)),
    ];
    let looks = looks.into_iter();
    let looks = looks.chain(proposed.map(|label| ("proposed", label, Look::Marked)));
    let mut series: Vec<SeriesData> = looks
        .map(|(of, label, look)| {
            series_of(study, &ranking.rows, of, label, look, |row| point(on(row)))
        })
        .collect();
    series.retain(|s| !s.points.is_empty());
    Plot {
        x,
        y,
        series,
        size: (640.0, 320.0),
        ..Plot::default()
    }
}

fn series_of(
    study: &Study,
    rows: &[Row],
    of: &str,
    label: &str,
    look: Look,
    point: impl Fn(&Row) -> Option<(f64, f64)>,
) -> SeriesData {
    let those = rows.iter().filter(|r| mark(study, r.entry) == of);
    let named = those.filter_map(|r| {
        let (x, y) = point(r)?;
        Some(((x, y, None), study.entries[r.entry].label.clone()))
    });
    let (points, names) = named.unzip();
    SeriesData {
        label: label.to_owned(),
        points,
        look,
        names,
    }
}
