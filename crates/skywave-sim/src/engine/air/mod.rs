//! A radio network: stations, what each hears of the others, and packets between them.
//!
//! The network has a queue of events of its own; the world wakes it when the earliest is due. To the
//! world it is a lane for each pair of stations between which flows pass: a packet goes in at one and
//! comes out at the other, some time later, or is lost. In between, the stations' machines decide
//! over its way.

mod channel;
mod copies;
mod events;
mod station;
mod timeline;

use skywave_core::Time;
use skywave_core::mac;
use skywave_core::radio::{Address, Received};
use skywave_core::routing::{self, Datagram, Packet, Routing};

use crate::losses::LossCause;
use crate::outcome::StationOutcome;
use crate::spec::{RadioSpec, Spec};
use channel::{AirFrame, Channel};
use copies::Copies;
pub(super) use copies::Released;
use events::{Event, Events};
use station::Station;
use timeline::Timeline;

/// Hops that a packet may take at most: the default TTL of IP.
const TTL: u8 = 64;

/// A radio network in operation.
pub(crate) struct Air {
    now: Time,
    stations: Vec<Station>,
    channel: Channel,
    events: Events,
    copies: Copies,
    timeline: Option<Timeline>,
    measure: (Time, Time),
    /// When it is to be woken.
    pub(super) wake: Option<Time>,
    pub(super) results: Vec<Leaves>,
}

/// A packet leaves the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaves {
    /// At the station where it should. If `copy`, other copies of it are still under way, or were
    /// here before.
    Arrives {
        /// Its number among the packets under way.
        id: u32,
        released: Released,
    },
    /// It is lost, and there is no other copy of it.
    Lost { id: u32, cause: LossCause },
    /// The last copy of a packet that has arrived is gone.
    Gone { id: u32 },
}

impl Air {
    /// The network of `spec`, in the run `run`.
    pub(crate) fn new(spec: &RadioSpec, run: &Spec) -> Self {
        let mut channel = Channel::new(spec, run);
        let stations = (0..spec.stations.len()).map(|index| {
            let routes = channel.next_hops(index);
            Station::new(index, spec, run, routes)
        });
        let mut air = Self {
            now: Time::ZERO,
            stations: stations.collect(),
            events: Events::default(),
            copies: Copies::default(),
            timeline: spec
                .timeline
                .map(|window| Timeline::new(window, spec.stations.len())),
            channel,
            measure: run.measure,
            wake: None,
            results: Vec::new(),
        };
        for station in 0..air.stations.len() {
            air.set_timer(station);
        }
        if run.measure.0 > Time::ZERO {
            air.events.push(run.measure.0, Event::Measure);
        }
        air
    }

    /// When it next has something to do.
    pub(crate) fn next(&self) -> Option<Time> {
        self.events.next()
    }

    /// A packet enters at station `from`, for station `to`.
    pub(crate) fn enter(&mut self, now: Time, id: u32, bytes: u32, from: u16, to: u16) {
        self.now = now;
        self.copies.enter(id);
        let datagram = Datagram {
            source: Address(from),
            destination: Address(to),
            ttl: TTL,
            bytes,
            payload: id,
        };
        self.pass_ip(usize::from(from), None, datagram);
        self.settle(usize::from(from));
    }

    /// Does everything that is due by `now`.
    pub(crate) fn run(&mut self, now: Time) {
        while let Some((at, event)) = self.events.pop(now) {
            self.now = at;
            self.handle(event);
        }
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Timer(station) => self.on_timer(usize::from(station)),
            Event::Handled(station) => self.on_handled(usize::from(station)),
            Event::Begins {
                transmission,
                reach,
            } => self.on_front(transmission, reach),
            Event::Ends {
                transmission,
                reach,
            } => self.on_tail(transmission, reach),
            Event::Sent(transmission) => self.on_sent(transmission),
            Event::Measure => {
                for station in &mut self.stations {
                    station.start_measuring();
                }
            }
        }
    }

    /// A station's own frame has ended.
    fn on_sent(&mut self, transmission: u32) {
        let index = self.channel.sender(transmission);
        let station = &mut self.stations[index];
        station.receiver.on_sent();
        station.dcf.on_sent(self.now);
        self.channel.release(transmission);
        self.settle(index);
    }

    /// A frame begins to reach the next station.
    fn on_front(&mut self, transmission: u32, reach: u32) {
        let (heard, signal) = self.channel.signal(transmission, reach);
        if let Some(at) = self.channel.front(transmission, reach + 1) {
            let reach = reach + 1;
            self.events.push(
                at,
                Event::Begins {
                    transmission,
                    reach,
                },
            );
        }
        let station = &mut self.stations[heard];
        station.receiver.on_start(self.now, signal);
        if station.receiver.is_busy() {
            station.dcf.on_busy(self.now);
        }
        self.note(heard);
    }

    /// A frame has passed the next station.
    fn on_tail(&mut self, transmission: u32, reach: u32) {
        let heard = self.channel.station(transmission, reach);
        if let Some(at) = self.channel.tail(transmission, reach + 1) {
            let reach = reach + 1;
            self.events.push(
                at,
                Event::Ends {
                    transmission,
                    reach,
                },
            );
        }
        let station = &mut self.stations[heard];
        match station.receiver.on_end(self.now, transmission) {
            Some(Received::Frame) => {
                station
                    .dcf
                    .on_frame(self.now, self.channel.frame(transmission));
            }
            Some(Received::Garbled) => station.dcf.on_garbled(self.now),
            None => {}
        }
        if self.channel.is_last(transmission, reach) {
            self.channel.release(transmission);
        }
        self.settle(heard);
    }

    fn on_timer(&mut self, index: usize) {
        let station = &mut self.stations[index];
        if station.timer != Some(self.now) {
            return;
        }
        station.timer = None;
        if station.dcf.next_timer().is_some_and(|at| at <= self.now) {
            station.dcf.on_timer(self.now);
        }
        if station
            .routing
            .next_timer()
            .is_some_and(|at| at <= self.now)
        {
            station.routing.on_timer(self.now);
        }
        self.settle(index);
    }

    /// The IP layer of a station has handled a packet.
    fn on_handled(&mut self, index: usize) {
        self.stations[index].route_handled(self.now);
        self.settle(index);
    }

    /// A packet comes to the IP layer of a station, which is to send it on: from a neighbour, or from
    /// its own host.
    fn pass_ip(&mut self, index: usize, from: Option<Address>, datagram: Datagram<u32>) {
        let id = datagram.payload;
        match self.stations[index].handle_packet(self.now, from, datagram) {
            Ok(Some(at)) => self.events.push(at, Event::Handled(index as u16)),
            Ok(None) => {}
            Err(cause) => self.lose(id, cause.into()),
        }
    }

    /// Passes on what the machines of a station have to say, until they have nothing more.
    fn settle(&mut self, index: usize) {
        loop {
            if let Some(output) = self.stations[index].routing.poll() {
                self.on_routing(index, output);
            } else if let Some(output) = self.stations[index].dcf.poll() {
                self.on_mac(index, output);
            } else {
                break;
            }
        }
        self.stations[index].listen(self.now);
        self.set_timer(index);
        self.note(index);
    }

    fn on_routing(&mut self, index: usize, output: routing::Output<u32>) {
        match output {
            routing::Output::Send { next_hop, packet } => {
                let bytes = packet.bytes();
                self.stations[index]
                    .dcf
                    .send(self.now, next_hop, bytes, packet);
            }
            routing::Output::Deliver(datagram) => {
                let id = datagram.payload;
                let released = self.copies.arrive(id);
                self.results.push(Leaves::Arrives { id, released });
            }
            routing::Output::Drop { datagram, cause } => {
                self.lose(datagram.payload, cause_of(cause));
            }
        }
    }

    fn on_mac(&mut self, index: usize, output: mac::Output<Packet<u32>>) {
        match output {
            mac::Output::Transmit(frame) => self.transmit(index, frame),
            mac::Output::Deliver { from, packet } => self.receive(index, from, packet),
            mac::Output::Done(Packet::Data(datagram)) => self.forget(datagram.payload),
            mac::Output::GaveUp { to, packet } => self.link_failed(index, to, packet),
            mac::Output::QueueFull(Packet::Data(datagram)) => {
                self.lose(datagram.payload, LossCause::Queue);
            }
            mac::Output::Done(Packet::Aodv { .. })
            | mac::Output::QueueFull(Packet::Aodv { .. }) => {}
        }
    }

    fn transmit(&mut self, index: usize, frame: AirFrame) {
        let transmission = self.channel.transmit(self.now, index, frame);
        self.events
            .push(self.channel.end(transmission), Event::Sent(transmission));
        let reach = 0;
        if let Some(at) = self.channel.front(transmission, reach) {
            self.events.push(
                at,
                Event::Begins {
                    transmission,
                    reach,
                },
            );
        }
        if let Some(at) = self.channel.tail(transmission, reach) {
            self.events.push(
                at,
                Event::Ends {
                    transmission,
                    reach,
                },
            );
        }
        self.stations[index].receiver.on_send();
    }

    /// A packet has come from a neighbour, which still has it too until it hears the ACK.
    fn receive(&mut self, index: usize, from: Address, packet: Packet<u32>) {
        match packet {
            Packet::Data(datagram) => {
                self.copies.copy(datagram.payload);
                if datagram.destination == self.stations[index].me {
                    let station = &mut self.stations[index];
                    station
                        .routing
                        .receive(self.now, from, Packet::Data(datagram));
                } else {
                    self.pass_ip(index, Some(from), datagram);
                }
            }
            aodv @ Packet::Aodv { .. } => {
                self.stations[index].routing.receive(self.now, from, aodv);
            }
        }
    }

    /// A neighbour does not answer: what else waits for it has no better prospects.
    fn link_failed(&mut self, index: usize, to: Address, packet: Packet<u32>) {
        let station = &mut self.stations[index];
        station.routing.link_failed(self.now, to, packet);
        // Static routes know no other way: the rest tries its luck.
        if matches!(station.routing, Routing::Aodv(_)) {
            while let Some(packet) = station.dcf.withdraw(to) {
                station.routing.link_failed(self.now, to, packet);
            }
        }
    }

    fn set_timer(&mut self, index: usize) {
        let station = &mut self.stations[index];
        if let Some(at) = station.next_timer()
            && station.timer.is_none_or(|pending| at < pending)
        {
            station.timer = Some(at);
            self.events.push(at, Event::Timer(index as u16));
        }
    }

    /// A copy is no more, but there is another.
    fn forget(&mut self, id: u32) {
        if let Released::Last { .. } = self.copies.release(id) {
            self.results.push(Leaves::Gone { id });
        }
    }

    fn lose(&mut self, id: u32, cause: LossCause) {
        match self.copies.release(id) {
            Released::Last { arrived: false } => self.results.push(Leaves::Lost { id, cause }),
            Released::Last { arrived: true } => self.results.push(Leaves::Gone { id }),
            Released::Not { .. } => {}
        }
    }

    fn note(&mut self, index: usize) {
        if let Some(timeline) = &mut self.timeline {
            timeline.note(self.now, index, self.stations[index].state(self.now));
        }
    }

    /// What each station did in the window that was asked for, and what it counted.
    pub(crate) fn finish(mut self, run: &Spec, spec: &RadioSpec) -> Vec<StationOutcome> {
        let spans = self.timeline.take().map(|t| t.finish(self.measure.1));
        let stations = self.stations.iter().zip(&spec.stations).enumerate();
        let outcome = |(index, (station, spec)): (usize, (&Station, &crate::spec::StationSpec))| {
            let mut outcome = station.outcome(&run.nodes[spec.node]);
            if let Some(spans) = &spans {
                outcome.timeline.clone_from(&spans[index]);
            }
            outcome
        };
        stations.map(outcome).collect()
    }
}

/// How a packet is counted that routing has dropped.
fn cause_of(cause: routing::DropCause) -> LossCause {
    match cause {
        routing::DropCause::LinkBroken => LossCause::Channel,
        routing::DropCause::BufferFull => LossCause::Queue,
        routing::DropCause::NoRoute
        | routing::DropCause::BufferTimeout
        | routing::DropCause::Ttl => LossCause::NoRoute,
    }
}
