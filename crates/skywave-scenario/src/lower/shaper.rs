//! Links that cannot have a shaper.

use skywave_core::link::{LinkConfig, Service};

use crate::model::optional::ShaperModel;
use crate::read::fault::Fault;
use crate::read::spanned::Spanned;

/// Refuses what a link with a shaper cannot be; `model` is where the file asks for it.
pub(crate) fn check(
    config: &LinkConfig,
    model: Option<&Spanned<ShaperModel>>,
) -> Result<(), Fault> {
    let (Some(_), Some(model)) = (config.shaper, model) else {
        return Ok(());
    };
    let changes = config
        .steps
        .as_ref()
        .is_some_and(|steps| steps.share.is_some());
    let reason = if matches!(config.service, Service::Trace(_)) {
        "this direction has a trace, which says what may leave"
    } else if changes {
        "the rate of this direction changes in steps"
    } else if config.contention.is_some() {
        "others contend for the channel of this direction"
    } else {
        return Ok(());
    };
    let help =
        "take shaper = \"none\" for this direction, or put the shaper on a link before this one";
    let fault = model.fault("a shaper is for a link of constant rate");
    Err(fault.label(reason).help(help))
}
