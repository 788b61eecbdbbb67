//! The figures as lines of JSON: one a sender, the highest mean first.

use serde_json::{Map, Value, json};

use super::super::Ranked;
use super::super::grids::mark;
use super::super::ranking::OnPath;
use super::super::study::{Study, StudyPath};
use super::{Families, Figures, Spread, Standing, Together};
use skywave_lab::experiment::stats::Estimate;

/// One object a sender.
pub(in super::super) fn json_lines(study: &Study, ranked: &Ranked) -> String {
    let families = Families::of(study, ranked);
    let lines = families.standings.iter().enumerate();
    let line = |(place, standing)| {
        format!(
            "{}\n",
            object(study, ranked, &families, place + 1, standing)
        )
    };
    lines.map(line).collect()
}

fn object(
    study: &Study,
    ranked: &Ranked,
    families: &Families,
    place: usize,
    standing: &Standing,
) -> Value {
    let entry = &study.entries[standing.entry];
    let over = |wanted: fn(&Together) -> bool| -> Map<String, Value> {
        let sets = families.sets.iter().zip(&standing.over);
        let sets = sets.filter(|(set, _)| wanted(&set.of));
        sets.map(|(set, figures)| (set.of.title().to_owned(), figures_of(figures)))
            .collect()
    };
    let worst = standing.worst().iter();
    let worst: Vec<Value> = worst
        .map(|&(share, path)| json!({ "path": study.paths[path].name, "share": share }))
        .collect();
    let row = ranked.ranking.row(standing.entry);
    let on = study.paths.iter().zip(row.map_or(&[][..], |row| &row.on));
    let on: Map<String, Value> = on
        .map(|(path, on)| (path.name.clone(), on_path(path, on)))
        .collect();
    json!({
        "study": study.name,
        "place": place,
        "composition": entry.label,
        "published": entry.published,
        "proposed": mark(study, standing.entry) == "proposed",
        "all": figures_of(&standing.over[0]),
        "groups": over(|of| matches!(of, Together::Group(_))),
        "families": over(|of| matches!(of, Together::Family(_))),
        "worst": worst,
        "paths": on,
    })
}

fn figures_of(figures: &Figures) -> Value {
    json!({
        "share": spread(figures.share),
        "channel": spread(figures.channel),
        "delay": figures.delay,
        "resent": figures.resent,
        "left": spread(figures.left),
    })
}

fn spread(spread: Option<Spread>) -> Value {
    spread.map_or(Value::Null, |s| {
        json!({
            "paths": s.paths,
            "mean": s.mean,
            "geometric_mean": s.geometric_mean,
            "p10": s.p10,
            "worst": s.worst,
            "below_80": s.low,
        })
    })
}

fn on_path(path: &StudyPath, on: &OnPath) -> Value {
    let mean = |estimate: Option<Estimate>| estimate.map(|estimate| estimate.mean);
    let family = path.family.as_ref();
    json!({
        "family": family.map(|family| &family.name),
        "group": family.map(|family| family.group.title()),
        "goodput_bps": mean(on.goodput),
        "share": mean(on.share),
        "channel": mean(on.channel),
        "delay": mean(on.delay),
        "resent": mean(on.resent),
        "left": mean(on.beside.left),
    })
}
