//! Lookahead: how long each part of the world may wait before it decides.
//!
//! Nothing that a link takes in comes out again before the link's delay. So a link may decide what
//! becomes of a packet some time after the packet has reached it, as long as the result is known
//! where it is needed next; and everything in between may be decided at once, ahead of the clock.
//! (This is conservative parallel simulation, with one processor: Chandy and Misra 1979, Bryant
//! 1977.)
//!
//! Packets are *collected* in an inbox where the order of their arrival is not known in advance: at
//! a link with several feeders, at every data sender (or the cycle would have no clock), and behind
//! a link that reorders. All other links and receivers *follow*: they decide as soon as what is
//! before them has.

use skywave_core::{Duration, Time};

use super::path::{Direction, Path};
use crate::spec::{Spec, Transport};

/// Without any need to decide, decide this often all the same, so that memory stays flat.
const LONGEST: Duration = Duration::from_secs(1);

/// When the parts of a world decide.
pub(crate) struct Plan {
    /// By link: `None` for one that follows.
    pub(crate) links: Vec<Option<Slack>>,
    /// By flow.
    pub(crate) senders: Vec<Duration>,
    /// By flow.
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
    /// Packets come to it out of order, so that it collects them.
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
    pub(crate) fn new(spec: &Spec, paths: &[Path]) -> Self {
        let feeders = feeders(spec, paths);
        let collects: Vec<bool> = feeders.iter().map(|f| *f == Feeder::Many).collect();
        let view = View {
            spec,
            paths,
            collects: &collects,
        };
        let mut links: Vec<Option<Slack>> = vec![None; spec.links.len()];
        for (flow, path) in paths.iter().enumerate() {
            for direction in [Direction::Forward, Direction::Reverse] {
                for (hop, &link) in path.links(direction).iter().enumerate() {
                    if !collects[link as usize] {
                        continue;
                    }
                    let delay = spec.links[link as usize].config.delay;
                    let slack = (delay + view.to_inbox(flow, direction, hop + 1)).min(LONGEST);
                    let entry = links[link as usize].get_or_insert(Slack {
                        slack,
                        hold: Duration::ZERO,
                    });
                    entry.slack = entry.slack.min(slack);
                }
            }
        }
        // Senders right before an inbox have no delay to wait behind: they share its slack.
        for path in paths {
            if let Some(entry) = &mut links[path.links(Direction::Forward)[0] as usize] {
                entry.hold = entry.slack / 2;
            }
        }
        let sender = |(flow, path): (usize, &Path)| match links
            [path.links(Direction::Forward)[0] as usize]
        {
            Some(first) => first.hold,
            None => view.to_inbox(flow, Direction::Forward, 0).min(LONGEST),
        };
        let receiver = |flow| Receiving {
            collects: view.receiver_collects(flow),
            slack: view.to_inbox(flow, Direction::Reverse, 0).min(LONGEST),
        };
        let senders = paths.iter().enumerate().map(sender).collect();
        let receivers = (0..paths.len()).map(receiver).collect();
        Self {
            links,
            senders,
            receivers,
        }
    }
}

/// The latest grid point up to `slack` after `at`: where many things wait for the same moment, the
/// event queue has less to sort.
pub(crate) fn latest(at: Time, slack: Duration) -> Time {
    let grid = slack.as_nanos() / 4 + 1;
    let mask = (1 << grid.ilog2()) - 1;
    Time::from_nanos((at + slack).as_nanos() & !mask)
}

struct View<'a> {
    spec: &'a Spec,
    paths: &'a [Path],
    collects: &'a [bool],
}

impl View<'_> {
    /// Shortest time from the start of hop number `hop` to the next inbox.
    fn to_inbox(&self, flow: usize, direction: Direction, hop: usize) -> Duration {
        let mut sum = Duration::ZERO;
        for &link in &self.paths[flow].links(direction)[hop..] {
            if self.collects[link as usize] {
                return sum;
            }
            sum += self.spec.links[link as usize].config.delay;
        }
        match direction {
            Direction::Reverse => sum,
            Direction::Forward if self.receiver_collects(flow) => sum,
            Direction::Forward => match self.spec.flows[flow].transport {
                Transport::Tcp(_) => sum + self.to_inbox(flow, Direction::Reverse, 0),
                // Nothing comes back from a datagram.
                Transport::Udp { .. } => Duration::MAX,
            },
        }
    }

    fn receiver_collects(&self, flow: usize) -> bool {
        let last = self.paths[flow].links(Direction::Forward).last();
        last.is_some_and(|&link| reorders(self.spec, link))
    }
}

fn reorders(spec: &Spec, link: u32) -> bool {
    spec.links[link as usize].config.reordering.is_some()
}

fn feeders(spec: &Spec, paths: &[Path]) -> Vec<Feeder> {
    let mut feeders = vec![Feeder::None; spec.links.len()];
    for (flow, path) in paths.iter().enumerate() {
        for direction in [Direction::Forward, Direction::Reverse] {
            let mut from = match direction {
                Direction::Forward => Feeder::Sender(flow),
                Direction::Reverse => Feeder::Receiver(flow),
            };
            for &link in path.links(direction) {
                let feeder = &mut feeders[link as usize];
                *feeder = match *feeder {
                    Feeder::None => from,
                    same if same == from => same,
                    _ => Feeder::Many,
                };
                from = match reorders(spec, link) {
                    true => Feeder::Many,
                    false => Feeder::Link(link),
                };
            }
        }
    }
    feeders
}
