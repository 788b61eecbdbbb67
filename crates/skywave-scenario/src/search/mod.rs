//! `[search]`: the paths that a search may set, and the scenarios of such points.
//!
//! A key has the paths of a sweep and, in place of a list of all values, ranges: `{ log = […] }`, `{ linear = […] }`,
//! a list of choices, or choices that are tables with ranges in them. What is not set stays as the rest of the file
//! has it, which is the default.

pub(crate) mod decimal;
pub(crate) mod key;
pub(crate) mod range;
pub(crate) mod space;
pub(crate) mod write;

use crate::read::fault::Fault;
use crate::read::tree::{Entry, Node, Value};
use crate::sweep::path;
use key::{Key, Setting};
use range::Range;

/// Reads `[search]` against the names in the file's tree.
pub(crate) fn keys(search: &Node, tree: &Node, text: &str) -> Result<Vec<Key>, Fault> {
    let mut keys = Vec::new();
    collect(search, "", tree, text, &mut keys)?;
    path::check_distinct(
        keys.iter().flat_map(|key: &Key| &key.paths),
        "searched",
        "search",
    )?;
    Ok(keys)
}

fn collect(
    table: &Node,
    prefix: &str,
    tree: &Node,
    text: &str,
    keys: &mut Vec<Key>,
) -> Result<(), Fault> {
    let Value::Table(entries) = &table.value else {
        return Err(
            Fault::must_be("a table of paths and ranges", &table.describe())
                .at(&table.span)
                .of("search"),
        );
    };
    for entry in entries {
        match &entry.node.value {
            // Without quotes, `flow.bulk.rwnd = […]` is a table in a table.
            Value::Table(_) if Range::of(&entry.node).is_none() => {
                let prefix = format!("{prefix}{}.", entry.key);
                collect(&entry.node, &prefix, tree, text, keys)?;
            }
            Value::Table(_) | Value::Array(_) => keys.push(Key::read(entry, prefix, tree, text)?),
            _ => return Err(no_range(entry)),
        }
    }
    Ok(())
}

fn no_range(entry: &Entry) -> Fault {
    Fault::must_be("a range or an array of choices", &entry.node.describe())
        .at(&entry.node.span)
        .of(&entry.key)
        .add_help("for example, { log = [\"1Mbps\", \"50Mbps\"] }, { linear = [0, 0.3] } or [\"reno\", \"bbr\"]")
}

/// Refuses a refusal of `check` at an end of a range: of the file with that alone set. A value that only contradicts
/// others is no mistake, as a search draws others beside it.
pub(crate) fn check_ends(
    keys: &[Key],
    tree: &Node,
    check: impl Fn(&Node) -> Result<(), Fault>,
) -> Result<(), Fault> {
    for key in keys {
        for setting in key.ends() {
            let with = set(&[(key, &setting)], tree)?;
            if let Err(fault) = check(&with)
                && fault.is_inherent()
            {
                let words = format!("this is with {} = {}", key.text(), key.words(&setting));
                return Err(fault.add_help(&words));
            }
        }
    }
    Ok(())
}

/// The tree with these keys set.
pub(crate) fn set(settings: &[(&Key, &Setting)], tree: &Node) -> Result<Node, Fault> {
    let mut tree = tree.clone();
    for (key, setting) in settings {
        for (path, value) in key.set(setting) {
            path.set(&mut tree, &value)?;
        }
    }
    Ok(tree)
}
