//! Knowledge from deliveries: the newest one (RFC 8985 section 6.2, steps 1 to 3), and their rate.
//! Kept only for detectors that judge by time, and for laws that want the rate.

use super::by_time::ByTime;
use super::rate::{LossSample, RateSample, RateSampler};
use super::{Flight, Kept, Marks, Sent};
use crate::time::{Duration, Time};

/// Longest time for which a round trip may count as the path's smallest; the RFC asks for such a
/// window, but names no length.
const MIN_RTT_WINDOW: Duration = Duration::from_secs(300);

/// Record of the transmissions that have arrived, cumulatively or selectively acknowledged: by it RACK (RFC
/// 8985) finds losses, and rates of delivery are sampled.
#[derive(Clone, Debug, Default)]
pub struct Delivery {
    /// When the present ACK came.
    now: Time,
    /// A retransmission sent later than this cannot be what a SACK block of the present ACK reports.
    latest: Time,
    /// As [`Self::latest`], for what the present ACK acknowledges cumulatively: not later than its echo.
    latest_echoed: Time,
    /// The transmission sent last among those that arrived: when it was sent, and its end
    /// (RACK.xmit_ts, end_seq).
    newest: Option<(Time, u64)>,
    /// Round trip of the latest delivery that shows one (RACK.rtt).
    rtt: Duration,
    min_rtt: MinRtt,
    /// As [`Self::sample`].
    sample: Option<RttSample>,
    /// Highest end that arrived (RACK.fack), and what it was before the present ACK.
    highest: u64,
    highest_before: u64,
    reordered: bool,
    rate: Option<RateSampler>,
    /// The segments that a rule may judge, by the time of their last transmission.
    pub(super) by_time: ByTime,
}

impl Delivery {
    /// Round trip of the latest delivery that shows one (RACK.rtt), which need not be that of the segment sent last;
    /// zero before the first.
    pub fn rtt(&self) -> Duration {
        self.rtt
    }

    /// Round trip that the present ACK shows; `None` unless it is the first to report something that was sent later
    /// than all that had arrived before, and the connection has not [stood still](Flight::stand_still) since.
    pub fn sample(&self) -> Option<RttSample> {
        self.sample
    }

    /// Smallest round trip among the samples of the latest 150 to 300 s, or of a longer time where samples are rarer
    /// (RACK.min_RTT); zero before the first one.
    pub fn min_rtt(&self) -> Duration {
        self.min_rtt.get()
    }

    /// Whether the path was seen to deliver out of order (RACK.reordering_seen).
    pub fn reordered(&self) -> bool {
        self.reordered
    }

    /// Rule by which segments are lost that were last sent before the one sent last among those that arrived, and at
    /// least `wait` before `now` (RFC 8985 section 6.2, step 5).
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
    pub(super) fn begin_ack(&mut self, now: Time, echo: Option<Time>) {
        self.now = now;
        self.sample = None;
        self.highest_before = self.highest;
        self.latest = now - self.min_rtt.get();
        self.latest_echoed = echo.map_or(self.latest, |echo| echo.min(self.latest));
    }

    /// The present ACK is the first to report the first `bytes` of a segment, and not all of it.
    #[cold]
    pub(super) fn take_part(&mut self, bytes: u64) {
        if let Some(rate) = &mut self.rate {
            rate.on_part_delivered(bytes, self.now);
        }
    }

    /// The present ACK is the first to report `segment`, which is number `number` of all; `by` says how.
    pub(super) fn take(&mut self, number: u64, segment: &Kept, by: Report) {
        if let Some(rate) = &mut self.rate {
            rate.on_delivered(number, segment.len(), self.now);
        }
        let (end, resent) = (segment.end(), !segment.was_sent_once());
        let timed = !segment.has(Marks::UNTIMED);
        if end < self.highest_before && !resent {
            self.reordered = true;
        }
        self.highest = self.highest.max(end);
        // While a hole is open, receivers echo the time of a segment from before it (RFC 7323 section 4.3), which says
        // nothing of one above. (RFC 8985 section 6.2, step 2, asks for the echo all the same; Linux does not.)
        let latest = match by {
            Report::Ack => self.latest_echoed,
            Report::Sack => self.latest,
        };
        if resent && segment.last_sent > latest {
            return; // an earlier transmission arrived
        }
        if timed {
            self.rtt = self.now.since(segment.last_sent);
            self.min_rtt.take(self.now, self.rtt);
        }
        let sent = (segment.last_sent, end);
        if self.newest.is_none_or(|newest| sent > newest) {
            self.newest = Some(sent);
            self.sample = timed.then_some(RttSample {
                rtt: self.rtt,
                resent,
            });
        }
    }
}

/// Part of an ACK that reports a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Report {
    /// The cumulative acknowledgement.
    Ack,
    /// A block of what the receiver holds.
    Sack,
}

/// Round trip measured by an ACK; for a segment that was sent again, since its last transmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RttSample {
    /// Time from the last transmission of the segment to its ACK.
    pub rtt: Duration,
    /// Whether the segment was sent more than once.
    pub resent: bool,
}

/// The smallest round trip of the latest time, which is between half a window and a whole one, or longer where samples
/// are rarer.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MinRtt {
    /// Since when `present` counts.
    since: Time,
    before: Option<Duration>,
    present: Option<Duration>,
}

impl MinRtt {
    pub(crate) fn take(&mut self, now: Time, rtt: Duration) {
        if now.since(self.since) >= MIN_RTT_WINDOW / 2 {
            self.before = self.present.take();
            self.since = now;
        }
        self.present = Some(self.present.map_or(rtt, |least| least.min(rtt)));
    }

    pub(crate) fn get(&self) -> Duration {
        // Every ACK asks. (A list of both would go through memory, in parts that are then read as a whole.)
        match (self.before, self.present) {
            (Some(before), Some(present)) => before.min(present),
            (one, other) => one.or(other).unwrap_or_default(),
        }
    }
}

/// Rule by which segments are lost that were last sent before a transmission that arrived, and long enough
/// ago (RFC 8985 section 6.2, step 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentBefore {
    pub(super) time: Time,
    end: u64,
    wait: Duration,
    pub(super) now: Time,
}

impl SentBefore {
    /// Nothing is lost.
    pub(in crate::tcp) const NOTHING: Self = Self::all(Duration::ZERO, Time::ZERO);

    /// Everything that was sent at least `wait` ago, as of `now`, whatever has arrived.
    pub(in crate::tcp) const fn all(wait: Duration, now: Time) -> Self {
        Self {
            time: now,
            end: u64::MAX,
            wait,
            now,
        }
    }

    /// Whether a segment that ends at `end` and was sent at `sent` went before the one that
    /// arrived, so that it should have arrived first.
    pub(super) fn precedes(&self, sent: Time, end: u64) -> bool {
        (sent, end) < (self.time, self.end)
    }

    /// When a segment last sent at `sent` counts as lost, if it is not reported.
    pub(super) fn due(&self, sent: Time) -> Time {
        sent + self.wait
    }

    /// Whether `segment` is lost by this rule.
    pub fn covers(&self, segment: &Sent) -> bool {
        self.precedes(segment.last_sent, segment.end) && self.due(segment.last_sent) <= self.now
    }
}

impl Flight {
    /// Keeps a [`Delivery`] from now on, and samples of the delivery rate if `rate`. To be called before anything is
    /// sent whose delivery a sample may measure.
    pub fn track_delivery(&mut self, rate: bool) {
        let mut delivery = Delivery::default();
        if rate {
            delivery.rate = Some(RateSampler::starting_with(self.segments.next_number()));
        }
        self.delivery = Some(Box::new(delivery));
        self.order_anew();
    }

    pub(super) fn rate(&mut self) -> Option<&mut RateSampler> {
        self.delivery.as_mut()?.rate.as_mut()
    }

    /// Notes how much has been delivered at the time when the segment at `position` is sent, for its later
    /// [`RateSample`]; does nothing if delivery rates are not sampled. To be called just after the sending.
    pub fn note_sent(&mut self, position: u64, now: Time) {
        if self.rate().is_none() {
            return;
        }
        let index = match self.segments.back() {
            Some(last) if last.start == position => self.segments.len() - 1, // as most; saves 1.6 % of BBR
            _ => match self.index_of(position) {
                Some(index) => index,
                None => return,
            },
        };
        let (flight, lost) = (self.pipe(), self.lost_ever);
        let number = self.first_number() + index as u64;
        let idle = flight <= self.segments[index].len();
        if let Some(rate) = self.rate() {
            rate.on_sent(number, now, flight, lost, idle);
        }
    }

    /// Delivery-rate sample of the present ACK, to be asked for once after the ACK was taken; `None` if rates are not
    /// sampled, or if the ACK delivered no segment, or the first part of one alone.
    pub fn rate_sample(&mut self) -> Option<RateSample> {
        let (first, lost, flight) = (self.first_number(), self.lost_ever, self.in_network());
        let delivery = self.delivery.as_mut()?;
        let min_rtt = delivery.min_rtt();
        let rate = delivery.rate.as_mut()?;
        rate.forget_below(first);
        rate.sample(min_rtt, flight, lost)
    }

    /// Keeps a [`LossSample`] of each segment that is found lost from now on, until the sender asks for it. Does nothing
    /// where delivery rates are not sampled.
    pub fn track_losses(&mut self) {
        if let Some(rate) = self.rate() {
            rate.keep_losses();
        }
    }

    /// Counts segment `number`, which lies from `start` to `end`, as found lost.
    pub(super) fn note_lost(&mut self, number: u64, start: u64, end: u64) {
        self.lost_ever += end - start;
        let lost = self.lost_ever;
        if let Some(rate) = self.rate() {
            rate.on_lost(number, start, end, lost);
        }
    }

    /// Notes as lost all data in flight that the receiver does not hold, just before it counts so.
    pub(super) fn note_all_lost(&mut self) {
        if !self.rate().is_some_and(|rate| rate.keeps_losses()) {
            return;
        }
        let mut lost = self.lost_ever;
        for number in self.first_number()..self.segments.next_number() {
            let Some(&segment) = self.segments.numbered(number) else {
                return;
            };
            if segment.end() > self.nxt {
                return;
            }
            if self.is_waited_for(&segment) {
                lost += segment.len();
                if let Some(rate) = self.rate() {
                    rate.on_lost(number, segment.start, segment.end(), lost);
                }
            }
        }
    }

    /// The earliest found loss that no call has returned yet; `None` if there is none, or if losses are not sampled.
    #[inline]
    pub fn poll_loss(&mut self) -> Option<LossSample> {
        self.rate()?.poll_loss()
    }

    /// Notes that the application has nothing to send, or that the receiver's window is full, although the congestion
    /// window is not: segments sent from now on are marked [application-limited](RateSample::app_limited), until more
    /// has arrived than is in flight now.
    pub fn note_app_limited(&mut self) {
        let flight = self.pipe();
        if let Some(rate) = self.rate() {
            rate.on_app_limited(flight);
        }
    }

    /// Whether segments sent now are marked [application-limited](RateSample::app_limited): the application had too
    /// little to send, the receiver's window was full or the connection stood still, and no more has arrived since than
    /// was in flight then. False if rates are not sampled.
    pub fn is_app_limited(&self) -> bool {
        let rate = self.delivery.as_ref().and_then(|d| d.rate.as_ref());
        rate.is_some_and(RateSampler::is_app_limited)
    }

    /// The record of deliveries; `None` unless [`Self::track_delivery`] was called.
    #[inline]
    pub fn delivery(&self) -> Option<&Delivery> {
        self.delivery.as_deref()
    }

    /// Begins to take an ACK that came at `now`; `echo` is the timestamp that it echoes, `None` without timestamps.
    /// [`Self::sack`] and [`Self::acknowledge`] are to take its reports next.
    pub fn begin_ack(&mut self, now: Time, echo: Option<Time>) {
        let flight = self.in_network();
        if let Some(delivery) = &mut self.delivery {
            if let Some(rate) = &mut delivery.rate {
                rate.begin_ack(flight);
            }
            delivery.begin_ack(now, echo);
            self.drop_settled();
        }
    }
}
