//! The path of a field in a file: which entities, which keys below them, and setting a value there.

use crate::read::fault::Fault;
use crate::read::names::unknown;
use crate::read::tree::{Entry, Node, Span, Value};

/// More keys in a path than any field has.
const MAX_KEYS: usize = 16;
/// More names than anybody reads in a line.
const MAX_LISTED: usize = 12;
/// First words of paths.
const ROOTS: [&str; 6] = ["link", "station", "flow", "agent", "radio", "run"];

/// True for tables that are there once, without a name.
pub(crate) fn is_single(root: &str) -> bool {
    matches!(root, "radio" | "run")
}

/// Entries of a table of paths, each with what stands before its key: without quotes, `flow.bulk.transport = […]` is a
/// table in a table. `is_value` knows the tables that are the value of a path.
pub(crate) fn entries(table: &Node, is_value: fn(&Node) -> bool) -> Vec<(String, &Entry)> {
    let mut all = Vec::new();
    for entry in table.entries() {
        if matches!(entry.node.value, Value::Table(_)) && !is_value(&entry.node) {
            let below = entries(&entry.node, is_value).into_iter();
            all.extend(below.map(|(prefix, inner)| (format!("{}.{prefix}", entry.key), inner)));
        } else {
            all.push((String::new(), entry));
        }
    }
    all
}

/// The place of a field: one link, station, flow or agent, the radio network or the run, and keys below it.
#[derive(Debug)]
pub(crate) struct Path {
    pub(crate) text: String,
    pub(crate) span: Span,
    /// First word of the path, one of [`ROOTS`].
    pub(crate) root: &'static str,
    /// Places of the links, stations, flows or agents that the path is of.
    pub(crate) targets: Vec<usize>,
    /// Words for what a `*` reaches; empty for a path without.
    pub(crate) reach: String,
    /// Keys with the places where the path names them.
    pub(crate) keys: Vec<(String, Span)>,
}

impl Path {
    /// The paths that a key names, several with `&` between them.
    pub(crate) fn all_of(
        entry: &Entry,
        prefix: &str,
        tree: &Node,
        text: &str,
    ) -> Result<Vec<Self>, Fault> {
        let start = literal_start(entry, text);
        let mut paths = Vec::new();
        let mut offset = 0;
        for part in entry.key.split('&') {
            let lead = part.len() - part.trim_start().len();
            let from = start.map(|s| s + offset + lead);
            let path = Self::parse(part.trim(), prefix, from, &entry.key_span, tree)?;
            paths.push(path);
            offset += part.len() + 1;
        }
        Ok(paths)
    }

    /// Reads `part`, a path that stands at `start` or within `key_span`, against the names in the tree.
    pub(crate) fn parse(
        part: &str,
        prefix: &str,
        start: Option<usize>,
        key_span: &Span,
        tree: &Node,
    ) -> Result<Self, Fault> {
        let text = format!("{prefix}{part}");
        // Places inside of `prefix` are other keys; the last one stands for them.
        let place = |from: usize, len: usize| match start {
            Some(start) if from >= prefix.len() => {
                let from = start + from - prefix.len();
                from..from + len
            }
            _ => key_span.clone(),
        };
        let (root, mut rest) = text.split_once('.').unwrap_or((&text, ""));
        let Some(&root) = ROOTS.iter().find(|known| **known == root) else {
            return Err(unknown("place", root, &ROOTS).at(&place(0, root.len())).help(
                "a path is link.NAME.key…, station.NAME.key…, flow.NAME.key…, agent.NAME.key…, radio.key… \
                 or run.key; * stands for every name",
            ));
        };
        let mut targets = vec![0];
        let mut reach = String::new();
        if root == "radio" && tree.get(root).is_none() {
            // Nothing would be varied. A file without [run] is refused anyway.
            return Err(
                Fault::new(place(0, root.len()), "there is no [radio] in this scenario")
                    .label("no radio network to vary"),
            );
        }
        if !is_single(root) {
            let names = names(tree, root);
            let at = text.len() - rest.len();
            if names.is_empty() && (rest == "*" || rest.starts_with("*.")) {
                return Err(Fault::new(
                    place(at, 1),
                    format!("there is no [[{root}]] in this scenario"),
                )
                .label(format!("no {root} to vary")));
            }
            let dot = |name: &&str| {
                let after = rest.strip_prefix(*name);
                after.is_some_and(|r| r.is_empty() || r.starts_with('.'))
            };
            // A name may hold dots: the longest one wins.
            let known = names.iter().map(String::as_str);
            let found = known.chain(["*"]).filter(dot).max_by_key(|n| n.len());
            let Some(name) = found else {
                let name = rest.split('.').next().unwrap_or_default();
                let place = place(at, name.len());
                return Err(match names.iter().find(|names| is_copy(name, names)) {
                    Some(all) => one_copy(root, name, all, place),
                    None => unknown(root, name, &names).at(&place),
                });
            };
            targets = (0..names.len())
                .filter(|&i| name == "*" || names[i] == name)
                .collect();
            rest = rest[name.len()..].trim_start_matches('.');
            if name == "*" {
                let left = leave_others(root, rest, tree, &mut targets);
                let listed = |of: &[usize]| listed(of.iter().map(|&i| names[i].as_str()), root);
                reach = listed(&targets);
                if !left.is_empty() {
                    reach = format!("{reach}; not {} (udp)", listed(&left));
                }
            }
        }
        let mut keys = Vec::new();
        let mut at = text.len() - rest.len();
        for key in rest.split('.') {
            keys.push((key.to_owned(), place(at, key.len())));
            at += key.len() + 1;
        }
        let first = keys.first().map_or("", |k| k.0.as_str());
        let fault =
            |message: &str| Fault::new(place(0, text.len()), message).label("not a field to vary");
        match (root, first) {
            _ if keys.len() > MAX_KEYS => Err(fault("this path is too deep")),
            (_, "") => Err(fault("this path names no field")),
            ("run", "seeds") => Err(fault("seeds cannot be swept: every point has all of them")),
            ("link" | "station" | "flow" | "agent", "name") => Err(fault("names cannot be swept")),
            _ => Ok(Self {
                span: place(0, text.len()),
                text,
                root,
                targets,
                reach,
                keys,
            }),
        }
    }

    /// Whether this is field `key`, or a part of it, of the entity of `root` in place `target`, perhaps among others.
    pub(crate) fn is_in(&self, root: &str, target: usize, key: &str) -> bool {
        let first = self.keys.first();
        self.root == root
            && self.targets.contains(&target)
            && first.is_some_and(|(own, _)| own == key)
    }

    /// Whether nothing is left of what `earlier` has set, for any of its targets: it names the same field or a
    /// part of it.
    pub(crate) fn replaces(&self, earlier: &Self) -> bool {
        let mut keys = self.keys.iter().zip(&earlier.keys);
        self.root == earlier.root
            && self.keys.len() <= earlier.keys.len()
            && keys.all(|(own, other)| own.0 == other.0)
            && self
                .targets
                .iter()
                .any(|target| earlier.targets.contains(target))
    }

    /// Sets the field to `value`, of each entity that the path is of.
    pub(crate) fn set(&self, tree: &mut Node, value: &Node) -> Result<(), Fault> {
        let Value::Table(entries) = &mut tree.value else {
            return Ok(());
        };
        let Some(root) = entries.iter_mut().find(|e| e.key == self.root) else {
            return Ok(());
        };
        if is_single(self.root) {
            return set(&mut root.node, self.root, &self.keys, value);
        }
        let Value::Array(items) = &mut root.node.value else {
            return Ok(());
        };
        for &target in &self.targets {
            if let Some(item) = items.get_mut(target) {
                set(item, self.root, &self.keys, value)?;
            }
        }
        Ok(())
    }
}

/// A transport for all flows is for those that have one of its kind: a call over UDP has packets of its own, and is no
/// transfer. Takes the others out of `targets`, unless all are; returns them.
fn leave_others(root: &str, keys: &str, tree: &Node, targets: &mut Vec<usize>) -> Vec<usize> {
    let of_transport = keys == "transport" || keys.starts_with("transport.");
    let flows = tree.get(root).and_then(Node::as_array).unwrap_or_default();
    let is_udp = |i: &usize| {
        let transport = flows.get(*i).and_then(|flow| flow.get("transport"));
        let name = transport.map(|node| node.get("preset").unwrap_or(node));
        name.and_then(Node::as_text) == Some("udp")
    };
    if root != "flow" || !of_transport || targets.iter().all(is_udp) {
        return Vec::new();
    }
    let (left, taken) = targets.iter().partition(|i| is_udp(i));
    *targets = taken;
    left
}

/// Names one after the other, or their number.
fn listed<'a>(names: impl Iterator<Item = &'a str> + Clone, root: &str) -> String {
    let count = names.clone().count();
    if count > MAX_LISTED {
        return format!("{count} {root}s");
    }
    names.collect::<Vec<_>>().join(", ")
}

/// Whether `name` is `pattern` with a number in place of each `#`.
fn is_copy(name: &str, pattern: &str) -> bool {
    let Some((before, _)) = pattern.split_once('#') else {
        return false;
    };
    let rest = name.strip_prefix(before).unwrap_or_default();
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    digits > 0 && pattern.replace('#', &rest[..digits]) == name
}

fn one_copy(root: &str, name: &str, all: &str, place: Span) -> Fault {
    Fault::new(
        place,
        format!("`{name}` is one of the copies that {root} `{all}` makes"),
    )
    .label(format!("a path names all of them: {root}.{all}"))
    .help(format!(
        "to vary one alone, take it out of the `count` into a [[{root}]] of its own"
    ))
}

/// Refuses a path that names the field of an earlier one or a part around it. `done` and `verb` say what happens to fields:
/// they are `swept`, "sweep each once".
pub(crate) fn check_distinct<'a>(
    paths: impl Iterator<Item = &'a Path>,
    done: &str,
    verb: &str,
) -> Result<(), Fault> {
    let mut before: Vec<&Path> = Vec::new();
    for path in paths {
        if let Some(earlier) = before.iter().find(|earlier| path.replaces(earlier)) {
            let fault = if earlier.text == path.text {
                let message = format!("`{}` is {done} twice", path.text);
                Fault::new(path.span.clone(), message).label("the second time")
            } else {
                let message = format!("`{}` replaces what `{}` sets", path.text, earlier.text);
                Fault::new(path.span.clone(), message)
                    .label("runs would have this value under the other's name")
                    .help(format!(
                        "{verb} each field once; what several paths set together goes into one: `a & b`"
                    ))
            };
            return Err(fault);
        }
        before.push(path);
    }
    Ok(())
}

/// Where the key's text starts, when it stands in the file letter by letter.
fn literal_start(entry: &Entry, text: &str) -> Option<usize> {
    let raw = text.get(entry.key_span.clone())?;
    let quote = usize::from(raw.starts_with(['"', '\'']));
    raw[quote..]
        .starts_with(&entry.key)
        .then_some(entry.key_span.start + quote)
}

/// A table that a name alone is short for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Long {
    /// The member of that name with its defaults: `{ cerl = {} }` for "cerl".
    Member,
    /// `{ preset = … }`.
    Preset,
}

impl Long {
    /// The table that `text`, the value of `name`, is short for when `key` in it is meant.
    pub(crate) fn of(text: &str, name: &str, key: &str) -> Option<Self> {
        match name {
            _ if text == key => Some(Self::Member),
            "transport" => Some(Self::Preset),
            _ => None,
        }
    }
}

/// Replaces what `keys` name below `node`, creating tables on the way.
fn set(node: &mut Node, name: &str, keys: &[(String, Span)], value: &Node) -> Result<(), Fault> {
    let Some(((key, span), rest)) = keys.split_first() else {
        *node = value.clone();
        return Ok(());
    };
    if let Some(long) = node.as_text().and_then(|text| Long::of(text, name, key)) {
        let (key, inner) = match long {
            Long::Member => (key.clone(), Node::empty_table(node.span.clone())),
            Long::Preset => ("preset".to_owned(), node.clone()),
        };
        node.value = Value::Table(vec![Entry {
            key,
            key_span: node.span.clone(),
            node: inner,
        }]);
    }
    let found = node.describe();
    match &mut node.value {
        Value::Table(entries) => {
            let found = entries.iter().position(|e| e.key == *key);
            let at = found.unwrap_or(entries.len());
            if found.is_none() {
                entries.push(Entry {
                    key: key.clone(),
                    key_span: span.clone(),
                    node: Node::empty_table(span.clone()),
                });
            }
            set(&mut entries[at].node, key, rest, value)
        }
        Value::Array(items) => {
            let len = items.len();
            match key.parse::<usize>().ok().and_then(|i| items.get_mut(i)) {
                Some(item) => set(item, key, rest, value),
                None => Err(Fault::new(
                    span.clone(),
                    format!("`{name}` is an array, and `{key}` is none of its elements"),
                )
                .label(format!("a number below {len} is needed"))),
            }
        }
        _ => Err(Fault::new(
            span.clone(),
            format!("`{name}` is {found}, and has no `{key}` in it"),
        )
        .label("this path leads nowhere")),
    }
}

/// The names of all links, stations, flows or agents, as paths use them.
pub(crate) fn names(tree: &Node, root: &str) -> Vec<String> {
    let items = tree.get(root).and_then(Node::as_array).unwrap_or_default();
    let name = |(i, item): (usize, &Node)| {
        if let Some(name) = item.get("name").and_then(Node::as_text) {
            return name.to_owned();
        }
        let text =
            |node: Option<&Node>| node.and_then(Node::as_text).unwrap_or_default().to_owned();
        match root {
            "flow" => default_flow_name(i),
            "agent" => text(item.get("at")),
            "station" => text(item.get("node")),
            _ => {
                let ends = item.get("between").and_then(Node::as_array);
                let ends = ends.unwrap_or_default();
                default_link_name(&text(ends.first()), &text(ends.get(1)))
            }
        }
    };
    items.iter().enumerate().map(name).collect()
}

/// The name of a link that has none.
pub(crate) fn default_link_name(a: &str, b: &str) -> String {
    format!("{a}-{b}")
}

/// The name of the flow in place `index` that has none.
pub(crate) fn default_flow_name(index: usize) -> String {
    format!("flow{}", index + 1)
}
