//! Each sealed packet counts once (the window of RFC 6479).

const WORD: u64 = u64::BITS as u64;
const WORDS: u64 = 32;
/// Packets that are overtaken by fewer later ones still count: over one second at the
/// largest rates that WTCP is set for here.
const WINDOW: u64 = WORD * (WORDS - 1);

/// Which numbers have been seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReplayWindow {
    /// One above the highest seen.
    next: u64,
    /// A bit a number, modulo the length.
    seen: [u64; WORDS as usize],
}

impl ReplayWindow {
    /// Whether a packet of this number may be looked at: new, and not too old to tell.
    pub(crate) fn is_new(&self, counter: u64) -> bool {
        if counter >= self.next {
            return counter < u64::MAX;
        }
        self.next - counter <= WINDOW && self.seen[word(counter)] & bit(counter) == 0
    }

    /// No packet sent later has been seen.
    pub(crate) fn is_latest(&self, counter: u64) -> bool {
        counter.checked_add(1) == Some(self.next)
    }

    /// A packet of this number was found to be the peer's.
    pub(crate) fn accept(&mut self, counter: u64) {
        if counter >= self.next {
            let first = self.next.div_ceil(WORD);
            let last = counter / WORD;
            // Words that are entered anew; not more than there are.
            for index in first.max((last + 1).saturating_sub(WORDS))..=last {
                self.seen[(index % WORDS) as usize] = 0;
            }
            self.next = counter + 1;
        }
        self.seen[word(counter)] |= bit(counter);
    }
}

fn word(counter: u64) -> usize {
    (counter / WORD % WORDS) as usize
}

fn bit(counter: u64) -> u64 {
    1 << (counter % WORD)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_number_is_new_once_and_only_while_it_can_be_told(
            steps in prop::collection::vec((0..9_u8, 0..5000_u64), 1..300),
        ) {
            let mut window = ReplayWindow::default();
            let (mut seen, mut next) = (BTreeSet::new(), 0_u64);
            for (kind, by) in steps {
                let counter = if kind < 6 { next + by % 70 } else { next.saturating_sub(by) };
                let told = counter >= next || next - counter <= WINDOW;
                prop_assert_eq!(window.is_new(counter), told && !seen.contains(&counter));
                if window.is_new(counter) {
                    window.accept(counter);
                    seen.insert(counter);
                    next = next.max(counter + 1);
                }
            }
        }
    }

    #[test]
    fn the_last_number_of_all_is_never_new() {
        let mut window = ReplayWindow::default();
        assert!(!window.is_new(u64::MAX));
        assert!(window.is_new(u64::MAX - 1));
        window.accept(u64::MAX - 1);
        assert!(!window.is_new(u64::MAX - 1));
        assert!(window.is_new(u64::MAX - 2));
        assert!(!window.is_new(5));
    }
}
