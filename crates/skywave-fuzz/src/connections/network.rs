//! The network between two ends, in virtual time.

use skywave_core::{Duration, Time};

use super::end::{End, Packet};
use crate::path::Path;

/// A packet and the end that it goes to.
pub(super) type Addressed = (usize, Packet);

/// Decides the fate of each packet that is put into the network.
pub(super) trait Fate {
    /// After which times copies of it arrive: none for one that is lost.
    fn delays(&mut self) -> [Option<Duration>; 2];
}

/// Both ends and everything on its way.
pub(super) struct Network {
    pub(super) ends: [End; 2],
    pub(super) now: Time,
    pub(super) path: Path<Addressed>,
    /// Nobody else sends: the ends know each other's streams.
    pub(super) honest: bool,
    /// Segments put on the wire, arrivals and expiries of timers.
    pub(super) events: u64,
}

impl Network {
    pub(super) fn new(ends: [End; 2]) -> Self {
        Self {
            ends,
            now: Time::ZERO,
            path: Path::default(),
            honest: true,
            events: 0,
        }
    }

    /// Takes the next arrival or timer that is due by `until`; false when there is none.
    pub(super) fn step(&mut self, until: Time, fate: &mut impl Fate) -> bool {
        let timers = self.ends.each_ref().map(|end| end.connection.next_timer());
        let Some(next) = self.path.due(timers, until) else {
            return false;
        };
        assert!(next >= self.now, "a timer in the past");
        self.events += 1;
        self.now = next;
        if let Some(packet) = self.path.pop(next) {
            self.arrive(packet, fate);
        } else {
            for end in &mut self.ends {
                end.connection.on_timer(next);
            }
            self.pump(fate);
        }
        true
    }

    pub(super) fn arrive(&mut self, (to, packet): Addressed, fate: &mut impl Fate) {
        // To a listener that a stranger's SYN has woken, the peer's numbers mean other positions.
        self.honest &= packet.position.is_some();
        let position = packet.position.filter(|_| self.honest);
        let packet = Packet { position, ..packet };
        self.ends[to].receive(self.now, &packet);
        self.pump(fate);
    }

    /// Lets both ends read and send, then looks at them.
    pub(super) fn pump(&mut self, fate: &mut impl Fate) {
        for from in 0..2 {
            self.pump_end(from, fate);
            if self.ends[from].eager {
                self.ends[from].read(u64::MAX);
                self.pump_end(from, fate);
            }
            self.ends[from].hear();
            self.ends[from].check();
        }
    }

    fn pump_end(&mut self, from: usize, fate: &mut impl Fate) {
        let mut polls = 0;
        while let Some(packet) = self.ends[from].poll(self.now) {
            polls += 1;
            assert!(polls < 10_000, "sends without end");
            self.events += 1;
            for delay in fate.delays().into_iter().flatten() {
                self.path.put(self.now + delay, (1 - from, packet));
            }
        }
    }
}
