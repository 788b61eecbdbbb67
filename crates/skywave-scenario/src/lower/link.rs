//! Lowering of `[[link]]`: one table becomes two one-way links, or as many pairs as `count` says.

use std::sync::Arc;

use skywave_core::link::{Jitter, Limit, LinkConfig, LossAt, QueueConfig, Reordering, Service};
use skywave_core::{Duration, Time};
use skywave_sim::spec::LinkSpec;

use crate::lower::channel::{blackouts, channel};
use crate::lower::contention;
use crate::lower::dist::check_dist;
use crate::lower::queue::{Transmitter, queue};
use crate::lower::recovery::place_losses;
use crate::lower::shaper;
use crate::lower::steps;
use crate::lower::{Draw, Network, Target, check_name, copies, numbered, wrong_order};
use crate::model::optional::optional;
use crate::model::units;
use crate::model::{Dist, JitterModel, LinkModel};
use crate::read::fault::Fault;
use crate::read::files::Shelf;
use crate::read::spanned::Spanned;
use crate::read::tree::Span;
use crate::sweep::path::default_link_name;

/// The queue of a link that does not say: as in ns-2.
pub(crate) const DEFAULT_QUEUE: QueueConfig = QueueConfig::DropTail(Limit::Packets(50));

/// Adds one `[[link]]` to the network, whose reverse direction is `reverse`.
pub(crate) fn add(
    network: &mut Network,
    link: &Spanned<LinkModel>,
    reverse: &LinkModel,
    end: Time,
    files: &Shelf<'_>,
) -> Result<(), Fault> {
    let model = &link.value;
    let there = Arc::new(direction(model, &link.span, end, files)?);
    let back = if model.one_way {
        refuse_reverse(model)?;
        None
    } else {
        refuse_two_rates(model, reverse)?;
        Some(Arc::new(direction(reverse, &link.span, end, files)?))
    };
    if let Some(name) = &model.name {
        check_name(name)?;
    }
    let (a, b) = &model.between.value;
    let all = copies(model.count.as_ref())?;
    if let Some(count) = &model.count
        && !a.contains('#')
        && !b.contains('#')
    {
        return Err(
            count.fault("copies of a link need nodes of their own")
                .label("every copy would join the same nodes")
                .help("put `#` into a node's name, as in between = [\"S#\", \"G0\"]: it becomes the copy's number"),
        );
    }
    if model.count.is_none() && (a.contains('#') || b.contains('#')) {
        return Err(model
            .between
            .fault("`#` in a node's name stands for a copy's number")
            .label("but this link has no `count`"));
    }
    let group = match &model.name {
        Some(name) => name.value.clone(),
        None => default_link_name(a, b),
    };
    let span = model.name.as_ref().map_or(&link.span, |n| &n.span);
    for copy in all {
        let (a, b) = (numbered(a, copy), numbered(b, copy));
        if a == b {
            return Err(model
                .between
                .fault(format!("this link joins `{a}` to itself"))
                .label("two nodes are needed"));
        }
        let name = match (&model.name, copy) {
            (None, _) => default_link_name(&a, &b),
            (Some(name), None) => name.value.clone(),
            (Some(name), Some(n)) => format!("{}.{n}", name.value),
        };
        let (from, to) = (network.add_node(&a), network.add_node(&b));
        let mut add = |name: String, from, to, config: &Arc<LinkConfig>| -> Result<usize, Fault> {
            network.add_name("link", &name, span)?;
            network.links.push(LinkSpec {
                name: name.into(),
                from,
                to,
                config: Arc::clone(config),
            });
            network.groups.push(group.clone());
            Ok(network.links.len() - 1)
        };
        let mut drawn = vec![Target::LinkDelay(add(name.clone(), from, to, &there)?)];
        if let Some(back) = &back {
            let reverse_name = format!("{name}.reverse");
            let target = Target::LinkDelay(add(reverse_name.clone(), to, from, back)?);
            if reverse.inherits("delay") {
                drawn.push(target);
            } else {
                draw_delay(network, &reverse_name, &reverse.delay.value, vec![target]);
            }
        }
        draw_delay(network, &name, &model.delay.value, drawn);
    }
    Ok(())
}

fn draw_delay(
    network: &mut Network,
    link: &str,
    dist: &Dist<units::Duration>,
    targets: Vec<Target>,
) {
    if !matches!(dist, Dist::Constant(_)) {
        network.draws.push(Draw {
            later: skywave_core::Duration::ZERO,
            entity: format!("link.{link}"),
            purpose: "delay",
            dist: dist.clone(),
            targets,
        });
    }
}

/// One direction of a link that stands at `place`.
fn direction(
    model: &LinkModel,
    place: &Span,
    end: Time,
    files: &Shelf<'_>,
) -> Result<LinkConfig, Fault> {
    let service = service(model, files)?.ok_or_else(|| {
        Fault::new(place.clone(), "this link has no rate").label("`rate` or `trace` is needed")
    })?;
    let loss = model.loss.as_ref().and_then(|l| l.value.forward.as_ref());
    let mut config = LinkConfig {
        service,
        delay: delay(&model.delay)?,
        policer: optional(model.policer.as_ref())?,
        shaper: optional(model.shaper.as_ref())?,
        jitter: jitter(model.jitter.as_ref())?,
        steps: model
            .steps
            .as_ref()
            .map(steps::steps)
            .transpose()?
            .flatten(),
        queue: DEFAULT_QUEUE,
        ring: 0,
        loss: loss.map_or(Ok(Vec::new()), channel)?,
        loss_at: LossAt::default(),
        blackouts: blackouts(model.blackouts.as_ref(), end)?,
        corruption: model.corruption.map_or(0.0, |p| p.0),
        duplication: model.duplication.map_or(0.0, |p| p.0),
        reordering: model
            .reordering
            .as_ref()
            .map(|given| given.over(&Reordering::DEFAULT))
            .transpose()?,
        fec: optional(model.fec.as_ref())?,
        contention: optional(model.contention.as_ref())?,
        arq: optional(model.arq.as_ref())?,
    };
    if let Some(spec) = &model.queue {
        // A size in time stands for other bytes at another rate.
        config.queue = queue(spec, Transmitter::Link(config.mean_rate()))?;
    }
    config.ring = ring(model, &config)?;
    if model.inherits("arq") && config.loss.is_empty() && config.blackouts.is_empty() {
        // Nothing fails that could be sent again.
        config.arq = None;
    }
    place_losses(
        &mut config,
        model.loss_at.map(|at| at.0),
        model.arq.as_ref(),
        &model.delay,
    )?;
    contention::check(&config, model.contention.as_ref())?;
    steps::check(&config, model.steps.as_ref())?;
    shaper::check(&config, model.shaper.as_ref())?;
    Ok(config)
}

/// The ring of a device before which a queue decides when packets leave.
fn ring(model: &LinkModel, config: &LinkConfig) -> Result<u32, Fault> {
    match &model.ring {
        Some(_) if config.queue.decides_on_arrival() && model.inherits("ring") => Ok(0),
        Some(packets) if config.queue.decides_on_arrival() => Err(packets
            .fault("this queue decides when packets arrive: a ring makes no difference to it")
            .label("only with codel, fq-codel, pie or dualpi2; make the queue longer instead")),
        packets => Ok(packets.as_ref().map_or(0, |packets| packets.value.0)),
    }
}

fn refuse_two_rates(model: &LinkModel, reverse: &LinkModel) -> Result<(), Fault> {
    match &model.reverse_rate {
        Some(first) if !reverse.inherits("rate") => Err(first
            .fault("the reverse direction has two rates")
            .label("`reverse` has one too")),
        _ => Ok(()),
    }
}

fn refuse_reverse(model: &LinkModel) -> Result<(), Fault> {
    let loss = model.loss.as_ref().and_then(|l| l.value.reverse.as_ref());
    let span = None
        .or(model.reverse_rate.as_ref().map(|r| &r.span))
        .or(model.reverse.as_ref().map(|r| &r.span))
        .or(loss.map(|r| &r.span));
    match span {
        None => Ok(()),
        Some(span) => Err(
            Fault::new(span.clone(), "a one-way link has no reverse direction")
                .label("leave this out, or `one_way`"),
        ),
    }
}

fn service(model: &LinkModel, files: &Shelf<'_>) -> Result<Option<Service>, Fault> {
    let (trace, otherwise) = (model.trace.as_ref(), model.trace_else.as_ref());
    if let (Some(otherwise), None) = (otherwise, trace) {
        return Err(otherwise
            .fault("`trace_else` takes the place of a `trace`, and there is none")
            .label("`trace` is needed beside this"));
    }
    match (&model.rate, trace) {
        (Some(_), Some(trace)) => Err(trace
            .fault("this link has both a rate and a trace")
            .label("one of them is enough")),
        (Some(rate), None) => Ok(Some(Service::Rate(rate.value.0))),
        (None, Some(trace)) => {
            let there = otherwise
                .filter(|_| !files.exists(&trace.value))
                .unwrap_or(trace);
            Ok(Some(Service::Trace(files.trace(there)?)))
        }
        (None, None) => Ok(None),
    }
}

/// The delay, or a stand-in for one that each seed draws.
fn delay(dist: &Spanned<Dist<units::Duration>>) -> Result<Duration, Fault> {
    check_dist(dist, |d| d.0.as_secs_f64())?;
    Ok(match dist.value {
        Dist::Constant(d) => d.0,
        _ => Duration::ZERO,
    })
}

pub(crate) fn jitter(model: Option<&Spanned<JitterModel>>) -> Result<Option<Jitter>, Fault> {
    let Some(model) = model else { return Ok(None) };
    match model.value {
        JitterModel::None => Ok(None),
        JitterModel::Uniform(low, high) if low.0 > high.0 => Err(wrong_order(model)),
        JitterModel::Uniform(low, high) => Ok(Some(Jitter::Uniform(low.0, high.0))),
        JitterModel::Exponential(mean) => Ok(Some(Jitter::Exponential(mean.0))),
    }
}
