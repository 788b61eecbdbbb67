//! Data that the application of an end writes: how much of it there may be, when the application is
//! woken, and what is noted of it.

use skywave_core::tcp::rate_of;
use skywave_core::time::{Duration, Time};
use skywave_core::units::Segments;

use super::End;
use super::notes::Notes;
use super::queue::{self, SendQueue};
use super::settings::{Settings, System};
use super::socket::Wishes;

/// Time that the device takes at most for what it is handed at once, and the most of it at a short round trip.
const BURST: Duration = Duration::from_millis(1);
const LARGEST_BURST: u64 = 65_536;

/// A sum of times.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stopwatch {
    sum: Duration,
    since: Option<Time>,
}

impl Stopwatch {
    fn set(&mut self, now: Time, on: bool) {
        match (self.since, on) {
            (None, true) => self.since = Some(now),
            (Some(_), false) => {
                self.sum = self.read(now);
                self.since = None;
            }
            _ => {}
        }
    }

    pub(crate) fn read(self, now: Time) -> Duration {
        self.sum + self.since.map_or(Duration::ZERO, |since| now.since(since))
    }
}

/// The sending side of an end.
#[derive(Debug, Default)]
pub(crate) struct Sending {
    pub(crate) written: u64,
    pub(crate) queue: SendQueue,
    /// Bytes that may be counted before they are acknowledged.
    pub(crate) limit: u64,
    /// The largest limit that is made without the application.
    most: u64,
    /// The application has set the limit.
    pub(crate) own_limit: bool,
    /// Unsent bytes from which on nothing more is taken.
    pub(crate) unsent_limit: u64,
    /// Somebody waits for room.
    pub(crate) waits: bool,
    /// Segments that a device is handed at once.
    fewest_at_once: u32,
    /// The largest window of the peer's.
    pub(crate) largest_window: u64,
    pub(crate) notes: Notes,
    /// Something is written and not acknowledged.
    pub(crate) busy: Stopwatch,
    /// Only the limit keeps more from being sent.
    pub(crate) starved: Stopwatch,
    /// A segment came since the last look.
    heard: bool,
    opened: bool,
    received: (u64, bool),
}

impl Sending {
    pub(super) fn new(settings: &Settings, wishes: &Wishes) -> Self {
        Self {
            limit: wishes.send_buffer.unwrap_or(settings.send_buffer),
            most: settings.largest_send_buffer,
            own_limit: wishes.send_buffer.is_some(),
            unsent_limit: wishes.unsent_limit.unwrap_or(settings.unsent_limit),
            fewest_at_once: settings.fewest_at_once,
            ..Self::default()
        }
    }

    /// A segment came, with this window.
    pub(super) fn hear(&mut self, window: u32) {
        self.heard = true;
        self.largest_window = self.largest_window.max(window.into());
    }
}

impl End {
    fn mss(&self) -> u64 {
        u64::from(self.connection.agreed().mss.max(1))
    }

    /// How many of `left` bytes are taken now, at once; zero if there is no room.
    pub(super) fn portion(&self, left: u64) -> u64 {
        let sending = &self.sending;
        if !self.connected {
            return 0;
        }
        if self.system == System::FreeBsd {
            let waits = sending.written - self.connection.acknowledged();
            return left.min(sending.limit.saturating_sub(waits));
        }
        let goal = queue::goal(self.mss(), sending.largest_window);
        let room = sending.queue.room_in_last(goal);
        let free = sending.queue.counted() < sending.limit
            && sending.queue.unsent() < sending.unsent_limit;
        match (room, free) {
            (0, true) => left.min(goal),
            (0, false) => 0,
            (room, _) => left.min(room),
        }
    }

    /// Takes `bytes` from the application, which announces more with `more`.
    pub(super) fn take(&mut self, bytes: u64, more: bool) {
        let goal = queue::goal(self.mss(), self.sending.largest_window);
        self.sending.written += bytes;
        self.sending.queue.write(bytes, goal);
        if more {
            self.connection.write_more(bytes);
        } else {
            self.connection.write(bytes);
        }
    }

    /// A call of the application's has written what it could; it is a record if `record`.
    pub(super) fn note_written(&mut self, zerocopy: bool, record: bool) {
        if record {
            self.connection.end_record();
            self.sending.queue.seal();
        }
        let end = self.sending.written;
        self.sending.notes.on_written(end, zerocopy);
    }

    /// Whether an application that waits for room is to be woken.
    fn has_room(&self) -> bool {
        let sending = &self.sending;
        if self.system == System::FreeBsd {
            return self.portion(1) > 0;
        }
        let counted = sending.queue.counted();
        sending.limit.saturating_sub(counted) >= counted / 2
            && sending.queue.unsent().saturating_mul(2) < sending.unsent_limit
    }

    /// As [`Self::has_room`]; if there is none, it is remembered that somebody waits.
    pub(super) fn asks_for_room(&mut self) -> bool {
        let room = self.has_room();
        self.sending.waits |= !room;
        room
    }

    /// Segments are sent, everything that may be: looks what that means to the application.
    pub(super) fn settle(&mut self, now: Time) {
        let acknowledged = self.connection.acknowledged();
        let unsent = self.connection.unsent();
        let most = self.most_at_once();
        let sending = &mut self.sending;
        let sent = sending.written.saturating_sub(unsent);
        sending.queue.on_sent(sent, most);
        sending.queue.on_acknowledged(acknowledged);
        let news = sending.notes.on_progress(now, sent, acknowledged);
        self.wakes.error += u32::from(news);
        let received = (self.connection.received(), self.peer_closed);
        let came = std::mem::replace(&mut self.sending.received, received) != received;
        self.wakes.input += u32::from(came);
        if self.connected && !std::mem::replace(&mut self.sending.opened, true) {
            self.expand();
        }
        if std::mem::take(&mut self.sending.heard) && self.sending.waits {
            if !self.window_is_full() {
                self.expand();
            }
            if self.has_room() {
                self.sending.waits = false;
                self.wakes.output += 1;
            }
        }
        let starves = self.sending.waits && unsent == 0 && !self.window_is_full();
        self.sending.starved.set(now, starves);
        let busy = self.sending.written > acknowledged;
        self.sending.busy.set(now, busy);
    }

    fn window_is_full(&self) -> bool {
        let sender = self.connection.sender();
        Segments(sender.flight().segments().len() as f64) >= sender.window().cwnd
    }

    /// A larger window needs more to be written.
    fn expand(&mut self) {
        if self.sending.own_limit || self.system == System::FreeBsd {
            return;
        }
        let window = self.connection.sender().window().cwnd.0 as u64;
        let wanted = queue::limit_of_window(self.mss(), window).min(self.sending.most);
        self.sending.limit = self.sending.limit.max(wanted);
    }

    /// Bytes that the device is handed at once: what takes 1 ms at the pace, and more if the round trip is short.
    fn most_at_once(&self) -> u64 {
        let sender = self.connection.sender();
        let mss = self.connection.agreed().mss.max(1);
        let srtt = sender.rto().srtt();
        let paced =
            rate_of(&sender.window(), srtt, mss).map_or(u64::MAX, |rate| rate.bytes_in(BURST));
        let halvings = srtt.map_or(0, |srtt| srtt.as_nanos() / 1000 / 512);
        let short = LARGEST_BURST.checked_shr(u32::try_from(halvings).unwrap_or(u32::MAX));
        let bytes = paced.saturating_add(short.unwrap_or(0)).min(LARGEST_BURST);
        let segments = (bytes / u64::from(mss)).max(self.sending.fewest_at_once.into());
        segments.max(1) * u64::from(mss)
    }
}
