//! Links that nobody can contend for.

use skywave_core::link::{LinkConfig, Service};

use crate::model::optional::ContentionModel;
use crate::read::fault::Fault;
use crate::read::spanned::Spanned;

/// Refuses what a link with contention cannot be; `model` is where the file asks for it.
pub(crate) fn check(
    config: &LinkConfig,
    model: Option<&Spanned<ContentionModel>>,
) -> Result<(), Fault> {
    let (Some(_), Some(model)) = (config.contention, model) else {
        return Ok(());
    };
    if config.arq.is_some() {
        return Err(model
            .fault("a link cannot both retransmit and be contended for")
            .label("this direction has `arq` too")
            .help("take contention = \"none\" or arq = \"none\" for one of the directions"));
    }
    if !config.queue.decides_on_arrival() {
        return Err(model
            .fault("contention does not go with a queue that decides when packets leave")
            .label("take droptail, red or step for this direction"));
    }
    if matches!(config.service, Service::Trace(_)) {
        return Err(model
            .fault("contention is for a link of constant rate")
            .label("a trace already has the waits of its link in it"));
    }
    Ok(())
}
