//! Follows each segment that is lost or sent again until it is acknowledged, and says then how each
//! loss was found.

use std::collections::BTreeMap;

use skywave_core::Time;
use skywave_core::tcp::limits::{Resend, Why};

use crate::losses::{Found, LossCause, LossTable};

/// The losses and retransmissions of one flow, and what became of those that are settled.
///
/// A loss was found by the first retransmission after it. That is settled when the segment is
/// acknowledged, because links may decide later than senders about the same moment, and hosts later
/// than links. (A needless second copy that is lost after the first was acknowledged is a loss of its
/// own, noticed by nobody.) Only losses and retransmissions cost memory or time.
#[derive(Debug)]
pub(crate) struct LossLedger {
    window: (Time, Time),
    /// By the segment's end, which never changes.
    open: BTreeMap<u64, History>,
    table: LossTable,
    spurious: u64,
}

/// What happened to one segment beyond being sent.
#[derive(Debug, Default)]
struct History {
    losses: Vec<(Time, LossCause)>,
    /// In order of time.
    resends: Vec<(Time, Why)>,
}

impl LossLedger {
    /// Counts losses from `window.0` (included) to `window.1` (not included).
    pub(crate) fn new(window: (Time, Time)) -> Self {
        Self {
            window,
            open: BTreeMap::new(),
            table: LossTable::default(),
            spurious: 0,
        }
    }

    /// A copy of the segment that ends at `end` is lost at `at`, which need not be now.
    pub(crate) fn lost(&mut self, at: Time, end: u64, cause: LossCause) {
        self.open.entry(end).or_default().losses.push((at, cause));
    }

    /// The sender sent a segment again.
    pub(crate) fn resent(&mut self, at: Time, resend: Resend) {
        let history = self.open.entry(resend.end).or_default();
        history.resends.push((at, resend.why));
    }

    /// Everything below `una` was acknowledged.
    #[inline]
    pub(crate) fn acknowledged(&mut self, una: u64) {
        while let Some(entry) = self.open.first_entry()
            && *entry.key() <= una
        {
            let history = entry.remove();
            self.settle(&history, Found::Unnoticed);
        }
    }

    /// The losses, and the segments sent again of which nothing had been lost since they were last
    /// sent; `una` is acknowledged at the end.
    pub(crate) fn finish(&mut self, una: u64) -> (LossTable, u64) {
        self.acknowledged(una);
        for history in std::mem::take(&mut self.open).into_values() {
            self.settle(&history, Found::Open);
        }
        (self.table, self.spurious)
    }

    /// Counts what happened to a segment; losses that no retransmission followed are `rest`.
    fn settle(&mut self, history: &History, rest: Found) {
        let History { losses, resends } = history;
        let finder = |lost: Time| resends.iter().position(|&(at, _)| at >= lost);
        for &(at, cause) in losses {
            let found = finder(at).map_or(rest, |i| resends[i].1.into());
            *self.table.count_mut(cause, found) += u64::from(self.counts(at));
        }
        for (i, &(at, _)) in resends.iter().enumerate() {
            let needed = losses.iter().any(|&(lost, _)| finder(lost) == Some(i));
            self.spurious += u64::from(!needed && self.counts(at));
        }
    }

    fn counts(&self, at: Time) -> bool {
        self.window.0 <= at && at < self.window.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use skywave_core::Duration;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    fn ledger() -> LossLedger {
        LossLedger::new((Time::ZERO, at(1000)))
    }

    fn resend(end: u64, why: Why) -> Resend {
        Resend { end, why }
    }

    /// What was counted, each cell that is not zero.
    fn cells(ledger: &mut LossLedger, una: u64) -> (Vec<(LossCause, Found, u64)>, u64) {
        let (table, spurious) = ledger.finish(una);
        let mut cells = Vec::new();
        for cause in LossCause::ALL {
            for found in Found::ALL {
                match table.count(cause, found) {
                    0 => {}
                    n => cells.push((cause, found, n)),
                }
            }
        }
        (cells, spurious)
    }

    #[test]
    fn a_loss_is_found_by_what_sends_it_again() {
        let mut l = ledger();
        l.lost(at(10), 100, LossCause::Queue);
        l.lost(at(11), 200, LossCause::Channel);
        l.resent(at(50), resend(100, Why::Dupacks));
        l.resent(at(90), resend(200, Why::PartialAck));
        l.acknowledged(300);
        let expected = vec![
            (LossCause::Queue, Found::Dupacks, 1),
            (LossCause::Channel, Found::PartialAck, 1),
        ];
        assert_eq!(cells(&mut l, 300), (expected, 0));
    }

    #[test]
    fn a_retransmission_that_is_lost_again_is_a_loss_of_its_own() {
        let mut l = ledger();
        l.lost(at(10), 100, LossCause::Queue);
        l.resent(at(50), resend(100, Why::Dupacks));
        l.lost(at(60), 100, LossCause::Blackout);
        l.resent(at(500), resend(100, Why::Timeout));
        let expected = vec![
            (LossCause::Queue, Found::Dupacks, 1),
            (LossCause::Blackout, Found::Timeout, 1),
        ];
        assert_eq!(cells(&mut l, 100), (expected, 0));
    }

    #[test]
    fn what_nobody_found_is_unnoticed_if_it_arrived_and_open_if_not() {
        let mut l = ledger();
        l.lost(at(10), 100, LossCause::Corruption);
        l.lost(at(10), 200, LossCause::Early);
        l.lost(at(10), 300, LossCause::Early);
        l.resent(at(20), resend(200, Why::GoBackN));
        let expected = vec![
            (LossCause::Early, Found::Unnoticed, 1),
            (LossCause::Early, Found::Open, 1),
            (LossCause::Corruption, Found::Unnoticed, 1),
        ];
        assert_eq!(cells(&mut l, 250), (expected, 0));
    }

    #[test]
    fn sent_again_before_anything_is_lost_is_spurious() {
        let mut l = ledger();
        // The first copy is on its way to a full queue when the timer expires.
        l.lost(at(60), 100, LossCause::Queue);
        l.resent(at(50), resend(100, Why::Timeout));
        let expected = vec![(LossCause::Queue, Found::Unnoticed, 1)];
        assert_eq!(cells(&mut l, 100), (expected, 1));
    }

    #[test]
    fn the_order_in_which_links_and_sender_tell_does_not_matter() {
        let mut l = ledger();
        l.resent(at(50), resend(100, Why::Timeout));
        l.resent(at(150), resend(100, Why::Timeout));
        l.lost(at(90), 100, LossCause::Queue);
        l.lost(at(40), 100, LossCause::Channel);
        l.acknowledged(100);
        let expected = vec![
            (LossCause::Queue, Found::Timeout, 1),
            (LossCause::Channel, Found::Timeout, 1),
        ];
        assert_eq!(cells(&mut l, 100), (expected, 0));
    }

    #[test]
    fn losses_count_by_the_time_of_the_loss() {
        let mut l = LossLedger::new((at(10), at(20)));
        for time in [9, 10, 19, 20] {
            l.lost(at(time), time, LossCause::Channel);
            l.resent(at(30), resend(time, Why::Sack));
        }
        l.resent(at(15), resend(500, Why::Sack));
        l.resent(at(25), resend(600, Why::Sack));
        let expected = vec![(LossCause::Channel, Found::Sack, 2)];
        assert_eq!(cells(&mut l, 500), (expected, 1));
    }
}
