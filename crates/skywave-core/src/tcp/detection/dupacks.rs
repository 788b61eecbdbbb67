//! A fixed number of duplicate ACKs (RFC 5681 section 3.2).

use super::{DetectionEvent, Detector, Facts, LossDetector};
use crate::tcp::slot::{BuiltIn, Field, Kind, Setup};

/// Loss detector that counts duplicate ACKs: the oldest unacknowledged segment is lost when this many have come in a
/// row.
#[derive(Clone, Copy, Debug)]
pub struct Dupacks(pub u32);

impl BuiltIn for Dupacks {
    type Config = u32;
    type State = Self;
    const NAME: &'static str = "dupacks";
    const SUMMARY: &'static str = "a fixed number of duplicate ACKs (3)";
    const SOURCE: &'static str = "RFC 5681 section 3.2";
    const DEFAULT: u32 = 3;
    const FIELDS: &'static [Field<u32>] = &[Field::new(
        Kind::Count,
        "threshold",
        "The number of duplicate ACKs",
        |n: &mut u32| n,
    )
    .alone()];

    fn build(threshold: &u32, _setup: &Setup) -> Self {
        Self(*threshold)
    }
}

impl Detector for Dupacks {}

impl LossDetector for Dupacks {
    fn facts(&self) -> Facts {
        Facts {
            only_counts: true,
            ignores_new_acks: true,
            ..Facts::default()
        }
    }

    fn on_dupack(&mut self, event: &DetectionEvent) -> bool {
        event.dupacks == self.0
    }

    fn threshold(&self) -> u32 {
        self.0
    }
}
