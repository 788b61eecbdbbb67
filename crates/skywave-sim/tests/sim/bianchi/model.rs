//! Bianchi's model of DCF: n stations that all hear one another and always have something to send.
//!
//! Sources: G. Bianchi, "Performance Analysis of the IEEE 802.11 Distributed Coordination Function",
//! IEEE JSAC 18 (2000); G. Bianchi and I. Tinnirello, "Remarks on IEEE 802.11 DCF Performance
//! Analysis", IEEE Communications Letters 9 (2005), whose formula holds with a retry limit too.
//! Times are in microseconds.

/// Binary exponential backoff.
#[derive(Clone, Copy)]
pub(super) struct Backoff {
    /// First contention window: a backoff is uniform on 0 to this.
    pub(super) cw_min: u32,
    /// Greatest contention window.
    pub(super) cw_max: u32,
    /// Maximum number of attempts; `None` is no limit.
    pub(super) attempts: Option<u32>,
}

/// Probabilities of a station in a slot of the model. (There a transmission of any length is one
/// slot.)
#[derive(Clone, Copy)]
pub(super) struct Attempt {
    /// Probability that it begins a transmission (τ).
    pub(super) tau: f64,
    /// Probability that a transmission collides (p).
    pub(super) p: f64,
}

impl Backoff {
    /// The probabilities at which τ(p) and p(τ) = 1 − (1 − τ)^(n − 1) agree.
    pub(super) fn attempt(&self, stations: u32) -> Attempt {
        self.solve(stations, self.window(0))
    }

    /// As [`Self::attempt`]; `first` is the number of values that the first backoff may take.
    fn solve(&self, stations: u32, first: f64) -> Attempt {
        // p(τ) rises and τ(p) falls, so there is one solution.
        let (mut low, mut high) = (0.0, 1.0 - 1e-12);
        for _ in 0..100 {
            let p = f64::midpoint(low, high);
            let others = 1.0 - (1.0 - self.tau(p, first)).powi(stations as i32 - 1);
            if others > p {
                low = p;
            } else {
                high = p;
            }
        }
        let p = f64::midpoint(low, high);
        Attempt {
            tau: self.tau(p, first),
            p,
        }
    }

    /// How many values a backoff at a stage may take (W_i).
    fn window(&self, stage: u32) -> f64 {
        let doubled = u64::from(self.cw_min + 1) << stage.min(32);
        doubled.min(u64::from(self.cw_max) + 1) as f64
    }

    /// τ where transmissions collide with probability `p`: attempts over slots of a packet's life,
    /// which are slots of backoff and attempts.
    fn tau(&self, p: f64, first: f64) -> f64 {
        let mean = |stage| {
            let window = if stage == 0 {
                first
            } else {
                self.window(stage)
            };
            (window - 1.0) / 2.0
        };
        // From the last stage that is listed on, the window is the greatest one.
        let stages = self.attempts.unwrap_or(32);
        let reached = |stage: u32| p.powi(stage as i32);
        let mut slots: f64 = (0..stages).map(|stage| reached(stage) * mean(stage)).sum();
        let mut attempts = (1.0 - reached(stages)) / (1.0 - p);
        if self.attempts.is_none() {
            slots += reached(stages) / (1.0 - p) * mean(stages);
            attempts = 1.0 / (1.0 - p);
        }
        attempts / (attempts + slots)
    }
}

/// Times of the channel: how long slots and transmissions last.
#[derive(Clone, Copy)]
pub(super) struct Channel {
    /// Throughput bits of a packet.
    pub(super) payload: f64,
    /// An idle slot (σ).
    pub(super) slot: f64,
    /// Time from the start of a packet until the channel is free again (T_s).
    pub(super) success: f64,
    /// Time from the start of a collision until the channel is free again (T_c).
    pub(super) collision: f64,
}

/// Airtimes of frames, and the spaces around them.
#[derive(Clone, Copy)]
pub(super) struct Frames {
    /// Bits that count for the throughput.
    pub(super) payload: f64,
    /// A data frame.
    pub(super) data: f64,
    /// An acknowledgement.
    pub(super) ack: f64,
    /// An RTS.
    pub(super) rts: f64,
    /// A CTS.
    pub(super) cts: f64,
    /// A slot.
    pub(super) slot: f64,
    /// Short interframe space.
    pub(super) sifs: f64,
    /// DCF interframe space.
    pub(super) difs: f64,
    /// Time from the end of a collision until the channel is free again: DIFS in 2000, later EIFS.
    pub(super) after_collision: f64,
    /// Propagation delay.
    pub(super) delay: f64,
}

impl Frames {
    /// Data and ACK.
    pub(super) fn basic(&self) -> Channel {
        let exchange = self.data + self.delay + self.sifs + self.ack + self.delay + self.difs;
        self.channel(exchange, self.data)
    }

    /// The same with RTS and CTS before.
    pub(super) fn rts(&self) -> Channel {
        let reservation = self.rts + self.cts + 2.0 * (self.sifs + self.delay);
        self.channel(reservation + self.basic().success, self.rts)
    }

    fn channel(&self, success: f64, lost: f64) -> Channel {
        Channel {
            payload: self.payload,
            slot: self.slot,
            success,
            collision: lost + self.delay + self.after_collision,
        }
    }
}

impl Channel {
    /// Saturation throughput in Mb/s: payload over time of a slot of the model (section IV-B of 2000).
    pub(super) fn throughput(&self, stations: u32, tau: f64) -> f64 {
        let n = stations as i32;
        let idle = (1.0 - tau).powi(n);
        let success = f64::from(n) * tau * (1.0 - tau).powi(n - 1);
        let collision = 1.0 - idle - success;
        let time = idle * self.slot + success * self.success + collision * self.collision;
        success * self.payload / time
    }

    /// The most that any τ achieves when n is large, in Mb/s (2000, on the maximum throughput).
    fn limit(&self) -> f64 {
        let k = (self.collision / self.slot / 2.0).sqrt();
        let collisions = self.collision * (k * (1.0 / k).exp_m1() - 1.0);
        self.payload / (self.success + self.slot * k + collisions)
    }

    /// Includes what follows a success: only its sender may use the first slot, if it draws 0, which it
    /// does with probability `again`; the others' backoffs stand still until that slot has passed.
    fn with_runs(&self, again: f64) -> Self {
        Self {
            payload: self.payload / (1.0 - again),
            success: self.success / (1.0 - again) + self.slot,
            ..*self
        }
    }
}

/// The result of saturated stations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Saturation {
    /// Throughput of all of them, Mb/s.
    pub(super) throughput: f64,
    /// Share of attempts that collide.
    pub(super) collisions: f64,
}

/// The rule of 2000: every slot is open to all stations.
pub(super) fn saturation(backoff: Backoff, channel: Channel, stations: u32) -> Saturation {
    let Attempt { tau, p } = backoff.attempt(stations);
    Saturation {
        throughput: channel.throughput(stations, tau),
        collisions: p,
    }
}

/// With the first slot after a transmission as the standard has it: a backoff stands still until the
/// channel has been free for a slot more.
///
/// Source: "Performance Study of IEEE 802.11 DCF and IEEE 802.11e EDCA", in B. Bing, ed., Emerging
/// Technologies in Wireless LANs, Cambridge 2007, equations 39 to 42.
pub(super) fn saturation_with_frozen_slots(
    backoff: Backoff,
    channel: Channel,
    stations: u32,
) -> Saturation {
    let again = 1.0 / backoff.window(0);
    let mut channel = channel.with_runs(again);
    channel.collision += channel.slot;
    let Attempt { tau, p } = backoff.solve(stations, backoff.window(0) - 1.0);
    Saturation {
        throughput: channel.throughput(stations, tau),
        // The model counts a run of successes as one.
        collisions: p / (p + (1.0 - p) / (1.0 - again)),
    }
}

mod tests;
