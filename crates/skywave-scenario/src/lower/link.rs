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
use crate::lower::{Draw, Network, Target, check_name, copies, numbered};
use crate::model::optional::optional;
use crate::model::units::{self, Packets, Rate};
use crate::model::{Dist, JitterModel, LinkModel, ReorderingModel, ReverseModel};
use crate::read::fault::Fault;
use crate::read::files::Shelf;
use crate::read::spanned::Spanned;
use crate::sweep::default_link_name;

/// The queue of a link that does not say: as in ns-2.
pub(crate) const DEFAULT_QUEUE: QueueConfig = QueueConfig::DropTail(Limit::Packets(50));

/// Adds one `[[link]]` to the network.
pub(crate) fn add(
    network: &mut Network,
    link: &Spanned<LinkModel>,
    end: Time,
    files: &Shelf<'_>,
) -> Result<(), Fault> {
    let model = &link.value;
    let there = Arc::new(forward(link, end, files)?);
    let back = if model.one_way {
        refuse_reverse(model)?;
        None
    } else {
        Some(Arc::new(reverse(model, &there, end, files)?))
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
            Fault::new(count.span.clone(), "copies of a link need nodes of their own")
                .label("every copy would join the same nodes")
                .help("put `#` into a node's name, as in between = [\"S#\", \"G0\"]: it becomes the copy's number"),
        );
    }
    if model.count.is_none() && (a.contains('#') || b.contains('#')) {
        return Err(Fault::new(
            model.between.span.clone(),
            "`#` in a node's name stands for a copy's number",
        )
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
            return Err(Fault::new(
                model.between.span.clone(),
                format!("this link joins `{a}` to itself"),
            )
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
            match model.reverse.as_ref().and_then(|r| r.value.delay.as_ref()) {
                Some(own) => draw_delay(network, &reverse_name, &own.value, vec![target]),
                None => drawn.push(target),
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

fn forward(link: &Spanned<LinkModel>, end: Time, files: &Shelf<'_>) -> Result<LinkConfig, Fault> {
    let model = &link.value;
    let service = service(
        model.rate.as_ref(),
        Traces {
            first: model.trace.as_ref(),
            otherwise: model.trace_else.as_ref(),
        },
        files,
    )?
    .ok_or_else(|| {
        Fault::new(link.span.clone(), "this link has no rate").label("`rate` or `trace` is needed")
    })?;
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
        loss: Vec::new(),
        loss_at: LossAt::default(),
        blackouts: blackouts(model.blackouts.as_ref(), end)?,
        corruption: model.corruption.map_or(0.0, |p| p.0),
        duplication: model.duplication.map_or(0.0, |p| p.0),
        reordering: model.reordering.map(reordering),
        fec: optional(model.fec.as_ref())?,
        contention: optional(model.contention.as_ref())?,
        arq: optional(model.arq.as_ref())?,
    };
    if let Some(spec) = &model.queue {
        config.queue = queue(spec, Transmitter::Link(config.mean_rate()))?;
    }
    if let Some(packets) = &model.ring {
        config.ring = ring(packets, &config)?;
    }
    let loss = model.loss.as_ref();
    if let Some(models) = loss.and_then(|l| l.value.forward.as_ref()) {
        config.loss = channel(models)?;
    }
    place_losses(&mut config, model.loss_at, model.arq.as_ref(), &model.delay)?;
    contention::check(&config, model.contention.as_ref())?;
    steps::check(&config, model.steps.as_ref())?;
    shaper::check(&config, model.shaper.as_ref())?;
    Ok(config)
}

/// The reverse direction: as the forward one, but for what the file says of it.
fn reverse(
    model: &LinkModel,
    there: &LinkConfig,
    end: Time,
    files: &Shelf<'_>,
) -> Result<LinkConfig, Fault> {
    let mut config = there.clone();
    config.loss = Vec::new();
    let loss = model.loss.as_ref();
    if let Some(models) = loss.and_then(|l| l.value.reverse.as_ref()) {
        config.loss = channel(&models.value)?;
    }
    if let Some(rate) = &model.reverse_rate {
        config.service = Service::Rate(rate.value.0);
    }
    if let Some(reverse) = &model.reverse {
        differ(&mut config, model, &reverse.value, end, files)?;
    }
    let own = model.reverse.as_ref().map(|reverse| &reverse.value);
    if let (Some(spec), None) = (&model.queue, own.and_then(|own| own.queue.as_ref())) {
        // A size in time stands for other bytes at another rate.
        config.queue = queue(spec, Transmitter::Link(config.mean_rate()))?;
    }
    let own_arq = own.and_then(|own| own.arq.as_ref());
    if own_arq.is_none() && config.loss.is_empty() && config.blackouts.is_empty() {
        // Nothing fails that could be sent again.
        config.arq = None;
    }
    place_losses(
        &mut config,
        own.and_then(|own| own.loss_at).or(model.loss_at),
        own_arq.or(model.arq.as_ref()),
        own.and_then(|own| own.delay.as_ref())
            .unwrap_or(&model.delay),
    )?;
    let own_contention = own.and_then(|own| own.contention.as_ref());
    contention::check(&config, own_contention.or(model.contention.as_ref()))?;
    let own_steps = own.and_then(|own| own.steps.as_ref());
    steps::check(&config, own_steps.or(model.steps.as_ref()))?;
    let own_shaper = own.and_then(|own| own.shaper.as_ref());
    shaper::check(&config, own_shaper.or(model.shaper.as_ref()))?;
    Ok(config)
}

/// Applies the settings that the file has for the reverse direction only.
fn differ(
    config: &mut LinkConfig,
    model: &LinkModel,
    own: &ReverseModel,
    end: Time,
    files: &Shelf<'_>,
) -> Result<(), Fault> {
    if let (Some(first), true) = (
        &model.reverse_rate,
        own.rate.is_some() || own.trace.is_some(),
    ) {
        return Err(
            Fault::new(first.span.clone(), "the reverse direction has two rates")
                .label("`reverse` has one too"),
        );
    }
    if let Some(service) = service(
        own.rate.as_ref(),
        Traces {
            first: own.trace.as_ref(),
            otherwise: own.trace_else.as_ref(),
        },
        files,
    )? {
        config.service = service;
    }
    if let Some(own) = &own.delay {
        config.delay = delay(own)?;
    }
    if own.jitter.is_some() {
        config.jitter = jitter(own.jitter.as_ref())?;
    }
    if let Some(own) = &own.steps {
        config.steps = steps::steps(own)?;
    }
    if let Some(own) = &own.policer {
        config.policer = own.optional()?;
    }
    if let Some(own) = &own.shaper {
        config.shaper = own.optional()?;
    }
    if let Some(own) = &own.queue {
        config.queue = queue(own, Transmitter::Link(config.mean_rate()))?;
        if config.queue.decides_on_arrival() {
            config.ring = 0;
        }
    }
    if let Some(own) = &own.ring {
        config.ring = ring(own, config)?;
    }
    if own.blackouts.is_some() {
        config.blackouts = blackouts(own.blackouts.as_ref(), end)?;
    }
    if let Some(p) = own.corruption {
        config.corruption = p.0;
    }
    if let Some(p) = own.duplication {
        config.duplication = p.0;
    }
    if let Some(own) = own.reordering {
        config.reordering = Some(reordering(own));
    }
    if own.arq.is_some() {
        config.arq = optional(own.arq.as_ref())?;
    }
    if let Some(own) = &own.contention {
        config.contention = own.optional()?;
    }
    if let Some(own) = &own.fec {
        config.fec = own.optional()?;
    }
    Ok(())
}

/// The ring of a device before which a queue decides when packets leave.
fn ring(packets: &Spanned<Packets>, config: &LinkConfig) -> Result<u32, Fault> {
    if config.queue.decides_on_arrival() {
        return Err(Fault::new(
            packets.span.clone(),
            "this queue decides when packets arrive: a ring makes no difference to it",
        )
        .label("only with codel, fq-codel, pie or dualpi2; make the queue longer instead"));
    }
    Ok(packets.value.0)
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

/// A trace and the one that takes its place.
#[derive(Clone, Copy)]
struct Traces<'a> {
    first: Option<&'a Spanned<String>>,
    otherwise: Option<&'a Spanned<String>>,
}

fn service(
    rate: Option<&Spanned<Rate>>,
    Traces { first, otherwise }: Traces<'_>,
    files: &Shelf<'_>,
) -> Result<Option<Service>, Fault> {
    if let (Some(otherwise), None) = (otherwise, first) {
        return Err(Fault::new(
            otherwise.span.clone(),
            "`trace_else` takes the place of a `trace`, and there is none",
        )
        .label("`trace` is needed beside this"));
    }
    match (rate, first) {
        (Some(_), Some(trace)) => Err(Fault::new(
            trace.span.clone(),
            "this link has both a rate and a trace",
        )
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
        JitterModel::Uniform(low, high) if low.0 > high.0 => Err(Fault::new(
            model.span.clone(),
            "these bounds are in the wrong order",
        )
        .label("the smaller one first")),
        JitterModel::Uniform(low, high) => Ok(Some(Jitter::Uniform(low.0, high.0))),
        JitterModel::Exponential(mean) => Ok(Some(Jitter::Exponential(mean.0))),
    }
}

fn reordering(model: ReorderingModel) -> Reordering {
    Reordering {
        probability: model.probability.0,
        delay: model.delay.0,
    }
}
