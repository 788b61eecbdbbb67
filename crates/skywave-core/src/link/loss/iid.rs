//! Independent losses.

use super::{LossModel, Streams};
use crate::parameter::{Described, Field, Kind};
use crate::rng::Stream;
use crate::time::Time;

/// Loss model that loses each packet independently, with the same probability.
#[derive(Clone, Debug)]
pub struct Iid {
    p: f64,
    losses: Stream,
}

impl Described for Iid {
    type Config = f64;
    const NAME: &'static str = "iid";
    const SUMMARY: &'static str = "Each packet is lost with this probability, independently.";
    const DEFAULT: f64 = 0.0;
    const FIELDS: &'static [Field<f64>] =
        &[Field::whole(Kind::Probability, "p", "Loss probability")];
}

impl LossModel for Iid {
    fn build(p: &f64, Streams { losses, .. }: Streams) -> Self {
        Self { p: *p, losses }
    }

    fn loses(&mut self, _now: Time, _size: u32) -> bool {
        self.losses.chance(self.p)
    }

    fn loses_all(p: &f64) -> bool {
        *p >= 1.0
    }
}
