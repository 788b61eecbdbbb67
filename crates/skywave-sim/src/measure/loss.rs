//! Follows each segment that is lost or sent again until it is acknowledged, and says then how each
//! loss was found.

use skywave_core::{Duration, Time};

use super::ArrivalMeter;
use crate::losses::{Found, LossCause};
use crate::outcome::FlowOutcome;

/// For so long what is acknowledged is kept: longer than a needless copy is likely to be on its way. One
/// that is lost later counts as a loss that nobody noticed.
const HOLD: Duration = Duration::from_secs(10);

/// The losses and retransmissions of one flow, and what became of those that are settled.
///
/// A loss was found by the first retransmission after it. That is settled some time after the segment
/// was acknowledged, because links may decide later than senders about the same moment, and hosts later
/// than links. Only losses and retransmissions cost memory or time.
///
/// What every packet touches comes first.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct LossLedger {
    arrivals: Option<Box<ArrivalMeter>>,
    /// The smallest end in `open`: most ACKs settle nothing, and need not look there.
    first: u64,
    /// What lies below is acknowledged, and is settled at `due`; 0 while nothing waits for that.
    held: u64,
    due: Time,
    window: (Time, Time),
    /// What is not settled; sorted when it is.
    open: Vec<Entry>,
    /// What is: few of all pairs of a cause and a way to be found occur in one flow.
    settled: Vec<(LossCause, Found, u64)>,
    spurious: u64,
    burst: Option<Box<Burst>>,
    multi_loss_windows: u64,
    multi_loss_timeouts: u64,
}

/// Segments lost in one window of data: before the first of them was sent again.
#[derive(Debug)]
struct Burst {
    first: Time,
    /// When the first of them was sent again.
    until: Time,
    losses: u32,
    /// The retransmission timer found one of them.
    timeout: bool,
}

/// What happened to a segment beyond being sent, and when. A flow may keep hundreds of these, so they are
/// two words each.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The segment's end, which never changes, and in the lowest [`CODE_BITS`] the code of a [`What`].
    segment: u64,
    at: Time,
}

/// Bits of an [`Entry`] for what happened. A connection has less than 2^59 bytes.
const CODE_BITS: u32 = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Lost(LossCause),
    Resent(Found),
    /// It was sent for the first time; noted only when it arrives.
    FirstSent,
    /// A copy first reached the receiver.
    Arrived,
}

/// Codes below this are those of [`What::Lost`].
const RESENT: usize = LossCause::ALL.len();
/// Codes from [`RESENT`] up to this are those of [`What::Resent`].
const FIRST_SENT: usize = RESENT + Found::ALL.len();
const ARRIVED: usize = FIRST_SENT + 1;
const _: () = assert!(ARRIVED < 1 << CODE_BITS);

impl Entry {
    fn new(at: Time, end: u64, what: What) -> Self {
        let code = match what {
            What::Lost(cause) => cause as usize,
            What::Resent(found) => RESENT + found as usize,
            What::FirstSent => FIRST_SENT,
            What::Arrived => ARRIVED,
        };
        debug_assert!(end >> (u64::BITS - CODE_BITS) == 0, "{end}");
        Self {
            segment: end << CODE_BITS | code as u64,
            at,
        }
    }

    fn end(self) -> u64 {
        self.segment >> CODE_BITS
    }

    fn what(self) -> What {
        match self.segment as usize % (1 << CODE_BITS) {
            code @ ..RESENT => What::Lost(LossCause::ALL[code]),
            code @ RESENT..FIRST_SENT => What::Resent(Found::ALL[code - RESENT]),
            FIRST_SENT => What::FirstSent,
            _ => What::Arrived,
        }
    }
}

/// All entries of one segment, in order of time.
#[derive(Clone, Copy)]
struct History<'a>(&'a [Entry]);

impl<'a> History<'a> {
    fn losses(self) -> impl Iterator<Item = (Time, LossCause)> + 'a {
        self.0.iter().filter_map(|entry| match entry.what() {
            What::Lost(cause) => Some((entry.at, cause)),
            _ => None,
        })
    }

    fn resends(self) -> impl Iterator<Item = Resend> + 'a {
        let resends = self.0.iter().filter_map(|entry| match entry.what() {
            What::Resent(found) => Some((entry.at, found)),
            _ => None,
        });
        let numbered = resends.enumerate();
        numbered.map(|(number, (at, found))| Resend { number, at, found })
    }

    /// When it was first sent and when a copy first reached the receiver, if that is measured.
    fn arrival(self) -> Option<(Time, Time)> {
        let latest = |what| {
            let mut entries = self.0.iter().rev();
            entries.find(|entry| entry.what() == what).map(|e| e.at)
        };
        latest(What::FirstSent).zip(latest(What::Arrived))
    }

    /// The first resend after `lost`: one of the same moment is itself what was lost, on its first link.
    fn finder(self, lost: Time) -> Option<Resend> {
        self.resends().find(|resend| resend.at > lost)
    }

    fn first_lost(self) -> Option<Time> {
        self.losses().next().map(|(at, _)| at)
    }

    /// It was lost and then sent again because of that, by `now`.
    fn was_repaired(self, now: Time) -> bool {
        let found = self.first_lost().and_then(|lost| self.finder(lost));
        found.is_some_and(|resend| resend.at <= now)
    }
}

/// A retransmission of a segment, and its number among them.
#[derive(Clone, Copy, PartialEq)]
struct Resend {
    number: usize,
    at: Time,
    found: Found,
}

impl LossLedger {
    /// Counts losses from `window.0` (included) to `window.1` (not included), and on request how long
    /// segments take to arrive.
    pub(crate) fn new(window: (Time, Time), arrivals: bool) -> Self {
        Self {
            window,
            open: Vec::new(),
            first: u64::MAX,
            held: 0,
            due: Time::ZERO,
            settled: Vec::new(),
            spurious: 0,
            burst: None,
            multi_loss_windows: 0,
            multi_loss_timeouts: 0,
            arrivals: arrivals.then(|| Box::new(ArrivalMeter::new(window))),
        }
    }

    /// Where that part ends which every packet touches.
    pub(crate) const HOT: usize = std::mem::offset_of!(Self, window);

    /// [`Self::arrived`] is to be told.
    #[inline(always)]
    pub(crate) fn wants_arrivals(&self) -> bool {
        self.arrivals.is_some()
    }

    /// The segment that ends at `end` and was first sent at `first_sent` first reaches the receiver.
    pub(crate) fn arrived(&mut self, now: Time, end: u64, first_sent: Time) {
        self.note(first_sent, end, What::FirstSent);
        self.note(now, end, What::Arrived);
    }

    /// A copy of the segment that ends at `end` is lost at `at`, which need not be now.
    pub(crate) fn lost(&mut self, at: Time, end: u64, cause: LossCause) {
        self.note(at, end, What::Lost(cause));
    }

    /// The segment that ends at `end` was sent again at `at`, which need not be now.
    pub(crate) fn resent(&mut self, at: Time, end: u64, found: Found) {
        self.note(at, end, What::Resent(found));
    }

    fn note(&mut self, at: Time, end: u64, what: What) {
        self.first = self.first.min(end);
        grow(&mut self.open);
        self.open.push(Entry::new(at, end, what));
    }

    /// Everything below `una` is acknowledged `now`.
    #[inline(always)]
    pub(crate) fn acknowledged(&mut self, now: Time, una: u64) {
        if una >= self.first && now >= self.due {
            self.settle_held(now, una);
        }
    }

    #[inline(never)]
    fn settle_held(&mut self, now: Time, una: u64) {
        self.settle_below(self.held);
        // What was acknowledged since is next, if anything of it is open.
        (self.held, self.due) = if una >= self.first {
            (una, now + HOLD)
        } else {
            (0, Time::ZERO)
        };
    }

    fn settle_below(&mut self, una: u64) {
        let mut open = std::mem::take(&mut self.open);
        open.sort_by_key(|entry| (entry.end(), entry.at));
        let below = open.partition_point(|entry| entry.end() <= una);
        self.settle_all(&open[..below], Found::Unnoticed);
        open.drain(..below);
        open.shrink_to(2 * open.len());
        self.first = open.first().map_or(u64::MAX, |entry| entry.end());
        self.open = open;
    }

    fn settle_all(&mut self, sorted: &[Entry], rest: Found) {
        for history in sorted.chunk_by(|a, b| a.end() == b.end()) {
            self.settle(History(history), rest);
        }
    }

    /// Reports the losses, and the segments sent again of which nothing had been lost since they were
    /// last sent; `una` is acknowledged at the end.
    pub(crate) fn finish(&mut self, una: u64, outcome: &mut FlowOutcome) {
        self.settle_below(una);
        let open = std::mem::take(&mut self.open);
        self.settle_all(&open, Found::Open);
        self.end_burst();
        for (cause, found, losses) in self.settled.drain(..) {
            *outcome.losses.count_mut(cause, found) += losses;
        }
        outcome.spurious_retransmits = self.spurious;
        outcome.multi_loss_windows = self.multi_loss_windows;
        outcome.multi_loss_timeouts = self.multi_loss_timeouts;
        if let Some(arrivals) = &self.arrivals {
            arrivals.report(outcome);
        }
    }

    /// Counts what happened to a segment; losses that no retransmission followed are `rest`.
    fn settle(&mut self, history: History, rest: Found) {
        for (at, cause) in history.losses() {
            let found = history.finder(at).map_or(rest, |resend| resend.found);
            if self.counts(at) {
                self.count(cause, found);
            }
        }
        if let Some(lost) = history.first_lost() {
            let resend = history.finder(lost);
            // A needless copy is of no window: another had arrived.
            if resend.is_some() || rest == Found::Open {
                self.add_to_burst(lost, resend);
            }
        }
        for resend in history.resends().filter(|r| r.found != Found::Agent) {
            let mut losses = history.losses();
            let needed = losses.any(|(lost, _)| history.finder(lost) == Some(resend));
            self.spurious += u64::from(!needed && self.counts(resend.at));
        }
        if let (Some((first_sent, at)), Some(meter)) = (history.arrival(), &mut self.arrivals) {
            meter.record(at, first_sent, history.was_repaired(at));
        }
    }

    /// Counts a loss.
    fn count(&mut self, cause: LossCause, found: Found) {
        let mut known = self.settled.iter_mut();
        match known.find(|known| (known.0, known.1) == (cause, found)) {
            Some((.., losses)) => *losses += 1,
            None => self.settled.push((cause, found, 1)),
        }
    }

    /// The next segment in order was first lost at `lost`, and then sent again so.
    fn add_to_burst(&mut self, lost: Time, resend: Option<Resend>) {
        let timeout = resend.is_some_and(|resend| resend.found == Found::Timeout);
        if let Some(burst) = &mut self.burst
            && burst.first <= lost
            && lost < burst.until
        {
            burst.losses += 1;
            burst.timeout |= timeout;
            return;
        }
        self.end_burst();
        self.burst = Some(Box::new(Burst {
            first: lost,
            until: resend.map_or(lost, |resend| resend.at),
            losses: 1,
            timeout,
        }));
    }

    fn end_burst(&mut self) {
        if let Some(burst) = self.burst.take()
            && burst.losses > 1
            && self.counts(burst.first)
        {
            self.multi_loss_windows += 1;
            self.multi_loss_timeouts += u64::from(burst.timeout);
        }
    }

    fn counts(&self, at: Time) -> bool {
        self.window.0 <= at && at < self.window.1
    }
}

/// Makes room for one more entry. A list that doubles would lie half empty in many flows.
fn grow(open: &mut Vec<Entry>) {
    if open.len() == open.capacity() {
        open.reserve_exact(open.len() / 4 + 4);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    fn ledger() -> LossLedger {
        LossLedger::new((Time::ZERO, at(1000)), true)
    }

    /// What was counted, each cell that is not zero.
    fn cells(ledger: &mut LossLedger, una: u64) -> (Vec<(LossCause, Found, u64)>, u64) {
        let mut outcome = FlowOutcome::default();
        ledger.finish(una, &mut outcome);
        let (table, spurious) = (outcome.losses, outcome.spurious_retransmits);
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
    fn what_happened_is_kept_beside_the_end_of_the_segment() {
        let lost = LossCause::ALL.map(What::Lost);
        let resent = Found::ALL.map(What::Resent);
        let both = lost.into_iter().chain(resent);
        for what in both.chain([What::FirstSent, What::Arrived]) {
            for end in [0, 1, (1 << 59) - 1] {
                let entry = Entry::new(at(10), end, what);
                assert_eq!((entry.end(), entry.what()), (end, what));
            }
        }
    }

    #[test]
    fn a_loss_is_found_by_what_sends_it_again() {
        let mut l = ledger();
        l.lost(at(10), 100, LossCause::Queue);
        l.lost(at(11), 200, LossCause::Channel);
        l.resent(at(50), 100, Found::Dupacks);
        l.resent(at(90), 200, Found::PartialAck);
        l.acknowledged(at(95), 300);
        let expected = vec![
            (LossCause::Queue, Found::Dupacks, 1),
            (LossCause::Channel, Found::PartialAck, 1),
        ];
        assert_eq!(cells(&mut l, 300), (expected, 0));
    }

    #[test]
    fn an_agent_finds_a_loss_first_and_what_the_sender_sends_after_it_is_needless() {
        let mut l = ledger();
        l.resent(at(300), 100, Found::Timeout);
        // The agent decides later about an earlier moment.
        l.resent(at(50), 100, Found::Agent);
        l.lost(at(10), 100, LossCause::Channel);
        // What an agent sends needlessly is not the sender's doing.
        l.resent(at(60), 200, Found::Agent);
        let expected = vec![(LossCause::Channel, Found::Agent, 1)];
        assert_eq!(cells(&mut l, 300), (expected, 1));
    }

    #[test]
    fn a_retransmission_that_is_lost_again_is_a_loss_of_its_own() {
        let mut l = ledger();
        l.lost(at(10), 100, LossCause::Queue);
        l.resent(at(50), 100, Found::Dupacks);
        l.lost(at(60), 100, LossCause::Blackout);
        l.resent(at(500), 100, Found::Timeout);
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
        l.resent(at(20), 200, Found::Unnoticed);
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
        l.resent(at(50), 100, Found::Timeout);
        let expected = vec![(LossCause::Queue, Found::Unnoticed, 1)];
        assert_eq!(cells(&mut l, 100), (expected, 1));
    }

    #[test]
    fn the_order_in_which_links_and_sender_tell_does_not_matter() {
        let mut l = ledger();
        l.resent(at(50), 100, Found::Timeout);
        l.resent(at(150), 100, Found::Timeout);
        l.lost(at(90), 100, LossCause::Queue);
        l.lost(at(40), 100, LossCause::Channel);
        l.acknowledged(at(200), 100);
        let expected = vec![
            (LossCause::Queue, Found::Timeout, 1),
            (LossCause::Channel, Found::Timeout, 1),
        ];
        assert_eq!(cells(&mut l, 100), (expected, 0));
    }

    #[test]
    fn losses_count_by_the_time_of_the_loss() {
        let mut l = LossLedger::new((at(10), at(20)), false);
        for time in [9, 10, 19, 20] {
            l.lost(at(time), time, LossCause::Channel);
            l.resent(at(30), time, Found::Sack);
        }
        l.resent(at(15), 500, Found::Sack);
        l.resent(at(25), 600, Found::Sack);
        let expected = vec![(LossCause::Channel, Found::Sack, 2)];
        assert_eq!(cells(&mut l, 500), (expected, 1));
    }

    /// Windows with several losses, and those of them with a timeout.
    fn bursts(ledger: &mut LossLedger) -> (u64, u64) {
        let mut outcome = FlowOutcome::default();
        ledger.finish(u64::MAX, &mut outcome);
        (outcome.multi_loss_windows, outcome.multi_loss_timeouts)
    }

    #[test]
    fn losses_before_the_first_is_found_are_of_one_window() {
        let two = |second: Found| {
            let mut l = ledger();
            l.lost(at(10), 100, LossCause::Channel);
            l.lost(at(15), 300, LossCause::Channel);
            l.resent(at(50), 100, Found::Dupacks);
            l.resent(at(400), 300, second);
            l
        };
        assert_eq!(bursts(&mut two(Found::Timeout)), (1, 1)); // as Reno
        assert_eq!(bursts(&mut two(Found::Unnoticed)), (1, 0)); // as Tahoe
    }

    #[test]
    fn a_loss_after_the_first_was_found_begins_another_window() {
        let mut l = ledger();
        l.lost(at(10), 100, LossCause::Channel);
        l.resent(at(50), 100, Found::Dupacks);
        // The retransmission is lost too, and two segments of the next window.
        l.lost(at(60), 100, LossCause::Channel);
        l.resent(at(500), 100, Found::Timeout);
        l.lost(at(55), 700, LossCause::Channel);
        l.resent(at(90), 700, Found::Dupacks);
        l.lost(at(70), 900, LossCause::Channel);
        l.resent(at(95), 900, Found::PartialAck);
        assert_eq!(bursts(&mut l), (1, 0));
    }

    #[test]
    fn one_loss_is_no_burst_and_windows_count_by_their_first_loss() {
        let mut l = LossLedger::new((at(20), at(100)), false);
        l.lost(at(30), 50, LossCause::Channel);
        l.resent(at(35), 50, Found::Dupacks);
        assert_eq!(bursts(&mut l), (0, 0));
        l.lost(at(10), 100, LossCause::Channel);
        l.lost(at(30), 200, LossCause::Channel);
        l.resent(at(40), 100, Found::Dupacks);
        assert_eq!(bursts(&mut l), (0, 0));
    }

    #[test]
    fn what_was_acknowledged_is_forgotten_after_a_while() {
        let mut l = ledger();
        for n in 1..=1000 {
            l.resent(at(n * 100), n, Found::Timeout);
            l.acknowledged(at(n * 100), n);
            assert!(l.open.len() <= 201, "{}", l.open.len());
        }
        l.acknowledged(at(120_000), 1000);
        l.acknowledged(at(140_000), 1000);
        assert_eq!(l.open.len(), 0);
    }

    #[test]
    fn a_copy_lost_before_the_ack_and_told_after_it_was_found_all_the_same() {
        let mut l = ledger();
        l.resent(at(50), 100, Found::Timeout);
        l.resent(at(81), 100, Found::Detector);
        l.acknowledged(at(82), 100);
        l.lost(at(80), 100, LossCause::Channel);
        let expected = vec![(LossCause::Channel, Found::Detector, 1)];
        assert_eq!(cells(&mut l, 100), (expected, 1));
    }

    #[test]
    fn a_copy_lost_as_soon_as_it_is_sent_is_found_by_the_next() {
        let mut l = ledger();
        l.lost(at(10), 100, LossCause::Channel);
        l.resent(at(50), 100, Found::Dupacks);
        l.lost(at(50), 100, LossCause::Channel);
        l.resent(at(90), 100, Found::Timeout);
        let expected = vec![
            (LossCause::Channel, Found::Dupacks, 1),
            (LossCause::Channel, Found::Timeout, 1),
        ];
        assert_eq!(cells(&mut l, 100), (expected, 0));
    }

    #[test]
    fn a_needless_copy_that_is_lost_is_of_no_window() {
        // A link that looks ahead tells of the needless copy of 100 before the ACK, another after it.
        let told = |before: bool| {
            let mut l = ledger();
            l.resent(at(50), 100, Found::Timeout);
            l.lost(at(60), 300, LossCause::Channel);
            if before {
                l.lost(at(80), 100, LossCause::Channel);
            }
            l.acknowledged(at(70), 100);
            if !before {
                l.lost(at(80), 100, LossCause::Channel);
            }
            l.lost(at(75), 500, LossCause::Channel);
            l.resent(at(90), 300, Found::Dupacks);
            l.resent(at(95), 500, Found::PartialAck);
            l
        };
        for before in [true, false] {
            assert_eq!(bursts(&mut told(before)), (1, 0));
            let expected = vec![
                (LossCause::Channel, Found::Dupacks, 1),
                (LossCause::Channel, Found::PartialAck, 1),
                (LossCause::Channel, Found::Unnoticed, 1),
            ];
            assert_eq!(cells(&mut told(before), 500), (expected, 1));
        }
    }

    #[test]
    fn a_segment_arrives_repaired_if_it_is_sent_again_after_its_loss_before_that() {
        let (first, repaired) = (Some(0.09), (None, Some(0.09)));
        for (resent, expected) in [(5, (first, None)), (50, repaired), (91, (first, None))] {
            for told_late in [true, false] {
                let mut l = ledger();
                l.lost(at(10), 100, LossCause::Channel);
                if told_late {
                    l.arrived(at(90), 100, at(0));
                }
                l.resent(at(resent), 100, Found::Timeout);
                if !told_late {
                    l.arrived(at(90), 100, at(0));
                }
                let mut outcome = FlowOutcome::default();
                l.acknowledged(at(200), 100);
                l.finish(100, &mut outcome);
                // Quantiles are of bins of about a percent.
                let p50 = outcome
                    .arrival_p50_s
                    .map(|p50| (p50 * 100.0).round() / 100.0);
                assert_eq!((p50, outcome.retx_arrival_mean_s), expected, "{resent}");
            }
        }
    }
}
