//! JSON schema: of the members of a slot, from their own descriptions, and of what may be written in more than
//! one way.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, json};
use skywave_core::tcp::Slot;
use skywave_core::tcp::slot::{Form, Kind, Member, Parameter, Value};

use crate::model::member::{MemberModel, names_only, written};
use crate::model::number::{Count, Positive, Probability};
use crate::model::units::Period;

impl<S: Slot> JsonSchema for MemberModel<S> {
    fn schema_name() -> Cow<'static, str> {
        let (first, rest) = S::NAME.split_at(1);
        format!("{}{rest}Model", first.to_uppercase()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut choices: Vec<serde_json::Value> = Vec::new();
        if names_only::<S>() {
            for member in S::MEMBERS {
                choices.push(json!({ "const": member.name, "description": about(member) }));
            }
        } else {
            for (member, default) in S::MEMBERS.iter().zip(S::defaults()) {
                let parameters = parameters(member, &default, generator);
                choices.push(json!({
                    "type": "object",
                    "description": about(member),
                    "properties": { member.name: parameters },
                    "required": [member.name],
                    "additionalProperties": false,
                }));
            }
            choices.push(json!({ "enum": S::NAMES }));
        }
        json_schema!({ "description": S::SUMMARY, "anyOf": choices })
    }
}

fn about(member: &Member) -> String {
    format!("{}: {}.", member.source, member.summary)
}

/// What may stand in the place of a member's parameters.
fn parameters<S: Slot>(member: &Member, default: &S, generator: &mut SchemaGenerator) -> Schema {
    let empty = json_schema!({ "type": "object", "additionalProperties": false });
    if let [alone] = member.parameters
        && alone.form == Form::Alone
    {
        let value = value(alone, default, 0, generator);
        return json_schema!({ "anyOf": [value, empty] });
    }
    let mut properties = Map::new();
    for (place, parameter) in member.parameters.iter().enumerate() {
        let schema = value(parameter, default, place, generator);
        properties.insert(parameter.name.to_owned(), schema.into());
    }
    let mut schema = empty;
    if !properties.is_empty() {
        schema.insert("properties".to_owned(), properties.into());
    }
    schema
}

fn value<S: Slot>(
    parameter: &Parameter,
    default: &S,
    place: usize,
    generator: &mut SchemaGenerator,
) -> Schema {
    let mut schema = match parameter.kind {
        Kind::Positive => generator.subschema_for::<Positive>(),
        Kind::Probability => generator.subschema_for::<Probability>(),
        Kind::Flag => json_schema!({ "type": "boolean" }),
        Kind::Count => generator.subschema_for::<Count>(),
        Kind::Period => generator.subschema_for::<Period>(),
        Kind::OneOf(names) => json_schema!({ "enum": names }),
    };
    let doc = match default.get(place) {
        Some(Value::Period(time)) if time.is_zero() => format!("{}; default none.", parameter.doc),
        Some(value) => format!("{}; default {}.", parameter.doc, written(parameter, value)),
        None => format!("{}.", parameter.doc),
    };
    schema.insert("description".to_owned(), doc.into());
    schema
}

/// Schema of an enum whose `$…` variants stand for a kind of value: they lose their wrapper. A list has no name
/// of its own that would explain it, so that it keeps the variant's description.
pub(crate) fn unwrap_kinds(schema: &mut Schema) {
    let Some(choices) = schema.remove("oneOf") else {
        return;
    };
    let unwrapped = choices.as_array().map(|choices| {
        choices
            .iter()
            .map(|choice| {
                let wrapped = choice.get("properties").and_then(|p| p.as_object());
                match wrapped.and_then(|p| p.iter().find(|(key, _)| key.starts_with('$'))) {
                    Some((_, inner)) => {
                        let mut inner = inner.clone();
                        if inner["type"] == "array"
                            && let Some(about) = choice.get("description")
                        {
                            inner["description"] = about.clone();
                        }
                        inner
                    }
                    None => choice.clone(),
                }
            })
            .collect::<Vec<_>>()
    });
    schema.insert("anyOf".into(), unwrapped.unwrap_or_default().into());
}

/// Allows a name alone in place of `{ name = {} }`, as the decoder does: in all of `root`, where the table that
/// belongs to the name needs no key.
pub(crate) fn allow_names(root: &mut serde_json::Value) {
    let definitions = root["$defs"].clone();
    add_names(root, &definitions);
}

fn add_names(schema: &mut serde_json::Value, definitions: &serde_json::Value) {
    if let Some(map) = schema.as_object_mut() {
        for key in ["oneOf", "anyOf"] {
            let Some(choices) = map.get(key).and_then(|choices| choices.as_array()) else {
                continue;
            };
            let names = names_alone(choices, definitions);
            if !names.is_empty() {
                let mut choices = choices.clone();
                choices.push(json!({ "enum": names }));
                map.remove(key);
                map.insert("anyOf".to_owned(), choices.into());
            }
        }
        for inner in map.values_mut() {
            add_names(inner, definitions);
        }
    } else if let Some(items) = schema.as_array_mut() {
        for inner in items {
            add_names(inner, definitions);
        }
    }
}

/// The names of those choices that need no value and cannot be written alone yet.
fn names_alone(choices: &[serde_json::Value], definitions: &serde_json::Value) -> Vec<String> {
    let is_there = |name: &str| {
        let mut lists = choices
            .iter()
            .filter_map(|choice| choice["enum"].as_array());
        lists.any(|list| list.iter().any(|known| known == name))
    };
    let needs_nothing = |table: &serde_json::Value| {
        let place = table["$ref"].as_str().unwrap_or_default();
        let named = place.strip_prefix("#/$defs/");
        let table = named.map_or(table, |name| &definitions[name]);
        table["type"] == "object" && table.get("required").is_none()
    };
    let name = |choice: &serde_json::Value| {
        let properties = choice["properties"].as_object()?;
        let (name, table) = properties.iter().next()?;
        let alone = properties.len() == 1 && choice["required"] == json!([name]);
        (alone && needs_nothing(table) && !is_there(name)).then(|| name.clone())
    };
    choices.iter().filter_map(name).collect()
}
