//! The longest of many queues, found without a look at each.

/// Queues in a group: the square root of the usual number of queues.
const GROUP: usize = 32;

/// For each group of queues a length in bytes that none of them exceeds. It is lowered to their maximum only
/// when somebody asks for the longest queue: most queues become shorter before that.
#[derive(Clone, Debug)]
pub(super) struct Longest {
    bounds: Vec<u64>,
}

impl Longest {
    /// Bounds for this number of queues, all of them empty.
    pub(super) fn new(queues: usize) -> Self {
        Self {
            bounds: vec![0; queues.div_ceil(GROUP)],
        }
    }

    /// A queue has become longer, and has this length now.
    #[inline]
    pub(super) fn raise(&mut self, queue: usize, bytes: u64) {
        let bound = &mut self.bounds[queue / GROUP];
        *bound = bytes.max(*bound);
    }

    /// The longest of `queues`, whose lengths `bytes` tells; of several, the one with the highest number.
    pub(super) fn find<Q>(&mut self, queues: &[Q], bytes: impl Fn(&Q) -> u64) -> usize {
        loop {
            let (group, bound) = last_of_the_most(self.bounds.iter().copied());
            let first = group * GROUP;
            let (place, longest) = last_of_the_most(queues[first..].iter().take(GROUP).map(&bytes));
            if longest == bound {
                return first + place;
            }
            self.bounds[group] = longest;
        }
    }
}

/// The place and the value of the largest of some lengths, the last of several; zeros if there is none.
fn last_of_the_most(lengths: impl Iterator<Item = u64>) -> (usize, u64) {
    let numbered = lengths.enumerate();
    numbered.max_by_key(|&(_, length)| length).unwrap_or((0, 0))
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
                if bytes > lengths[queue] {
                    longest.raise(queue, bytes);
                }
                lengths[queue] = bytes;
                if asks {
                    let expected = (0..queues).max_by_key(|&queue| lengths[queue]);
                    prop_assert_eq!(Some(longest.find(&lengths, |&bytes| bytes)), expected);
                }
            }
        }
    }
}
