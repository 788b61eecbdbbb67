//! The largest value of late, where it need not be known of which round exactly.

/// The largest value of the last `HALF` to twice as many rounds, of whatever a law counts, in two places:
/// when a half is full, the one before it is forgotten. Cheaper for an ACK than [`Largest`](super::Largest),
/// which forgets round by round.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OfLate<T, const HALF: u32> {
    present: T,
    before: T,
    /// Rounds of the present half.
    rounds: u32,
}

impl<T: Copy + Default + PartialOrd, const HALF: u32> OfLate<T, HALF> {
    /// A round is over.
    pub(crate) fn on_round(&mut self) {
        self.rounds += 1;
        if self.rounds >= HALF {
            *self = Self {
                before: self.present,
                ..Self::default()
            };
        }
    }

    /// A value was seen.
    pub(crate) fn note(&mut self, value: T) {
        if value > self.present {
            self.present = value;
        }
    }

    /// The largest one; the default of its type if none was larger.
    pub(crate) fn get(&self) -> T {
        if self.before > self.present {
            self.before
        } else {
            self.present
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_counts_for_one_to_two_halves() {
        let mut late = OfLate::<u32, 2>::default();
        assert_eq!(late.get(), 0);
        late.on_round();
        late.note(5);
        late.note(4);
        late.on_round();
        late.note(1);
        assert_eq!(late.get(), 5, "the half before");
        late.on_round();
        assert_eq!(late.get(), 5);
        late.on_round();
        assert_eq!(late.get(), 1, "forgotten");
    }
}
