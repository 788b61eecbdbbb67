//! A station: its radio, its MAC, its IP layer and its routing.

use std::collections::VecDeque;

use skywave_core::Time;
use skywave_core::link::{Channel, DropCause, Fate, Link};
use skywave_core::mac::{Dcf, Stats};
use skywave_core::radio::{Address, Receiver};
use skywave_core::rng::Stream;
use skywave_core::routing::{Aodv, Datagram, Dsdv, Dsr, Output, Packet, Routing, StaticRoutes};

use super::passenger::Passenger;
use crate::measure::mean_s;
use crate::outcome::{Activity, StationOutcome};
use crate::spec::{RadioSpec, RoutingSpec, Spec};

/// The machines of one station.
pub(super) struct Station {
    pub(super) me: Address,
    pub(super) receiver: Receiver,
    /// Losses of frames that the station would receive whole.
    pub(super) losses: Channel,
    pub(super) dcf: Dcf<Packet<Passenger>>,
    routing: Routing<Passenger>,
    /// The routing protocol was called since it was last polled. Not to ask it otherwise saves 14 % of the instructions of
    /// a chain of seven hops, and so does `routing_due`.
    routing_called: bool,
    /// When the routing protocol next wants to act by itself.
    routing_due: Option<Time>,
    /// The IP layer, if it is simulated: packets that the station sends on pass it.
    ip: Option<Ip>,
    /// Counters of the MAC at the start of the measured window.
    before: Stats,
    /// Counters of the MAC at the end of the measured window, once that has come.
    after: Option<Stats>,
}

/// The IP layer of a station: a link within it.
struct Ip {
    link: Link,
    /// Packets in it, by the time at which they come out.
    inside: VecDeque<(Time, Origin)>,
}

/// A packet that a station is to send on, and whose it is.
pub(super) enum Origin {
    /// The station's own host sends it.
    Host(Datagram<Passenger>),
    /// A neighbour has sent it.
    Neighbour(Address, Packet<Passenger>),
}

impl Origin {
    fn bytes(&self) -> u32 {
        match self {
            Self::Host(datagram) => datagram.bytes,
            Self::Neighbour(_, packet) => packet.bytes(),
        }
    }
}

impl Station {
    pub(super) fn new(
        index: usize,
        spec: &RadioSpec,
        run: &Spec,
        hops: Vec<(Address, Address)>,
    ) -> Self {
        let station = &spec.stations[index];
        let name = station.entity(run);
        let stream = |purpose| Stream::named(run.seed, &name, purpose);
        let me = Address(index as u16);
        let ip = station.ip.as_ref().map(|config| Ip {
            link: Link::new(config.clone(), run.seed, &name),
            inside: VecDeque::new(),
        });
        let routing = match &spec.routing {
            RoutingSpec::Static => Routing::Static(StaticRoutes::new(me, hops)),
            RoutingSpec::Aodv(config) => {
                Routing::Aodv(Box::new(Aodv::new(me, *config, stream("aodv"))))
            }
            RoutingSpec::Dsr(config) => {
                Routing::Dsr(Box::new(Dsr::new(me, *config, stream("dsr"))))
            }
            RoutingSpec::Dsdv(config) => {
                Routing::Dsdv(Box::new(Dsdv::new(me, *config, stream("dsdv"))))
            }
        };
        Self {
            me,
            receiver: Receiver::new(spec.reception, spec.sensing, stream("bits")),
            losses: Channel::new(&station.loss, run.seed, &format!("{name}.air")),
            dcf: Dcf::new(spec.mac.clone(), me, run.seed, &name),
            routing_due: routing.next_timer(),
            routing,
            routing_called: false,
            ip,
            before: Stats::default(),
            after: None,
        }
    }

    /// A packet that the station is to send on comes to its IP layer.
    pub(super) fn handle_packet(&mut self, now: Time, packet: Origin) -> Result<(), DropCause> {
        let Some(ip) = &mut self.ip else {
            self.route(now, packet);
            return Ok(());
        };
        match ip.link.send(now, packet.bytes()) {
            Fate::Dropped(cause) => Err(cause),
            Fate::Arrives { at, .. } => {
                ip.inside.push_back((at, packet));
                Ok(())
            }
        }
    }

    /// MAC and routing do what is due at `now`.
    pub(super) fn on_timer(&mut self, now: Time) {
        if self.dcf.next_timer().is_some_and(|at| at <= now) {
            self.dcf.on_timer(now);
        }
        if self.routing_due.is_some_and(|at| at <= now) {
            self.routing().on_timer(now);
        }
        self.route_handled(now);
    }

    /// The routing protocol, to be called.
    pub(super) fn routing(&mut self) -> &mut Routing<Passenger> {
        self.routing_called = true;
        &mut self.routing
    }

    /// The next action that the routing protocol asks for.
    pub(super) fn poll_routing(&mut self) -> Option<Output<Passenger>> {
        if !self.routing_called {
            return None;
        }
        let output = self.routing.poll();
        if output.is_none() {
            self.routing_called = false;
            self.routing_due = self.routing.next_timer();
        }
        output
    }

    /// Routes the packets that the IP layer has handled by now.
    fn route_handled(&mut self, now: Time) {
        while let Some(ip) = &mut self.ip
            && ip.inside.front().is_some_and(|(at, ..)| *at <= now)
            && let Some((_, packet)) = ip.inside.pop_front()
        {
            self.route(now, packet);
        }
    }

    fn route(&mut self, now: Time, packet: Origin) {
        match packet {
            Origin::Host(datagram) => self.routing().originate(now, datagram),
            Origin::Neighbour(from, packet) => self.routing().receive(now, from, packet),
        }
    }

    /// When one of its machines next wants to act by itself; never is [`Time::MAX`].
    pub(super) fn next_timer(&self) -> Time {
        let dcf = self.dcf.next_timer().unwrap_or(Time::MAX);
        let routing = self.routing_due.unwrap_or(Time::MAX);
        let ip = self.ip.as_ref().and_then(|ip| ip.inside.front());
        let handled = ip.map_or(Time::MAX, |(at, ..)| *at);
        dcf.min(routing).min(handled)
    }

    /// Tells the MAC what the radio hears.
    pub(super) fn listen(&mut self, now: Time) {
        if self.receiver.is_busy() {
            self.dcf.on_busy(now);
        } else {
            self.dcf.on_idle(now);
        }
    }

    /// Activity of the station at `now`; if it ends by itself, also its end and the next activity.
    pub(super) fn activity(&self, now: Time) -> (Activity, Option<(Time, Activity)>) {
        let free = if self.dcf.access().is_backing_off() {
            Activity::BacksOff
        } else {
            Activity::Idle
        };
        let nav = self.dcf.access().nav();
        let activity = if self.receiver.is_sending() {
            Activity::Sends
        } else if self.receiver.is_receiving() {
            Activity::Receives
        } else if self.receiver.is_busy() {
            Activity::Senses
        } else if now < nav {
            return (Activity::Reserved, Some((nav, free)));
        } else {
            free
        };
        (activity, None)
    }

    pub(super) fn start_measuring(&mut self) {
        self.before = *self.dcf.stats();
    }

    pub(super) fn stop_measuring(&mut self) {
        self.after = Some(*self.dcf.stats());
    }

    pub(super) fn outcome(&self, name: &str) -> StationOutcome {
        let after = self.after.as_ref().unwrap_or(self.dcf.stats());
        let stats = after.since(&self.before);
        StationOutcome {
            name: name.to_owned(),
            attempts: stats.attempts,
            requests: stats.requests,
            unanswered: stats.unanswered,
            unanswered_share: match stats.attempts + stats.requests {
                0 => None,
                sent => Some(stats.unanswered as f64 / sent as f64),
            },
            acknowledged: stats.acknowledged,
            given_up: stats.given_up,
            queue_drops: stats.queue_drops,
            queue_time_mean_s: mean_s(stats.waited, stats.served),
            contention_mean_s: mean_s(stats.contention, stats.acknowledged),
            timeline: Vec::new(),
        }
    }
}
