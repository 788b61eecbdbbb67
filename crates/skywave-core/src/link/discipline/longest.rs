//! The longest of many queues, found without a look at each.

/// Queues in a group: the square root of the usual number of queues.
const GROUP: usize = 32;

/// Lengths of queues in bytes, and for each group of them a length that none exceeds. It is the maximum as long
/// as no queue becomes shorter: most do so before anybody asks for the longest.
#[derive(Clone, Debug)]
pub(super) struct Longest {
    lengths: Vec<u64>,
    groups: Vec<u64>,
}

impl Longest {
    /// A record of this number of queues, all of them empty.
    pub(super) fn new(queues: usize) -> Self {
        Self {
            lengths: vec![0; queues],
            groups: vec![0; queues.div_ceil(GROUP)],
        }
    }

    /// A queue has this length now.
    #[inline]
    pub(super) fn set(&mut self, queue: usize, bytes: u64) {
        self.lengths[queue] = bytes;
        let group = &mut self.groups[queue / GROUP];
        *group = bytes.max(*group);
    }

    /// The longest queue; of several, the one with the highest number.
    pub(super) fn find(&mut self) -> usize {
        loop {
            let mut most = (0, 0);
            for (number, &group) in self.groups.iter().enumerate() {
                if group >= most.1 {
                    most = (number, group);
                }
            }
            let first = most.0 * GROUP;
            let queues = self.lengths[first..].iter().take(GROUP);
            let longest = queues.clone().copied().max().unwrap_or(0);
            if longest == most.1 {
                let place = queues.clone().rposition(|&bytes| bytes == longest);
                return first + place.unwrap_or(0);
            }
            self.groups[most.0] = longest;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_the_last_of_the_longest(
            queues in 1usize..100,
            changes in prop::collection::vec((0usize..100, 0u64..6, any::<bool>()), 0..300),
        ) {
            let mut longest = Longest::new(queues);
            let mut lengths = vec![0; queues];
            for (queue, bytes, asks) in changes {
                let queue = queue % queues;
                longest.set(queue, bytes);
                lengths[queue] = bytes;
                if asks {
                    let expected = (0..queues).max_by_key(|&queue| lengths[queue]);
                    prop_assert_eq!(Some(longest.find()), expected);
                }
            }
        }
    }
}
