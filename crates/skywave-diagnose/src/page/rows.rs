//! Properties of a link in words, one a row.

use serde::Serialize;

use crate::fit::hidden::LossModel;
use crate::fit::path::{QueueModel, RateModel};
use crate::fit::probes::JitterModel;
use crate::fit::{Estimate, Known};
use crate::link::{Link, Property, interval, short};

/// Property of a link in words, for a row of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// Name of the property.
    pub name: &'static str,
    /// Value, with its 95 % interval where it has one; for an unknown property the reason why it is unknown.
    pub value: String,
    /// Name of the file that tells the property, without its folder; empty if it is unknown.
    pub from: String,
    /// Whether the records tell the property.
    pub is_known: bool,
}

/// The properties of a link in the order in which a page has them.
pub fn rows(link: &Link) -> Vec<Row> {
    let mut rows = vec![
        row("Rate", &link.rate, |rate| match rate {
            RateModel::Constant(estimate, _) => interval(estimate.scaled(1e-6), "Mb/s"),
            RateModel::Recorded(recorded) => format!(
                "changes; {} Mb/s as a rule",
                short(recorded.typical_bps / 1e6)
            ),
        }),
        row("Base round trip", &link.base_s, |base| {
            interval(base.scaled(1e3), "ms")
        }),
    ];
    if let Some(base) = link.steps.known.told().filter(|base| base.levels.len() > 1) {
        let rhythm = base.every.map_or_else(
            || "at no regular times".to_owned(),
            |period| format!("every {}", interval(period.every_s, "s")),
        );
        rows.push(Row {
            name: "Changes of it",
            value: format!("{} in the record, {rhythm}", base.levels.len() - 1),
            from: link.steps.from.clone(),
            is_known: true,
        });
    }
    rows.push(row("Jitter", &link.jitter, |choice| jitter(choice.best())));
    rows.push(row("Queue", &link.queue, |choice| {
        let names: Vec<&str> = choice.equals().skip(1).map(QueueModel::name).collect();
        let also = if names.is_empty() {
            String::new()
        } else {
            format!("; or {}", names.join(" or "))
        };
        queue(link, choice.best()) + &also
    }));
    if let Some(policer) = &link.policer {
        rows.push(row("Policer", policer, |policer| {
            format!(
                "{}, tokens for {}",
                interval(policer.bps.scaled(1e-6), "Mb/s"),
                interval(policer.burst.scaled(1e-3), "kB")
            )
        }));
    }
    if let Some(back) = &link.back {
        rows.push(row("Way back", back, |back| {
            let full = if back.is_full { "" } else { "at least " };
            format!(
                "{}, a queue of {full}{} acknowledgements",
                interval(back.bps.scaled(1e-3), "kb/s"),
                back.packets
            )
        }));
    }
    rows.push(row("Losses not by a queue", &link.losses, |choice| {
        losses(choice.best())
    }));
    if let Some(arq) = &link.arq {
        rows.push(row("Repair by the link", arq, |arq| {
            format!(
                "{} of transmissions fail, and come again {} later",
                interval(arq.p.scaled(100.0), "%"),
                interval(arq.round_trip_s.scaled(1e3), "ms")
            )
        }));
    }
    if let Some(outages) = &link.outages {
        rows.push(row("Outages", outages, |outages| {
            let all = outages.all.iter().map(|outage| outage.to_s - outage.from_s);
            format!(
                "{} in the record, {} s in all",
                outages.all.len(),
                short(all.sum())
            )
        }));
    }
    rows
}

fn row<T>(name: &'static str, property: &Property<T>, words: impl Fn(&T) -> String) -> Row {
    match &property.known {
        Known::Told(value) => Row {
            name,
            value: words(value),
            from: property.from.clone(),
            is_known: true,
        },
        Known::Unknown(why) => Row {
            name,
            value: why.clone(),
            from: String::new(),
            is_known: false,
        },
    }
}

fn jitter(model: &JitterModel) -> String {
    let ms = |estimate: &Estimate| interval(estimate.scaled(1e3), "ms");
    match model {
        JitterModel::None => "none".to_owned(),
        JitterModel::Uniform { width_s } => format!("uniform, {}, one way", ms(width_s)),
        JitterModel::UniformEachWay { width_s } => format!("uniform, {} each way", ms(width_s)),
        JitterModel::Exponential { mean_s } => {
            format!("exponential, mean {}, one way", ms(mean_s))
        }
        JitterModel::ExponentialEachWay { mean_s } => {
            format!("exponential, mean {} each way", ms(mean_s))
        }
        JitterModel::Gamma { shape, scale_s } => format!(
            "gamma, shape {}, mean {} ms",
            short(shape.value),
            short(shape.value * scale_s.value * 1e3)
        ),
    }
}

fn queue(link: &Link, model: &QueueModel) -> String {
    match model {
        QueueModel::None => "drops nothing".to_owned(),
        QueueModel::DropTail { bytes } => {
            let size = interval(bytes.scaled(1.0 / link.packet), "packets");
            match link.rate.known.told() {
                Some(RateModel::Constant(rate, _)) => format!(
                    "drop-tail, {size}: up to {} ms of waiting",
                    short(bytes.value * 8.0 / rate.value * 1e3)
                ),
                _ => format!("drop-tail, {size}"),
            }
        }
        QueueModel::CoDel { target_s, .. } => {
            format!("CoDel or FQ-CoDel, target {} ms", short(target_s * 1e3))
        }
        QueueModel::Pie { target_s } => format!("PIE, target {} ms", short(target_s * 1e3)),
        QueueModel::Red { min, max, .. } => format!(
            "RED, from {} to {} packets",
            short(min.value / link.packet),
            short(max.value / link.packet)
        ),
    }
}

fn losses(model: &LossModel) -> String {
    match model {
        LossModel::None => "none".to_owned(),
        LossModel::Independent { p } => {
            format!("{}, each by itself", interval(p.scaled(100.0), "%"))
        }
        LossModel::Bursts { to_bad, to_good } => format!(
            "bursts of {} packets, one in {} packets",
            short(1.0 / to_good.value),
            short(1.0 / to_bad.value)
        ),
        LossModel::BurstsInTime { good_s, bad_s } => format!(
            "spells of {} in which all is lost, {} apart",
            interval(bad_s.scaled(1e3), "ms"),
            interval(*good_s, "s")
        ),
    }
}
