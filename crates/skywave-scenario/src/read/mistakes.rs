//! All mistakes of a file that can be told apart, not only the first.

use std::collections::BTreeSet;

use crate::read::fault::Fault;
use crate::read::tree::{Entry, Node, Span, Value};

/// As many as anybody mends before the next look.
const MOST: usize = 20;
/// Looks at a tree, so that one with very many mistakes that follow from others has an end too.
const LOOKS: usize = 10 * MOST;

/// The mistakes that looks at the trees of a file found. Each one is mended in its tree before the next look. What
/// only follows from that is not told: a key that is missing then, a value that lacks a part of it, or a name
/// that was in what is gone.
#[derive(Debug, Default)]
pub(crate) struct Mistakes {
    pub(crate) found: Vec<Fault>,
    /// Keys that were taken out.
    keys: Vec<String>,
    /// Keys and scalars in what was taken out or renamed, in words.
    words: Vec<String>,
    /// Places whose contents are no longer those that the file's author meant there.
    guessed: Vec<Span>,
    /// A link does not say what it is between, so that nodes may be unknown.
    has_no_ends: bool,
    /// Keys that were added, with the places of their tables: each once.
    added: BTreeSet<(String, usize)>,
}

/// A value to put in the place of one that is wrong or missing: any legal one of this key will do.
pub(crate) type StandIn = fn(&str) -> Option<Value>;

/// The mistakes that `decode` finds in a tree.
pub(crate) fn all(tree: Node, decode: impl Fn(&Node) -> Result<(), Fault>) -> Vec<Fault> {
    let mut mistakes = Mistakes::default();
    mistakes.all(tree, |_| None, decode);
    mistakes.found
}

impl Mistakes {
    /// Looks for mistakes of any kind; the tree without them, unless they have no end.
    pub(crate) fn all(
        &mut self,
        tree: Node,
        stand_in: StandIn,
        look: impl Fn(&Node) -> Result<(), Fault>,
    ) -> Option<Node> {
        let (tree, ()) = self.mend(tree, stand_in, look, |_| true)?;
        Some(tree)
    }

    /// Looks for names that are not known, until there is a mistake of another kind; what the last look made of the
    /// tree if there is none. Only a name can be judged when other mistakes are mended already: what else belongs together
    /// may have been mended differently.
    pub(crate) fn names<T>(
        &mut self,
        tree: Node,
        stand_in: StandIn,
        look: impl Fn(&Node) -> Result<T, Fault>,
    ) -> Option<T> {
        let (_, made) = self.mend(tree, stand_in, look, Fault::is_unknown_name)?;
        Some(made)
    }

    /// The tree without mistakes, and what the last look made of it.
    fn mend<T>(
        &mut self,
        mut tree: Node,
        stand_in: StandIn,
        look: impl Fn(&Node) -> Result<T, Fault>,
        is_told: impl Fn(&Fault) -> bool,
    ) -> Option<(Node, T)> {
        for _ in 0..LOOKS {
            let fault = match look(&tree) {
                Ok(made) => return Some((tree, made)),
                Err(fault) => fault,
            };
            let Some(place) = fault.span.clone() else {
                self.found.push(fault);
                break;
            };
            let follows = self.follows(&fault, &place);
            let is_mended = self.mend_at(&mut tree, &place, &fault, stand_in);
            if !follows && !is_told(&fault) {
                break;
            }
            if !follows {
                self.found.push(fault);
            }
            if !is_mended || self.found.len() >= MOST {
                break;
            }
        }
        None
    }

    /// Whether the mistake at `place` is there because others were mended.
    fn follows(&self, fault: &Fault, place: &Span) -> bool {
        // A preset that there is not may have been to bring it.
        let is_missing = fault.missing_key().is_some_and(|key| {
            let brought = |gone: &String| gone == key || gone == "preset";
            self.keys.iter().any(brought)
        });
        // What lost its name is not known by it either.
        let is_gone = fault.is_unknown_name()
            && fault.name().is_some_and(|name| {
                let is_of =
                    |key: &String| matches!(key.as_str(), "name" | "between") || names(key, name);
                self.has_no_ends
                    || self.keys.iter().any(is_of)
                    || self.words.iter().any(|word| names(word, name))
            });
        let mut before = self.found.iter().filter_map(|other| other.span.as_ref());
        let is_ours = place.is_empty() && self.added.iter().any(|(_, at)| *at == place.start);
        is_missing
            || is_gone
            || is_ours
            || before.any(|other| covers(place, other))
            || self.guessed.iter().any(|guessed| covers(guessed, place))
    }

    /// Changes the tree so that this mistake is not in it; false when there is nothing to change.
    fn mend_at(&mut self, tree: &mut Node, place: &Span, fault: &Fault, stand_in: StandIn) -> bool {
        if let Some(key) = fault.missing_key()
            && let Some(value) = stand_in(key)
            && self.added.insert((key.to_owned(), place.start))
            && let Some(table) = table_at(tree, place)
        {
            let node = at_start(place, value);
            table.push(Entry {
                key: key.to_owned(),
                key_span: node.span.clone(),
                node,
            });
            return true;
        }
        self.has_no_ends |= fault.missing_key() == Some("between");
        if let Some(meant) = fault.meant()
            && let Some(node) = rename(tree, place, meant)
        {
            // A table of that name may have been taken from this tree already, such as [sweep].
            words(node, &mut self.words);
            self.guessed.push(node.span.clone());
            return true;
        }
        self.keys.extend(fault.meant().map(str::to_owned));
        let mut put = |key: &str, place: &Span| {
            let value = stand_in(key)?;
            let is_new = self.added.insert((key.to_owned(), place.start));
            is_new.then_some(value)
        };
        let Some((key, node)) = take_out(tree, place, &mut put) else {
            return false;
        };
        words(&node, &mut self.words);
        self.keys.push(key);
        true
    }
}

fn covers(outer: &Span, inner: &Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// A value that the file does not have, at a place that nothing in the file has.
fn at_start(place: &Span, value: Value) -> Node {
    let span = place.start..place.start;
    Node { span, value }
}

/// Whether `name` may be what a scalar, or a part of it, says: by itself or as one of its copies, which have numbers.
fn names(scalar: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric();
    let has = |name: &str| {
        let is_whole = |(at, _): (usize, &str)| {
            !scalar[..at].ends_with(is_part) && !scalar[at + name.len()..].starts_with(is_part)
        };
        !name.is_empty() && scalar.match_indices(name).any(is_whole)
    };
    let copies = scalar.split_once('#');
    has(name)
        || has(name.trim_end_matches(|c: char| c.is_ascii_digit()))
        || copies.is_some_and(|(before, _)| !before.is_empty() && name.starts_with(before))
}

/// All keys and scalars in a value, in words.
fn words(node: &Node, all: &mut Vec<String>) {
    match &node.value {
        Value::Array(items) => items.iter().for_each(|item| words(item, all)),
        Value::Table(entries) => {
            for entry in entries {
                all.push(entry.key.clone());
                words(&entry.node, all);
            }
        }
        Value::Text(text) => all.push(text.clone()),
        _ => all.push(node.describe()),
    }
}

/// The entries of the table at exactly `place`.
fn table_at<'t>(node: &'t mut Node, place: &Span) -> Option<&'t mut Vec<Entry>> {
    let is_here = node.span == *place;
    match &mut node.value {
        Value::Table(entries) => {
            if is_here {
                return Some(entries);
            }
            let mut inner = entries.iter_mut();
            inner.find_map(|entry| table_at(&mut entry.node, place))
        }
        Value::Array(items) => items.iter_mut().find_map(|item| table_at(item, place)),
        _ => None,
    }
}

/// Gives the key at `place` the name `meant`, unless its table has one of that name; its value.
fn rename<'t>(node: &'t mut Node, place: &Span, meant: &str) -> Option<&'t Node> {
    match &mut node.value {
        Value::Table(entries) => {
            if let Some(at) = entries.iter().position(|entry| entry.key_span == *place) {
                let is_taken = entries.iter().any(|entry| entry.key == meant);
                let entry = entries.get_mut(at).filter(|_| !is_taken)?;
                meant.clone_into(&mut entry.key);
                return Some(&entry.node);
            }
            let mut inner = entries.iter_mut();
            inner.find_map(|entry| rename(&mut entry.node, place, meant))
        }
        Value::Array(items) => items.iter_mut().find_map(|item| rename(item, place, meant)),
        _ => None,
    }
}

/// Takes the key at `place` out, or the innermost value that covers it, for which `put` may have another one; the key
/// that is then gone, which is empty for an element of an array, and its value.
fn take_out(
    node: &mut Node,
    place: &Span,
    put: &mut impl FnMut(&str, &Span) -> Option<Value>,
) -> Option<(String, Node)> {
    match &mut node.value {
        Value::Table(entries) => {
            let out = |entry: Entry| (entry.key, entry.node);
            // A path in a key may have its mistake in a part.
            let is_key = |entry: &Entry| covers(&entry.key_span, place);
            if let Some(at) = entries.iter().position(is_key) {
                return Some(out(entries.remove(at)));
            }
            let mut inner = entries.iter_mut();
            let taken = inner.find_map(|entry| take_out(&mut entry.node, place, put));
            taken.or_else(|| {
                let mut all = entries.iter();
                let at = all.position(|entry| covers(&entry.node.span, place))?;
                let entry = entries.get_mut(at)?;
                match put(&entry.key, &entry.node.span) {
                    Some(value) => {
                        let other = at_start(&entry.node.span, value);
                        let node = std::mem::replace(&mut entry.node, other);
                        Some((entry.key.clone(), node))
                    }
                    None => Some(out(entries.remove(at))),
                }
            })
        }
        Value::Array(items) => {
            let mut inner = items.iter_mut();
            let taken = inner.find_map(|item| take_out(item, place, put));
            taken.or_else(|| {
                let at = items.iter().position(|item| covers(&item.span, place))?;
                Some((String::new(), items.remove(at)))
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{de, tree};

    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "read to find mistakes")]
    struct File {
        name: String,
        #[serde(default)]
        part: Vec<Part>,
    }

    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "as above")]
    struct Part {
        length: f64,
        width: Option<f64>,
        size: Option<(f64, f64)>,
    }

    fn told(text: &str) -> Vec<String> {
        let tree = tree::parse(text).expect("TOML");
        let faults = all(tree, |tree| de::from_node::<File>(tree).map(drop));
        faults.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_does_not_follow_from_another_mistake_is_told() {
        let text = "name = 3\ncolour = 1\n[[part]]\nlegnth = \"far\"\nwidth = true\n[[part]]\n[[part]]\nlength = 1\nx = 1\n[[part]]\nlength = 1\nsize = [1]\n[[part]]\nlength = 1\nsize = [1, true]\n";
        let expected = [
            "`name` must be a string",
            "unknown key `colour`",
            // That `length` is missing follows from it, here and perhaps below.
            "unknown key `legnth`",
            "`width` must be a number",
            "unknown key `x`",
            "`size` must be an array of two values",
            "`size` must be a number",
        ];
        assert_eq!(told(text), expected);
        assert_eq!(
            told("name = \"a\"\n[[part]]\n[[part]]\nx = 1\n"),
            [
                "`length` is missing",
                "unknown key `x`",
                "`length` is missing"
            ]
        );
        assert_eq!(told("name = \"a\""), Vec::<String>::new());
    }

    #[test]
    fn there_is_an_end() {
        let keys: Vec<String> = (0..100).map(|n| format!("k{n} = 1")).collect();
        let text = keys.join("\n");
        assert_eq!(told(&text).len(), MOST);
    }
}
