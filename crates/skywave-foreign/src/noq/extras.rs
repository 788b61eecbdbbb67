//! Habits of this project's programs beside QUIC: one-way delays, and questions to a silent peer.

use std::time::{Duration, Instant};

use noq_proto::{Connection, PathId, TransportConfig};
use skywave_core::Time;
use skywave_quic::Silence;
use skywave_quic::one_way::{
    Arrivals, Departures, Ear, Report, Tag, accept_reports, report_after, send_reports,
};

/// An end's part in one-way delays.
pub(super) enum OneWay {
    Nothing,
    Hears(Ear, Departures),
    /// Arrivals to tell of, and when the next time.
    Tells(Arrivals, Option<Time>),
}

fn later(now: Time, wait: Duration) -> Time {
    now + skywave_core::Duration::from_nanos(wait.as_nanos() as u64)
}

fn rtt(connection: &mut Connection) -> Duration {
    let path = connection.path_stats(PathId::ZERO);
    path.map_or(Duration::ZERO, |path| path.rtt)
}

impl OneWay {
    pub(super) fn none() -> [Self; 2] {
        [Self::Nothing, Self::Nothing]
    }

    /// The ear of a sender's law, and both ends.
    pub(super) fn pair(
        start: Instant,
        sending: &mut TransportConfig,
        receiving: &mut TransportConfig,
    ) -> (Ear, [Self; 2]) {
        accept_reports(sending);
        send_reports(receiving);
        let ear = Ear::new(start);
        let hears = Self::Hears(ear.clone(), Departures::default());
        (ear, [hears, Self::Tells(Arrivals::new(start), None)])
    }

    pub(super) fn due(&self) -> Option<Time> {
        match self {
            Self::Tells(_, at) => *at,
            _ => None,
        }
    }

    /// A datagram came: notes when, if it tells.
    pub(super) fn arrived(
        &mut self,
        at: Instant,
        now: Time,
        datagram: &[u8],
        connection: Option<&mut Connection>,
    ) {
        if let Self::Tells(arrivals, report) = self
            && let Some(tag) = Tag::of(datagram)
            && arrivals.note(tag, at)
        {
            let wait = report_after(connection.map_or(Duration::ZERO, rtt));
            *report = Some(later(now, wait));
        }
    }

    /// A datagram leaves.
    pub(super) fn left(&mut self, at: Instant, datagram: &[u8]) {
        if let Self::Hears(_, departures) = self
            && let Some(tag) = Tag::of(datagram)
        {
            departures.note(tag, at);
        }
    }

    /// Tells when packets came, when it is time to.
    pub(super) fn tell(&mut self, at: Instant, now: Time, connection: &mut Connection) {
        if let Self::Tells(arrivals, report) = self
            && report.take_if(|report| *report <= now).is_some()
            && let Some(report) = arrivals.report(at)
        {
            // A report that finds no room is no loss: the next one tells the same.
            let _ = connection
                .datagrams()
                .send(report.into_bytes().into(), true);
        }
    }

    /// Reads reports.
    pub(super) fn hear(&mut self, at: Instant, connection: &mut Connection) {
        while let Some(datagram) = connection.datagrams().recv() {
            let Self::Hears(ear, departures) = self else {
                continue;
            };
            let arrivals = Report::read(&datagram);
            for (tag, came) in arrivals.iter().flat_map(Report::arrivals) {
                if let Some(sent) = departures.take(tag, at) {
                    ear.hear(sent, came);
                }
            }
        }
    }
}

/// Asks a peer that has not answered for too long.
pub(super) struct Watchdog {
    silence: Silence,
    next: Option<Time>,
    received: u64,
    sent: u64,
}

impl Watchdog {
    pub(super) fn new(start: Instant) -> Self {
        Self {
            silence: Silence::new(start),
            next: None,
            received: 0,
            sent: 0,
        }
    }

    pub(super) fn received(&mut self) {
        self.received += 1;
    }

    pub(super) fn sent(&mut self) {
        self.sent += 1;
    }

    pub(super) fn due(&self) -> Time {
        self.next.unwrap_or(Time::ZERO)
    }

    pub(super) fn look(&mut self, at: Instant, now: Time, connection: &mut Connection) {
        if self.due() > now {
            return;
        }
        self.next = Some(later(now, Silence::LOOK));
        let rtt = rtt(connection);
        if self.silence.is_too_long(at, self.received, self.sent, rtt) {
            connection.handle_network_change(None, at);
        }
    }
}
