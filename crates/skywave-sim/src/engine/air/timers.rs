//! When each station next wants to act by itself.

use skywave_core::Time;

/// The earliest of many times, one of which changes at a time: a tree in which each node holds the
/// earlier of its two children. A change costs a few comparisons and leaves no outdated entry.
#[derive(Debug)]
pub(super) struct Timers {
    /// Number of leaves, a power of two; node `n` has the children `2n` and `2n + 1`, the root is 1.
    leaves: usize,
    nodes: Vec<Time>,
}

impl Timers {
    /// Timers of this many stations, none of which wants to act.
    pub(super) fn new(stations: usize) -> Self {
        let leaves = stations.next_power_of_two();
        Self {
            leaves,
            nodes: vec![Time::MAX; 2 * leaves],
        }
    }

    /// A station wants to act at `at` (or never, [`Time::MAX`]), instead of when it wanted to
    /// before.
    pub(super) fn set(&mut self, station: usize, at: Time) {
        let mut node = self.leaves + station;
        if self.nodes[node] == at {
            return;
        }
        self.nodes[node] = at;
        while node > 1 {
            node /= 2;
            let earlier = self.nodes[2 * node].min(self.nodes[2 * node + 1]);
            if self.nodes[node] == earlier {
                return;
            }
            self.nodes[node] = earlier;
        }
    }

    /// When the first of the stations wants to act; never is [`Time::MAX`].
    pub(super) fn first(&self) -> Time {
        self.nodes[1]
    }

    /// The station that wants to act first; of several, the one with the lowest number.
    pub(super) fn station(&self) -> usize {
        let mut node = 1;
        while node < self.leaves {
            node *= 2;
            if self.nodes[node] != self.nodes[node / 2] {
                node += 1;
            }
        }
        node - self.leaves
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_first_is_the_earliest(
            stations in 1usize..20,
            sets in prop::collection::vec((0usize..20, prop::option::of(0u64..50)), 1..100),
        ) {
            let mut timers = Timers::new(stations);
            let mut plain = vec![Time::MAX; stations];
            for (station, at) in sets {
                let station = station % stations;
                let at = at.map_or(Time::MAX, Time::from_nanos);
                timers.set(station, at);
                plain[station] = at;
                let first = plain.iter().min().copied();
                prop_assert_eq!(Some(timers.first()), first);
                let place = plain.iter().position(|&at| Some(at) == first);
                prop_assert_eq!(Some(timers.station()), place);
            }
        }
    }
}
