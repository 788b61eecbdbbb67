//! A radio network: stations, what each hears of the others, and packets between them.
//!
//! The network has a queue of events of its own; the world wakes it when the earliest is due. To the
//! world it is a lane for each pair of stations between which flows pass: a packet goes in at one and
//! comes out at the other, some time later, or is lost. In between, the stations' machines decide
//! about its way.
//!
//! The network goes on by itself until something else in the world is due. The stations' timers are a tournament
//! tree, because a backoff stops and starts with each frame of a neighbour, and the tree keeps no stale entries.
//! A transmission is two events, its beginning and its end, which walk from station to station in the order of
//! distance as long as nothing else happens in between. A packet whose ACK was lost is at two stations: copies
//! are counted, and the last one settles the packet's fate.

mod channel;
mod copies;
mod events;
mod passenger;
mod station;
mod timeline;
mod timers;

use skywave_core::Time;
use skywave_core::mac;
use skywave_core::packet::{Ecn, Packet as WorldPacket};
use skywave_core::radio::{Address, Received};
use skywave_core::routing::{self, Datagram, Packet};

use super::clamp::{Clamps, How, Seen};
use super::stop::TURNS;
use super::wake::Wake;
use crate::losses::LossCause;
use crate::outcome::StationOutcome;
use crate::spec::{RadioSpec, RoutingSpec, Spec, StationSpec};
use channel::{AirFrame, Channel};
use copies::Copies;
pub(super) use copies::Released;
use events::{Event, Events, Passing};
use passenger::Passenger;
use station::{Origin, Station};
use timeline::Timeline;
use timers::Timers;

/// A radio network in operation.
pub(crate) struct Air {
    now: Time,
    /// Time up to which nothing happens in the rest of the world.
    until: Time,
    stations: Vec<Station>,
    channel: Channel,
    events: Events,
    timers: Timers,
    copies: Copies,
    timeline: Option<Timeline>,
    pub(super) clamps: Clamps,
    /// When the network is to be woken.
    pub(super) wake: Wake,
    pub(super) results: Vec<Leaves>,
}

/// A packet leaves the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaves {
    /// The packet arrives at the station where it should.
    Arrives {
        /// Number of the packet among those under way.
        id: u32,
        /// ECN field of the packet: queues may have marked it.
        ecn: Ecn,
        /// State of the packet's other copies.
        released: Released,
    },
    /// The packet is lost, and there is no other copy of it.
    Lost { id: u32, cause: LossCause },
    /// The last copy of a packet that has arrived is gone.
    Gone { id: u32 },
    /// The packet stays in the network; an agent of L²CLAMP is to look at it.
    Stays(Seen),
}

impl Air {
    /// The network of `spec`, in the run `run`.
    pub(crate) fn new(spec: &RadioSpec, run: &Spec) -> Self {
        let count = spec.stations.len();
        assert!(
            count < usize::from(Address::BROADCAST.0),
            "no address for so many stations: the scenario layer checks this"
        );
        let mut channel = Channel::new(spec, run);
        let routes = match spec.routing {
            RoutingSpec::Static => channel.next_hops(),
            RoutingSpec::Aodv(_) | RoutingSpec::Dsdv(_) | RoutingSpec::Dsr(_) => {
                vec![Vec::new(); count]
            }
        };
        let stations = routes.into_iter().enumerate();
        let stations = stations.map(|(index, routes)| Station::new(index, spec, run, routes));
        let mut air = Self {
            now: Time::ZERO,
            until: Time::ZERO,
            stations: stations.collect(),
            events: Events::default(),
            timers: Timers::new(count),
            copies: Copies::default(),
            clamps: Clamps::new(spec, run),
            timeline: spec.timeline.map(|window| Timeline::new(window, count)),
            channel,
            wake: Wake::default(),
            results: Vec::new(),
        };
        for station in 0..count {
            let due = air.stations[station].next_timer();
            air.timers.set(station, due);
        }
        let (from, to) = run.measure;
        air.events.push(from, Event::MeasureFrom);
        air.events.push(to, Event::MeasureTo);
        air
    }

    /// When the network next has something to do.
    pub(crate) fn next(&self) -> Time {
        self.events.next().min(self.timers.first())
    }

    /// A packet, number `id`, enters at the first of two stations, for the second.
    pub(crate) fn enter(
        &mut self,
        now: Time,
        id: u32,
        packet: &WorldPacket,
        (from, to): (u16, u16),
    ) {
        self.now = now;
        self.copies.enter(id);
        let datagram = Datagram {
            source: Address(from),
            destination: Address(to),
            ttl: RoutingSpec::TTL,
            bytes: packet.size,
            payload: Passenger::new(id, packet.flow, packet.ecn, from, to),
        };
        self.pass_ip(usize::from(from), id, Origin::Host(datagram));
        self.settle(usize::from(from));
    }

    /// Does what is due by `until`, as long as no packet leaves, and no more than [`TURNS`] things. Returns whether that
    /// number ended it.
    pub(crate) fn run(&mut self, until: Time) -> bool {
        self.until = until;
        let mut turns = TURNS;
        while self.results.is_empty() && self.next() <= until {
            if turns == 0 {
                return true;
            }
            turns -= 1;
            // Of equal times, frames on the air come before timers: stations answer to frames.
            if self.events.next() <= self.timers.first() {
                self.handle_event();
            } else {
                self.now = self.timers.first();
                self.on_timer(self.timers.station());
            }
        }
        false
    }

    /// The time of what was done last.
    pub(super) fn now(&self) -> Time {
        self.now
    }

    fn handle_event(&mut self) {
        let Some((at, event)) = self.events.pop() else {
            return;
        };
        self.now = at;
        match event {
            Event::Begins(passing) => self.on_front(passing),
            Event::Sent(transmission) => self.on_sent(transmission),
            Event::Ends(passing) => self.on_tail(passing),
            Event::MeasureFrom => self.stations.iter_mut().for_each(Station::start_measuring),
            Event::MeasureTo => self.stations.iter_mut().for_each(Station::stop_measuring),
        }
    }

    /// A frame has left its sender, and passes the others.
    fn on_sent(&mut self, transmission: u32) {
        let index = self.channel.sender(transmission);
        let station = &mut self.stations[index];
        station.receiver.on_sent();
        station.dcf.on_sent(self.now);
        self.settle(index);
        self.pass_on(Passing::first(transmission));
    }

    /// A frame begins to reach stations, one after the other until something else comes first.
    fn on_front(&mut self, mut passing: Passing) {
        loop {
            let (heard, signal) = self.channel.signal(passing);
            let station = &mut self.stations[heard];
            station.receiver.on_start(self.now, signal);
            // A backoff freezes; or it goes on, where frames meet and the receiver finds none of them.
            station.listen(self.now);
            let due = station.next_timer();
            self.timers.set(heard, due);
            self.note(heard);
            passing.reach += 1;
            let Some(at) = self.channel.front(passing) else {
                return;
            };
            if !self.is_next(at) {
                return self.events.push(at, Event::Begins(passing));
            }
            self.now = at;
        }
    }

    /// A frame has passed a station, and passes those after it.
    fn on_tail(&mut self, mut passing: Passing) {
        self.on_end(passing);
        passing.reach += 1;
        self.pass_on(passing);
    }

    /// A frame passes stations, one after the other until something else comes first. When it has passed the last one,
    /// its number becomes free.
    fn pass_on(&mut self, mut passing: Passing) {
        while let Some(at) = self.channel.tail(passing) {
            if !self.is_next(at) {
                return self.events.push(at, Event::Ends(passing));
            }
            self.now = at;
            self.on_end(passing);
            passing.reach += 1;
        }
        self.channel.release(passing.transmission);
    }

    fn on_end(&mut self, passing: Passing) {
        let heard = self.channel.station(passing);
        let station = &mut self.stations[heard];
        let received = station.receiver.on_end(self.now, passing.transmission);
        // The frame's packet may be forwarded at once, so the MAC must know whether the channel is
        // idle.
        if station.dcf.keeps_access() {
            station.listen(self.now);
        }
        match received {
            Some(Received::Frame) => {
                let frame = self.channel.frame(passing.transmission);
                if station.losses.loses(self.now, frame.bytes) {
                    station.dcf.on_garbled(self.now);
                } else {
                    station.dcf.on_frame(self.now, frame);
                }
            }
            Some(Received::Garbled) => station.dcf.on_garbled(self.now),
            None => {}
        }
        self.settle(heard);
    }

    /// Whether something at `at` comes before all events, those of the rest of the world included. To go on
    /// then without an event saves 8 % of the instructions of a chain of seven hops.
    fn is_next(&self, at: Time) -> bool {
        at <= self.until && at < self.next() && self.results.is_empty()
    }

    fn on_timer(&mut self, index: usize) {
        self.stations[index].on_timer(self.now);
        self.settle(index);
    }

    /// The world's packet `id` comes to the IP layer of a station, which is to send it on.
    fn pass_ip(&mut self, index: usize, id: u32, packet: Origin) {
        if let Err(cause) = self.stations[index].handle_packet(self.now, packet) {
            self.lose(id, cause.into());
        }
    }

    /// Does what the machines of a station ask for, until they ask for nothing more.
    fn settle(&mut self, index: usize) {
        loop {
            if let Some(output) = self.stations[index].poll_routing() {
                self.on_routing(index, output);
            } else if let Some(output) = self.stations[index].dcf.poll() {
                self.on_mac(index, output);
            } else {
                break;
            }
        }
        self.stations[index].listen(self.now);
        let due = self.stations[index].next_timer();
        self.timers.set(index, due);
        self.note(index);
    }

    fn on_routing(&mut self, index: usize, output: routing::Output<Passenger>) {
        match output {
            routing::Output::Send { next_hop, packet } => {
                let bytes = packet.bytes();
                self.stations[index]
                    .dcf
                    .send(self.now, next_hop, bytes, packet);
            }
            routing::Output::Deliver(datagram) => {
                let Passenger { id, ecn, .. } = datagram.payload;
                let released = self.copies.arrive(id);
                self.results.push(Leaves::Arrives { id, ecn, released });
            }
            routing::Output::Drop { datagram, cause } => {
                self.lose(datagram.payload.id, cause_of(cause));
            }
        }
    }

    fn on_mac(&mut self, index: usize, output: mac::Output<Packet<Passenger>>) {
        match output {
            mac::Output::Transmit(frame) => self.transmit(index, frame),
            mac::Output::Deliver { from, packet } => self.receive(index, from, packet),
            mac::Output::Done { to, packet } => {
                if let Some(datagram) = packet.datagram() {
                    self.show(index, to, How::Confirmed, datagram.payload);
                    self.forget(datagram.payload.id);
                }
            }
            mac::Output::GaveUp { to, packet } => self.link_failed(index, to, packet),
            mac::Output::Dropped { packet, cause } => {
                if let Some(datagram) = packet.datagram() {
                    self.lose(datagram.payload.id, cause.into());
                }
            }
        }
    }

    fn transmit(&mut self, index: usize, frame: AirFrame) {
        let transmission = self.channel.transmit(self.now, index, frame);
        let first = Passing::first(transmission);
        if let Some(at) = self.channel.front(first) {
            self.events.push(at, Event::Begins(first));
        }
        self.events
            .push(self.channel.end(transmission), Event::Sent(transmission));
        self.stations[index].receiver.on_send();
    }

    /// A packet has come from a neighbour, which still has it too until it hears the ACK.
    fn receive(&mut self, index: usize, from: Address, packet: Packet<Passenger>) {
        if let Some(datagram) = packet.datagram() {
            let id = datagram.payload.id;
            self.show(index, from, How::Heard, datagram.payload);
            let sender = &self.stations[usize::from(from.0)];
            let contention = sender.dcf.in_service_for(self.now);
            self.copies.copy(id, contention);
            if datagram.destination != self.stations[index].me {
                return self.pass_ip(index, id, Origin::Neighbour(from, packet));
            }
        }
        let routing = self.stations[index].routing();
        routing.receive(self.now, from, packet);
    }

    /// A station's frame has come to the station `other`, or one from there here: if that is where the flow ends, an
    /// agent may want to see it.
    fn show(&mut self, index: usize, other: Address, how: How, passenger: Passenger) {
        if self.clamps.receiver(passenger.flow_of_world()) == Some(other.0) {
            self.results.push(Leaves::Stays(Seen {
                id: passenger.id,
                station: index as u16,
                how,
            }));
        }
    }

    /// A neighbour does not answer: other packets that wait for it may fare no better.
    fn link_failed(&mut self, index: usize, to: Address, packet: Packet<Passenger>) {
        let station = &mut self.stations[index];
        station.routing().link_failed(self.now, to, packet);
        if station.routing().takes_queued(self.now, to) {
            while let Some(packet) = station.dcf.withdraw(self.now, to) {
                station.routing().link_failed(self.now, to, packet);
            }
        }
    }

    /// A station no longer keeps its copy of a packet, as the next station has one.
    fn forget(&mut self, id: u32) {
        let leaves = self.copies.forget(id);
        self.results.extend(leaves);
    }

    fn lose(&mut self, id: u32, cause: LossCause) {
        let leaves = self.copies.lose(id, cause);
        self.results.extend(leaves);
    }

    /// Records what a station does now, where that is asked for.
    #[inline(always)]
    fn note(&mut self, index: usize) {
        if let Some(timeline) = &mut self.timeline {
            let (activity, then) = self.stations[index].activity(self.now);
            timeline.note(self.now, index, activity, then);
        }
    }

    /// The activities of each station in the window that was asked for, and its counters.
    pub(crate) fn finish(self, run: &Spec, spec: &RadioSpec) -> Vec<StationOutcome> {
        let stations = self.stations.iter().zip(&spec.stations);
        let outcome =
            |(station, spec): (&Station, &StationSpec)| station.outcome(&run.nodes[spec.node]);
        let mut outcomes: Vec<StationOutcome> = stations.map(outcome).collect();
        let timelines = self.timeline.map(Timeline::finish).unwrap_or_default();
        for (outcome, timeline) in outcomes.iter_mut().zip(timelines) {
            outcome.timeline = timeline;
        }
        outcomes
    }
}

/// Cause of loss by which a packet is counted that routing has dropped.
fn cause_of(cause: routing::DropCause) -> LossCause {
    match cause {
        routing::DropCause::LinkBroken => LossCause::Channel,
        routing::DropCause::BufferFull => LossCause::Queue,
        routing::DropCause::NoRoute
        | routing::DropCause::BufferTimeout
        | routing::DropCause::Ttl => LossCause::NoRoute,
    }
}
