//! A link, whether it decides at once or by timers.

use skywave_core::Time;
use skywave_core::link::{Fate, Link, LinkConfig, Measured, Offered, TimedLink};
use skywave_core::packet::Ecn;
use skywave_sim::Spec;
use skywave_sim::spec::LinkSpec;

/// A link of the run. Its random streams are those that it has in the simulator.
pub(crate) enum Lane {
    AtOnce(Box<Link>),
    Timed(Box<TimedLink>),
}

/// A link's decision about a packet.
pub(crate) struct Decided {
    /// Number of the packet.
    pub(crate) packet: u32,
    /// When a dropped packet was dropped.
    pub(crate) at: Time,
    pub(crate) fate: Fate,
}

impl Lane {
    pub(crate) fn new(link: &LinkSpec, run: &Spec) -> Self {
        let config = LinkConfig::clone(&link.config);
        let name = format!("link.{}", link.name);
        let (start, end) = run.measure;
        if config.needs_time() {
            let mut link = TimedLink::new(config, run.seed, &name);
            link.measure(start, end);
            Self::Timed(Box::new(link))
        } else {
            let mut link = Link::new(config, run.seed, &name);
            link.measure(start, end);
            Self::AtOnce(Box::new(link))
        }
    }

    /// Offers a packet; what is decided by then goes to `decided`.
    pub(crate) fn offer(
        &mut self,
        now: Time,
        tag: skywave_core::link::Tag,
        ecn: Ecn,
        decided: &mut Vec<Decided>,
    ) {
        let packet = tag.id();
        match self {
            Self::AtOnce(link) => decided.push(Decided {
                packet,
                at: now,
                fate: link.send_capable(now, tag.size(), ecn),
            }),
            Self::Timed(link) => {
                if let Some(cause) = link.offer_packet(now, Offered { tag, ecn }) {
                    let fate = Fate::Dropped(cause);
                    decided.push(Decided {
                        packet,
                        at: now,
                        fate,
                    });
                }
                collect(link, decided);
            }
        }
    }

    /// When it has something to do by itself.
    pub(crate) fn due(&self) -> Option<Time> {
        match self {
            Self::AtOnce(_) => None,
            Self::Timed(link) => link.next_time(),
        }
    }

    /// Does what is due by `now`.
    pub(crate) fn on_time(&mut self, now: Time, decided: &mut Vec<Decided>) {
        if let Self::Timed(link) = self {
            link.on_time(now);
            collect(link, decided);
        }
    }

    /// The figures of the measured window, at the end of the run.
    pub(crate) fn finish(&self, end: Time) -> Measured {
        match self {
            Self::AtOnce(link) => link.finish(end),
            Self::Timed(link) => link.finish(end),
        }
    }
}

fn collect(link: &mut TimedLink, decided: &mut Vec<Decided>) {
    decided.extend(std::iter::from_fn(|| link.poll()).map(|settled| Decided {
        packet: settled.tag.id(),
        at: settled.at,
        fate: settled.fate,
    }));
}
