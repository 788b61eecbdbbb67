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
    if !matches!(search.value, Value::Table(_)) {
        return Err(
            Fault::must_be("a table of paths and ranges", &search.describe())
                .at(&search.span)
                .of("search"),
        );
    }
    let entries = path::entries(search, |node| Range::of(node).is_some()).into_iter();
    let keys = entries.map(|(prefix, entry)| match &entry.node.value {
        Value::Table(_) | Value::Array(_) => Key::read(entry, &prefix, tree, text),
        _ => Err(no_range(entry)),
    });
    let keys: Vec<Key> = keys.collect::<Result<_, _>>()?;
    let paths = keys.iter().flat_map(|key| &key.paths);
    path::check_distinct(paths, "searched", "search")?;
    Ok(keys)
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
                // The file is wrong without this range, too: the range is not the mistake.
                if check(tree).is_err_and(|before| before.same_as(&fault)) {
                    return Err(fault);
                }
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
