//! A window law for paths whose losses, delays and rates vary, that leaves others their share.
//!
//! It has a [model](model) of its path, as BBR has: the largest rate of delivery of ten round trips, and the round
//! trip without a queue. It differs in what it takes for a queue, and in what it does with others:
//!
//! - The [queue](queue) is read from the *smallest* delay of a round trip, and from the way of the data alone where
//!   timestamps tell it, so that neither jitter nor a busy way back is one.
//! - The [share of losses](losses) that is usual without a queue is made up for by sending as much more. No loss cuts
//!   the window of a sender that is alone.
//! - Alone, it goes through BBR's [cycle](cycle), with a small probe.
//! - The rate of a [policer](policed), which drops without a queue, is kept to.
//! - A queue that does not answer to this cycle is others', to whom it [gives way](giving) step by step, or it is none,
//!   as the path has become longer: less in flight for some round trips tells ([phases](phase)).
//! - [Beside](beside) others it is CUBIC, for which losses count only where the queue is long.

mod arrivals;
mod beside;
mod cycle;
mod giving;
mod losses;
mod model;
mod phase;
mod policed;
mod queue;
mod range;
mod start;

use super::cubic::Cubic;
use super::path::{FEWEST, Gain, Pace};
use super::{CongestionControl, Law, LawFacts};
use crate::tcp::flight::LossSample;
use crate::tcp::pacing::{AVOIDANCE_GAIN, rate_of_window};
use crate::tcp::slot::{BuiltIn, Setup};
use crate::tcp::window::{
    AckEvent, IdleEvent, LossCause, LossEvent, Response, SpuriousEvent, TimeoutEvent, Window,
};
use crate::time::Time;
use crate::units::{Rate, Segments};

use beside::Beside;
use giving::Giving;
use model::Model;
use phase::Phase;
use policed::Policed;
use start::Start;

/// Pace and window of the start, and of the drain after it (BBR's 2/ln 2).
const HIGH_GAIN: f64 = 2.885;
/// BDPs in flight at most, alone (BBR).
const WINDOW: f64 = 2.0;
/// BDPs in flight while it looks: alone, and beside others.
const LOOK_ALONE: f64 = 0.5;
const LOOK_BESIDE: f64 = 0.75;
/// Part of the queue that the latest probe may have made which is its own, with the least change of one.
const OWN_QUEUE: f64 = 0.5;
/// Segments in a burst where the buffer is short.
const SHORT_BURST: u64 = 2;
/// Part of what the path's rate and its present queue hold that it begins with beside others, if that is more than a
/// BDP.
const LEFT_BESIDE: f64 = 0.75;
/// Part of the window that a timeout leaves.
const RESTART: f64 = 0.25;
/// Part of the target window at which a timeout counts as made up for.
const REBUILT: f64 = 0.9;

/// Congestion control of the preset `skywave`, state of one sender: it follows the path's rate whatever is
/// lost at random and however delays vary, and is CUBIC beside other flows.
#[derive(Clone, Debug)]
pub struct Capacity {
    model: Model,
    start: Start,
    phase: Phase,
    giving: Giving,
    beside: Beside,
    policed: Policed,
    cubic: Cubic,
    /// The window and threshold that the sender has but while it looks.
    own: Window,
    /// The window and threshold before the latest cut, which may have been a mistake.
    before_cut: Option<Window>,
    /// The window before the first one of a series of timeouts.
    before_timeouts: Window,
    /// The window when it was last beside others; infinite if it was not of late.
    kept: Segments,
    pace: Pace,
}

impl BuiltIn for Capacity {
    type Config = ();
    /// In a box: it is several times as large as the others.
    type State = Box<Self>;
    const NAME: &'static str = "capacity";
    const SUMMARY: &'static str = "the path's rate, whatever it loses and however its delays vary; CUBIC beside others; paced";
    const SOURCE: &'static str = "docs/mechanisms/capacity.md";

    fn build(_config: &(), setup: &Setup) -> Box<Self> {
        Box::new(Self::new(setup))
    }
}

impl Law for Capacity {
    const HEARS_ONE_WAY: bool = true;
}

impl Capacity {
    /// State of a sender with the preset `skywave`'s congestion control that has sent nothing yet.
    pub fn new(setup: &Setup) -> Self {
        let own = Window {
            cwnd: setup.initial_window,
            ssthresh: Segments(f64::INFINITY),
        };
        Self {
            model: Model::new(setup.mss),
            start: Start::default(),
            phase: Phase::Startup,
            giving: Giving::at_start(),
            beside: Beside::default(),
            policed: Policed::default(),
            cubic: beside::cubic(),
            own,
            before_cut: None,
            before_timeouts: own,
            kept: Segments(f64::INFINITY),
            pace: Pace::new(setup.initial_window, setup.mss, Gain(HIGH_GAIN)),
        }
    }

    fn is_alone(&self) -> bool {
        self.phase != Phase::Beside
    }

    /// Less is in flight on purpose, in BDPs.
    fn looks(&self) -> Option<f64> {
        match self.phase {
            Phase::Look { .. } => Some(LOOK_ALONE),
            Phase::Beside if self.beside.looks() => Some(LOOK_BESIDE),
            _ => None,
        }
    }

    /// The sender's window.
    fn window(&self) -> Window {
        let cwnd = self.looks().map_or(self.own.cwnd, |bdps| {
            let look = Segments(self.model.bdp() * bdps);
            self.own.cwnd.min(look).max(FEWEST)
        });
        Window { cwnd, ..self.own }
    }

    /// Goes on as CUBIC does after a cut: from a BDP, or from most of what the path holds with its present queue if
    /// that is more, but at most from the last window beside others.
    fn begin_cubic(&mut self) {
        let most = self.model.filled_with_queue() * LEFT_BESIDE;
        let cwnd = Segments(self.model.bdp().max(most));
        let cwnd = cwnd.min(self.kept).max(FEWEST);
        self.own = Window {
            cwnd,
            ssthresh: cwnd,
        };
        self.cubic = beside::cubic();
    }

    /// Alone, the window grows by what arrives up to what the path needs. What that is the start does not know: `limited` by
    /// something else than the window, it does not grow.
    fn grow_alone(&mut self, arrived: Segments, limited: bool) {
        if self.phase == Phase::Startup && limited {
            return;
        }
        let cwnd = self.own.cwnd + arrived;
        let gain = match self.phase {
            Phase::Startup => f64::INFINITY,
            Phase::Drain { .. } => HIGH_GAIN,
            Phase::Hold { .. } => 1.0,
            _ => WINDOW,
        };
        let target = self.model.target(gain, &self.pace);
        if cwnd >= target * REBUILT {
            self.model.on_rebuilt();
        }
        self.own.cwnd = cwnd.min(target).max(FEWEST);
    }

    /// Beside others, CUBIC's growth, if half of the window or more was in flight: losses and the pace keep it from
    /// being filled.
    fn grow_beside(&mut self, ack: &AckEvent, flight: f64, window: &Window) {
        let ack = AckEvent {
            counted: ack.delivered,
            may_grow: flight * 2.0 >= window.cwnd.0,
            ..*ack
        };
        self.cubic.grow(&ack, &mut self.own);
    }

    /// CUBIC's cut.
    fn cut(&mut self, event: &LossEvent) -> Response {
        let event = LossEvent {
            window: self.own.cwnd,
            ..*event
        };
        self.before_cut = Some(self.own);
        let cut = self.cubic.on_loss(&event, &self.own);
        self.own.apply(cut);
        Response {
            window_after: self.window().cwnd,
            ..cut
        }
    }

    /// Alone, a loss at a queue: whether it is longer than its own probe explains.
    fn others_may_have_lost(&self) -> bool {
        let Phase::Cycle(cycle) = self.phase else {
            return false;
        };
        let queue = &self.model.queue;
        let own = queue.base() * cycle.asked() * OWN_QUEUE + self.model.least_change();
        cycle.is_steady() || queue.latest().min(queue.now()) > own
    }

    fn set_pace(&mut self, ack: &AckEvent) {
        self.pace.on_ack(ack, self.own.cwnd);
        let left = self.giving.pace();
        let filled = |gain| {
            let gain = gain * self.model.redundancy();
            (self.model.bandwidth.get(), Gain(gain))
        };
        let (rate, gain) = match self.phase {
            Phase::Startup => filled(HIGH_GAIN),
            Phase::Drain { .. } => filled(1.0 / HIGH_GAIN),
            Phase::Cycle(cycle) => match self.policed.rate() {
                Some(rate) => (rate, Gain(cycle.gain(left).min(left))),
                None => filled(cycle.gain(left)),
            },
            Phase::Look { .. } | Phase::Hold { .. } => filled(left),
            Phase::Beside => {
                if let Some(srtt) = ack.srtt.filter(|srtt| !srtt.is_zero()) {
                    let mss = self.model.mss();
                    let pace = rate_of_window(self.own.cwnd, srtt, mss, AVOIDANCE_GAIN);
                    self.pace.set(pace);
                }
                return;
            }
        };
        let was_full = self.phase != Phase::Startup;
        self.pace.follow(rate, gain, was_full);
    }
}

impl CongestionControl for Capacity {
    fn grow(&mut self, ack: &AckEvent, window: &mut Window) {
        let Some(sample) = ack.rate else {
            // Nothing has arrived.
            return;
        };
        if self.is_alone() {
            // It has no threshold of its own.
            self.own.ssthresh = window.ssthresh;
        }
        let round = self.model.on_ack(ack, &sample, self.own.cwnd);
        if round {
            let steady = self.is_steady();
            self.model.end_round(ack.now, steady);
            self.giving.on_round(self.model.queue.latest());
        }
        self.advance(ack, &sample, round);
        let flight = self.model.segments(sample.flight_before);
        if self.is_alone() {
            let limited = sample.app_limited && flight * 2.0 < self.own.cwnd.0;
            self.grow_alone(ack.delivered, limited);
        } else if self.looks().is_none() {
            self.grow_beside(ack, flight, window);
        }
        self.set_pace(ack);
        *window = self.window();
    }

    fn on_loss(&mut self, loss: &LossEvent, window: &Window) -> Response {
        if loss.cause == LossCause::Eln || self.looks().is_some() || !self.model.is_congested() {
            return Response::unchanged(window);
        }
        if matches!(self.phase, Phase::Hold { .. }) {
            // Holding still adds next to nothing to a queue: others have filled it.
            self.begin_beside();
        }
        if self.is_alone() {
            if self.others_may_have_lost() {
                self.giving.give_for_loss();
            }
            return Response::unchanged(window);
        }
        self.cut(loss)
    }

    /// No channel marks: there is a queue, and others may share it.
    fn on_ecn(&mut self, mark: &LossEvent, window: &Window) -> Response {
        if self.is_alone() {
            self.giving.give_for_loss();
            return Response::unchanged(window);
        }
        self.cut(mark)
    }

    fn on_timeout(&mut self, timeout: &TimeoutEvent, window: &Window) -> Response {
        let left = |window: Segments| (window * RESTART).max(Segments::ONE);
        let cut = if self.is_alone() {
            if self.phase == Phase::Startup {
                self.start.full_pipe.forget_rate();
            }
            self.own.ssthresh = window.ssthresh;
            if self.model.on_timeout() {
                self.before_timeouts = self.own;
            }
            self.before_cut = Some(self.before_timeouts);
            Response {
                ssthresh: self.own.ssthresh,
                window_after: left(self.before_timeouts.cwnd),
            }
        } else {
            self.before_cut = Some(self.own);
            if self.model.is_congested() {
                self.cubic.on_timeout(timeout, &self.own)
            } else {
                Response {
                    ssthresh: self.own.cwnd,
                    window_after: left(self.own.cwnd),
                }
            }
        };
        self.own.apply(cut);
        cut
    }

    fn on_spurious(&mut self, _spurious: &SpuriousEvent, window: &mut Window) {
        if let Some(before) = self.before_cut.take() {
            self.own.take_back(&before);
            *window = self.window();
        }
        if self.phase == Phase::Startup {
            self.start.full_pipe.begin_again();
        }
    }

    /// The pace keeps what follows from being a burst.
    fn on_idle_restart(&mut self, _idle: &IdleEvent, _window: &mut Window) {}

    fn on_segment_lost(&mut self, _now: Time, lost: &LossSample, _window: &Window) {
        self.model.losses.on_lost(lost);
    }

    fn facts(&self) -> LawFacts {
        LawFacts {
            owns_window: true,
            needs_rate: true,
            needs_losses: true,
            ..LawFacts::default()
        }
    }

    fn send_quantum(&self) -> Option<u64> {
        let short = self.is_alone() && self.model.losses.show_a_short_buffer();
        short.then(|| u64::from(self.model.mss()) * SHORT_BURST)
    }

    fn pacing_rate(&self) -> Option<Rate> {
        Some(self.pace.rate())
    }
}

#[cfg(test)]
mod tests;
