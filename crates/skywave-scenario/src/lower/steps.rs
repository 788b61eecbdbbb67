//! Lowering of rates and delays that change in steps.

use std::sync::Arc;

use skywave_core::Duration;
use skywave_core::link::{LinkConfig, Service, StepValues, Steps};

use crate::lower::wrong_order;
use crate::model::steps::{StepValuesModel, StepsModel};
use crate::read::fault::Fault;
use crate::read::spanned::Spanned;

/// The shortest step: with shorter ones a slow packet would take long to compute.
const SHORTEST: Duration = Duration::from_millis(1);

pub(crate) fn steps(model: &Spanned<StepsModel>) -> Result<Option<Arc<Steps>>, Fault> {
    let StepsModel::Settings(settings) = &model.value else {
        return Ok(None);
    };
    let every = settings.every.value.0;
    if every < SHORTEST {
        return Err(settings
            .every
            .fault("these steps are too short")
            .label("at least 1ms"));
    }
    if settings.share.is_none() && settings.delay.is_none() {
        return Err(
            model.fault("these steps change nothing")
                .label("`share`, `delay` or both are needed")
                .help("steps = { every = \"15s\", share = { uniform = [0.5, 1] }, delay = [\"0ms\", \"20ms\"] }"),
        );
    }
    let share = settings.share.as_ref();
    let delay = settings.delay.as_ref();
    Ok(Some(Arc::new(Steps {
        every,
        share: share.map(|s| values(s, |share| share.0)).transpose()?,
        delay: delay.map(|d| values(d, |delay| delay.0)).transpose()?,
    })))
}

fn values<Q, T: PartialOrd>(
    model: &Spanned<StepValuesModel<Q>>,
    value: impl Fn(&Q) -> T,
) -> Result<StepValues<T>, Fault> {
    let all = |list: &[Q]| list.iter().map(&value).collect();
    match &model.value {
        StepValuesModel::InTurn(list) | StepValuesModel::AnyOf(list) if list.is_empty() => {
            let fault = model.fault("steps without a value");
            Err(fault.label("at least one is needed"))
        }
        StepValuesModel::InTurn(list) => Ok(StepValues::InTurn(all(list))),
        StepValuesModel::AnyOf(list) => Ok(StepValues::AnyOf(all(list))),
        StepValuesModel::Uniform(low, high) if value(low) <= value(high) => {
            Ok(StepValues::Uniform(value(low), value(high)))
        }
        StepValuesModel::Uniform(..) => Err(wrong_order(model)),
    }
}

/// Refuses what a link whose rate changes in steps cannot be; `model` is where the file asks for it.
pub(crate) fn check(config: &LinkConfig, model: Option<&Spanned<StepsModel>>) -> Result<(), Fault> {
    let (Some(steps), Some(model)) = (&config.steps, model) else {
        return Ok(());
    };
    if steps.share.is_none() {
        return Ok(());
    }
    if matches!(config.service, Service::Trace(_)) {
        return Err(model
            .fault("only a constant rate changes in steps")
            .label("this direction has a trace, which says how its rate changes")
            .help("take steps = \"none\" for this direction, or steps with a `delay` only"));
    }
    if config.contention.is_some() {
        return Err(model
            .fault("contention is for a link of constant rate")
            .label("the rate of this direction changes in steps")
            .help("take contention = \"none\" or steps = \"none\" for one of the directions"));
    }
    Ok(())
}
