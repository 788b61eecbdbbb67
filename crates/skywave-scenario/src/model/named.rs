//! Choice among several names, as a file writes it; the names are those of the core's own choice ([`Named`]).

use serde::de::{Deserialize, DeserializeSeed, Deserializer};
use skywave_core::parameter::Named;

use crate::model::value::OneOf;

/// Choice among several names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NamedModel<E>(pub(crate) E);

impl<'de, E: Named> Deserialize<'de> for NamedModel<E> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        OneOf(E::NAMES)
            .deserialize(deserializer)
            .map(|place| Self(E::ALL[place]))
    }
}
