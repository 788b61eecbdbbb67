//! Fields of a file set in its text, so that its comments and its order stay.

use toml_edit::{Array, DocumentMut, InlineTable, Item, TableLike, Value as Written};

use crate::read::tree::{Node, Value};
use crate::sweep::path::{Long, Path, is_single};

/// A file that is being changed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Draft(DocumentMut);

impl Draft {
    /// The file with this text; `None` if it is no TOML.
    pub(crate) fn of(text: &str) -> Option<Self> {
        text.parse().ok().map(Self)
    }

    /// Takes out a key of the file, with the comments before it.
    pub(crate) fn remove(&mut self, key: &str) {
        self.0.remove(key);
    }

    /// Takes `key` out of the flow in place `index`.
    pub(crate) fn remove_of_flow(&mut self, index: usize, key: &str) {
        match self.0.get_mut("flow") {
            Some(Item::ArrayOfTables(flows)) => {
                flows.get_mut(index).and_then(|flow| flow.remove(key));
            }
            Some(Item::Value(Written::Array(flows))) => {
                let flow = flows.get_mut(index).and_then(Written::as_inline_table_mut);
                flow.and_then(|flow| flow.remove(key));
            }
            _ => {}
        }
    }

    /// Sets what `keys` name, an element of an array by its place.
    pub(crate) fn set(&mut self, keys: &[&str], value: Written) {
        set(self.0.as_table_mut(), keys, value);
    }

    /// Sets the field that a path names, of each entity that it is of.
    pub(crate) fn set_path(&mut self, path: &Path, value: &Node) {
        for target in &path.targets {
            let target = target.to_string();
            let place = (!is_single(path.root)).then_some(target.as_str());
            let keys = path.keys.iter().map(|(key, _)| key.as_str());
            let all: Vec<&str> = [path.root].into_iter().chain(place).chain(keys).collect();
            self.set(&all, inline(value));
        }
    }

    /// Adds a table `[sweep]` of one path.
    pub(crate) fn add_sweep(&mut self, path: &str, values: &[Written]) {
        let mut sweep = toml_edit::Table::new();
        sweep.insert(path, Item::Value(values.iter().cloned().collect()));
        self.0.insert("sweep", Item::Table(sweep));
    }

    /// The file's text.
    pub(crate) fn text(&self) -> String {
        self.0.to_string()
    }
}

/// The value on one line.
pub(crate) fn inline(node: &Node) -> Written {
    match &node.value {
        Value::Bool(b) => (*b).into(),
        Value::Int(i) => (*i).into(),
        Value::Float(x) => (*x).into(),
        Value::Text(text) => text.as_str().into(),
        Value::Date(date) => date.parse().unwrap_or_else(|_| date.as_str().into()),
        Value::Array(items) => Written::Array(items.iter().map(inline).collect::<Array>()),
        Value::Table(entries) => {
            let entries = entries.iter();
            let table = entries.map(|entry| (entry.key.as_str(), inline(&entry.node)));
            Written::InlineTable(table.collect::<InlineTable>())
        }
    }
}

/// Sets what `keys` name below a table, creating tables on the way; as setting it in the tree does.
fn set(table: &mut dyn TableLike, keys: &[&str], value: Written) {
    let Some((key, rest)) = keys.split_first() else {
        return;
    };
    if let Some(item) = table.get_mut(key) {
        set_item(item, key, rest, value);
        return;
    }
    let nested = rest.iter().rev().fold(value, |inner, key| {
        Written::InlineTable([(*key, inner)].into_iter().collect())
    });
    table.insert(key, Item::Value(nested));
}

fn set_item(item: &mut Item, name: &str, keys: &[&str], value: Written) {
    let Some((key, rest)) = keys.split_first() else {
        let mut value = value;
        // A comment behind the old value.
        if let Item::Value(old) = item {
            *value.decor_mut() = old.decor().clone();
        }
        *item = Item::Value(value);
        return;
    };
    if let Some(long) = item.as_str().and_then(|text| Long::of(text, name, key)) {
        let (key, inner) = match long {
            Long::Member => (*key, Written::InlineTable(InlineTable::new())),
            Long::Preset => ("preset", item.as_str().unwrap_or_default().into()),
        };
        *item = Item::Value(Written::InlineTable([(key, inner)].into_iter().collect()));
    }
    let index = || key.parse::<usize>().ok();
    match item {
        Item::ArrayOfTables(tables) => {
            if let Some(table) = index().and_then(|index| tables.get_mut(index)) {
                set(table, rest, value);
            }
        }
        Item::Value(Written::Array(items)) => {
            if let Some((index, old)) = index().and_then(|i| Some((i, items.get(i)?.clone()))) {
                let mut inner = Item::Value(old);
                set_item(&mut inner, key, rest, value);
                if let Ok(new) = inner.into_value() {
                    items.replace(index, new);
                }
            }
        }
        other => {
            if let Some(table) = other.as_table_like_mut() {
                set(table, keys, value);
            }
        }
    }
}
