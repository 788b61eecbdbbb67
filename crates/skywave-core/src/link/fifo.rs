//! A queue of small values.

/// Places of a queue that holds anything.
const FEWEST: usize = 8;

/// First in, first out. Unlike a `VecDeque` its places are a power of two, so that finding one takes a
/// mask.
#[derive(Clone, Debug)]
pub(super) struct Fifo<T> {
    places: Box<[T]>,
    /// Place of the first value, but for the mask.
    first: u32,
    len: u32,
}

impl<T: Copy + Default> Fifo<T> {
    pub(super) fn new() -> Self {
        Self {
            places: Box::default(),
            first: 0,
            len: 0,
        }
    }

    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.len as usize
    }

    #[inline(always)]
    pub(super) fn front(&self) -> Option<&T> {
        (self.len > 0).then(|| self.get(0))
    }

    #[inline(always)]
    pub(super) fn push_back(&mut self, value: T) {
        if self.len() == self.places.len() {
            self.grow();
        }
        let place = self.place(self.len);
        self.places[place] = value;
        self.len += 1;
    }

    /// Takes out the first value; there must be one.
    #[inline(always)]
    pub(super) fn drop_front(&mut self) {
        debug_assert!(self.len > 0);
        self.first = self.first.wrapping_add(1);
        self.len -= 1;
    }

    /// Empties it. The next value comes to the first place again, which is in the cache if any is.
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        (self.first, self.len) = (0, 0);
    }

    /// All values, the first one first.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        (0..self.len).map(|n| self.get(n))
    }

    #[inline(always)]
    fn get(&self, n: u32) -> &T {
        &self.places[self.place(n)]
    }

    /// Where value number `n` lies.
    #[inline(always)]
    fn place(&self, n: u32) -> usize {
        self.first.wrapping_add(n) as usize & self.places.len().wrapping_sub(1)
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let more = (2 * self.places.len()).max(FEWEST);
        let mut places: Vec<T> = self.iter().copied().collect();
        places.resize(more, T::default());
        self.places = places.into();
        self.first = 0;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Push(u8),
        Pop,
        Clear,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            6 => any::<u8>().prop_map(Step::Push),
            5 => Just(Step::Pop),
            1 => Just(Step::Clear),
        ]
    }

    proptest! {
        #[test]
        fn it_is_a_deque(steps in prop::collection::vec(step(), 0..200)) {
            let (mut fifo, mut deque) = (Fifo::new(), VecDeque::new());
            for step in steps {
                match step {
                    Step::Push(value) => {
                        fifo.push_back(value);
                        deque.push_back(value);
                    }
                    Step::Pop => {
                        if deque.pop_front().is_some() {
                            fifo.drop_front();
                        }
                    }
                    Step::Clear => {
                        fifo.clear();
                        deque.clear();
                    }
                }
                prop_assert_eq!(fifo.len(), deque.len());
                prop_assert_eq!(fifo.front(), deque.front());
                prop_assert!(fifo.iter().eq(&deque));
            }
        }
    }

    #[test]
    fn places_are_found_when_the_count_of_all_values_wraps() {
        let mut fifo = Fifo::new();
        fifo.push_back(0);
        fifo.clear();
        fifo.first = u32::MAX - 1;
        for value in 0..8 {
            fifo.push_back(value);
        }
        assert!(fifo.iter().eq(&[0, 1, 2, 3, 4, 5, 6, 7]));
        fifo.push_back(8);
        assert!(fifo.iter().eq(&[0, 1, 2, 3, 4, 5, 6, 7, 8]));
    }
}
