//! The ranking as lines of JSON: one a composition, best first.

use serde_json::{Map, Value, json};

use super::grids::mark;
use super::ranking::{Beside, Row};
use super::{OnPath, Ranked, Study, families};
use skywave_lab::experiment::stats::Estimate;

/// The ranking as JSON: a line with an object for each sender composition, in the order of
/// [`Ranking::rows`](super::Ranking::rows) or, for a study whose paths belong to families, of
/// [`Families::standings`](super::Families::standings).
pub fn json_lines(study: &Study, ranked: &Ranked) -> String {
    if study.has_families() {
        return families::json_lines(study, ranked);
    }
    let lines = ranked.ranking.rows.iter().enumerate();
    let line = |(place, row)| format!("{}\n", object(study, ranked, place + 1, row));
    lines.map(line).collect()
}

fn object(study: &Study, ranked: &Ranked, place: usize, row: &Row) -> Value {
    let entry = &study.entries[row.entry];
    let label = |entry: usize| study.entries[entry].label.clone();
    let paths = ranked.ranking.paths.iter().zip(&row.on);
    let paths: Map<String, Value> = paths.map(|(p, on)| (p.name.clone(), on_path(on))).collect();
    let together = row.beside.iter();
    let together: Map<String, Value> = together.map(|(b, x)| (label(*b), beside(x))).collect();
    json!({
        "study": study.name,
        "place": place,
        "composition": entry.label,
        "base": entry.base.map(label),
        "published": entry.published,
        "proposed": mark(study, row.entry) == "proposed",
        "lossy_share": estimate(row.lossy),
        "clean_share": estimate(row.clean),
        "mean_rank": row.mean_rank,
        "wins": row.wins,
        "losses": row.losses,
        "delay": row.delay,
        "beside": together,
        "paths": paths,
    })
}

fn on_path(on: &OnPath) -> Value {
    json!({
        "goodput_bps": estimate(on.goodput),
        "share": estimate(on.share),
        "rank": on.rank,
        "gain": estimate(on.gain),
        "over_base": estimate(on.over_base),
        "timeouts": estimate(on.timeouts),
        "retransmits": estimate(on.retransmits),
        "beats_published": on.beats_published,
        "delay": estimate(on.delay),
        "beside": beside(&on.beside),
    })
}

fn beside(beside: &Beside) -> Value {
    if *beside == Beside::default() {
        return Value::Null;
    }
    json!({
        "taken": estimate(beside.taken),
        "left": estimate(beside.left),
        "jain": estimate(beside.jain),
    })
}

fn estimate(estimate: Option<Estimate>) -> Value {
    estimate.map_or(Value::Null, |e| {
        let (low, high) = e.bounds();
        let interval = e.half.map(|_| [low, high]);
        json!({ "mean": e.mean, "ci95": interval })
    })
}
