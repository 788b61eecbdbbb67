//! One packet a separation (section 3.1, item 1). Time that was not used is not made up for: a packet
//! that is sent late delays the next one, so there are no bursts.

use crate::pacing::Spacing;
use crate::time::Time;
use crate::wtcp::packet::Micros;

/// The pace of a sender.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pacer {
    separation: Micros,
    spacing: Spacing,
    /// Packets sent since a pause, as [`crate::wtcp::Control::run`].
    run: u8,
    /// Whether there was nothing to send when asked.
    paused: bool,
}

/// How a packet follows the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pace {
    pub(super) gap: Micros,
    pub(super) run: u8,
}

impl Pacer {
    /// Nothing sent yet.
    pub(super) fn new(separation: Micros) -> Self {
        Self {
            separation,
            spacing: Spacing::new(separation.to_duration()),
            run: 0,
            paused: true,
        }
    }

    pub(super) fn separation(&self) -> Micros {
        self.separation
    }

    /// Also changes how long it is until the next packet.
    pub(super) fn set_separation(&mut self, separation: Micros) {
        self.separation = separation;
        self.spacing.set_gap(separation.to_duration());
    }

    /// When the next packet may be sent.
    pub(super) fn slot(&self) -> Time {
        self.spacing.slot()
    }

    /// When the latest packet was sent.
    pub(super) fn last(&self) -> Time {
        self.spacing.last()
    }

    /// Notes that there is nothing to send: unless that changes before the next slot, the sender
    /// pauses.
    pub(super) fn pause(&mut self) {
        self.paused = true;
    }

    /// A packet is sent, in its slot or later.
    pub(super) fn sent(&mut self, now: Time) -> Pace {
        let paused = self.paused && now > self.slot();
        self.run = if paused {
            0
        } else {
            self.run.saturating_add(1)
        };
        self.paused = false;
        self.note(now)
    }

    /// A packet is sent without regard to the pace.
    pub(super) fn sent_alone(&mut self, now: Time) -> Pace {
        self.run = 0;
        self.paused = true;
        self.note(now)
    }

    fn note(&mut self, now: Time) -> Pace {
        let gap = Micros::from_duration(self.spacing.sent(now));
        Pace { gap, run: self.run }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Duration;

    fn ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    fn pacer() -> Pacer {
        let mut pacer = Pacer::new(Micros(100_000));
        pacer.sent(ms(1000));
        pacer
    }

    #[test]
    fn slots_are_a_separation_apart_and_lateness_is_not_made_up_for() {
        let mut pacer = pacer();
        assert_eq!(pacer.slot(), ms(1100));
        let late = pacer.sent(ms(1130));
        assert_eq!((late.gap, late.run), (Micros(130_000), 1));
        assert_eq!(pacer.slot(), ms(1230));
    }

    #[test]
    fn a_new_separation_counts_from_the_latest_packet() {
        let mut pacer = pacer();
        pacer.set_separation(Micros(40_000));
        assert_eq!(pacer.slot(), ms(1040));
    }

    #[test]
    fn a_run_ends_with_a_pause_beyond_the_slot() {
        let mut pacer = pacer();
        pacer.sent(ms(1100));
        pacer.pause();
        assert_eq!(pacer.sent(ms(1200)).run, 2, "data came in time");
        pacer.pause();
        assert_eq!(pacer.sent(ms(1301)).run, 0);
        assert_eq!(pacer.sent(ms(1401)).run, 1);
    }

    #[test]
    fn packets_outside_the_pace_start_a_run_and_so_does_what_follows() {
        let mut pacer = pacer();
        assert_eq!(pacer.sent_alone(ms(2000)).run, 0);
        assert_eq!(pacer.sent(ms(2500)).run, 0);
        assert_eq!(pacer.sent(ms(2600)).run, 1);
    }
}
