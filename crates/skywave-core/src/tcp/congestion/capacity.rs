//! A window that random loss does not shrink, and that keeps its own queue short: CUBIC, but no loss cuts it
//! below what the path was measured to carry, a loss without a queue cuts nothing, and a sender that is alone
//! keeps no more than half a round trip of queue.
//!
//! Three things are known of the path: the largest rate of delivery of the last ten round trips (as BBR
//! has it), the smallest round trip, and the queue, which is what a round trip takes longer (as CERL reads
//! it). Rate times smallest round trip is the BDP: what must be in flight to use the path without a queue.
//!
//! - A loss while the queue is short says nothing about congestion: the window stays, and CUBIC's growth
//!   goes on as if nothing had happened.
//! - A loss while the queue is long is answered as by CUBIC, but not below the BDP (as Westwood does it).
//!   Beside other senders the own share of the rate makes a small BDP, so that CUBIC's cut decides. Where
//!   such losses go on in the round trips that follow, the [floor falls](pressure).
//! - A mark is no random loss: CUBIC's cut.
//! - [Alone](alone) at the bottleneck, the window grows to one and a half BDPs and no further. Beside others
//!   such a bound would leave the sender nothing, so there is none.
//! - ACKs in lumps, as Wi-Fi and cellular links send them, widen BDP and bound by the largest lump (BBR in
//!   Linux since 4.20).
//!
//! Slow start ends when the rate stops growing (BBR), when the smallest queue of a round trip is long, or
//! when a round trip loses more than a channel would. What is lost is repaired by SACK at the window's own
//! size ([`owns_window`](CongestionControl::owns_window)), and the sender is paced as Linux paces: a burst
//! in a short queue would cost packets that only look like random loss.

mod alone;
mod pressure;
mod queue;

use super::cubic::{Cubic, CubicConfig};
use super::path::{FEWEST, FullPipe, Largest, Lumps, MaxRate, NO_RATE, Rounds, delivered_in};
use super::{CongestionControl, Law};
use crate::tcp::flight::RateSample;
use crate::tcp::pacing::{AVOIDANCE_GAIN, NOMINAL_RTT, SLOW_START_GAIN, rate_of_window};
use crate::tcp::slot::{BuiltIn, Setup};
use crate::tcp::window::{
    AckEvent, IdleEvent, LossCause, LossEvent, Response, SpuriousEvent, TimeoutEvent, Window,
};
use crate::units::{Rate, Segments};

use alone::Alone;
use pressure::Pressure;
use queue::Queue;

/// A cut to this part of the window or more is none: CUBIC would begin a new period of growth for nothing.
const KEPT: f64 = 0.95;

/// Losing this part of a round trip's segments is congestion even without a queue, as at a buffer of a few
/// packets. No channel that TCP works over loses that much; doubling the window beyond such a buffer loses
/// half.
const TOO_MUCH: f64 = 0.3;
/// ... of at least this many segments.
const TOO_MANY: Segments = Segments(8.0);

/// The largest window of a sender that is alone, in BDPs: half a round trip of queue bridges the gaps of a
/// link whose rate varies.
const BOUND: f64 = 1.5;

/// Round trips for which a lump of ACKs counts, as a rate does.
const LUMP_ROUNDS: usize = 11;

/// State of one sender.
#[derive(Clone, Debug)]
pub struct Capacity {
    mss: u32,
    cubic: Cubic,
    /// CUBIC's window and threshold. The sender's window is smaller while it looks whether it is alone.
    own: Window,
    /// The same before the latest cut, which may have been a mistake.
    before_cut: Option<Window>,
    pressure: Pressure,
    rounds: Rounds,
    bandwidth: MaxRate,
    lumps: Lumps,
    largest_lump: Largest<Segments, LUMP_ROUNDS>,
    full_pipe: FullPipe,
    queue: Queue,
    alone: Alone,
    /// What the present round trip has delivered and lost, in segments.
    delivered: Segments,
    lost: Segments,
    /// The first slow start goes on.
    startup: bool,
    pace: Rate,
}

impl BuiltIn for Capacity {
    type Config = ();
    /// In a box: it is several times as large as the others.
    type State = Box<Self>;
    const NAME: &'static str = "capacity";
    const SUMMARY: &'static str = "CUBIC that no loss cuts below the measured BDP; alone it keeps half a round trip of queue; paced";
    const SOURCE: &'static str = "docs/mechanisms/capacity.md";
    const DEFAULT: () = ();

    fn build(_config: &(), setup: &Setup) -> Box<Self> {
        Box::new(Self::new(setup))
    }
}

impl Law for Capacity {}

impl Capacity {
    /// A sender that has seen nothing yet.
    pub fn new(setup: &Setup) -> Self {
        Self {
            mss: setup.mss,
            // Linux' constants: this sender meets Linux' CUBIC.
            cubic: Cubic::new(CubicConfig {
                alpha_one: false,
                ..CubicConfig::DEFAULT
            }),
            own: Window {
                cwnd: setup.initial_window,
                ssthresh: Segments(f64::INFINITY),
            },
            before_cut: None,
            pressure: Pressure::default(),
            rounds: Rounds::default(),
            bandwidth: MaxRate::new(NO_RATE),
            lumps: Lumps::default(),
            largest_lump: Largest::new(Segments::ZERO),
            full_pipe: FullPipe::default(),
            queue: Queue::default(),
            alone: Alone::default(),
            delivered: Segments::ZERO,
            lost: Segments::ZERO,
            startup: true,
            pace: rate_of_window(
                setup.initial_window,
                NOMINAL_RTT,
                setup.mss,
                SLOW_START_GAIN,
            ),
        }
    }

    /// What must be in flight to use all of the path; no segment before anything was measured.
    fn bdp(&self) -> Segments {
        let rtt = self.queue.min_rtt().unwrap_or_default();
        delivered_in(rtt, self.bandwidth.get(), self.mss)
    }

    /// No loss cuts below it.
    fn floor(&self) -> Segments {
        let lump = if self.alone.is_alone() {
            self.largest_lump.get()
        } else {
            Segments::ZERO
        };
        ((self.bdp() + lump) * self.pressure.relief(self.rounds.count())).max(FEWEST)
    }

    /// CUBIC's window grows no further.
    fn bound(&self) -> Segments {
        if self.startup || !self.alone.is_alone() {
            return Segments(f64::INFINITY);
        }
        (self.bdp() * BOUND + self.largest_lump.get()).max(FEWEST)
    }

    /// The sender's window.
    fn window(&self) -> Window {
        let cwnd = if self.alone.looks() {
            self.own.cwnd.min(self.bdp().max(FEWEST))
        } else {
            self.own.cwnd
        };
        Window { cwnd, ..self.own }
    }

    /// The sender's own bounds may have changed its window since.
    fn take_over(&mut self, window: &Window) {
        if !self.alone.looks() {
            self.own = *window;
        }
    }

    /// Takes the sample into what is known of the path; whether a round trip is over.
    fn measure(&mut self, ack: &AckEvent, sample: &RateSample) -> bool {
        let round = self.rounds.on_ack(sample);
        if let Some(rate) = sample.rate()
            && (!sample.app_limited || rate >= self.bandwidth.get())
        {
            self.bandwidth.update(self.rounds.count(), rate);
        }
        let lump = self.lumps.on_ack(ack, self.bandwidth.get(), self.mss);
        let lump = lump.max(Segments::ZERO).min(self.own.cwnd);
        self.largest_lump.update(self.rounds.count(), lump);
        if let Some(rtt) = sample.rtt {
            let few = FEWEST.to_bytes(self.mss);
            let (few, _) = self.bandwidth.get().transmission_time(few, 0);
            self.queue.set_few(few);
            self.queue.on_sample(rtt);
            if !self.queue.is_long_for_the_path() {
                self.alone.on_empty();
            }
        }
        round
    }

    /// Whether the first slow start has filled the path, as of this ACK.
    fn fills_the_path(&mut self, round: bool, sample: &RateSample) -> bool {
        if round && !sample.app_limited {
            self.full_pipe.on_round(self.bandwidth.get());
        }
        self.full_pipe.is_reached() || round && self.queue.stayed_long() || self.loses_too_much()
    }

    /// The present round trip loses more than a channel would.
    fn loses_too_much(&self) -> bool {
        let sent = self.lost + self.delivered;
        self.lost >= TOO_MANY && self.lost > sent * TOO_MUCH
    }

    fn end_slow_start(&mut self) {
        self.startup = false;
        let floor = self.floor();
        self.own.ssthresh = floor;
        self.own.cwnd = self.own.cwnd.min(floor);
        // The queue is the slow start's own.
        self.alone.on_empty();
    }

    fn end_round(&mut self) {
        self.pressure.on_round(self.loses_too_much());
        self.queue.begin_round();
        self.alone.on_round(self.rounds.count());
        (self.delivered, self.lost) = (Segments::ZERO, Segments::ZERO);
    }

    /// Whether a loss now is one that the queue may have caused.
    fn is_congested(&self) -> bool {
        if self.startup {
            self.queue.is_long_for_the_path()
        } else if self.pressure.is_overloaded() {
            true
        } else if self.alone.is_alone() {
            self.queue.is_long_for_the_buffer()
        } else {
            self.queue.is_long()
        }
    }

    /// Applies a cut to CUBIC's window; the answer to the sender.
    fn cut(&mut self, response: Response) -> Response {
        self.before_cut = Some(self.own);
        self.own.apply(response);
        Response {
            window_after: self.window().cwnd,
            ..response
        }
    }
}

impl CongestionControl for Capacity {
    fn on_ack(&mut self, ack: &AckEvent, window: &mut Window) {
        let Some(sample) = ack.rate else {
            // Nothing has arrived.
            return;
        };
        self.take_over(window);
        let round = self.measure(ack, &sample);
        self.delivered += ack.delivered;
        self.lost += ack.lost;
        if self.startup && self.fills_the_path(round, &sample) {
            self.end_slow_start();
        }
        if round {
            self.end_round();
        }
        let pace = if self.own.cwnd < self.own.ssthresh {
            SLOW_START_GAIN
        } else {
            AVOIDANCE_GAIN
        };
        // A window that is not half used does not grow. Losses and the pace keep it from being filled.
        let used = Segments::from_bytes(sample.flight_before, self.mss) * 2.0 >= window.cwnd;
        let ack = AckEvent {
            counted: ack.delivered,
            may_grow: used,
            ..*ack
        };
        if !self.alone.looks() {
            self.cubic.on_ack(&ack, &mut self.own);
        }
        self.own.cwnd = self.own.cwnd.min(self.bound());
        *window = self.window();
        if let Some(srtt) = ack.srtt.filter(|srtt| !srtt.is_zero()) {
            self.pace = rate_of_window(window.cwnd, srtt, self.mss, pace);
        }
    }

    fn on_loss(&mut self, loss: &LossEvent, window: &Window) -> Response {
        self.take_over(window);
        if loss.cause == LossCause::Eln || !self.is_congested() || self.alone.looks() {
            return Response::unchanged(window);
        }
        if self.queue.is_long_for_the_path() || self.pressure.is_overloaded() {
            let round = self.rounds.count();
            self.pressure
                .on_congestion(round, CubicConfig::DEFAULT.beta);
        }
        let floor = self.floor();
        if !self.startup && floor >= self.own.cwnd * KEPT {
            return Response::unchanged(window);
        }
        let loss = LossEvent {
            window: self.own.cwnd,
            ..*loss
        };
        let cut = self.cubic.on_loss(&loss, &self.own);
        let to = if std::mem::take(&mut self.startup) {
            floor
        } else {
            cut.ssthresh.max(floor)
        };
        self.cut(Response::cut_to(to.min(self.own.cwnd.max(FEWEST))))
    }

    fn on_timeout(&mut self, timeout: &TimeoutEvent, window: &Window) -> Response {
        self.take_over(window);
        self.startup = false;
        let cut = self.cubic.on_timeout(timeout, &self.own);
        self.cut(Response {
            ssthresh: cut.ssthresh.max(self.bdp()).max(FEWEST),
            ..cut
        })
    }

    fn on_ecn(&mut self, mark: &LossEvent, window: &Window) -> Response {
        self.take_over(window);
        self.startup = false;
        let cut = self.cubic.on_loss(mark, &self.own);
        self.cut(cut)
    }

    fn on_spurious(&mut self, _spurious: &SpuriousEvent, window: &mut Window) {
        if let Some(before) = self.before_cut.take() {
            self.own.take_back(&before);
            *window = self.window();
        }
    }

    /// The pace keeps what follows from being a burst.
    fn on_idle_restart(&mut self, _idle: &IdleEvent, _window: &mut Window) {}

    fn owns_window(&self) -> bool {
        true
    }

    fn needs_rate(&self) -> bool {
        true
    }

    fn pacing_rate(&self) -> Option<Rate> {
        Some(self.pace)
    }
}

#[cfg(test)]
mod tests;
