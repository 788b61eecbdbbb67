//! When a station may talk: interframe spaces, backoff, and the two ways to know that the channel is
//! taken, by listening and by what others have said (NAV).
//!
//! The backoff counter is not decremented slot by slot: from the time at which the channel has
//! become free follows the time at which the counter will be zero, and how far it has come when the
//! channel is taken again.

use super::config::{Config, Timing};
use crate::rng::Stream;
use crate::time::{Duration, Time};

/// Channel access of one 802.11 station: interframe spaces, backoff and NAV, and so when it may send.
#[derive(Debug)]
pub struct Access {
    timing: Timing,
    eifs: Duration,
    /// Whether a station that found the channel idle draws no backoff when the channel is then
    /// taken.
    kept: bool,
    rng: Stream,
    /// Whether the station hears something, or talks itself.
    busy: bool,
    /// Time since which the channel has been idle.
    idle_since: Time,
    /// Whether the last frame heard could not be understood.
    garbled: bool,
    /// Until when the channel is reserved by frames that were heard: the network allocation vector.
    nav: Time,
    /// If something is heard before the first of these, the NAV lasts until the second.
    announced: Option<(Time, Time)>,
    /// No slot counts before this: the end of a wait for an answer, and a DIFS after it. (As in
    /// ns-3: stations whose frames collided start at about the same time as those that wait an EIFS
    /// after the collision.)
    held: Time,
    cw: u32,
    /// Slots still to wait, counted from [`Self::start`]; `None` when there is no backoff to do.
    backoff: Option<u32>,
    /// Whether there is a frame to send.
    wanted: bool,
    /// Time to send the frame, unless the channel is taken before.
    due: Option<Time>,
}

impl Access {
    /// Channel access of a station that has heard nothing yet; backoffs are drawn from `rng`.
    pub fn new(config: &Config, rng: Stream) -> Self {
        Self {
            timing: config.timing,
            eifs: config.eifs(),
            kept: config.keep_access,
            rng,
            busy: false,
            idle_since: Time::ZERO,
            garbled: false,
            nav: Time::ZERO,
            announced: None,
            held: Time::ZERO,
            cw: config.timing.cw_min,
            backoff: None,
            wanted: false,
            due: None,
        }
    }

    /// Time to send the requested frame; `None` without a request, or while it is unknown because the channel is
    /// busy.
    pub fn due(&self) -> Option<Time> {
        self.due
    }

    /// Time until which frames to other stations reserve the channel: the network allocation vector.
    pub fn nav(&self) -> Time {
        self.nav
    }

    /// Whether the station hears something, or sends itself.
    pub fn is_busy(&self) -> bool {
        self.busy
    }

    /// Whether a frame waits for the end of a backoff.
    pub fn is_backing_off(&self) -> bool {
        self.wanted && self.backoff.is_some()
    }

    /// Present contention window, in slots: a backoff is uniform on 0 to this.
    pub fn cw(&self) -> u32 {
        self.cw
    }

    /// Asks to send a frame at [`Self::due`]. If the channel is busy or reserved now, the station draws a backoff,
    /// unless an earlier one is not over yet.
    pub fn request(&mut self, now: Time) {
        self.wanted = true;
        if self.backoff_is_over(now) {
            self.backoff = None;
        }
        if self.backoff.is_none() && (self.busy || now < self.nav) {
            self.draw();
        }
        self.schedule(now);
    }

    /// Ends the request, because its frame is sent now.
    pub fn take(&mut self) {
        self.wanted = false;
        self.backoff = None;
        self.due = None;
        self.garbled = false;
    }

    /// Withdraws the request: there is no frame to send after all.
    pub fn cancel(&mut self) {
        self.wanted = false;
        self.due = None;
    }

    /// Takes note that a frame has got through, or was given up: the contention window is at its minimum again, and a
    /// backoff comes before the next frame.
    pub fn done(&mut self, now: Time) {
        self.cw = self.timing.cw_min;
        self.finish(now);
    }

    /// Takes note that a frame was not answered: the contention window doubles, up to its maximum.
    pub fn failed(&mut self, now: Time) {
        self.cw = (self.cw * 2 + 1).min(self.timing.cw_max);
        self.finish(now);
    }

    fn finish(&mut self, now: Time) {
        if !self.busy && now > self.idle_since {
            self.held = now + self.timing.difs();
        }
        self.draw();
        self.schedule(now);
    }

    fn draw(&mut self) {
        let slots = self.rng.uniform_int(0, u64::from(self.cw));
        self.backoff = Some(slots as u32);
    }

    /// Takes note that the station begins to hear something, or to send itself.
    pub fn on_busy(&mut self, now: Time) {
        if self.busy {
            return;
        }
        if let Some((by, until)) = self.announced.take()
            && now < by
        {
            self.nav = self.nav.max(until);
        }
        // So close to its own slot it does not notice the signal any more.
        let commits = self.due.is_some_and(|due| due.since(now) < self.timing.cca);
        if !commits {
            self.freeze(now);
        }
        self.busy = true;
    }

    /// Notes how far the backoff has come.
    fn freeze(&mut self, now: Time) {
        if self.backoff_is_over(now) {
            self.backoff = None;
        }
        let passed = now.since(self.start()).as_nanos() / self.timing.slot.as_nanos();
        match &mut self.backoff {
            Some(slots) => *slots -= u64::from(*slots).min(passed) as u32,
            // It was only waiting for the channel to be idle long enough.
            None if self.wanted && !self.kept => self.draw(),
            None => {}
        }
        self.due = None;
    }

    /// Takes note that the station hears nothing any more.
    pub fn on_idle(&mut self, now: Time) {
        if !self.busy {
            return;
        }
        self.busy = false;
        self.idle_since = now;
        // A slot that the station was committed to stays its own.
        if self.due.is_none() {
            self.schedule(now);
        }
    }

    /// Takes note of a heard frame; if it could not be `understood`, an EIFS comes after it instead of a DIFS.
    pub fn heard(&mut self, understood: bool, now: Time) {
        self.garbled = !understood;
        self.schedule(now);
    }

    /// Takes note that a frame to another station reserves the channel until `until`.
    pub fn reserve(&mut self, until: Time, now: Time) {
        if until > self.nav {
            self.nav = until;
            self.announced = None;
            self.schedule(now);
        }
    }

    /// Takes note that a frame to another station, such as an RTS, reserves the channel until `until` if anything is
    /// heard before `by`, else only until `by`.
    pub fn announce(&mut self, by: Time, until: Time, now: Time) {
        if until > self.nav {
            let before = self.announced;
            self.reserve(by.min(until), now);
            let until = before.map_or(until, |(_, before)| before.max(until));
            self.announced = Some((by, until));
        }
    }

    /// From when slots count, if the channel stays as it is.
    fn start(&self) -> Time {
        let space = if self.garbled {
            self.eifs
        } else {
            self.timing.difs()
        };
        let heard = self.idle_since + space;
        heard.max(self.nav + self.timing.difs()).max(self.held)
    }

    fn backoff_is_over(&self, now: Time) -> bool {
        let over = |slots| self.start() + self.timing.slot * u64::from(slots) <= now;
        !self.busy && self.backoff.is_some_and(over)
    }

    fn schedule(&mut self, now: Time) {
        if self.busy {
            return;
        }
        let slots = u64::from(self.backoff.unwrap_or(0));
        let due = self.start() + self.timing.slot * slots;
        self.due = self.wanted.then(|| due.max(now));
    }
}
