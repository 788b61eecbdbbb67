//! A link, the packets that wait for its decision, and the record of its queue.

use skywave_core::Time;
use skywave_core::link::{Fate, Limit, Link, LinkConfig, Measured};
use skywave_core::packet::Packet;
use skywave_core::rng::Stream;

use super::agent::AgentLane;
use super::arrival::Arrival;
use super::inbox::Inbox;
use super::notices::LossNotices;
use super::plan::Slack;
use super::routes::Next;
use super::timed::TimedLane;
use super::wire::Wire;
use crate::measure::{Fullness, Recorder};
use crate::observe::{Observer, Offer};
use crate::outcome::LinkOutcome;
use crate::spec::{AgentSpec, LinkSpec, Spec};

/// A link, an agent or a passage. Most are wires that follow, and have nothing but a number.
pub(crate) enum Lane {
    /// The [`Wire`] with this number, which follows (see the module `plan`).
    Wire(u32),
    /// Any lane but a wire that follows.
    Other(Box<OtherLane>),
}

pub(crate) struct OtherLane {
    carrier: Carrier,
    /// Where packets from several feeders are put in order; `None` for a link that follows.
    inbox: Option<Inbox>,
    watch: Option<Box<Watch>>,
    /// Flows that have just lost a packet here, and whose next packet is to carry a loss
    /// notification.
    notices: LossNotices,
}

enum Carrier {
    /// The [`Wire`] with this number.
    Wire(u32),
    Link(Box<Link>),
    Timed(Box<TimedLane>),
    /// No link: an agent that packets pass.
    Agent(Box<AgentLane>),
    /// No link: packets enter the radio network at a station, for another.
    Passage {
        from: u16,
        to: u16,
    },
}

/// Kind of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LaneKind {
    /// A link that decides about each packet at once.
    Link,
    /// A link with a time of its own, which decides about packets later.
    Timed,
    /// An agent.
    Agent,
    /// A passage through the radio network.
    Passage,
}

/// Records that cost time on every packet, and are therefore kept on demand only.
struct Watch {
    series: Option<Recorder>,
    fullness: Option<Fullness>,
}

impl Watch {
    fn new(spec: &LinkSpec, run: &Spec) -> Option<Box<Self>> {
        let fullness = match spec.config.queue.limit() {
            // A link with a time of its own does not know when the packets that wait will leave.
            Limit::Packets(n) if run.details && !spec.config.needs_time() => {
                Some(Fullness::new(n, run.measure))
            }
            _ => None,
        };
        let series = run.series.then(|| Recorder::new(&spec.name, &["queue"]));
        let wanted = series.is_some() || fullness.is_some();
        wanted.then(|| Box::new(Self { series, fullness }))
    }

    /// Looks at the queue after a packet was offered.
    fn look(&mut self, at: Time, link: &mut Link) {
        let waiting = link.queue_len(at);
        if let Some(series) = &mut self.series {
            series.record(0, at, f64::from(waiting));
        }
        if let Some(fullness) = &mut self.fullness {
            fullness.waiting(at, waiting as usize, link.leaving());
        }
    }
}

impl Lane {
    /// The lane of a link, which measures over the run's window. `observed` means that an observer
    /// looks at its packets. If the link is a wire, it is added to `wires`.
    pub(crate) fn new(
        spec: &LinkSpec,
        slack: Option<Slack>,
        run: &Spec,
        observed: bool,
        wires: &mut Vec<Wire>,
    ) -> Self {
        let watch = Watch::new(spec, run);
        let name = format!("link.{}", spec.name);
        let config = LinkConfig::clone(&spec.config);
        let carrier = if config.needs_time() {
            Carrier::Timed(Box::new(TimedLane::new(config, run, &name)))
        } else {
            let mut link = Link::new(config, run.seed, &name);
            link.measure(run.measure.0, run.measure.1);
            if link.is_plain() && watch.is_none() && !observed {
                wires.push(Wire::new(link));
                Carrier::Wire(wires.len() as u32 - 1)
            } else {
                Carrier::Link(Box::new(link))
            }
        };
        match carrier {
            Carrier::Wire(wire) if slack.is_none() => Self::Wire(wire),
            carrier => Self::with(carrier, inbox(slack, run, &name), watch),
        }
    }

    fn with(carrier: Carrier, inbox: Option<Inbox>, watch: Option<Box<Watch>>) -> Self {
        Self::Other(Box::new(OtherLane {
            carrier,
            inbox,
            watch,
            notices: LossNotices::default(),
        }))
    }

    /// An agent in the place of a link.
    pub(crate) fn of_agent(agent: &AgentSpec, slack: Option<Slack>, run: &Spec) -> Self {
        let name = format!("agent.{}", run.nodes[agent.node]);
        let carrier = Carrier::Agent(Box::new(AgentLane::new(agent, run)));
        Self::with(carrier, inbox(slack, run, &name), None)
    }

    /// A passage from one station of the radio network to another.
    pub(crate) fn of_passage((from, to): (u16, u16), slack: Option<Slack>, run: &Spec) -> Self {
        let inbox = inbox(slack, run, &format!("passage.{from}.{to}"));
        Self::with(Carrier::Passage { from, to }, inbox, None)
    }

    /// The lane, unless it is a wire that follows.
    #[inline]
    fn other(&self) -> Option<&OtherLane> {
        match self {
            Self::Wire(_) => None,
            Self::Other(lane) => Some(lane),
        }
    }

    #[inline]
    fn other_mut(&mut self) -> Option<&mut OtherLane> {
        match self {
            Self::Wire(_) => None,
            Self::Other(lane) => Some(lane),
        }
    }

    /// Where its packets are put in order, if they are.
    #[inline]
    pub(super) fn inbox(&mut self) -> Option<&mut Inbox> {
        self.other_mut()?.inbox.as_mut()
    }

    /// Gives back an emptied list of its inbox.
    pub(super) fn recycle(&mut self, packets: Vec<Arrival>) {
        if let Some(inbox) = self.inbox() {
            inbox.recycle(packets);
        }
    }

    /// Place for losses that the next packets are to tell of; `None` for a lane that loses none.
    #[inline]
    pub(super) fn notices(&mut self) -> Option<&mut LossNotices> {
        Some(&mut self.other_mut()?.notices)
    }

    /// No packet is to tell of a loss.
    #[inline]
    pub(super) fn has_no_notices(&self) -> bool {
        self.other().is_none_or(|lane| lane.notices.are_none())
    }

    /// Carrier of the lane's packets; `None` for a wire that follows.
    #[inline]
    fn carrier(&self) -> Option<&Carrier> {
        Some(&self.other()?.carrier)
    }

    fn watch(&mut self) -> Option<&mut Watch> {
        self.other_mut()?.watch.as_deref_mut()
    }

    /// Where packets go that come to this lane, which has number `index`: to its inbox, or else
    /// right to its [decision](Self::decision).
    pub(super) fn entrance(&self, index: u32) -> Next {
        match self {
            Self::Other(lane) if lane.inbox.is_some() => Next::Collects(index),
            _ => self.decision(index),
        }
    }

    /// Where packets go about which this lane, which has number `index`, decides now.
    pub(super) fn decision(&self, index: u32) -> Next {
        match self {
            Self::Wire(wire) => Next::Wire(*wire),
            Self::Other(lane) => match lane.carrier {
                Carrier::Wire(wire) => Next::Wire(wire),
                _ => Next::Follows(index),
            },
        }
    }

    /// The stations of a passage.
    pub(super) fn passage(&self) -> Option<(u16, u16)> {
        match self.carrier() {
            Some(&Carrier::Passage { from, to }) => Some((from, to)),
            _ => None,
        }
    }

    /// Kind of lane: which machine decides about its packets.
    #[inline]
    pub(crate) fn kind(&self) -> LaneKind {
        match self.carrier() {
            None | Some(Carrier::Wire(_) | Carrier::Link(_)) => LaneKind::Link,
            Some(Carrier::Timed(_)) => LaneKind::Timed,
            Some(Carrier::Agent(_)) => LaneKind::Agent,
            Some(Carrier::Passage { .. }) => LaneKind::Passage,
        }
    }

    pub(crate) fn is_timed(&self) -> bool {
        self.kind() == LaneKind::Timed
    }

    /// # Panics
    /// When this is no agent.
    pub(super) fn agent(&mut self) -> &mut AgentLane {
        match self.other_mut().map(|lane| &mut lane.carrier) {
            Some(Carrier::Agent(agent)) => agent,
            _ => unreachable!("asked before"),
        }
    }

    /// # Panics
    /// When this is no link with a time of its own.
    pub(super) fn timed(&mut self) -> &mut TimedLane {
        match self.other_mut().map(|lane| &mut lane.carrier) {
            Some(Carrier::Timed(timed)) => timed,
            _ => unreachable!("asked before"),
        }
    }

    /// Offers a packet to the link, which is number `index`, shows it to the observer and watches
    /// the queue before and after, as asked.
    ///
    /// # Panics
    /// When the link has a time of its own, or is a [`Wire`].
    pub(crate) fn send(
        &mut self,
        at: Time,
        index: u32,
        packet: &Packet,
        observer: Option<&mut (dyn Observer + '_)>,
    ) -> Fate {
        self.record_departures(at);
        let Self::Other(lane) = self else {
            unreachable!("packets come to wires on another way")
        };
        let Carrier::Link(link) = &mut lane.carrier else {
            unreachable!("packets come to others on other ways")
        };
        let fate = link.send_capable(at, packet.size, packet.ecn);
        if let Some(watch) = &mut lane.watch {
            watch.look(at, link);
        }
        if let Some(observer) = observer {
            observer.on_offer(&Offer {
                at,
                link: index as usize,
                packet,
                fate,
                transmissions: 1,
            });
        }
        fate
    }

    /// The record of the queue, when there is one.
    pub(super) fn series(&mut self) -> Option<&mut Recorder> {
        self.watch()?.series.as_mut()
    }

    /// Records how many packets wait at a link with a time of its own, where that is recorded.
    ///
    /// # Panics
    /// When this is no such link.
    #[inline]
    pub(super) fn record_waiting(&mut self, at: Time) {
        if self.series().is_none() {
            return;
        }
        let waiting = self.timed().link.queue_len();
        if let Some(recorder) = self.series() {
            recorder.record(0, at, f64::from(waiting));
        }
    }

    /// Records the packets that have left the queue since the last one was offered.
    fn record_departures(&mut self, now: Time) {
        let Self::Other(lane) = self else {
            return;
        };
        let (Some(watch), Carrier::Link(link)) = (&mut lane.watch, &lane.carrier) else {
            return;
        };
        let Some(recorder) = &mut watch.series else {
            return;
        };
        let waiting = link.leaving().count();
        let left = link.leaving().take_while(|&at| at <= now);
        for (gone, at) in left.enumerate() {
            recorder.record(0, at, (waiting - gone - 1) as f64);
        }
    }

    /// Measurements of the link, at the end of the run.
    ///
    /// # Panics
    /// When the lane is no link.
    pub(crate) fn outcome(&mut self, wires: &[Wire], name: &str, run: &Spec) -> LinkOutcome {
        let end = run.duration;
        self.record_departures(end);
        let of_wire = |wire: u32| wires[wire as usize].finish(end, &run.measure);
        let measured: Measured = match self {
            Self::Wire(wire) => of_wire(*wire),
            Self::Other(lane) => match &lane.carrier {
                Carrier::Wire(wire) => of_wire(*wire),
                Carrier::Link(link) => link.finish(end),
                Carrier::Timed(timed) => timed.link.finish(end),
                Carrier::Agent(_) | Carrier::Passage { .. } => {
                    unreachable!("they come behind all links")
                }
            },
        };
        let fullness = self.watch().and_then(|w| w.fullness.as_ref());
        LinkOutcome {
            queue_above_half: fullness.map(|f| f.share(end)),
            ..LinkOutcome::of(name, &measured)
        }
    }

    pub(crate) fn into_recorder(self) -> Option<Recorder> {
        match self {
            Self::Wire(_) => None,
            Self::Other(lane) => lane.watch.and_then(|watch| watch.series),
        }
    }
}

/// An inbox if there is slack; `name` names the random stream for its lots.
fn inbox(slack: Option<Slack>, run: &Spec, name: &str) -> Option<Inbox> {
    let mut lots = Stream::named(run.seed, name, "lots");
    let salt = lots.uniform_int(0, u64::from(u32::MAX)) as u32;
    slack.map(|s| Inbox::new(s.slack, s.hold, salt))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run has a lane for each link, so the size of one counts.
    #[test]
    fn a_lane_is_two_words() {
        assert_eq!(size_of::<Lane>(), 16);
    }
}
