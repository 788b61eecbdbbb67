//! Flows that a proxy splits: two halves, each a whole TCP connection, and the proxy between them; and flows of one such
//! connection, whose receiver freezes the sender.
//!
//! A half is a flow of its own, from its client, which sends the data, to its server. At the proxy's
//! node stand the server of the half from the source and the client of the half to the destination.
//! What joins them ([`Proxy`]) touches both, so it must see everything that happens at either in the
//! order of time: the hosts of such flows decide nothing ahead of the clock (`plan.rs`).

mod half;
mod whole;

use skywave_core::Time;
use skywave_core::proxy::Proxy;
use skywave_core::tcp::TcpConfig;

use super::ends::Ends;
use super::world::World;
use crate::outcome::ProxyOutcome;
use crate::spec::{ProxySpec, Spec};
use half::Role;
use whole::Whole;

pub(super) use half::Half;

/// What joins the halves of a flow, and what is measured of the whole.
pub(crate) struct Joint {
    near: u32,
    proxy: Proxy,
    /// When the proxy fails; [`Time::MAX`] for never.
    fails_at: Time,
    failed: bool,
    whole: Whole,
}

impl Joint {
    fn new(spec: &ProxySpec, run: &Spec) -> Self {
        Self {
            near: spec.near as u32,
            proxy: Proxy::new(spec.config),
            fails_at: spec.fails_at.unwrap_or(Time::MAX),
            failed: false,
            whole: Whole::new(run),
        }
    }

    /// When the proxy has something to do of its own accord.
    fn due(&self) -> Time {
        if self.failed {
            return Time::MAX;
        }
        let timer = self.proxy.next_timer().unwrap_or(Time::MAX);
        timer.min(self.fails_at)
    }
}

/// The proxy at one end of flow `index`, if one is.
fn proxy_of(index: usize, run: &Spec) -> Option<&ProxySpec> {
    let after = run.proxies.partition_point(|proxy| proxy.near <= index);
    let proxy = run.proxies[..after].last()?;
    (proxy.near == index || proxy.far == index).then_some(proxy)
}

/// Whether flow `index` has whole connections: a proxy is at one end, or its receiver freezes the sender.
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
    } else {
        Half::far(proxy, config, run)
    };
    Some(Ends::Half(Box::new(half)))
}

/// The proxy between both halves does what there is to do at `now`.
fn work(now: Time, near: &mut Half, far: &mut Half) {
    let Role::Far(joint) = &mut far.role else {
        return;
    };
    if !joint.failed && now >= joint.fails_at {
        joint.failed = true;
        (near.server_failed, far.client_failed) = (true, true);
    }
    if !joint.failed {
        joint.proxy.work(now, &mut near.server, &mut far.client);
    }
    let buffered = if joint.failed {
        0
    } else {
        joint.proxy.buffered(&near.server)
    };
    if let Role::Near { fresh, .. } = &mut near.role {
        joint.whole.sent(fresh);
    }
    let ends = (near.client.acknowledged(), far.server.received());
    joint.whole.measure(now, buffered, ends);
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
            Role::Alone => return,
        };
        let Ok([first, second]) = self.flows.get_disjoint_mut([near, far]) else {
            return;
        };
        if let (Ends::Half(first), Ends::Half(second)) = (&mut first.ends, &mut second.ends) {
            work(at, first, second);
        }
        self.answer(near, at);
        while let Some(packet) = self.flows[far].poll_other_sender(at) {
            self.send(packet, at);
        }
        self.flows[far].settle(at);
        self.schedule_receiver(near);
        self.schedule_sender(far);
    }

    /// What was measured of each flow that a proxy splits, at the end of the run.
    pub(super) fn measure_proxies(&mut self) -> Vec<ProxyOutcome> {
        let mut outcomes = Vec::with_capacity(self.spec.proxies.len());
        for spec in &self.spec.proxies {
            let Ok([near, far]) = self.flows.get_disjoint_mut([spec.near, spec.far]) else {
                continue;
            };
            if let (Ends::Half(near), Ends::Half(far)) = (&mut near.ends, &mut far.ends)
                && let Role::Far(joint) = &mut far.role
            {
                let ends = (near.client.acknowledged(), far.server.received());
                let failed = joint.failed;
                let outcome = joint.whole.outcome(&spec.name, self.end, failed, ends);
                outcomes.push(outcome);
            }
        }
        outcomes
    }
}
