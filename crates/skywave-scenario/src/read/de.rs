//! serde over the spanned tree: every error gets the place of the innermost value.
//!
//! Some names steer it where TOML's habits and serde's enums differ:
//! - [`SPANNED`]: a tuple struct of that name receives start, end and the value;
//! - an enum with a variant `$scalar`, `$array` or `$table` takes any value of that kind there
//!   (`"15s"` beside `{ uniform = […] }`), without the lost spans of untagged enums;
//! - an enum with a variant [`ANY_NAME`] takes there any name that no other variant has, and so does
//!   one called [`OPEN`];
//! - a name in place of `{ name = { … } }` stands for an empty table (`congestion = "cerl"`).

use serde::de::value::{BorrowedStrDeserializer, UsizeDeserializer};
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error, IntoDeserializer, MapAccess,
    SeqAccess, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use crate::read::fault::Fault;
use crate::read::tree::{Entry, Node, Span, Value};

/// The name that asks for a value with its place.
pub(crate) const SPANNED: &str = "$spanned";

/// The name of an enum that takes names beside those of its variants.
pub(crate) const OPEN: &str = "$open";

/// The variant that stands for a name beside those of the other variants.
pub(crate) const ANY_NAME: &str = "$name";

/// Reads a `T` out of the tree.
pub(crate) fn from_node<'de, T: Deserialize<'de>>(node: &'de Node) -> Result<T, Fault> {
    T::deserialize(node)
}

impl<'de> Deserializer<'de> for &'de Node {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match &self.value {
            Value::Bool(b) => visitor.visit_bool(*b),
            Value::Int(i) => visitor.visit_i64(*i),
            Value::Float(x) => visitor.visit_f64(*x),
            Value::Text(s) => visitor.visit_borrowed_str(s),
            Value::Date(_) => Err(Fault::must_be("a string or a number", &self.describe())),
            Value::Array(items) => visitor.visit_seq(Items(items.iter())),
            Value::Table(entries) => visitor.visit_map(Entries {
                rest: entries.iter(),
                current: None,
            }),
        }
        .map_err(|e| e.at(&self.span))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_some(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        if matches!(self.value, Value::Table(_)) {
            return Err(Fault::must_be("an array", "a table")
                .at(&self.span)
                .help("an array of tables has double brackets around its name: [[link]]"));
        }
        self.deserialize_any(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        // A derived visitor would take an array as well, by the order of its fields.
        if !matches!(self.value, Value::Table(_)) {
            let fault = Fault::must_be("a table", &self.describe()).at(&self.span);
            return Err(match name {
                "LossModel" => fault.example("loss = { forward = { iid = 0.02 } }"),
                _ => fault,
            });
        }
        let read = self.deserialize_any(visitor);
        read.map_err(|fault| match (name, fault.unknown_key()) {
            ("LossModel", Some(_)) => {
                fault.add_help("for example, loss = { forward = { iid = 0.02 } }")
            }
            _ => fault,
        })
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        if !matches!(self.value, Value::Table(_)) {
            let expected = "a table with a value for each name";
            return Err(Fault::must_be(expected, &self.describe()).at(&self.span));
        }
        self.deserialize_any(visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Fault> {
        match &self.value {
            Value::Array(items) if items.len() == len => self.deserialize_any(visitor),
            Value::Array(items) => Err(Fault::invalid_length(items.len(), &visitor).at(&self.span)),
            _ => {
                let expected = format!(
                    "an array of {}",
                    if len == 2 { "two values" } else { "values" }
                );
                Err(Fault::must_be(&expected, &self.describe()).at(&self.span))
            }
        }
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        if name == SPANNED {
            return visitor.visit_seq(WithSpan {
                node: self,
                step: 0,
            });
        }
        self.deserialize_tuple(len, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let is_open = name == OPEN || variants.contains(&ANY_NAME);
        let kind = match self.value {
            Value::Array(_) => "$array",
            Value::Table(_) => "$table",
            _ => "$scalar",
        };
        let access = match &self.value {
            _ if variants.contains(&kind) => Variant {
                name: kind,
                name_span: &self.span,
                payload: Some(self),
            },
            Value::Text(name) if is_open && !variants.contains(&name.as_str()) => Variant {
                name: ANY_NAME,
                name_span: &self.span,
                payload: Some(self),
            },
            Value::Text(name) if variants.iter().any(|v| !v.starts_with('$')) => Variant {
                name,
                name_span: &self.span,
                payload: None,
            },
            Value::Table(entries) => match entries.as_slice() {
                [] => {
                    return Err(Fault::must_be("a table with one key", "an empty table")
                        .at(&self.span)
                        .help(one_of(variants)));
                }
                [entry] => Variant {
                    name: &entry.key,
                    name_span: &entry.key_span,
                    payload: Some(&entry.node),
                },
                [_, second, ..] => {
                    return Err(Fault::must_be("a table with one key", "")
                        .label("a second choice")
                        .at(&second.key_span)
                        .help(one_of(variants)));
                }
            },
            _ => {
                return Err(Fault::must_be(&kinds(variants), &self.describe())
                    .at(&self.span)
                    .help(one_of(variants)));
            }
        };
        visitor.visit_enum(access)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct identifier
    }
}

/// The kinds of values that an enum takes, in a user's words.
fn kinds(variants: &[&str]) -> String {
    let has = |name| variants.contains(&name);
    let named = variants.iter().any(|v| !v.starts_with('$'));
    let kinds = [
        (has("$scalar"), "a single value"),
        (named && !has("$scalar"), "a name"),
        (has("$array"), "an array"),
        (named || has("$table"), "a table"),
    ];
    let words: Vec<&str> = kinds.iter().filter(|k| k.0).map(|k| k.1).collect();
    words.join(" or ")
}

fn one_of(variants: &[&str]) -> String {
    let names: Vec<&str> = variants
        .iter()
        .copied()
        .filter(|v| !v.starts_with('$'))
        .collect();
    if names.is_empty() {
        return String::new();
    }
    format!("expected one of {}", names.join(", "))
}

/// The elements of an array.
struct Items<'de>(std::slice::Iter<'de, Node>);

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Fault> {
        self.0.next().map(|node| seed.deserialize(node)).transpose()
    }
}

/// The keys of a table.
struct Entries<'de> {
    rest: std::slice::Iter<'de, Entry>,
    current: Option<&'de Entry>,
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Fault> {
        self.current = self.rest.next();
        let Some(entry) = self.current else {
            return Ok(None);
        };
        seed.deserialize(BorrowedStrDeserializer::new(&entry.key))
            .map(Some)
            .map_err(|e: Fault| e.at(&entry.key_span))
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Fault> {
        let Some(entry) = self.current else {
            return Err(Fault::custom("a value was read before its key"));
        };
        seed.deserialize(&entry.node).map_err(|fault| {
            let fault = fault.at(&entry.node.span);
            let fault = match entry.key.as_str() {
                // Of a station, or of one direction.
                key @ ("loss" | "forward" | "reverse") => {
                    fault.example(&format!("{key} = {{ iid = 0.02 }}"))
                }
                // The name of its node, most likely.
                "proxy" if fault.span.as_ref() == Some(&entry.node.span) => {
                    match entry.node.as_text() {
                        Some(at) => fault.add_help(&format!(
                            "a proxy at a node is a table: proxy = {{ at = {at:?} }}"
                        )),
                        None => fault,
                    }
                }
                _ => fault,
            };
            fault.of(&entry.key)
        })
    }
}

/// One choice of an enum; without a payload when only its name is written.
struct Variant<'de> {
    name: &'de str,
    name_span: &'de Span,
    payload: Option<&'de Node>,
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = Fault;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Fault> {
        let name: BorrowedStrDeserializer<'de, Fault> = BorrowedStrDeserializer::new(self.name);
        let value = seed.deserialize(name).map_err(|e| e.at(self.name_span))?;
        Ok((value, self))
    }
}

impl<'de> Variant<'de> {
    /// A mistake in its payload, told with its name if the file has that.
    fn named(&self, fault: Fault) -> Fault {
        if self.name.starts_with('$') {
            fault
        } else {
            fault.of(self.name)
        }
    }

    /// A name alone stands for an empty table, where one is enough.
    fn without_payload<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Fault> {
        seed.deserialize(NoEntries(self.name_span))
            .map_err(|_: Fault| self.needs_value())
    }

    fn needs_value(&self) -> Fault {
        Fault::new(
            self.name_span.clone(),
            format!("`{}` needs a value", self.name),
        )
        .label("only the name")
        .help(format!("write {{ {} = … }}", self.name))
    }
}

/// An empty table in the place of a name.
struct NoEntries<'de>(&'de Span);

impl<'de> Deserializer<'de> for NoEntries<'de> {
    type Error = Fault;

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        if !variants.contains(&"$table") {
            return Err(Fault::must_be(&kinds(variants), "nothing"));
        }
        visitor.visit_enum(Variant {
            name: "$table",
            name_span: self.0,
            payload: None,
        })
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_map(Entries {
            rest: [].iter(),
            current: None,
        })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq map identifier option newtype_struct tuple tuple_struct struct ignored_any
    }
}

impl<'de> VariantAccess<'de> for Variant<'de> {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        match self.payload {
            None => Ok(()),
            Some(node) => Err(node
                .fault(format!("`{}` takes no value", self.name))
                .label("not wanted")
                .help(format!("write \"{}\" in place of the table", self.name))),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Fault> {
        match self.payload {
            Some(node) => seed.deserialize(node).map_err(|e| self.named(e)),
            None => self.without_payload(seed),
        }
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Fault> {
        match self.payload {
            Some(node) => node
                .deserialize_tuple(len, visitor)
                .map_err(|e| self.named(e)),
            None => Err(self.needs_value()),
        }
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match self.payload {
            Some(node) => node.deserialize_struct("", fields, visitor),
            None => Err(self.needs_value()),
        }
    }
}

/// Start, end and value, for [`crate::read::spanned::Spanned`].
struct WithSpan<'de> {
    node: &'de Node,
    step: u8,
}

impl<'de> SeqAccess<'de> for WithSpan<'de> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Fault> {
        self.step += 1;
        let place = |at: usize| -> UsizeDeserializer<Fault> { at.into_deserializer() };
        match self.step {
            1 => seed.deserialize(place(self.node.span.start)).map(Some),
            2 => seed.deserialize(place(self.node.span.end)).map(Some),
            3 => {
                let value = seed.deserialize(self.node).map(Some);
                value.map_err(|fault| fault.at(&self.node.span))
            }
            _ => Ok(None),
        }
    }
}
