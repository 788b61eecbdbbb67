//! Lowering of WTCP.

use std::sync::Arc;

use skywave_core::packet::UDP_HEADER_BYTES;
use skywave_core::wtcp::wire::MAX_HEADER;
use skywave_core::wtcp::{self, Config, LongTerm, Micros};
use skywave_sim::spec::Transport;

use crate::lower::datagram::{Changes, number, payload};
use crate::lower::flow::udp_header;
use crate::model::flow::FlowModel;
use crate::model::number::Count;
use crate::model::units::{Bytes, Period};
use crate::model::wtcp::{BlackoutModel, PredictionModel, RateModel, SetupModel, WtcpModel};
use crate::read::fault::Fault;
use crate::read::spanned::Spanned;

/// Payload of a flow that names none: with its headers it makes packets of 1500 bytes, as TCP's are.
const DEFAULT_MSS: u16 = 1423;
/// Receive buffer of a flow that names none.
const DEFAULT_BUFFER: u32 = 1 << 20;
/// Largest payload, so that with all headers the packet is one that IPv4 permits.
const MAX_MSS: u32 = Bytes::MAX + 40 - UDP_HEADER_BYTES - MAX_HEADER as u32;

/// WTCP, with the parameters given.
pub(crate) fn wtcp(
    flow: &FlowModel,
    model: Option<&Spanned<WtcpModel>>,
) -> Result<(Transport, String), Fault> {
    let mut config = Config {
        mss: DEFAULT_MSS,
        receive_buffer: DEFAULT_BUFFER,
        ..Config::default()
    };
    if let Some(mss) = payload(flow, MAX_MSS, "WTCP")? {
        config.mss = mss;
    }
    if let Some(rwnd) = &flow.rwnd {
        let bytes = rwnd.value.in_bytes(u32::from(config.mss)) + 0.5;
        let whole = (1.0..=f64::from(u32::MAX)).contains(&bytes);
        if !whole || bytes < f64::from(config.mss) {
            let message = "`rwnd` must be between one packet and 4 GiB";
            return Err(Fault::new(rwnd.span.clone(), message)
                .label(format!("a packet has {} bytes", config.mss)));
        }
        config.receive_buffer = bytes as u32;
    }
    let mut changed = Changes(Vec::new());
    if let Some(model) = model {
        changed.all(&model.value, &mut config);
        if let Err(wtcp::ConfigError {
            parameter,
            expected,
        }) = config.check()
        {
            let message = format!("`{parameter}` of WTCP is out of its range");
            return Err(
                Fault::new(model.span.clone(), message).label(format!("it must be {expected}"))
            );
        }
    }
    let label = match changed.0.join(", ") {
        none if none.is_empty() => "wtcp".to_owned(),
        list => format!("wtcp({list})"),
    };
    let transport = Transport::Wtcp {
        config: Arc::new(config),
        header: udp_header(flow),
    };
    Ok((transport, label))
}

impl Changes {
    fn separation(&mut self, name: &str, to: &mut Micros, from: Option<Period>) {
        let mut period = to.to_duration();
        self.set(name, &mut period, from.map(|p| p.0));
        *to = Micros::from_duration(period);
    }

    fn all(&mut self, model: &WtcpModel, to: &mut Config) {
        self.separation(
            "min_separation",
            &mut to.min_separation,
            model.min_separation,
        );
        self.separation(
            "max_separation",
            &mut to.max_separation,
            model.max_separation,
        );
        self.separation(
            "probe_separation",
            &mut to.probe_separation,
            model.probe_separation,
        );
        let period = |p: Option<Period>| p.map(|p| p.0);
        self.set(
            "initial_rtt",
            &mut to.initial_rtt,
            period(model.initial_rtt),
        );
        self.set(
            "ack_threshold",
            &mut to.ack_threshold,
            period(model.ack_threshold),
        );
        self.set(
            "idle_timeout",
            &mut to.idle_timeout,
            period(model.idle_timeout),
        );
        if let Some(setup) = &model.setup {
            self.setup(setup, &mut to.setup);
        }
        if let Some(blackout) = &model.blackout {
            self.blackout(blackout, &mut to.blackout);
        }
        if let Some(rate) = &model.rate {
            self.rate(rate, &mut to.rate);
        }
        if let Some(prediction) = &model.prediction {
            self.prediction(prediction, &mut to.prediction);
        }
    }

    fn setup(&mut self, model: &SetupModel, to: &mut wtcp::SetupConfig) {
        let period = |p: Option<Period>| p.map(|p| p.0);
        self.set("interval", &mut to.interval, period(model.interval));
        self.set(
            "max_interval",
            &mut to.max_interval,
            period(model.max_interval),
        );
        let pairs = model
            .broken_pairs
            .map(|n| u8::try_from(n.0).unwrap_or(u8::MAX));
        self.set("broken_pairs", &mut to.broken_pairs, pairs);
        self.set(
            "first_epoch_corrects",
            &mut to.first_epoch_corrects,
            model.first_epoch_corrects,
        );
        self.separation("separation", &mut to.separation, model.separation);
    }

    fn blackout(&mut self, model: &BlackoutModel, to: &mut wtcp::BlackoutConfig) {
        let period = |p: Option<Period>| p.map(|p| p.0);
        self.set("threshold", &mut to.threshold, period(model.threshold));
        self.set(
            "threshold_rtts",
            &mut to.threshold_rtts,
            number(model.threshold_rtts),
        );
        self.set(
            "probe_interval",
            &mut to.probe_interval,
            period(model.probe_interval),
        );
    }

    fn rate(&mut self, model: &RateModel, to: &mut wtcp::RateConfig) {
        self.set("increase", &mut to.increase, model.increase.map(|x| x.0));
        self.set(
            "min_decrease",
            &mut to.min_decrease,
            model.min_decrease.map(|x| x.0),
        );
        self.set(
            "max_decrease",
            &mut to.max_decrease,
            model.max_decrease.map(|x| x.0),
        );
        self.set(
            "loss_factor",
            &mut to.loss_factor,
            model.loss_factor.map(|x| x.0),
        );
        self.set("weight", &mut to.weight, model.weight.map(|x| x.0));
        if let Some(Count(epochs)) = model.long_term {
            self.0.push(format!("long_term={epochs}"));
            to.long_term = LongTerm::Epochs(u8::try_from(epochs).unwrap_or(u8::MAX));
        }
        self.set("epoch_rtts", &mut to.epoch_rtts, number(model.epoch_rtts));
        self.set(
            "epoch_samples",
            &mut to.epoch_samples,
            number(model.epoch_samples),
        );
    }

    fn prediction(&mut self, model: &PredictionModel, to: &mut wtcp::PredictionConfig) {
        self.set("k", &mut to.k, model.k.map(|x| x.0));
        self.set(
            "prediction.weight",
            &mut to.weight,
            model.weight.map(|x| x.0),
        );
        self.set("floor", &mut to.floor, model.floor.map(|x| x.0));
    }
}
