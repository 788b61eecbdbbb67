//! Topology: static shortest-path routing.

use std::collections::VecDeque;

use thiserror::Error;

use crate::spec::LinkSpec;

/// No sequence of links leads from one node to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("no path of links from node {from} to node {to}")]
pub struct Unreachable {
    /// Node index where it starts.
    pub from: usize,
    /// Node index that cannot be reached.
    pub to: usize,
}

/// The links of a path with the fewest hops from `from` to `to`; of equal ones, the one whose links
/// come first in the list.
pub fn shortest_path(
    links: &[LinkSpec],
    nodes: usize,
    from: usize,
    to: usize,
) -> Result<Vec<u32>, Unreachable> {
    Router::new(links, nodes).path(from, to)
}

/// Outgoing links by node, to find many paths.
pub(crate) struct Router<'a> {
    links: &'a [LinkSpec],
    outgoing: Vec<Vec<u32>>,
}

impl<'a> Router<'a> {
    pub(crate) fn new(links: &'a [LinkSpec], nodes: usize) -> Self {
        let mut outgoing = vec![Vec::new(); nodes];
        for (index, link) in links.iter().enumerate() {
            outgoing[link.from].push(index as u32);
        }
        Self { links, outgoing }
    }

    /// Breadth first from `from`.
    pub(crate) fn path(&self, from: usize, to: usize) -> Result<Vec<u32>, Unreachable> {
        let mut came_by: Vec<Option<u32>> = vec![None; self.outgoing.len()];
        let mut queue = VecDeque::from([from]);
        while let Some(node) = queue.pop_front() {
            if node == to {
                break;
            }
            for &link in &self.outgoing[node] {
                let next = self.links[link as usize].to;
                if next != from && came_by[next].is_none() {
                    came_by[next] = Some(link);
                    queue.push_back(next);
                }
            }
        }
        let mut path = Vec::new();
        let mut node = to;
        while node != from {
            let link = came_by[node].ok_or(Unreachable { from, to })?;
            path.push(link);
            node = self.links[link as usize].from;
        }
        path.reverse();
        Ok(path)
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
            name: format!("{from}-{to}"),
            from,
            to,
            config: LinkConfig::new(Rate::from_bps(1), Duration::ZERO, queue),
        }
    }

    #[test]
    fn the_path_with_the_fewest_hops_wins_and_ties_go_to_the_first_link() {
        let links = [link(0, 1), link(1, 3), link(0, 2), link(2, 3), link(3, 4)];
        assert_eq!(shortest_path(&links, 5, 0, 4), Ok(vec![0, 1, 4]));
        assert_eq!(shortest_path(&links, 5, 2, 3), Ok(vec![3]));
    }

    #[test]
    fn a_one_way_link_does_not_lead_back() {
        let links = [link(0, 1)];
        let missing = Unreachable { from: 1, to: 0 };
        assert_eq!(shortest_path(&links, 2, 1, 0), Err(missing));
    }
}
