//! Follows each segment that is lost or sent again until it is acknowledged, and says then how each
//! loss was found.
//!
//! Only the simulator knows why a packet was lost. So this record keeps drops and retransmissions of all
//! transports, and settles each when its segment is acknowledged.

mod entries;

use skywave_core::{Duration, Time};

use super::{ArrivalMeter, is_within};
use crate::losses::{Found, LossCause, LossTable};
use crate::outcome::FlowOutcome;

use entries::Entries;

/// Time for which an acknowledged segment is kept while copies of it may still be on their way. A copy
/// that is lost later counts as a loss that nobody noticed.
const HOLD: Duration = Duration::from_secs(10);

/// The losses and retransmissions of one flow, and what became of those that are settled.
///
/// A loss was found by the first retransmission after it. That is settled when the segment is
/// acknowledged and, but for the copy that arrived, each copy is known to be lost. If another copy may
/// still be on its way, it is settled [`HOLD`] later; so are the segments after it, as windows with several
/// losses are counted in the order of the segments. Only losses and retransmissions cost memory or time.
///
/// The fields that every packet touches come first.
#[derive(Debug, Default)]
#[repr(C)]
pub(crate) struct LossLedger {
    arrivals: Option<Box<ArrivalMeter>>,
    /// The smallest end in `open`: most ACKs settle nothing, and need not look there, which saves
    /// 5 % of the instructions.
    first: u64,
    /// Segments below this are acknowledged, and are settled at `due`; 0 while none waits for that.
    held: u64,
    due: Time,
    window: (Time, Time),
    /// Entries that are not settled, by segment and time.
    open: Entries,
    /// The losses that are settled.
    settled: LossTable,
    /// `None` before the first loss.
    bursts: Option<Box<Bursts>>,
    spurious: u32,
}

/// The windows of data with losses, and repairs that were lost.
#[derive(Debug, Default)]
struct Bursts {
    /// The latest window with losses, to which more may still be added.
    latest: Option<Burst>,
    /// Windows with several losses, and how many of them had a loss that the retransmission timer found.
    multi_loss_windows: u32,
    multi_loss_timeouts: u32,
    /// Repairs that were lost, and how many of these losses the retransmission timer found.
    lost_repairs: u32,
    lost_repair_timeouts: u32,
}

/// Segments lost in one window of data: before the first of them was sent again.
#[derive(Debug)]
struct Burst {
    first: Time,
    /// When the first of the lost segments was sent again.
    until: Time,
    losses: u32,
    /// Whether the retransmission timer found one of the losses.
    timeout: bool,
}

/// An event of a segment that is lost or sent again, and its time. A flow may keep hundreds of
/// these, so they are two words each.
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
    /// The segment was sent for the first time; noted only when it arrives.
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

    /// The key by which entries are sorted.
    fn key(self) -> (u64, Time) {
        (self.end(), self.at)
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

    /// When the segment was first sent and when a copy first reached the receiver, if that is measured.
    fn arrival(self) -> Option<(Time, Time)> {
        let latest = |what| {
            let mut entries = self.0.iter().rev();
            entries.find(|entry| entry.what() == what).map(|e| e.at)
        };
        latest(What::FirstSent).zip(latest(What::Arrived))
    }

    /// The loss and retransmission of the first segment of these entries, if it was lost once and sent again
    /// after that, as most are.
    #[inline]
    fn first_if_lost_once(self) -> Option<LostOnce> {
        let (&[lost, resent], rest) = self.0.split_first_chunk()?;
        let end = lost.end();
        if resent.end() != end || rest.first().is_some_and(|next| next.end() == end) {
            return None;
        }
        let (What::Lost(cause), What::Resent(found)) = (lost.what(), resent.what()) else {
            return None;
        };
        let (number, at, lost) = (0, resent.at, lost.at);
        let resend = Resend { number, at, found };
        (at > lost).then_some(LostOnce {
            lost,
            cause,
            resend,
        })
    }

    /// The first resend after `lost`: one at the same time is itself the copy that was lost, on its
    /// first link.
    fn finder(self, lost: Time) -> Option<Resend> {
        self.resends().find(|resend| resend.at > lost)
    }

    fn first_lost(self) -> Option<Time> {
        self.losses().next().map(|(at, _)| at)
    }

    /// Whether nothing more can happen to the segment once it is acknowledged: all copies but the one
    /// that arrived were lost.
    fn is_complete(self) -> bool {
        self.losses().count() == self.resends().count()
    }

    /// Whether the segment was lost, and has been sent again because of that by `now`.
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

impl Resend {
    /// Whether the segment was sent before a timeout, because somebody had found a loss.
    fn repairs(self) -> bool {
        use Found::{Detector, Dupacks, PartialAck, Sack};
        matches!(self.found, Dupacks | PartialAck | Sack | Detector)
    }
}

/// A segment that was lost once, and then sent again once.
#[derive(Clone, Copy)]
struct LostOnce {
    lost: Time,
    cause: LossCause,
    resend: Resend,
}

impl LossLedger {
    /// Counts losses from `window.0` (included) to `window.1` (not included), and on request how long
    /// segments take to arrive.
    pub(crate) fn new(window: (Time, Time), arrivals: bool) -> Self {
        Self {
            window,
            first: u64::MAX,
            arrivals: arrivals.then(|| Box::new(ArrivalMeter::new(window))),
            ..Self::default()
        }
    }

    /// End of the part that every packet touches.
    pub(crate) const HOT: usize = std::mem::offset_of!(Self, window);

    /// Whether [`Self::arrived`] is to be called.
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

    #[inline(never)]
    fn note(&mut self, at: Time, end: u64, what: What) {
        self.first = self.first.min(end);
        self.open.insert(Entry::new(at, end, what));
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
        self.settle_below(self.held, una);
        // The first segment left has to wait, if it is acknowledged.
        (self.held, self.due) = if una >= self.first {
            (una, now + HOLD)
        } else {
            (0, Time::ZERO)
        };
    }

    /// Settles the segments below `held`, and after them those below `una` up to the first to which more
    /// may happen.
    fn settle_below(&mut self, held: u64, una: u64) {
        loop {
            let settled = self.settle_some_below(held, una);
            let all = settled == self.open.first().len();
            self.open.remove(settled);
            if !all || self.open.first().is_empty() {
                break;
            }
        }
        self.first = self.open.first_end();
    }

    /// As [`Self::settle_below`], of the segments at hand. Returns how many entries are settled.
    fn settle_some_below(&mut self, held: u64, una: u64) -> usize {
        let mut settled = 0;
        while let Some(first) = self.open.first().get(settled)
            && first.end() <= una.max(held)
        {
            let rest = History(&self.open.first()[settled..]);
            if let Some(once) = rest.first_if_lost_once() {
                self.settle_lost_once(once);
                settled += 2;
                continue;
            }
            let entries = self.settle_first(settled, held);
            if entries == 0 {
                break;
            }
            settled += entries;
        }
        settled
    }

    /// Settles the first of the segments in `open` from this place on, unless more may happen to it and it ends
    /// above `held`. Returns the number of its entries if it is settled, else 0.
    #[inline(never)]
    fn settle_first(&mut self, place: usize, held: u64) -> usize {
        let open = std::mem::take(&mut self.open);
        let mut segments = open.first()[place..].chunk_by(|a, b| a.end() == b.end());
        let entries = segments.next().unwrap_or_default();
        let history = History(entries);
        let settles = entries.first().is_some_and(|e| e.end() <= held) || history.is_complete();
        if settles {
            self.settle(history, Found::Unnoticed);
        }
        let settled = if settles { entries.len() } else { 0 };
        self.open = open;
        settled
    }

    /// Reports the losses, and the needless retransmissions: those of segments that had not been
    /// lost since they were last sent. `una`: first position not acknowledged at the end.
    pub(crate) fn finish(&mut self, una: u64, outcome: &mut FlowOutcome) {
        self.settle_below(una, una);
        let mut open = std::mem::take(&mut self.open);
        while !open.first().is_empty() {
            for entries in open.first().chunk_by(|a, b| a.end() == b.end()) {
                self.settle(History(entries), Found::Open);
            }
            open.remove(open.first().len());
        }
        let mut bursts = self.bursts.take().unwrap_or_default();
        bursts.end(self.window);
        outcome.losses = std::mem::take(&mut self.settled);
        outcome.spurious_retransmits = self.spurious.into();
        outcome.multi_loss_windows = bursts.multi_loss_windows.into();
        outcome.multi_loss_timeouts = bursts.multi_loss_timeouts.into();
        outcome.lost_repairs = bursts.lost_repairs.into();
        outcome.lost_repair_timeouts = bursts.lost_repair_timeouts.into();
        if let Some(arrivals) = &self.arrivals {
            arrivals.report(outcome);
        }
    }

    /// Counts what happened to a segment; losses that no retransmission followed are `rest`.
    fn settle(&mut self, history: History, rest: Found) {
        let mut needless = history.resends().filter(|r| self.is_own(r)).count();
        let mut resends = history.resends().peekable();
        // The copy that was lost, and the number of the resend after the loss before.
        let (mut copy, mut before) = (None, None);
        for (at, cause) in history.losses() {
            while let Some(resend) = resends.next_if(|resend| resend.at <= at) {
                copy = Some(resend);
            }
            let finder = resends.peek();
            let found = finder.map_or(rest, |resend| resend.found);
            if self.counts(at) {
                self.settled.add(cause, found, 1);
                if copy.is_some_and(Resend::repairs) {
                    let bursts = self.bursts.get_or_insert_default();
                    bursts.lost_repairs += 1;
                    bursts.lost_repair_timeouts += u32::from(found == Found::Timeout);
                }
            }
            if let Some(finder) = finder
                && before.replace(finder.number) != Some(finder.number)
            {
                needless -= usize::from(self.is_own(finder));
            }
        }
        self.spurious += needless as u32;
        if let Some(lost) = history.first_lost() {
            let resend = history.finder(lost);
            // A needless copy is of no window: another had arrived.
            if resend.is_some() || rest == Found::Open {
                self.add_to_burst(lost, resend);
            }
        }
        if let (Some((first_sent, at)), Some(meter)) = (history.arrival(), &mut self.arrivals) {
            meter.record(at, first_sent, history.was_repaired(at));
        }
    }

    /// The sender's own resend, in the window that is measured.
    fn is_own(&self, resend: &Resend) -> bool {
        resend.found != Found::Agent && self.counts(resend.at)
    }

    /// As [`Self::settle`], for a segment that was lost once, and sent again after that.
    fn settle_lost_once(&mut self, once: LostOnce) {
        let LostOnce {
            lost,
            cause,
            resend,
        } = once;
        if self.counts(lost) {
            self.settled.add(cause, resend.found, 1);
        }
        self.add_to_burst(lost, Some(resend));
    }

    /// The next segment in order was first lost at `lost`, and then sent again so.
    fn add_to_burst(&mut self, lost: Time, resend: Option<Resend>) {
        let timeout = resend.is_some_and(|resend| resend.found == Found::Timeout);
        let bursts = self.bursts.get_or_insert_default();
        if let Some(burst) = &mut bursts.latest
            && burst.first <= lost
            && lost < burst.until
        {
            burst.losses += 1;
            burst.timeout |= timeout;
            return;
        }
        bursts.end(self.window);
        bursts.latest = Some(Burst {
            first: lost,
            until: resend.map_or(lost, |resend| resend.at),
            losses: 1,
            timeout,
        });
    }

    fn counts(&self, at: Time) -> bool {
        is_within(at, self.window)
    }
}

impl Bursts {
    /// Counts the latest window of data, if it began in the window of time that is measured.
    fn end(&mut self, measured: (Time, Time)) {
        if let Some(burst) = self.latest.take()
            && burst.losses > 1
            && is_within(burst.first, measured)
        {
            self.multi_loss_windows += 1;
            self.multi_loss_timeouts += u32::from(burst.timeout);
        }
    }
}

#[cfg(test)]
mod tests;
