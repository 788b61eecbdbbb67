//! The queue of a MAC, which may be a limit alone.

use serde::Deserialize;

use crate::model::member::QueueModel;
use crate::model::units::Limit;
use crate::read::spanned::Spanned;

/// The queue of a MAC.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(transform = crate::model::schema::unwrap_kinds))]
pub(crate) enum MacQueueModel {
    #[serde(rename = "$scalar")]
    Limit(Limit),
    #[serde(rename = "$table")]
    Discipline(Spanned<QueueModel>),
}
