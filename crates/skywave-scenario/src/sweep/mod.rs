//! `[sweep]`: which fields vary, and the points that this makes.

pub(crate) mod notation;
pub(crate) mod param;
pub(crate) mod path;
pub(crate) mod settings;

use std::collections::BTreeSet;

use crate::read::fault::Fault;
use crate::read::tree::{Entry, Node, Span, Value};
use crate::sweep::param::ParamValue;
use crate::sweep::path::Path;

/// Largest number of runs, points times seeds, that a scenario may have: nobody waits for more.
pub const MAX_RUNS: usize = 1_000_000;
/// More points than fit in memory with room to spare.
const MAX_POINTS: usize = 100_000;

/// Some fields that vary together.
#[derive(Debug)]
pub(crate) struct Axis {
    paths: Vec<Path>,
    /// For each step, one value a path.
    steps: Vec<Vec<Node>>,
}

/// Reads `[sweep]` against the names in the file's tree.
pub(crate) fn axes(sweep: &Node, tree: &Node, text: &str) -> Result<Vec<Axis>, Fault> {
    if !matches!(sweep.value, Value::Table(_)) {
        return Err(
            Fault::must_be("a table of paths and arrays", &sweep.describe())
                .at(&sweep.span)
                .of("sweep"),
        );
    }
    let entries = path::entries(sweep, |_| false).into_iter();
    let axes = entries.map(|(prefix, entry)| axis(entry, &prefix, tree, text));
    let axes: Vec<Axis> = axes.collect::<Result<_, _>>()?;
    path::check_distinct(axes.iter().flat_map(|axis| &axis.paths), "swept", "sweep")?;
    Ok(axes)
}

fn axis(entry: &Entry, prefix: &str, tree: &Node, text: &str) -> Result<Axis, Fault> {
    let Some(items) = entry.node.as_array() else {
        return Err(
            Fault::must_be("an array of values to try", &entry.node.describe())
                .at(&entry.node.span)
                .of(&entry.key),
        );
    };
    if items.is_empty() {
        return Err(entry
            .node
            .fault("this sweep has no value")
            .label("at least one is needed"));
    }
    let paths = Path::all_of(entry, prefix, tree, text)?;
    let mut steps = Vec::with_capacity(items.len());
    let mut seen = BTreeSet::new();
    for item in items {
        let step = step(item, paths.len())?;
        if !seen.insert(step.iter().map(param::key).collect::<Vec<_>>()) {
            return Err(item
                .fault("this value is in the sweep twice")
                .label("the second time")
                .help("each value once; for more runs of each, raise `seeds` in [run]"));
        }
        steps.push(step);
    }
    Ok(Axis { paths, steps })
}

/// One value for each of `paths` linked paths.
pub(crate) fn step(item: &Node, paths: usize) -> Result<Vec<Node>, Fault> {
    match item.as_array() {
        Some(values) if paths > 1 => {
            if values.len() == paths {
                return Ok(values.to_vec());
            }
            Err(item
                .fault(format!(
                    "{paths} paths are linked here, but the number of values is {}",
                    values.len()
                ))
                .label(format!("one value, or an array of {paths}, is needed")))
        }
        _ => Ok(vec![item.clone(); paths]),
    }
}

/// Each path with a `*`, and what it reaches, in words.
pub(crate) fn reaches(axes: &[Axis]) -> Vec<(String, String)> {
    let paths = axes.iter().flat_map(|axis| &axis.paths);
    let starred = paths.filter(|path| !path.reach.is_empty());
    starred
        .map(|path| (path.text.clone(), path.reach.clone()))
        .collect()
}

/// How many points the axes make together.
pub(crate) fn count(axes: &[Axis], sweep: &Span) -> Result<usize, Fault> {
    let points = axes
        .iter()
        .try_fold(1_usize, |n, axis| n.checked_mul(axis.steps.len()))
        .filter(|&n| n <= MAX_POINTS);
    points.ok_or_else(|| {
        Fault::new(sweep.clone(), "this sweep is too large")
            .label(format!("more than {MAX_POINTS} points"))
    })
}

/// The tree and the parameters of point `index`; the last axis varies fastest.
pub(crate) fn point(
    axes: &[Axis],
    mut index: usize,
    base: &Node,
    text: &str,
) -> Result<(Node, Vec<(String, ParamValue)>), Fault> {
    let mut chosen = Vec::with_capacity(axes.len());
    for axis in axes.iter().rev() {
        chosen.push(&axis.steps[index % axis.steps.len()]);
        index /= axis.steps.len();
    }
    let mut tree = base.clone();
    let mut params = Vec::new();
    for (axis, values) in axes.iter().zip(chosen.into_iter().rev()) {
        for (path, value) in axis.paths.iter().zip(values) {
            path.set(&mut tree, value)?;
            params.push((path.text.clone(), ParamValue::of(value, text)));
        }
    }
    Ok((tree, params))
}

/// All swept paths in order.
pub(crate) fn paths(axes: &[Axis]) -> Vec<String> {
    let paths = axes.iter().flat_map(|a| &a.paths);
    paths.map(|p| p.text.clone()).collect()
}
