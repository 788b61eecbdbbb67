//! Parameters as a file gives them, by their descriptions ([`skywave_core::parameter`]).

use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, VariantAccess,
    Visitor,
};
use skywave_core::parameter::{Kind, Parameter, Refusal, Settings, Table, Value};
use skywave_core::units;

use crate::model::number::{BelowOne, Byte, Count, Positive, Probability, Share};
use crate::model::units::{Bytes, Duration, Level, Period, Rate, Room, Size};
use crate::read::de::ANY_NAME;
use crate::read::fault::Fault;
use crate::read::spanned::{Placed, Spanned};
use crate::read::tree::Span;

/// The value of each parameter that a file gives, by its place in the description.
pub(crate) type Given = Vec<Option<Spanned<Value>>>;

/// `default` with the values that the file gives, which stand at `all`.
pub(crate) fn filled<C: Settings>(
    default: &C,
    parameters: &[Parameter],
    given: &Given,
    all: &Span,
) -> Result<C, Fault> {
    filled_before(default, parameters, given, all, |_, given| {
        Ok(given.value.clone())
    })
}

/// As [`filled`], in front of a transmitter, where a time may stand for an amount: `amount` makes that of it.
pub(crate) fn filled_before<C: Settings>(
    default: &C,
    parameters: &[Parameter],
    given: &Given,
    all: &Span,
    amount: impl Fn(Kind, &Spanned<Value>) -> Result<Value, Fault>,
) -> Result<C, Fault> {
    let mut config = default.clone();
    let place = |key: &&str| {
        let at = parameters.iter().position(|known| known.name == *key)?;
        given.get(at)?.as_ref().map(|value| value.span.clone())
    };
    let refused = |refusal: Refusal, at: &Span| {
        let at = refusal
            .keys
            .iter()
            .find_map(place)
            .unwrap_or_else(|| at.clone());
        Fault::new(at, refusal.message).label(refusal.advice)
    };
    for (i, (parameter, value)) in parameters.iter().zip(given).enumerate() {
        if let Some(value) = value {
            let set = config.set(i, amount(parameter.kind, value)?);
            set.map_err(|refusal| refused(refusal, &value.span))?;
        }
    }
    config.check().map_err(|refusal| refused(refusal, all))?;
    Ok(config)
}

/// Seed that reads a name as its place among the known ones; [`ANY_NAME`] stands for all others, as `None`.
pub(crate) struct Name {
    known: &'static [&'static str],
    is_key: bool,
}

impl Name {
    pub(crate) fn of_variant(known: &'static [&'static str]) -> Self {
        Self {
            known,
            is_key: false,
        }
    }

    fn of_key(known: &'static [&'static str]) -> Self {
        Self {
            known,
            is_key: true,
        }
    }
}

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Name {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
        let place = self.known.iter().position(|known| *known == name);
        match place {
            None if self.is_key => Err(E::unknown_field(name, self.known)),
            None if name != ANY_NAME => Err(E::unknown_variant(name, self.known)),
            place => Ok(place),
        }
    }
}

/// Reads a table of these parameters.
pub(crate) struct Parameters {
    pub(crate) parameters: &'static [Parameter],
    pub(crate) keys: &'static [&'static str],
}

impl Parameters {
    /// Reader for the parameters that `C` describes.
    pub(crate) fn of<C: Table>() -> Self {
        Self {
            parameters: C::PARAMETERS,
            keys: C::KEYS,
        }
    }
}

impl<'de> DeserializeSeed<'de> for Parameters {
    type Value = Given;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Given, D::Error> {
        deserializer.deserialize_struct("", self.keys, self)
    }
}

impl<'de> Visitor<'de> for Parameters {
    type Value = Given;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Given, A::Error> {
        let mut given = vec![None; self.parameters.len()];
        while let Some(place) = map.next_key_seed(Name::of_key(self.keys))? {
            if let Some(place) = place {
                let of = Of(&self.parameters[place]);
                given[place] = Some(map.next_value_seed(Placed(of))?);
            }
        }
        let mut all = self.parameters.iter().zip(&given);
        match all.find(|(parameter, value)| parameter.is_needed() && value.is_none()) {
            Some((missing, _)) => Err(A::Error::missing_field(missing.name)),
            None => Ok(given),
        }
    }
}

/// Reads a value of this parameter.
pub(crate) struct Of(pub(crate) &'static Parameter);

impl<'de> DeserializeSeed<'de> for Of {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        let value = match self.0.kind {
            Kind::Positive => Value::Number(Positive::deserialize(from)?.0),
            Kind::Probability => Value::Number(Probability::deserialize(from)?.0),
            Kind::BelowOne => Value::Number(BelowOne::deserialize(from)?.0),
            Kind::Share => Value::Number(Share::deserialize(from)?.0),
            Kind::Flag => Value::Flag(bool::deserialize(from)?),
            Kind::Count => Value::Count(Count::deserialize(from)?.0),
            Kind::Counts => {
                let numbers = Vec::<Count>::deserialize(from)?;
                Value::Counts(numbers.into_iter().map(|n| n.0).collect())
            }
            Kind::Byte => Value::Count(Byte::deserialize(from)?.0.into()),
            Kind::Period => Value::Period(Period::deserialize(from)?.0),
            Kind::Time => Value::Period(Duration::deserialize(from)?.0),
            Kind::Rate => Value::Rate(Rate::deserialize(from)?.0),
            Kind::Size => Value::Count(Size::deserialize(from)?.0),
            Kind::Bytes => Value::Count(Bytes::deserialize(from)?.0.into()),
            Kind::Limit => match Room::deserialize(from)? {
                Room::Limit(limit) => Value::Limit(limit),
                Room::Time(time) => Value::Period(time),
            },
            Kind::Level => match Level::deserialize(from)? {
                Level::Packets(n) => Value::Level(units::Level::Packets(n)),
                Level::Bytes(n) => Value::Level(units::Level::Bytes(n)),
                Level::Time(time) => Value::Period(time),
            },
            Kind::OneOf(names) => Value::Choice(OneOf(names).deserialize(from)?),
            Kind::Table(parameters, keys) => {
                let given = Parameters { parameters, keys }.deserialize(from)?;
                let values = given.into_iter().map(|given| Some(given?.value));
                Value::Table(values.collect())
            }
        };
        self.0.bounds(&value).map_err(D::Error::custom)?;
        Ok(value)
    }
}

/// Reads one of these names, by its place among them.
pub(crate) struct OneOf(pub(crate) &'static [&'static str]);

impl<'de> DeserializeSeed<'de> for OneOf {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_enum("", self.0, self)
    }
}

impl<'de> Visitor<'de> for OneOf {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<usize, A::Error> {
        let (place, access) = access.variant_seed(Name::of_variant(self.0))?;
        access.unit_variant()?;
        place.ok_or_else(|| A::Error::unknown_variant(ANY_NAME, self.0))
    }
}
