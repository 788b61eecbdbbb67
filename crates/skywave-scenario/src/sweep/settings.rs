//! The paths that a file sets, as a sweep names them.

use crate::read::tree::{Node, Value};
use crate::sweep::path;

/// Every path that the file sets or sweeps, in the file's order; a swept one stands at the sweep.
pub(crate) fn settings(tree: &Node) -> Vec<String> {
    let mut all = Vec::new();
    for entry in tree.entries() {
        match entry.node.as_array() {
            // Of a search the file has defaults, which stand elsewhere.
            _ if entry.key == "search" => {}
            _ if entry.key == "sweep" => {
                for (prefix, entry) in path::entries(&entry.node, |_| false) {
                    let paths = entry.key.split('&').map(str::trim);
                    all.extend(paths.map(|path| format!("{prefix}{path}")));
                }
            }
            Some(items) => {
                let names = path::names(tree, &entry.key);
                for (name, item) in names.iter().zip(items) {
                    flatten(&format!("{}.{name}", entry.key), item, &mut all);
                }
            }
            None => flatten(&entry.key, &entry.node, &mut all),
        }
    }
    all
}

fn flatten(path: &str, node: &Node, all: &mut Vec<String>) {
    match &node.value {
        Value::Table(entries) if !entries.is_empty() => {
            for entry in entries {
                flatten(&format!("{path}.{}", entry.key), &entry.node, all);
            }
        }
        _ => all.push(path.to_owned()),
    }
}
