//! Lowering of `[[flow]]`: nodes, times, traffic, and whether data and ACKs find their way.

use std::collections::VecDeque;
use std::ops::Range;

use skywave_core::packet::UDP_HEADER_BYTES;
use skywave_core::{Duration, Time};
use skywave_sim::spec::{Dist as SimDist, FlowSpec, PauseFrom, ProxySpec, Traffic, Transport};

use crate::lower::custom::CustomMembers;
use crate::lower::dist::{check_dist, dist, earliest, latest};
use crate::lower::proxy::Split;
use crate::lower::tcp;
use crate::lower::{
    Draw, FlowNames, Network, Target, check_name, copies, numbered, run_ends, wrong_order,
};
use crate::lower::{proxy, route};
use crate::model::Dist;
use crate::model::flow::{FlowModel, OnOffModel, PauseFromModel, RequestsModel, TrafficModel};
use crate::model::units;
use crate::read::fault::Fault;
use crate::read::spanned::Spanned;
use crate::read::tree::Span;
use crate::sweep::path::default_flow_name;

/// Most flows of one simulation.
const MAX_FLOWS: usize = 100_000;
/// Most transfers of a flow in a run that do not wait for each other: those that wait to be sent are all in memory.
const MAX_TRANSFERS: f64 = 1e8;

/// The flows of a point, how results name them, and the proxies between those that are halves.
pub(crate) type Flows = (Vec<FlowSpec>, Vec<FlowNames>, Vec<ProxySpec>);

/// Payload bytes of a full segment; `None` where there are no segments.
pub(crate) fn mss(transport: &Transport) -> Option<u32> {
    match transport {
        Transport::Tcp(config) => Some(config.mss),
        Transport::Wtcp { config, .. } => Some(u32::from(config.mss)),
        Transport::Quic { config, .. } => Some(u32::from(config.mss)),
        Transport::Udp { .. } => None,
    }
}

/// Lowers all flows.
pub(crate) fn all(
    network: &mut Network,
    flows: &[Spanned<FlowModel>],
    end: Time,
    custom: &CustomMembers,
) -> Result<Flows, Fault> {
    let mut proxies = Vec::new();
    let mut specs = Vec::new();
    let mut names = Vec::new();
    let mut routed = Vec::new();
    for (i, flow) in flows.iter().enumerate() {
        let model = &flow.value;
        let (transport, label) = tcp::transport(model, custom)?;
        let mss = mss(&transport);
        let traffic = traffic(flow, mss, end)?;
        let proxy = proxy::lower(model, (&transport, &label), custom)?;
        if let Some(name) = &model.name {
            check_name(name)?;
        }
        let group = match &model.name {
            Some(name) => name.value.clone(),
            None => default_flow_name(i),
        };
        for copy in copies(model.count.as_ref())? {
            let name = match copy {
                Some(n) => format!("{group}.{n}"),
                None => group.clone(),
            };
            let span = model.name.as_ref().map_or(&flow.span, |n| &n.span);
            network.add_name("flow", &name, span)?;
            let (from, to) = ends(network, model, copy, mss.is_some())?;
            if specs.len() + proxy::further_flows(model) >= MAX_FLOWS {
                return Err(flow
                    .fault("these are too many flows")
                    .label(format!("more than {MAX_FLOWS}")));
            }
            let (start, stop) = times(network, model, &name, copy, specs.len(), end)?;
            if route::is_given(model) {
                routed.push((specs.len(), model, copy));
            }
            let index = specs.len();
            specs.push(FlowSpec {
                name: name.into(),
                from,
                to,
                route: None,
                transport: transport.clone(),
                traffic: traffic.clone(),
                start,
                stop,
            });
            names.push(FlowNames {
                transport: label.clone(),
                group: group.clone(),
                inner: false,
            });
            if let Some(proxy) = &proxy {
                let near = &mut specs[index];
                let Split { far, states, joint } = proxy.split(network, near, index, end)?;
                for flow in [near, &far].into_iter().chain(&states) {
                    network.add_name("flow", &flow.name, span)?;
                }
                network.draw_also(Target::FlowStart(index), Target::FlowStart(index + 1));
                names[index].group = format!("{group}.near");
                names[index].inner = true;
                names.push(FlowNames {
                    transport: proxy.label.clone(),
                    group: group.clone(),
                    inner: false,
                });
                names.extend(states.iter().map(|_| FlowNames {
                    transport: label.clone(),
                    group: format!("{group}.state"),
                    inner: true,
                }));
                specs.push(far);
                specs.extend(states);
                proxies.push(joint);
            }
        }
    }
    route::all(network, &mut specs, &routed)?;
    Ok((specs, names, proxies))
}

/// Flow models with the range of flows that each has become: a copy is one flow, two where a proxy splits it, and
/// one more for each hand-over of the proxy.
pub(crate) fn of_models(
    models: &[Spanned<FlowModel>],
) -> Result<Vec<(&FlowModel, Range<usize>)>, Fault> {
    let mut all = Vec::new();
    let mut first = 0;
    for Spanned { value: model, .. } in models {
        let flows = 1 + proxy::further_flows(model);
        let end = first + copies(model.count.as_ref())?.len() * flows;
        all.push((model, first..end));
        first = end;
    }
    Ok(all)
}

fn ends(
    network: &Network,
    model: &FlowModel,
    copy: Option<u64>,
    has_acks: bool,
) -> Result<(usize, usize), Fault> {
    let (source, sink) = (
        numbered(&model.from.value, copy),
        numbered(&model.to.value, copy),
    );
    let from = network.find_node(&source, &model.from.span)?;
    let to = network.find_node(&sink, &model.to.span)?;
    if from == to {
        return Err(model
            .to
            .fault("this flow ends where it starts")
            .label(format!("`from` is `{source}` too")));
    }
    if !reaches(network, from, to) {
        return Err(model
            .to
            .fault(format!("no way leads from `{source}` to `{sink}`"))
            .label("out of reach")
            .help("add a [[link]] that joins the two parts of the network"));
    }
    if has_acks && !reaches(network, to, from) {
        return Err(model
            .to
            .fault(format!("no way leads back from `{sink}` to `{source}`"))
            .label("its ACKs cannot return")
            .help("a link is `one_way`, and no other one leads back"));
    }
    Ok((from, to))
}

/// Breadth first over the one-way links and the radio network.
fn reaches(network: &Network, from: usize, to: usize) -> bool {
    let next = network.neighbours();
    let mut seen = vec![false; next.len()];
    let mut queue = VecDeque::from([from]);
    while let Some(node) = queue.pop_front() {
        if node == to {
            return true;
        }
        for &n in &next[node] {
            if !std::mem::replace(&mut seen[n], true) {
                queue.push_back(n);
            }
        }
    }
    false
}

/// Start and stop; those that each seed draws get a stand-in.
fn times(
    network: &mut Network,
    model: &FlowModel,
    name: &str,
    copy: Option<u64>,
    index: usize,
    end: Time,
) -> Result<(Time, Option<Time>), Fault> {
    let step = match (&model.start_step, copy) {
        (None, _) => Duration::ZERO,
        (Some(step), Some(n)) => step.value.0 * (n - 1),
        (Some(step), None) => {
            return Err(step
                .fault("`start_step` is for flows with a `count`")
                .label("there is one flow only"));
        }
    };
    let mut time = |dist: Option<&Spanned<Dist<units::Duration>>>,
                    purpose: &'static str,
                    later: Duration,
                    target: Target|
     -> Result<Option<Time>, Fault> {
        let Some(dist) = dist else { return Ok(None) };
        check_dist(dist, |d| d.0.as_secs_f64())?;
        if let Dist::Constant(at) = &dist.value {
            return Ok(Some(Time::ZERO + at.0 + later));
        }
        network.draws.push(Draw {
            entity: format!("flow.{name}"),
            purpose,
            dist: dist.value.clone(),
            later,
            targets: vec![target],
        });
        Ok(Some(Time::ZERO + later))
    };
    let start = time(
        model.start.as_ref(),
        "start",
        step,
        Target::FlowStart(index),
    )?;
    let start = start.unwrap_or(Time::ZERO + step);
    let stop = time(
        model.stop.as_ref(),
        "stop",
        Duration::ZERO,
        Target::FlowStop(index),
    )?;

    // Judge by the earliest start and the latest stop that can be drawn.
    let first = model
        .start
        .as_ref()
        .map_or(Time::ZERO, |s| earliest(&s.value))
        + step;
    let start_span = model.start.as_ref().map(|s| &s.span);
    if let Some(span) = start_span.or(model.start_step.as_ref().map(|s| &s.span))
        && first >= end
    {
        return Err(Fault::new(span.clone(), "this flow starts after the run").label(run_ends(end)));
    }
    if let Some(dist) = &model.stop
        && latest(&dist.value) <= first
    {
        return Err(dist
            .fault("this flow stops before it starts")
            .label("`stop` must be after `start`"));
    }
    Ok((start, stop))
}

/// Header bytes of a UDP packet.
pub(crate) fn udp_header(model: &FlowModel) -> u32 {
    model
        .header
        .as_ref()
        .map_or(UDP_HEADER_BYTES, |h| h.value.0)
}

fn traffic(flow: &Spanned<FlowModel>, mss: Option<u32>, end: Time) -> Result<Traffic, Fault> {
    let model = &flow.value;
    let udp = |span: &Span| {
        Fault::new(span.clone(), "UDP needs traffic with a rate")
            .label("nothing would limit it")
            .help("use traffic = { cbr = … } or { on_off = … }")
    };
    let Some(traffic) = &model.traffic else {
        return match (mss, &model.transport) {
            (None, Some(transport)) => Err(udp(&transport.span)),
            _ => Ok(Traffic::Ftp),
        };
    };
    match (&traffic.value, mss) {
        (TrafficModel::Ftp, Some(_)) => Ok(Traffic::Ftp),
        (TrafficModel::Bytes(n), Some(_)) => Ok(Traffic::Bytes(n.0)),
        (TrafficModel::Requests(m), Some(mss)) => Ok(Traffic::Requests {
            size: transfer_size(m, mss, &traffic.span)?,
            think: think(m, end)?,
            pause_from: match m.pause_from {
                None | Some(PauseFromModel::End) => PauseFrom::End,
                Some(PauseFromModel::Start) => PauseFrom::Start,
            },
        }),
        (TrafficModel::Cbr(m), _) => Ok(Traffic::Cbr {
            rate: m.rate.0,
            packet: m.packet.0,
            jitter: m.jitter.map_or(0.0, |p| p.0),
        }),
        (TrafficModel::OnOff(m), _) => on_off(m),
        (_, None) => Err(udp(&traffic.span)),
    }
}

/// Pauses between transfers. Those that count from the start of the transfer before are all that keeps transfers apart:
/// without them any number would begin at one instant.
fn think(m: &RequestsModel, end: Time) -> Result<SimDist, Fault> {
    let think = dist(&m.think, |d| d.0.as_secs_f64())?;
    if matches!(m.pause_from, Some(PauseFromModel::Start))
        && end.as_secs_f64() > think.mean() * MAX_TRANSFERS
    {
        return Err(
            m.think.fault("transfers follow each other too fast")
                .label(format!(
                    "a pause takes {} on average, and the run {}s",
                    told(think.mean()),
                    end.as_secs_f64()
                ))
                .help(format!(
                    "with pause_from = \"start\" no transfer waits for the one before, and at most {} may begin in a \
                     run: a longer `think`, or pause_from = \"end\"",
                    MAX_TRANSFERS as u64
                )),
        );
    }
    Ok(think)
}

/// Seconds, for messages.
fn told(seconds: f64) -> String {
    match std::time::Duration::try_from_secs_f64(seconds) {
        Ok(time) => format!("{time:?}"),
        Err(_) => format!("{seconds}s"),
    }
}

/// Bursts and pauses. Each burst has a packet at least: if bursts follow each other faster than packets do at the
/// rate, nothing would keep the flow to it.
fn on_off(m: &OnOffModel) -> Result<Traffic, Fault> {
    let on = dist(&m.on, |d| d.0.as_secs_f64())?;
    let off = dist(&m.off, |d| d.0.as_secs_f64())?;
    let (time, _) = m.rate.0.transmission_time(u64::from(m.packet.0), 0);
    let (cycle, packet) = (on.mean() + off.mean(), time.as_secs_f64());
    if cycle < packet {
        let (cycle, packet) = (told(cycle), told(packet));
        return Err(m
            .on
            .fault("bursts follow each other too fast")
            .label(format!(
                "a burst and a pause take {cycle} on average, a packet {packet}"
            ))
            .help("each burst has a packet at least: a longer `on` or `off`, or a higher `rate`"));
    }
    Ok(Traffic::OnOff {
        rate: m.rate.0,
        packet: m.packet.0,
        on,
        off,
    })
}

/// The size of a transfer: bytes, or whole segments.
fn transfer_size(model: &RequestsModel, mss: u32, span: &Span) -> Result<SimDist, Fault> {
    match (&model.size, &model.segments) {
        (Some(size), None) => dist(size, |w| w.in_bytes(mss)),
        (None, Some(segments)) => {
            let (low, high) = (segments.value.0.0, segments.value.1.0);
            if low > high {
                return Err(wrong_order(segments));
            }
            Ok(SimDist::Whole {
                low,
                high,
                unit: f64::from(mss),
            })
        }
        (Some(_), Some(both)) => Err(both
            .fault("`size` and `segments` say the same thing")
            .label("one of them too many")),
        (None, None) => Err(Fault::new(span.clone(), "how large is a transfer?")
            .label("`size` or `segments` is needed")),
    }
}
