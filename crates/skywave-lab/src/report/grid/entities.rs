//! Tables of flows, links, proxies and stations, point by point.

use super::{Grid, of_runs};
use skywave_sim::outcome::{
    Column, LINK, LinkOutcome, Outcome, PROXY, ProxyOutcome, STATION, StationOutcome, Unit,
};

use crate::experiment::stats::Average;
use crate::experiment::{Results, RunResult};
use crate::report::number::{decimals, scale};
use crate::report::study::Study;
use crate::report::summary::{fairness, pool_flows, table_columns};
use crate::report::words::{Words, with_unit};
use crate::scenario::transport_name;

/// One column of a table over points: its name, its unit and its value in a run.
struct Field<'a> {
    label: &'a str,
    unit: Unit,
    /// Whether the value is a time until something, which may not have come by the end of a run.
    until: bool,
    value: Box<Reader<'a>>,
}

/// Reads a number of a run: of the flow, link or station of that line, or of [`ALL`] of them.
type Reader<'a> = dyn Fn(&RunResult, &Line) -> Option<f64> + 'a;

/// Columns of the table of links that are always there.
const ALWAYS: [&str; 5] = [
    "utilisation",
    "queue_mean_packets",
    "offered",
    "queue_drops",
    "channel_drops",
];

/// Stands for all flows of a run together.
const ALL: usize = usize::MAX;

/// Columns of the table of proxies that are always there.
const ALWAYS_OF_PROXIES: [&str; 4] = [
    "goodput_bps",
    "delay_p50_s",
    "buffered_mean_bytes",
    "at_risk_mean_bytes",
];

/// Columns of the table of stations that are always there.
const ALWAYS_OF_STATIONS: [&str; 4] = [
    "attempts",
    "unanswered_share",
    "given_up",
    "contention_mean_s",
];

/// A row of such a table: the point, the names, and which flow, link or station of the outcome.
struct Line {
    point: usize,
    names: Vec<String>,
    entity: usize,
}

/// Numbers of runs that are in memory at a time while estimates are made.
const SAMPLES: usize = 1 << 22;

/// The average of each field, and in it of each line. Every run is unpacked once, or a few times if it has very
/// many lines.
fn averages(results: &Results, fields: &[Field<'_>], lines: &[Line]) -> Vec<Vec<Average>> {
    let mut all: Vec<Vec<Average>> = fields
        .iter()
        .map(|_| Vec::with_capacity(lines.len()))
        .collect();
    let at_once = (SAMPLES / (fields.len() * results.seeds.len()).max(1)).max(1);
    let of_points = lines.chunk_by(|a, b| a.point == b.point);
    for lines in of_points.flat_map(|lines| lines.chunks(at_once)) {
        let mut samples = vec![vec![Vec::new(); lines.len()]; fields.len()];
        let mut runs = 0;
        for run in results.at(lines[0].point).flatten() {
            runs += 1;
            for (field, samples) in fields.iter().zip(&mut samples) {
                for (line, samples) in lines.iter().zip(samples) {
                    samples.extend((field.value)(&run, line));
                }
            }
        }
        for (column, samples) in all.iter_mut().zip(&samples) {
            column.extend(samples.iter().map(|samples| Average::of(samples, runs)));
        }
    }
    all
}

/// Formats a table over points: each column has one unit and one number of decimals.
fn over_points(
    results: &Results,
    title: &str,
    heads: Vec<String>,
    fields: &[Field<'_>],
    lines: &[Line],
    left_out: usize,
) -> Grid {
    let names = heads.len();
    let mut head = heads;
    let mut rows: Vec<Vec<String>> = lines.iter().map(|l| l.names.clone()).collect();
    for (field, column) in fields.iter().zip(averages(results, fields, lines)) {
        let middles = column.iter().filter_map(Average::middle);
        let largest = middles.map(f64::abs).fold(0.0, f64::max);
        let scaled = scale(field.unit, largest);
        let places = match field.unit {
            Unit::Count | Unit::Packets | Unit::Segments | Unit::Share => {
                decimals(largest * scaled.factor).min(1)
            }
            _ => decimals(largest * scaled.factor),
        };
        head.push(with_unit(field.label, scaled.label));
        for (row, e) in rows.iter_mut().zip(column) {
            row.push(of_runs(&e, field.until, scaled, places));
        }
    }
    Grid {
        title: title.to_owned(),
        head,
        names,
        rows,
        left_out,
    }
}

/// Paths that differ between points; the others would fill columns with the same word.
fn varying(study: &Study) -> Vec<&str> {
    let differs = |path: &&str| {
        let mut values = study.points.iter().map(|p| p.param(path));
        let first = values.next();
        values.any(|v| Some(v) != first)
    };
    study.paths().filter(differs).collect()
}

fn names_of(study: &Study, point: usize, paths: &[&str]) -> Vec<String> {
    let value = |path: &&str| {
        let value = study.points.get(point)?.param(path);
        Some(value?.short())
    };
    paths.iter().map(|p| value(p).unwrap_or_default()).collect()
}

/// Flows point by point, and all flows of a point together where there are several.
pub(in crate::report) fn flows(study: &Study, results: &Results, limit: usize) -> Grid {
    let paths = varying(study);
    let columns = table_columns(study);
    let several = |run: &RunResult| run.outcome.flows.len() > 1;
    let any_several = results.iter().any(|(_, _, run)| several(&run));
    let mut lines = Vec::new();
    let mut left_out = 0;
    for point in 0..results.points() {
        let Some(run) = results.first(point) else {
            continue;
        };
        let flows = run.outcome.flows.len();
        let entities = (0..flows).chain(several(&run).then_some(ALL));
        for entity in entities {
            if lines.len() >= limit {
                left_out += 1;
                continue;
            }
            let mut names = names_of(study, point, &paths);
            let flow = run.outcome.flows.get(entity);
            names.push(flow.map_or("all flows".to_owned(), |f| f.name.clone()));
            if !paths.iter().any(|p| p.ends_with(".transport")) {
                let label = study.points.get(point).and_then(|p| p.flows.get(entity));
                let transport = label.map(|label| transport_name(&label.transport));
                names.push(transport.unwrap_or_default());
            }
            lines.push(Line {
                point,
                names,
                entity,
            });
        }
    }
    let mut heads = Words::of(study).heads(&paths);
    heads.push("flow".into());
    if !paths.iter().any(|p| p.ends_with(".transport")) {
        heads.push("transport".into());
    }
    let mut fields: Vec<Field<'_>> = columns
        .iter()
        .map(|&column| Field {
            label: column.label,
            unit: column.unit,
            until: column.until,
            value: Box::new(move |run, line| {
                let flows = &run.outcome.flows;
                if let Some(flow) = flows.get(line.entity) {
                    return (column.get)(flow).sample();
                }
                let point = study.points.get(line.point)?;
                pool_flows(point, column, flows.iter().enumerate())
            }),
        })
        .collect();
    if any_several {
        fields.push(Field {
            label: "Jain's index",
            unit: Unit::Ratio,
            until: false,
            value: Box::new(|run, line| {
                let point = study.points.get(line.point)?;
                (line.entity == ALL).then(|| fairness(&run.outcome, point))?
            }),
        });
    }
    over_points(results, "Flows", heads, &fields, &lines, left_out)
}

/// Links point by point.
pub(in crate::report) fn links(study: &Study, results: &Results, limit: usize) -> Grid {
    let table = Table {
        title: "Links",
        head: "link",
        columns: LINK,
        always: &ALWAYS,
        of: |outcome| &outcome.links,
        name: |link: &LinkOutcome| &link.name,
        has_worked: |link| link.offered > 0,
    };
    table.grid(study, results, limit)
}

/// Flows that proxies split point by point, from end to end.
pub(in crate::report) fn proxies(study: &Study, results: &Results, limit: usize) -> Grid {
    let table = Table {
        title: "Proxies",
        head: "flow",
        columns: PROXY,
        always: &ALWAYS_OF_PROXIES,
        of: |outcome| &outcome.proxies,
        name: |proxy: &ProxyOutcome| &proxy.name,
        has_worked: |_| true,
    };
    table.grid(study, results, limit)
}

/// Stations of the radio network point by point.
pub(in crate::report) fn stations(study: &Study, results: &Results, limit: usize) -> Grid {
    let table = Table {
        title: "Stations",
        head: "station",
        columns: STATION,
        always: &ALWAYS_OF_STATIONS,
        of: |outcome| &outcome.stations,
        name: |station: &StationOutcome| &station.name,
        has_worked: |_| true,
    };
    table.grid(study, results, limit)
}

/// A table of what a network consists of.
struct Table<T: 'static> {
    title: &'static str,
    head: &'static str,
    columns: &'static [Column<T>],
    /// Columns that are there in any case; others where something is in them.
    always: &'static [&'static str],
    of: fn(&Outcome) -> &[T],
    name: fn(&T) -> &str,
    has_worked: fn(&T) -> bool,
}

impl<T> Table<T> {
    /// Whether each column is in the table: one look at each run, until all are.
    fn occur(&self, results: &Results) -> Vec<bool> {
        let always = self.columns.iter().map(|c| self.always.contains(&c.name));
        let mut occur: Vec<bool> = always.collect();
        for (_, _, run) in results.iter() {
            for (column, occurs) in self.columns.iter().zip(&mut occur) {
                let mut all = (self.of)(&run.outcome).iter();
                *occurs |= all.any(|o| (column.get)(o).number().is_some_and(|n| n != 0.0));
            }
            if occur.iter().all(|occurs| *occurs) {
                break;
            }
        }
        occur
    }

    fn grid(&self, study: &Study, results: &Results, limit: usize) -> Grid {
        let paths = varying(study);
        let mut lines = Vec::new();
        let mut left_out = 0;
        for point in 0..results.points() {
            let Some(run) = results.first(point) else {
                continue;
            };
            for (entity, of) in (self.of)(&run.outcome).iter().enumerate() {
                if !(self.has_worked)(of) {
                    continue;
                }
                if lines.len() >= limit {
                    left_out += 1;
                    continue;
                }
                let mut names = names_of(study, point, &paths);
                names.push((self.name)(of).to_owned());
                lines.push(Line {
                    point,
                    names,
                    entity,
                });
            }
        }
        let mut heads = Words::of(study).heads(&paths);
        heads.push(self.head.into());
        let of = self.of;
        let field = |column: &'static Column<T>| Field {
            label: column.label,
            unit: column.unit,
            until: column.until,
            value: Box::new(move |run: &RunResult, line: &Line| {
                (column.get)(of(&run.outcome).get(line.entity)?).number()
            }),
        };
        let columns = self.columns.iter().zip(self.occur(results));
        let used = columns.filter(|(_, occurs)| *occurs);
        let used: Vec<_> = used.map(|(column, _)| field(column)).collect();
        over_points(results, self.title, heads, &used, &lines, left_out)
    }
}
