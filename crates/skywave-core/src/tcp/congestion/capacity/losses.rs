//! Share of segments that the channel itself loses, and losses beyond it.
//!
//! The first is measured on what is sent while the sender drains: less than the path carries, so that no queue
//! overflows by its doing. What is lost in between, in a larger share than in
//! drains, is the sender's own doing or that of others.

use crate::tcp::flight::LossSample;

/// Segments for which a share of losses counts, ...
const MEMORY: f64 = 400.0;
/// ... and how many are needed to know it.
const ENOUGH: f64 = 20.0;
/// No channel that TCP works over loses more than this.
const LARGEST: f64 = 0.35;
/// The losses of a drain count up to this multiple of the usual share and this part of its segments: a burst is
/// not usual.
const BURST: f64 = 3.0;
const BURST_PART: f64 = 0.05;

/// Excess over the share that drains lose, as a part of what was sent, above which losses are not
/// the channel's; a number of standard deviations comes on top.
const EXCESS: f64 = 0.05;
const DEVIATIONS: f64 = 3.0;
/// Where so much is lost outside of drains, some of the drains' losses are not the channel's either: this part of
/// them remains.
const DOUBTED: f64 = 0.5;
/// Cycles for which the buffer then counts as one that a burst overflows.
const SHORT: u32 = 32;

/// Range of positions sent for the first time, and the bytes of it that were lost.
#[derive(Clone, Copy, Debug)]
struct Span {
    from: u64,
    /// `None` while it goes on.
    to: Option<u64>,
    lost: u64,
}

impl Span {
    fn begin(from: u64) -> Self {
        Self {
            from,
            to: None,
            lost: 0,
        }
    }

    /// One without a position.
    const NEVER: Self = Self {
        from: u64::MAX,
        to: Some(u64::MAX),
        lost: 0,
    };

    fn has(&self, position: u64) -> bool {
        position >= self.from && self.to.is_none_or(|to| position < to)
    }

    /// Segments of `mss` bytes that were sent and lost, once it is over.
    fn tally(&self, mss: u32) -> Tally {
        let mss = f64::from(mss.max(1));
        let sent = self.to.map_or(0, |to| to.saturating_sub(self.from));
        Tally {
            sent: sent as f64 / mss,
            lost: self.lost as f64 / mss,
        }
    }
}

/// Segments sent for the first time, and those of them that were lost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Tally {
    pub(super) sent: f64,
    pub(super) lost: f64,
}

impl Tally {
    pub(super) fn add(&mut self, other: Self) {
        self.sent += other.sent;
        self.lost += other.lost;
    }

    /// The part that was lost; zero of none.
    pub(super) fn share(self) -> f64 {
        if self.sent > 0.0 {
            self.lost / self.sent
        } else {
            0.0
        }
    }

    /// Standard deviation of the difference between this share and that of `others` more segments which lose alike;
    /// `f64::INFINITY` for a share that is known.
    pub(super) fn deviation(self, others: f64) -> f64 {
        let share = self.share();
        let variance = share * (1.0 - share) * (1.0 / self.sent.max(1.0) + 1.0 / others.max(1.0));
        libm::sqrt(variance.max(0.0))
    }
}

/// Losses of a sender that drains once a cycle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Losses {
    drain: Span,
    /// Since the latest drain, and between the two before.
    cruise: Span,
    before: Span,
    /// Sent in the drains of late, lost of it, and the part of those that counts as usual, in segments.
    sent: f64,
    lost: f64,
    usual: f64,
    /// Cycles for which the buffer still counts as short.
    short: u32,
}

impl Default for Losses {
    fn default() -> Self {
        Self {
            drain: Span::NEVER,
            cruise: Span::NEVER,
            before: Span::NEVER,
            sent: 0.0,
            lost: 0.0,
            usual: 0.0,
            short: 0,
        }
    }
}

impl Losses {
    /// Forgets the spans measured so far, as the sender did not go through its cycle.
    pub(super) fn begin_again(&mut self) {
        self.drain = Span::NEVER;
        self.cruise = Span::NEVER;
        self.before = Span::NEVER;
    }

    /// From `position` on the sender drains.
    pub(super) fn begin_drain(&mut self, position: u64) {
        self.before = Span {
            to: self.cruise.to.or(Some(position)),
            ..self.cruise
        };
        self.drain = Span::begin(position);
        self.cruise = Span::NEVER;
    }

    /// From `position` on the sender no longer drains.
    pub(super) fn end_drain(&mut self, position: u64) {
        self.drain.to = Some(position);
        self.cruise = Span::begin(position);
    }

    /// A segment is lost. One that was sent again says nothing of when it was.
    pub(super) fn on_lost(&mut self, lost: &LossSample) {
        if lost.resent {
            return;
        }
        for span in [&mut self.drain, &mut self.cruise, &mut self.before] {
            if span.has(lost.start) {
                span.lost += lost.end - lost.start;
            }
        }
    }

    /// All is known of what was sent in the latest drain and before it: takes it into the share that is usual,
    /// for segments of `mss` bytes. Returns what was sent between that drain and the one before.
    pub(super) fn settle(&mut self, mss: u32) -> Tally {
        let Tally { sent, lost } = std::mem::replace(&mut self.drain, Span::NEVER).tally(mss);
        if sent > 0.0 {
            let usual = lost.min(sent * (BURST * self.share() + BURST_PART));
            let kept = libm::exp(-sent / MEMORY);
            self.sent = self.sent * kept + sent;
            self.lost = self.lost * kept + lost;
            self.usual = self.usual * kept + usual;
        }
        let before = std::mem::replace(&mut self.before, Span::NEVER).tally(mss);
        self.short = self.short.saturating_sub(1);
        if before.sent >= ENOUGH && self.is_excess(before) {
            self.usual *= DOUBTED;
            self.short = SHORT;
        }
        before
    }

    /// Whether the share that is lost is more than drains lose. All that they lose counts: against the
    /// part that is usual so far, a channel that loses much would always be in doubt, and nothing become usual.
    fn is_excess(&self, tally: Tally) -> bool {
        let allowed = EXCESS + DEVIATIONS * tally.deviation(self.sent);
        tally.share() - self.share_of(self.lost) > allowed
    }

    /// The buffer may be so short that a burst overflows it.
    pub(super) fn show_a_short_buffer(&self) -> bool {
        self.short > 0
    }

    /// The share that the channel loses.
    pub(super) fn share(&self) -> f64 {
        self.share_of(self.usual).min(LARGEST)
    }

    /// Ratio of `segments` to what the drains sent; zero while they have sent too little to tell.
    fn share_of(&self, segments: f64) -> f64 {
        if self.sent < ENOUGH {
            return 0.0;
        }
        segments / self.sent
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::testing::assert_near;
    use crate::time::Time;

    const MSS: u32 = 1000;

    /// A cycle: so many of 1000 segments are lost before the drain, and of 200 in it.
    fn cycle(losses: &mut Losses, begin: &mut u64, before: u64, drained: u64) {
        let at = |segment: u64| segment * u64::from(MSS);
        let lose = |losses: &mut Losses, from: u64, count: u64| {
            for segment in from..from + count {
                losses.on_lost(&LossSample {
                    start: at(segment),
                    end: at(segment + 1),
                    flight_at_send: 0,
                    lost: 0,
                    total_delivered: 0,
                    sent_at: Time::ZERO,
                    resent: false,
                    app_limited: false,
                });
            }
        };
        let drain = *begin + 1000;
        losses.begin_drain(at(drain));
        lose(losses, *begin, before);
        losses.end_drain(at(drain + 200));
        lose(losses, drain, drained);
        losses.settle(MSS);
        *begin = drain + 200;
    }

    /// Losses after twenty such cycles, and where the next one begins.
    fn cycles(before: u64, drained: u64) -> (Losses, u64) {
        let (mut losses, mut begin) = (Losses::default(), 0);
        losses.end_drain(0);
        for _ in 0..20 {
            cycle(&mut losses, &mut begin, before, drained);
        }
        (losses, begin)
    }

    #[test]
    fn the_share_is_that_of_drains() {
        let (losses, _) = cycles(100, 20);
        assert!((losses.share() - 0.1).abs() < 1e-4, "{}", losses.share());
    }

    #[test]
    fn a_burst_in_a_drain_is_not_usual() {
        let (mut losses, mut begin) = (Losses::default(), 0);
        losses.end_drain(0);
        cycle(&mut losses, &mut begin, 0, 150);
        assert_near(losses.share(), 0.05, "share after a burst");
    }

    #[test]
    fn a_channel_that_loses_much_everywhere_is_not_in_doubt() {
        // What counts as usual rises slowly; were it what the cruise is compared with, it would be halved each time.
        let (losses, _) = cycles(300, 60);
        assert!((losses.share() - 0.3).abs() < 1e-3, "{}", losses.share());
    }

    #[test]
    fn much_more_outside_of_drains_puts_them_in_doubt() {
        let (mut losses, mut begin) = cycles(100, 20);
        assert!(!losses.show_a_short_buffer());
        cycle(&mut losses, &mut begin, 300, 20);
        assert!(
            (losses.share() - 0.05).abs() < 1e-4,
            "half of a tenth: {}",
            losses.share()
        );
        for _ in 0..SHORT {
            assert!(losses.show_a_short_buffer());
            cycle(&mut losses, &mut begin, 20, 20);
        }
        assert!(!losses.show_a_short_buffer(), "forgotten");
    }
}
