//! One run: the libraries' machines and the core's links, by one clock that nobody waits for.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicBool, Ordering};

use skywave_core::link::{Fate, Tag};
use skywave_core::packet::Ecn;
use skywave_core::rng::Stream;
use skywave_core::{Duration, Time};
use skywave_sim::Spec;
use skywave_sim::losses::LossCause;
use skywave_sim::outcome::{Bins, LinkOutcome, Outcome};

use crate::clock::Clock;
use crate::host::{Datagram, Host};
use crate::lane::{Decided, Lane};
use crate::meter::Meter;
use crate::plan::{Planned, plan};
use crate::refused::Refused;
use crate::sender::{Laws, Sender};
use crate::tally::Shared;
use crate::{noq, quinn};

/// Bytes of IPv4's and UDP's headers.
pub(crate) const HEADERS: u32 = 28;

/// Facts of one flow's QUIC connection that [`Outcome`] does not have: the time of its handshake, and why it ended
/// early.
#[derive(Clone, Debug, PartialEq)]
pub struct Connection {
    /// Time from the flow's start to the end of the sender's QUIC handshake; `None` if the handshake was never
    /// completed.
    pub handshake: Option<Duration>,
    /// Reason, in the library's words, why the sender's library ended the connection before the end of the run; `None`
    /// if it did not.
    pub ended: Option<String>,
}

/// Result of [`run_each`]: the outcome of a run with senders of noq or quinn, and facts of each flow's connection.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Outcome of the run, in the form that [`skywave_sim::simulate`] gives.
    pub outcome: Outcome,
    /// Facts of the connections, one entry for each flow, in the order of the specification's flows.
    pub connections: Vec<Connection>,
}

/// Runs a specification of one flow, which `sender` carries instead of the flow's own transport.
///
/// # Errors
/// [`Refused`] if the specification has something that senders of noq and quinn do not support, or not exactly
/// one flow.
pub fn run(spec: &Spec, sender: &Sender) -> Result<Outcome, Refused> {
    let report = run_each(spec, &[(0, sender.clone())], false)?;
    Ok(report.outcome)
}

/// Runs a specification whose flows are carried by `senders`, each given with the index of its flow, from 0. With
/// `asks`, connections of noq probe a peer after half a second of silence, or two round trips if that is longer
/// ([`skywave_quic::Silence`]), as this project's own programs do; those of quinn never do.
///
/// # Errors
/// [`Refused`] if a flow has no sender here, an index is of no flow, or the specification has something that senders of
/// noq and quinn do not support.
pub fn run_each(spec: &Spec, senders: &[(usize, Sender)], asks: bool) -> Result<Report, Refused> {
    let planned = plan(spec, senders)?;
    let mut world = World::new(spec, &planned, asks);
    world.run(&|| false);
    Ok(world.report(&planned))
}

/// Runs a specification with a connection of `sender` for each flow, instead of the flows' own transports; `None` if
/// `stop` was set before the end of the run.
///
/// # Errors
/// [`Refused`] if the specification has something that senders of noq and quinn do not support: a proxy, an agent, a
/// radio network, a tunnel, announced outages, traffic other than `ftp` and `bytes`, or a flow without a route.
pub fn run_all(
    spec: &Spec,
    sender: &Sender,
    stop: &AtomicBool,
) -> Result<Option<Outcome>, Refused> {
    let senders = everywhere(spec, sender);
    let planned = plan(spec, &senders)?;
    let mut world = World::new(spec, &planned, false);
    let is_whole = world.run(&|| stop.load(Ordering::Relaxed));
    Ok(is_whole.then(|| world.report(&planned).outcome))
}

/// Checks, without a run, that [`run_all`] accepts this specification with this sender.
///
/// # Errors
/// [`Refused`] for what [`run_all`] would refuse.
pub fn check(spec: &Spec, sender: &Sender) -> Result<(), Refused> {
    plan(spec, &everywhere(spec, sender)).map(drop)
}

fn everywhere(spec: &Spec, sender: &Sender) -> Vec<(usize, Sender)> {
    (0..spec.flows.len())
        .map(|flow| (flow, sender.clone()))
        .collect()
}

/// A packet on its way.
struct Travelling {
    flow: usize,
    /// Whether the receiver sent it.
    back: bool,
    /// How many links it has crossed.
    hops: usize,
    size: u32,
    corrupt: bool,
    datagram: Datagram,
}

/// An event, by time and then in the order in which it was decided.
type Due = Reverse<(Time, u64, Event)>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A packet is where its next link begins, or at its end.
    Packet(u32),
    /// A link has something to do.
    Link(usize),
}

/// A flow with both its ends.
struct Flow {
    hosts: [Box<dyn Host>; 2],
    /// When each end has something to do by itself.
    due: [Option<Time>; 2],
    ways: [Vec<usize>; 2],
    meter: Meter,
    tally: Shared,
    read: u64,
}

struct World<'a> {
    spec: &'a Spec,
    now: Time,
    lanes: Vec<Lane>,
    /// The timer of each lane that lies among the events.
    timers: Vec<Option<Time>>,
    flows: Vec<Flow>,
    packets: Vec<Option<Travelling>>,
    free: Vec<u32>,
    events: BinaryHeap<Due>,
    count: u64,
    decided: Vec<Decided>,
}

impl<'a> World<'a> {
    fn new(spec: &'a Spec, planned: &[Planned], asks: bool) -> Self {
        let clock = Clock::new();
        let flows = planned.iter().zip(&spec.flows).map(|(planned, flow)| {
            let tally = Shared::new(clock, spec.measure, spec.series);
            let mut seeds = Stream::named(spec.seed, &format!("flow.{}", flow.name), "library");
            let seed = seeds.uniform_int(0, u64::MAX);
            let hosts: [Box<dyn Host>; 2] = match planned.sender.laws(seed) {
                Laws::Noq(laws) => noq::pair(seed, &laws, (clock, planned.supply, asks), &tally)
                    .map(|host| Box::new(host) as Box<dyn Host>),
                Laws::Quinn(laws) => quinn::pair(seed, &laws, (clock, planned.supply), &tally)
                    .map(|host| Box::new(host) as Box<dyn Host>),
            };
            let bins = spec.bins.map(|width| {
                let width = width.as_nanos().max(1);
                (width, spec.duration.as_nanos().div_ceil(width) as usize)
            });
            Flow {
                hosts,
                due: [Some(flow.start), None],
                ways: planned.ways.clone(),
                meter: Meter::new(spec.measure, bins),
                tally,
                read: 0,
            }
        });
        Self {
            spec,
            now: Time::ZERO,
            lanes: spec
                .links
                .iter()
                .map(|link| Lane::new(link, spec))
                .collect(),
            timers: vec![None; spec.links.len()],
            flows: flows.collect(),
            packets: Vec::new(),
            free: Vec::new(),
            events: BinaryHeap::new(),
            count: 0,
            decided: Vec::new(),
        }
    }

    /// Goes from time to time: first packets and links, in the order of their decisions, then the hosts, in their order. Whether
    /// it came to the end, without being told to `stop`.
    fn run(&mut self, stop: &dyn Fn() -> bool) -> bool {
        while let Some(next) = self.next().filter(|next| *next < self.spec.duration) {
            if stop() {
                return false;
            }
            self.now = self.now.max(next);
            for flow in &mut self.flows {
                let sender = &mut flow.hosts[0];
                flow.meter.pass(self.now, || sender.told());
            }
            while let Some(Reverse((at, _, event))) = self.events.peek().copied()
                && at <= self.now
            {
                self.events.pop();
                match event {
                    Event::Packet(id) => self.arrive(id),
                    Event::Link(link) => {
                        self.timers[link] = None;
                        self.lanes[link].on_time(self.now, &mut self.decided);
                        self.settle(link);
                    }
                }
            }
            for flow in 0..self.flows.len() {
                for end in 0..2 {
                    if self.flows[flow].due[end].is_some_and(|due| due <= self.now) {
                        self.wake(flow, end);
                    }
                }
            }
        }
        self.now = self.spec.duration;
        for lane in &mut self.lanes {
            lane.on_time(self.now, &mut self.decided);
        }
        true
    }

    fn next(&self) -> Option<Time> {
        let event = self.events.peek().map(|Reverse((at, ..))| *at);
        let hosts = self.flows.iter().flat_map(|flow| flow.due).flatten();
        let bounds = self.flows.iter().filter_map(|flow| flow.meter.bound());
        hosts.chain(event).chain(bounds).min()
    }

    /// An end does what is due, and its packets leave.
    fn wake(&mut self, flow: usize, end: usize) {
        while let Some(datagram) = self.flows[flow].hosts[end].poll(self.now) {
            let back = end == 1;
            if !back {
                self.flows[flow].meter.sent(self.now);
            }
            let id = self.keep(Travelling {
                flow,
                back,
                hops: 0,
                size: datagram.bytes.len() as u32 + HEADERS,
                corrupt: false,
                datagram,
            });
            self.arrive(id);
        }
        let now = self.now;
        let flow = &mut self.flows[flow];
        // What is due already is due at the next moment: a host that wants to do it at once has done it.
        let due = flow.hosts[end].due();
        flow.due[end] = due.map(|due| due.max(now + Duration::from_nanos(1)));
        if end == 1 {
            let read = flow.hosts[end].read();
            flow.meter.delivered(now, read - flow.read);
            flow.read = read;
        }
    }

    fn keep(&mut self, packet: Travelling) -> u32 {
        if let Some(id) = self.free.pop() {
            self.packets[id as usize] = Some(packet);
            return id;
        }
        self.packets.push(Some(packet));
        self.packets.len() as u32 - 1
    }

    fn release(&mut self, id: u32) -> Option<Travelling> {
        let packet = self.packets[id as usize].take();
        self.free.push(id);
        packet
    }

    fn push(&mut self, at: Time, event: Event) {
        self.count += 1;
        self.events.push(Reverse((at, self.count, event)));
    }

    /// A packet is at the beginning of a link, or at its host.
    fn arrive(&mut self, id: u32) {
        let Some(packet) = &self.packets[id as usize] else {
            return;
        };
        let (flow, back) = (packet.flow, packet.back);
        let way = &self.flows[flow].ways[usize::from(back)];
        if let Some(&link) = way.get(packet.hops) {
            let direction = (flow * 2 + usize::from(back)) as u32;
            let tag = Tag::new(id, packet.size).of_flow(direction);
            let ecn = packet.datagram.ecn;
            self.lanes[link].offer(self.now, tag, ecn, &mut self.decided);
            return self.settle(link);
        }
        let Some(packet) = self.release(id) else {
            return;
        };
        let flow = &mut self.flows[flow];
        match (back, packet.corrupt) {
            (false, true) => return flow.meter.lost(self.now, LossCause::Corruption),
            (true, true) => return,
            (false, false) => flow.meter.arrived(self.now, packet.size),
            (true, false) => {}
        }
        let end = usize::from(!back);
        flow.hosts[end].receive(self.now, &packet.datagram);
        flow.due[end] = Some(self.now);
    }

    /// Passes on or drops the packets that a link has decided about, and sets its timer.
    fn settle(&mut self, link: usize) {
        let mut decided = std::mem::take(&mut self.decided);
        for decided in decided.drain(..) {
            self.pass_on(&decided);
        }
        self.decided = decided;
        if let Some(due) = self.lanes[link].due()
            && self.timers[link].is_none_or(|timer| timer > due)
        {
            self.timers[link] = Some(due);
            self.push(due, Event::Link(link));
        }
    }

    fn pass_on(&mut self, decided: &Decided) {
        let Decided { packet: id, at, .. } = *decided;
        let Fate::Arrives {
            at: arrives,
            corrupt,
            marked,
            duplicate,
        } = decided.fate
        else {
            let Fate::Dropped(cause) = decided.fate else {
                return;
            };
            if let Some(packet) = self.release(id)
                && !packet.back
            {
                // A damaged packet is lost by its damage, wherever it ends.
                let cause = if packet.corrupt {
                    LossCause::Corruption
                } else {
                    cause.into()
                };
                self.flows[packet.flow].meter.lost(at, cause);
            }
            return;
        };
        let Some(packet) = &mut self.packets[id as usize] else {
            return;
        };
        packet.hops += 1;
        packet.corrupt |= corrupt;
        if marked {
            packet.datagram.ecn = Ecn::Ce;
        }
        if duplicate {
            let copy = Travelling {
                datagram: packet.datagram.clone(),
                ..*packet
            };
            if !copy.back {
                self.flows[copy.flow].meter.duplicated(self.now);
            }
            self.push(arrives, Event::Packet(id));
            let copy = self.keep(copy);
            self.push(arrives, Event::Packet(copy));
        } else {
            self.push(arrives, Event::Packet(id));
        }
    }

    fn report(self, planned: &[Planned]) -> Report {
        let end = self.spec.duration;
        let links = self.lanes.iter().zip(&self.spec.links);
        let mut outcome = Outcome {
            links: links
                .map(|(lane, link)| LinkOutcome::of(&link.name, &lane.finish(end)))
                .collect(),
            events: self.count,
            requests: self
                .spec
                .requests
                .then(|| vec![Vec::new(); self.flows.len()]),
            ..Outcome::default()
        };
        let mut connections = Vec::new();
        let mut bins = Vec::new();
        for (mut flow, (spec, planned)) in self
            .flows
            .into_iter()
            .zip(self.spec.flows.iter().zip(planned))
        {
            let told = flow.hosts[0].told();
            connections.push(Connection {
                handshake: told.connected.map(|at| at.since(spec.start)),
                ended: flow.hosts[0].ended().map(ToOwned::to_owned),
            });
            let closes = planned.supply.left.is_some();
            let mut measured = flow.meter.outcome(&spec.name, told, spec.start, closes);
            flow.tally.report(end, &mut measured);
            outcome.flows.push(measured);
            outcome.series.extend(flow.tally.series(&spec.name));
            bins.extend(flow.meter.into_bins());
        }
        outcome.bins = self.spec.bins.map(|width| Bins {
            width_s: width.as_secs_f64(),
            delivered: bins,
        });
        Report {
            outcome,
            connections,
        }
    }
}
