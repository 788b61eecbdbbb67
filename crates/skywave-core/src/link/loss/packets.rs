//! Losses of packets that are named.

use super::{LossModel, Streams};
use crate::parameter::{Configuration, Described, Field, Kind};
use crate::time::Time;

/// Loss model that loses exactly the packets whose numbers are in a list, counted from 1 in order of arrival.
#[derive(Clone, Debug)]
pub struct Packets {
    /// Rising.
    numbers: Box<[u64]>,
    next: usize,
    seen: u64,
}

impl Configuration for Vec<u64> {
    const DEFAULT: Vec<u64> = Vec::new();
    const FIELDS: &'static [Field<Vec<u64>>] = &[Field::whole(
        Kind::Counts,
        "numbers",
        "Numbers of packets, in order of arrival",
    )];
}

impl Described for Packets {
    type Config = Vec<u64>;
    const NAME: &'static str = "packets";
    const SUMMARY: &'static str = "Exactly these packets are lost, counted from 1.";
}

impl LossModel for Packets {
    fn build(numbers: &Vec<u64>, _streams: Streams) -> Self {
        let mut numbers = numbers.clone();
        numbers.sort_unstable();
        Self {
            numbers: numbers.into(),
            next: 0,
            seen: 0,
        }
    }

    fn loses(&mut self, _now: Time, _size: u32) -> bool {
        self.seen += 1;
        while let Some(&number) = self.numbers.get(self.next)
            && number < self.seen
        {
            self.next += 1;
        }
        self.numbers.get(self.next) == Some(&self.seen)
    }
}
