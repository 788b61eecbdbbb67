//! A link as a scenario file, in whose comments stands where each number comes from.

use std::fmt::{Display, Write};

use super::{Link, Property};
use crate::fit::hidden::LossModel;
use crate::fit::path::{QueueModel, RateBy, RateModel};
use crate::fit::probes::{Arq, Base, JitterModel, Level};
use crate::fit::{Choice, Estimate, Known};

/// Rate where no record tells of any, bits a second.
const USUAL_BPS: f64 = 20e6;
/// Round trip where no record tells of any, seconds.
const USUAL_RTT_S: f64 = 0.05;
/// Queue of a scenario that names none, packets.
const USUAL_QUEUE: f64 = 50.0;
/// Most steps and outages that are written one by one.
const MOST: usize = 40;

/// Scenario file of a link as text, and the trace of rates that it refers to, if any.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// Text (TOML) of the scenario file.
    pub toml: String,
    /// File name and text of the trace of rates that the scenario refers to; `None` if its rate is constant.
    pub trace: Option<(String, String)>,
}

/// Beginning of each scenario file of a link.
const FIRST: &str = "# A link as records tell it.";

/// File name of the trace of rates that the scenario of a link with this name refers to, if its rate varies.
pub fn trace_name(name: &str) -> String {
    format!("{}.trace", escaped(name))
}

/// Whether `toml` is a scenario file of a link, written by [`scenario`] with the trace of rates in the file `trace`.
pub fn has_trace(toml: &str, trace: &str) -> bool {
    let key = format!("trace = \"{trace}\"");
    toml.starts_with(FIRST) && toml.lines().any(|line| line == key)
}

/// Choice of the value to write for each estimate: the likeliest, or another from its interval.
pub trait Values {
    /// Value to be written for `estimate`, in its unit: its likeliest value ([`Likeliest`](super::Likeliest)), or one
    /// drawn from its 95 % interval ([`Drawn`](super::Drawn)).
    fn of(&mut self, estimate: Estimate) -> f64;
}

/// Lines of keys with their comments.
#[derive(Default)]
struct Keys(String);

impl Keys {
    fn key(&mut self, key: &str, value: &str, comment: &str) {
        // Writing to a string does not fail.
        let comment = one_line(comment);
        let _ = writeln!(self.0, "# {comment}\n{key} = {value}");
    }

    fn unknown(&mut self, key: &str, why: &str, instead: &str) {
        let _ = writeln!(self.0, "# {key}: cannot be told ({why}); {instead}.");
    }
}

/// Scenario file of a link, with comments that tell where each number is from. `name` stands in its title and names the
/// file of its trace; `values` chooses values for the estimates, but for steps, outages, a gamma distribution of jitter
/// and the thresholds of RED, which are written as fitted.
pub fn scenario(link: &Link, name: &str, values: &mut dyn Values) -> Written {
    let mut keys = Keys::default();
    let trace = rate(&mut keys, link, name, values);
    delay(&mut keys, &link.base_s, values);
    steps(&mut keys, &link.steps);
    jitter(&mut keys, &link.jitter, values);
    queue(&mut keys, link, values);
    policer(&mut keys, link, values);
    back(&mut keys, link, values);
    losses(&mut keys, link, values);
    outages(&mut keys, link);
    let toml = format!(
        "{FIRST} Numbers in comments are 95 % intervals.\n\
         title = \"The link of {}\"\n\n\
         [[link]]\nname = \"link\"\nbetween = [\"here\", \"there\"]\n{}\n\
         # A transfer from here to there, so that the file can be run as it is.\n\
         [[flow]]\nname = \"bulk\"\nfrom = \"here\"\nto = \"there\"\ntransport = \"cubic\"\n\
         traffic = \"ftp\"\nrwnd = \"16MB\"\n\n\
         [run]\nduration = \"60s\"\nmeasure = [\"5s\", \"60s\"]\nseeds = 3\n",
        escaped(name),
        keys.0,
    );
    Written { toml, trace }
}

/// A comment without what would end its line: names of files are in it.
fn one_line(comment: &str) -> String {
    comment
        .chars()
        .map(|c| if c.is_control() { '_' } else { c })
        .collect()
}

/// A name within a string of TOML.
fn escaped(name: &str) -> String {
    name.chars()
        .map(|c| {
            if c.is_control() || c == '"' || c == '\\' {
                '_'
            } else {
                c
            }
        })
        .collect()
}

fn rate(
    keys: &mut Keys,
    link: &Link,
    name: &str,
    values: &mut dyn Values,
) -> Option<(String, String)> {
    match &link.rate.known {
        Known::Told(RateModel::Constant(estimate, by)) => {
            let by = match by {
                RateBy::Busy => "while a queue stood",
                RateBy::Trains => "by the spacing of packets sent back to back",
                RateBy::Behind => "by round trips behind packets sent just before",
            };
            let interval = interval(estimate.scaled(1e-6), "Mb/s");
            let comment = format!("{interval} of IP, {by}, from {}.", link.rate.from);
            keys.key("rate", &mbps(values.of(*estimate)), &comment);
            None
        }
        Known::Told(RateModel::Recorded(recorded)) => {
            let file = trace_name(name);
            let comment = format!(
                "Recorded from {}: {} Mb/s as a rule; {} % of the time it was not seen at work, and stands as before.",
                link.rate.from,
                short(recorded.typical_bps / 1e6),
                short(recorded.filled * 100.0),
            );
            keys.key("trace", &format!("\"{file}\""), &comment);
            if link.back.is_none() {
                keys.key(
                    "reverse.rate",
                    &mbps(recorded.typical_bps.max(1e3)),
                    "Of the way back no record tells.",
                );
            }
            let lines: Vec<String> = recorded
                .opportunities_ms
                .iter()
                .map(u64::to_string)
                .collect();
            Some((file, lines.join("\n") + "\n"))
        }
        Known::Unknown(why) => {
            let (bps, instead) = match link.at_least_bps.filter(|bps| *bps > 0.0) {
                Some(bps) => (bps, "it is at least this"),
                None => (USUAL_BPS, "this is a guess, nothing was measured"),
            };
            let comment = format!("The rate cannot be told ({why}); {instead}.");
            keys.key("rate", &mbps(bps), &comment);
            None
        }
    }
}

fn delay(keys: &mut Keys, base: &Property<Estimate>, values: &mut dyn Values) {
    match &base.known {
        Known::Told(estimate) => {
            let interval = interval(estimate.scaled(1e3), "ms");
            let comment = format!(
                "Half of the base round trip, {interval}, from {}.",
                base.from
            );
            keys.key("delay", &ms(values.of(*estimate).max(0.0) / 2.0), &comment);
        }
        Known::Unknown(why) => {
            let comment = format!("The round trip cannot be told ({why}); this is a guess.");
            keys.key("delay", &ms(USUAL_RTT_S / 2.0), &comment);
        }
    }
}

fn steps(keys: &mut Keys, steps: &Property<Base>) {
    let Some(base) = steps.known.told().filter(|base| base.levels.len() > 1) else {
        return;
    };
    let least = base.least().value;
    let most = base.levels.iter().map(|level| level.delay_s.value - least);
    let most = most.fold(0.0, f64::max);
    match base.every {
        Some(period) => {
            // A level that stays at a change stands once for each period.
            let periods = |level: &Level| {
                let count = (level.to_s - level.from_s) / period.every_s.value;
                (libm::round(count) as usize).clamp(1, MOST)
            };
            let delays: Vec<String> = base
                .levels
                .iter()
                .flat_map(|level| std::iter::repeat_n(level.delay_s.value, periods(level)))
                .take(MOST)
                .map(|delay_s| format!("\"{}ms\"", short((delay_s - least) * 500.0)))
                .collect();
            let value = format!(
                "{{ every = \"{}s\", delay = [{}] }}",
                short(period.every_s.value),
                delays.join(", ")
            );
            let comment = format!(
                "The base round trip changes every {}, by up to {} ms, half of it each way, from {}.",
                interval(period.every_s, "s"),
                short(most * 1e3),
                steps.from,
            );
            keys.key("steps", &value, &comment);
        }
        None => {
            let _ = writeln!(
                keys.0,
                "# steps: the base round trip changed {} times, by up to {} ms, at no regular times ({}); left out.",
                base.levels.len() - 1,
                short(most * 1e3),
                steps.from,
            );
        }
    }
}

fn jitter(keys: &mut Keys, jitter: &Property<Choice<JitterModel>>, values: &mut dyn Values) {
    let choice = match &jitter.known {
        Known::Told(choice) => choice,
        Known::Unknown(why) => {
            keys.unknown("jitter", why, "left out");
            return;
        }
    };
    let from = &jitter.from;
    let one_way = |keys: &mut Keys, value: &str, comment: String| {
        keys.key("jitter", value, &comment);
        keys.key(
            "reverse.jitter",
            "\"none\"",
            "The record does not tell which direction it is; it stands in one.",
        );
    };
    let spread = |estimate: &Estimate| interval(estimate.scaled(1e3), "ms");
    match choice.best() {
        JitterModel::None => {}
        JitterModel::UniformEachWay { width_s } => {
            let comment = format!("Each way: {}, from {from}.", spread(width_s));
            keys.key("jitter", &uniform(values.of(*width_s)), &comment);
        }
        JitterModel::Uniform { width_s } => {
            let comment = format!("{}, from {from}.", spread(width_s));
            one_way(keys, &uniform(values.of(*width_s)), comment);
        }
        JitterModel::ExponentialEachWay { mean_s } => {
            let comment = format!("Each way: mean {}, from {from}.", spread(mean_s));
            keys.key("jitter", &exponential(values.of(*mean_s)), &comment);
        }
        JitterModel::Exponential { mean_s } => {
            let comment = format!("Mean {}, from {from}.", spread(mean_s));
            one_way(keys, &exponential(values.of(*mean_s)), comment);
        }
        JitterModel::Gamma { shape, scale_s } => {
            let mean = shape.value * scale_s.value;
            let comment = format!(
                "A gamma distribution of shape {} and mean {} ms from {from}; half its mean each way as an exponential one.",
                short(shape.value),
                short(mean * 1e3)
            );
            keys.key("jitter", &exponential(mean / 2.0), &comment);
        }
    }
}

fn uniform(width_s: f64) -> String {
    format!("{{ uniform = [\"0ms\", {}] }}", ms(width_s))
}

fn exponential(mean_s: f64) -> String {
    format!("{{ exponential = {} }}", ms(mean_s))
}

fn queue(keys: &mut Keys, link: &Link, values: &mut dyn Values) {
    let packets = |bytes: f64| short_whole(bytes / link.packet);
    let choice = match &link.queue.known {
        Known::Told(choice) => choice,
        Known::Unknown(why) => {
            let held = libm::ceil(link.queued.unwrap_or(0.0) / link.packet);
            if held > USUAL_QUEUE {
                let comment = format!("The size cannot be told ({why}); it held as much as this.");
                keys.key("queue", &drop_tail(held), &comment);
            } else {
                keys.unknown("queue", why, "a scenario's default of 50 packets stands");
            }
            return;
        }
    };
    let also: Vec<&str> = choice.equals().skip(1).map(QueueModel::name).collect();
    let also = match &also[..] {
        [] => String::new(),
        names => format!(" It could as well be {}.", names.join(" or ")),
    };
    let from = &link.queue.from;
    match choice.best() {
        QueueModel::None => {}
        QueueModel::DropTail { bytes } => {
            let interval = interval(bytes.scaled(1.0 / link.packet), "packets");
            let comment = format!(
                "{interval} of {} bytes, from {from}.{also}",
                short(link.packet)
            );
            let value = packets(values.of(*bytes)).max(1);
            keys.key("queue", &drop_tail(value), &comment);
        }
        QueueModel::CoDel {
            target_s,
            interval_s,
        } => {
            let comment =
                format!("From {from}. One connection cannot tell CoDel from FQ-CoDel.{also}");
            let value = format!(
                "{{ codel = {{ target = {}, interval = {} }} }}",
                ms(*target_s),
                ms(*interval_s)
            );
            keys.key("queue", &value, &comment);
        }
        QueueModel::Pie { target_s } => {
            let value = format!("{{ pie = {{ target = {} }} }}", ms(*target_s));
            keys.key("queue", &value, &format!("From {from}.{also}"));
        }
        QueueModel::Red { min, max, max_p } => {
            let comment = format!(
                "From {from}; min {}, max {}. The limit was not seen.{also}",
                interval(min.scaled(1.0 / link.packet), "packets"),
                interval(max.scaled(1.0 / link.packet), "packets"),
            );
            let least = packets(min.value).max(1);
            let most = packets(max.value).max(least + 1);
            let value = format!(
                "{{ red = {{ limit = \"{} packets\", min = \"{least} packets\", max = \"{most} packets\", max_p = {} }} }}",
                2 * most,
                short(values.of(*max_p).clamp(0.0, 1.0)),
            );
            keys.key("queue", &value, &comment);
        }
    }
}

fn drop_tail(packets: impl Display) -> String {
    format!("{{ droptail = \"{packets} packets\" }}")
}

/// Value of a property that a record may show, and the record.
fn shown<T>(property: Option<&Property<T>>) -> Option<(&T, &str)> {
    let property = property?;
    Some((property.known.told()?, &property.from))
}

fn policer(keys: &mut Keys, link: &Link, values: &mut dyn Values) {
    let Some((found, from)) = shown(link.policer.as_ref()) else {
        return;
    };
    let comment = format!(
        "{}, {}, from {from}: losses at that rate without any delay.",
        interval(found.bps.scaled(1e-6), "Mb/s"),
        interval(found.burst.scaled(1e-3), "kB"),
    );
    let value = format!(
        "{{ rate = {}, burst = \"{}B\" }}",
        mbps(values.of(found.bps)),
        values.of(found.burst).max(1600.0) as u64
    );
    keys.key("policer", &value, &comment);
}

fn back(keys: &mut Keys, link: &Link, values: &mut dyn Values) {
    let Some((found, from)) = shown(link.back.as_ref()) else {
        return;
    };
    let comment = format!(
        "The way back: {}, by acknowledgements that waited behind each other, from {from}.",
        interval(found.bps.scaled(1e-3), "kb/s"),
    );
    keys.key("reverse.rate", &mbps(values.of(found.bps)), &comment);
    let comment = if found.is_full {
        "Its queue was full of acknowledgements again and again."
    } else {
        "The size cannot be told (it was never seen to be full); it held half of this."
    };
    let packets = found.packets * if found.is_full { 1 } else { 2 };
    keys.key("reverse.queue", &drop_tail(packets), comment);
}

fn losses(keys: &mut Keys, link: &Link, values: &mut dyn Values) {
    if let Some((found, from)) = shown(link.arq.as_ref()) {
        arq(keys, found, from, values);
        return;
    }
    let choice = match &link.losses.known {
        Known::Told(choice) => choice,
        Known::Unknown(why) => {
            keys.unknown("loss", why, "none is written");
            return;
        }
    };
    let from = &link.losses.from;
    match choice.best() {
        LossModel::None => {}
        LossModel::Independent { p } => {
            let comment = format!(
                "{}, each by itself, from {from}.",
                interval(p.scaled(100.0), "%")
            );
            keys.key("loss", &iid(values.of(*p).clamp(0.0, 1.0)), &comment);
        }
        LossModel::Bursts { to_bad, to_good } => {
            let comment = format!(
                "Bursts: one in {} packets, mean length {}, from {from}.",
                short(1.0 / to_bad.value),
                interval(
                    Estimate::new(1.0 / to_good.value, 1.0 / to_good.high, 1.0 / to_good.low),
                    "packets"
                ),
            );
            let value = format!(
                "{{ forward = {{ gilbert-elliott = {{ to_bad = {}, to_good = {} }} }} }}",
                short(values.of(*to_bad).clamp(0.0, 1.0)),
                short(values.of(*to_good).clamp(0.0, 1.0)),
            );
            keys.key("loss", &value, &comment);
        }
        LossModel::BurstsInTime { good_s, bad_s } => {
            let comment = format!(
                "Spells in which all is lost: {} long, {} apart, from {from}.",
                interval(bad_s.scaled(1e3), "ms"),
                interval(*good_s, "s"),
            );
            let value = format!(
                "{{ forward = {{ gilbert-elliott-time = {{ good = {}, bad = {} }} }} }}",
                ms(values.of(*good_s)),
                ms(values.of(*bad_s)),
            );
            keys.key("loss", &value, &comment);
        }
    }
}

fn arq(keys: &mut Keys, found: &Arq, from: &str, values: &mut dyn Values) {
    let comment = format!(
        "The link sends again what it loses, {} later, from {from}.",
        interval(found.round_trip_s.scaled(1e3), "ms"),
    );
    let value = format!(
        "{{ round_trip = {}, in_order = {} }}",
        ms(values.of(found.round_trip_s)),
        found.in_order.unwrap_or(true)
    );
    keys.key("arq", &value, &comment);
    let comment = format!(
        "A transmission fails with {}.",
        interval(found.p.scaled(100.0), "%")
    );
    keys.key("loss", &iid(values.of(found.p).clamp(0.0, 0.9)), &comment);
}

fn iid(p: f64) -> String {
    format!("{{ forward = {{ iid = {} }} }}", short(p))
}

fn outages(keys: &mut Keys, link: &Link) {
    let Some((found, from)) = shown(link.outages.as_ref()) else {
        return;
    };
    let count = found.all.len();
    let mean = found.all.iter().map(|o| o.to_s - o.from_s).sum::<f64>() / count.max(1) as f64;
    let value = if let Some(period) = found.every {
        format!(
            "{{ every = \"{}s\", start = \"{}s\", duration = {} }}",
            short(period.every_s.value),
            short(period.first_s.max(0.0)),
            ms(mean)
        )
    } else {
        let each: Vec<String> = found
            .all
            .iter()
            .take(MOST)
            .map(|outage| {
                let start = short(outage.from_s.max(0.0));
                let duration = ms(outage.to_s - outage.from_s);
                format!("{{ start = \"{start}s\", duration = {duration} }}")
            })
            .collect();
        format!("[{}]", each.join(", "))
    };
    let comment = format!(
        "{count} times nothing came back, for {} ms on average, from {from}.",
        short(mean * 1e3),
    );
    keys.key("blackouts", &value, &comment);
}

fn mbps(bps: f64) -> String {
    format!("\"{}Mbps\"", short(bps / 1e6))
}

fn ms(seconds: f64) -> String {
    format!("\"{}ms\"", short(seconds * 1e3))
}

/// An estimate with its interval and unit: "10 (9.95 to 10.1) Mb/s".
pub(crate) fn interval(estimate: Estimate, unit: &str) -> String {
    format!(
        "{} ({} to {}) {unit}",
        short(estimate.value),
        short(estimate.low),
        short(estimate.high)
    )
}

/// A number with four digits that count, no exponent and no zeros at its end.
pub(crate) fn short(x: f64) -> String {
    if !x.is_finite() || x == 0.0 {
        return "0".to_owned();
    }
    let magnitude = libm::floor(libm::log10(x.abs())) as i32;
    let decimals = usize::try_from(3 - magnitude).unwrap_or(0).min(9);
    let text = format!("{x:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

fn short_whole(x: f64) -> u64 {
    libm::round(x.max(0.0)) as u64
}
