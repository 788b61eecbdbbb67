//! Lowering of what stations of a radio network hear of each other.

use skywave_core::radio::{
    Decoder, Hearing, PathLoss, Propagation, Ranges, Reception, Sensing, Thresholds,
    channel_noise_mw, db_to_ratio, dbm_to_mw,
};

use crate::model::radio::{
    LogDistanceModel, PowerModel, PropagationModel, RadioModel, RangesModel, ReceptionModel,
    SensingModel, TwoRayModel,
};
use crate::model::units::Power;
use crate::read::fault::Fault;

/// ns-2's threshold of capture, `CPThresh_`: 10 dB.
const CAPTURE_RATIO: f64 = 10.0;
/// ns-3's threshold of preamble detection, dB.
const PREAMBLE_DB: f64 = 4.0;
/// ns-3's threshold of energy detection, `CcaEdThreshold`, dBm.
const ENERGY_DBM: f64 = -62.0;

/// How strongly stations hear each other, and what they receive of that.
pub(crate) struct Environment {
    pub(crate) propagation: Propagation,
    pub(crate) reception: Reception,
    pub(crate) sensing: Sensing,
}

/// The settings of the file, and those that belong to its kind of propagation.
pub(crate) fn environment(model: &RadioModel) -> Result<Environment, Fault> {
    let collision = Reception::Capture {
        ratio: f64::INFINITY,
    };
    let capture = Reception::Capture {
        ratio: CAPTURE_RATIO,
    };
    let (propagation, reception) = match model.propagation.as_ref().map(|p| &p.value) {
        None | Some(PropagationModel::Ns2) => (Propagation::ns2_wavelan(), capture),
        Some(PropagationModel::TwoRay(m)) => (two_ray(m), capture),
        Some(PropagationModel::Ns3) => (Propagation::ns3_default(), interference(model)),
        Some(PropagationModel::LogDistance(m)) => (log_distance(m), interference(model)),
        Some(PropagationModel::Ranges(m)) => (ranges(*m), collision),
    };
    check_order(model, &propagation)?;
    check_power(model)?;
    let reception = match model.reception {
        None => reception,
        Some(ReceptionModel::Collision) => collision,
        Some(ReceptionModel::Capture(ratio)) => Reception::Capture {
            ratio: db_to_ratio(ratio.0),
        },
        Some(ReceptionModel::Sinr(_)) => interference(model),
    };
    let sensing = match model.sensing {
        None | Some(SensingModel::Signals) => Sensing::Signals,
        Some(SensingModel::Frames(m)) => Sensing::Frames {
            energy_mw: dbm_to_mw(m.energy.map_or(ENERGY_DBM, |power| power.0)),
        },
    };
    Ok(Environment {
        propagation,
        reception,
        sensing,
    })
}

/// Fixed ranges know which of two signals is the stronger one, not how strong it is.
fn check_power(model: &RadioModel) -> Result<(), Fault> {
    let needs_power = matches!(model.reception, Some(ReceptionModel::Sinr(_)))
        || matches!(model.sensing, Some(SensingModel::Frames(_)));
    match &model.propagation {
        Some(p) if needs_power && matches!(p.value, PropagationModel::Ranges(_)) => Err(p
            .fault("fixed ranges say nothing of power")
            .label("`reception = \"sinr\"` and `sensing = { frames = … }` compare powers")
            .help("take \"ns2\", \"ns3\", `two_ray` or `log_distance`")),
        _ => Ok(()),
    }
}

/// By signal, noise and interference; where no noise is named, that of a receiver at room temperature.
fn interference(model: &RadioModel) -> Reception {
    let noise = match model.propagation.as_ref().map(|p| &p.value) {
        Some(PropagationModel::TwoRay(m)) => m.power.noise,
        Some(PropagationModel::LogDistance(m)) => m.power.noise,
        None
        | Some(PropagationModel::Ns2 | PropagationModel::Ns3 | PropagationModel::Ranges(_)) => None,
    };
    let (preamble, decoder) = match model.reception {
        Some(ReceptionModel::Sinr(m)) => (m.preamble, m.decoder),
        _ => (None, None),
    };
    Reception::Interference {
        noise_mw: noise.map_or_else(channel_noise_mw, |power| dbm_to_mw(power.0)),
        preamble: db_to_ratio(preamble.map_or(PREAMBLE_DB, |ratio| ratio.0)),
        decoder: decoder.map_or(Decoder::Soft, |given| given.0),
    }
}

fn ranges(model: RangesModel) -> Propagation {
    let sensing = model.sensing.unwrap_or(model.reception).0;
    let propagation = Propagation::ranges(model.reception.0, sensing);
    let interference = model.interference.map_or(sensing, |m| m.0);
    Propagation {
        hearing: Hearing::Distance(Ranges {
            reception: model.reception.0,
            sensing,
            interference,
        }),
        ..propagation
    }
}

fn two_ray(model: &TwoRayModel) -> Propagation {
    let mut propagation = Propagation::ns2_wavelan();
    if let PathLoss::TwoRayGround {
        wavelength,
        antenna_height,
    } = &mut propagation.path_loss
    {
        *wavelength = model.wavelength.map_or(*wavelength, |m| m.0);
        *antenna_height = model.height.map_or(*antenna_height, |m| m.0);
    }
    powers(&model.power, propagation)
}

fn log_distance(model: &LogDistanceModel) -> Propagation {
    let mut propagation = Propagation::ns3_default();
    if let PathLoss::LogDistance {
        exponent,
        reference,
        gain,
    } = &mut propagation.path_loss
    {
        *exponent = model.exponent.map_or(*exponent, |n| n.0);
        *reference = model.reference.map_or(*reference, |m| m.0);
        *gain = model.loss.map_or(*gain, |loss| db_to_ratio(-loss.0));
    }
    powers(&model.power, propagation)
}

/// `propagation` with the powers that the file names.
fn powers(model: &PowerModel, propagation: Propagation) -> Propagation {
    let mw = |power: Option<Power>, default| power.map_or(default, |power| dbm_to_mw(power.0));
    let hearing = match propagation.hearing {
        Hearing::Power(least) => Hearing::Power(Thresholds {
            reception_mw: mw(model.reception, least.reception_mw),
            sensing_mw: mw(model.sensing, least.sensing_mw),
            interference_mw: mw(model.interference, least.interference_mw),
        }),
        distance @ Hearing::Distance(_) => distance,
    };
    Propagation {
        tx_mw: mw(model.transmitted, propagation.tx_mw),
        hearing,
        ..propagation
    }
}

/// Refuses a frame that could be received but would disturb nothing.
fn check_order(model: &RadioModel, propagation: &Propagation) -> Result<(), Fault> {
    let Some(place) = &model.propagation else {
        return Ok(());
    };
    let ordered = match propagation.hearing {
        Hearing::Distance(most) => {
            most.sensing >= most.reception && most.interference >= most.reception
        }
        Hearing::Power(least) => least.interference_mw <= least.reception_mw,
    };
    if ordered {
        return Ok(());
    }
    Err(place
        .fault("what can be received is not heard")
        .label("frames are sensed, and disturb others, at least as far as they can be received"))
}
