//! Mechanisms beside what they change, as tables of text.

use super::grids::{number, share};
use super::ranking::{OnPath, RankedPath, Ranking, Row};
use super::study::Study;
use super::{Kind, Ranked};
use skywave_lab::experiment::stats::Estimate;
use skywave_lab::report::number::{decimals, fixed, plus_minus, scale};
use skywave_lab::report::plot::{Heat, HeatCell};
use skywave_lab::report::{Grid, NONE};
use skywave_sim::outcome::Unit;

/// Whether a study sets a composition beside another one.
pub(super) fn any(study: &Study) -> bool {
    study.entries.iter().any(|entry| entry.base.is_some())
}

/// Why cells are empty: each reason once, with the letter that stands in the cells.
pub(super) fn notes(study: &Study) -> Vec<(String, &str)> {
    let mut reasons: Vec<&str> = Vec::new();
    for refused in &study.refused {
        if !reasons.contains(&refused.reason.as_str()) {
            reasons.push(&refused.reason);
        }
    }
    let letters = reasons.into_iter().enumerate();
    letters.map(|(i, reason)| (letter(i), reason)).collect()
}

/// a to z, then aa, ab, …
fn letter(index: usize) -> String {
    let last = char::from(b'a' + (index % 26) as u8);
    match index / 26 {
        0 => last.to_string(),
        before => format!("{}{last}", letter(before - 1)),
    }
}

/// Mark in the cell of a composition on a path where it does not run, such as `(a)`.
pub(super) fn note(study: &Study, entry: usize, path: usize) -> Option<String> {
    let here = |refused: &&super::Refused| (refused.entry, refused.path) == (entry, path);
    let refused = study.refused.iter().find(here)?;
    let notes = notes(study);
    let found = notes.iter().find(|(_, reason)| *reason == refused.reason)?;
    Some(format!("({})", found.0))
}

/// The rows in the order of the study.
fn in_order<'a>(study: &Study, ranking: &'a Ranking) -> Vec<&'a Row> {
    let entries = 0..study.entries.len();
    entries.filter_map(|entry| ranking.row(entry)).collect()
}

/// A table of all mechanisms over the paths that `wanted` takes.
fn grid(
    study: &Study,
    ranking: &Ranking,
    title: &str,
    wanted: fn(Kind) -> bool,
    cell: impl Fn(&RankedPath, &OnPath) -> String,
) -> Option<Grid> {
    let paths = ranking.paths.iter().enumerate();
    let paths: Vec<(usize, &RankedPath)> = paths.filter(|(_, p)| wanted(p.kind)).collect();
    if !any(study) || paths.is_empty() {
        return None;
    }
    let mut head = vec!["mechanism".to_owned(), "beside".to_owned()];
    head.extend(paths.iter().map(|(_, path)| path.name.clone()));
    let line = |row: &Row| {
        let entry = &study.entries[row.entry];
        let base = entry.base.map_or("", |base| &study.entries[base].label);
        let cells = paths.iter().map(|&(index, path)| {
            note(study, row.entry, index).unwrap_or_else(|| cell(path, &row.on[index]))
        });
        [entry.label.clone(), base.to_owned()]
            .into_iter()
            .chain(cells)
            .collect()
    };
    Some(Grid {
        title: title.to_owned(),
        head,
        names: 2,
        rows: in_order(study, ranking).into_iter().map(line).collect(),
        left_out: 0,
    })
}

fn count(estimate: Option<Estimate>) -> String {
    estimate.map_or_else(
        || NONE.to_owned(),
        |e| plus_minus(&e, 1.0, usize::from(e.mean < 10.0)),
    )
}

/// The gain over a base in percent, with its sign.
fn gain(estimate: Estimate) -> String {
    let text = plus_minus(&estimate, 100.0, usize::from(estimate.mean.abs() < 0.1));
    if estimate.mean > 0.0 {
        format!("+{text}")
    } else {
        text
    }
}

/// The tables: goodput, timeouts and retransmissions, fairness; none without a mechanism that has a base.
pub(super) fn tables(study: &Study, ranking: &Ranking) -> Vec<Grid> {
    let on = |row: &Row| {
        row.on
            .iter()
            .filter_map(|on| Some(on.goodput?.mean))
            .fold(0.0, f64::max)
    };
    let largest = ranking.rows.iter().map(on).fold(0.0, f64::max);
    let scaled = scale(Unit::BitRate, largest);
    let goodput = |_: &RankedPath, on: &OnPath| {
        let Some(goodput) = on.goodput else {
            return NONE.to_owned();
        };
        let mean = goodput.mean * scaled.factor;
        let text = plus_minus(&goodput, scaled.factor, decimals(mean));
        match on.over_base {
            Some(over) => format!("{text} ({})", gain(over)),
            None => text,
        }
    };
    let repairs =
        |_: &RankedPath, on: &OnPath| format!("{} / {}", count(on.timeouts), count(on.retransmits));
    let fairness = |_: &RankedPath, on: &OnPath| {
        let jain = number(on.beside.jain.map(|e| e.mean), 2);
        format!("{} ({jain})", share(on.beside.left))
    };
    let is_fairness: fn(Kind) -> bool = |kind| kind == Kind::Fairness;
    let is_goodput: fn(Kind) -> bool = |kind| kind != Kind::Fairness;
    let title = format!(
        "Goodput in {}, and what it is above or below that of what it is set beside (%)",
        scaled.label
    );
    [
        grid(study, ranking, &title, is_goodput, goodput),
        grid(
            study,
            ranking,
            "Timeouts / segments sent again; with a proxy on both sides of it together",
            is_goodput,
            repairs,
        ),
        grid(
            study,
            ranking,
            "Left to the flows beside it, in % of what they have beside as many of their own (Jain's index of \
             all flows)",
            is_fairness,
            fairness,
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The study as a map: a shaded cell for each composition and path, the best of a path framed.
pub(super) fn heat(study: &Study, ranked: &Ranked) -> Heat {
    let ranking = &ranked.ranking;
    let rows = if any(study) {
        in_order(study, ranking)
    } else {
        ranking.rows.iter().collect()
    };
    let row = |row: &Row| {
        let cells = ranking.paths.iter().zip(&row.on).enumerate();
        let cells = cells.map(|(index, (path, on))| cell(study, index, path, on, row.entry));
        (study.entries[row.entry].label.clone(), cells.collect())
    };
    let notes = notes(study).into_iter();
    Heat {
        title: study.title.clone(),
        columns: ranking.paths.iter().map(|path| path.name.clone()).collect(),
        rows: rows.into_iter().map(row).collect(),
        notes: std::iter::once(
            "Goodput in % of the best on a path, which has a frame; beside others, what is left to them in % of what \
             they have beside their own."
                .to_owned(),
        )
        .chain(notes.map(|(letter, reason)| format!("({letter}) {reason}")))
        .collect(),
    }
}

/// The cell of a composition on a path.
pub(super) fn cell(
    study: &Study,
    index: usize,
    path: &RankedPath,
    on: &OnPath,
    entry: usize,
) -> HeatCell {
    let value = match path.kind {
        Kind::Fairness => on.beside.left,
        Kind::Lossy | Kind::Clean | Kind::Any => on.share,
    };
    let mean = value.map(|e| e.mean);
    let empty = || note(study, entry, index).unwrap_or_else(|| NONE.to_owned());
    HeatCell {
        text: mean.map_or_else(empty, |x| fixed(100.0 * x, 0)),
        hint: match mean {
            Some(_) => format!("{}: {} %", path.name, share(value)),
            None => path.name.clone(),
        },
        share: mean,
        framed: path.kind != Kind::Fairness && path.best == Some(entry),
    }
}
