//! The route cache: whole paths, as they were heard of (RFC 4728 section 4.1).

use super::message::{Link, MOST_HOPS};
use crate::radio::Address;
use crate::time::{Duration, Time};

/// Paths that are kept; the one that was unused for longest makes room.
const MOST_PATHS: usize = 64;

/// A path from the own station.
#[derive(Clone, Debug)]
struct Path {
    /// The stations after the own one.
    stations: Vec<Address>,
    /// Time at which the path was last heard of or used.
    used: Time,
}

/// All paths that a station knows.
#[derive(Clone, Debug)]
pub(super) struct Cache {
    own: Address,
    timeout: Duration,
    paths: Vec<Path>,
}

impl Cache {
    pub(super) fn new(own: Address, timeout: Duration) -> Self {
        Self {
            own,
            timeout,
            paths: Vec::new(),
        }
    }

    /// Learns a path by these stations, from the own one on. A path that comes by a station twice
    /// is ignored.
    pub(super) fn learn(&mut self, now: Time, stations: &[Address]) {
        let repeated = |(at, station)| stations[..at].contains(station) || *station == self.own;
        let bad = stations.iter().enumerate().any(repeated);
        if bad || stations.is_empty() || stations.len() > MOST_HOPS {
            return;
        }
        self.forget_unused(now);
        if let Some(known) = self
            .paths
            .iter_mut()
            .find(|path| path.stations.starts_with(stations))
        {
            known.used = now;
            return;
        }
        self.paths
            .retain(|path| !stations.starts_with(&path.stations));
        let oldest = self.paths.iter().enumerate().min_by_key(|(_, p)| p.used);
        if self.paths.len() >= MOST_PATHS
            && let Some((at, _)) = oldest
        {
            self.paths.remove(at);
        }
        self.paths.push(Path {
            stations: stations.to_vec(),
            used: now,
        });
    }

    fn forget_unused(&mut self, now: Time) {
        let timeout = self.timeout;
        self.paths.retain(|path| path.used + timeout > now);
    }

    /// The shortest way to `destination`: the path that has it, and how many hops it is. Of several the one that has
    /// been known for longest.
    fn find(&self, now: Time, destination: Address) -> Option<(usize, usize)> {
        let known = self.paths.iter().enumerate();
        let ways = known.filter_map(|(at, path)| {
            let place = path.stations.iter().position(|&s| s == destination)?;
            (path.used + self.timeout > now).then_some((at, place + 1))
        });
        ways.min_by_key(|&(_, hops)| hops)
    }

    /// The shortest way to `destination`, from the own station to it, both included. The path counts as used.
    pub(super) fn route(&mut self, now: Time, destination: Address) -> Option<Vec<Address>> {
        let (at, hops) = self.find(now, destination)?;
        let path = &mut self.paths[at];
        path.used = now;
        let mut route = Vec::with_capacity(hops + 1);
        route.push(self.own);
        route.extend_from_slice(&path.stations[..hops]);
        Some(route)
    }

    /// The first station of the shortest way.
    pub(super) fn next_hop(&self, now: Time, destination: Address) -> Option<Address> {
        let (at, _) = self.find(now, destination)?;
        self.paths[at].stations.first().copied()
    }

    /// A link has broken. Frames need their ACKs, so that it leads nowhere in the other direction either. Paths end
    /// before it.
    pub(super) fn break_link(&mut self, link: Link) {
        let is_broken = |(&a, &b): (&Address, &Address)| {
            (a, b) == (link.from, link.to) || (a, b) == (link.to, link.from)
        };
        for path in &mut self.paths {
            let starts = std::iter::once(&self.own).chain(&path.stations);
            if let Some(at) = starts.zip(&path.stations).position(is_broken) {
                path.stations.truncate(at);
            }
        }
        self.paths.retain(|path| !path.stations.is_empty());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(numbers: &[u16]) -> Vec<Address> {
        numbers.iter().map(|&n| Address(n)).collect()
    }

    fn cache() -> Cache {
        Cache::new(Address(1), Duration::from_secs(300))
    }

    #[test]
    fn the_shortest_way_is_taken_of_all_paths() {
        let (mut cache, now) = (cache(), Time::ZERO);
        cache.learn(now, &addresses(&[2, 3, 4, 5]));
        cache.learn(now, &addresses(&[6, 4]));
        let route = |cache: &mut Cache, to| cache.route(now, Address(to));
        assert_eq!(route(&mut cache, 4), Some(addresses(&[1, 6, 4])));
        assert_eq!(route(&mut cache, 3), Some(addresses(&[1, 2, 3])));
        assert_eq!(route(&mut cache, 7), None);
    }

    #[test]
    fn paths_in_circles_or_through_the_own_station_are_not_learned() {
        let (mut cache, now) = (cache(), Time::ZERO);
        for path in [&[2, 3, 2][..], &[2, 1, 3], &[]] {
            cache.learn(now, &addresses(path));
            assert!(cache.paths.is_empty(), "{path:?}");
        }
    }

    #[test]
    fn a_broken_link_ends_paths_in_both_directions() {
        let (mut cache, now) = (cache(), Time::ZERO);
        cache.learn(now, &addresses(&[2, 3, 4, 5]));
        cache.learn(now, &addresses(&[6, 4, 3, 7]));
        cache.learn(now, &addresses(&[8]));
        let link = Link {
            from: Address(3),
            to: Address(4),
        };
        cache.break_link(link);
        assert_eq!(cache.route(now, Address(5)), None);
        assert_eq!(cache.route(now, Address(7)), None);
        assert_eq!(cache.route(now, Address(3)), Some(addresses(&[1, 2, 3])));
        assert_eq!(cache.route(now, Address(4)), Some(addresses(&[1, 6, 4])));
        cache.break_link(Link {
            from: Address(1),
            to: Address(8),
        });
        assert_eq!(cache.paths.len(), 2);
    }

    #[test]
    fn an_unused_path_is_forgotten_and_there_are_not_too_many() {
        let mut cache = cache();
        let at = |seconds| Time::ZERO + Duration::from_secs(seconds);
        cache.learn(at(0), &addresses(&[2]));
        assert!(cache.route(at(299), Address(2)).is_some());
        assert_eq!(cache.next_hop(at(598), Address(2)), Some(Address(2)));
        assert_eq!(cache.next_hop(at(599), Address(2)), None);
        for n in 0..MOST_PATHS as u16 + 5 {
            cache.learn(at(600), &addresses(&[3 + n]));
        }
        assert_eq!(cache.paths.len(), MOST_PATHS);
    }
}
