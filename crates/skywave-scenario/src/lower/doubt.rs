//! Doubts about a scenario: what can be run, but is probably not meant.

use skywave_core::Time;
use skywave_core::link::LossConfig;

use crate::lower::channel::channel;
use crate::lower::dist::earliest;
use crate::lower::{Template, run_ends};
use crate::model::member::ChannelModel;
use crate::model::optional::PolicerModel;
use crate::model::station::MovesModel;
use crate::model::units::Duration;
use crate::model::{BlackoutModel, Dist, File, LinkModel, OneOrMany};
use crate::read::fault::Fault;
use crate::read::files::Shelf;
use crate::read::spanned::Spanned;

/// The doubts about one point, each at its place.
pub(crate) fn all(file: &File, template: &Template, files: &Shelf<'_>) -> Vec<Fault> {
    let end = Time::ZERO + file.run.duration.value.0;
    let late = directions(file).filter_map(|link| late(&link.delay, end));
    let policers = file
        .link
        .iter()
        .zip(&file.back)
        .filter_map(|(there, back)| {
            // Data may go either way.
            let packet = template.smallest_full_packet()?;
            narrow(back.policer.as_ref()?, packet)
                .and(narrow(there.value.policer.as_ref()?, packet))
        });
    let skipping = file.station.iter().filter_map(|station| {
        let moves = station.value.moves.as_ref()?;
        let MovesModel::Setdest(path) = &moves.value else {
            return None;
        };
        let skipped = files.skipped(path);
        (skipped > 0).then(|| {
            let commands = if skipped == 1 {
                "command that says nothing of movements was"
            } else {
                "commands that say nothing of movements were"
            };
            moves
                .fault(format!("{skipped} {commands} left out"))
                .label("in this file")
        })
    });
    let lossy = file.link.iter().filter_map(|link| {
        let loss = link.value.loss.as_ref()?;
        let back = loss.value.reverse.as_ref().map(|back| &back.value);
        let all_lost = loss.value.forward.iter().chain(back).any(loses_all);
        all_lost.then(|| {
            loss.fault("nothing arrives over this link, one way")
                .label("each packet is lost")
        })
    });
    let dark = directions(file).flat_map(|link| &link.blackouts);
    let dark = dark.flat_map(|models| models.value.as_slice());
    let dark = dark
        .filter_map(|blackout| locks(blackout, template, end).or_else(|| extreme(blackout, end)));
    let links = file.link.iter().zip(&file.back);
    let silent = links.filter_map(|(link, back)| outlasts(&link.value, back, template));
    late.chain(policers)
        .chain(skipping)
        .chain(lossy)
        .chain(dark)
        .chain(silent)
        .collect()
}

/// Whether some model of these loses each packet.
fn loses_all(models: &OneOrMany<Spanned<ChannelModel>>) -> bool {
    channel(models).is_ok_and(|models| models.iter().any(LossConfig::loses_all))
}

/// Blackouts that come as often as a sender tries again, or in a divisor of that time.
fn locks(blackout: &Spanned<BlackoutModel>, template: &Template, end: Time) -> Option<Fault> {
    let every = blackout.value.every?.0;
    let max_rto = template
        .longest_timeouts()
        .find(|rto| rto.as_nanos().is_multiple_of(every.as_nanos()) && Time::ZERO + *rto < end)?;
    Some(
        blackout
            .fault("a sender that tries again in one of these blackouts may do so in all others")
            .label(format!(
                "one each {}s, and its timeouts are {}s apart when they are backed off",
                every.as_secs_f64(),
                max_rto.as_secs_f64()
            ))
            .help("let `every` be no divisor of `max_rto`"),
    )
}

/// A blackout that lasts the whole run, or that the run does not come to.
fn extreme(blackout: &Spanned<BlackoutModel>, end: Time) -> Option<Fault> {
    let model = &blackout.value;
    let start = Time::ZERO
        + model
            .start
            .map(|start| start.0)
            .or(model.every.map(|e| e.0))?;
    let message = if start >= end {
        "this blackout begins after the run"
    } else if start == Time::ZERO && start + model.duration.0 >= end {
        "this blackout lasts the whole run"
    } else {
        return None;
    };
    Some(blackout.fault(message).label(run_ends(end)))
}

/// A link over which WTCP's answers come after it has given up.
fn outlasts(link: &LinkModel, back: &LinkModel, template: &Template) -> Option<Fault> {
    let there = earliest(&link.delay.value);
    let back = earliest(&back.delay.value);
    let round_trip = there.since(Time::ZERO) + back.since(Time::ZERO);
    let patience = template.shortest_patience()?;
    (round_trip >= patience).then(|| {
        link.delay
            .fault("WTCP gives up before an answer can come over this link")
            .label(format!(
                "there and back it takes {}s, and `wtcp.idle_timeout` is {}s",
                round_trip.as_secs_f64(),
                patience.as_secs_f64()
            ))
    })
}

/// Both directions of each link.
pub(super) fn directions(file: &File) -> impl Iterator<Item = &LinkModel> {
    let pairs = file.link.iter().zip(&file.back);
    pairs.flat_map(|(there, back)| [&there.value, back])
}

/// A policer through which no full packet passes of those that have at least `packet` bytes.
fn narrow(policer: &Spanned<PolicerModel>, packet: u32) -> Option<Fault> {
    let burst = policer.optional().ok()??.burst;
    (burst < u64::from(packet)).then(|| {
        policer
            .fault("no full packet can pass this policer")
            .label(format!(
                "`burst` is {burst} bytes, and full packets have {packet} or more"
            ))
    })
}

/// A delay after which the run is over.
fn late(delay: &Spanned<Dist<Duration>>, end: Time) -> Option<Fault> {
    (earliest(&delay.value) >= end).then(|| {
        delay
            .fault("nothing can arrive over this link before the run ends")
            .label(run_ends(end))
    })
}
