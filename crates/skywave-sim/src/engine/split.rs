//! Flows that a proxy splits: two halves, each a whole TCP connection, and the proxy between them; and flows of one such
//! connection, whose receiver freezes the sender.
//!
//! A half is a flow of its own, from its client, which sends the data, to its server. At the proxy's
//! node stand the server of the half from the source and the client of the half to the destination.
//! When the proxy moves to another node, a third connection carries its state (`hand_over.rs`).
//! What joins the halves ([`Proxy`]) touches both, so it must see everything that happens at either in the
//! order of time: the hosts of such flows decide nothing ahead of the clock (`plan.rs`).
//!
//! Halves always shake hands and close by FIN, whatever the flow says: only a `Connection` follows its reader
//! with its window and probes one that is closed. A one-way flow has neither, and stays as fast as it was. A
//! receiver that freezes its sender (Freeze-TCP) needs whole connections too, since only they follow a window.
//!
//! The hosts of halves collect packets and have no slack. Other flows keep their lookahead.

mod half;
mod hand_over;
mod whole;

use skywave_core::Time;
use skywave_core::proxy::Proxy;
use skywave_core::tcp::{Connection, TcpConfig};

use super::transport::Ends;
use super::world::World;
use crate::outcome::ProxyOutcome;
use crate::spec::{ProxySpec, Spec};
use half::{Presence, Role};
use hand_over::HandOvers;
use whole::Whole;

pub(super) use half::Half;

/// Joint of a flow's halves: the proxy, its failure and hand-overs, and the measures of the whole flow.
pub(crate) struct Joint {
    near: u32,
    proxy: Proxy,
    /// When the proxy fails; [`Time::MAX`] for never.
    fails_at: Time,
    failed: bool,
    hand_overs: HandOvers,
    whole: Whole,
}

/// The flows that are the halves of another one: from the source to the proxy, and from there.
#[derive(Clone, Copy)]
struct Halves {
    near: usize,
    far: usize,
}

/// How far the data of a flow that a proxy splits have come.
struct Progress {
    /// Bytes that the source knows to be acknowledged.
    acknowledged: u64,
    /// Bytes that the destination has got in order.
    delivered: u64,
}

impl Progress {
    fn of(source: &Connection, destination: &Connection) -> Self {
        Self {
            acknowledged: source.acknowledged(),
            delivered: destination.received(),
        }
    }

    /// Bytes that nobody sends again if the proxy fails.
    fn at_risk(&self) -> u64 {
        self.acknowledged.saturating_sub(self.delivered)
    }
}

/// Event at a proxy: none, its departure after the destination, or its failure.
enum Turn {
    Stays,
    /// The destination leaves its node, and the proxy follows.
    Leaves,
    Fails,
}

impl Joint {
    fn new(spec: &ProxySpec, run: &Spec) -> Self {
        Self {
            near: spec.near as u32,
            proxy: Proxy::new(spec.config),
            fails_at: spec.fails_at.unwrap_or(Time::MAX),
            failed: false,
            hand_overs: HandOvers::new(&spec.hand_overs),
            whole: Whole::new(run),
        }
    }

    /// When the proxy has something to do of its own accord.
    fn due(&self) -> Time {
        if self.failed {
            return Time::MAX;
        }
        if self.hand_overs.is_under_way() {
            return self.fails_at;
        }
        let timer = self.proxy.next_timer().unwrap_or(Time::MAX);
        timer.min(self.fails_at).min(self.hand_overs.next())
    }
}

/// The proxy that flow `index` belongs to, if one does.
fn proxy_of(index: usize, run: &Spec) -> Option<&ProxySpec> {
    let after = run.proxies.partition_point(|proxy| proxy.near <= index);
    let proxy = run.proxies[..after].last()?;
    let is_half = proxy.near == index || proxy.far == index;
    (is_half || proxy.states().any(|state| state == index)).then_some(proxy)
}

/// Whether flow `index` has whole connections: a proxy is at one end or both, or its receiver freezes the sender.
pub(super) fn is_half(index: usize, run: &Spec) -> bool {
    !run.flows[index].way().outages.is_empty() || proxy_of(index, run).is_some()
}

/// The ends of flow `index`, if it [has whole connections](is_half).
pub(super) fn ends(index: usize, config: &TcpConfig, run: &Spec) -> Option<Ends> {
    let outages = &run.flows[index].way().outages;
    if !outages.is_empty() {
        return Some(Ends::Half(Box::new(Half::alone(outages, config, run))));
    }
    let proxy = proxy_of(index, run)?;
    let half = if index == proxy.near {
        Half::near(proxy, config, run)
    } else if index == proxy.far {
        Half::far(proxy, config, run)
    } else {
        Half::state(proxy, config, run)
    };
    Some(Ends::Half(Box::new(half)))
}

/// The proxy between both halves does what there is to do at `now`.
fn work(now: Time, near: &mut Half, far: &mut Half) -> Turn {
    let Role::Far(joint) = &mut far.role else {
        return Turn::Stays;
    };
    let mut turn = Turn::Stays;
    if !joint.failed && now >= joint.fails_at {
        joint.failed = true;
        (near.server_is, far.client_is) = (Presence::Failed, Presence::Failed);
        turn = Turn::Fails;
    }
    if !joint.failed && !joint.hand_overs.is_under_way() {
        let (near, far) = (&mut near.server, &mut far.client);
        joint.proxy.work(now, near, far);
        if now >= joint.hand_overs.next() {
            joint.proxy.leave(now, near, far);
            turn = Turn::Leaves;
        }
    }
    let buffered = if joint.failed {
        0
    } else {
        joint.proxy.buffered(&near.server)
    };
    if let Role::Near { fresh, .. } = &mut near.role {
        joint.whole.sent(fresh);
    }
    let progress = Progress::of(&near.client, &far.server);
    joint.whole.measure(now, buffered, &progress);
    turn
}

impl World<'_> {
    /// The receiver of flow `index` is about to take what is due. If it stands at a proxy, the other half's sender
    /// goes first: what comes from both sides at the same time has one order then, whichever event comes first.
    pub(super) fn hear_destination_first(&mut self, index: usize) {
        if let Ends::Half(half) = &self.flows[index].ends
            && let Role::Near { far, .. } = half.role
        {
            self.on_sender(far as usize);
        }
    }

    /// Something has happened at `at` to an end of flow `index`: if it is half of another one, the
    /// proxy and both connections there do what follows from it.
    #[inline(never)]
    pub(super) fn work_proxy(&mut self, index: usize, at: Time) {
        let Ends::Half(half) = &self.flows[index].ends else {
            return;
        };
        let (near, far) = match &half.role {
            Role::Near { far, .. } => (index, *far as usize),
            Role::Far(joint) => (joint.near as usize, index),
            Role::State { near, far } => (*near as usize, *far as usize),
            Role::Alone => return,
        };
        let halves = Halves { near, far };
        if index != near && index != far && !self.end_hand_over(index, halves, at) {
            return;
        }
        self.flows[far].pass(at);
        let Some([first, second]) = self.halves(halves) else {
            return;
        };
        let turn = work(at, first, second);
        self.answer(near, at);
        self.send_all(far, at);
        self.flows[far].settle(at);
        match turn {
            Turn::Stays => {}
            Turn::Leaves => self.begin_hand_over(halves, at),
            Turn::Fails => self.give_up_hand_over(far),
        }
        self.schedule_receiver(near);
        self.schedule_sender(far);
    }

    /// The ends of both halves, the near one first.
    fn halves(&mut self, Halves { near, far }: Halves) -> Option<[&mut Half; 2]> {
        let [first, second] = self.flows.get_disjoint_mut([near, far]).ok()?;
        match (&mut first.ends, &mut second.ends) {
            (Ends::Half(first), Ends::Half(second)) => Some([first, second]),
            _ => None,
        }
    }

    /// Measurements of each flow that a proxy splits, at the end of the run.
    pub(super) fn measure_proxies(&mut self) -> Vec<ProxyOutcome> {
        let (spec, end) = (self.spec, self.end);
        let mut outcomes = Vec::with_capacity(spec.proxies.len());
        for spec in &spec.proxies {
            let halves = Halves {
                near: spec.near,
                far: spec.far,
            };
            if let Some([near, far]) = self.halves(halves)
                && let Role::Far(joint) = &mut far.role
            {
                let progress = Progress::of(&near.client, &far.server);
                let failed = joint.failed;
                let mut outcome = joint.whole.outcome(&spec.name, end, failed, &progress);
                (outcome.hand_over_bytes, outcome.hand_over_s) = joint.hand_overs.cost();
                outcomes.push(outcome);
            }
        }
        outcomes
    }
}
