//! What can be run and is probably not meant.

use skywave_core::Time;

use crate::lower::Template;
use crate::lower::flow::earliest;
use crate::model::policer::PolicerModel;
use crate::model::queue::QueueModel;
use crate::model::units::Duration;
use crate::model::{Dist, File};
use crate::read::fault::Fault;
use crate::read::spanned::Spanned;

/// The doubts about one point, each at its place.
pub(crate) fn all(file: &File, template: &Template) -> Vec<Fault> {
    let end = Time::ZERO + file.run.duration.value.0;
    let delays = file.link.iter().flat_map(|link| {
        let back = link.value.reverse.as_ref();
        let back = back.and_then(|reverse| reverse.value.delay.as_ref());
        std::iter::once(&link.value.delay).chain(back)
    });
    let late = delays.filter_map(|delay| late(delay, end));
    let policers = file.link.iter().filter_map(|link| {
        let policer = link.value.policer.as_ref()?;
        let segment = template.smallest_segment()?;
        let both_ways = link.value.reverse.is_none();
        both_ways.then(|| narrow(policer, segment)).flatten()
    });
    late.chain(policers).collect()
}

/// The queues that are told to mark, for a file in which no flow uses ECN at any point.
pub(crate) fn marks_nobody(file: &File) -> Vec<Fault> {
    let queues = file.link.iter().flat_map(|link| {
        let back = link.value.reverse.as_ref();
        let back = back.and_then(|reverse| reverse.value.queue.as_ref());
        link.value.queue.iter().chain(back)
    });
    let marks = |queue: &&Spanned<QueueModel>| match queue.value {
        QueueModel::Red(red) => red.ecn == Some(true),
        QueueModel::Codel(codel) => codel.ecn == Some(true),
        QueueModel::FqCodel(codel) => codel.ecn == Some(true),
        QueueModel::Pie(pie) => pie.ecn == Some(true),
        QueueModel::Step(_) => true,
        // The second one has a use without ECN, too.
        QueueModel::Droptail(_) | QueueModel::DualPi2(_) => false,
    };
    let doubt = |queue: &Spanned<QueueModel>| {
        Fault::new(
            queue.span.clone(),
            "this queue marks no packet, as no flow uses ECN",
        )
        .label("told to mark")
        .help("give a flow tcp = { ecn = true }, or a transport that needs it, as \"dctcp\"")
    };
    queues.filter(marks).map(doubt).collect()
}

/// A policer through which no full segment of any flow passes.
fn narrow(policer: &Spanned<PolicerModel>, segment: u32) -> Option<Fault> {
    let PolicerModel::Settings(settings) = policer.value else {
        return None;
    };
    (settings.burst.0 < u64::from(segment)).then(|| {
        Fault::new(
            policer.span.clone(),
            "no full segment can pass this policer",
        )
        .label(format!(
            "the smallest one has {segment} bytes of payload, and `burst` is {}",
            settings.burst.0
        ))
    })
}

/// A delay after which the run is over.
fn late(delay: &Spanned<Dist<Duration>>, end: Time) -> Option<Fault> {
    (earliest(delay.value) >= end).then(|| {
        Fault::new(
            delay.span.clone(),
            "nothing can arrive over this link before the run ends",
        )
        .label(format!("the run ends at {}s", end.as_secs_f64()))
    })
}
