//! Data of other connections that a host sent while a transfer went on.

use super::bins::WIDTH_NS;
use super::read::Transfer;

/// Share of the bytes from which others count: with less, rates are hardly wrong.
const CONSIDERABLE: f64 = 0.05;

/// Data that a host sent while one of its transfers went on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Beside {
    /// Share of the payload that other connections carried.
    pub(crate) share: f64,
    /// Payload bits a second of all of them together.
    pub(crate) all_bps: f64,
}

impl Transfer {
    /// Other transfers of the same host, among those of one capture, that carried a considerable part of the bytes
    /// while this one went on; `None` if it had its path to itself.
    pub(crate) fn beside<'a>(&self, all: impl Iterator<Item = &'a Self>) -> Option<Beside> {
        let seconds = self.bins.span_s();
        let to_s = self.begins_s + seconds;
        let is_other =
            |other: &&Self| other.from.address == self.from.address && !std::ptr::eq(*other, self);
        let others: u64 = all
            .filter(is_other)
            .map(|other| other.delivered_between(self.begins_s, to_s))
            .sum();
        let sum = others as f64 + self.delivered as f64;
        let share = others as f64 / sum.max(1.0);
        (share >= CONSIDERABLE).then(|| Beside {
            share,
            all_bps: sum * 8.0 / seconds.max(WIDTH_NS as f64 / 1e9),
        })
    }

    /// Payload bytes that were acknowledged between two times of the capture, seconds.
    fn delivered_between(&self, from_s: f64, to_s: f64) -> u64 {
        let within = self.bins.iter().filter(|bin| {
            let at_s = self.begins_s + f64::from(bin.index) * WIDTH_NS as f64 / 1e9;
            (from_s..to_s).contains(&at_s)
        });
        within.map(|bin| u64::from(bin.delivered)).sum()
    }
}
