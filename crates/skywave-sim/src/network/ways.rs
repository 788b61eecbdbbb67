//! Ways of fewest hops from one place to all others.

use std::collections::VecDeque;

/// First hop and length of a route of fewest hops from one place to another. A place is a station or a node: whatever
/// the caller of [`ways`] counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// Number of the place where the first hop ends, by the caller's count: the destination itself if it is one hop away.
    pub first: usize,
    /// Number of hops from the start to the destination.
    pub hops: usize,
}

/// Routes of fewest hops from place `from` to each place, by index; `None` for `from` itself and for places
/// that cannot be reached. `near` lists for each place its neighbours, one hop away; of equally short routes the
/// one found first, in the order of these lists, is taken.
pub fn ways(from: usize, near: &[Vec<usize>]) -> Vec<Option<Way>> {
    let mut found: Vec<Option<Way>> = vec![None; near.len()];
    let mut queue = VecDeque::from([from]);
    while let Some(at) = queue.pop_front() {
        for &to in &near[at] {
            if to != from && found[to].is_none() {
                found[to] = Some(found[at].map_or(Way { first: to, hops: 1 }, |way| Way {
                    hops: way.hops + 1,
                    ..way
                }));
                queue.push_back(to);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_way_is_found_and_of_equal_ones_the_first() {
        // 0 - 2 - 3, 0 - 1 - 3 - 4; 5 alone.
        let near = [
            vec![2, 1],
            vec![0, 3],
            vec![0, 3],
            vec![1, 2, 4],
            vec![3],
            vec![],
        ];
        let ways = ways(0, &near);
        let way = |first, hops| Some(Way { first, hops });
        assert_eq!(
            ways,
            [None, way(1, 1), way(2, 1), way(2, 2), way(2, 3), None]
        );
    }
}
