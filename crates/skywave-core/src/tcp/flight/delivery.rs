//! What the newest delivery tells (RFC 8985 section 6.2, steps 1 to 3). Kept only for detectors that
//! judge by time.

use super::{Flight, Kept, Marks, Sent, end_doubling};
use crate::time::{Duration, Time};

/// How long a round trip counts as the path's smallest, at most; the RFC asks for a window and
/// names none.
const MIN_RTT_WINDOW: Duration = Duration::from_secs(300);

/// Transmissions that have arrived, cumulatively or selectively acknowledged.
#[derive(Clone, Debug, Default)]
pub struct Delivery {
    /// When the present ACK came.
    now: Time,
    /// A retransmission sent later cannot be what the present ACK reports.
    latest: Time,
    /// The transmission sent last of all that arrived: when, and its end (RACK.xmit_ts, end_seq).
    newest: Option<(Time, u64)>,
    /// Round trip of the one seen last (RACK.rtt).
    rtt: Duration,
    min_rtt: MinRtt,
    /// Highest end that arrived (RACK.fack), and what it was before the present ACK.
    highest: u64,
    highest_before: u64,
    reordered: bool,
}

impl Delivery {
    /// Round trip of the newest delivery (RACK.rtt).
    pub fn rtt(&self) -> Duration {
        self.rtt
    }

    /// Smallest round trip lately (RACK.min_RTT).
    pub fn min_rtt(&self) -> Duration {
        self.min_rtt.get()
    }

    /// The path was seen to deliver out of order (RACK.reordering_seen).
    pub fn reordered(&self) -> bool {
        self.reordered
    }

    /// What was sent before the newest delivery and at least `wait` ago, as of `now`.
    pub fn sent_before(&self, wait: Duration, now: Time) -> SentBefore {
        let (time, end) = self.newest.unwrap_or_default();
        SentBefore {
            time,
            end,
            wait,
            now,
        }
    }

    /// An ACK came at `now` that echoes `echo`.
    fn begin_ack(&mut self, now: Time, echo: Option<Time>) {
        self.now = now;
        self.highest_before = self.highest;
        let soonest = now - self.min_rtt.get();
        self.latest = echo.map_or(soonest, |echo| echo.min(soonest));
    }

    /// The present ACK is the first to report `segment`.
    pub(super) fn take(&mut self, segment: &Sent) {
        let resent = segment.transmissions > 1;
        if segment.end < self.highest_before && !resent {
            self.reordered = true;
        }
        self.highest = self.highest.max(segment.end);
        if resent && segment.last_sent > self.latest {
            return; // an earlier transmission arrived
        }
        self.rtt = self.now.since(segment.last_sent);
        self.min_rtt.take(self.now, self.rtt);
        let sent = (segment.last_sent, segment.end);
        if self.newest.is_none_or(|newest| sent > newest) {
            self.newest = Some(sent);
        }
    }
}

/// The smallest of the round trips of the last half to whole window.
#[derive(Clone, Copy, Debug, Default)]
struct MinRtt {
    /// Since when `present` counts.
    since: Time,
    before: Option<Duration>,
    present: Option<Duration>,
}

impl MinRtt {
    fn take(&mut self, now: Time, rtt: Duration) {
        if now.since(self.since) >= MIN_RTT_WINDOW / 2 {
            self.before = self.present.take();
            self.since = now;
        }
        self.present = Some(self.present.map_or(rtt, |least| least.min(rtt)));
    }

    fn get(&self) -> Duration {
        let both = [self.before, self.present].into_iter().flatten();
        both.min().unwrap_or_default()
    }
}

/// Segments last sent before a transmission that arrived, and long enough ago (RFC 8985 section 6.2,
/// step 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentBefore {
    time: Time,
    end: u64,
    wait: Duration,
    now: Time,
}

impl SentBefore {
    /// It was sent first, so that it should have arrived first.
    fn precedes(&self, sent: Time, end: u64) -> bool {
        (sent, end) < (self.time, self.end)
    }

    /// When `segment` counts as lost, if nothing is heard of it; `None` if that cannot be told yet.
    fn due(&self, segment: &Sent) -> Option<Time> {
        let preceding = self.precedes(segment.last_sent, segment.end);
        preceding.then(|| segment.last_sent + self.wait)
    }

    /// It may judge `segment`. Those first sent later were last sent later, too; those not sent again
    /// yet while going back N, from `nxt` on, are no news.
    fn reaches(&self, segment: &Sent, nxt: u64) -> bool {
        self.precedes(segment.first_sent, segment.end) && segment.end <= nxt
    }

    /// `segment` is lost.
    pub fn covers(&self, segment: &Sent) -> bool {
        self.due(segment).is_some_and(|due| due <= self.now)
    }
}

impl Flight {
    /// Keeps a [`Delivery`] from now on.
    pub fn track_delivery(&mut self) {
        self.delivery = Some(Box::default());
    }

    /// What arrived, if that is kept.
    #[inline]
    pub fn delivery(&self) -> Option<&Delivery> {
        self.delivery.as_deref()
    }

    /// An ACK comes, whose reports [`Self::sack`] and [`Self::acknowledge`] take next.
    pub fn begin_ack(&mut self, now: Time, echo: Option<Time>) {
        if let Some(delivery) = &mut self.delivery {
            delivery.begin_ack(now, echo);
        }
    }

    /// Segments to which `rule` may apply.
    fn judged(&self, rule: SentBefore) -> impl Iterator<Item = Sent> {
        let nxt = self.nxt;
        self.segments
            .iter()
            .map(Kept::sent)
            .take_while(move |s| rule.reaches(s, nxt))
            .filter(|s| !s.sacked && !s.lost)
    }

    /// Whether `rule` finds segments lost, and when it will have found all that it can tell of.
    pub fn judge(&self, rule: SentBefore) -> (bool, Option<Time>) {
        let due = self.judged(rule).filter_map(|s| rule.due(&s));
        due.fold((false, None), |(lost, last), due| {
            if due <= rule.now {
                (true, last)
            } else {
                (lost, last.max(Some(due)))
            }
        })
    }

    /// Marks the segments that `rule` finds lost, those sent again, too.
    pub fn mark_sent_before(&mut self, rule: SentBefore) {
        let nxt = self.nxt;
        let segments = self.segments.iter_mut();
        for segment in segments.take_while(|s| rule.reaches(&s.sent(), nxt)) {
            if !segment.has(Marks::KNOWN) && rule.covers(&segment.sent()) {
                segment.mark(Marks::LOST);
                self.lost += segment.len();
                end_doubling(segment, &mut self.doubled);
            }
        }
    }
}
