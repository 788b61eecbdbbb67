//! The world of one simulation: links, flows, packets in flight and pending events.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};

use skywave_core::Time;
use skywave_core::link::{DropCause, Fate, Link};
use skywave_core::packet::{Body, Packet};

use super::flow::{Ends, Flow};
use super::queue::EventQueue;
use crate::measure::Recorder;
use crate::network::Router;
use crate::observe::{Observer, Offer};
use crate::outcome::{LinkOutcome, Outcome};
use crate::spec::{LinkSpec, Spec, Transport};

/// What may happen next; indices are into the world's links and flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    /// The head of a link's lane arrives.
    Arrival(u32),
    /// A sender's timer may be due.
    SenderTimer(u32),
    /// A receiver's timer may be due.
    ReceiverTimer(u32),
    /// An application's turn.
    Application(u32),
    /// An application stops.
    Stop(u32),
    /// The measured window opens.
    Open,
    /// The measured window closes.
    Close,
    /// The run ends.
    End,
}

/// A packet and how far it has come.
struct Travelling {
    packet: Packet,
    /// Links of its path that are behind it.
    hops: u32,
}

/// A link and the packets on it, in the order of their arrival. Only the head has an event.
struct Lane {
    link: Link,
    /// Everything that it carries comes in order over one other link, so that its turn can be taken
    /// as soon as that link has decided: no event is needed between the two.
    follows: bool,
    arrivals: VecDeque<(Time, u32)>,
    /// When its event is due. Overtaking packets leave events behind that no longer count.
    event: Option<Time>,
    queue_series: Option<Recorder>,
}

impl Lane {
    /// Offers a packet to the link, and records the queue before and after.
    fn send(&mut self, now: Time, size: u32) -> Fate {
        self.record_departures(now);
        let fate = self.link.send(now, size);
        if let Some(recorder) = &mut self.queue_series {
            let waiting = self.link.queue_len(now);
            recorder.record(0, now, f64::from(waiting));
        }
        fate
    }

    /// Records the packets that have left the queue since the last one was offered.
    fn record_departures(&mut self, now: Time) {
        let Some(recorder) = &mut self.queue_series else {
            return;
        };
        let waiting = self.link.leaving().count();
        let left = self.link.leaving().take_while(|&at| at <= now);
        for (gone, at) in left.enumerate() {
            recorder.record(0, at, (waiting - gone - 1) as f64);
        }
    }
}

/// The links from a flow's sender to its receiver and back.
struct Path {
    forward: Vec<u32>,
    reverse: Vec<u32>,
}

impl Path {
    /// The way that a packet goes.
    fn of(&self, packet: &Packet) -> &[u32] {
        match packet.body {
            Body::TcpAck(_) => &self.reverse,
            Body::TcpData(_) | Body::Udp(_) => &self.forward,
        }
    }
}

/// Events between two looks at whether the caller wants the run to stop.
const CANCEL_CHECK: u64 = 4096;

pub(crate) struct World<'a> {
    spec: &'a Spec,
    observer: Option<&'a mut dyn Observer>,
    now: Time,
    events: EventQueue<Event>,
    handled: u64,
    lanes: Vec<Lane>,
    paths: Vec<Path>,
    flows: Vec<Flow>,
    /// Packets in flight, and the free places among them.
    packets: Vec<Travelling>,
    free: Vec<u32>,
}

impl<'a> World<'a> {
    pub(crate) fn new(spec: &'a Spec, observer: Option<&'a mut dyn Observer>) -> Self {
        let lanes = spec.links.iter().map(|link| Lane {
            link: open_link(link, spec),
            follows: false,
            arrivals: VecDeque::new(),
            event: None,
            queue_series: spec.series.then(|| Recorder::new(&link.name, &["queue"])),
        });
        let router = Router::new(&spec.links, spec.nodes.len());
        let reach = |from, to| {
            router
                .path(from, to)
                .unwrap_or_else(|missing| panic!("{missing}: the scenario layer checks this"))
        };
        let paths = spec.flows.iter().map(|flow| Path {
            forward: reach(flow.from, flow.to),
            // Nothing comes back from a datagram.
            reverse: match flow.transport {
                Transport::Tcp(_) => reach(flow.to, flow.from),
                Transport::Udp { .. } => Vec::new(),
            },
        });
        let paths: Vec<Path> = paths.collect();
        let mut lanes: Vec<Lane> = lanes.collect();
        for (lane, feeder) in lanes.iter_mut().zip(sole_feeders(&paths, spec.links.len())) {
            lane.follows =
                feeder.is_some_and(|link| spec.links[link as usize].config.reordering.is_none());
        }
        let flows = spec
            .flows
            .iter()
            .enumerate()
            .map(|(index, flow)| Flow::new(index, flow, spec));
        Self {
            spec,
            observer,
            now: Time::ZERO,
            events: EventQueue::new(),
            handled: 0,
            lanes,
            paths,
            flows: flows.collect(),
            packets: Vec::new(),
            free: Vec::new(),
        }
    }

    /// Runs to the end; `None` when `cancel` was set before.
    pub(crate) fn run(mut self, cancel: Option<&AtomicBool>) -> Option<Outcome> {
        // The window's bounds come first among events of the same time.
        self.events.push(self.spec.measure.0, Event::Open);
        self.events.push(self.spec.measure.1, Event::Close);
        self.events.push(self.spec.duration, Event::End);
        for (index, flow) in self.spec.flows.iter().enumerate() {
            self.events
                .push(flow.start, Event::Application(index as u32));
            if let Some(stop) = flow.stop {
                self.events.push(stop, Event::Stop(index as u32));
            }
        }
        while let Some((at, event)) = self.events.pop() {
            self.now = at;
            self.handled += 1;
            if event == Event::End {
                break;
            }
            if self.handled.is_multiple_of(CANCEL_CHECK)
                && cancel.is_some_and(|c| c.load(Ordering::Relaxed))
            {
                return None;
            }
            self.handle(event);
        }
        Some(self.finish())
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Arrival(lane) => self.on_arrival(lane as usize),
            Event::SenderTimer(index) => {
                let flow = &mut self.flows[index as usize];
                if flow.sender_event == Some(self.now) {
                    flow.sender_event = None;
                    flow.on_sender_timer(self.now);
                    self.pump(index as usize);
                }
            }
            Event::ReceiverTimer(index) => {
                let flow = &mut self.flows[index as usize];
                if flow.receiver_event == Some(self.now) {
                    flow.receiver_event = None;
                    flow.on_receiver_timer(self.now);
                    self.pump(index as usize);
                }
            }
            Event::Application(flow) => {
                let index = flow as usize;
                let (next, packet) = self.flows[index].application(self.now);
                if let Some(at) = next {
                    self.events.push(at, event);
                }
                if let Some(packet) = packet {
                    self.send(packet);
                }
                self.pump(index);
            }
            Event::Stop(flow) => {
                self.flows[flow as usize].stop();
                self.pump(flow as usize);
            }
            Event::Open => self.flows.iter_mut().for_each(Flow::open_window),
            Event::Close => self.flows.iter_mut().for_each(Flow::close_window),
            Event::End => {}
        }
    }

    /// Takes the packets that have arrived over a link and passes each on.
    fn on_arrival(&mut self, index: usize) {
        let lane = &mut self.lanes[index];
        if lane.event != Some(self.now) {
            return;
        }
        lane.event = None;
        while let Some(&(at, id)) = self.lanes[index].arrivals.front() {
            if at > self.now {
                self.schedule_arrival(index, at);
                return;
            }
            self.lanes[index].arrivals.pop_front();
            self.pass_on(id);
        }
    }

    fn schedule_arrival(&mut self, index: usize, at: Time) {
        self.lanes[index].event = Some(at);
        self.events.push(at, Event::Arrival(index as u32));
    }

    /// A packet reached the next node of its path.
    fn pass_on(&mut self, id: u32) {
        if let Some(next) = self.next_link(id) {
            self.offer(next, id, self.now);
            return;
        }
        self.free.push(id);
        let packet = &self.packets[id as usize].packet;
        let flow = packet.flow as usize;
        if packet.corrupt {
            // The host's checksum finds it; a damaged ACK is nobody's data loss.
            if !matches!(packet.body, Body::TcpAck(_)) {
                self.flows[flow].meter.channel_drop(self.now);
            }
            return;
        }
        self.flows[flow].on_packet(self.now, packet);
        self.pump(flow);
    }

    /// Moves a packet one hop on: the link that it goes over next, `None` at its host.
    fn next_link(&mut self, id: u32) -> Option<usize> {
        let travelling = &mut self.packets[id as usize];
        travelling.hops += 1;
        let path = self.paths[travelling.packet.flow as usize].of(&travelling.packet);
        path.get(travelling.hops as usize)
            .map(|&link| link as usize)
    }

    /// Puts a new packet on its way.
    fn send(&mut self, packet: Packet) {
        let first = self.paths[packet.flow as usize].of(&packet)[0];
        let id = self.store(Travelling { packet, hops: 0 });
        self.offer(first as usize, id, self.now);
    }

    fn store(&mut self, travelling: Travelling) -> u32 {
        if let Some(id) = self.free.pop() {
            self.packets[id as usize] = travelling;
            id
        } else {
            self.packets.push(travelling);
            (self.packets.len() - 1) as u32
        }
    }

    /// Offers a packet to a link at `now`, which decides its fate; and to the links behind it as
    /// long as these only follow.
    fn offer(&mut self, mut lane: usize, id: u32, mut now: Time) {
        loop {
            let packet = &self.packets[id as usize].packet;
            let fate = self.lanes[lane].send(now, packet.size);
            if let Some(observer) = &mut self.observer {
                observer.on_offer(&Offer {
                    at: now,
                    link: lane,
                    packet,
                    fate,
                });
            }
            match fate {
                Fate::Dropped(cause) => return self.drop_packet(id, cause, now),
                Fate::Arrives {
                    at,
                    corrupt,
                    duplicate_at,
                } => {
                    let travelling = &mut self.packets[id as usize];
                    travelling.packet.corrupt |= corrupt;
                    if let Some(at) = duplicate_at {
                        self.arrives_twice(lane, id, at);
                        return;
                    }
                    let Some(next) = self.follower(id).filter(|_| at < Time::MAX) else {
                        return self.expect(lane, at, id);
                    };
                    self.packets[id as usize].hops += 1;
                    (lane, now) = (next, at);
                }
            }
        }
    }

    /// A packet and its copy arrive together, the copy behind it.
    fn arrives_twice(&mut self, lane: usize, id: u32, at: Time) {
        let Travelling { packet, hops } = &self.packets[id as usize];
        let mut copy = Travelling {
            packet: packet.clone(),
            hops: *hops,
        };
        copy.packet.copy = true;
        let copy = self.store(copy);
        for id in [id, copy] {
            match self.follower(id).filter(|_| at < Time::MAX) {
                Some(next) => {
                    self.packets[id as usize].hops += 1;
                    self.offer(next, id, at);
                }
                None => self.expect(lane, at, id),
            }
        }
    }

    /// The next link of a packet's path, if that only follows the one that the packet is on.
    fn follower(&self, id: u32) -> Option<usize> {
        let travelling = &self.packets[id as usize];
        let path = self.paths[travelling.packet.flow as usize].of(&travelling.packet);
        let next = *path.get(travelling.hops as usize + 1)? as usize;
        self.lanes[next].follows.then_some(next)
    }

    fn drop_packet(&mut self, id: u32, cause: DropCause, now: Time) {
        self.free.push(id);
        let packet = &self.packets[id as usize].packet;
        if matches!(packet.body, Body::TcpAck(_)) {
            return;
        }
        let meter = &mut self.flows[packet.flow as usize].meter;
        match cause {
            // What a channel had damaged before it met a full queue was lost by the channel.
            DropCause::Queue | DropCause::Early if !packet.corrupt => meter.queue_drop(now),
            _ => meter.channel_drop(now),
        }
    }

    /// Files an arrival in its lane, which is kept in the order of arrivals.
    fn expect(&mut self, lane: usize, at: Time, id: u32) {
        if at == Time::MAX {
            self.free.push(id);
            return;
        }
        let arrivals = &mut self.lanes[lane].arrivals;
        let mut place = arrivals.len();
        while place > 0 && arrivals[place - 1].0 > at {
            place -= 1;
        }
        arrivals.insert(place, (at, id));
        if place == 0 {
            self.schedule_arrival(lane, at);
        }
    }

    /// Sends whatever a flow's machines have for the wire and keeps their timers' events.
    fn pump(&mut self, index: usize) {
        let now = self.now;
        while let Some(packet) = self.flows[index].poll_receiver(now) {
            self.send(packet);
        }
        while let Some(packet) = self.flows[index].poll_sender(now) {
            self.send(packet);
        }
        let flow = &mut self.flows[index];
        flow.note_completion(now);
        if let Some(at) = flow.drained(now) {
            self.events.push(at, Event::Application(index as u32));
        }
        let Ends::Tcp(tcp) = &flow.ends else {
            return;
        };
        if let Some(due) = tcp.sender.next_timer()
            && flow.sender_event.is_none_or(|pending| due < pending)
        {
            flow.sender_event = Some(due);
            self.events.push(due, Event::SenderTimer(index as u32));
        }
        if let Some(due) = tcp.receiver.next_timer()
            && flow.receiver_event.is_none_or(|pending| due < pending)
        {
            flow.receiver_event = Some(due);
            self.events.push(due, Event::ReceiverTimer(index as u32));
        }
    }

    fn finish(mut self) -> Outcome {
        let mut outcome = Outcome {
            events: self.handled,
            ..Outcome::default()
        };
        for (flow, spec) in self.flows.iter_mut().zip(&self.spec.flows) {
            outcome.flows.push(flow.outcome(&spec.name, self.now));
        }
        for (lane, spec) in self.lanes.iter_mut().zip(&self.spec.links) {
            lane.record_departures(self.now);
            let measured = lane.link.finish(self.now);
            outcome.links.push(LinkOutcome {
                name: spec.name.clone(),
                utilisation: measured.utilisation,
                queue_mean_packets: measured.queue_mean_packets,
                offered: measured.offered,
                queue_drops: measured.queue_drops,
                channel_drops: measured.channel_drops,
                blackout_drops: measured.blackout_drops,
                corrupted: measured.corrupted,
            });
        }
        let flows = self.flows.into_iter().filter_map(|f| f.recorder);
        let links = self.lanes.into_iter().filter_map(|l| l.queue_series);
        outcome.series = flows.chain(links).flat_map(Recorder::into_series).collect();
        // Links that follow others were decided ahead of the end.
        let end = self.now.as_secs_f64();
        for series in &mut outcome.series {
            let within = series.points.partition_point(|&(at, _)| at <= end);
            series.points.truncate(within);
        }
        outcome
    }
}

/// A link with its random streams named, measuring over the window.
fn open_link(spec: &LinkSpec, run: &Spec) -> Link {
    let name = format!("link.{}", spec.name);
    let mut link = Link::new(spec.config.clone(), run.seed, &name);
    link.measure(run.measure.0, run.measure.1);
    link
}

/// For each link the one other link that all its packets come from, if that is so.
fn sole_feeders(paths: &[Path], links: usize) -> Vec<Option<u32>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Feeder {
        None,
        Link(u32),
        Many,
    }
    let mut feeders = vec![Feeder::None; links];
    for path in paths.iter().flat_map(|p| [&p.forward, &p.reverse]) {
        let mut from = Feeder::Many; // hosts send whenever they like
        for &link in path {
            let feeder = &mut feeders[link as usize];
            *feeder = match *feeder {
                Feeder::None => from,
                same if same == from => same,
                _ => Feeder::Many,
            };
            from = Feeder::Link(link);
        }
    }
    let sole = |feeder| match feeder {
        Feeder::Link(link) => Some(link),
        Feeder::None | Feeder::Many => None,
    };
    feeders.into_iter().map(sole).collect()
}
