//! A link for tests, that answers probes as its laws say.

use skywave_core::rng::Stream;

use crate::record::{Fate, Probe, ProbeTool, Probes, Reading, Way};

/// A law of jitter of one direction, milliseconds.
#[derive(Clone, Copy, Debug)]
pub(super) enum Jitter {
    None,
    Uniform(f64),
    Exponential(f64),
    /// Shape, a whole number, and scale.
    Gamma(u32, f64),
}

/// A law of losses of one direction.
#[derive(Clone, Copy, Debug)]
pub(super) enum Losses {
    Independent(f64),
    /// Mean times in the good and the bad state, seconds.
    Bursts(f64, f64),
}

#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) seed: u64,
    pub(super) tool: ProbeTool,
    pub(super) probes: usize,
    pub(super) spacing_s: f64,
    /// The round trip without anything else by the time in seconds, milliseconds.
    pub(super) base: fn(f64) -> f64,
    /// There and back.
    pub(super) jitter: [Jitter; 2],
    pub(super) losses: [Losses; 2],
    /// Round trip in milliseconds and probability of a failure; on the way there.
    pub(super) arq: Option<(f64, f64)>,
    /// Period, start and length of outages, seconds.
    pub(super) outages: Option<(f64, f64, f64)>,
    /// Standing queue of others, that changes slowly.
    pub(super) queue_ms: f64,
    /// Share of answers that the host delays by 3 ms in the mean.
    pub(super) host: f64,
    /// Drift of the clocks, seconds a second.
    pub(super) drift: f64,
}

impl Link {
    /// Five minutes of ping over a plain link of 40 ms.
    pub(super) fn ping(seed: u64) -> Self {
        Self {
            seed,
            tool: ProbeTool::Ping,
            probes: 1500,
            spacing_s: 0.2,
            base: |_| 40.0,
            jitter: [Jitter::None; 2],
            losses: [Losses::Independent(0.0); 2],
            arq: None,
            outages: None,
            queue_ms: 0.0,
            host: 0.02,
            drift: 0.0,
        }
    }

    /// Five minutes of irtt.
    pub(super) fn irtt(seed: u64) -> Self {
        Self {
            tool: ProbeTool::Irtt,
            probes: 15_000,
            spacing_s: 0.02,
            drift: 2e-5,
            ..Self::ping(seed)
        }
    }

    pub(super) fn probe(&self) -> Probes {
        let stream = |purpose| Stream::named(self.seed, "link", purpose);
        let mut ways = [0, 1].map(|way| Direction {
            link: self,
            way,
            jitter: stream(["there", "back"][way]),
            losses: stream(["lost there", "lost back"][way]),
            bad_until: None,
            queue: 0.0,
            last_ms: 0.0,
        });
        let mut host = stream("host");
        let probes = (0..self.probes).map(|i| {
            let sent_s = i as f64 * self.spacing_s;
            let delays = ways.each_mut().map(|way| way.delay_ms(sent_s));
            let delayed = host.chance(self.host);
            let host_ms = host.exponential(0.05) + f64::from(delayed) * host.exponential(3.0);
            let fate = match delays {
                [None, _] => Fate::Lost(self.known(Way::Up)),
                [_, None] => Fate::Lost(self.known(Way::Down)),
                [Some(up), Some(down)] => self.answer(sent_s, up + host_ms, down),
            };
            Probe { sent_s, fate }
        });
        Probes {
            tool: self.tool,
            probes: probes.collect(),
            bytes: Some(84),
            is_timed: true,
        }
    }

    fn known(&self, way: Way) -> Way {
        if self.tool == ProbeTool::Irtt {
            way
        } else {
            Way::Unknown
        }
    }

    fn answer(&self, sent_s: f64, up_ms: f64, down_ms: f64) -> Fate {
        let rtt = up_ms + down_ms;
        if self.tool == ProbeTool::Irtt {
            return Fate::Answered {
                rtt: Reading {
                    low_s: rtt / 1e3,
                    high_s: rtt / 1e3,
                },
                up_s: Some(up_ms / 1e3 + 7.0 + self.drift * sent_s),
                down_s: Some(down_ms / 1e3 - 7.0 - self.drift * sent_s),
            };
        }
        // As iputils rounds.
        let step = match rtt {
            x if x < 10.0 => 0.01,
            x if x < 100.0 => 0.1,
            _ => 1.0,
        };
        let shown = (rtt / step).round() * step;
        Fate::Answered {
            rtt: Reading {
                low_s: (shown - step / 2.0) / 1e3,
                high_s: (shown + step / 2.0) / 1e3,
            },
            up_s: None,
            down_s: None,
        }
    }
}

struct Direction<'a> {
    link: &'a Link,
    way: usize,
    jitter: Stream,
    losses: Stream,
    /// The state of the channel in time, and until when it lasts.
    bad_until: Option<(bool, f64)>,
    queue: f64,
    /// Arrival of the probe before, milliseconds.
    last_ms: f64,
}

impl Direction<'_> {
    /// `None` if the probe is lost.
    fn delay_ms(&mut self, now_s: f64) -> Option<f64> {
        let link = self.link;
        let s = &mut self.jitter;
        let mut delay = (link.base)(now_s) / 2.0
            + match link.jitter[self.way] {
                Jitter::None => 0.0,
                Jitter::Uniform(width) => s.uniform(0.0, width),
                Jitter::Exponential(mean) => s.exponential(mean),
                Jitter::Gamma(shape, scale) => (0..shape).map(|_| s.exponential(scale)).sum(),
            };
        if self.way == 0 {
            self.queue = 0.8 * self.queue + 0.2 * s.exponential(3.0 * link.queue_ms);
            delay += self.queue;
        }
        if let (0, Some((round_trip, p))) = (self.way, link.arq) {
            while self.losses.chance(p) {
                delay += round_trip;
            }
        }
        let lost = self.loses(now_s);
        if lost || self.way == 0 && self.is_out(now_s) {
            return None;
        }
        // In order, as the simulator's jitter and a link's retransmissions are.
        let arrival = f64::max(1e3 * now_s + delay, self.last_ms);
        self.last_ms = arrival;
        Some(arrival - 1e3 * now_s)
    }

    fn loses(&mut self, now_s: f64) -> bool {
        let s = &mut self.losses;
        match self.link.losses[self.way] {
            Losses::Independent(p) => s.chance(p),
            Losses::Bursts(good_s, bad_s) => {
                let (bad, until) = self
                    .bad_until
                    .get_or_insert_with(|| (false, s.exponential(good_s)));
                while *until <= now_s {
                    *bad = !*bad;
                    *until += s.exponential(if *bad { bad_s } else { good_s });
                }
                *bad
            }
        }
    }

    fn is_out(&self, now_s: f64) -> bool {
        self.link.outages.is_some_and(|(every, start, length)| {
            let since = now_s - start;
            since >= 0.0 && since % every < length
        })
    }
}
