//! A law is told the same facts, whatever limits its sender: it makes no difference whether the receiver's window or the
//! application keeps data back, nor how long nothing was sent.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use skywave_core::packet::{Ecn, Segment};
use skywave_core::tcp::congestion::LawFacts;
use skywave_core::tcp::flight::LossSample;
use skywave_core::tcp::window::{
    AckEvent, IdleEvent, LossEvent, Response, SpuriousEvent, TimeoutEvent, Window,
};
use skywave_core::tcp::{
    self, Composition, CongestionConfig, CongestionControl, CustomCongestion, Handshake, PRESETS,
    Profile, TcpConfig,
};
use skywave_core::{Duration, Segments, Time, quic};

use crate::common::draws;

/// Room that limits nothing, in bytes.
const MUCH: u32 = 1 << 28;
/// Payload of a full packet, in bytes.
const MSS: u16 = 1000;

/// The limit beside the congestion window.
#[derive(Clone, Copy, Debug, PartialEq)]
enum By {
    Receiver,
    Application,
}

impl By {
    /// The receiver's first window in bytes, in a case that lets `segments` through at first.
    fn room(self, segments: u32) -> u32 {
        match self {
            Self::Receiver => segments * u32::from(MSS),
            Self::Application => MUCH,
        }
    }
}

/// What both runs of a case have in common.
#[derive(Clone, Debug)]
struct Case {
    composition: Composition,
    /// Of TCP; `None` is QUIC with the composition's law.
    profile: Option<Profile>,
    /// Each way.
    delay: Duration,
    /// Which data packets are lost, counted from 1 in the order in which they are sent.
    lost: BTreeSet<u64>,
}

/// A packet of either transport.
#[derive(Clone, Copy, Debug)]
enum Packet {
    Tcp(Segment),
    Quic(quic::Packet),
}

/// Both ends of a connection.
enum Ends {
    Tcp(Box<(tcp::Sender, tcp::Receiver)>),
    Quic(Box<(quic::Sender, quic::Receiver)>),
}

/// A connection over a path without a rate, and what it sends.
struct Connection {
    ends: Ends,
    now: Time,
    delay: Duration,
    lost: BTreeSet<u64>,
    data_packets: u64,
    flying: BTreeMap<(Time, u64), (bool, Packet)>,
    put: u64,
    /// When each packet left, and the congestion window then, in segments.
    sent: Vec<(Time, f64)>,
}

impl Connection {
    /// A connection whose sender takes the receiver to have room for `room` bytes at first; in truth it has room for all.
    fn new(case: &Case, room: u32) -> Self {
        let composition = case.composition.clone();
        let ends = if let Some(profile) = case.profile {
            let config = Arc::new(TcpConfig {
                mss: u32::from(MSS),
                rwnd: room,
                // Otherwise some profiles take the receiver's window.
                initial_ssthresh: Some(Segments(64.0)),
                handshake: Handshake::None,
                ..TcpConfig::new(profile, composition)
            });
            let mut sender = tcp::Sender::new(Arc::clone(&config));
            sender.open();
            let roomy = TcpConfig {
                rwnd: MUCH,
                ..(*config).clone()
            };
            Ends::Tcp(Box::new((sender, tcp::Receiver::new(roomy))))
        } else {
            let config = Arc::new(quic::Config {
                mss: MSS,
                receive_buffer: room,
                ..quic::Config::new(composition.congestion)
            });
            let mut sender = quic::Sender::new(Arc::clone(&config));
            sender.open();
            let roomy = quic::Config {
                receive_buffer: MUCH,
                ..(*config).clone()
            };
            Ends::Quic(Box::new((sender, quic::Receiver::new(roomy))))
        };
        Self {
            ends,
            now: Time::ZERO + Duration::from_secs(1),
            delay: case.delay,
            lost: case.lost.clone(),
            data_packets: 0,
            flying: BTreeMap::new(),
            put: 0,
            sent: Vec::new(),
        }
    }

    fn write(&mut self, bytes: u64) {
        match &mut self.ends {
            Ends::Tcp(ends) => ends.0.write(bytes),
            Ends::Quic(ends) => ends.0.write(bytes),
        }
    }

    /// Bytes that have arrived in order.
    fn delivered(&self) -> u64 {
        match &self.ends {
            Ends::Tcp(ends) => ends.1.delivered(),
            Ends::Quic(ends) => ends.1.delivered(),
        }
    }

    fn cwnd(&self) -> f64 {
        match &self.ends {
            Ends::Tcp(ends) => ends.0.window().cwnd.0,
            Ends::Quic(ends) => ends.0.window().cwnd.0,
        }
    }

    fn put(&mut self, forward: bool, packet: Packet) {
        let is_data = match packet {
            Packet::Tcp(segment) => forward && segment.len > 0,
            Packet::Quic(packet) => matches!(packet, quic::Packet::Data(_)),
        };
        if is_data {
            self.data_packets += 1;
            if self.lost.contains(&self.data_packets) {
                return;
            }
        }
        self.flying
            .insert((self.now + self.delay, self.put), (forward, packet));
        self.put += 1;
    }

    fn poll(&mut self) {
        loop {
            let (there, back) = match &mut self.ends {
                Ends::Tcp(ends) => (
                    ends.0.poll_transmit(self.now).map(Packet::Tcp),
                    ends.1.poll_transmit(self.now).map(Packet::Tcp),
                ),
                Ends::Quic(ends) => (
                    ends.0.poll_transmit(self.now).map(Packet::Quic),
                    ends.1.poll_transmit(self.now).map(Packet::Quic),
                ),
            };
            if let Some(packet) = there {
                self.sent.push((self.now, self.cwnd()));
                self.put(true, packet);
            }
            if let Some(packet) = back {
                self.put(false, packet);
            }
            if there.is_none() && back.is_none() {
                return;
            }
        }
    }

    /// Goes on to the next arrival or timer, `end` at the latest; `before_answer` may write or change what comes back.
    fn step(&mut self, end: Time, before_answer: &mut impl FnMut(&mut Self, &mut Packet)) -> bool {
        self.poll();
        let arrival = self.flying.first_key_value().map(|((at, _), _)| *at);
        let timers = match &self.ends {
            Ends::Tcp(ends) => [ends.0.next_timer(), ends.1.next_timer()],
            Ends::Quic(ends) => [ends.0.next_timer(), ends.1.next_timer()],
        };
        let next = timers.into_iter().chain([arrival]).flatten().min();
        let Some(next) = next.filter(|&next| next <= end) else {
            self.now = end;
            return false;
        };
        self.now = self.now.max(next);
        if arrival != Some(next) {
            match &mut self.ends {
                Ends::Tcp(ends) => {
                    ends.0.on_timer(self.now);
                    ends.1.on_timer(self.now);
                }
                Ends::Quic(ends) => {
                    ends.0.on_timer(self.now);
                    ends.1.on_timer(self.now);
                }
            }
            return true;
        }
        let (_, (forward, mut packet)) = self.flying.pop_first().expect("looked at");
        if !forward {
            before_answer(self, &mut packet);
        }
        match (&mut self.ends, forward, packet) {
            (Ends::Tcp(ends), true, Packet::Tcp(segment)) => ends.1.on_segment(self.now, &segment),
            (Ends::Tcp(ends), false, Packet::Tcp(segment)) => ends.0.on_segment(self.now, &segment),
            (Ends::Quic(ends), true, Packet::Quic(packet)) => {
                ends.1.on_packet(self.now, &packet, Ecn::NotEct);
            }
            (Ends::Quic(ends), false, Packet::Quic(packet)) => ends.0.on_packet(self.now, &packet),
            _ => unreachable!("each connection has packets of its own"),
        }
        true
    }
}

/// The packets and windows of a connection in ten seconds. Its sender may never have more segments beyond the
/// acknowledged ones than the latest of `rooms`, of which each ACK of new data takes the next one.
fn kept_back(by: By, case: &Case, rooms: &[u32]) -> Vec<(Time, f64)> {
    let segments = |n: usize| rooms[n % rooms.len()];
    let bytes = |n: usize| u64::from(segments(n)) * u64::from(MSS);
    let room = by.room(segments(0));
    let mut connection = Connection::new(case, room);
    let mut edge = bytes(0);
    connection.write(if by == By::Receiver {
        u64::from(MUCH)
    } else {
        edge
    });
    let (mut answers, mut acked) = (0, 0);
    let mut answer = |connection: &mut Connection, packet: &mut Packet| {
        let ack = match packet {
            Packet::Tcp(segment) => u64::from(segment.ack.0),
            Packet::Quic(quic::Packet::Ack(ack)) => ack.limit - u64::from(MUCH),
            Packet::Quic(_) => return,
        };
        let before = edge;
        // A duplicate ACK with another window is none (RFC 5681 section 2).
        if ack > acked {
            acked = ack;
            answers += 1;
            edge = edge.max(acked + bytes(answers));
        }
        match (by, packet) {
            (By::Application, _) => connection.write(edge - before),
            (By::Receiver, Packet::Tcp(segment)) => segment.window = (edge - ack) as u32,
            (By::Receiver, Packet::Quic(quic::Packet::Ack(ack))) => ack.limit = edge,
            (By::Receiver, Packet::Quic(_)) => {}
        }
    };
    let end = connection.now + Duration::from_secs(10);
    while connection.step(end, &mut answer) {}
    connection.sent
}

/// The packets and windows of a connection whose application writes these bursts of segments, `pause` after all of the burst
/// before has arrived. Times are those since each burst was written.
fn paused(case: &Case, bursts: &[u64], pause: Duration) -> Vec<(Duration, f64)> {
    let mut connection = Connection::new(case, MUCH);
    let (mut written, mut sent) = (0, Vec::new());
    for burst in bursts {
        let begin = connection.now;
        written += burst * u64::from(MSS);
        connection.write(burst * u64::from(MSS));
        let end = begin + Duration::from_secs(1000);
        while connection.delivered() < written || !connection.flying.is_empty() {
            assert!(connection.step(end, &mut |_, _| {}), "it stops");
        }
        let silent = connection.now + pause;
        while connection.step(silent, &mut |_, _| {}) {}
        sent.extend(
            connection
                .sent
                .drain(..)
                .map(|(at, cwnd)| (at.since(begin), cwnd)),
        );
    }
    sent
}

/// A law that keeps its initial window, and writes down what it is told.
struct Listener {
    heard: Arc<Mutex<Vec<String>>>,
    owns: bool,
}

impl Listener {
    fn note(&self, what: String) {
        self.heard.lock().expect("nobody panics with it").push(what);
    }
}

impl CongestionControl for Listener {
    fn grow(&mut self, ack: &AckEvent, _window: &mut Window) {
        self.note(format!("{ack:?}"));
    }

    fn on_dupack(&mut self, ack: &AckEvent) {
        self.note(format!("duplicate {ack:?}"));
    }

    /// The window in force is the receiver's by definition where that is smaller.
    fn on_loss(&mut self, loss: &LossEvent, window: &Window) -> Response {
        let told = LossEvent {
            window: Segments::ONE,
            ..*loss
        };
        self.note(format!("{told:?}"));
        Response::unchanged(window)
    }

    fn on_timeout(&mut self, timeout: &TimeoutEvent, window: &Window) -> Response {
        let told = TimeoutEvent {
            window: Segments::ONE,
            ..*timeout
        };
        self.note(format!("{told:?}"));
        Response::unchanged(window)
    }

    fn on_spurious(&mut self, spurious: &SpuriousEvent, _window: &mut Window) {
        self.note(format!("{spurious:?}"));
    }

    fn on_resume(&mut self, idle: &IdleEvent) {
        self.note(format!("resume {idle:?}"));
    }

    fn on_idle_restart(&mut self, idle: &IdleEvent, _window: &mut Window) {
        self.note(format!("restart {idle:?}"));
    }

    fn on_segment_lost(&mut self, now: Time, lost: &LossSample, _window: &Window) {
        self.note(format!("{now:?} {lost:?}"));
    }

    fn facts(&self) -> LawFacts {
        LawFacts {
            owns_window: self.owns,
            needs_rate: true,
            needs_losses: true,
            ..LawFacts::default()
        }
    }
}

/// All events of a [`Listener`]. Its window is the initial one, of ten segments at most, so that `rooms` may be as large.
fn told(by: By, case: &Case, rooms: &[u32], owns: bool) -> Vec<String> {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let shared = Arc::clone(&heard);
    let law = CustomCongestion::new("listener", move |_| Listener {
        heard: Arc::clone(&shared),
        owns,
    });
    let mut case = case.clone();
    case.composition = case
        .composition
        .with_congestion(CongestionConfig::Custom(law));
    kept_back(by, &case, rooms);
    let mut heard = heard.lock().expect("nobody panics with it");
    std::mem::take(&mut heard)
}

/// Any preset over any path; where `lossy`, some data packets are lost.
fn case(lossy: bool) -> impl Strategy<Value = Case> {
    let profile = prop::sample::select(vec![
        Some(Profile::Ns2),
        Some(Profile::Bsd),
        Some(Profile::Rfc),
        Some(Profile::Linux),
        None,
    ]);
    let lost = prop::collection::btree_set(1..400u64, 0..if lossy { 8 } else { 1 });
    (0..PRESETS.len(), profile, 1..200u64, lost).prop_map(|(index, profile, ms, lost)| Case {
        composition: PRESETS[index].composition.clone(),
        profile,
        delay: Duration::from_millis(ms),
        lost,
    })
}

proptest! {
    #![proptest_config(draws(300))]

    #[test]
    fn a_law_hears_the_same_whoever_keeps_data_back(
        case in case(true),
        rooms in prop::collection::vec(1..14u32, 1..4),
        owns in any::<bool>(),
    ) {
        let [receiver, application] = [By::Receiver, By::Application].map(|by| told(by, &case, &rooms, owns));
        for (n, (receiver, application)) in receiver.iter().zip(&application).enumerate() {
            prop_assert_eq!(receiver, application, "{}", n);
        }
        prop_assert_eq!(receiver.len(), application.len());
    }

    #[test]
    fn a_law_does_the_same_whoever_keeps_data_back(
        case in case(false),
        rooms in prop::collection::vec(1..40u32, 1..4),
    ) {
        let [receiver, application] = [By::Receiver, By::Application].map(|by| kept_back(by, &case, &rooms));
        prop_assert_eq!(receiver, application);
    }

    /// But for Westwood, whose filter has samples of zero put into each pause, as published; for Copa, which forgets round
    /// trips after ten seconds; and for laws that draw from the time of an ACK (see pauses.rs, which has longer pauses).
    #[test]
    fn a_law_does_the_same_after_seconds_of_silence_and_after_hours(
        case in case(true),
        bursts in prop::collection::vec(1..100u64, 2..5),
    ) {
        let differs = match &case.composition.congestion {
            CongestionConfig::Westwood(config) => !config.plus,
            CongestionConfig::Copa(_) | CongestionConfig::Bbr | CongestionConfig::Bbr3 | CongestionConfig::Capacity => true,
            _ => false,
        };
        prop_assume!(!differs);
        let [short, long] = [5, 12_000].map(|s| paused(&case, &bursts, Duration::from_secs(s)));
        prop_assert_eq!(short, long);
    }
}
