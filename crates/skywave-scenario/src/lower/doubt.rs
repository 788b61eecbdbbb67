//! What can be run and is probably not meant.

use skywave_core::Time;

use crate::lower::flow::earliest;
use crate::model::units::Duration;
use crate::model::{Dist, File};
use crate::read::fault::Fault;
use crate::read::spanned::Spanned;

/// The doubts about one point, each at its place.
pub(crate) fn all(file: &File) -> Vec<Fault> {
    let end = Time::ZERO + file.run.duration.value.0;
    file.link
        .iter()
        .flat_map(|link| {
            let back = link.value.reverse.as_ref();
            let back = back.and_then(|reverse| reverse.value.delay.as_ref());
            std::iter::once(&link.value.delay).chain(back)
        })
        .filter_map(|delay| late(delay, end))
        .collect()
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
