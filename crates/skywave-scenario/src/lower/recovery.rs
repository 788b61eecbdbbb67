//! Lowering of how a link repairs errors itself.

use skywave_core::link::{Arq, Fec, LinkConfig, LossAt};

use crate::model::recovery::{ArqModel, ArqPresetModel, FecModel};
use crate::model::units;
use crate::model::{Dist, LossAtModel};
use crate::read::fault::Fault;
use crate::read::spanned::Spanned;

pub(crate) fn arq(model: &ArqModel) -> Option<Arq> {
    match model {
        ArqModel::Preset(ArqPresetModel::None) => None,
        ArqModel::Preset(ArqPresetModel::TcpDcr) => Some(Arq::default()),
        ArqModel::Settings(m) => {
            let default = Arq::default();
            Some(Arq {
                round_trip: m.round_trip.map(|time| time.0),
                retries: m.retries.map(|n| u32::try_from(n.0).unwrap_or(u32::MAX)),
                in_order: m.in_order.unwrap_or(default.in_order),
                errors_on_retransmissions: m
                    .errors_on_retransmissions
                    .unwrap_or(default.errors_on_retransmissions),
            })
        }
    }
}

pub(crate) fn fec(model: &FecModel) -> Option<Fec> {
    match model {
        FecModel::Preset(_) => None,
        FecModel::Settings(m) => Some(Fec {
            rate: m.rate.0,
            repair: m.repair.0,
        }),
    }
}

/// Where losses happen, when everything else of the link is known; `asked` is what the file says, and
/// `model` where it asks for retransmission.
pub(crate) fn place_losses(
    config: &mut LinkConfig,
    asked: Option<LossAtModel>,
    model: Option<&Spanned<ArqModel>>,
    delay: &Spanned<Dist<units::Duration>>,
) -> Result<(), Fault> {
    let (Some(arq), Some(model)) = (config.arq, model) else {
        config.loss_at = match asked {
            None | Some(LossAtModel::Head) => LossAt::Head,
            Some(LossAtModel::Tail) => LossAt::Tail,
        };
        return Ok(());
    };
    if matches!(asked, Some(LossAtModel::Head)) {
        return Err(Fault::new(
            model.span.clone(),
            "a link that retransmits cannot lose packets at the head",
        )
        .label("what is lost before the queue was never transmitted")
        .help("leave out loss_at = \"head\": with `arq`, losses happen at the tail"));
    }
    let constant = matches!(delay.value, Dist::Constant(_));
    if arq.round_trip.is_none() && constant && config.delay.is_zero() {
        return Err(Fault::new(
            model.span.clone(),
            "the round trip of this link is zero, so that it would retransmit in no time",
        )
        .label("the link has no delay")
        .help("say how long a NACK takes: arq = { round_trip = \"…ms\" }"));
    }
    config.loss_at = LossAt::Tail;
    Ok(())
}
