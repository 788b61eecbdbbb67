//! All mistakes of a scenario file in one go, once reading it has failed at the first.
//!
//! The passes are those of reading, in the same order. Where reading ends at a mistake, a review
//! mends it and goes on: so names are looked up although a number is wrong.

use crate::lower::Context;
use crate::read::fault::Fault;
use crate::read::mistakes::Mistakes;
use crate::read::tree::{Entry, Node, Value};
use crate::read::{de, files, preset, tree};
use crate::sweep::{self, Axis};
use crate::{Point, Recorded, decode, lower_tree, report, report_of, search};

/// Points whose names are looked up for a report: enough for a file that a person writes and mends.
const POINTS: usize = 1000;
/// Links, stations and flows that these points may have together: a review must not take longer than a run.
const ENTITIES: usize = 20_000;

/// All mistakes that can be told apart, in the order of their places.
pub(crate) fn all(text: &str, context: &Context<'_>, recorded: Recorded) -> Vec<Fault> {
    let tree = files::check_size(text).and_then(|()| tree::parse(text));
    // What keeps it from being read at all is told already.
    let Ok(mut tree) = tree else {
        return Vec::new();
    };
    let swept = tree.remove("sweep");
    let searched = tree.remove("search");
    let shown = tree.remove("report");
    preset::apply(&mut tree);
    let mut mistakes = Mistakes::default();
    let file = mistakes.all(tree, stand_in, |tree| decode(tree).map(drop));
    if swept.is_some() {
        // A sweep may bring what is missing.
        mistakes.found.retain(Fault::is_inherent);
    }
    if let (Some(searched), Some(file)) = (searched, &file) {
        let look = |node: &Node| search::keys(node, file, text).map(drop);
        mistakes.names(searched.node, |_| None, look);
    }
    let points = file.and_then(|file| points(&mut mistakes, &file, swept, text, context));
    if let Some(shown) = shown {
        let read = |node: &Node| de::from_node::<report::ReportModel>(node).map(drop);
        let shown = mistakes.all(shown.node, |_| None, read);
        if let (Some(shown), Some((params, points))) = (shown, points) {
            let look = |node: &Node| report_of(node, &params, &points, recorded).map(drop);
            mistakes.names(shown, stand_in, look);
        }
    }
    let mut found = mistakes.found;
    found.sort_by_key(|fault| fault.span.as_ref().map_or(0, |span| span.start));
    found
}

/// Looks up the names in the file and in its sweep, at the sweep's first point. The swept paths and all points
/// as the file would make them without its mistakes, if that can be said.
fn points(
    mistakes: &mut Mistakes,
    file: &Node,
    swept: Option<Entry>,
    text: &str,
    context: &Context<'_>,
) -> Option<(Vec<String>, Vec<Point>)> {
    let before = mistakes.found.len();
    let axes: Vec<Axis> = match swept {
        None => Vec::new(),
        Some(entry) => {
            let look = |node: &Node| sweep::axes(node, file, text);
            mistakes.names(entry.node, stand_in, look)?
        }
    };
    // A report may name the path that was meant.
    let are_whole = mistakes.found.len() == before;
    let (first, _) = sweep::point(&axes, 0, file, text).ok()?;
    let look = |tree: &Node| lower_tree(tree, context).map(|(_, template)| template);
    let template = mistakes.names(first, stand_in, look)?;
    let count = sweep::count(&axes, &(0..0)).ok()?;
    if !are_whole || count > POINTS || count.saturating_mul(template.size()) > ENTITIES {
        return None;
    }
    let lowered = (0..count).map(|index| {
        let (tree, params) = sweep::point(&axes, index, file, text).ok()?;
        // What is wrong was told at the first point, or is left to the next look.
        let template = Mistakes::default().names(tree, stand_in, look)?;
        Some(Point { params, template })
    });
    Some((sweep::paths(&axes), lowered.collect::<Option<_>>()?))
}

/// A value of a key that a file must have: with it a link stays in the network, so that the names of its ends are
/// known, and a plot has its other names.
fn stand_in(key: &str) -> Option<Value> {
    let text = |text: &str| Some(Value::Text(text.to_owned()));
    match key {
        "delay" => text("1ms"),
        "rate" => text("1Mbps"),
        "y" => text("goodput"),
        "duration" => text("1000s"),
        "run" => tree::parse("duration = \"1000s\"")
            .ok()
            .map(|run| run.value),
        _ => None,
    }
}
