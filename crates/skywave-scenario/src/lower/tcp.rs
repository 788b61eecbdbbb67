//! Lowering of a flow's transport: preset, slots, profile, settings.

use std::sync::Arc;

use skywave_core::Segments;
use skywave_core::quic::PRESETS as PRESETS_OF_QUIC;
use skywave_core::tcp::{
    Composition, CongestionConfig, Counting, DetectionConfig, NeedsEcn, PRESETS, Profile,
    TcpConfig, UndoConfig, preset,
};
use skywave_sim::spec::Transport;

use crate::lower::clock::clocks;
use crate::lower::custom::CustomMembers;
use crate::lower::flow::udp_header;
use crate::lower::member::closed;
use crate::lower::quic::quic;
use crate::lower::wtcp::wtcp;
use crate::model::flow::FlowModel;
use crate::model::tcp::{ComposedModel, CountingModel, TcpModel, TransportModel, UndoModel};
use crate::model::units::{Period, Window};
use crate::read::fault::Fault;
use crate::read::names::unknown;
use crate::read::spanned::Spanned;
use crate::read::tree::Span;
use crate::{OTHER_TRANSPORTS, WTCP};

/// The preset of a flow that names none.
const DEFAULT: &str = "reno";
/// Largest window that 32-bit sequence numbers and window scaling allow.
const MAX_WINDOW: f64 = 1_073_741_824.0;
/// Largest window in segments, so that what is in flight fits in memory.
pub(crate) const MAX_SEGMENTS: f64 = 500_000.0;

/// The transport of a flow, and what results call it.
pub(crate) fn transport(
    model: &FlowModel,
    custom: &CustomMembers,
) -> Result<(Transport, String), Fault> {
    if let Some(quic) = quic(model, custom)? {
        return Ok(quic);
    }
    match model.transport.as_ref().map(|transport| &transport.value) {
        Some(TransportModel::Preset(name)) if name == "udp" => {
            refuse_tcp_keys(model)?;
            let header = udp_header(model);
            return Ok((Transport::Udp { header }, "udp".into()));
        }
        Some(TransportModel::Preset(name)) if name == "wtcp" => return wtcp(model, None),
        _ => {}
    }
    of_tcp(model, model.transport.as_ref(), custom)
}

/// The transport of the half of a flow that a proxy begins, and what results call it.
pub(crate) fn of_half(
    model: &FlowModel,
    transport: &Spanned<TransportModel>,
    custom: &CustomMembers,
) -> Result<(Transport, String), Fault> {
    let other = match &transport.value {
        TransportModel::Preset(name) => {
            name == "udp" || OTHER_TRANSPORTS.iter().any(|other| other.name == name)
        }
        TransportModel::Composed(composed) => composed.wtcp.is_some() || composed.quic.is_some(),
    };
    if other {
        return Err(transport
            .fault("a proxy begins connections of TCP only")
            .label("take a preset or a composition of TCP"));
    }
    of_tcp(model, Some(transport), custom)
}

/// `transport` with the other keys of the flow.
fn of_tcp(
    model: &FlowModel,
    transport: Option<&Spanned<TransportModel>>,
    custom: &CustomMembers,
) -> Result<(Transport, String), Fault> {
    let (composition, label) = match transport.map(|t| (&t.value, &t.span)) {
        None => (named(DEFAULT, &(0..0), &[])?, DEFAULT.to_owned()),
        Some((TransportModel::Preset(name), span)) => {
            let more: Vec<&str> = OTHER_TRANSPORTS.iter().map(|other| other.name).collect();
            (
                named(name, span, &[&more[..], &["udp"]].concat())?,
                name.clone(),
            )
        }
        Some((TransportModel::Composed(composed), _)) => {
            if let Some(parameters) = &composed.wtcp {
                refuse_slots(composed, &parameters.span)?;
                return wtcp(model, Some(parameters));
            }
            compose(composed, custom)?
        }
    };
    let profile = model.profile.as_ref();
    let profile = profile.map_or(Profile::Rfc, |given| given.value.0);
    let mut config = TcpConfig::new(profile, composition);
    set(&mut config.mss, model.mss.as_ref().map(|mss| mss.value.0));
    let header = model.header.as_ref().map(|header| header.value.0);
    set(&mut config.header, header);
    window(model, &mut config)?;
    if let Some(acking) = &model.acking {
        (config.acking, _) = acking.value.lower(closed)?;
    }
    let handshake = model.handshake.as_ref().map(|given| given.value.0);
    set(&mut config.handshake, handshake);
    config.clocks = clocks(model)?;
    set(&mut config.fin, model.fin.as_ref().map(|fin| fin.value));
    if let Some(tcp) = &model.tcp {
        settings(&tcp.value, &tcp.span, &mut config)?;
    }
    Ok((Transport::Tcp(Arc::new(config)), label))
}

fn named(name: &str, span: &Span, more: &[&str]) -> Result<Composition, Fault> {
    preset(name).map(|p| p.composition.clone()).ok_or_else(|| {
        let presets = PRESETS.iter().map(|p| p.name);
        let known: Vec<&str> = presets.chain(more.iter().copied()).collect();
        unknown("transport", name, &known).at(span)
    })
}

/// Keys that say nothing about UDP are a mistake, not noise.
fn refuse_tcp_keys(model: &FlowModel) -> Result<(), Fault> {
    let found = None
        .or(model.profile.as_ref().map(|x| ("profile", &x.span)))
        .or(model.mss.as_ref().map(|x| ("mss", &x.span)))
        .or(model.rwnd.as_ref().map(|x| ("rwnd", &x.span)))
        .or(model.acking.as_ref().map(|x| ("acking", &x.span)))
        .or(model.handshake.as_ref().map(|x| ("handshake", &x.span)))
        .or(model.clock.as_ref().map(|x| ("clock", &x.span)))
        .or(model.fin.as_ref().map(|x| ("fin", &x.span)))
        .or(model.tcp.as_ref().map(|x| ("tcp", &x.span)));
    match found {
        None => Ok(()),
        Some((key, span)) => {
            Err(Fault::new(span.clone(), format!("UDP has no `{key}`"))
                .label("this is for TCP only"))
        }
    }
}

/// WTCP is no composition.
fn refuse_slots(model: &ComposedModel, span: &Span) -> Result<(), Fault> {
    let composed = model.preset.is_some()
        || model.detection.is_some()
        || model.recovery.is_some()
        || model.congestion.is_some()
        || model.timeout.is_some();
    if composed {
        return Err(Fault::new(
            span.clone(),
            "WTCP is a protocol of its own, without TCP's presets and slots",
        )
        .label("leave this out, or what stands beside it"));
    }
    Ok(())
}

/// Refuses a transport without slots as the start of a composition.
fn no_preset(name: &Spanned<String>) -> Fault {
    let parameters = if name.value == WTCP.name {
        "; with parameters, transport = { wtcp = { … } }"
    } else {
        ""
    };
    let name_of = name.value.to_uppercase();
    Fault::inherent(format!("{name_of} is a protocol of its own, and no preset"))
        .at(&name.span)
        .label("nothing can be composed with it")
        .help(format!("write transport = \"{}\"{parameters}", name.value))
}

/// Presets that compositions may start from besides TCP's.
fn quic_presets() -> Vec<&'static str> {
    PRESETS_OF_QUIC.iter().map(|preset| preset.name).collect()
}

fn compose(model: &ComposedModel, custom: &CustomMembers) -> Result<(Composition, String), Fault> {
    let (base, name) = match &model.preset {
        Some(p) if ["udp", WTCP.name].contains(&p.value.as_str()) => return Err(no_preset(p)),
        Some(p) => (named(&p.value, &p.span, &quic_presets())?, p.value.as_str()),
        None => (named(DEFAULT, &(0..0), &[])?, DEFAULT),
    };
    let mut composition = base;
    let mut label = vec![name.to_owned()];
    if let Some(detection) = &model.detection {
        let own = |name: &_| custom.detection(name).map(DetectionConfig::Custom);
        let (member, name) = detection.lower(own)?;
        composition.detection = member;
        label.push(format!("detection={name}"));
    }
    if let Some(recovery) = &model.recovery {
        let (member, name) = recovery.lower(closed)?;
        composition.recovery = member;
        label.push(format!("recovery={name}"));
    }
    if let Some(congestion) = &model.congestion {
        let own = |name: &_| custom.congestion(name).map(CongestionConfig::Custom);
        let (member, name) = congestion.lower(own)?;
        composition = composition.with_congestion(member);
        label.push(format!("congestion={name}"));
    }
    if let Some(timeout) = &model.timeout {
        let (member, name) = timeout.lower(closed)?;
        composition.timeout = member;
        label.push(format!("timeout={name}"));
    }
    Ok((composition, label.join(" ")))
}

fn window(model: &FlowModel, config: &mut TcpConfig) -> Result<(), Fault> {
    let Some(rwnd) = &model.rwnd else {
        return Ok(());
    };
    let bytes = window_in_bytes("rwnd", rwnd, config.mss)?;
    if bytes > f64::from(config.mss) * MAX_SEGMENTS {
        return Err(rwnd
            .fault(format!("`rwnd` has more than {MAX_SEGMENTS} segments"))
            .label("each segment in flight is remembered"));
    }
    config.rwnd = bytes as u32;
    Ok(())
}

/// The whole bytes that the file gives for `key`: a segment at least, and no more than TCP can advertise.
pub(crate) fn window_in_bytes(key: &str, given: &Spanned<Window>, mss: u32) -> Result<f64, Fault> {
    let bytes = (given.value.in_bytes(mss) + 0.5).floor();
    if bytes < f64::from(mss) {
        return Err(given
            .fault(format!(
                "`{key}` is smaller than one segment of {mss} bytes"
            ))
            .label("nothing could be sent"));
    }
    if bytes > MAX_WINDOW {
        return Err(given
            .fault(format!("`{key}` is too large"))
            .label("TCP's windows end at 1 GiB"));
    }
    Ok(bytes)
}

/// Refuses what is about marks where there are none.
fn check_ecn(config: &TcpConfig, span: &Span) -> Result<(), Fault> {
    if config.ecn {
        return Ok(());
    }
    let fault = |message: &str, label: &str| Err(Fault::new(span.clone(), message).label(label));
    if config.composition.congestion.needs_ecn() != NeedsEcn::Nothing {
        return fault(
            "this transport answers marks of ECN, and `ecn` is off",
            "leave `ecn = false` out, or take another transport",
        );
    }
    let settings = [
        ("exact_echo", config.exact_echo),
        ("l4s", config.l4s),
        ("abe", config.abe),
    ];
    match settings.iter().find(|(_, on)| *on) {
        Some((key, _)) => fault(
            &format!("`{key}` is about marks of ECN, and `ecn` is off"),
            &format!("add `ecn = true`, or leave `{key}` out"),
        ),
        None => Ok(()),
    }
}

/// Refuses signs of a mistake that nothing carries. A profile that looks for all of them does without.
fn check_undo(config: &TcpConfig, span: &Span) -> Result<(), Fault> {
    let signs = [
        (
            "eifel",
            "timestamps",
            config.undo.eifel && !config.timestamps,
        ),
        ("d-sack", "dsack", config.undo.dsack && !config.dsack),
    ];
    match signs.iter().find(|(.., lacks)| *lacks) {
        Some((sign, carrier, _)) => Err(Fault::new(
            span.clone(),
            format!("`undo` by \"{sign}\" needs `{carrier}`, which is off"),
        )
        .label(format!("add `{carrier} = true`, or leave \"{sign}\" out"))),
        None => Ok(()),
    }
}

/// Sets what is given.
fn set<T>(to: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *to = given;
    }
}

fn settings(model: &TcpModel, span: &Span, config: &mut TcpConfig) -> Result<(), Fault> {
    let mss = config.mss;
    let fault = |message: &str, label: &str| Err(Fault::new(span.clone(), message).label(label));
    let windows = [
        (
            "initial_window",
            model.initial_window,
            &mut config.initial_window,
        ),
        ("loss_window", model.loss_window, &mut config.loss_window),
        ("max_cwnd", model.max_cwnd, &mut config.max_cwnd),
    ];
    for (key, given, to) in windows {
        set(to, given.map(|window| window.in_segments(mss)));
        if *to < Segments::ONE {
            let message = format!("`{key}` is smaller than one segment");
            return fault(&message, "nothing could be sent");
        }
    }
    if let Some(window) = model.initial_ssthresh {
        config.initial_ssthresh = Some(window.in_segments(mss));
    }
    let time = |given: Option<Period>| given.map(|period| period.0);
    let rto = Arc::make_mut(&mut config.rto);
    set(&mut rto.min, time(model.min_rto));
    set(&mut rto.max, time(model.max_rto));
    set(&mut rto.initial, time(model.initial_rto));
    set(&mut rto.granularity, time(model.tick));
    set(&mut rto.arithmetic, model.arithmetic.map(|given| given.0));
    if rto.min > rto.max || rto.initial > rto.max {
        return fault(
            "the bounds of the RTO contradict each other",
            &format!(
                "min {:?}, initial {:?}, max {:?}",
                rto.min, rto.initial, rto.max
            ),
        );
    }
    set(&mut config.limited_transmit, model.limited_transmit);
    set(&mut config.restart_after_idle, model.restart_after_idle);
    set(&mut config.timestamps, model.timestamps);
    set(&mut config.dsack, model.dsack);
    set(&mut config.ecn, model.ecn);
    set(&mut config.ecn_rules, model.ecn_rules.map(|given| given.0));
    set(&mut config.exact_echo, model.exact_echo);
    set(&mut config.l4s, model.l4s);
    set(&mut config.abe, model.abe);
    set(&mut config.eln, model.eln);
    set(&mut config.contention_control, model.contention_control);
    set(&mut config.hints, model.hints);
    if config.contention_control && model.hints == Some(false) {
        return fault(
            "`contention_control` needs `hints`: the receiver tells for how long stations contended",
            "leave `hints` out",
        );
    }
    config.hints |= config.contention_control;
    check_ecn(config, span)?;
    set(
        &mut config.slow_start,
        model.slow_start.map(|given| given.0),
    );
    if let Some(undo) = &model.undo {
        config.undo = UndoConfig {
            eifel: undo.contains(&UndoModel::Eifel),
            dsack: undo.contains(&UndoModel::DSack),
            frto: undo.contains(&UndoModel::FRto),
        };
        check_undo(config, span)?;
    }
    set(&mut config.pacing, model.pacing.map(|given| given.0));
    set(&mut config.impatient, model.impatient);
    set(&mut config.whole_ssthresh, model.whole_ssthresh);
    set(&mut config.hold_ssthresh, model.hold_ssthresh);
    set(&mut config.restart_on_repair, model.restart_on_repair);
    set(
        &mut config.composition.avoid_repeated_recovery,
        model.avoid_repeated_recovery,
    );
    if let Some(sack) = &model.sack {
        if config.composition.recovery.uses_sack() && !sack.value {
            return Err(sack
                .fault("this recovery needs selective acknowledgements")
                .label("leave this out, or take another `recovery`"));
        }
        config.sack = sack.value;
    }
    let counting = model.counting.map(|counting| match counting {
        CountingModel::Acks => Counting::Acks,
        CountingModel::Delivered => Counting::Delivered,
        CountingModel::Bytes(n) => Counting::Bytes(n.saturating()),
    });
    set(&mut config.counting, counting);
    set(&mut config.iss, model.iss);
    Ok(())
}
