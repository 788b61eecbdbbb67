//! JSON schema: of parameters, from their descriptions, and of what may be written in more than
//! one way.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, json};
use skywave_core::parameter::{
    Family, Form, Kind, Member, Named, Optional, Parameter, Settings, Table, Value,
};

use crate::model::member::{MemberModel, names_only};
use crate::model::named::NamedModel;
use crate::model::number::{BelowOne, Byte, Count, Positive, Probability, Share};
use crate::model::optional::{OptionalModel, TableModel};
use crate::model::units::{Bytes, Duration, Level, Period, Rate, Room, Size};

impl<F: Family> JsonSchema for MemberModel<F> {
    fn schema_name() -> Cow<'static, str> {
        named(F::NAME, "Model").into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut choices: Vec<serde_json::Value> = Vec::new();
        if names_only::<F>() {
            for member in F::MEMBERS {
                choices.push(json!({ "const": member.name, "description": about(member) }));
            }
        } else {
            for (member, default) in F::MEMBERS.iter().zip(F::defaults()) {
                let parameters = payload(member, &default, generator);
                choices.push(json!({
                    "type": "object",
                    "description": about(member),
                    "properties": { member.name: parameters },
                    "required": [member.name],
                    "additionalProperties": false,
                }));
            }
            let names = F::MEMBERS.iter().filter(|member| member.needs_nothing());
            let names: Vec<&str> = names.map(|member| member.name).collect();
            if !names.is_empty() {
                choices.push(json!({ "enum": names }));
            }
        }
        json_schema!({ "description": F::SUMMARY, "anyOf": choices })
    }
}

impl<E: Named> JsonSchema for NamedModel<E> {
    fn schema_name() -> Cow<'static, str> {
        named(E::NAME, "Model").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let choices = E::NAMES
            .iter()
            .zip(E::ABOUT)
            .map(|(name, about)| json!({ "type": "string", "const": name, "description": about }));
        let choices: Vec<serde_json::Value> = choices.collect();
        json_schema!({ "oneOf": choices, "description": E::SUMMARY })
    }
}

/// A name of the schema, from one of scenario files.
fn named(name: &str, end: &str) -> String {
    let (first, rest) = name.split_at(1);
    format!("{}{rest}{end}", first.to_uppercase())
}

/// A schema that stands among the definitions under this name.
fn defined(name: String, schema: Schema, generator: &mut SchemaGenerator) -> Schema {
    let place = json!({ "$ref": format!("#/$defs/{name}") });
    generator.definitions_mut().insert(name, schema.into());
    place.try_into().unwrap_or_default()
}

impl<C: Table> JsonSchema for TableModel<C> {
    fn schema_name() -> Cow<'static, str> {
        named(C::NAME, "Model").into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        table(
            C::SUMMARY,
            C::PARAMETERS,
            &values(&C::DEFAULT, C::PARAMETERS),
            generator,
        )
    }
}

impl<C: Optional> JsonSchema for OptionalModel<C> {
    fn schema_name() -> Cow<'static, str> {
        named(C::NAME, "Model").into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let table = TableModel::<C>::json_schema(generator);
        let mut choices = vec![json!({ "const": "none", "description": C::NONE })];
        for (name, about, _) in C::PRESETS {
            choices.push(json!({ "const": name, "description": about }));
        }
        choices.push(defined(named(C::NAME, "Table"), table, generator).into());
        json_schema!({ "description": C::SUMMARY, "anyOf": choices })
    }
}

fn about(member: &Member) -> String {
    if member.source.is_empty() {
        member.summary.to_owned()
    } else {
        format!("{}: {}.", member.source, member.summary)
    }
}

/// Schema of the parameters that may follow a member's name.
fn payload<F: Family>(member: &Member, default: &F, generator: &mut SchemaGenerator) -> Schema {
    let values = values(default, member.parameters);
    match member.parameters {
        [alone] if alone.form == Form::Alone => {
            let value = value(alone, values[0].as_ref(), generator);
            if alone.is_needed() {
                return value;
            }
            let empty = json_schema!({ "type": "object", "additionalProperties": false });
            json_schema!({ "anyOf": [value, empty] })
        }
        parameters if !F::SECTIONS || parameters.is_empty() => {
            table("", parameters, &values, generator)
        }
        parameters => {
            let table = table(&about(member), parameters, &values, generator);
            let name = format!("{}_{}", MemberModel::<F>::schema_name(), member.name);
            defined(name, table, generator)
        }
    }
}

/// The values that a configuration has of these parameters.
fn values(config: &impl Settings, parameters: &[Parameter]) -> Vec<Option<Value>> {
    (0..parameters.len())
        .map(|place| config.get(place))
        .collect()
}

/// A table of these parameters, with their defaults.
fn table(
    about: &str,
    parameters: &[Parameter],
    defaults: &[Option<Value>],
    generator: &mut SchemaGenerator,
) -> Schema {
    let mut table = json_schema!({ "type": "object", "additionalProperties": false });
    if !about.is_empty() {
        table.insert("description".to_owned(), about.into());
    }
    let mut properties = Map::new();
    for (parameter, default) in parameters.iter().zip(defaults) {
        let schema = value(parameter, default.as_ref(), generator);
        properties.insert(parameter.name.to_owned(), schema.into());
    }
    if !properties.is_empty() {
        table.insert("properties".to_owned(), properties.into());
    }
    let needed = parameters.iter().filter(|parameter| parameter.is_needed());
    let needed: Vec<&str> = needed.map(|parameter| parameter.name).collect();
    if !needed.is_empty() {
        table.insert("required".to_owned(), needed.into());
    }
    table
}

fn value(
    parameter: &Parameter,
    default: Option<&Value>,
    generator: &mut SchemaGenerator,
) -> Schema {
    let mut schema = match parameter.kind {
        Kind::Positive => generator.subschema_for::<Positive>(),
        Kind::Probability => generator.subschema_for::<Probability>(),
        Kind::BelowOne => generator.subschema_for::<BelowOne>(),
        Kind::Share => generator.subschema_for::<Share>(),
        Kind::Flag => json_schema!({ "type": "boolean" }),
        Kind::Count => generator.subschema_for::<Count>(),
        Kind::Counts => generator.subschema_for::<Vec<Count>>(),
        Kind::Byte => generator.subschema_for::<Byte>(),
        Kind::Period => generator.subschema_for::<Period>(),
        Kind::Time => generator.subschema_for::<Duration>(),
        Kind::Rate => generator.subschema_for::<Rate>(),
        Kind::Size => generator.subschema_for::<Size>(),
        Kind::Bytes => generator.subschema_for::<Bytes>(),
        Kind::Limit => generator.subschema_for::<Room>(),
        Kind::Level => generator.subschema_for::<Level>(),
        Kind::OneOf(names) => json_schema!({ "enum": names }),
        Kind::Table(parameters, _) => {
            let Some(Value::Table(defaults)) = default else {
                return Schema::default();
            };
            let about = format!("{}.", parameter.doc);
            let table = table(&about, parameters, defaults, generator);
            defined(named(parameter.name, "Table"), table, generator)
        }
    };
    schema.insert(
        "description".to_owned(),
        parameter.described(default).into(),
    );
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
                    Some((key, inner)) => {
                        let mut inner = inner.clone();
                        if key == "$table" {
                            // Not the name alone that a family's own schema allows.
                            inner["type"] = "object".into();
                        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::OneOrMany;
    use crate::model::member::QueueModel;
    use crate::read::de::from_node;
    use crate::read::tree::parse;

    #[test]
    fn decoder_and_schema_take_a_name_of_several_in_a_list_only() {
        type Queues = std::collections::BTreeMap<String, OneOrMany<QueueModel>>;
        let read = |text| from_node::<Queues>(&parse(text).unwrap_or_else(|_| panic!("{text}")));
        assert!(read("queues = [\"codel\"]").is_ok());
        assert!(read("queues = { codel = {} }").is_ok());
        assert!(read("queues = \"codel\"").is_err());
        let schema = SchemaGenerator::default().into_root_schema_for::<OneOrMany<QueueModel>>();
        let types = schema.as_value()["anyOf"].as_array().into_iter().flatten();
        let types: Vec<&serde_json::Value> = types.map(|choice| &choice["type"]).collect();
        assert_eq!(types, ["object", "array"]);
    }
}
