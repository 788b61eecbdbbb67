//! Lookahead: how long each part of the world may wait before it decides.
//!
//! Nothing that a link takes in comes out again before the link's delay has passed. So a link may
//! decide what becomes of a packet some time after the packet has reached it, as long as the result
//! is known where it is needed next; and everything in between may be decided at once, ahead of the
//! clock. (This is conservative parallel simulation, with one processor: Chandy and Misra 1979,
//! Bryant 1977.)
//!
//! Packets are *collected* in an inbox where the order of their arrival is not known in advance: at
//! a link with several feeders, at every data sender (or the cycle would have no clock), after a
//! link that reorders, at a link with a time of its own (ARQ, CoDel and the like), whose timers wait among
//! its packets, at an agent, which sees both directions, at a passage, and at the hosts of flows that a
//! proxy splits or whose receiver freezes the sender, which decide at their own time. All other links and
//! receivers *follow*: they decide as soon as the lane before them has decided.

use skywave_core::{Duration, Time};

use super::routes::{Direction, Routes};
use super::split::is_half;
use crate::spec::{Spec, Transport};

/// Longest slack: even where nothing needs a decision earlier, decide this often, so that the
/// memory in use stays bounded.
const LONGEST: Duration = Duration::from_secs(1);

/// Shortest pace: a shorter one would only make many empty buckets of events.
const SHORTEST: Duration = Duration::from_micros(100);

/// When the parts of a world decide.
pub(crate) struct Plan {
    /// Slack of each lane: links, then agents, then passages. `None` for one that follows.
    pub(crate) links: Vec<Option<Slack>>,
    /// Slack of each flow's sender.
    pub(crate) senders: Vec<Duration>,
    /// Collecting and slack of each flow's receiver.
    pub(crate) receivers: Vec<Receiving>,
}

/// The slack of a link that collects: packets are taken between `hold` and `slack` after their
/// arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slack {
    pub(crate) slack: Duration,
    pub(crate) hold: Duration,
}

/// How a receiver decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Receiving {
    /// Packets come to it out of order, or it is an end of a whole connection, so that it collects them.
    pub(crate) collects: bool,
    /// How long after their time its packets and timers may be handled.
    pub(crate) slack: Duration,
}

/// Where the packets of a link come from.
#[derive(Clone, Copy, PartialEq)]
enum Feeder {
    None,
    Sender(usize),
    Receiver(usize),
    Link(u32),
    Many,
}

impl Plan {
    pub(crate) fn new(spec: &Spec, routes: &Routes) -> Self {
        let feeders = feeders(spec, routes);
        let collects: Vec<bool> = feeders
            .iter()
            .enumerate()
            .map(|(link, feeder)| match spec.links.get(link) {
                Some(link) => *feeder == Feeder::Many || link.config.needs_time(),
                None => true, // an agent or a passage
            })
            .collect();
        let view = View {
            spec,
            routes,
            collects: &collects,
        };
        let mut links = view.link_slacks();
        let flows = 0..routes.flows();
        let senders = flows.clone();
        let senders = senders.map(|flow| view.sender_slack(flow, &mut links));
        let senders = senders.collect();
        let receivers = flows.map(|flow| Receiving {
            collects: view.receiver_collects(flow),
            slack: view.receiver_slack(flow, &links),
        });
        Self {
            senders,
            receivers: receivers.collect(),
            links,
        }
    }

    /// How wide the event queue's buckets are to be: as the grid of the sender that decides most often, so that
    /// the events of a bucket mostly have one time, and there is little to sort. Lanes may decide more often.
    /// They do not count: the buckets would be narrow and many then, which made the runs of TCP-DCR's slow
    /// links 5 % longer.
    pub(crate) fn pace(&self) -> Duration {
        let shortest = self.senders.iter().copied().min();
        (shortest.unwrap_or(LONGEST) / GRID).clamp(SHORTEST, LONGEST)
    }
}

#[cfg(test)]
impl Plan {
    /// Plan without collecting: everything is decided at its own time, an event at a time.
    pub(crate) fn without_lookahead(mut self) -> Self {
        for link in self.links.iter_mut().flatten() {
            (link.slack, link.hold) = (Duration::ZERO, Duration::ZERO);
        }
        self.senders.fill(Duration::ZERO);
        for receiver in &mut self.receivers {
            receiver.slack = Duration::ZERO;
        }
        self
    }
}

/// Divisor of the grid: something that may wait for `slack` is put on a grid of about `slack / GRID`.
const GRID: u64 = 4;

/// The latest grid point up to `slack` after `at`: where many things wait for the same moment, the
/// event queue has less to sort.
pub(crate) fn latest(at: Time, slack: Duration) -> Time {
    let grid = slack.as_nanos() / GRID + 1;
    let mask = (1 << grid.ilog2()) - 1;
    Time::from_nanos((at + slack).as_nanos() & !mask)
}

struct View<'a> {
    spec: &'a Spec,
    routes: &'a Routes,
    collects: &'a [bool],
}

impl View<'_> {
    fn link_slacks(&self) -> Vec<Option<Slack>> {
        let mut links: Vec<Option<Slack>> = vec![None; self.collects.len()];
        for way in 0..self.routes.ways() {
            for direction in Direction::BOTH {
                for (hop, link) in self.routes.links(way, direction).enumerate() {
                    if !self.collects[link as usize] {
                        continue;
                    }
                    let behind = self.next_inbox(way, direction, hop + 1).0;
                    let mut slack = (self.delay(link) + behind).min(LONGEST);
                    // An agent must hear of what the link after it drops before it does anything
                    // else, so that link has no slack. Nor has a passage: a radio network decides
                    // everything at its own time.
                    if self.follows_agent(way, direction, hop) || self.is_passage(link) {
                        slack = Duration::ZERO;
                    }
                    let entry = links[link as usize].get_or_insert(Slack {
                        slack,
                        hold: Duration::ZERO,
                    });
                    entry.slack = entry.slack.min(slack);
                }
            }
        }
        links
    }

    fn follows_agent(&self, way: usize, direction: Direction, hop: usize) -> bool {
        let links = self.spec.links.len();
        let agents = links..links + self.spec.agents.len();
        let is_agent = |lane| agents.contains(&(lane as usize));
        let mut links = self.routes.links(way, direction);
        !self.spec.agents.is_empty() && hop > 0 && links.nth(hop - 1).is_some_and(is_agent)
    }

    fn is_passage(&self, lane: u32) -> bool {
        lane as usize >= self.spec.links.len() + self.spec.agents.len()
    }

    /// A sender wakes for its own few packets only, a shared link for those of many flows. So the
    /// link gives most of its slack to the senders before it.
    fn sender_slack(&self, flow: usize, links: &mut [Option<Slack>]) -> Duration {
        if is_half(flow, self.spec) {
            return Duration::ZERO;
        }
        let (delay, inbox) = self.next_inbox(flow, Direction::Forward, 0);
        let lent = inbox.and_then(|link| links[link as usize].as_mut());
        let hold = lent.map_or(Duration::ZERO, |link| {
            link.hold = link.slack.saturating_sub(link.slack / 8);
            link.hold
        });
        (delay + hold).min(LONGEST)
    }

    fn receiver_slack(&self, flow: usize, links: &[Option<Slack>]) -> Duration {
        if is_half(flow, self.spec) {
            return Duration::ZERO;
        }
        let (delay, inbox) = self.next_inbox(flow, Direction::Reverse, 0);
        let held = inbox.and_then(|link| links[link as usize]);
        (delay + held.map_or(Duration::ZERO, |link| link.hold)).min(LONGEST)
    }

    /// Shortest time from the start of hop number `hop` of a way to the next inbox, and the lane with that
    /// inbox; `None` if it is a host's.
    fn next_inbox(&self, way: usize, direction: Direction, hop: usize) -> (Duration, Option<u32>) {
        let flow = self.routes.flow_of(way);
        let mut sum = Duration::ZERO;
        for link in self.routes.links(way, direction).skip(hop) {
            if self.collects[link as usize] {
                return (sum, Some(link));
            }
            sum += self.delay(link);
        }
        if direction == Direction::Reverse || self.receiver_collects(flow) {
            return (sum, None);
        }
        match self.spec.flows[flow].transport {
            Transport::Tcp(_) | Transport::Wtcp { .. } | Transport::Quic { .. } => {
                let (back, inbox) = self.next_inbox(way, Direction::Reverse, 0);
                (sum + back, inbox)
            }
            // Nothing comes back from a datagram.
            Transport::Udp { .. } => (Duration::MAX, None),
        }
    }

    fn delay(&self, link: u32) -> Duration {
        let link = self.spec.links.get(link as usize);
        link.map_or(Duration::ZERO, |link| link.config.delay)
    }

    fn receiver_collects(&self, flow: usize) -> bool {
        if is_half(flow, self.spec) {
            return true;
        }
        let last = self.routes.links(flow, Direction::Forward).last();
        last.is_some_and(|link| reorders(self.spec, link))
    }
}

fn reorders(spec: &Spec, link: u32) -> bool {
    let link = spec.links.get(link as usize);
    link.is_some_and(|link| link.config.reordering.is_some())
}

fn feeders(spec: &Spec, routes: &Routes) -> Vec<Feeder> {
    let lanes = spec.links.len() + spec.agents.len() + routes.passages.len();
    let mut feeders = vec![Feeder::None; lanes];
    for way in 0..routes.ways() {
        let flow = routes.flow_of(way);
        for direction in Direction::BOTH {
            let mut from = match direction {
                Direction::Forward => Feeder::Sender(flow),
                Direction::Reverse => Feeder::Receiver(flow),
            };
            for link in routes.links(way, direction) {
                let feeder = &mut feeders[link as usize];
                *feeder = match *feeder {
                    Feeder::None => from,
                    same if same == from => same,
                    _ => Feeder::Many,
                };
                from = if reorders(spec, link) {
                    Feeder::Many
                } else {
                    Feeder::Link(link)
                };
            }
        }
    }
    feeders
}
