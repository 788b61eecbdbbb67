//! The JSON schema that editors use: it is committed, current, and accepts what the decoder accepts.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Map, Value};
use skywave_scenario::{NoFiles, Scenario, json_schema};

use crate::wrong::FILES;

const EXAMPLE: &str = include_str!("files/cerl-fig7a.toml");
const EVERYTHING: &str = include_str!("files/everything.toml");
const ROUTING: &str = include_str!("files/routing.toml");

/// `SKYWAVE_UPDATE_SCHEMA=1 cargo test -p skywave-scenario --test scenario` writes it anew.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the schema is a file of the repository, which may be written anew"
)]
fn the_committed_schema_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema/scenario.schema.json");
    let current = json_schema();
    if std::env::var_os("SKYWAVE_UPDATE_SCHEMA").is_some() {
        let text = serde_json::to_string_pretty(&current).expect("JSON");
        std::fs::write(&path, text + "\n").expect("the schema can be written");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    // As values: the order of keys depends on how serde_json is built.
    let committed: Value = serde_json::from_str(&committed).unwrap_or_default();
    assert!(
        committed == current,
        "schema/scenario.schema.json is out of date: run this test with SKYWAVE_UPDATE_SCHEMA=1"
    );
}

#[test]
fn what_the_decoder_accepts_the_schema_accepts() {
    let schema = json_schema();
    for (name, text) in [
        ("example", EXAMPLE),
        ("everything", EVERYTHING),
        ("routing", ROUTING),
    ] {
        if let Err(error) = Scenario::parse(name, text, &FILES) {
            panic!("{}", error.render(false));
        }
        let file: Value = toml::from_str(text).expect("TOML");
        if let Err(reason) = check(&schema, &schema, &file, "") {
            panic!("{name}{reason}");
        }
    }
}

#[test]
fn the_schema_refuses_what_the_decoder_refuses() {
    let schema = json_schema();
    for (from, to) in [
        ("delay = \"10ms\"", "dealy = \"10ms\""),
        ("between = [\"S1\", \"G0\"]\n", ""),
        ("rate = \"10Mbps\"", "rate = 10"),
        (
            "{ droptail = \"90 packets\" }",
            "{ droptial = \"90 packets\" }",
        ),
        ("{ droptail = \"90 packets\" }", "\"droptail\""),
        ("{ exponential = 0.01 }", "{ exponential = 1.01 }"),
        ("seeds = 20", "seeds = 0"),
        ("profile = \"ns2\"", "profile = \"ns3\""),
        ("mss = 1460", "mss = 70000"),
        (
            "transport = \"reno\"",
            "transport = { congestion = \"crel\" }",
        ),
        ("transport = \"reno\"", "transport = { recover = \"sack\" }"),
    ] {
        assert!(EXAMPLE.contains(from));
        let text = EXAMPLE.replacen(from, to, 1);
        assert!(Scenario::parse("wrong", &text, &NoFiles).is_err(), "{to}");
        let file: Value = toml::from_str(&text).expect("TOML");
        assert!(check(&schema, &schema, &file, "").is_err(), "{to}");
    }
}

/// A name alone stands for an empty table, where that is enough.
#[test]
fn decoder_and_schema_accept_the_same_names_without_a_value() {
    const RADIO: &str = r#"
[radio]
standard = "802.11g"
WHAT
[[station]]
node = "a"
at = ["0m", "0m"]
[[station]]
node = "b"
at = ["10m", "0m"]
[[flow]]
from = "a"
to = "b"
[run]
duration = "1s"
"#;
    let schema = json_schema();
    let queue = |name: &str| {
        let queue = "{ droptail = \"90 packets\" }";
        assert!(EXAMPLE.contains(queue));
        EXAMPLE.replacen(queue, &format!("\"{name}\""), 1)
    };
    let radio = |key: &str, name: &str| RADIO.replace("WHAT", &format!("{key} = \"{name}\""));
    for (text, good) in [
        (queue("droptail"), false),
        (queue("red"), false),
        (queue("step"), false),
        (queue("codel"), true),
        (queue("fq-codel"), true),
        (queue("pie"), true),
        (queue("dualpi2"), true),
        (radio("propagation", "ns3"), true),
        (radio("propagation", "ranges"), false),
        (radio("propagation", "two_ray"), true),
        (radio("propagation", "log_distance"), true),
        (radio("reception", "collision"), true),
        (radio("reception", "capture"), false),
        (radio("reception", "sinr"), true),
        (radio("sensing", "frames"), true),
        (radio("routing", "aodv"), true),
        (radio("routing", "dsdv"), true),
        (radio("routing", "dsr"), true),
    ] {
        let decoded = Scenario::parse("names", &text, &NoFiles);
        assert_eq!(decoded.is_ok(), good, "{text}{:?}", decoded.err());
        let file: Value = toml::from_str(&text).expect("TOML");
        let checked = check(&schema, &schema, &file, "");
        assert_eq!(checked.is_ok(), good, "{text}{:?}", checked.err());
    }
}

/// The decoder accepts `everything.toml`, `routing.toml`, the space of searches and each member of a slot with each of its parameters
/// (`members.rs`). All names of the schema occur among those, so the schema has none that the decoder does
/// not know.
#[test]
fn the_schema_has_no_key_that_the_decoder_does_not_know() {
    let mut named = BTreeSet::new();
    names(&json_schema(), &mut named);
    assert!(named.len() > 100, "{} names", named.len());
    let mut written = crate::members::keys();
    for text in [EVERYTHING, ROUTING, crate::search::GOOD] {
        written_in(&toml::from_str(text).expect("TOML"), &mut written);
    }
    let missing: Vec<&String> = named.difference(&written).collect();
    assert_eq!(
        missing,
        Vec::<&String>::new(),
        "not in everything.toml, routing.toml or the space of searches"
    );
}

fn names(schema: &Value, found: &mut BTreeSet<String>) {
    match schema {
        Value::Object(map) => {
            if let Some(Value::Object(properties)) = map.get("properties") {
                found.extend(properties.keys().cloned());
            }
            map.values().for_each(|v| names(v, found));
        }
        Value::Array(items) => items.iter().for_each(|v| names(v, found)),
        _ => {}
    }
}

fn written_in(file: &Value, found: &mut BTreeSet<String>) {
    match file {
        Value::Object(map) => {
            found.extend(map.keys().cloned());
            map.values().for_each(|v| written_in(v, found));
        }
        Value::Array(items) => items.iter().for_each(|v| written_in(v, found)),
        _ => {}
    }
}

/// The part of JSON Schema that ours uses, without patterns.
pub(crate) fn check(root: &Value, schema: &Value, value: &Value, path: &str) -> Result<(), String> {
    let wrong = |what: &str| Err(format!("{path}: {what}: {value}"));
    let Some(schema) = schema.as_object() else {
        return match schema {
            Value::Bool(false) => wrong("nothing is allowed"),
            _ => Ok(()),
        };
    };
    if let Some(Value::String(reference)) = schema.get("$ref") {
        let target = root.pointer(reference.trim_start_matches('#'));
        check(root, target.expect("a definition"), value, path)?;
    }
    if let Some(types) = schema.get("type") {
        let one = |t: &Value| t.as_str().is_some_and(|t| is(t, value));
        if !(one(types) || types.as_array().is_some_and(|t| t.iter().any(one))) {
            return wrong(&format!("not of type {types}"));
        }
    }
    for (key, exactly_one) in [("anyOf", false), ("oneOf", true)] {
        if let Some(choices) = schema.get(key).and_then(Value::as_array) {
            let results = choices.iter().map(|c| check(root, c, value, path));
            let fits = results.clone().flatten().count();
            if fits == 0 {
                let reasons: Vec<String> = results.filter_map(Result::err).collect();
                return wrong(&format!("no choice fits [{}]", reasons.join("; ")));
            }
            if exactly_one && fits > 1 {
                return wrong("more than one choice fits");
            }
        }
    }
    if schema.get("const").is_some_and(|c| c != value) {
        return wrong("not the constant");
    }
    if let Some(Value::Array(choices)) = schema.get("enum")
        && !choices.contains(value)
    {
        return wrong("not one of the names");
    }
    if let Some(number) = value.as_f64() {
        let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
        if bound("minimum").is_some_and(|m| number < m)
            || bound("maximum").is_some_and(|m| number > m)
            || bound("exclusiveMinimum").is_some_and(|m| number <= m)
        {
            return wrong("out of bounds");
        }
    }
    match value {
        Value::Object(map) => check_object(root, schema, map, path),
        Value::Array(items) => check_array(root, schema, items, path),
        _ => Ok(()),
    }
}

fn is(kind: &str, value: &Value) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        _ => value.is_null(),
    }
}

fn check_object(
    root: &Value,
    schema: &Map<String, Value>,
    map: &Map<String, Value>,
    path: &str,
) -> Result<(), String> {
    for key in schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        if !key.as_str().is_some_and(|k| map.contains_key(k)) {
            return Err(format!("{path}: {key} is missing"));
        }
    }
    for (key, value) in map {
        let own = schema.get("properties").and_then(|p| p.get(key));
        if let Some(schema) = own.or(schema.get("additionalProperties")) {
            check(root, schema, value, &format!("{path}.{key}"))?;
        }
    }
    Ok(())
}

fn check_array(
    root: &Value,
    schema: &Map<String, Value>,
    items: &[Value],
    path: &str,
) -> Result<(), String> {
    let bound = |key: &str| schema.get(key).and_then(Value::as_u64);
    let len = items.len() as u64;
    if bound("minItems").is_some_and(|m| len < m) || bound("maxItems").is_some_and(|m| len > m) {
        return Err(format!("{path}: wrong number of items"));
    }
    for (i, item) in items.iter().enumerate() {
        let own = schema.get("prefixItems").and_then(|p| p.get(i));
        if let Some(schema) = own.or(schema.get("items")) {
            check(root, schema, item, &format!("{path}[{i}]"))?;
        }
    }
    Ok(())
}
