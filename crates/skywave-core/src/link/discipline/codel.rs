//! CoDel (RFC 8289): keeps the *smallest* time that packets spend in the queue over an interval below a
//! target, by dropping at the head of the queue.
//!
//! A queue that drains within an interval absorbs a burst and is good; one that never does is a standing
//! queue. So a packet may be dropped once the time in the queue has stayed above `target` for `interval`.
//! From then on drops come at distances of `interval / √count`, so that a sender that answers to each by
//! the square-root law of TCP slows down linearly (section 5.5), until the time is below the target.
//! With ECN a packet is marked and delivered where it would have been dropped.

use super::frames::Heads;
use super::{Arrival, Frame, Frames, Gone};
use crate::link::DropCause;
use crate::parameter::{Configuration, Described, Field, Kind, Refusal};
use crate::time::{Duration, Time};
use crate::units::{Backlog, Limit};

/// A drop state that ended less than this many intervals ago goes on where it was (section 5.4).
const MEMORY_INTERVALS: u64 = 16;

/// Settings of the queue discipline CoDel (RFC 8289).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoDelConfig {
    /// Capacity of the queue; the packet in transmission does not count.
    pub limit: Limit,
    /// Acceptable standing delay: time that packets may keep spending in the queue (RFC 8289 section 4.4).
    pub target: Duration,
    /// Time for which the delay in the queue may stay above the target before the first drop: about a worst-case
    /// round trip (RFC 8289 section 4.3).
    pub interval: Duration,
    /// Backlog in bytes, without the packet that leaves, at or below which nothing is dropped: the size of a full
    /// packet of the link.
    pub mtu: u32,
    /// Whether ECN-capable packets are marked instead of dropped.
    pub ecn: bool,
    /// Time in the queue beyond which an ECN-capable packet is marked in any case (Linux's `ce_threshold`); needs
    /// `ecn`. `None` for never.
    pub ce_threshold: Option<Duration>,
}

impl CoDelConfig {
    /// Settings of RFC 8289 for the Internet: a target of 5 ms, an interval of 100 ms, packets of 1500 bytes; without
    /// ECN.
    pub const fn new(limit: Limit) -> Self {
        Self {
            limit,
            target: Duration::from_millis(5),
            interval: Duration::from_millis(100),
            mtu: 1500,
            ecn: false,
            ce_threshold: None,
        }
    }
}

impl Configuration for CoDelConfig {
    /// The limit is that of ns-3 and Linux.
    const DEFAULT: Self = Self::new(Limit::Packets(1000));
    const FIELDS: &'static [Field<Self>] = &fields("Capacity");
}

impl Described for CoDelConfig {
    type Config = Self;
    const NAME: &'static str = "codel";
    const SUMMARY: &'static str =
        "CoDel (RFC 8289): drops at the head when packets wait too long for too long.";

    fn check(config: &Self) -> Result<(), Refusal> {
        if config.target < config.interval {
            return Ok(());
        }
        Err(Refusal::of(
            &["target", "interval"],
            "CoDel's `target` is not below its `interval`",
            "the target is a small part of a round trip, the interval about a large one",
        ))
    }
}

/// A configuration with CoDel's in it.
pub(super) trait WithCoDel {
    /// CoDel's.
    fn codel(&mut self) -> &mut CoDelConfig;
}

impl WithCoDel for CoDelConfig {
    fn codel(&mut self) -> &mut CoDelConfig {
        self
    }
}

/// The parameters of CoDel, wherever its configuration is kept; `limit` describes the first one.
pub(super) const fn fields<C: WithCoDel>(limit: &'static str) -> [Field<C>; 6] {
    [
        Field::new(Kind::Limit, "limit", limit, |c: &mut C| {
            &mut c.codel().limit
        }),
        Field::new(
            Kind::Time,
            "target",
            "Time in the queue that is acceptable for good",
            |c: &mut C| &mut c.codel().target,
        ),
        Field::new(
            Kind::Time,
            "interval",
            "Time for which packets may wait longer than the target before the first drop, the order of a large round \
             trip",
            |c: &mut C| &mut c.codel().interval,
        ),
        Field::new(
            Kind::Bytes,
            "mtu",
            "Nothing is dropped while at most this waits",
            |c: &mut C| &mut c.codel().mtu,
        ),
        Field::new(
            Kind::Flag,
            "ecn",
            "Mark packets of ECN-capable flows instead of dropping them",
            |c: &mut C| &mut c.codel().ecn,
        ),
        Field::within(
            Kind::Time,
            "ce_threshold",
            "Also mark each packet that waited longer than this; needs `ecn = true`",
            |c: &mut C| {
                let codel = c.codel();
                if codel.ecn {
                    return Ok(&mut codel.ce_threshold);
                }
                Err(Refusal::new(
                    "CoDel's `ce_threshold` is for marking packets",
                    "add `ecn = true`, or leave it out",
                ))
            },
        )
        .or("never"),
    ]
}

/// A queue under CoDel.
#[derive(Clone, Debug)]
pub(crate) struct CoDel {
    config: CoDelConfig,
    frames: Frames,
    control: Control,
}

impl CoDel {
    pub(super) fn new(config: CoDelConfig) -> Self {
        Self {
            config,
            frames: Frames::default(),
            control: Control::default(),
        }
    }

    #[inline(always)]
    pub(super) fn offer(&mut self, arrival: Arrival, _gone: &mut Gone) -> Option<DropCause> {
        if arrival.exceeds(self.config.limit) {
            return Some(DropCause::Queue);
        }
        self.frames.push(arrival.frame);
        None
    }

    pub(super) fn take(&mut self, now: Time, gone: &mut Gone) -> Option<Frame> {
        let (control, config, frames) = (&mut self.control, &self.config, &mut self.frames);
        if let Some(head) = frames.head()
            && control.passes(config, now, head, frames.bytes())
        {
            return frames.pop();
        }
        control.take(config, now, frames, gone)
    }

    pub(super) fn withdraw(&mut self, id: u32) {
        self.frames.withdraw(id);
    }

    pub(super) fn waiting(&self) -> Backlog {
        self.frames.totals()
    }
}

/// The state of CoDel at one queue. The names are those of the RFC's section 5.
#[derive(Clone, Debug)]
pub(super) struct Control {
    /// When the time in the queue will have been above the target for an interval, if it stays there;
    /// [`Time::MAX`] while it is not.
    first_above: Time,
    /// Drops follow each other by the control law.
    dropping: bool,
    drop_next: Time,
    /// Drops since the drop state was entered; less by what was forgotten.
    count: u32,
    /// `count` when the drop state was entered.
    last_count: u32,
}

impl Default for Control {
    fn default() -> Self {
        Self {
            first_above: Time::MAX,
            dropping: false,
            drop_next: Time::ZERO,
            count: 0,
            last_count: 0,
        }
    }
}

impl Control {
    /// Whether the head may leave without [`Self::take`]: nothing is being dropped, and the time in the queue
    /// has not been above the target for an interval. Notes when it came above it. `bytes` are those of the whole queue.
    /// Saves 3 % of the instructions of 1,000 flows at FQ-CoDel.
    #[inline(always)]
    pub(super) fn passes(
        &mut self,
        config: &CoDelConfig,
        now: Time,
        head: &Frame,
        bytes: u64,
    ) -> bool {
        if self.dropping || config.ce_threshold.is_some() {
            return false;
        }
        let left = bytes - u64::from(head.tag.size());
        !self.may_drop(config, now, is_good(config, now, head, left))
    }

    /// Whether the time in the queue has been above the target for an interval, after a head that `is_good` or not.
    #[inline(always)]
    fn may_drop(&mut self, config: &CoDelConfig, now: Time, is_good: bool) -> bool {
        if is_good {
            self.first_above = Time::MAX;
            return false;
        }
        if self.first_above == Time::MAX {
            self.first_above = now + config.interval;
        }
        now >= self.first_above
    }

    /// The next packet of `frames` that is to be transmitted. Those that are dropped go to `gone`.
    #[inline(never)]
    pub(super) fn take(
        &mut self,
        config: &CoDelConfig,
        now: Time,
        frames: &mut impl Heads,
        gone: &mut Gone,
    ) -> Option<Frame> {
        let (mut head, mut may_drop) = self.look(config, now, frames);
        if !self.dropping {
            if may_drop {
                if !mark(&mut head, config) {
                    gone.extend(head.map(|frame| (frame, DropCause::Early)));
                    (head, _) = self.look(config, now, frames);
                }
                self.enter(config, now);
            }
            return marked_by_threshold(head, config, now);
        }
        if !may_drop {
            self.dropping = false;
        }
        while self.dropping && now >= self.drop_next {
            self.count += 1;
            if mark(&mut head, config) {
                self.drop_next = self.after(config, self.drop_next);
                break;
            }
            gone.extend(head.map(|frame| (frame, DropCause::Early)));
            (head, may_drop) = self.look(config, now, frames);
            if may_drop {
                self.drop_next = self.after(config, self.drop_next);
            } else {
                self.dropping = false;
            }
        }
        marked_by_threshold(head, config, now)
    }

    /// As [`Self::take`] from a queue that is empty.
    #[inline]
    pub(super) fn find_nothing(&mut self) {
        self.first_above = Time::MAX;
        self.dropping = false;
    }

    /// Takes a packet from the queue, and tells whether it may be dropped: the time in the queue has been
    /// above the target for an interval (`dodequeue`).
    fn look(
        &mut self,
        config: &CoDelConfig,
        now: Time,
        frames: &mut impl Heads,
    ) -> (Option<Frame>, bool) {
        let head = frames.pop();
        let is_good = head.is_none_or(|frame| is_good(config, now, &frame, frames.bytes()));
        (head, self.may_drop(config, now, is_good))
    }

    /// The drop state begins with the packet that was just dropped or marked. If the last one ended not
    /// long ago, its rate of drops is a good one to start with.
    fn enter(&mut self, config: &CoDelConfig, now: Time) {
        self.dropping = true;
        let gained = self.count - self.last_count;
        let recent = now.since(self.drop_next) < config.interval * MEMORY_INTERVALS;
        self.count = if gained > 1 && recent { gained } else { 1 };
        self.last_count = self.count;
        self.drop_next = self.after(config, now);
    }

    /// The control law: the time of the next drop when the last one was due at `at`.
    fn after(&self, config: &CoDelConfig, at: Time) -> Time {
        let interval = config.interval.as_nanos() as f64;
        at + Duration::from_nanos((interval / f64::from(self.count).sqrt()) as u64)
    }
}

/// The head of a queue may leave, and is no sign of a standing queue: it has not waited for long, or not
/// more than a packet (`left`) is behind it.
#[inline(always)]
fn is_good(config: &CoDelConfig, now: Time, head: &Frame, left: u64) -> bool {
    now.since(head.came) < config.target || left <= u64::from(config.mtu)
}

fn mark(head: &mut Option<Frame>, config: &CoDelConfig) -> bool {
    head.as_mut().is_some_and(|frame| frame.mark(config.ecn))
}

fn marked_by_threshold(head: Option<Frame>, config: &CoDelConfig, now: Time) -> Option<Frame> {
    let mut head = head?;
    let is_late = |threshold| now.since(head.came) > threshold;
    if config.ce_threshold.is_some_and(is_late) {
        head.mark(config.ecn);
    }
    Some(head)
}

#[cfg(test)]
mod tests;
