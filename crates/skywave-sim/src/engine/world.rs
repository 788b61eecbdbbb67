//! The world of one simulation: links, flows, packets in flight and pending events.

use std::collections::VecDeque;

use skywave_core::Time;
use skywave_core::link::{DropCause, Fate, Link};
use skywave_core::packet::{Body, Packet};

use super::flow::{Ends, Flow};
use super::queue::EventQueue;
use crate::measure::Recorder;
use crate::network::Router;
use crate::outcome::{LinkOutcome, Outcome};
use crate::spec::Spec;

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
    arrivals: VecDeque<(Time, u32)>,
    /// When its event is due. Overtaking packets leave events behind that no longer count.
    event: Option<Time>,
    queue_series: Option<Recorder>,
}

/// The links from a flow's sender to its receiver and back.
struct Path {
    forward: Vec<u32>,
    reverse: Vec<u32>,
}

pub(crate) struct World<'a> {
    spec: &'a Spec,
    now: Time,
    events: EventQueue<Event>,
    handled: u64,
    lanes: Vec<Lane>,
    paths: Vec<Path>,
    flows: Vec<Flow>,
    /// Packets in flight, and the free places among them.
    packets: Vec<Travelling>,
    free: Vec<u32>,
    outcome: Outcome,
}

impl<'a> World<'a> {
    pub(crate) fn new(spec: &'a Spec) -> Self {
        let lanes = spec.links.iter().map(|link| Lane {
            link: Link::new(link.config.clone(), spec.seed, &link_stream(&link.name)),
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
            reverse: reach(flow.to, flow.from),
        });
        let flows = spec
            .flows
            .iter()
            .enumerate()
            .map(|(index, flow)| Flow::new(index, flow, spec.seed, spec.series));
        Self {
            spec,
            now: Time::ZERO,
            events: EventQueue::new(),
            handled: 0,
            lanes: lanes.collect(),
            paths: paths.collect(),
            flows: flows.collect(),
            packets: Vec::new(),
            free: Vec::new(),
            outcome: Outcome::default(),
        }
    }

    pub(crate) fn run(mut self) -> Outcome {
        // The window's bounds come first among events of the same time.
        self.events.push(self.spec.measure.0, Event::Open);
        self.events.push(self.spec.measure.1, Event::Close);
        self.events.push(self.spec.duration, Event::End);
        for (index, flow) in self.spec.flows.iter().enumerate() {
            self.events.push(flow.start, Event::Application(index as u32));
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
            self.handle(event);
        }
        self.finish()
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
                    self.send(packet, 0);
                }
                self.pump(index);
            }
            Event::Stop(flow) => {
                self.flows[flow as usize].stop();
                self.pump(flow as usize);
            }
            Event::Open => self.open_window(),
            Event::Close => self.close_window(),
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
        let Travelling { packet, hops } = &mut self.packets[id as usize];
        *hops += 1;
        let flow = packet.flow as usize;
        let path = &self.paths[flow];
        let path = match packet.body {
            Body::TcpAck(_) => &path.reverse,
            Body::TcpData(_) | Body::Udp(_) => &path.forward,
        };
        if let Some(&next) = path.get(*hops as usize) {
            self.offer(next as usize, id);
            return;
        }
        self.free.push(id);
        if packet.corrupt {
            // The host's checksum finds it; a damaged ACK is nobody's data loss.
            if !matches!(packet.body, Body::TcpAck(_)) {
                self.flows[flow].meter.channel_drop();
            }
            return;
        }
        self.flows[flow].on_packet(self.now, packet);
        self.pump(flow);
    }

    /// Puts a new packet on its way.
    fn send(&mut self, packet: Packet, hops: u32) {
        let path = &self.paths[packet.flow as usize];
        let first = match packet.body {
            Body::TcpAck(_) => path.reverse[0],
            Body::TcpData(_) | Body::Udp(_) => path.forward[0],
        };
        let id = self.store(Travelling { packet, hops });
        self.offer(first as usize, id);
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

    /// Offers a packet to a link, which decides its fate.
    fn offer(&mut self, lane: usize, id: u32) {
        let size = self.packets[id as usize].packet.size;
        let fate = self.lanes[lane].link.send(self.now, size);
        self.record_queue(lane);
        match fate {
            Fate::Dropped(cause) => {
                let packet = &self.packets[id as usize].packet;
                if !matches!(packet.body, Body::TcpAck(_)) && !packet.corrupt {
                    let meter = &mut self.flows[packet.flow as usize].meter;
                    match cause {
                        DropCause::Queue | DropCause::Early => meter.queue_drop(),
                        DropCause::Channel | DropCause::Blackout => meter.channel_drop(),
                    }
                }
                self.free.push(id);
            }
            Fate::Arrives {
                at,
                corrupt,
                duplicate_at,
            } => {
                let travelling = &mut self.packets[id as usize];
                travelling.packet.corrupt |= corrupt;
                let copy = duplicate_at.map(|at| {
                    let mut packet = travelling.packet.clone();
                    packet.copy = true;
                    let hops = travelling.hops;
                    (at, Travelling { packet, hops })
                });
                self.expect(lane, at, id);
                if let Some((at, copy)) = copy {
                    let id = self.store(copy);
                    self.expect(lane, at, id);
                }
            }
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
            self.send(packet, 0);
        }
        while let Some(packet) = self.flows[index].poll_sender(now) {
            self.send(packet, 0);
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

    fn record_queue(&mut self, lane: usize) {
        let lane = &mut self.lanes[lane];
        if let Some(recorder) = &mut lane.queue_series {
            let waiting = lane.link.queue_len(self.now);
            recorder.record(0, self.now, f64::from(waiting));
        }
    }

    fn open_window(&mut self) {
        for lane in &mut self.lanes {
            lane.link.measure(self.spec.measure.0, self.spec.measure.1);
        }
        for flow in &mut self.flows {
            flow.open_window(self.now);
        }
    }

    fn close_window(&mut self) {
        let window = self.spec.window();
        for (lane, spec) in self.lanes.iter().zip(&self.spec.links) {
            let measured = lane.link.finish(self.now);
            self.outcome.links.push(LinkOutcome {
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
        for (flow, spec) in self.flows.iter_mut().zip(&self.spec.flows) {
            let outcome = flow.close_window(&spec.name, self.now, window);
            self.outcome.flows.push(outcome);
        }
    }

    fn finish(mut self) -> Outcome {
        for (flow, outcome) in self.flows.into_iter().zip(&mut self.outcome.flows) {
            outcome.completion_s = flow.completion();
            self.outcome
                .series
                .extend(flow.recorder.into_iter().flat_map(Recorder::into_series));
        }
        for lane in self.lanes {
            self.outcome
                .series
                .extend(lane.queue_series.into_iter().flat_map(Recorder::into_series));
        }
        self.outcome.events = self.handled;
        self.outcome
    }
}

/// The name of a link's random streams.
fn link_stream(name: &str) -> String {
    format!("link.{name}")
}
