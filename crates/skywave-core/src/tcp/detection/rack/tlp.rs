//! The tail loss probe (RFC 8985 section 7): after two round trips of silence new data or the last
//! segment once more, so that an ACK tells what is lost before the retransmission timer expires.

use super::{DetectionEvent, Finding, Flight};
use crate::time::{Duration, Time};

/// Timeout of a probe until a round trip is known.
const FIRST_TIMEOUT: Duration = Duration::from_secs(1);

/// State of the probes of one sender.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tlp {
    /// The receiver can report what the probe makes it say.
    enabled: bool,
    /// TLP.max_ack_delay.
    ack_delay: Duration,
    /// Time by which the timer expires later.
    slack: Duration,
    /// A round trip was measured since the last probe.
    sampled: bool,
    /// The next segment sent is the probe.
    sending: bool,
    probe: Option<Probe>,
}

/// A probe whose ACK has not come.
#[derive(Clone, Copy, Debug)]
struct Probe {
    /// TLP.end_seq.
    end: u64,
    /// When the segment that it repeats was sent first; `None` for new data.
    repeats: Option<Time>,
    /// The segment that it repeats was received twice: nothing was lost.
    needless: bool,
}

impl Tlp {
    pub(super) fn new(enabled: bool, ack_delay: Duration, slack: Duration) -> Self {
        Self {
            enabled,
            ack_delay,
            slack,
            sampled: true,
            sending: false,
            probe: None,
        }
    }

    /// A recovery begins (section 7.1).
    pub(super) fn reset(&mut self) {
        self.sending = false;
        self.probe = None;
    }

    /// Section 7.2: when a probe is due after data was sent or acknowledged, the retransmission timer
    /// expiring at `timeout`.
    #[inline]
    pub(super) fn due(
        &self,
        now: Time,
        flight: &Flight,
        srtt: Option<Duration>,
        timeout: Time,
    ) -> Option<Time> {
        if !self.enabled || flight.is_empty() || flight.sacked_bytes() > 0 {
            return None;
        }
        let wait = match srtt {
            Some(srtt) if flight.segments().len() == 1 => srtt * 2 + self.ack_delay,
            Some(srtt) => srtt * 2 + self.slack,
            None => FIRST_TIMEOUT,
        };
        Some((now + wait).min(timeout))
    }

    /// Section 7.3: one probe at a time, and none without a round trip measured since the last.
    pub(super) fn on_timer(&mut self) -> Finding {
        self.sending = self.probe.is_none() && self.sampled;
        if self.sending {
            Finding::Probe
        } else {
            Finding::Silence
        }
    }

    #[inline]
    pub(super) fn on_sent(&mut self, flight: &Flight, start: u64) {
        if self.sending {
            self.on_probe_sent(flight, start);
        }
    }

    #[cold]
    fn on_probe_sent(&mut self, flight: &Flight, start: u64) {
        self.sending = false;
        self.sampled = false;
        self.probe = flight.at(start).map(|sent| Probe {
            end: sent.end,
            repeats: (sent.transmissions > 1).then_some(sent.first_sent),
            needless: false,
        });
    }

    /// The receiver got something twice. It was the probe if a report says so, or if it waits for
    /// what follows the probe and reports nothing.
    pub(super) fn on_duplicate(&mut self, ack: u64, reported: Option<u64>) {
        if let Some(probe) = &mut self.probe
            && ack >= probe.end
            && reported.unwrap_or(ack) == probe.end
        {
            probe.needless = true;
        }
    }

    /// Section 7.4.2: what became of the probe; when its ACK shows that it repaired a loss, the time
    /// at which that segment was sent.
    pub(super) fn on_ack(&mut self, event: &DetectionEvent) -> Option<Time> {
        self.sampled |= event.segment_rtt.is_some();
        let una = event.flight.una();
        let probe = self.probe.filter(|probe| una >= probe.end)?;
        if probe.repeats.is_some() && !probe.needless && una == probe.end {
            return None; // either copy's; the next ACK tells
        }
        self.probe = None;
        probe.repeats.filter(|_| !probe.needless)
    }
}
