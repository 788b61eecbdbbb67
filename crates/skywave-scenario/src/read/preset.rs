//! Named links: tables of keys that a `[[link]]` with `preset` has without writing them.

use crate::read::tree::{Entry, Node, Span, Value};

/// Every preset with its keys, as they would stand in the file.
const PRESETS: [(&str, &str); 5] = [
    ("cdpd", include_str!("presets/cdpd.toml")),
    ("dsl", include_str!("presets/dsl.toml")),
    ("leo", include_str!("presets/leo.toml")),
    ("lte", include_str!("presets/lte.toml")),
    ("wifi", include_str!("presets/wifi.toml")),
];

/// Gives each link of the file the keys of its preset that it does not have itself. A key counts as a whole,
/// but for those in `reverse`. Names that are no preset's are left to the decoder.
pub(crate) fn apply(tree: &mut Node) {
    let Value::Table(entries) = &mut tree.value else {
        return;
    };
    let links = entries.iter_mut().filter(|entry| entry.key == "link");
    for links in links {
        let Value::Array(links) = &mut links.node.value else {
            continue;
        };
        for link in links {
            let Some(preset) = link.get("preset") else {
                continue;
            };
            let named = |name: &str| PRESETS.iter().find(|(known, _)| *known == name);
            if let Some((_, text)) = preset.as_text().and_then(named) {
                let span = preset.span.clone();
                // It loads: a test.
                if let Ok(keys) = crate::read::tree::parse(text) {
                    fill(link, keys, &span);
                }
            }
        }
    }
}

/// Adds the entries of `keys` that `table` has not, at the place of the preset's name.
fn fill(table: &mut Node, keys: Node, span: &Span) {
    let (Value::Table(own), Value::Table(keys)) = (&mut table.value, keys.value) else {
        return;
    };
    let has = |entries: &[Entry], keys: &[&str]| {
        entries
            .iter()
            .any(|entry| keys.contains(&entry.key.as_str()))
    };
    // Other ways to say how fast it is.
    let traced = has(own, &["trace"]);
    let reverse = own.iter().find(|entry| entry.key == "reverse");
    let back = reverse.is_some_and(|entry| match &entry.node.value {
        Value::Table(reverse) => has(reverse, &["rate", "trace"]),
        _ => false,
    });
    for mut entry in keys {
        if let ("steps", true, Value::Table(steps)) =
            (entry.key.as_str(), traced, &mut entry.node.value)
        {
            // Those of the delay stay.
            steps.retain(|step| step.key != "share");
            if !has(steps, &["delay"]) {
                continue;
            }
        }
        let known = own.iter_mut().find(|other| other.key == entry.key);
        match known {
            Some(known) if entry.key == "reverse" => fill(&mut known.node, entry.node, span),
            Some(_) => {}
            None if traced && entry.key == "rate" => {}
            None if back && entry.key == "reverse_rate" => {}
            None => {
                entry.key_span = span.clone();
                move_to(&mut entry.node, span);
                own.push(entry);
            }
        }
    }
}

/// Puts all of a node at `span`.
fn move_to(node: &mut Node, span: &Span) {
    node.span = span.clone();
    match &mut node.value {
        Value::Array(items) => items.iter_mut().for_each(|item| move_to(item, span)),
        Value::Table(entries) => {
            for entry in entries {
                entry.key_span = span.clone();
                move_to(&mut entry.node, span);
            }
        }
        _ => {}
    }
}
