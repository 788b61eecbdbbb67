//! TOML files that are no scenarios, read and shown with the same care.

use std::ops::Range;

use serde::de::DeserializeOwned;

use crate::read::error::{ScenarioError, Source};
use crate::read::fault::Fault;
use crate::read::names;
use crate::read::tree::{Node, Value};
use crate::read::{de, mistakes, tree};

/// A TOML file that is no scenario, such as a paper's claims.
#[derive(Debug)]
pub struct Document {
    source: Source,
    tree: Node,
}

impl Document {
    /// Parses `text` as TOML, whatever its keys are ([`Self::decode`] checks those); messages call the file `file`. An
    /// error if the text is no TOML, is nested more than 32 levels deep, or has control characters in a key or string.
    pub fn parse(file: &str, text: &str) -> Result<Self, ScenarioError> {
        let source = Source {
            name: file.into(),
            text: text.into(),
        };
        match tree::parse(text) {
            Ok(tree) => Ok(Self { source, tree }),
            Err(fault) => Err(fault.into_error(&source)),
        }
    }

    /// Whether the file has a value or a table `key` at its top level.
    pub fn has(&self, key: &str) -> bool {
        self.tree.get(key).is_some()
    }

    /// Decodes the file as a `T`; the error has all mistakes that can be found in one go.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, ScenarioError> {
        de::from_node(&self.tree).map_err(|first: Fault| {
            let all = mistakes::all(self.tree.clone(), |tree| de::from_node::<T>(tree).map(drop));
            first.into_error_with(all, &self.source)
        })
    }

    /// Error for a mistake at `place`, a byte range of the file's text.
    pub fn mistake(&self, place: Range<usize>, message: impl Into<String>) -> ScenarioError {
        Fault::new(place, message).into_error(&self.source)
    }

    /// Byte range of the first key or string `name` within the byte range `part` of the file; `None` if there
    /// is none.
    pub fn find(&self, part: Range<usize>, name: &str) -> Option<Range<usize>> {
        find(&self.tree, &part, name)
    }

    /// Byte range of the first float that is `inf` or `nan`; `None` if all are finite.
    pub fn not_finite(&self) -> Option<Range<usize>> {
        not_finite(&self.tree)
    }

    /// Error for a `name`, at the byte range `place`, that is none of the `known` ones; `what` is the kind of thing
    /// that it should name, such as a flow.
    pub fn unknown<S: AsRef<str>>(
        &self,
        place: Range<usize>,
        what: &str,
        name: &str,
        known: &[S],
    ) -> ScenarioError {
        names::unknown(what, name, known)
            .at(&place)
            .into_error(&self.source)
    }
}

/// The first key or string `name` within `part` of the file.
fn find(node: &Node, part: &Range<usize>, name: &str) -> Option<Range<usize>> {
    let here = |place: &Range<usize>| {
        (part.start <= place.start && place.end <= part.end).then(|| place.clone())
    };
    let places: Vec<Option<Range<usize>>> = match &node.value {
        Value::Text(text) if text == name => return here(&node.span),
        Value::Array(items) => items.iter().map(|item| find(item, part, name)).collect(),
        Value::Table(entries) => entries
            .iter()
            .map(|entry| {
                let key = (entry.key == name).then(|| here(&entry.key_span));
                key.flatten().or_else(|| find(&entry.node, part, name))
            })
            .collect(),
        _ => return None,
    };
    places.into_iter().flatten().min_by_key(|place| place.start)
}

/// The first float in it that is no number.
fn not_finite(node: &Node) -> Option<Range<usize>> {
    match &node.value {
        Value::Float(x) => (!x.is_finite()).then(|| node.span.clone()),
        Value::Array(items) => items.iter().find_map(not_finite),
        Value::Table(entries) => entries.iter().find_map(|entry| not_finite(&entry.node)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_where_it_stands_in_its_part() {
        let text =
            "a = \"reno\"\n[b]\nid = 1\nat = { reno = [\"cubic\", \"rino\"] }\nc = \"rino\"\n";
        let document = Document::parse("file", text).unwrap();
        let part = text.find("[b]").unwrap()..text.len();
        let position = |name| {
            let place = document.find(part.clone(), name)?;
            document.mistake(place, "wrong").position()
        };
        assert_eq!(position("rino"), Some((4, 25)));
        assert_eq!(position("reno"), Some((4, 8)));
        assert_eq!(position("vegas"), None);
    }

    #[test]
    fn a_float_that_is_no_number_has_its_place() {
        let place = |text: &str| Document::parse("file", text).unwrap().not_finite();
        assert_eq!(place("a = 1.5\nb = [1, { c = -inf }]\n"), Some(22..26));
        assert_eq!(place("a = 1.5\nb = \"nan\"\n"), None);
    }
}
