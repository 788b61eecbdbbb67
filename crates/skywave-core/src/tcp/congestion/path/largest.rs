//! The largest value of the last few rounds, of whatever a law counts: round trips, cycles.

/// The largest of each of the last `PLACES` rounds, all of them kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Largest<T, const PLACES: usize> {
    /// Largest value of each round, at the round's number modulo `PLACES`.
    kept: [T; PLACES],
    nothing: T,
    last: u64,
    best: T,
}

impl<T: Copy + PartialOrd, const PLACES: usize> Largest<T, PLACES> {
    /// Before anything was seen it is `nothing`, below which no value lies.
    pub(crate) const fn new(nothing: T) -> Self {
        Self {
            kept: [nothing; PLACES],
            nothing,
            last: 0,
            best: nothing,
        }
    }

    fn place(round: u64) -> usize {
        (round % PLACES as u64) as usize
    }

    /// A value was seen in this round. Values grow too old only here: one that is not replaced goes on
    /// counting.
    pub(crate) fn update(&mut self, round: u64, value: T) {
        let passed = round.saturating_sub(self.last).min(PLACES as u64);
        for age in 0..passed {
            self.kept[Self::place(round - age)] = self.nothing;
        }
        self.last = round;
        let kept = &mut self.kept[Self::place(round)];
        *kept = larger(value, *kept);
        self.best = if passed == 0 {
            larger(value, self.best)
        } else {
            self.kept.into_iter().fold(self.nothing, larger)
        };
    }

    /// The largest one.
    pub(crate) fn get(&self) -> T {
        self.best
    }

    /// The largest one of the last `rounds` rounds, up to that of the last value.
    pub(crate) fn of_last(&self, rounds: usize) -> T {
        let ages = (0..rounds.min(PLACES) as u64).take_while(|age| *age <= self.last);
        ages.fold(self.nothing, |best, age| {
            larger(self.kept[Self::place(self.last - age)], best)
        })
    }
}

fn larger<T: PartialOrd>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_counts_for_its_round_and_those_after_it() {
        let mut largest = Largest::<u32, 3>::new(0);
        assert_eq!(largest.get(), 0);
        largest.update(0, 5);
        largest.update(0, 4);
        largest.update(1, 3);
        largest.update(2, 1);
        assert_eq!((largest.get(), largest.of_last(2)), (5, 3));
        largest.update(3, 1);
        assert_eq!((largest.get(), largest.of_last(1)), (3, 1));
        largest.update(100, 2);
        assert_eq!(largest.get(), 2);
    }
}
