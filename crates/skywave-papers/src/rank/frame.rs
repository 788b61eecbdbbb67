//! The ranking as a Parquet file: one row a composition and path.

use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, StringArray};
use arrow_schema::{DataType, Field};

use super::{Kind, OnPath, Ranked, RankedPath, Row, Study};
use skywave_lab::experiment::ENGINE;
use skywave_lab::experiment::stats::Estimate;
use skywave_lab::report::frame::{Frame, text, unit};
use skywave_lab::report::{write_csv, write_frame};

/// A row of the table.
type Line<'a> = (&'a Row, &'a RankedPath, &'a OnPath);

/// A measured column: its name and its value, whose interval's half gets a column too.
type Measured = (&'static str, fn(&OnPath) -> Option<Estimate>);

const MEASURED: [Measured; 12] = [
    ("goodput_bps", |on| on.goodput),
    ("share", |on| on.share),
    ("gain", |on| on.gain),
    ("over_base", |on| on.over_base),
    ("timeouts", |on| on.timeouts),
    ("retransmits", |on| on.retransmits),
    ("resent", |on| on.resent),
    ("channel", |on| on.channel),
    ("delay", |on| on.delay),
    ("taken", |on| on.beside.taken),
    ("left", |on| on.beside.left),
    ("jain", |on| on.beside.jain),
];

/// Writes the ranking as a Parquet file: one row for each sender composition and path, with the study's file in the
/// metadata.
pub fn write_ranking<W: Write + Send>(out: W, study: &Study, ranked: &Ranked) -> io::Result<()> {
    let metadata = [
        ("title", study.title.clone()),
        ("study", study.text.clone()),
    ];
    write_frame(out, frame(study, ranked), ENGINE, metadata)
}

/// Writes the ranking as CSV: one row for each sender composition and path.
pub fn write_ranking_csv<W: Write>(out: W, study: &Study, ranked: &Ranked) -> io::Result<()> {
    write_csv(out, frame(study, ranked))
}

/// The table.
fn frame(study: &Study, ranked: &Ranked) -> Frame<'static> {
    let ranking = &ranked.ranking;
    let rows = ranking.rows.iter();
    let lines: Vec<Line<'_>> = rows
        .flat_map(|row| {
            ranking
                .paths
                .iter()
                .zip(&row.on)
                .map(move |(p, o)| (row, p, o))
        })
        .collect();
    let mut fields = vec![
        Field::new("composition", DataType::Utf8, false),
        Field::new("published", DataType::Boolean, false),
        Field::new("proposed", DataType::Boolean, false),
        Field::new("path", DataType::Utf8, false),
        Field::new("kind", DataType::Utf8, false),
        Field::new("family", DataType::Utf8, true),
        Field::new("rank", DataType::Float64, true),
        Field::new("beats_published", DataType::Boolean, false),
    ];
    let flags = |flag: &dyn Fn(&Line<'_>) -> bool| -> ArrayRef {
        Arc::new(BooleanArray::from(
            lines.iter().map(flag).collect::<Vec<_>>(),
        ))
    };
    let reals = |real: &dyn Fn(&OnPath) -> Option<f64>| -> ArrayRef {
        Arc::new(lines.iter().map(|l| real(l.2)).collect::<Float64Array>())
    };
    // The lines of a composition are in the order of the paths.
    let families = || {
        study
            .paths
            .iter()
            .map(|path| Some(&*path.family.as_ref()?.name))
    };
    let families = ranking.rows.iter().flat_map(|_| families());
    let mut columns = vec![
        text(
            lines
                .iter()
                .map(|l| study.entries[l.0.entry].label.as_str()),
        ),
        flags(&|l| study.entries[l.0.entry].published),
        flags(&|l| study.proposed == Some(l.0.entry)),
        text(lines.iter().map(|l| l.1.name.as_str())),
        text(lines.iter().map(|l| kind(l.1.kind))),
        Arc::new(families.collect::<StringArray>()),
        reals(&|on| on.rank),
        flags(&|l| l.2.beats_published),
    ];
    for (name, get) in MEASURED {
        let fraction = name != "goodput_bps";
        for (suffix, number) in [
            (
                "",
                (|e: Estimate| Some(e.mean)) as fn(Estimate) -> Option<f64>,
            ),
            ("_half95", |e| e.half),
        ] {
            let field = Field::new(format!("{name}{suffix}"), DataType::Float64, true);
            fields.push(if fraction {
                field
            } else {
                field.with_metadata(unit("bit/s"))
            });
            columns.push(reals(&|on| get(on).and_then(number)));
        }
    }
    Frame::new(fields, std::iter::once(Ok(columns)))
}

/// The word for it, as in the file of a study.
pub(super) const fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Lossy => "lossy",
        Kind::Clean => "clean",
        Kind::Fairness => "fairness",
        Kind::Any => "any",
    }
}
