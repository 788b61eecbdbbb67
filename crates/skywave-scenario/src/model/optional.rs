//! A configuration as a file writes it: a table, or where it may be left out also `"none"` or the name of a preset.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, EnumAccess, VariantAccess, Visitor};
use skywave_core::link::{Arq, Contention, Fec, Policer, Reordering, Shaper};
use skywave_core::parameter::{Optional, Table};
use skywave_core::wtcp;

use crate::model::value::{Given, OneOf, Parameters, filled};
use crate::read::fault::Fault;
use crate::read::spanned::Spanned;

pub(crate) type ArqModel = OptionalModel<Arq>;
pub(crate) type ContentionModel = OptionalModel<Contention>;
pub(crate) type FecModel = OptionalModel<Fec>;
pub(crate) type PolicerModel = OptionalModel<Policer>;
pub(crate) type ReorderingModel = TableModel<Reordering>;
pub(crate) type ShaperModel = OptionalModel<Shaper>;
pub(crate) type WtcpModel = TableModel<wtcp::Config>;

/// A table of parameters.
#[derive(Clone, Debug)]
pub(crate) struct TableModel<C>(Given, PhantomData<C>);

impl<C: Table> Spanned<TableModel<C>> {
    /// `default` with what the file has for it.
    pub(crate) fn over(&self, default: &C) -> Result<C, Fault> {
        filled(default, C::PARAMETERS, &self.value.0, &self.span)
    }
}

impl<'de, C: Table> Deserialize<'de> for TableModel<C> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let given = Parameters::of::<C>().deserialize(deserializer)?;
        Ok(Self(given, PhantomData))
    }
}

/// A configuration, or none.
#[derive(Clone, Debug)]
pub(crate) enum OptionalModel<C> {
    /// A name, by its place in [`Optional::NAMES`].
    Named(usize),
    Given(Given, PhantomData<C>),
}

impl<C: Optional> Spanned<OptionalModel<C>> {
    /// The configuration that the file asks for.
    pub(crate) fn optional(&self) -> Result<Option<C>, Fault> {
        Ok(match &self.value {
            OptionalModel::Named(name) => {
                let preset = name.checked_sub(1).and_then(|place| C::PRESETS.get(place));
                preset.map(|(_, _, config)| config.clone())
            }
            OptionalModel::Given(given, _) => {
                Some(filled(&C::DEFAULT, C::PARAMETERS, given, &self.span)?)
            }
        })
    }
}

/// The configuration that the file asks for, if it says anything of it.
pub(crate) fn optional<C: Optional>(
    model: Option<&Spanned<OptionalModel<C>>>,
) -> Result<Option<C>, Fault> {
    model.map_or(Ok(None), Spanned::optional)
}

impl<'de, C: Optional> Deserialize<'de> for OptionalModel<C> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_enum("", &["$scalar", "$table"], Choice(PhantomData))
    }
}

/// Reads a name or a table.
struct Choice<C>(PhantomData<C>);

impl<'de, C: Optional> Visitor<'de> for Choice<C> {
    type Value = OptionalModel<C>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a single value or a table")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<Self::Value, A::Error> {
        let (kind, access) = access.variant::<String>()?;
        if kind == "$scalar" {
            let place = access.newtype_variant_seed(OneOf(C::NAMES))?;
            return Ok(OptionalModel::Named(place));
        }
        let given = access.newtype_variant_seed(Parameters::of::<C>())?;
        Ok(OptionalModel::Given(given, PhantomData))
    }
}
