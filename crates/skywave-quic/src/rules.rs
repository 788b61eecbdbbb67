//! For fuzzers and property tests: rules that must hold whatever a peer says.

use std::time::Instant;

use crate::one_way::{Departures, Ear, MOST_TOLD, Report};

/// Reads bytes as a [`Report`] of arrivals and, if they are one, checks rules that hold for all: bounded length, and
/// the same bytes when written again. For fuzzers.
///
/// # Panics
/// When a rule is broken.
pub fn report(bytes: &[u8]) {
    let Some(report) = Report::read(bytes) else {
        return;
    };
    assert!(report.arrivals().count() <= MOST_TOLD);
    let (now, mut departures) = (Instant::now(), Departures::default());
    let ear = Ear::new(now);
    for (tag, us) in report.arrivals() {
        departures.note(tag, now);
        assert_eq!(departures.take(tag, now), Some(now));
        ear.hear(now, us);
    }
    assert_eq!(report.into_bytes(), bytes);
}
