//! Lowering of QUIC.

use std::sync::Arc;

use skywave_core::clock::Clock;
use skywave_core::packet::UDP_HEADER_BYTES;
use skywave_core::quic::packet::DATA_OVERHEAD;
use skywave_core::quic::{Config, Preset, preset};
use skywave_core::tcp::{CongestionConfig, NeedsEcn};
use skywave_core::{Duration, Segments};
use skywave_sim::spec::Transport;

use crate::lower::clock::clocks;
use crate::lower::custom::CustomMembers;
use crate::lower::datagram::{Changes, payload};
use crate::lower::flow::udp_header;
use crate::lower::tcp::MAX_SEGMENTS;
use crate::model::flow::FlowModel;
use crate::model::number::Count;
use crate::model::quic::QuicModel;
use crate::model::tcp::{ComposedModel, TransportModel};
use crate::model::units::{Bytes, Period};
use crate::read::fault::Fault;
use crate::read::spanned::Spanned;
use crate::read::tree::Span;

/// Largest payload, so that with all headers the packet is one that IPv4 permits.
const MAX_MSS: u32 = Bytes::MAX + 40 - UDP_HEADER_BYTES - DATA_OVERHEAD;

/// Value of `max_ack_delay` from which on it is invalid (RFC 9000 section 18.2).
const MAX_ACK_DELAY: Duration = Duration::from_millis(1 << 14);

/// QUIC, if the flow's transport is that.
pub(crate) fn quic(
    flow: &FlowModel,
    custom: &CustomMembers,
) -> Result<Option<(Transport, String)>, Fault> {
    let Some(transport) = &flow.transport else {
        return Ok(None);
    };
    let composed = match &transport.value {
        TransportModel::Preset(name) => {
            return match preset(name) {
                Some(preset) => connection(flow, preset, None, custom).map(Some),
                None => Ok(None),
            };
        }
        TransportModel::Composed(composed) => composed,
    };
    let named = composed.preset.as_ref();
    let base = match (named.map(|p| preset(&p.value)), &composed.quic) {
        (Some(Some(base)), _) => base,
        (None, Some(_)) => &skywave_core::quic::PRESETS[0],
        (Some(None), Some(parameters)) if named.is_some_and(|p| is_tcp(&p.value)) => {
            return Err(parameters
                .fault("these are settings of QUIC, and the preset is one of TCP")
                .label("leave this out, or take the preset \"quic\""));
        }
        // Of TCP, or of no transport at all.
        _ => return Ok(None),
    };
    refuse_slots(composed, &transport.span)?;
    connection(flow, base, Some(composed), custom).map(Some)
}

fn is_tcp(name: &str) -> bool {
    skywave_core::tcp::preset(name).is_some()
}

/// QUIC has one slot.
fn refuse_slots(model: &ComposedModel, span: &Span) -> Result<(), Fault> {
    let slots = [
        ("detection", model.detection.is_some()),
        ("recovery", model.recovery.is_some()),
        ("timeout", model.timeout.is_some()),
        ("wtcp", model.wtcp.is_some()),
    ];
    match slots.iter().find(|(_, given)| *given) {
        Some((slot, _)) => Err(Fault::new(
            span.clone(),
            format!("QUIC has no `{slot}`: it finds and repairs losses by RFC 9002"),
        )
        .label("of the slots it has `congestion` alone")
        .help("thresholds and delays of ACKs are set by `quic = { … }`")),
        None => Ok(()),
    }
}

/// Keys that say nothing about QUIC are a mistake, not noise.
fn refuse_tcp_keys(model: &FlowModel) -> Result<(), Fault> {
    let found = None
        .or(model.profile.as_ref().map(|x| ("profile", &x.span)))
        .or(model.acking.as_ref().map(|x| ("acking", &x.span)))
        .or(model.fin.as_ref().map(|x| ("fin", &x.span)))
        .or(model.tcp.as_ref().map(|x| ("tcp", &x.span)));
    match found {
        None => Ok(()),
        Some((key, span)) => Err(Fault::new(
            span.clone(),
            format!("QUIC has no `{key}`: this is for TCP only"),
        )
        .label("its own settings are those of transport = { preset = \"quic\", quic = { … } }")),
    }
}

fn connection(
    flow: &FlowModel,
    preset: &Preset,
    composed: Option<&ComposedModel>,
    custom: &CustomMembers,
) -> Result<(Transport, String), Fault> {
    refuse_tcp_keys(flow)?;
    let mut congestion = preset.congestion.clone();
    let mut label = vec![preset.name.to_owned()];
    if let Some(member) = composed.and_then(|composed| composed.congestion.as_ref()) {
        let own = |name: &_| custom.congestion(name).map(CongestionConfig::Custom);
        let (law, name) = member.lower(own)?;
        congestion = law;
        label.push(format!("congestion={name}"));
    }
    let mut config = preset.with(congestion);
    config.clock = clock(flow)?;
    sizes(flow, &mut config)?;
    if let Some(model) = &flow.handshake {
        config.handshake = model.value.0;
    }
    if let Some(model) = composed.and_then(|composed| composed.quic.as_ref()) {
        let changed = settings(model, &mut config)?;
        if !changed.is_empty() {
            label[0] = format!("{}({})", preset.name, changed.join(", "));
        }
    }
    let transport = Transport::Quic {
        config: Arc::new(config),
        header: udp_header(flow),
    };
    Ok((transport, label.join(" ")))
}

/// The receiver's clock.
fn clock(flow: &FlowModel) -> Result<Option<Clock>, Fault> {
    if let Some(given) = &flow.clock
        && given.value.sender_tick.is_some()
    {
        return Err(given
            .fault("a sender of QUIC has no timestamps that could tick")
            .label("leave `sender_tick` out"));
    }
    Ok(clocks(flow)?.map(|clocks| clocks.receiver))
}

/// Payload of a packet, and the receiver's buffer.
fn sizes(flow: &FlowModel, config: &mut Config) -> Result<(), Fault> {
    if let Some(mss) = payload(flow, MAX_MSS, "QUIC")? {
        config.mss = mss;
    }
    if let Some(rwnd) = &flow.rwnd {
        let bytes = rwnd.value.in_bytes(u32::from(config.mss)) + 0.5;
        let packet = f64::from(config.mss);
        if !(packet..=f64::from(u32::MAX).min(packet * MAX_SEGMENTS)).contains(&bytes) {
            let message = format!("`rwnd` must be between one packet and {MAX_SEGMENTS} packets");
            return Err(rwnd
                .fault(message)
                .label(format!("a packet has {} bytes", config.mss)));
        }
        config.receive_buffer = bytes as u32;
    }
    Ok(())
}

/// Applies settings; those that differ from the defaults, for the label.
fn settings(model: &Spanned<QuicModel>, config: &mut Config) -> Result<Vec<String>, Fault> {
    let given = &model.value;
    let fault = |message: &str, label: &str| Err(model.fault(message).label(label));
    let mut changed = Changes(Vec::new());
    let period = |p: Option<Period>| p.map(|p| p.0);
    let window = given
        .initial_window
        .map(|w| w.in_segments(u32::from(config.mss)));
    changed.set("initial_window", &mut config.initial_window, window);
    if config.initial_window < Segments::ONE {
        return fault(
            "`initial_window` is smaller than one packet",
            "nothing could be sent",
        );
    }
    let start = given.slow_start.map(|given| given.0);
    changed.set("slow_start", &mut config.slow_start, start);
    changed.set("ecn", &mut config.ecn, given.ecn);
    if !config.ecn && config.congestion.needs_ecn() != NeedsEcn::Nothing {
        return fault(
            "this law answers marks of ECN, and `ecn` is off",
            "leave `ecn = false` out, or take another law",
        );
    }
    let packets = given.packet_threshold.map(|n| n.0);
    changed.set(
        "packet_threshold",
        &mut config.loss.packet_threshold,
        packets,
    );
    let threshold = given.time_threshold.map(|x| x.0);
    changed.set("time_threshold", &mut config.loss.time_threshold, threshold);
    if config.loss.time_threshold < 1.0 {
        return fault(
            "`time_threshold` is below one round trip",
            "every packet would be lost before its ACK can come",
        );
    }
    changed.set(
        "initial_rtt",
        &mut config.loss.initial_rtt,
        period(given.initial_rtt),
    );
    changed.set("max_pto", &mut config.loss.max_pto, period(given.max_pto));
    let acking = &mut config.acking;
    let packets = given.ack_every.map(Count::saturating);
    changed.set("ack_every", &mut acking.every, packets);
    changed.set(
        "max_ack_delay",
        &mut acking.delay,
        period(given.max_ack_delay),
    );
    if acking.delay >= MAX_ACK_DELAY {
        return fault(
            "`max_ack_delay` is 2^14 ms (16.384s) or more",
            "RFC 9000 section 18.2 makes that invalid",
        );
    }
    changed.set(
        "receive_times",
        &mut config.receive_times,
        given.receive_times,
    );
    config.ack_frequency &= config.receive_times;
    changed.set(
        "ack_frequency",
        &mut config.ack_frequency,
        given.ack_frequency,
    );
    if given.ack_frequency == Some(true) && !config.receive_times {
        return fault(
            "`ack_frequency` is on, and `receive_times` is off",
            "set `receive_times = true`: it goes by the time for which ACKs wait",
        );
    }
    Ok(changed.0)
}
