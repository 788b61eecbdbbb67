//! A host without I/O: sockets over the core's connections, and a clock that its driver moves.

mod calls;
mod control;
mod end;
mod icmp;
mod info;
mod notes;
mod options;
mod queue;
mod ready;
mod reordering;
mod sending;
mod settings;
mod socket;
mod transfer;

use std::collections::BTreeMap;

use skywave_core::packet::{Ecn, Flags, Segment};
use skywave_core::tcp::config::Composition;
use skywave_core::tcp::connection::{State, refusal};
use skywave_core::time::{Duration, Time};

pub(crate) use calls::Answer;
pub use end::End;
pub(crate) use end::ISS;
pub(crate) use info::state_name;
pub use settings::{Settings, System};

use socket::{Kind, Socket};

/// Segments that one moment may bring before something is wrong: enough for the largest window.
const MOST_AT_ONCE: usize = 100_000;

/// A segment that the connection under test has sent.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) at: Time,
    pub(crate) segment: Segment,
    /// The field of its header for the window.
    pub(crate) window: u32,
    pub(crate) ecn: Ecn,
}

/// Model of a host on which a script runs: sockets over this project's TCP and a virtual clock, without I/O.
#[derive(Debug)]
pub struct Host {
    pub(crate) settings: Settings,
    composition: Composition,
    now: Time,
    files: BTreeMap<i64, Socket>,
    ends: Vec<End>,
    /// The socket that packets are for: the newest.
    newest: Option<i64>,
    /// The connection that packets are compared of.
    tested: Option<usize>,
    /// Packets that the host has sent and nobody has looked at.
    sent: std::collections::VecDeque<Sent>,
    /// When the call that blocks gives up.
    call_deadline: Option<Time>,
    /// When the script began, from which the times of notes count, ...
    start: Time,
    /// ... and by how much they may be wrong.
    tolerance: Duration,
}

impl Host {
    /// Host without sockets, in virtual time from `start` on. Its connections have the TCP variant `composition`;
    /// timestamps that a script expects in control messages may differ by `tolerance`.
    pub fn new(
        settings: Settings,
        composition: Composition,
        start: Time,
        tolerance: Duration,
    ) -> Self {
        Self {
            settings,
            composition,
            now: start,
            start,
            tolerance,
            call_deadline: None,
            files: BTreeMap::new(),
            ends: Vec::new(),
            newest: None,
            tested: None,
            sent: std::collections::VecDeque::new(),
        }
    }

    /// Virtual time of the host, which begins at `start` of [`Host::new`].
    pub fn now(&self) -> Time {
        self.now
    }

    pub(crate) fn tested(&self) -> Option<&End> {
        self.ends.get(self.tested?)
    }

    /// The first segment that nobody has looked at.
    pub(crate) fn first_sent(&self) -> Option<&Sent> {
        self.sent.front()
    }

    pub(crate) fn take_sent(&mut self) -> Option<Sent> {
        self.sent.pop_front()
    }

    /// The first segment that nobody has looked at, if it is one that is wanted.
    pub(crate) fn take_sent_if(&mut self, wanted: impl FnOnce(&Sent) -> bool) -> Option<Sent> {
        self.sent.front().filter(|sent| wanted(sent))?;
        self.sent.pop_front()
    }

    /// Virtual time at which the next timer of a connection or of a blocking call expires; `None` if none
    /// runs.
    pub fn next_timer(&self) -> Option<Time> {
        let timers = self
            .ends
            .iter()
            .filter_map(|end| end.connection.next_timer());
        let deadlines = self.ends.iter().filter_map(|end| end.deadline);
        timers.chain(deadlines).chain(self.call_deadline).min()
    }

    /// Moves the clock to `now` and lets the timers expire that are due by then. A driver calls it at each
    /// [`Self::next_timer`] on the way, so that no timer is late.
    pub fn advance(&mut self, now: Time) {
        self.now = self.now.max(now);
        self.call_deadline.take_if(|at| *at <= now);
        for end in &mut self.ends {
            if end.connection.next_timer().is_some_and(|at| at <= now) {
                end.connection.on_timer(now);
            }
            if end.deadline.is_some_and(|at| at <= now) {
                end.deadline = None;
                if !end.connected && !end.over {
                    end.give_up("ETIMEDOUT");
                }
            }
            end.hear_events();
        }
        self.drain();
    }

    /// Takes what the connections want to send.
    pub(crate) fn drain(&mut self) {
        for (number, end) in self.ends.iter_mut().enumerate() {
            for _ in 0..MOST_AT_ONCE {
                let Some((outgoing, window)) = end.poll(self.now) else {
                    break;
                };
                if self.tested == Some(number) {
                    self.sent.push_back(Sent {
                        at: self.now,
                        segment: outgoing.segment,
                        window,
                        ecn: outgoing.ecn,
                    });
                }
            }
            end.hear_events();
            end.settle(self.now);
        }
    }

    /// A segment arrives for the connection under test; its window is the field of its header.
    pub(crate) fn deliver(&mut self, segment: &Segment, ecn: Ecn) {
        let open = self
            .tested
            .filter(|&n| self.ends[n].connection.state() != State::Closed);
        let met = open.is_some_and(|n| self.ends[n].connection.state() != State::SynSent);
        let both = Flags::SYN | Flags::FIN;
        if self.settings.drop_syn_fin && segment.flags.contains(both) && !met {
            return;
        }
        match open {
            Some(number) => {
                self.ends[number].deliver(self.now, segment, ecn);
                if let Some(reset) = self.ends[number].late_reset.take() {
                    return self.send_reset(reset);
                }
                if self.ends[number].connection.state() == State::Listen {
                    // The listener keeps listening; this connection is gone.
                    self.drain();
                    self.forget(number);
                }
            }
            None => self.deliver_to_listener(segment, ecn),
        }
        self.drain();
    }

    fn deliver_to_listener(&mut self, segment: &Segment, ecn: Ecn) {
        let listener = self.newest.and_then(|file| self.files.get(&file));
        let Some(Socket {
            kind: Kind::Listener(_),
            wishes,
            ..
        }) = listener
        else {
            return self.refuse(segment);
        };
        let mut end = End::new(&self.settings, wishes, &self.composition, true, self.now);
        end.connection.open_passive();
        end.deliver(self.now, segment, ecn);
        let number = self.ends.len();
        let met = end.connection.state() != State::Listen;
        self.tested = Some(number);
        self.ends.push(end);
        self.drain();
        if met {
            if let Some(Socket {
                kind: Kind::Listener(queue),
                ..
            }) = self.newest.and_then(|f| self.files.get_mut(&f))
            {
                queue.push_back(number);
            }
        } else {
            self.forget(number);
            if segment.is_ack() && !segment.is_rst() {
                self.refuse(segment);
            }
        }
    }

    fn forget(&mut self, number: usize) {
        for socket in self.files.values_mut() {
            if let Kind::Listener(queue) = &mut socket.kind {
                queue.retain(|&n| n != number);
            }
        }
        self.ends[number].connection.close();
        self.ends[number].hear_events();
        if self.tested == Some(number) {
            self.tested = None;
        }
    }

    /// Answers a segment for which there is no connection.
    fn refuse(&mut self, segment: &Segment) {
        if self.settings.blackhole {
            return;
        }
        if let Some(reset) = refusal(segment) {
            self.send_reset(reset);
        }
    }

    fn send_reset(&mut self, reset: Segment) {
        self.sent.push_back(Sent {
            at: self.now,
            segment: reset,
            window: 0,
            ecn: Ecn::NotEct,
        });
    }

    /// Connections in a state, by the name that `sockstat` prints.
    pub(crate) fn count(&self, state: &str) -> usize {
        let in_state = |end: &&End| state_name(end.connection.state()) == state;
        let fresh = self
            .files
            .values()
            .filter(|s| state == "CLOSED" && matches!(s.kind, Kind::Fresh));
        let ended = self.files.values().filter(|s| match s.kind {
            Kind::Stream(n) => state == "CLOSED" && self.ends[n].over,
            _ => false,
        });
        let open = self
            .ends
            .iter()
            .filter(|end| end.connection.state() != State::Closed);
        open.filter(in_state).count() + fresh.count() + ended.count()
    }

    /// Whether a socket listens.
    pub(crate) fn listens(&self) -> bool {
        let listens = |socket: &Socket| matches!(socket.kind, Kind::Listener(_));
        self.files.values().any(listens)
    }

    /// Ends connections in TIME-WAIT.
    pub(crate) fn drop_time_wait(&mut self) {
        for end in &mut self.ends {
            if end.connection.state() == State::TimeWait {
                end.connection.abort();
                end.hear_events();
            }
        }
    }
}
