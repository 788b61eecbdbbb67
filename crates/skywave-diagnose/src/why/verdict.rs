//! One verdict from all that is known of a transfer.

use super::link::Link;
use super::states::{Shares, State};
use super::{Losses, Numbers};
use crate::fit::path::{PathFit, QueueModel};
use crate::order;
use crate::transfer::{Bin, Cause, Transfer};

/// Fewer round trips than this, without any retransmission, are a short flow.
const SHORT_RTTS: f64 = 15.0;
/// Shares of the time from which something is the verdict.
const WINDOW: f64 = 0.4;
const APPLICATION: f64 = 0.4;
const TIMEOUTS: f64 = 0.25;
const FULL: f64 = 0.55;
/// A window that stands at less than this share of what it was shows a receiver that does not read.
const SHRUNK: f64 = 0.5;
/// The sender's buffer bounds what is in flight to nearly the same: 90th percentile over median, and share of the window.
const STEADY: f64 = 1.25;
/// Retransmissions in vain: share of all, and of what was sent.
const IN_VAIN: f64 = 0.3;
const IN_VAIN_SENT: f64 = 0.005;
/// A policer lets nothing wait: less than this at the median, seconds, and in base round trips; a link that is full does.
const WAIT_S: f64 = 0.002;
const WAIT_RTTS: f64 = 0.03;
/// A queue is deep from this wait on, seconds, and in base round trips.
const DEEP_S: f64 = 0.2;
const DEEP_RTTS: f64 = 2.0;

/// Verdict on a transfer: what held it up the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Nothing can be told: no round trip is known, or the capture was taken at the receiver.
    Untold,
    /// Ended before the congestion window had grown.
    ShortFlow,
    /// The receiver's window is too small.
    ReceiveWindow,
    /// The receiving program reads slowly.
    SlowReceiver,
    /// The application had nothing to send.
    Application,
    /// The sender's buffer is too small.
    SendBuffer,
    /// Much of the time went by waiting for retransmission timeouts.
    Timeouts,
    /// Retransmissions in vain: of what arrived all the same, as reordering brings them about.
    Spurious,
    /// A policer drops what is faster than its rate.
    Policer,
    /// The link was full: nothing to gain.
    LinkFull,
    /// The link was full, behind a queue in which packets waited far longer than the base round trip.
    Bufferbloat,
    /// Acknowledgements wait on a slow way back.
    WayBack,
    /// Losses of the channel, which congestion control takes for congestion.
    RandomLoss,
    /// A managed queue drops before it is full.
    Aqm,
    /// The congestion window was smaller than what the link holds, and no other cause stands out.
    CongestionWindow,
}

impl Verdict {
    /// Name of the verdict, as pages show it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Untold => "cannot tell",
            Self::ShortFlow => "short flow",
            Self::ReceiveWindow => "receive window",
            Self::SlowReceiver => "slow receiver",
            Self::Application => "application",
            Self::SendBuffer => "send buffer",
            Self::Timeouts => "timeouts",
            Self::Spurious => "spurious retransmissions",
            Self::Policer => "policer",
            Self::LinkFull => "link full",
            Self::Bufferbloat => "bufferbloat",
            Self::WayBack => "slow way back",
            Self::RandomLoss => "random loss",
            Self::Aqm => "managed queue",
            Self::CongestionWindow => "congestion window",
        }
    }
}

/// Basis of a verdict.
pub(super) struct Facts<'a> {
    pub(super) transfer: &'a Transfer,
    pub(super) path: Option<&'a PathFit>,
    pub(super) link: Option<&'a Link>,
    pub(super) shares: &'a Shares,
    pub(super) again: &'a [(Cause, usize)],
    pub(super) losses: Losses,
    pub(super) numbers: &'a Numbers,
}

impl Facts<'_> {
    /// The verdict and its sentence.
    pub(super) fn verdict(&self) -> (Verdict, String) {
        if !self.transfer.is_near_sender {
            let sentence = "The capture was taken at the receiver: what the sender waited for shows at its own end alone.";
            return (Verdict::Untold, sentence.to_owned());
        }
        let Some(link) = self.link else {
            let sentence = "No answer tells a round trip.".to_owned();
            return (Verdict::Untold, sentence);
        };
        let verdict = self.choose(link);
        (verdict, self.sentence(verdict, link))
    }

    fn choose(&self, link: &Link) -> Verdict {
        let share = |state| self.shares.of(state);
        let has_retransmissions = self.numbers.again > 0;
        if self.rounds(link) < SHORT_RTTS && !has_retransmissions {
            return Verdict::ShortFlow;
        }
        if share(State::ReceiveWindow) > WINDOW {
            return if self.is_reader_slow() {
                Verdict::SlowReceiver
            } else {
                Verdict::ReceiveWindow
            };
        }
        if share(State::Application) > APPLICATION {
            return Verdict::Application;
        }
        if !has_retransmissions && share(State::Queue) <= FULL && self.is_steady() {
            return Verdict::SendBuffer;
        }
        if share(State::Timeout) > TIMEOUTS {
            return Verdict::Timeouts;
        }
        let is_policed = self.path.is_some_and(|path| path.policer.is_some());
        let has_no_wait = link.wait_s() < WAIT_S.max(WAIT_RTTS * link.base_s);
        if is_policed && (has_no_wait || share(State::Queue) <= FULL) {
            return Verdict::Policer;
        }
        if self.back_s() > link.wait_s() / 2.0 {
            return Verdict::WayBack;
        }
        if share(State::Queue) > FULL {
            return if is_deep(link.wait_s(), link.base_s) {
                Verdict::Bufferbloat
            } else {
                Verdict::LinkFull
            };
        }
        let in_vain = self.count(Cause::Spurious);
        if in_vain as f64 >= IN_VAIN * self.numbers.again as f64
            && in_vain as f64 >= IN_VAIN_SENT * self.numbers.sent as f64
            && in_vain > 0
        {
            return Verdict::Spurious;
        }
        if 2 * self.losses.random_episodes > self.losses.episodes {
            return Verdict::RandomLoss;
        }
        match self.queue() {
            Some(QueueModel::CoDel { .. } | QueueModel::Pie { .. } | QueueModel::Red { .. }) => {
                Verdict::Aqm
            }
            _ => Verdict::CongestionWindow,
        }
    }

    fn sentence(&self, verdict: Verdict, link: &Link) -> String {
        let percent = |state| 100.0 * self.shares.of(state);
        let base_ms = 1000.0 * link.base_s;
        let megabits = |bps: f64| format!("{:.3} Mb/s", bps / 1e6);
        match verdict {
            Verdict::Untold => String::new(),
            Verdict::ShortFlow => format!(
                "The transfer was over after {:.0} round trips of {base_ms:.0} ms, before its window had grown.",
                self.rounds(link)
            ),
            Verdict::ReceiveWindow => format!(
                "For {:.0} % of the time the receiver's window of {:.0} kB was full: it allows {} with a round trip of {:.0} ms.",
                percent(State::ReceiveWindow),
                self.window() / 1000.0,
                megabits(self.window() * 8.0 / link.rtt_s),
                1000.0 * link.rtt_s
            ),
            Verdict::SlowReceiver => format!(
                "For {:.0} % of the time the receiver's window was full, and it shrank: the receiving program reads {}.",
                percent(State::ReceiveWindow),
                megabits(self.numbers.goodput_bps)
            ),
            Verdict::Application => format!(
                "For {:.0} % of the time the application had nothing to send.",
                percent(State::Application)
            ),
            Verdict::SendBuffer => format!(
                "Without losses or a queue there was never more than {:.0} kB in flight: the sender's buffer is too small.",
                self.flight(0.9) / 1000.0
            ),
            Verdict::Timeouts => format!(
                "For {:.0} % of the time the sender waited for its retransmission timer.",
                percent(State::Timeout)
            ),
            Verdict::Spurious => format!(
                "{} of {} retransmissions were of segments that had arrived: packets overtake one another, or answers come late.",
                self.count(Cause::Spurious),
                self.numbers.again
            ),
            Verdict::Policer => {
                let policer = self.path.and_then(|path| path.policer);
                format!(
                    "A policer drops what is faster than {}, without making it wait.",
                    megabits(policer.map_or(0.0, |policer| policer.bps.value))
                )
            }
            Verdict::LinkFull | Verdict::Bufferbloat => format!(
                "For {:.0} % of the time the link was full; packets waited {:.0} ms at the median beside {base_ms:.0} ms of round trip{}.",
                percent(State::Queue),
                1000.0 * link.wait_s(),
                self.managed()
            ),
            Verdict::WayBack => {
                let back = self.path.and_then(|path| path.back);
                format!(
                    "Acknowledgements waited {:.0} ms in a queue on the way back, whose rate is {:.0} kb/s.",
                    1000.0 * self.back_s(),
                    back.map_or(0.0, |back| back.bps.value) / 1000.0
                )
            }
            Verdict::RandomLoss => format!(
                "{} of {} times it was the channel that lost packets, while the link had room: the sender took it for congestion.",
                self.losses.random_episodes, self.losses.episodes
            ),
            Verdict::Aqm => format!(
                "A managed queue dropped {} packets before it was full{}.",
                self.losses.congestive,
                self.managed()
            ),
            Verdict::CongestionWindow => format!(
                "For {:.0} % of the time the congestion window was smaller than what the link holds.",
                percent(State::CongestionWindow)
            ),
        }
    }

    /// Median wait of acknowledgements on the way back, seconds.
    fn back_s(&self) -> f64 {
        let back = self.path.and_then(|path| path.back);
        back.map_or(0.0, |back| back.wait_s)
    }

    fn count(&self, cause: Cause) -> usize {
        let found = self.again.iter().find(|(known, _)| *known == cause);
        found.map_or(0, |(_, count)| *count)
    }

    fn queue(&self) -> Option<&QueueModel> {
        Some(self.path?.queue.told()?.best())
    }

    /// A clause about a queue that is managed.
    fn managed(&self) -> &'static str {
        match self.queue() {
            Some(QueueModel::CoDel { .. }) => ", in a queue such as CoDel's",
            Some(QueueModel::Pie { .. }) => ", in a queue such as PIE's",
            Some(QueueModel::Red { .. }) => ", in a queue such as RED's",
            _ => "",
        }
    }

    /// Round trips that the transfer took, after its opening.
    fn rounds(&self, link: &Link) -> f64 {
        self.transfer.bins.span_s() / link.rtt_s.max(1e-6)
    }

    /// The window stands at much less than it was.
    fn is_reader_slow(&self) -> bool {
        let most = self.known_windows().max().unwrap_or(0);
        self.window() < SHRUNK * f64::from(most)
    }

    fn known_windows(&self) -> impl Iterator<Item = u32> {
        let windows = self.transfer.bins.iter().map(|bin| bin.window);
        windows.filter(|window| *window != u32::MAX)
    }

    /// Median window of the second half, bytes.
    fn window(&self) -> f64 {
        let windows: Vec<u32> = self.known_windows().collect();
        quantile(windows[windows.len() / 2..].to_vec(), 0.5)
    }

    /// A quantile of what was in flight, bytes.
    fn flight(&self, share: f64) -> f64 {
        let sending = |bin: &&Bin| bin.sent > 0;
        let flights = self.transfer.bins.iter().filter(sending);
        quantile(flights.map(|bin| bin.flight).collect(), share)
    }

    fn is_steady(&self) -> bool {
        self.flight(0.9) < STEADY * self.flight(0.5)
    }
}

/// Whether a wait in a queue is far too long beside a base round trip, both in seconds.
pub(crate) fn is_deep(wait_s: f64, base_s: f64) -> bool {
    wait_s > DEEP_S.max(DEEP_RTTS * base_s)
}

/// A quantile of values in any order; 0 of none.
fn quantile(mut values: Vec<u32>, share: f64) -> f64 {
    values.sort_unstable();
    order::quantile(&values, share).map_or(0.0, f64::from)
}
