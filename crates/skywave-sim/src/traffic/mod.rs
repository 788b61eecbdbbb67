//! Applications: when a source hands over how much data.

use skywave_core::rng::Stream;
use skywave_core::{Duration, Rate, Time};

use crate::spec::{Dist, FlowSpec, PauseFrom, Traffic};

/// Action of a source at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Hands over this many bytes at once (`u64::MAX`: data without end).
    Write(u64),
    /// Has nothing more, ever.
    Close,
}

/// A traffic source.
///
/// The driver calls [`Source::on_time`] at the flow's start and at each time that it returns, and
/// [`Source::on_drained`] whenever all data handed over was acknowledged.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    traffic: Traffic,
    draws: Stream,
    /// End of the present burst (on/off).
    burst_end: Time,
    /// Bytes are handed over and not all acknowledged yet (requests).
    busy: bool,
    /// The pause starts when the transfer ends, and it has not ended yet.
    pausing: bool,
    started: bool,
}

impl Source {
    pub(crate) fn new(flow: &FlowSpec, seed: u64) -> Self {
        Self {
            traffic: flow.traffic.clone(),
            draws: Stream::named(seed, &format!("flow.{}", flow.name), "traffic"),
            burst_end: Time::ZERO,
            busy: false,
            pausing: false,
            started: false,
        }
    }

    /// The start, or a time that was asked for: what to do and when to call again.
    pub(crate) fn on_time(&mut self, now: Time) -> (Action, Option<Time>) {
        let first = !std::mem::replace(&mut self.started, true);
        match &self.traffic {
            Traffic::Ftp => (Action::Write(u64::MAX), None),
            // The second call, at once, closes.
            &Traffic::Bytes(bytes) if first => (Action::Write(bytes), Some(now)),
            Traffic::Bytes(_) => (Action::Close, None),
            &Traffic::Cbr {
                rate,
                packet,
                jitter,
            } => {
                let spread = self.draws.uniform(-jitter, jitter);
                let gap = packet_time(rate, packet).mul_f64(1.0 + spread);
                (Action::Write(u64::from(packet)), Some(now + gap))
            }
            Traffic::OnOff {
                rate,
                packet,
                on,
                off,
            } => {
                if first {
                    self.burst_end = now + duration(&mut self.draws, on);
                }
                let mut next = now + packet_time(*rate, *packet);
                if next >= self.burst_end {
                    next = self.burst_end + duration(&mut self.draws, off);
                    self.burst_end = next + duration(&mut self.draws, on);
                }
                (Action::Write(u64::from(*packet)), Some(next))
            }
            Traffic::Requests {
                size,
                think,
                pause_from,
            } => {
                let bytes = (size.draw(&mut self.draws) + 0.5) as u64;
                self.busy = true;
                let next = match pause_from {
                    PauseFrom::Start => Some(now + duration(&mut self.draws, think)),
                    PauseFrom::End => {
                        self.pausing = true;
                        None
                    }
                };
                (Action::Write(bytes.max(1)), next)
            }
        }
    }

    /// All data handed over so far was acknowledged. Returns when to call [`Source::on_time`]
    /// again.
    pub(crate) fn on_drained(&mut self, now: Time) -> Option<Time> {
        self.busy = false;
        let Traffic::Requests { think, .. } = &self.traffic else {
            return None;
        };
        std::mem::take(&mut self.pausing).then(|| now + duration(&mut self.draws, think))
    }

    /// A transfer is going on whose end the source wants to hear of.
    pub(crate) fn waits_for_drain(&self) -> bool {
        self.busy
    }
}

/// A drawn time: at least a nanosecond, so that time goes on.
fn duration(draws: &mut Stream, seconds: &Dist) -> Duration {
    Duration::from_secs_f64(seconds.draw(draws)).max(Duration::from_nanos(1))
}

fn packet_time(rate: Rate, packet: u32) -> Duration {
    let (time, _) = rate.transmission_time(u64::from(packet), 0);
    time.max(Duration::from_nanos(1))
}

#[cfg(test)]
mod tests;
