//! The ranking as tables of text: what the terminal and the HTML page have in common.

use super::frame::kind;
use super::mechanisms::note;
use super::model::{Delay, Kind};
use super::ranking::{OnPath, RankedPath, Ranking, Row};
use super::samples::PathSamples;
use super::study::Study;
use skywave_lab::experiment::stats::{Estimate, paired_gain};
use skywave_lab::report::number::{decimals, fixed, percent, plus_minus, scale};
use skywave_lab::report::{Grid, NONE};
use skywave_sim::outcome::Unit;

/// `93.1 ±0.4`, in percent.
pub(super) fn share(estimate: Option<Estimate>) -> String {
    estimate.map_or_else(|| NONE.to_owned(), |e| plus_minus(&e, 100.0, 1))
}

/// A number with `decimals` decimals; where there is no value, the sign for that.
pub(super) fn number(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(|| NONE.to_owned(), |x| fixed(x, decimals))
}

fn mean(estimate: Option<Estimate>) -> Option<f64> {
    estimate.map(|e| e.mean)
}

/// The name of the delay that is measured, for people.
pub(super) const fn delay_name(delay: Delay) -> &'static str {
    match delay {
        Delay::Rtt => "RTT / base RTT",
        Delay::DelayP95 => "95% delay / base delay",
    }
}

/// A column of a table of compositions: whether it is there, its head, and its cells.
type Column<'a> = (bool, &'a str, &'a dyn Fn(&Row) -> String);

/// All compositions, best first.
pub(super) fn summary(study: &Study, ranking: &Ranking) -> Grid {
    let has = |kind| ranking.paths.iter().any(|p: &RankedPath| p.kind == kind);
    let (lossy, clean) = (has(Kind::Lossy), has(Kind::Clean));
    let columns: [Column<'_>; 8] = [
        (true, "composition", &|row| {
            study.entries[row.entry].label.clone()
        }),
        (true, "", &|row| mark(study, row.entry).to_owned()),
        (lossy, "lossy (%)", &|row| share(row.lossy)),
        (clean, "clean (%)", &|row| share(row.clean)),
        (true, "mean rank", &|row| number(row.mean_rank, 1)),
        (lossy, "wins", &|row| row.wins.to_string()),
        (clean, "losses", &|row| row.losses.to_string()),
        (true, delay_name(study.delay), &|row| number(row.delay, 2)),
    ];
    let there = || columns.iter().filter(|(is_there, ..)| *is_there);
    let mut head: Vec<String> = there().map(|(_, head, _)| (*head).to_owned()).collect();
    for baseline in ranking.baselines() {
        let name = &study.entries[baseline].label;
        head.push(format!("left to {name} (%)"));
        head.push(format!("taken / {name} (%)"));
        head.push("Jain".into());
    }
    let line = |row: &Row| {
        let mut cells: Vec<String> = there().map(|(.., cell)| cell(row)).collect();
        for (_, beside) in &row.beside {
            let jain = number(mean(beside.jain), 3);
            cells.extend([share(beside.left), share(beside.taken), jain]);
        }
        cells
    };
    Grid {
        title: "Goodput as a share of the best composition's on each path, mean over paths".into(),
        head,
        names: 2,
        rows: ranking.rows.iter().map(line).collect(),
        left_out: 0,
    }
}

/// A word for the part that a composition has in the study.
pub(super) fn mark(study: &Study, entry: usize) -> &'static str {
    if study.proposed == Some(entry) {
        "proposed"
    } else if study.entries[entry].published {
        "published"
    } else {
        ""
    }
}

/// Compositions by paths: goodput as a share of the best, and what is left to others on paths for
/// fairness.
pub(super) fn by_path(study: &Study, ranking: &Ranking) -> Grid {
    let mut head = vec!["composition".to_owned()];
    head.extend(ranking.paths.iter().map(|p| p.name.clone()));
    let cell = |path: &RankedPath, on: &OnPath| match path.kind {
        Kind::Fairness => number(mean(on.beside.left).map(|x| 100.0 * x), 1),
        _ => number(mean(on.share).map(|x| 100.0 * x), 1),
    };
    let line = |row: &Row| {
        let cells = ranking.paths.iter().zip(&row.on).enumerate();
        let cells = cells.map(|(index, (path, on))| {
            note(study, row.entry, index).unwrap_or_else(|| cell(path, on))
        });
        let name = study.entries[row.entry].label.clone();
        std::iter::once(name).chain(cells).collect()
    };
    Grid {
        title: "Path by path (%): goodput as a share of the best; on paths for fairness, what is \
                left to the others against what they get beside one of their own"
            .into(),
        head,
        names: 1,
        rows: ranking.rows.iter().map(line).collect(),
        left_out: 0,
    }
}

/// The proposed composition against the best published one on the paths for goodput.
pub(super) fn against_published(study: &Study, ranking: &Ranking) -> Option<Grid> {
    let proposed = ranking.row(study.proposed?)?;
    let label = |entry: Option<usize>| entry.map_or(NONE, |e| &study.entries[e].label).to_owned();
    let goodput = |on: Option<&OnPath>| {
        let Some(e) = on.and_then(|o| o.goodput) else {
            return NONE.to_owned();
        };
        let scaled = scale(Unit::BitRate, e.mean);
        let text = plus_minus(&e, scaled.factor, decimals(e.mean * scaled.factor));
        format!("{text} {}", scaled.label)
    };
    let counted = ranking.paths.iter().enumerate();
    let counted = counted.filter(|(_, p)| p.kind != Kind::Fairness);
    let line = |(index, path): (usize, &RankedPath)| {
        let on = &proposed.on[index];
        let rival = path.best_published.and_then(|e| ranking.row(e));
        vec![
            path.name.clone(),
            kind(path.kind).to_owned(),
            goodput(Some(on)),
            label(path.best_published),
            goodput(rival.map(|r| &r.on[index])),
            on.gain.map_or_else(|| NONE.to_owned(), |g| percent(&g)),
            if on.beats_published { "beats all" } else { "" }.to_owned(),
        ]
    };
    Some(Grid {
        title: format!(
            "{} against the best published variant on each path",
            study.entries[study.proposed?].label
        ),
        head: [
            "path",
            "",
            "goodput",
            "best published",
            "its goodput",
            "gain (%)",
            "",
        ]
        .map(str::to_owned)
        .to_vec(),
        names: 2,
        rows: counted.map(line).collect(),
        left_out: 0,
    })
}

/// Goodput that the proposed composition leaves to others, against the one whose fairness it is held to.
pub(super) fn as_fair_as(study: &Study, paths: &[PathSamples]) -> Option<Grid> {
    let (proposed, held_to) = (study.proposed?, study.as_fair_as?);
    let label = |entry: usize| study.entries[entry].label.as_str();
    let left = |path: &PathSamples, entry: usize| {
        let gain = paired_gain(&path.others[entry], &path.others[path.baseline?]);
        gain.map(|g| Estimate {
            mean: g.mean + 1.0,
            ..g
        })
    };
    let line = |path: &PathSamples| {
        let difference = paired_gain(&path.others[proposed], &path.others[held_to]);
        vec![
            path.name.clone(),
            path.baseline.map_or(NONE, label).to_owned(),
            share(left(path, proposed)),
            share(left(path, held_to)),
            difference.map_or_else(|| NONE.to_owned(), |d| percent(&d)),
        ]
    };
    let shared = |p: &&PathSamples| p.baseline.is_some() && !p.others.is_empty();
    let rows: Vec<_> = paths.iter().filter(shared).map(line).collect();
    (!rows.is_empty()).then(|| Grid {
        title: format!("What {} leaves to others (%)", label(proposed)),
        head: vec![
            "path".into(),
            "others".into(),
            format!("beside {}", label(proposed)),
            format!("beside {}", label(held_to)),
            "difference (%)".into(),
        ],
        names: 2,
        rows,
        left_out: 0,
    })
}
