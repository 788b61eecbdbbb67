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

/// Schema of an enum whose members may be written by name alone, without parameters.
pub(crate) fn allow_names(schema: &mut Schema) {
    let Some(choices) = schema.remove("oneOf") else {
        return;
    };
    let mut any: Vec<serde_json::Value> = choices.as_array().cloned().unwrap_or_default();
    let names: Vec<serde_json::Value> = any
        .iter()
        .filter_map(|c| c.get("properties")?.as_object()?.keys().next().cloned())
        .map(Into::into)
        .collect();
    any.push(serde_json::json!({ "enum": names }));
    schema.insert("anyOf".into(), any.into());
}
