//! Copa (Arun and Balakrishnan, NSDI 2018): a window that follows the delay of the queue.
//!
//! The rate that weighs throughput against delay best is `1/(δ·dq)` segments a second, where `dq` is the
//! delay of the queue. Each ACK moves the window towards that rate, by `v/(δ·cwnd)` segments, where the
//! velocity (`velocity.rs`) grows while the direction stays the same. So the queue oscillates, and is empty
//! at least once in five round trips; where it is not, somebody else fills it, and δ gives way (`mode.rs`).
//! How long a round trip is without the queue and with it is in `delay.rs`.

mod delay;
mod mode;
mod overload;
mod velocity;

use super::path::Rounds;
use super::{CongestionControl, Law, LawFacts};
use crate::parameter::parameters;
use crate::tcp::flight::RateSample;
use crate::tcp::pacing::{NOMINAL_RTT, rate_of_window};
use crate::tcp::slot::{BuiltIn, Setup};
use crate::tcp::window::{
    AckEvent, IdleEvent, LossEvent, Repairing, Response, SpuriousEvent, TimeoutEvent, Window,
};
use crate::time::Duration;
use crate::units::{Rate, Segments};

use delay::Delays;
use mode::Mode;
use overload::Overload;
use velocity::Velocity;

parameters! {
    /// Copa's constants, by default as published.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct CopaConfig {
        /// δ, the weight of delay against throughput: 1/δ segments of a flow are queued on average.
        // 1/δ segments of a flow are in the queue on average, while no loss-based flow is about.
        delta: f64 = 0.5, Positive;
        /// Lowers δ beside flows that fill the queue.
        // It becomes as aggressive as they are.
        competitive: bool = true, Flag;
    }
}

/// State of one Copa sender.
#[derive(Clone, Debug)]
pub struct Copa {
    mss: u32,
    rounds: Rounds,
    delays: Delays,
    velocity: Velocity,
    mode: Mode,
    overload: Overload,
    /// The window doubles each round trip.
    slow_start: bool,
    pace: Rate,
    /// Repair that goes on as of the last ACK.
    repairing: Repairing,
    /// The window before the latest timeout, if no loss was found since.
    before_timeout: Option<Segments>,
}

impl BuiltIn for Copa {
    type Config = CopaConfig;
    /// In a box: it is several times as large as the others.
    type State = Box<Self>;
    const NAME: &'static str = "copa";
    const SUMMARY: &'static str =
        "a rate of 1/(δ·queueing delay); gives δ way beside flows that fill the queue";
    const SOURCE: &'static str = "Arun and Balakrishnan 2018";

    fn build(config: &CopaConfig, setup: &Setup) -> Box<Self> {
        Box::new(Self::new(*config, setup))
    }
}

impl Law for Copa {}

/// Pace in windows a round trip: it smooths bursts, and the window stays the limit.
const PACE: f64 = 2.0;
/// Part of the window that is kept when too much is lost.
const OVERLOAD_CUT: f64 = 0.7;
/// Least window: with one segment there would be no second one to tell a round trip by.
const LEAST_WINDOW: Segments = Segments(2.0);

impl Copa {
    /// State of a Copa sender that has sent nothing yet.
    pub fn new(config: CopaConfig, setup: &Setup) -> Self {
        let mut copa = Self {
            mss: setup.mss,
            rounds: Rounds::default(),
            delays: Delays::default(),
            velocity: Velocity::default(),
            mode: Mode::new(config),
            overload: Overload::default(),
            slow_start: true,
            pace: Rate::from_bps(1),
            repairing: Repairing::Nothing,
            before_timeout: None,
        };
        copa.set_pace(setup.initial_window, NOMINAL_RTT);
        copa
    }

    fn set_pace(&mut self, window: Segments, rtt: Duration) {
        self.pace = rate_of_window(window, rtt, self.mss, PACE);
    }

    /// The rate, cwnd/RTTstanding, is at most the target, 1/(δ·dq).
    fn is_below_target(&self, cwnd: Segments) -> bool {
        let queued = cwnd.0 * self.mode.delta() * self.delays.queueing().as_secs_f64();
        queued <= self.delays.standing().as_secs_f64()
    }

    /// `arrived` segments were acknowledged: the window goes towards the target.
    fn move_window(&mut self, arrived: Segments, sample: &RateSample, window: &mut Window) {
        let up = self.is_below_target(window.cwnd);
        // A window that nobody uses says nothing about the queue. It is filled in half a round trip.
        let used = Segments::from_bytes(sample.flight_before, self.mss) * PACE >= window.cwnd;
        self.slow_start &= up;
        let step = if self.slow_start {
            arrived
        } else {
            self.velocity.go(up, window.cwnd);
            arrived * self.velocity.step(self.mode.delta(), window.cwnd)
        };
        if !up {
            window.cwnd = (window.cwnd - step).max(LEAST_WINDOW);
        } else if used {
            window.cwnd += step;
        }
    }

    /// An ACK of something new: the window follows the delay of the queue.
    fn follow(&mut self, ack: &AckEvent, srtt: Duration, window: &mut Window) {
        let Some(sample) = ack.rate else {
            return; // nothing has arrived
        };
        if let Some(rtt) = sample.rtt {
            self.delays.update(ack.now, rtt, srtt);
            self.mode.on_ack(ack.now, &self.delays, srtt);
        }
        if self.delays.standing().is_zero() {
            return;
        }
        if self.rounds.on_ack(&sample) {
            self.mode.on_round();
            if !self.slow_start {
                self.velocity.on_round(window.cwnd);
            }
        }
        let was_slow_start = self.slow_start;
        self.move_window(ack.delivered, &sample, window);
        if was_slow_start && !self.slow_start {
            self.velocity = Velocity::starting_at(window.cwnd);
        }
        self.set_pace(window.cwnd, self.delays.standing());
    }

    /// Too much is lost, whatever the delay says.
    fn cut(&mut self, window: &mut Window) {
        self.mode.on_loss();
        window.cwnd = (window.cwnd * OVERLOAD_CUT).max(LEAST_WINDOW);
        self.slow_start = false;
        self.velocity = Velocity::starting_at(window.cwnd);
        if !self.delays.standing().is_zero() {
            self.set_pace(window.cwnd, self.delays.standing());
        }
    }
}

impl CongestionControl for Copa {
    fn grow(&mut self, ack: &AckEvent, window: &mut Window) {
        if ack.rate.is_some() {
            self.repairing = ack.repairing;
        }
        let Some(srtt) = ack.srtt else {
            return;
        };
        self.follow(ack, srtt, window);
        if self.overload.update(ack.now, srtt, ack.delivered, ack.lost) {
            self.cut(window);
        }
    }

    /// A loss alone changes no window; beside flows that fill the queue it changes δ.
    fn on_loss(&mut self, _loss: &LossEvent, window: &Window) -> Response {
        self.mode.on_loss();
        self.before_timeout = None;
        Response::unchanged(window)
    }

    fn on_timeout(&mut self, timeout: &TimeoutEvent, window: &Window) -> Response {
        self.mode.on_loss();
        let again = self.repairing == Repairing::Timeout;
        let before = self.before_timeout.filter(|_| again);
        self.before_timeout = Some(before.unwrap_or(window.cwnd).max(window.cwnd));
        self.repairing = Repairing::Timeout;
        self.slow_start = true;
        Response::restart(timeout.window / 2.0)
    }

    fn on_spurious(&mut self, _spurious: &SpuriousEvent, window: &mut Window) {
        if let Some(before) = self.before_timeout.take() {
            window.cwnd = window.cwnd.max(before);
        }
    }

    fn on_resume(&mut self, idle: &IdleEvent) {
        self.mode.on_resume(idle.now);
    }

    /// The pace keeps what follows from being a burst.
    fn on_idle_restart(&mut self, _idle: &IdleEvent, _window: &mut Window) {}

    fn facts(&self) -> LawFacts {
        LawFacts {
            owns_window: true,
            needs_rate: true,
            ..LawFacts::default()
        }
    }

    fn pacing_rate(&self) -> Option<Rate> {
        Some(self.pace)
    }
}

#[cfg(test)]
mod tests;
