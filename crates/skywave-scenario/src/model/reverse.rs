//! The reverse direction of a link: as the link, but for the keys that its `reverse` has.

use crate::model::LinkModel;
use crate::model::home::keys;
use crate::read::de;
use crate::read::fault::Fault;
use crate::read::tree::{Entry, Node, Value};

/// Keys of a link that `reverse` does not have.
const OF_BOTH: [&str; 8] = [
    "name",
    "preset",
    "count",
    "between",
    "one_way",
    "reverse_rate",
    "reverse",
    "loss",
];

/// The reverse direction of the link in this table, which can be read.
pub(crate) fn reverse(link: &Node) -> Result<LinkModel, Fault> {
    let own = own(link)?;
    let has = |keys: &[&str]| own.iter().any(|e| keys.contains(&e.key.as_str()));
    let has_own_rate = link.get("reverse_rate").is_some() || has(&["rate", "trace", "trace_else"]);
    let inherited = link.entries().iter().filter_map(|entry| {
        let key = entry.key.as_str();
        match key {
            "between" => Some(entry.clone()),
            "reverse_rate" if !has(&["rate", "trace"]) => Some(renamed(entry, "rate")),
            "loss" => entry.node.entry("reverse").map(|back| {
                let mut loss = entry.clone();
                loss.node.value = Value::Table(vec![renamed(back, "forward")]);
                loss
            }),
            "rate" | "trace" | "trace_else" if has_own_rate => None,
            _ => (!OF_BOTH.contains(&key) && !has(&[key])).then(|| entry.clone()),
        }
    });
    let inherited: Vec<Entry> = inherited.collect();
    let names = inherited.iter().map(|entry| entry.key.clone()).collect();
    let back = Node {
        span: link.span.clone(),
        value: Value::Table([inherited.as_slice(), own].concat()),
    };
    Ok(LinkModel {
        inherited: names,
        ..de::from_node(&back)?
    })
}

impl LinkModel {
    /// Whether this is a reverse direction that has `key` as its link.
    pub(crate) fn inherits(&self, key: &str) -> bool {
        self.inherited.iter().any(|inherited| inherited == key)
    }
}

/// Entries of the link's own `reverse` table; none where it has no such table.
fn own(link: &Node) -> Result<&[Entry], Fault> {
    let Some(reverse) = link.get("reverse") else {
        return Ok(&[]);
    };
    if !matches!(reverse.value, Value::Table(_)) {
        return Err(Fault::must_be("a table", &reverse.describe())
            .at(&reverse.span)
            .example("reverse = { delay = \"80ms\" }")
            .of("reverse"));
    }
    let mut known = keys::<LinkModel>().to_vec();
    known.retain(|key| !OF_BOTH.contains(key));
    let own = reverse.entries();
    match own.iter().find(|e| !known.contains(&e.key.as_str())) {
        Some(other) => Err(Fault::unknown_key_of(&other.key, &known).at(&other.key_span)),
        None => Ok(own),
    }
}

fn renamed(entry: &Entry, key: &str) -> Entry {
    Entry {
        key: key.to_owned(),
        ..entry.clone()
    }
}

/// The table `reverse` in the schema: the keys of a link that differ by direction, which default to the link's.
#[cfg(feature = "schema")]
pub(crate) struct ReverseModel;

#[cfg(feature = "schema")]
impl schemars::JsonSchema for ReverseModel {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ReverseModel".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let mut table = LinkModel::json_schema(generator);
        table.remove("required");
        let about = "Properties of the reverse direction of a link that differ. Its losses are `loss.reverse`.";
        table.insert("description".to_owned(), about.into());
        let keys = table.get_mut("properties");
        if let Some(keys) = keys.and_then(|keys| keys.as_object_mut()) {
            keys.retain(|key, _| !OF_BOTH.contains(&key.as_str()));
            for (key, schema) in keys {
                let about = schema["description"].as_str().unwrap_or_default();
                let about = about.replace('\n', " ");
                let meaning = about
                    .rsplit_once("; default ")
                    .map_or(&*about, |both| both.0);
                schema["description"] = format!("{meaning}; default {}.", default(key)).into();
            }
        }
        table
    }
}

/// Default of a key of `reverse`, in words: the value it has where a file does not give it.
#[cfg(feature = "schema")]
fn default(key: &str) -> &'static str {
    match key {
        "rate" => "`reverse_rate`, or that of the link",
        "trace_else" => "none",
        "delay" => "that of the link, with the same draw",
        "steps" => "those of the link, with draws of their own",
        "blackouts" => "those of the link",
        "arq" => "that of the link if this direction has losses or blackouts, otherwise \"none\"",
        _ => "that of the link",
    }
}
