//! A decoded value that knows where it stands.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};

use crate::read::de::SPANNED;
use crate::read::fault::Fault;
use crate::read::tree::Span;

/// A decoded value with its place in the file's text, so that a check after decoding can say where a mistake
/// is.
#[derive(Clone, Debug)]
pub struct Spanned<T> {
    pub(crate) span: Span,
    pub(crate) value: T,
}

impl<T> Spanned<T> {
    /// Place of the value in the file's text: a range of bytes.
    pub fn span(&self) -> Span {
        self.span.clone()
    }

    /// Value without its place.
    pub fn get_ref(&self) -> &T {
        &self.value
    }

    /// Mistake in this value.
    pub(crate) fn fault(&self, message: impl Into<String>) -> Fault {
        Fault::new(self.span.clone(), message)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Spanned<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Placed(PhantomData).deserialize(deserializer)
    }
}

/// Reads what `S` reads, and its place.
pub(crate) struct Placed<S>(pub(crate) S);

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Placed<S> {
    type Value = Spanned<S::Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_tuple_struct(SPANNED, 3, self)
    }
}

impl<'de, S: DeserializeSeed<'de>> Visitor<'de> for Placed<S> {
    type Value = Spanned<S::Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value and its place")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let end = || A::Error::custom("a value lost its place");
        let (Some(start), Some(stop)) = (seq.next_element()?, seq.next_element()?) else {
            return Err(end());
        };
        Ok(Spanned {
            span: start..stop,
            value: seq.next_element_seed(self.0)?.ok_or_else(end)?,
        })
    }
}

#[cfg(feature = "schema")]
impl<T: schemars::JsonSchema> schemars::JsonSchema for Spanned<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> std::borrow::Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        T::json_schema(generator)
    }
}
