//! Topology: static routes, by the fewest hops between the nodes that are given.

mod pair;
mod ways;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use thiserror::Error;

use crate::spec::LinkSpec;
pub use pair::{Passes, passes};
pub use ways::{Way, ways};

/// Reason why no route leads from one node to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NoRoute {
    /// No sequence of links leads from one node to the other.
    #[error("no path of links from node {from} to node {to}")]
    Unreachable {
        /// Index of the node from which the next one cannot be reached: the route's start, or a node that it must pass.
        from: usize,
        /// Index of the node that cannot be reached: the route's end, or a node that it must pass.
        to: usize,
    },
    /// The route would pass the node with this index twice.
    #[error("the route passes node {0} twice")]
    Twice(usize),
}

/// Hop in one direction from a node to another: a one-way link, or two stations of a radio network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Index of the node where the hop starts.
    pub from: usize,
    /// Index of the node where the hop ends.
    pub to: usize,
}

/// Edges of a network: its links, in their order, then every ordered pair of `stations`, which are the indices of the
/// nodes that are stations of a radio network.
pub fn edges(links: &[LinkSpec], stations: &[usize]) -> Vec<Edge> {
    let links = links
        .iter()
        .map(|&LinkSpec { from, to, .. }| Edge { from, to });
    let pairs = stations.iter().flat_map(|&from| {
        let others = stations.iter().filter(move |&&to| to != from);
        others.map(move |&to| Edge { from, to })
    });
    links.chain(pairs).collect()
}

/// Finder of routes with the fewest hops; of equally short ones, the one whose edge at the first hop where they differ
/// stands first in the list that [`Self::new`] got.
#[derive(Debug)]
pub struct Router {
    /// The links, then the pairs of stations of a radio network.
    edges: Vec<Edge>,
    outgoing: Vec<Vec<u32>>,
    incoming: Vec<Vec<u32>>,
    /// Paths found between nodes where there is a choice.
    known: BTreeMap<(usize, usize), Option<Vec<u32>>>,
}

impl Router {
    /// Router over `edges` in a network of `nodes` nodes, numbered from 0.
    pub fn new(edges: Vec<Edge>, nodes: usize) -> Self {
        let mut outgoing = vec![Vec::new(); nodes];
        let mut incoming = vec![Vec::new(); nodes];
        for (index, edge) in edges.iter().enumerate() {
            outgoing[edge.from].push(index as u32);
            incoming[edge.to].push(index as u32);
        }
        Self {
            edges,
            outgoing,
            incoming,
            known: BTreeMap::new(),
        }
    }

    /// Edge with this index in the list that [`Self::new`] got; [`Self::route`] returns such indices.
    pub fn edge(&self, index: u32) -> Edge {
        self.edges[index as usize]
    }

    /// Indices of the edges of the route from node `from` to node `to` that passes the nodes `via` in their order, and
    /// between them takes the fewest hops. An error if a node cannot be reached, or the route would pass a node twice.
    pub fn route(&mut self, from: usize, via: &[usize], to: usize) -> Result<Vec<u32>, NoRoute> {
        let mut route = Vec::new();
        let mut passed = BTreeSet::from([from]);
        let mut at = from;
        for &next in via.iter().chain([&to]) {
            if at == next {
                return Err(NoRoute::Twice(next));
            }
            for link in self.path(at, next)? {
                at = self.edges[link as usize].to;
                if !passed.insert(at) {
                    return Err(NoRoute::Twice(at));
                }
                route.push(link);
            }
        }
        Ok(route)
    }

    /// The edges of the path from one node to another.
    ///
    /// Hosts have one link only, so most of a path leaves no choice. Only the part in between is
    /// searched for, and then remembered: so the work for thousands of flows over one bottleneck
    /// grows linearly.
    fn path(&mut self, from: usize, to: usize) -> Result<Vec<u32>, NoRoute> {
        let missing = NoRoute::Unreachable { from, to };
        let (mut first, mut last) = (Vec::new(), Vec::new());
        let (mut start, mut end) = (from, to);
        while start != end && first.len() < self.edges.len() {
            if let [only] = self.outgoing[start][..] {
                first.push(only);
                start = self.edges[only as usize].to;
            } else if let [only] = self.incoming[end][..] {
                last.push(only);
                end = self.edges[only as usize].from;
            } else {
                break;
            }
            if last.len() > self.edges.len() {
                return Err(missing);
            }
        }
        if start != end {
            if !self.known.contains_key(&(start, end)) {
                let between = self.search(start, end);
                self.known.insert((start, end), between);
            }
            first.extend(self.known[&(start, end)].as_ref().ok_or(missing)?);
        }
        first.extend(last.iter().rev());
        Ok(first)
    }

    /// Breadth first.
    fn search(&self, from: usize, to: usize) -> Option<Vec<u32>> {
        let mut came_by: Vec<Option<u32>> = vec![None; self.outgoing.len()];
        let mut queue = VecDeque::from([from]);
        while let Some(node) = queue.pop_front() {
            if node == to {
                break;
            }
            for &link in &self.outgoing[node] {
                let next = self.edges[link as usize].to;
                if next != from && came_by[next].is_none() {
                    came_by[next] = Some(link);
                    queue.push_back(next);
                }
            }
        }
        let mut path = Vec::new();
        let mut node = to;
        while node != from {
            let link = came_by[node]?;
            path.push(link);
            node = self.edges[link as usize].from;
        }
        path.reverse();
        Some(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use skywave_core::link::{Limit, LinkConfig, QueueConfig};
    use skywave_core::{Duration, Rate};

    fn link(from: usize, to: usize) -> LinkSpec {
        let queue = QueueConfig::DropTail(Limit::Packets(10));
        LinkSpec {
            name: format!("{from}-{to}").into(),
            from,
            to,
            config: LinkConfig::new(Rate::from_bps(1), Duration::ZERO, queue).into(),
        }
    }

    #[test]
    fn the_path_with_the_fewest_hops_wins_and_ties_go_to_the_first_link() {
        let links = [link(0, 1), link(1, 3), link(0, 2), link(2, 3), link(3, 4)];
        let mut router = Router::new(edges(&links, &[]), 5);
        assert_eq!(router.route(0, &[], 4), Ok(vec![0, 1, 4]));
        assert_eq!(router.route(2, &[], 3), Ok(vec![3]));
    }

    #[test]
    fn a_route_passes_the_nodes_that_it_is_given_and_none_twice() {
        let both = |a, b| [link(a, b), link(b, a)];
        let links = [both(0, 1), both(1, 2), both(0, 2), both(2, 3)].concat();
        let mut router = Router::new(edges(&links, &[]), 5);
        assert_eq!(router.route(0, &[], 3), Ok(vec![4, 6]));
        assert_eq!(router.route(0, &[1], 3), Ok(vec![0, 2, 6]));
        assert_eq!(router.route(0, &[1, 2], 3), Ok(vec![0, 2, 6]));
        // Back from 3 only by 2.
        assert_eq!(router.route(0, &[3], 1), Err(NoRoute::Twice(2)));
        for via in [&[0][..], &[1, 1], &[3]] {
            assert!(matches!(router.route(0, via, 3), Err(NoRoute::Twice(_))));
        }
        let missing = NoRoute::Unreachable { from: 1, to: 4 };
        assert_eq!(router.route(0, &[1, 4], 3), Err(missing));
    }

    #[test]
    fn stations_of_a_radio_network_reach_each_other() {
        // 0 - 1 by a link, 1, 2 and 3 by radio.
        let mut router = Router::new(edges(&[link(0, 1)], &[1, 2, 3]), 4);
        let edge = |path: &[u32]| -> Vec<Edge> {
            path.iter().map(|&e| router.edges[e as usize]).collect()
        };
        assert_eq!(
            edge(&[0, 2]),
            [Edge { from: 0, to: 1 }, Edge { from: 1, to: 3 }]
        );
        assert_eq!(router.route(0, &[], 3), Ok(vec![0, 2]));
    }

    #[test]
    fn a_link_between_stations_wins_over_the_radio_network_and_that_over_two_links() {
        // Stations 0, 1 and 2, with links 0 - 1 - 2.
        let links = [link(0, 1), link(1, 2)];
        let mut router = Router::new(edges(&links, &[0, 1, 2]), 3);
        assert_eq!(router.route(0, &[], 1), Ok(vec![0]));
        let by_radio = router.route(0, &[], 2).unwrap();
        assert_eq!(by_radio.len(), 1);
        assert!(by_radio[0] >= 2, "{by_radio:?}");
        assert_eq!(router.route(0, &[1], 2), Ok(vec![0, 1]));
    }

    #[test]
    fn a_one_way_link_does_not_lead_back() {
        let links = [link(0, 1)];
        let missing = NoRoute::Unreachable { from: 1, to: 0 };
        assert_eq!(
            Router::new(edges(&links, &[]), 2).route(1, &[], 0),
            Err(missing)
        );
    }
}
