//! Two ends and a network that follow a plan.

use skywave_core::packet::{Ecn, Flags, Options, SackBlock, Segment, SynOptions, Timestamps};
use skywave_core::seq::SeqNr;
use skywave_core::tcp::connection::{Event, State};
use skywave_core::{Duration, Time};

use super::end::{End, Packet};
use super::network::{Fate, Network};
use super::operation::{Operation, Plan, Spoof};

/// More than any plan can need: an exchange that takes longer has stopped, or goes on for ever.
const MAX_EVENTS: u64 = 400_000;
/// For how long two ends that a stranger has disturbed are watched.
const WATCHED: Duration = Duration::from_secs(7200);

/// Every packet arrives, after the same time.
struct Behaving(Duration);

impl Fate for Behaving {
    fn delays(&mut self) -> [Option<Duration>; 2] {
        [Some(self.0), None]
    }
}

/// Test bench of one fuzzed run: both ends of a TCP connection and the network between them, driven by a plan.
pub struct Pair<'a> {
    plan: &'a Plan,
    network: Network,
    fate: Behaving,
}

impl<'a> Pair<'a> {
    /// Test bench with both ends of the connection configured by `plan` and not open yet.
    pub fn new(plan: &'a Plan) -> Self {
        let end = |n: usize| End::new(plan.configs[n].clone(), plan.eager[n]);
        Self {
            plan,
            network: Network::new([end(0), end(1)]),
            fate: Behaving(plan.delay),
        }
    }

    /// Carries out the plan, then runs the network without losses until nothing is left to do.
    ///
    /// # Panics
    /// When an end breaks a rule of TCP, or data are lost or changed.
    pub fn run(mut self) {
        let [first, second] = &mut self.network.ends;
        first.connection.open_active();
        if self.plan.simultaneous {
            second.connection.open_active();
        } else {
            second.connection.open_passive();
        }
        self.pump();
        for operation in &self.plan.operations {
            self.apply(*operation);
        }
        for end in &mut self.network.ends {
            end.eager = true;
        }
        self.pump();
        if self.plan.is_honest() {
            self.finish();
        } else {
            for end in &mut self.network.ends {
                end.close();
            }
            self.pump();
            let until = self.network.now + WATCHED;
            while self.step(until) {}
        }
    }

    fn apply(&mut self, operation: Operation) {
        let network = &mut self.network;
        match operation {
            Operation::Pass(events) => {
                for _ in 0..events {
                    self.step(Time::MAX);
                }
            }
            Operation::Wait(time) => {
                let until = network.now + time;
                while self.step(until) {}
                self.network.now = until;
            }
            Operation::Deliver(which) => {
                if let Some(packet) = network.path.take(which) {
                    network.arrive(packet, &mut self.fate);
                }
            }
            Operation::Lose(which) => {
                network.path.take(which);
            }
            Operation::Mark(which) => {
                if let Some((_, packet)) = network.path.get_mut(which)
                    && packet.ecn.is_capable()
                {
                    packet.ecn = Ecn::Ce;
                }
            }
            Operation::LoseAll => network.path.clear(),
            Operation::Duplicate(which, later) => network.path.duplicate(which, later),
            Operation::Delay(which, later) => network.path.delay(which, later),
            Operation::Write(end, bytes) => network.ends[end].write(u64::from(bytes)),
            Operation::Read(end, bytes) => network.ends[end].read(u64::from(bytes)),
            Operation::Close(end) => {
                // Before it is connected, an honest end would take back what the other one may have
                // written.
                let end = &mut network.ends[end];
                if end.connection.state().is_synchronized() {
                    end.close();
                }
            }
            Operation::Abort(end) => network.ends[end].connection.abort(),
            Operation::Inject(end, spoof) => {
                let packet = self.forge(end, &spoof);
                self.network.arrive((end, packet), &mut self.fate);
            }
        }
        self.pump();
    }

    fn forge(&self, to: usize, spoof: &Spoof) -> Packet {
        let (end, other) = (&self.network.ends[to], &self.network.ends[1 - to]);
        let (receiver, sender) = (end.connection.receiver(), end.connection.sender());
        let number = |iss: u32, position: u64, distance: i32| {
            SeqNr(SeqNr::at(iss, position).0.wrapping_add_signed(distance))
        };
        let una = sender.flight().una();
        let ms = |distance: i16| {
            let ms = Duration::from_millis(u64::from(distance.unsigned_abs()));
            let now = self.network.now;
            if distance < 0 { now - ms } else { now + ms }
        };
        let (start, len) = spoof.option;
        let flags = Flags::from_bits_retain(spoof.flags);
        let options = if flags.contains(Flags::SYN) {
            Options::Syn(SynOptions {
                mss: Some(start),
                window_scale: Some(len as u8),
                sack_permitted: len & 0x100 == 0,
            })
        } else if len > 0 {
            let start = i32::from(start);
            let block = SackBlock {
                start: number(end.config.tcp.iss, una, start),
                end: number(end.config.tcp.iss, una, start + i32::from(len)),
            };
            [block].into_iter().collect()
        } else {
            Options::None
        };
        let segment = Segment {
            seq: number(other.config.tcp.iss, receiver.next(), spoof.seq),
            ack: number(end.config.tcp.iss, una, spoof.ack),
            len: spoof.len,
            window: spoof.window,
            flags,
            options,
            timestamps: (spoof.timestamps != (0, 0)).then(|| Timestamps {
                value: ms(spoof.timestamps.0),
                echo: ms(spoof.timestamps.1),
            }),
            ..Segment::default()
        };
        Packet {
            segment,
            ecn: Ecn::from_bits(spoof.flags),
            position: None,
        }
    }

    fn step(&mut self, until: Time) -> bool {
        let stepped = self.network.step(until, &mut self.fate);
        let [first, second] = &self.network.ends;
        assert!(
            self.network.events <= MAX_EVENTS,
            "still busy at {:?}: {:?} and {:?}",
            self.network.now,
            first.connection,
            second.connection
        );
        stepped && {
            self.check();
            true
        }
    }

    fn pump(&mut self) {
        self.network.pump(&mut self.fate);
        self.check();
    }

    /// Rules that hold between the two ends at any time, if no stranger has disturbed them.
    fn check(&self) {
        if !self.plan.is_honest() {
            return;
        }
        let ends = &self.network.ends;
        for (end, other) in [(&ends[0], &ends[1]), (&ends[1], &ends[0])] {
            let flight = end.connection.sender().flight();
            let granted = u64::from(other.config.tcp.rwnd);
            assert!(
                flight.max() - flight.una() <= granted,
                "more than the window"
            );
            assert!(other.connection.received() <= end.written);
            assert!(end.connection.acknowledged() <= other.connection.received());
        }
    }

    /// Both ends close; what was written has arrived when nothing is left to do.
    fn finish(&mut self) {
        let connected = |end: &End| end.connection.state().is_synchronized() || end.closed;
        while !self.network.ends.iter().all(connected) {
            assert!(self.step(Time::MAX), "quiet but not connected");
        }
        for end in &mut self.network.ends {
            end.close();
        }
        self.pump();
        while self.step(Time::MAX) {}
        let ends = &self.network.ends;
        for (end, other) in [(&ends[0], &ends[1]), (&ends[1], &ends[0])] {
            assert_eq!(end.connection.state(), State::Closed);
            assert_eq!(end.read, other.written, "what arrived");
            let told = |event| end.events.iter().filter(|&&e| e == event).count();
            assert_eq!(told(Event::Connected), 1);
            assert_eq!(told(Event::PeerClosed), 1);
            assert_eq!(told(Event::Closed), 1);
            assert_eq!(told(Event::Reset) + told(Event::TimedOut), 0);
        }
    }
}
