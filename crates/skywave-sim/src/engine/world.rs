//! The world of one simulation: links, flows, packets under way and pending events.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use skywave_core::Time;
use skywave_core::packet::Packet;

use super::air::Air;
use super::arrival::Arrival;
use super::flow::Flow;
use super::lane::{Lane, LaneKind};
use super::plan::Plan;
use super::queue::EventQueue;
use super::routes::Routes;
use super::stop;
use super::wire::Wire;
use crate::measure::Recorder;
use crate::observe::{Observer, Watch};
use crate::outcome::{Bins, Outcome};
use crate::spec::Spec;

/// Event of the event queue; indices are into the world's links and flows.
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

/// A packet under way: a cache line, and a second one for SACK blocks.
#[repr(C, align(64))]
pub(super) struct Travelling {
    /// Place of the packet in the list of routes, as of when it was last stored here; while the packet goes
    /// from lane to lane, its label has the place. Of a free place, the number of the next free one.
    pub(super) hop: u32,
    pub(super) packet: Packet,
}

impl Travelling {
    /// All but the SACK blocks.
    pub(super) const WITHOUT_BLOCKS: Range<usize> = 0..align_of::<Self>();
}

pub(crate) struct World<'a> {
    pub(super) spec: &'a Spec,
    pub(super) observer: Option<&'a mut dyn Observer>,
    pub(super) end: Time,
    /// Time of the event that is being handled. Lanes and hosts may decide about something up to
    /// their slack after its time, or ahead of it; they are given its own time, not this one.
    pub(super) now: Time,
    pub(super) events: EventQueue<Event>,
    handled: u64,
    pub(super) plan: Plan,
    /// The links, then the agents, then the passages.
    pub(super) lanes: Vec<Lane>,
    /// The plain links; the lanes hold their numbers.
    pub(super) wires: Vec<Wire>,
    pub(super) air: Option<Box<Air>>,
    pub(super) routes: Routes,
    pub(super) flows: Vec<Flow>,
    /// Packets of each flow's data sender that were duplicated: so few that a [`Flow`] need not have room for their number.
    pub(super) copies: Vec<u64>,
    /// Packets under way.
    pub(super) packets: Vec<Travelling>,
    /// The first free place among them, if there is one with this number.
    pub(super) free: u32,
    /// Set by the caller to stop the run.
    pub(super) cancel: Option<&'a AtomicBool>,
    /// An event was left half done because of it.
    pub(super) stopped: bool,
    /// Packets of senders other than TCP's until the flag is looked at again.
    pub(super) others: usize,
}

impl<'a> World<'a> {
    /// A world that stops soon after the flag in `watch` is set.
    pub(crate) fn new(spec: &'a Spec, watch: Watch<'a>) -> Self {
        let routes = Routes::new(spec);
        let plan = Plan::new(spec, &routes);
        Self::with_plan(spec, watch, routes, plan)
    }

    pub(crate) fn with_plan(
        spec: &'a Spec,
        Watch { observer, cancel }: Watch<'a>,
        mut routes: Routes,
        mut plan: Plan,
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
        plan.links = Vec::new(); // the lanes have it now
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
            copies: vec![0; spec.flows.len()],
            packets: Vec::new(),
            free: u32::MAX,
            cancel,
            stopped: false,
            others: stop::TURNS,
        }
    }

    /// Runs to the end; `None` when it was stopped before.
    pub(crate) fn run(mut self) -> Option<Outcome> {
        for flow in 0..self.flows.len() {
            self.schedule_sender(flow);
        }
        self.schedule_air();
        let watched = self.cancel.is_some() || self.observer.is_some();
        while let Some((at, event)) = self.events.pop() {
            self.now = at;
            self.handled += 1;
            if watched && self.is_unwanted() {
                return None;
            }
            self.prefetch_events();
            self.handle(event);
        }
        (!self.stopped).then(|| self.finish())
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Link(link) => self.on_link(link as usize),
            Event::Sender(flow) => {
                let mail = &mut self.flows[flow as usize].to_sender;
                if mail.wake.comes(self.now) {
                    if mail.waiting() > stop::TURNS {
                        self.take_mail_in_parts(flow as usize);
                    }
                    self.on_sender(flow as usize);
                }
            }
            Event::SenderTimer(flow) => {
                if self.flows[flow as usize].sender_timer.comes(self.now) {
                    self.on_sender(flow as usize);
                }
            }
            Event::Receiver(flow) => {
                let mail = &mut self.flows[flow as usize].to_receiver;
                if let Some(mail) = mail
                    && mail.wake.comes(self.now)
                {
                    self.on_receiver(flow as usize);
                }
            }
            Event::ReceiverTimer(flow) => {
                if self.flows[flow as usize].receiver_timer.comes(self.now) {
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
    #[inline(never)]
    fn on_link(&mut self, link: usize) {
        if self.lanes[link].kind() != LaneKind::Link {
            return self.on_machine(link);
        }
        let Some(inbox) = self.lanes[link].inbox() else {
            return;
        };
        let packets = inbox.take(self.now);
        let through = self.lanes[link].decision(link as u32).into();
        if packets.len() > stop::TURNS {
            return self.cross_in_parts(link, through, packets);
        }
        let many = self.has_many_flows();
        for (place, &Arrival { at, label }) in packets.iter().enumerate() {
            if many {
                self.prefetch_arrivals(&packets, place);
            }
            self.cross_inlined(through, at, label);
        }
        self.lanes[link].recycle(packets);
    }

    /// A lane that decides later than packets come does what is due.
    #[inline(never)]
    fn on_machine(&mut self, lane: usize) {
        match self.lanes[lane].kind() {
            LaneKind::Link => {}
            LaneKind::Timed => self.on_timed(lane),
            LaneKind::Agent => self.on_agent(lane),
            LaneKind::Passage => self.on_passage(lane),
        }
    }

    /// Collects the outcome. With many flows it takes about as much memory as the packets and the
    /// links, so those are freed first.
    fn finish(mut self) -> Outcome {
        let end = self.end;
        self.tell_of_undecided();
        let mut outcome = Outcome {
            events: self.handled,
            proxies: self.measure_proxies(),
            ..Outcome::default()
        };
        drop((self.packets, self.events, self.routes, self.plan));
        outcome.links.reserve_exact(self.spec.links.len());
        let mut of_links = Vec::new();
        for (mut lane, spec) in self.lanes.into_iter().zip(&self.spec.links) {
            let measured = lane.outcome(&self.wires, &spec.name, self.spec);
            outcome.links.push(measured);
            of_links.extend(lane.into_recorder());
        }
        drop(self.wires);
        if let (Some(air), Some(radio)) = (self.air.take(), &self.spec.radio) {
            outcome.stations = air.finish(self.spec, radio);
        }
        let mut delivered = Vec::new();
        let mut of_flows = Vec::new();
        outcome.requests = self.spec.requests.then(Vec::new);
        outcome.flows.reserve_exact(self.spec.flows.len());
        for (index, (mut flow, spec)) in self.flows.into_iter().zip(&self.spec.flows).enumerate() {
            let mut measured = flow.outcome(spec, end);
            let unfinished = measured.completion_s.is_none() && self.spec.closes(index);
            measured.unfinished = unfinished.into();
            measured.duplicated_packets = self.copies[index];
            measured.under_way_packets = measured.left_over();
            outcome.flows.push(measured);
            delivered.extend(flow.meter.take_bins());
            if let Some(requests) = &mut outcome.requests {
                requests.push(flow.meter.take_requests());
            }
            of_flows.extend(flow.meter.recorder.map(|r| *r));
        }
        if let Some(width) = self.spec.bins {
            outcome.bins = Some(Bins {
                width_s: width.as_secs_f64(),
                delivered,
            });
        }
        let recorders = of_flows.into_iter().chain(of_links);
        outcome.series = recorders.flat_map(Recorder::into_series).collect();
        outcome
    }
}
