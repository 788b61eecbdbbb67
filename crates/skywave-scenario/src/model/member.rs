//! A member of a policy slot as a file writes it: `"cerl"` or `{ cerl = { a = 0.3 } }`.
//!
//! Nothing here knows a member: names, parameters and their kinds are the slot's own description
//! ([`Slot`]).

use std::fmt;
use std::marker::PhantomData;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, VariantAccess,
    Visitor,
};
use skywave_core::tcp::Slot;
use skywave_core::tcp::slot::{Form, Kind, Member, Parameter, Value};
use skywave_core::tcp::{Acking, CongestionConfig, DetectionConfig, RecoveryConfig, TimeoutConfig};

use crate::model::number::{Count, Positive, Probability};
use crate::model::units::Period;
use crate::read::de::{ANY_NAME, OPEN};
use crate::read::spanned::{Placed, Spanned};

pub(crate) type AckingModel = MemberModel<Acking>;
pub(crate) type CongestionModel = MemberModel<CongestionConfig>;
pub(crate) type DetectionModel = MemberModel<DetectionConfig>;
pub(crate) type RecoveryModel = MemberModel<RecoveryConfig>;
pub(crate) type TimeoutModel = MemberModel<TimeoutConfig>;

/// A member of the slot `S` with the parameters that the file gives.
#[derive(Clone, Debug)]
pub(crate) enum MemberModel<S> {
    BuiltIn {
        /// Its place among the slot's members.
        member: usize,
        /// A value for each of its parameters, where the file has one.
        given: Given,
        slot: PhantomData<S>,
    },
    /// The name of a member of the calling program's own.
    Own(Spanned<String>),
}

/// The value of each parameter of a member that the file gives.
pub(crate) type Given = Vec<Option<Spanned<Value>>>;

/// No member of the slot has parameters, so that there are names only.
pub(crate) fn names_only<S: Slot>() -> bool {
    S::MEMBERS.iter().all(|member| member.parameters.is_empty())
}

impl<'de, S: Slot> Deserialize<'de> for MemberModel<S> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = if S::OPEN { OPEN } else { S::NAME };
        deserializer.deserialize_enum(name, S::NAMES, Choice(PhantomData))
    }
}

/// Reads the name of a member, and what follows it.
struct Choice<S>(PhantomData<S>);

impl<'de, S: Slot> Visitor<'de> for Choice<S> {
    type Value = MemberModel<S>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name or a table")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<Self::Value, A::Error> {
        let (member, access) = access.variant_seed(Name::of_variant(S::NAMES))?;
        let Some(member) = member else {
            return access.newtype_variant().map(MemberModel::Own);
        };
        let given = if names_only::<S>() {
            access.unit_variant()?;
            Vec::new()
        } else {
            access.newtype_variant_seed(Parameters(&S::MEMBERS[member]))?
        };
        Ok(MemberModel::BuiltIn {
            member,
            given,
            slot: PhantomData,
        })
    }
}

/// One of these names, by its place among them; `None` for [`ANY_NAME`].
struct Name {
    known: &'static [&'static str],
    is_key: bool,
}

impl Name {
    fn of_variant(known: &'static [&'static str]) -> Self {
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

/// Reads the parameters of a member.
struct Parameters(&'static Member);

impl<'de> DeserializeSeed<'de> for Parameters {
    type Value = Given;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Given, D::Error> {
        match self.0.parameters {
            [alone] if alone.form == Form::Alone => {
                deserializer.deserialize_enum("", &["$scalar", "$table"], Alone(alone))
            }
            parameters => Table {
                parameters,
                keys: self.0.keys,
            }
            .deserialize(deserializer),
        }
    }
}

/// Reads a table of these parameters.
struct Table {
    parameters: &'static [Parameter],
    keys: &'static [&'static str],
}

impl<'de> DeserializeSeed<'de> for Table {
    type Value = Given;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Given, D::Error> {
        deserializer.deserialize_struct("", self.keys, self)
    }
}

impl<'de> Visitor<'de> for Table {
    type Value = Given;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Given, A::Error> {
        let mut given = vec![None; self.parameters.len()];
        while let Some(place) = map.next_key_seed(Name::of_key(self.keys))? {
            if let Some(place) = place {
                let kind = self.parameters[place].kind;
                given[place] = Some(map.next_value_seed(Placed(Of(kind)))?);
            }
        }
        Ok(given)
    }
}

/// Reads the only parameter of a member in the place of a table, or an empty table.
struct Alone(&'static Parameter);

impl<'de> Visitor<'de> for Alone {
    type Value = Given;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a single value or a table")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<Given, A::Error> {
        let (kind, access) = access.variant::<String>()?;
        if kind == "$scalar" {
            let value = access.newtype_variant_seed(Placed(Of(self.0.kind)))?;
            return Ok(vec![Some(value)]);
        }
        access.newtype_variant_seed(Table {
            parameters: &[],
            keys: &[],
        })?;
        Ok(vec![None])
    }
}

/// Reads a value of this kind.
struct Of(Kind);

impl<'de> DeserializeSeed<'de> for Of {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        match self.0 {
            Kind::Positive => Positive::deserialize(deserializer).map(|x| Value::Number(x.0)),
            Kind::Probability => Probability::deserialize(deserializer).map(|x| Value::Number(x.0)),
            Kind::Flag => bool::deserialize(deserializer).map(Value::Flag),
            Kind::Count => {
                let count = Count::deserialize(deserializer)?;
                let fits = u32::try_from(count.0).map(Value::Count);
                fits.map_err(|_| D::Error::custom(format!("must be at most {}", u32::MAX)))
            }
            Kind::Period => Period::deserialize(deserializer).map(|t| Value::Period(t.0)),
            Kind::OneOf(names) => deserializer.deserialize_enum("", names, OneOf(names)),
        }
    }
}

/// Reads one of these names, by its place among them.
struct OneOf(&'static [&'static str]);

impl<'de> Visitor<'de> for OneOf {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<Value, A::Error> {
        let (place, access) = access.variant_seed(Name::of_variant(self.0))?;
        access.unit_variant()?;
        place
            .map(Value::Choice)
            .ok_or_else(|| A::Error::unknown_variant(ANY_NAME, self.0))
    }
}

/// A value in words.
pub(crate) fn written(parameter: &Parameter, value: Value) -> String {
    match (value, parameter.kind) {
        (Value::Number(x), _) => x.to_string(),
        (Value::Flag(x), _) => x.to_string(),
        (Value::Count(n), _) => n.to_string(),
        (Value::Period(t), _) => format!("{t:?}"),
        (Value::Choice(i), Kind::OneOf(names)) => names[i].to_owned(),
        (Value::Choice(i), _) => i.to_string(),
    }
}
