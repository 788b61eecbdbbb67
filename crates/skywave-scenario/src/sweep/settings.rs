//! The paths that a file sets, as a sweep names them.

use crate::read::tree::{Node, Value};

/// Every path that the file sets or sweeps, in the file's order; a swept one stands at the sweep.
pub(crate) fn settings(tree: &Node) -> Vec<String> {
    let mut all = Vec::new();
    let Value::Table(entries) = &tree.value else {
        return all;
    };
    for entry in entries {
        match entry.node.as_array() {
            // Of a search the file has defaults, which stand elsewhere.
            _ if entry.key == "search" => {}
            _ if entry.key == "sweep" => swept("", &entry.node, &mut all),
            Some(items) => {
                let names = super::path::names(tree, &entry.key);
                for (name, item) in names.iter().zip(items) {
                    flatten(&format!("{}.{name}", entry.key), item, &mut all);
                }
            }
            None => flatten(&entry.key, &entry.node, &mut all),
        }
    }
    all
}

/// The paths of a sweep, which may also be written as tables in tables.
fn swept(prefix: &str, node: &Node, all: &mut Vec<String>) {
    let Value::Table(entries) = &node.value else {
        return;
    };
    for entry in entries {
        if matches!(entry.node.value, Value::Table(_)) {
            swept(&format!("{prefix}{}.", entry.key), &entry.node, all);
        } else {
            let paths = entry.key.split('&').map(str::trim);
            all.extend(paths.map(|path| format!("{prefix}{path}")));
        }
    }
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
