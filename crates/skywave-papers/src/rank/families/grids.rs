//! The figures as tables of text: what the terminal, Markdown and the HTML page have in common.

use std::fmt::Write;

use super::super::grids::{delay_name, number};
use super::super::study::Study;
use super::super::{Delay, Ranked};
use super::{Families, Figures, Set, Standing, Together, WORST};
use skywave_lab::report::number::fixed;
use skywave_lab::report::{Grid, NONE};

/// The tables for a terminal, with at most `rows` senders: over all paths and by group, the worst paths, and shares by
/// family.
pub(in super::super) fn text_grids(study: &Study, ranked: &Ranked, rows: usize) -> Vec<Grid> {
    let families = Families::of(study, ranked);
    let senders = over_groups(study, &families).into_iter();
    let senders = senders.chain([worst(study, &families)]);
    let mut grids: Vec<Grid> = senders.map(|grid| grid.limited(rows)).collect();
    grids.push(shares(study, &families));
    grids
}

/// The tables for a page: those for a terminal with all senders, and the other figures by family.
pub(in super::super) fn markdown_grids(study: &Study, ranked: &Ranked) -> Vec<Grid> {
    all(study, &Families::of(study, ranked))
}

pub(super) fn all(study: &Study, families: &Families) -> Vec<Grid> {
    let mut grids = over_groups(study, families);
    grids.extend([worst(study, families), shares(study, families)]);
    grids.extend(by_family(study, families));
    grids
}

fn percent(value: Option<f64>) -> String {
    number(value.map(|value| 100.0 * value), 1)
}

fn multiple(value: Option<f64>) -> String {
    number(value, 2)
}

/// The delay that is measured, in a word.
fn delay_word(study: &Study) -> &'static str {
    match study.delay {
        Delay::Rtt => "RTT",
        Delay::DelayP95 => "delay",
    }
}

/// Legend of the words over the columns of senders.
pub(in super::super) fn words(study: &Study) -> String {
    let mut out = format!(
        "mean, geom., 10th, worst, <80: goodput as a share of the best sender's on each path: mean, geometric\n\
         mean, tenth percentile, the least, and on how many paths it is below 80. channel: goodput as a share of\n\
         what each path carries. {}: {}, geometric mean. again: packets that were sent again.\n",
        delay_word(study),
        delay_name(study.delay),
    );
    if let Some(reference) = study.reference {
        let label = &study.entries[reference].label;
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "left, least: goodput of the flows beside it against what they have beside {label} in its place: mean and\n\
             least."
        );
    }
    out
}

/// `all paths (208)`.
fn title(set: &Set) -> String {
    format!("{} ({})", set.of.title(), set.paths.len())
}

/// A table of the senders for all paths and for each group.
fn over_groups(study: &Study, families: &Families) -> Vec<Grid> {
    let sets = families.sets.iter().enumerate();
    let groups = sets.filter(|(_, set)| !matches!(set.of, Together::Family(_)));
    groups
        .map(|(index, set)| over(study, families, index, set))
        .collect()
}

/// A column of a table of senders: whether it is there, its head, and its cells.
type Column<'a> = (bool, &'a str, fn(&Figures) -> String);

fn over(study: &Study, families: &Families, index: usize, set: &Set) -> Grid {
    let figures = || families.standings.iter().map(|s| &s.over[index]);
    // What no sender has on these paths needs no column.
    let has_left = figures().any(|figures| figures.left.is_some());
    let columns: [Column<'_>; 10] = [
        (true, "mean", |f| percent(f.share.map(|s| s.mean))),
        (true, "geom.", |f| {
            percent(f.share.map(|s| s.geometric_mean))
        }),
        (true, "10th", |f| percent(f.share.map(|s| s.p10))),
        (true, "worst", |f| percent(f.share.map(|s| s.worst))),
        (true, "<80", |f| {
            f.share.map_or(NONE.to_owned(), |s| s.low.to_string())
        }),
        (true, "channel", |f| percent(f.channel.map(|s| s.mean))),
        (true, delay_word(study), |f| multiple(f.delay)),
        (true, "again", |f| percent(f.resent)),
        (has_left, "left", |f| percent(f.left.map(|s| s.mean))),
        (has_left, "least", |f| percent(f.left.map(|s| s.worst))),
    ];
    let there = || columns.iter().filter(|(is_there, ..)| *is_there);
    let heads = there().map(|(_, head, _)| *head);
    let head = std::iter::once("sender").chain(heads).map(str::to_owned);
    let line = |standing: &Standing| {
        let label = study.entries[standing.entry].label.clone();
        let cells = there().map(|(.., cell)| cell(&standing.over[index]));
        std::iter::once(label).chain(cells).collect()
    };
    Grid {
        title: format!(
            "Goodput as a share of the best (%), and more: {}",
            title(set)
        ),
        head: head.collect(),
        names: 1,
        rows: families.standings.iter().map(line).collect(),
        left_out: 0,
    }
}

/// Sets of paths by senders.
fn by_set(
    study: &Study,
    families: &Families,
    title_of: &str,
    cell: impl Fn(&Figures) -> String,
) -> Grid {
    let senders = || families.standings.iter();
    let labels = senders().map(|standing| study.entries[standing.entry].label.clone());
    let line = |(index, set): (usize, &Set)| {
        let cells = senders().map(|standing| cell(&standing.over[index]));
        std::iter::once(title(set)).chain(cells).collect()
    };
    Grid {
        title: title_of.to_owned(),
        head: std::iter::once("paths".to_owned()).chain(labels).collect(),
        names: 1,
        rows: families.sets.iter().enumerate().map(line).collect(),
        left_out: 0,
    }
}

fn shares(study: &Study, families: &Families) -> Grid {
    let title =
        "Goodput as a share of the best on each path (%): mean, worst, number of paths below 80";
    by_set(study, families, title, |figures| {
        figures.share.map_or_else(
            || NONE.to_owned(),
            |s| {
                let (mean, worst) = (fixed(100.0 * s.mean, 1), fixed(100.0 * s.worst, 0));
                format!("{mean}, {worst}, {}", s.low)
            },
        )
    })
}

/// The other figures; means over the paths.
fn by_family(study: &Study, families: &Families) -> Vec<Grid> {
    let grid = |title: &str, cell: fn(&Figures) -> String| by_set(study, families, title, cell);
    let delay = format!("{}, geometric mean", delay_name(study.delay));
    let mut grids = vec![
        grid(
            "Goodput as a share of the best on each path, geometric mean (%)",
            |f| percent(f.share.map(|s| s.geometric_mean)),
        ),
        grid(
            "Goodput as a share of what each path carries, mean (%)",
            |f| percent(f.channel.map(|s| s.mean)),
        ),
        grid(&delay, |f| multiple(f.delay)),
        grid("Packets that were sent again, mean (%)", |f| {
            percent(f.resent)
        }),
    ];
    if let Some(reference) = study.reference {
        let label = &study.entries[reference].label;
        let title =
            format!("Goodput left to the flows beside it against what {label} leaves, mean (%)");
        let mut left = grid(&title, |f| percent(f.left.map(|s| s.mean)));
        left.rows
            .retain(|row| row[1..].iter().any(|cell| cell != NONE));
        grids.push(left);
    }
    grids
}

fn worst(study: &Study, families: &Families) -> Grid {
    let line = |standing: &Standing| {
        let path = |&(share, path): &(f64, usize)| {
            let path = &study.paths[path];
            let family = path.family.as_ref().map_or("", |family| &family.name);
            format!("{} {family}: {}", path.name, fixed(100.0 * share, 1))
        };
        let mut cells: Vec<String> = standing.worst().iter().map(path).collect();
        cells.resize(WORST, NONE.to_owned());
        cells.insert(0, study.entries[standing.entry].label.clone());
        cells
    };
    let mut head = vec!["sender".to_owned()];
    head.extend((1..=WORST).map(|place| place.to_string()));
    Grid {
        title: "The worst paths of each sender: goodput as a share of the best there (%)".into(),
        head,
        names: 1,
        rows: families.standings.iter().map(line).collect(),
        left_out: 0,
    }
}
