//! All mistakes of a file that can be told apart, not only the first.

use crate::read::fault::Fault;
use crate::read::tree::{Node, Span, Value};

/// As many as anybody mends before the next look.
const MOST: usize = 20;

/// The mistakes that `decode` finds in a tree: each one is taken out of the tree before the next look. What
/// only follows from that is not told: a key that is missing then, or a value that lacks a part of it.
pub(crate) fn all(mut tree: Node, decode: impl Fn(&Node) -> Result<(), Fault>) -> Vec<Fault> {
    let mut found: Vec<Fault> = Vec::new();
    let mut gone = Vec::new();
    while found.len() < MOST
        && let Err(fault) = decode(&tree)
    {
        let Some(place) = fault.span.clone() else {
            found.push(fault);
            break;
        };
        let is_missing = fault
            .missing_key()
            .is_some_and(|key| gone.contains(&key.to_owned()));
        let mut before = found.iter().filter_map(|other| other.span.as_ref());
        let follows = is_missing || before.any(|other| covers(&place, other));
        let taken = take_out(&mut tree, &place);
        gone.extend(fault.meant().map(str::to_owned));
        if !follows {
            found.push(fault);
        }
        match taken {
            Some(key) => gone.push(key),
            None => break,
        }
    }
    found
}

fn covers(outer: &Span, inner: &Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Takes the key at `place` out, or the innermost value that covers it; the key that is then gone, which is empty
/// for an element of an array.
fn take_out(node: &mut Node, place: &Span) -> Option<String> {
    match &mut node.value {
        Value::Table(entries) => {
            if let Some(at) = entries.iter().position(|entry| entry.key_span == *place) {
                return Some(entries.remove(at).key);
            }
            let mut inner = entries.iter_mut();
            let taken = inner.find_map(|entry| take_out(&mut entry.node, place));
            taken.or_else(|| {
                let mut all = entries.iter();
                let at = all.position(|entry| covers(&entry.node.span, place))?;
                Some(entries.remove(at).key)
            })
        }
        Value::Array(items) => {
            let taken = items.iter_mut().find_map(|item| take_out(item, place));
            taken.or_else(|| {
                let at = items.iter().position(|item| covers(&item.span, place))?;
                items.remove(at);
                Some(String::new())
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
