//! Lowering of a radio network's routing.

/// Sets the numbers and times of a protocol's parameters that the model names.
macro_rules! set {
    ($config:ident from $model:ident: $($field:ident,)*) => {$(
        if let Some(given) = $model.$field {
            $config.$field = given.0.into();
        }
    )*};
}

/// The same for switches.
macro_rules! switch {
    ($config:ident from $model:ident: $($field:ident,)*) => {$(
        $config.$field = $model.$field.unwrap_or($config.$field);
    )*};
}

mod aodv;
mod dsdv;
mod dsr;

use skywave_core::routing::{ConfigError, aodv as core_aodv};
use skywave_sim::spec::RoutingSpec;

use crate::model::number::Count;
use crate::model::radio::RoutingModel;
use crate::read::fault::Fault;
use crate::read::spanned::Spanned;

/// How stations find their ways.
pub(crate) fn routing(model: Option<&Spanned<RoutingModel>>) -> Result<RoutingSpec, Fault> {
    let Some(model) = model else {
        return Ok(RoutingSpec::Aodv(core_aodv::Config::default()));
    };
    let refuse = |name: &str, wrong: &ConfigError| {
        let ConfigError {
            parameter,
            expected,
            ..
        } = wrong;
        let fault = Fault::new(
            model.span.clone(),
            format!("{name}'s `{parameter}` must be {expected}"),
        );
        fault.label("with these settings it cannot work")
    };
    match &model.value {
        RoutingModel::Static => Ok(RoutingSpec::Static),
        RoutingModel::Aodv(given) => {
            let config = aodv::config(given);
            config.check().map_err(|wrong| refuse("AODV", &wrong))?;
            Ok(RoutingSpec::Aodv(config))
        }
        RoutingModel::Dsdv(given) => {
            let config = dsdv::config(given);
            config.check().map_err(|wrong| refuse("DSDV", &wrong))?;
            Ok(RoutingSpec::Dsdv(config))
        }
        RoutingModel::Dsr(given) => {
            let config = dsr::config(given);
            config.check().map_err(|wrong| refuse("DSR", &wrong))?;
            Ok(RoutingSpec::Dsr(config))
        }
    }
}

/// A number of packets.
fn packets(given: Option<Count>, default: usize) -> usize {
    given.map_or(default, |Count(n)| usize::try_from(n).unwrap_or(usize::MAX))
}
