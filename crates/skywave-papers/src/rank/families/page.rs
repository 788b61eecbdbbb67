//! The figures as one HTML page: offline, the curves, the tables and a map of all paths.

use serde::Serialize;

use super::super::study::Study;
use super::super::{Ranked, mechanisms};
use super::{Families, curve, grids};
use skywave_lab::experiment::ENGINE;
use skywave_lab::report::number::{decimals, fixed, scale};
use skywave_lab::report::plot::{shade, shades_css};
use skywave_lab::report::{CSS, Grid, NONE, render_page};
use skywave_sim::outcome::Unit;

const TEMPLATE: &str = concat!(include_str!("page.html"), include_str!("../end.html"));
const STYLE: &str = include_str!("../heat.css");

#[derive(Debug, Serialize)]
struct Page<'a> {
    title: &'a str,
    description: Option<&'a str>,
    seeds: usize,
    senders: Vec<&'a str>,
    reference: Option<&'a str>,
    curve: String,
    tables: Vec<Grid>,
    paths: Vec<Line<'a>>,
    notes: Vec<(String, &'a str)>,
    left_out: &'a [(String, String)],
    command: &'a str,
    engine: &'a str,
    study: &'a str,
}

/// A path of the map.
#[derive(Debug, Serialize)]
struct Line<'a> {
    name: &'a str,
    family: &'a str,
    about: Option<&'a str>,
    carries: String,
    cells: Vec<Cell>,
}

#[derive(Debug, Serialize)]
struct Cell {
    text: String,
    shade: Option<usize>,
}

/// The page; `command` makes it again.
pub(in super::super) fn html(
    study: &Study,
    ranked: &Ranked,
    command: &str,
) -> std::io::Result<String> {
    let families = Families::of(study, ranked);
    let label = |entry: usize| study.entries[entry].label.as_str();
    let senders = families.standings.iter();
    let page = Page {
        title: &study.title,
        description: study.description.as_deref(),
        seeds: study.scenarios.first().map_or(0, |s| s.seeds().len()),
        senders: senders.map(|standing| label(standing.entry)).collect(),
        reference: study.reference.map(label),
        curve: curve::of(study, &families).to_inline_svg(),
        tables: grids::all(study, &families),
        paths: lines(study, ranked, &families),
        notes: mechanisms::notes(study),
        left_out: &study.left_out,
        command,
        engine: ENGINE,
        study: &study.text,
    };
    let shades = shades_css();
    render_page(TEMPLATE, &format!("{CSS}{STYLE}{shades}"), &page, None)
}

fn lines<'a>(study: &'a Study, ranked: &Ranked, families: &Families) -> Vec<Line<'a>> {
    let paths = study.paths.iter().enumerate();
    let line = |(index, path): (usize, &'a super::super::StudyPath)| {
        let cell = |standing: &super::Standing| {
            let row = ranked.ranking.row(standing.entry);
            let share = row.and_then(|row| Some(row.on[index].share?.mean));
            let note = || mechanisms::note(study, standing.entry, index);
            Cell {
                text: share.map_or_else(
                    || note().unwrap_or_else(|| NONE.to_owned()),
                    |share| fixed(100.0 * share, 0),
                ),
                shade: share.map(shade),
            }
        };
        let carried = ranked.samples[index].carried.iter().copied().flatten();
        let (count, sum) = carried.fold((0.0, 0.0), |(count, sum), x| (count + 1.0, sum + x));
        let carries = (count > 0.0).then(|| {
            let scaled = scale(Unit::BitRate, sum / count);
            let value = sum / count * scaled.factor;
            format!("{} {}", fixed(value, decimals(value)), scaled.label)
        });
        Line {
            name: &path.name,
            family: path.family.as_ref().map_or("", |family| &family.name),
            about: path.about.as_deref(),
            carries: carries.unwrap_or_else(|| NONE.to_owned()),
            cells: families.standings.iter().map(cell).collect(),
        }
    };
    paths.map(line).collect()
}
