//! A member of a family as a file writes it: `"cerl"` or `{ cerl = { a = 0.3 } }`.
//!
//! Nothing here knows a member: names, parameters and their kinds are the family's own description
//! ([`Family`]).

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, EnumAccess, VariantAccess, Visitor};
use skywave_core::link::{LossConfig, QueueConfig};
use skywave_core::parameter::{Family, Form, Member, Parameter, Value};
use skywave_core::routing::RoutingConfig;
use skywave_core::tcp::{Acking, CongestionConfig, DetectionConfig, RecoveryConfig, TimeoutConfig};

use crate::model::value::{Given, Name, Of, Parameters};
use crate::read::de::OPEN;
use crate::read::spanned::{Placed, Spanned};

pub(crate) type AckingModel = MemberModel<Acking>;
pub(crate) type ChannelModel = MemberModel<LossConfig>;
pub(crate) type CongestionModel = MemberModel<CongestionConfig>;
pub(crate) type DetectionModel = MemberModel<DetectionConfig>;
pub(crate) type QueueModel = MemberModel<QueueConfig>;
pub(crate) type RecoveryModel = MemberModel<RecoveryConfig>;
pub(crate) type RoutingModel = MemberModel<RoutingConfig>;
pub(crate) type TimeoutModel = MemberModel<TimeoutConfig>;

/// A member of the family `F` with the parameters that the file gives.
#[derive(Clone, Debug)]
pub(crate) enum MemberModel<F> {
    BuiltIn {
        /// Place among the family's members.
        member: usize,
        /// A value for each of its parameters, where the file has one.
        given: Given,
        family: PhantomData<F>,
    },
    /// The name of a member of the calling program's own.
    Own(Spanned<String>),
}

/// No member of the family has parameters, so that there are names only.
pub(crate) fn names_only<F: Family>() -> bool {
    F::MEMBERS.iter().all(|member| member.parameters.is_empty())
}

impl<'de, F: Family> Deserialize<'de> for MemberModel<F> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = if F::OPEN { OPEN } else { F::NAME };
        deserializer.deserialize_enum(name, F::NAMES, Choice(PhantomData))
    }
}

/// Reads the name of a member, and what follows it.
struct Choice<F>(PhantomData<F>);

impl<'de, F: Family> Visitor<'de> for Choice<F> {
    type Value = MemberModel<F>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name or a table")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<Self::Value, A::Error> {
        let (member, access) = access.variant_seed(Name::of_variant(F::NAMES))?;
        let Some(member) = member else {
            return access.newtype_variant().map(MemberModel::Own);
        };
        let given = if names_only::<F>() {
            access.unit_variant()?;
            Vec::new()
        } else {
            access.newtype_variant_seed(Payload(&F::MEMBERS[member]))?
        };
        Ok(MemberModel::BuiltIn {
            member,
            given,
            family: PhantomData,
        })
    }
}

/// Reads what follows the name of a member.
struct Payload(&'static Member);

impl<'de> DeserializeSeed<'de> for Payload {
    type Value = Given;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Given, D::Error> {
        match self.0.parameters {
            [alone] if alone.form == Form::Alone && alone.is_needed() => {
                let value = Placed(Of(alone)).deserialize(deserializer)?;
                Ok(vec![Some(value)])
            }
            [alone] if alone.form == Form::Alone => {
                deserializer.deserialize_enum("", &["$scalar", "$table"], Alone(alone))
            }
            parameters => Parameters {
                parameters,
                keys: self.0.keys,
            }
            .deserialize(deserializer),
        }
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
            let value = access.newtype_variant_seed(Placed(Of(self.0)))?;
            return Ok(vec![Some(value)]);
        }
        access.newtype_variant_seed(Parameters {
            parameters: &[],
            keys: &[],
        })?;
        Ok(vec![None])
    }
}

/// A value in words, as results tell it.
pub(crate) fn written(parameter: &Parameter, value: &Value) -> String {
    match value {
        Value::Period(time) => format!("{time:?}"),
        _ => parameter.notation(value).replace('"', ""),
    }
}
