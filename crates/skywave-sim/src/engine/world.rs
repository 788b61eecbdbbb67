//! The world of one simulation: links, flows, packets under way and pending events.

use std::sync::atomic::{AtomicBool, Ordering};

use skywave_core::Time;
use skywave_core::link::Fate;
use skywave_core::packet::Packet;

use super::air::Air;
use super::arrival::{Arrival, Label};
use super::ends::Answer;
use super::flow::{Flow, Local};
use super::lane::{Lane, LaneKind};
use super::plan::{Plan, Receiving, latest};
use super::queue::EventQueue;
use super::routes::{Direction, Hop, Next, Routes};
use super::wire::Wire;
use crate::losses::LossCause;
use crate::measure::Recorder;
use crate::observe::Observer;
use crate::outcome::{Bins, Outcome};
use crate::spec::Spec;

/// What may happen next; indices are into the world's links and flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// A link decides about the packets that it has collected.
    Link(u32),
    /// Packets wait for a sender.
    Sender(u32),
    /// A sender's timer or its application may be due.
    SenderTimer(u32),
    /// Packets wait for a receiver.
    Receiver(u32),
    /// A receiver's timer may be due.
    ReceiverTimer(u32),
    /// The radio network has something to do.
    Air,
}

/// A packet under way; a cache line, and what SACK blocks there are in the next.
#[repr(C, align(64))]
pub(super) struct Travelling {
    /// Its place in the list of routes, where it was last put down with [`World::pass_on`].
    pub(super) hop: u32,
    pub(super) packet: Packet,
}

pub(crate) struct World<'a> {
    spec: &'a Spec,
    pub(super) observer: Option<&'a mut dyn Observer>,
    pub(super) end: Time,
    /// The time of the event at hand. Links and hosts decide up to their slack later than what they
    /// decide about, and some ahead of it; each is given the time of the thing itself.
    pub(super) now: Time,
    pub(super) events: EventQueue<Event>,
    handled: u64,
    plan: Plan,
    /// The links, and behind them the agents and the passages.
    pub(super) lanes: Vec<Lane>,
    /// The plain ones of the links.
    pub(super) wires: Vec<Wire>,
    pub(super) air: Option<Box<Air>>,
    pub(super) routes: Routes,
    pub(super) flows: Vec<Flow>,
    /// Packets under way, and the free places among them.
    pub(super) packets: Vec<Travelling>,
    pub(super) free: Vec<u32>,
}

impl<'a> World<'a> {
    pub(crate) fn new(spec: &'a Spec, observer: Option<&'a mut dyn Observer>) -> Self {
        let routes = Routes::new(spec);
        let plan = Plan::new(spec, &routes);
        Self::with_plan(spec, observer, routes, plan)
    }

    pub(crate) fn with_plan(
        spec: &'a Spec,
        observer: Option<&'a mut dyn Observer>,
        mut routes: Routes,
        plan: Plan,
    ) -> Self {
        let (links, others) = plan.links.split_at(spec.links.len());
        let (agents, passages) = others.split_at(spec.agents.len());
        let links = spec.links.iter().zip(links);
        let mut wires = Vec::with_capacity(links.len());
        let links = links
            .map(|(link, slack)| Lane::new(link, *slack, spec, observer.is_some(), &mut wires));
        let agents = spec.agents.iter().zip(agents);
        let agents = agents.map(|(agent, slack)| Lane::of_agent(agent, *slack, spec));
        let passages = routes.passages.iter().zip(passages);
        let passages = passages.map(|(&pair, slack)| Lane::of_passage(pair, *slack, spec));
        let lanes: Vec<Lane> = links.chain(agents).chain(passages).collect();
        routes.mark(
            |link| lanes[link as usize].entrance(link),
            |flow| plan.receivers[flow].collects,
        );
        let air = spec.radio.as_ref();
        let flows = spec.flows.iter().enumerate();
        Self {
            spec,
            observer,
            end: spec.duration,
            now: Time::ZERO,
            events: EventQueue::new(plan.pace()),
            handled: 0,
            lanes,
            wires,
            air: air.map(|radio| Box::new(Air::new(radio, spec))),
            plan,
            routes,
            flows: flows
                .map(|(index, flow)| Flow::new(index, flow, spec))
                .collect(),
            packets: Vec::new(),
            free: Vec::new(),
        }
    }

    /// Runs to the end; `None` when `cancel` was set before.
    pub(crate) fn run(mut self, cancel: Option<&AtomicBool>) -> Option<Outcome> {
        for flow in 0..self.flows.len() {
            self.schedule_sender(flow);
        }
        self.schedule_air();
        while let Some((at, event)) = self.events.pop() {
            self.now = at;
            self.handled += 1;
            if cancel.is_some_and(|c| c.load(Ordering::Relaxed)) {
                return None;
            }
            self.prefetch_events();
            self.handle(event);
        }
        Some(self.finish())
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Link(link) => self.on_link(link as usize),
            Event::Sender(flow) => {
                let wake = &mut self.flows[flow as usize].to_sender.wake;
                if wake.take_if(|at| *at == self.now).is_some() {
                    self.on_sender(flow as usize);
                }
            }
            Event::SenderTimer(flow) => {
                let timer = &mut self.flows[flow as usize].sender_timer;
                if timer.take_if(|at| *at == self.now).is_some() {
                    self.on_sender(flow as usize);
                }
            }
            Event::Receiver(flow) => {
                let wake = &mut self.flows[flow as usize].to_receiver.wake;
                if wake.take_if(|at| *at == self.now).is_some() {
                    self.on_receiver(flow as usize);
                }
            }
            Event::ReceiverTimer(flow) => {
                let timer = &mut self.flows[flow as usize].receiver_timer;
                if timer.take_if(|at| *at == self.now).is_some() {
                    self.on_receiver(flow as usize);
                }
            }
            Event::Air => self.on_air(),
        }
    }

    pub(super) fn push(&mut self, at: Time, event: Event) {
        debug_assert!(at >= self.now, "{event:?} at {at:?}, now {:?}", self.now);
        self.events.push(at, event);
    }

    /// A link decides about the packets of its earliest bucket.
    fn on_link(&mut self, link: usize) {
        if self.lanes[link].kind() != LaneKind::Link {
            return self.on_machine(link);
        }
        let Some(inbox) = &mut self.lanes[link].inbox else {
            return;
        };
        let packets = inbox.take(self.now);
        let through = self.lanes[link].decision(link as u32).into();
        for (place, &Arrival { at, label }) in packets.iter().enumerate() {
            self.prefetch_arrivals(&packets, place);
            self.cross(through, at, label);
        }
        if let Some(inbox) = &mut self.lanes[link].inbox {
            inbox.recycle(packets);
        }
    }

    /// A lane that decides later than packets come does what is due.
    #[inline(never)]
    fn on_machine(&mut self, lane: usize) {
        match self.lanes[lane].kind() {
            LaneKind::Link => {}
            LaneKind::Arq => self.on_arq(lane),
            LaneKind::Agent => self.on_agent(lane),
            LaneKind::Passage => self.on_passage(lane),
        }
    }

    /// The sender's host does everything that is due by now.
    #[inline(never)]
    fn on_sender(&mut self, index: usize) {
        'turns: loop {
            let flow = &mut self.flows[index];
            // Of equal times: the application, the timer, the network.
            let own = flow.next_own();
            let mail = flow.to_sender.first().filter(|&at| at < own);
            let at = mail.unwrap_or(own);
            if at > self.now || at >= self.end {
                break;
            }
            flow.pass(at);
            if mail.is_none() {
                self.on_own(index, at);
            } else if let Some(id) = flow.to_sender.take() {
                flow.on_ack(at, &self.packets[id as usize].packet);
                self.free.push(id);
                self.prefetch_acks(index);
            }
            loop {
                let flow = &mut self.flows[index];
                let Some(departure) = flow.poll_sender(at) else {
                    break;
                };
                let packet = flow.data(departure, at);
                self.send(packet, at);
                if departure.is_last() {
                    continue 'turns; // with data in flight there is nothing to settle
                }
            }
            if self.flows[index].is_wtcp() {
                self.send_wtcp(index, at);
            }
            self.flows[index].settle(at);
        }
        self.schedule_sender(index);
    }

    /// Sends what a WTCP sender has to send.
    #[inline(never)]
    fn send_wtcp(&mut self, index: usize, at: Time) {
        while let Some(packet) = self.flows[index].poll_wtcp_sender(at) {
            self.send(packet, at);
        }
    }

    /// The sender's host does what is due at `at`, other than to take a packet.
    #[inline(never)]
    fn on_own(&mut self, index: usize, at: Time) {
        let flow = &mut self.flows[index];
        match flow.own_turn() {
            Local::Stop => flow.on_stop(),
            Local::Timer => flow.on_sender_timer(at),
            Local::Application => {
                if let Some(packet) = flow.on_application(at) {
                    self.send(packet, at);
                }
            }
        }
    }

    fn schedule_sender(&mut self, index: usize) {
        self.schedule_mail_to_sender(index);
        let slack = self.plan.senders[index];
        let flow = &mut self.flows[index];
        let at = flow.next_own();
        if at < self.end {
            let at = latest(at, slack);
            if flow.sender_timer.is_none_or(|pending| at < pending) {
                flow.sender_timer = Some(at);
                self.push(at, Event::SenderTimer(index as u32));
            }
        }
    }

    fn schedule_mail_to_sender(&mut self, index: usize) {
        let mail = &mut self.flows[index].to_sender;
        if let Some(first) = mail.first() {
            let at = latest(first, self.plan.senders[index]);
            if mail.wake.is_none_or(|pending| at < pending) {
                mail.wake = Some(at);
                self.push(at, Event::Sender(index as u32));
            }
        }
    }

    /// The receiver's host does what is due by now, less its slack.
    fn on_receiver(&mut self, index: usize) {
        let Receiving { slack, .. } = self.plan.receivers[index];
        let horizon = self.now - slack;
        while let Some(at) = self.flows[index].to_receiver.first()
            && at <= horizon
            && let Some(id) = self.flows[index].to_receiver.take()
        {
            self.deliver(index, id, at);
        }
        self.fire_receiver_timer(index, horizon);
        self.schedule_receiver(index);
    }

    fn schedule_receiver(&mut self, index: usize) {
        let Receiving { slack, .. } = self.plan.receivers[index];
        let flow = &mut self.flows[index];
        let mail = &mut flow.to_receiver;
        if let Some(first) = mail.first() {
            let at = first + slack;
            if mail.wake.is_none_or(|pending| at < pending) {
                mail.wake = Some(at);
                self.push(at, Event::Receiver(index as u32));
            }
        }
        self.schedule_receiver_timer(index);
    }

    #[inline(always)]
    fn schedule_receiver_timer(&mut self, index: usize) {
        let flow = &mut self.flows[index];
        let due = flow.receiver_due();
        if due < self.end {
            let at = due + self.plan.receivers[index].slack;
            if flow.receiver_timer.is_none_or(|pending| at < pending) {
                flow.receiver_timer = Some(at);
                self.push(at, Event::ReceiverTimer(index as u32));
            }
        }
    }

    /// Hands a packet to its receiver at `at` and sends what that answers.
    #[inline(never)]
    fn deliver(&mut self, index: usize, id: u32, at: Time) {
        self.fire_receiver_timer(index, at);
        self.flows[index].on_data(at, &self.packets[id as usize].packet);
        self.free.push(id);
        self.answer(index, at);
        self.schedule_receiver_timer(index);
    }

    /// Fires the receiver's timer, if it is due by `horizon`, at its time.
    #[inline]
    fn fire_receiver_timer(&mut self, index: usize, horizon: Time) {
        let due = self.flows[index].receiver_due();
        if due <= horizon {
            self.on_receiver_timer(index, due);
        }
    }

    #[inline(never)]
    fn on_receiver_timer(&mut self, index: usize, due: Time) {
        self.flows[index].on_receiver_timer(due);
        self.answer(index, due);
    }

    #[inline(always)]
    fn answer(&mut self, index: usize, at: Time) {
        loop {
            let flow = &mut self.flows[index];
            match flow.poll_receiver(at) {
                Answer::None => return,
                Answer::Plain => {
                    let packet = flow.ack::<false>(at);
                    return self.send(packet, at);
                }
                Answer::WithNews => self.answer_with_news(index, at),
            }
        }
    }

    /// Sends an ACK that may report blocks.
    #[inline(never)]
    fn answer_with_news(&mut self, index: usize, at: Time) {
        let packet = self.flows[index].ack::<true>(at);
        self.send(packet, at);
    }

    /// Puts a new packet on its way.
    #[inline(always)]
    fn send(&mut self, packet: Packet, at: Time) {
        if at >= self.end {
            return;
        }
        let hop = self.routes.start(packet.flow, Direction::of(&packet));
        let id = self.store(Travelling { hop, packet });
        self.take_on(at, Label::of(&packet, id, hop));
    }

    /// Takes a packet from its place on the route as far as that can be decided now.
    #[inline(always)]
    pub(super) fn take_on(&mut self, at: Time, label: Label) {
        self.cross(self.routes.hop(label.hop()), at, label);
    }

    #[inline(always)]
    pub(super) fn store(&mut self, travelling: Travelling) -> u32 {
        if let Some(id) = self.free.pop() {
            self.packets[id as usize] = travelling;
            id
        } else {
            self.packets.push(travelling);
            (self.packets.len() - 1) as u32
        }
    }

    /// A packet comes to an end of a tunnel.
    #[cold]
    fn resize(&mut self, at: Time, label: Label, bytes: i32) {
        let id = label.id();
        let travelling = &mut self.packets[id as usize];
        travelling.hop = label.at_next_hop().hop();
        let size = travelling.packet.size;
        travelling.packet.size = size.saturating_add_signed(bytes);
        self.pass_on(id, at);
    }

    /// Takes a packet to what lies at its place on the route, and on as far as that can be decided now.
    /// Not inlined: with a copy of this for each of its callers, the code of a packet's whole way would
    /// not fit the cache.
    #[inline(never)]
    fn cross(&mut self, mut hop: Hop, mut at: Time, mut label: Label) {
        while let Some(wire) = hop.wire() {
            let Some(out) = self.wires[wire as usize].send(at, label.size()) else {
                return self.drop_packet(label.id(), label.hop(), LossCause::Queue, at);
            };
            (at, label) = (out, label.at_next_hop());
            if at >= self.end {
                return self.free.push(label.id());
            }
            hop = self.routes.hop(label.hop());
        }
        match hop.next() {
            Next::Follows(link) => self.cross_any(link, at, label),
            Next::Collects(link) => self.collect(link, at, label),
            Next::Sender => self.reach_sender(at, label),
            Next::Receiver => self.reach_receiver(at, label),
            Next::Mailbox => self.reach_mailbox(at, label),
            Next::Resize(bytes) => self.resize(at, label, bytes),
            Next::Wire(_) => unreachable!("those are behind it"),
        }
    }

    /// Takes a packet to a link that may do anything to it, and on.
    #[inline(never)]
    fn cross_any(&mut self, link: u32, at: Time, label: Label) {
        let (id, hop) = (label.id(), label.hop());
        let travelling = &mut self.packets[id as usize];
        let packet = &mut travelling.packet;
        let observer = self.observer.as_deref_mut();
        match self.lanes[link as usize].send(at, link, packet, observer) {
            Fate::Dropped(cause) => self.drop_packet(id, hop, cause.into(), at),
            Fate::Arrives {
                at,
                corrupt,
                duplicate,
            } => {
                packet.corrupt |= corrupt;
                travelling.hop = hop + 1;
                if duplicate {
                    self.pass_on_twice(id, at);
                } else {
                    self.pass_on(id, at);
                }
            }
        }
    }

    /// Files a packet in the inbox of the link that it comes to.
    #[inline(always)]
    fn collect(&mut self, link: u32, at: Time, label: Label) {
        if let Some(inbox) = &mut self.lanes[link as usize].inbox
            && let Some(wake) = inbox.insert(Arrival { at, label })
        {
            self.push(wake, Event::Link(link));
        }
    }

    /// A packet and, right behind it, its copy.
    #[cold]
    #[inline(never)]
    pub(super) fn pass_on_twice(&mut self, id: u32, at: Time) {
        let Travelling { packet, hop } = &self.packets[id as usize];
        let copy = Travelling {
            packet: Packet {
                copy: true,
                ..*packet
            },
            hop: *hop,
        };
        let copy = self.store(copy);
        self.pass_on(id, at);
        self.pass_on(copy, at);
    }

    /// A packet is at a node of its route at `at`: takes it as far as that can be decided now.
    pub(super) fn pass_on(&mut self, id: u32, at: Time) {
        if at >= self.end {
            return self.free.push(id);
        }
        let Travelling { packet, hop } = &self.packets[id as usize];
        self.take_on(at, Label::of(packet, id, *hop));
    }

    /// A packet comes back to the data sender's host.
    #[inline(always)]
    fn reach_sender(&mut self, at: Time, label: Label) {
        if label.is_corrupt() {
            return self.refuse(at, label);
        }
        let index = label.flow() as usize;
        if self.flows[index].to_sender.insert(at, label.id()) {
            self.schedule_mail_to_sender(index);
        }
    }

    /// A packet comes to the data receiver's host.
    #[inline(always)]
    fn reach_receiver(&mut self, at: Time, label: Label) {
        if label.is_corrupt() {
            return self.refuse(at, label);
        }
        self.deliver(label.flow() as usize, label.id(), at);
    }

    /// A packet comes to a data receiver's host that packets reach out of order.
    #[inline(never)]
    fn reach_mailbox(&mut self, at: Time, label: Label) {
        if label.is_corrupt() {
            return self.refuse(at, label);
        }
        let index = label.flow() as usize;
        self.flows[index].to_receiver.insert(at, label.id());
        self.schedule_receiver(index);
    }

    /// A host's checksum finds that a packet is damaged.
    #[cold]
    #[inline(never)]
    fn refuse(&mut self, at: Time, label: Label) {
        let packet = &self.packets[label.id() as usize].packet;
        self.flows[label.flow() as usize].lost(at, packet, LossCause::Corruption);
        self.free.push(label.id());
    }

    /// A packet is lost at place `hop` of its route.
    #[inline(never)]
    pub(super) fn drop_packet(&mut self, id: u32, hop: u32, cause: LossCause, at: Time) {
        self.free.push(id);
        let in_queue = matches!(cause, LossCause::Queue | LossCause::Early);
        if !self.spec.agents.is_empty() && in_queue {
            self.tell_agent(id, hop);
        }
        let packet = &self.packets[id as usize].packet;
        // What a channel had damaged before it met a full queue was lost by the channel.
        let cause = if in_queue && packet.corrupt {
            LossCause::Corruption
        } else {
            cause
        };
        self.flows[packet.flow as usize].lost(at, packet, cause);
    }

    fn finish(mut self) -> Outcome {
        let end = self.end;
        self.tell_of_undecided();
        let mut outcome = Outcome {
            events: self.handled,
            ..Outcome::default()
        };
        for (flow, spec) in self.flows.iter_mut().zip(&self.spec.flows) {
            outcome.flows.push(flow.outcome(&spec.name, end));
        }
        for (lane, spec) in self.lanes.iter_mut().zip(&self.spec.links) {
            outcome
                .links
                .push(lane.outcome(&self.wires, &spec.name, end));
        }
        if let (Some(air), Some(radio)) = (self.air.take(), &self.spec.radio) {
            outcome.stations = air.finish(self.spec, radio);
        }
        if let Some(width) = self.spec.bins {
            let bins = self.flows.iter_mut().map(|f| f.meter.take_bins());
            outcome.bins = Some(Bins {
                width_s: width.as_secs_f64(),
                delivered: bins.map(Option::unwrap_or_default).collect(),
            });
        }
        let flows = self
            .flows
            .into_iter()
            .filter_map(|f| f.recorder.map(|r| *r));
        let links = self.lanes.into_iter().filter_map(Lane::into_recorder);
        outcome.series = flows.chain(links).flat_map(Recorder::into_series).collect();
        outcome
    }
}
