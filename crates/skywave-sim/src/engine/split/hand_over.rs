//! A proxy follows the destination to another node: its state goes there over a connection of its own, and until all of
//! it is there, nobody speaks for the proxy.
//!
//! From the time at which the destination leaves, packets of both halves take their new ways. What is under way on the
//! old ones comes to a host that one of the ends has left, and is lost there; only the ACKs to the source go on, as the
//! source has not moved. When the state is there, the destination announces itself by three ACKs, so that the proxy
//! repairs at once what was lost (Caceres and Iftode, "Improving the Performance of Reliable Transport Protocols in
//! Mobile Computing Environments", IEEE JSAC 1995).
//!
//! The third flow's bytes are those in the buffer and a constant for two control blocks. Until they are there,
//! the ends at the proxy are away: nobody hears them, and their timers wait. Each flow of a proxy knows its later
//! routes from the start (`routes.rs`), so that the plan of lookahead counts what they bring to a link. A
//! packet's place in the list of routes tells by which one it came: so packets under way need no mark when the
//! destination leaves, and other flows pay nothing for the question.

use skywave_core::{Duration, Time};

use super::super::routes::Direction;
use super::super::transport::Ends;
use super::super::world::World;
use super::Halves;
use super::half::{Presence, Role};
use crate::measure::mean_s;
use crate::spec::HandOver;

/// Bytes of the state of each of the proxy's two connections, besides the data in its buffer: windows, timers, sequence
/// numbers and options. Linux's `tcp_info`, which holds most of that, takes about as many.
const CONTROL_BLOCK: u64 = 256;

/// The hand-overs of a proxy.
#[derive(Default)]
pub(super) struct HandOvers {
    all: Vec<HandOver>,
    /// How many have begun.
    begun: usize,
    under_way: Option<UnderWay>,
    /// Bytes that were moved, for how long, and how often.
    moved: u64,
    took: Duration,
    done: u32,
}

/// The state is on its way.
#[derive(Clone, Copy)]
struct UnderWay {
    since: Time,
    /// The flow that carries it.
    flow: usize,
    bytes: u64,
}

impl HandOvers {
    pub(super) fn new(all: &[HandOver]) -> Self {
        Self {
            all: all.to_vec(),
            ..Self::default()
        }
    }

    /// When the next one begins, if none is under way by then; [`Time::MAX`] for never.
    pub(super) fn next(&self) -> Time {
        self.all.get(self.begun).map_or(Time::MAX, |next| next.at)
    }

    pub(super) fn is_under_way(&self) -> bool {
        self.under_way.is_some()
    }

    /// The next one begins, with this much state. Returns its number.
    fn begin(&mut self, now: Time, bytes: u64) -> usize {
        let number = self.begun;
        self.under_way = Some(UnderWay {
            since: now,
            flow: self.all[number].state,
            bytes,
        });
        self.begun += 1;
        number
    }

    /// Flow `flow` has brought `bytes` by `now`. Whether that is all of the state that is under way.
    fn arrives(&mut self, now: Time, flow: usize, bytes: u64) -> bool {
        let arrived = |way: &mut UnderWay| way.flow == flow && bytes >= way.bytes;
        let Some(way) = self.under_way.take_if(arrived) else {
            return false;
        };
        self.moved += way.bytes;
        self.took += now.since(way.since);
        self.done += 1;
        true
    }

    /// Bytes that finished hand-overs moved, and the mean time that one took, seconds; `None` if none was finished.
    pub(super) fn cost(&self) -> (Option<f64>, Option<f64>) {
        let moved = (self.done > 0).then_some(self.moved as f64);
        (moved, mean_s(self.took, self.done.into()))
    }
}

impl World<'_> {
    /// The destination of the proxy between these halves leaves its cell: from now on, packets go to the other
    /// one, and so does the proxy's state.
    pub(super) fn begin_hand_over(&mut self, halves: Halves, at: Time) {
        let Some([first, second]) = self.halves(halves) else {
            return;
        };
        let Role::Far(joint) = &mut second.role else {
            return;
        };
        let bytes = joint.proxy.holds(&first.server) + 2 * CONTROL_BLOCK;
        let number = joint.hand_overs.begin(at, bytes);
        let state = joint.hand_overs.all[number].state;
        (first.server_is, second.client_is) = (Presence::Away, Presence::Away);

        let Halves { near, far } = halves;
        self.routes.lead(near as u32, number);
        self.routes.lead(far as u32, number);
        let data = [near, far].map(|half| self.routes.places(half as u32, Direction::Forward));
        let acks = self.routes.places(far as u32, Direction::Reverse);
        if let Some([first, second]) = self.halves(halves) {
            [first.data_from, second.data_from] = data;
            second.acks_from = acks;
        }

        let flow = &mut self.flows[state];
        flow.pass(at);
        if let Ends::Half(half) = &mut flow.ends {
            half.carry(at, bytes, &mut flow.meter);
        }
        self.send_all(state, at);
        self.schedule_sender(state);
    }

    /// Something has happened to flow `state`, which may carry the state of the proxy between these halves. If
    /// all of it has come, the proxy is there. Returns whether that is so.
    pub(super) fn end_hand_over(&mut self, state: usize, halves: Halves, at: Time) -> bool {
        let Ends::Half(half) = &self.flows[state].ends else {
            return false;
        };
        let bytes = half.server.received();
        let Some([first, second]) = self.halves(halves) else {
            return false;
        };
        let Role::Far(joint) = &mut second.role else {
            return false;
        };
        if !joint.hand_overs.arrives(at, state, bytes) {
            return false;
        }
        (first.server_is, second.client_is) = (Presence::Here, Presence::Here);
        second.server.announce();
        let far = halves.far;
        self.flows[far].pass(at);
        self.fire_late_timers(halves, at);
        self.answer(far, at);
        self.schedule_receiver(far);
        true
    }

    /// Both ends of the proxy let their timers expire that became due on the way, one after the other.
    fn fire_late_timers(&mut self, Halves { near, far }: Halves, at: Time) {
        while self.flows[near].receiver_due() <= at {
            self.flows[near].ends.on_receiver_timer(at);
            self.answer(near, at);
        }
        loop {
            let Ends::Half(half) = &self.flows[far].ends else {
                return;
            };
            if half.client.next_timer().is_none_or(|due| due > at) {
                return;
            }
            self.flows[far].on_sender_timer(at);
            self.send_all(far, at);
        }
    }

    /// The proxy has failed. If its state was on its way, the rest of it is not sent any more.
    pub(super) fn give_up_hand_over(&mut self, far: usize) {
        let Ends::Half(half) = &mut self.flows[far].ends else {
            return;
        };
        let Role::Far(joint) = &mut half.role else {
            return;
        };
        if let Some(way) = joint.hand_overs.under_way.take()
            && let Ends::Half(carrier) = &mut self.flows[way.flow].ends
        {
            carrier.client_is = Presence::Failed;
        }
    }
}
