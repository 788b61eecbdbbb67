//! The ranking for a terminal.

use std::fmt::Write;

use super::grids::{against_published, as_fair_as, by_path, summary};
use super::mechanisms::{notes, tables};
use super::{Ranked, Study, families};
use skywave_lab::report::number::counted;
use skywave_lab::report::render;

/// Ranking of a study as tables for a terminal of `width` columns, with at most `rows` sender compositions.
pub fn table(study: &Study, ranked: &Ranked, width: usize, rows: usize) -> String {
    if study.has_families() {
        return of_families(study, ranked, width, rows);
    }
    let ranking = &ranked.ranking;
    let mut out = format!("{}\n\n", study.title);
    let long = tables(study, ranking).into_iter();
    let long = long.chain([by_path(study, ranking), summary(study, ranking)]);
    let long = long.map(|grid| grid.limited(rows));
    let short = [
        against_published(study, ranking),
        as_fair_as(study, &ranked.samples),
    ];
    for grid in long.chain(short.into_iter().flatten()) {
        out.push_str(&render(&grid, width, "ranking.parquet"));
        out.push('\n');
    }
    out.push_str(&absent(study));
    let seeds = study.scenarios.first().map_or(0, |s| s.seeds().len());
    let _ = writeln!(
        out,
        "{} over {}; 95% intervals over {}, paired by seed.\n\
         wins: lossy paths on which it is faster than every published variant. losses: clean paths \
         on which\nit is slower than the best of them. Both with the whole interval, and where not all \
         seeds give the same.",
        counted(study.entries.len(), "composition"),
        counted(study.paths.len(), "path"),
        counted(seeds, "seed"),
    );
    out
}

/// Compositions and mechanisms that do not run on some path or on any, with the reasons.
fn absent(study: &Study) -> String {
    let mut out = String::new();
    for (letter, reason) in notes(study) {
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(out, "({letter}) {reason}");
    }
    for (label, reason) in &study.left_out {
        let _ = writeln!(out, "Left out: {label} ({reason})");
    }
    out
}

/// The tables of a study of families.
fn of_families(study: &Study, ranked: &Ranked, width: usize, rows: usize) -> String {
    let mut out = format!("{}\n\n", study.title);
    for grid in families::text_grids(study, ranked, rows) {
        out.push_str(&render(&grid, width, "ranking.html"));
        out.push('\n');
    }
    out.push_str(&absent(study));
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "{} over {}.\n{}",
        counted(study.entries.len(), "sender"),
        counted(study.paths.len(), "path"),
        families::words(study)
    );
    out
}
