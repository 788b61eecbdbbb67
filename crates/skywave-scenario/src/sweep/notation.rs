//! Values and compositions in words: the one notation of tables, reports and plots.

use crate::read::tree::{self, Node, Value};

/// A table or an array as written in a file, without TOML's signs; what is neither stays as it is.
pub(super) fn in_words(written: &str) -> String {
    let parsed = tree::parse(&format!("value = {written}")).ok();
    let words = parsed
        .as_ref()
        .and_then(|root| Some(short(root.get("value")?)));
    words.unwrap_or_else(|| written.to_owned())
}

/// Name, for tables and plots, of a transport that results call `label`: commas and spaces take the place of equals
/// signs, as in `cerl, recovery sack` for `cerl recovery=sack`; a label of one word stays as it is.
pub fn transport_name(label: &str) -> String {
    let mut name = label.to_owned();
    for slot in ["congestion", "detection", "recovery", "timeout"] {
        name = name.replace(&format!(" {slot}="), &format!(", {slot} "));
    }
    name.replace('(', " (").replace('=', " ")
}

/// A value in words. The preset of a composition stands for itself, other keys come before their
/// values; what a table within a table holds is in parentheses unless it is one word.
pub(crate) fn short(node: &Node) -> String {
    match &node.value {
        Value::Table(entries) => {
            let parts = entries.iter().map(|entry| match entry.key.as_str() {
                "preset" => short(&entry.node),
                key => format!("{} {}", key.replace('_', " "), within(&entry.node)),
            });
            parts.collect::<Vec<_>>().join(", ")
        }
        // Without a name a column of results would have none.
        Value::Array(items) if items.is_empty() => "none".into(),
        Value::Array(items) => items.iter().map(short).collect::<Vec<_>>().join(", "),
        Value::Text(text) | Value::Date(text) => text.clone(),
        Value::Bool(true) => "on".into(),
        Value::Bool(false) => "off".into(),
        Value::Int(i) => i.to_string(),
        Value::Float(x) => format!("{x:?}"),
    }
}

/// A value after its key.
fn within(node: &Node) -> String {
    match &node.value {
        Value::Array(_) => format!("({})", short(node)),
        Value::Table(entries) => match entries.as_slice() {
            [only] => match &only.node.value {
                // A member with its parameters: `cerl (a 0.3)`.
                Value::Table(parameters) if parameters.is_empty() => only.key.clone(),
                Value::Table(_) => format!("{} ({})", only.key, short(&only.node)),
                _ => short(node),
            },
            _ => format!("({})", short(node)),
        },
        _ => short(node),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compositions_are_written_in_words() {
        for (written, words) in [
            ("cerl", "cerl"),
            ("20 packets", "20 packets"),
            (
                "{ preset = \"cerl\", recovery = \"sack\" }",
                "cerl, recovery sack",
            ),
            (
                "{ congestion = { cerl = { a = 0.3 } } }",
                "congestion cerl (a 0.3)",
            ),
            ("{ preset = \"reno\", sack = true }", "reno, sack on"),
            ("{ droptail = \"8 packets\" }", "droptail 8 packets"),
            (
                "{ red = { min_th = 5, ecn = false } }",
                "red (min th 5, ecn off)",
            ),
            ("[\"0s\", \"9s\"]", "0s, 9s"),
            ("[]", "none"),
            ("{ preset = \"reno\", undo = [] }", "reno, undo (none)"),
            ("{ broken", "{ broken"),
        ] {
            assert_eq!(in_words(written), words);
        }
    }

    #[test]
    fn what_results_call_a_transport_is_written_in_the_same_words() {
        for (label, words) in [
            ("cerl", "cerl"),
            ("cerl recovery=sack", "cerl, recovery sack"),
            (
                "reno congestion=cerl(a=0.3)",
                "reno, congestion cerl (a 0.3)",
            ),
            ("wtcp(rate.epoch_rtts=1)", "wtcp (rate.epoch_rtts 1)"),
        ] {
            assert_eq!(transport_name(label), words);
        }
    }
}
