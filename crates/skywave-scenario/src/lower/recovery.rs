//! Where losses happen on a link, which may repair them itself.

use skywave_core::link::{LinkConfig, LossAt};

use crate::model::Dist;
use crate::model::optional::ArqModel;
use crate::model::units;
use crate::read::fault::Fault;
use crate::read::spanned::Spanned;

/// Where losses happen, when everything else of the link is known; `asked` is what the file says, and
/// `model` where it asks for retransmission.
pub(crate) fn place_losses(
    config: &mut LinkConfig,
    asked: Option<LossAt>,
    model: Option<&Spanned<ArqModel>>,
    delay: &Spanned<Dist<units::Duration>>,
) -> Result<(), Fault> {
    let (Some(arq), Some(model)) = (config.arq, model) else {
        config.loss_at = asked.unwrap_or_default();
        return Ok(());
    };
    if asked == Some(LossAt::Head) {
        return Err(model
            .fault("a link that retransmits cannot lose packets at the head")
            .label("what is lost before the queue was never transmitted")
            .help("leave out loss_at = \"head\": with `arq`, losses happen at the tail"));
    }
    let constant = matches!(delay.value, Dist::Constant(_));
    if arq.round_trip.is_none() && constant && config.delay.is_zero() {
        return Err(model
            .fault("the round trip of this link is zero, so that it would retransmit in no time")
            .label("the link has no delay")
            .help("say how long a NACK takes: arq = { round_trip = \"…ms\" }"));
    }
    config.loss_at = LossAt::Tail;
    Ok(())
}
