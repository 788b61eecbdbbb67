//! A scripted network: stations 1 to n, links that the test makes and breaks, one delay a hop. It records
//! every message and the fate of every datagram.

use std::collections::BTreeMap;

use super::text::text;
use crate::parameter::Described;
use crate::radio::Address;
use crate::rng::Stream;
use crate::routing::aodv::{self, Aodv};
use crate::routing::dsdv::{self, Dsdv};
use crate::routing::dsr::{self, Dsr};
use crate::routing::{Datagram, DropCause, Output, Packet, Routing};
use crate::time::{Duration, Time};

/// Delay of a hop.
const DELAY: Duration = Duration::from_millis(1);
/// Time until the MAC gives a frame up.
const GIVE_UP: Duration = Duration::from_millis(4);

enum Event {
    Arrival(Packet<u32>),
    Failure(Packet<u32>),
}

pub(in crate::routing) struct Network {
    pub(in crate::routing) now: Time,
    stations: Vec<Routing<u32>>,
    /// `links[a][b]`: b hears a.
    links: Vec<Vec<bool>>,
    /// Ordered by time and number: station of the event, other station of the packet (source or
    /// destination), event.
    events: BTreeMap<(Time, u64), (usize, usize, Event)>,
    order: u64,
    /// Called for each reception of a broadcast: is it lost?
    pub(in crate::routing) loses: Box<dyn FnMut() -> bool>,
    lines: Vec<String>,
    sent: u32,
    /// Datagrams that have ended, and how.
    pub(in crate::routing) ended: Vec<(u32, Option<DropCause>)>,
}

/// The settings of a protocol, of which a network has a machine for each station.
pub(in crate::routing) trait Protocol: Copy {
    /// Stations along a way may each send on by what they know themselves, so that their tables must fit together.
    const BY_HOPS: bool = true;

    /// The machine of one station.
    fn station(self, own: Address, stream: Stream) -> Routing<u32>;
}

impl Protocol for aodv::Config {
    fn station(self, own: Address, stream: Stream) -> Routing<u32> {
        Self::check(&self).unwrap();
        Routing::Aodv(Box::new(Aodv::new(own, self, stream)))
    }
}

impl Protocol for dsdv::Config {
    fn station(self, own: Address, stream: Stream) -> Routing<u32> {
        Self::check(&self).unwrap();
        Routing::Dsdv(Box::new(Dsdv::new(own, self, stream)))
    }
}

impl Protocol for dsr::Config {
    const BY_HOPS: bool = false;

    fn station(self, own: Address, stream: Stream) -> Routing<u32> {
        Self::check(&self).unwrap();
        Routing::Dsr(Box::new(Dsr::new(own, self, stream)))
    }
}

impl Network {
    pub(in crate::routing) fn new(stations: u16, config: impl Protocol) -> Self {
        let n = usize::from(stations);
        let station = |at: u16| {
            let stream = Stream::named(1, &format!("station.{at}"), "jitter");
            config.station(Address(at), stream)
        };
        Self {
            now: Time::ZERO,
            stations: (1..=stations).map(station).collect(),
            links: vec![vec![false; n + 1]; n + 1],
            events: BTreeMap::new(),
            order: 0,
            loses: Box::new(|| false),
            lines: Vec::new(),
            sent: 0,
            ended: Vec::new(),
        }
    }

    /// Stations 1 to n and the links between them.
    pub(in crate::routing) fn of(
        stations: u16,
        links: &[(usize, usize)],
        config: impl Protocol,
    ) -> Self {
        let mut network = Self::new(stations, config);
        for &(a, b) in links {
            network.link(a, b, true);
        }
        network
    }

    /// 1 - 2 - … - n.
    pub(in crate::routing) fn chain(stations: u16, config: impl Protocol) -> Self {
        let links: Vec<_> = (1..usize::from(stations)).map(|a| (a, a + 1)).collect();
        Self::of(stations, &links, config)
    }

    /// Makes or breaks a link, both ways.
    pub(in crate::routing) fn link(&mut self, a: usize, b: usize, up: bool) {
        self.links[a][b] = up;
        self.links[b][a] = up;
    }

    /// Breaks links that lead one way only.
    pub(in crate::routing) fn make_symmetric(&mut self) {
        for a in 1..self.links.len() {
            for b in 1..a {
                self.link(a, b, self.links[a][b] && self.links[b][a]);
            }
        }
    }

    /// Makes or breaks a link one way.
    pub(in crate::routing) fn one_way(&mut self, from: usize, to: usize, up: bool) {
        self.links[from][to] = up;
    }

    fn station(&mut self, at: usize) -> &mut Routing<u32> {
        &mut self.stations[at - 1]
    }

    pub(in crate::routing) fn next_hop(&self, at: usize, destination: usize) -> Option<usize> {
        let hop = self.stations[at - 1].next_hop(self.now, Address(destination as u16));
        hop.map(|address| usize::from(address.0))
    }

    /// The host at `source` sends a datagram; they are numbered from 1.
    pub(in crate::routing) fn send(&mut self, source: usize, destination: usize) -> u32 {
        self.sent += 1;
        let datagram = Datagram {
            source: Address(source as u16),
            destination: Address(destination as u16),
            ttl: 64,
            bytes: 1000,
            payload: self.sent,
        };
        let now = self.now;
        self.station(source).originate(now, datagram);
        self.drain(source);
        self.sent
    }

    /// Station `at` receives a packet that `from` has sent.
    pub(in crate::routing) fn hand(&mut self, at: usize, from: u16, packet: Packet<u32>) {
        let now = self.now;
        self.station(at).receive(now, Address(from), packet);
        self.drain(at);
    }

    /// Carries out all outputs of a station.
    fn drain(&mut self, at: usize) {
        while let Some(output) = self.station(at).poll() {
            match output {
                Output::Send { next_hop, packet } => self.transmit(at, next_hop, packet),
                Output::Deliver(d) => {
                    self.line(&format!("{at} has #{} from {}", d.payload, d.source));
                    self.ended.push((d.payload, None));
                }
                Output::Drop { datagram, cause } => {
                    self.line(&format!("{at} drops #{}: {cause:?}", datagram.payload));
                    self.ended.push((datagram.payload, Some(cause)));
                }
            }
        }
    }

    fn transmit(&mut self, at: usize, next_hop: Address, packet: Packet<u32>) {
        self.line(&format!("{at} -> {next_hop} {}", text(&packet)));
        assert!(is_straight(&packet), "a route in a circle: {packet:?}");
        if next_hop.is_broadcast() {
            for to in 1..self.links.len() {
                if self.links[at][to] && !(self.loses)() {
                    self.event(DELAY, (to, at, Event::Arrival(packet.clone())));
                }
            }
            return;
        }
        let to = usize::from(next_hop.0);
        // A unicast frame also needs its ACK.
        if self.links[at][to] && self.links[to][at] {
            self.event(DELAY, (to, at, Event::Arrival(packet)));
        } else {
            self.event(GIVE_UP, (at, to, Event::Failure(packet)));
        }
    }

    fn event(&mut self, after: Duration, event: (usize, usize, Event)) {
        self.order += 1;
        self.events.insert((self.now + after, self.order), event);
    }

    fn line(&mut self, text: &str) {
        let ms = self.now.as_nanos() / 1_000_000;
        self.lines
            .push(format!("{}.{:03} {text}", ms / 1000, ms % 1000));
    }

    /// Time of the next event.
    pub(in crate::routing) fn next(&self) -> Option<Time> {
        let event = self.events.keys().next().map(|&(time, _)| time);
        let timers = self.stations.iter().filter_map(Routing::next_timer);
        timers.chain(event).min()
    }

    /// Processes the next event, if it is due by `end`.
    pub(in crate::routing) fn step(&mut self, end: Time) -> bool {
        let Some(now) = self.next().filter(|&next| next <= end) else {
            self.now = self.now.max(end);
            return false;
        };
        assert!(now >= self.now, "a timer in the past: {now:?}");
        self.now = now;
        if let Some(entry) = self.events.first_entry()
            && entry.key().0 <= now
        {
            let (at, other, event) = entry.remove();
            let other = Address(other as u16);
            match event {
                Event::Arrival(packet) => self.station(at).receive(now, other, packet),
                Event::Failure(packet) => self.station(at).link_failed(now, other, packet),
            }
            self.drain(at);
            return true;
        }
        for at in 1..=self.stations.len() {
            if self.station(at).next_timer().is_some_and(|due| due <= now) {
                self.station(at).on_timer(now);
                self.drain(at);
            }
        }
        true
    }

    /// Runs until `ms` after the start.
    pub(in crate::routing) fn run(&mut self, ms: u64) {
        while self.step(Time::ZERO + Duration::from_millis(ms)) {}
    }

    /// Runs until no event is left.
    pub(in crate::routing) fn run_out(&mut self) {
        while let Some(next) = self.next() {
            self.step(next);
        }
    }

    /// Compares all messages since the last call, line by line.
    #[track_caller]
    pub(in crate::routing) fn expect(&mut self, lines: &str) {
        let lines: Vec<&str> = lines.lines().map(str::trim).collect();
        let lines = lines.join("\n");
        let said = std::mem::take(&mut self.lines).join("\n");
        assert_eq!(said, lines.trim(), "\nsaid:\n{said}\n");
    }

    /// The first reply that was sent since the last call, without its time.
    #[track_caller]
    pub(in crate::routing) fn first_reply(&mut self) -> String {
        let mut lines = std::mem::take(&mut self.lines).into_iter();
        let line = lines.find(|line| line.contains("RREP")).expect("a reply");
        line.split_once(' ').expect("a time").1.to_owned()
    }

    /// Discards the recorded lines.
    pub(in crate::routing) fn skip(&mut self) {
        self.lines.clear();
    }

    /// A loop of usable routes, if there is one: the destination and the stations.
    pub(in crate::routing) fn routing_loop(&self) -> Option<(usize, Vec<usize>)> {
        let n = self.stations.len();
        for destination in 1..=n {
            for start in 1..=n {
                let mut path = vec![start];
                while let Some(&at) = path.last()
                    && at != destination
                    && let Some(next) = self.next_hop(at, destination)
                {
                    let seen = path.contains(&next);
                    path.push(next);
                    if seen {
                        return Some((destination, path));
                    }
                }
            }
        }
        None
    }
}

/// Whether a packet's own route, if it has one, comes by no station twice.
fn is_straight(packet: &Packet<u32>) -> bool {
    let route = match packet {
        Packet::Dsr(message) => match &**message {
            dsr::Message::Request(request) => &request.path,
            dsr::Message::Routed(routed) => &routed.route,
        },
        _ => return true,
    };
    (1..route.len()).all(|at| !route[..at].contains(&route[at]))
}
