//! Lowering of who contends for a link.

use skywave_core::Duration;
use skywave_core::link::{Contention, LinkConfig, Service};

use crate::model::contention::{ContentionModel, ContentionPresetModel, ContentionSettingsModel};
use crate::model::number::Count;
use crate::read::fault::Fault;
use crate::read::spanned::Spanned;

/// The uplink of CDPD. A slot is what lies between two busy/idle flags, 60 bits at 19.2 kb/s. The rest is
/// ours: a wait of 0.7 s on average makes the round trip of a packet of 512 bytes 1.8 s, as the WTCP paper
/// measured it (section 5.1.1).
const CDPD: Contention = Contention {
    slot: Duration::from_micros(3125),
    window: 16,
    max_window: 256,
    failure: 0.4,
    hold: Duration::from_secs(1),
    capture: true,
};

/// The contention that the file asks for.
pub(crate) fn contention(model: &Spanned<ContentionModel>) -> Result<Option<Contention>, Fault> {
    let ContentionSettingsModel {
        slot,
        window,
        max_window,
        failure,
        hold,
        capture,
    } = match &model.value {
        ContentionModel::Preset(ContentionPresetModel::None) => return Ok(None),
        ContentionModel::Preset(ContentionPresetModel::Cdpd) => return Ok(Some(CDPD)),
        ContentionModel::Settings(settings) => settings,
    };
    let slots = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    let given = |n: &Option<Spanned<Count>>| n.as_ref().map(|n| slots(n.value.0));
    let first = given(window).unwrap_or(CDPD.window);
    let largest = given(max_window).unwrap_or(CDPD.max_window);
    match (window, max_window) {
        (_, Some(max)) if first > largest => {
            return Err(Fault::new(
                max.span.clone(),
                "the largest window is below the first one",
            )
            .label(format!("`window` is {first}")));
        }
        (Some(window), None) if first > largest => {
            return Err(Fault::new(
                window.span.clone(),
                "the first window is above the largest one",
            )
            .label(format!("`max_window` is {largest} unless it is set")));
        }
        _ => {}
    }
    Ok(Some(Contention {
        slot: slot.map_or(CDPD.slot, |slot| slot.0),
        window: first,
        max_window: largest,
        failure: failure.map_or(CDPD.failure, |p| p.0),
        hold: hold.map_or(CDPD.hold, |hold| hold.0),
        capture: capture.unwrap_or(CDPD.capture),
    }))
}

/// Refuses what a link with contention cannot be; `model` is where the file asks for it.
pub(crate) fn check(
    config: &LinkConfig,
    model: Option<&Spanned<ContentionModel>>,
) -> Result<(), Fault> {
    let (Some(_), Some(model)) = (config.contention, model) else {
        return Ok(());
    };
    if config.arq.is_some() {
        return Err(Fault::new(
            model.span.clone(),
            "a link cannot both retransmit and be contended for",
        )
        .label("this direction has `arq` too")
        .help("take contention = \"none\" or arq = \"none\" for one of the directions"));
    }
    if !config.queue.decides_on_arrival() {
        return Err(Fault::new(
            model.span.clone(),
            "contention does not go with a queue that decides when packets leave",
        )
        .label("take droptail, red or step for this direction"));
    }
    if matches!(config.service, Service::Trace(_)) {
        return Err(Fault::new(
            model.span.clone(),
            "contention is for a link of constant rate",
        )
        .label("a trace already has the waits of its link in it"));
    }
    Ok(())
}
