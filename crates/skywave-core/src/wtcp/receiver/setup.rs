//! The receiver's end of connection set-up: how far apart the two packets of a pair arrive is how
//! long the narrowest link takes for one.

use crate::time::Time;

use crate::wtcp::config::Config;
use crate::wtcp::packet::Micros;

/// The pairs seen so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PacketPair {
    /// The first packet of a pair whose second is not there yet.
    first: Option<(u64, Time)>,
    /// Pairs known to have lost a packet.
    broken: u8,
}

impl PacketPair {
    /// A packet of a pair arrived: the separation to start with, once that is known.
    pub(super) fn on_open(&mut self, now: Time, ctrl_seq: u64, config: &Config) -> Option<Micros> {
        let is_second = ctrl_seq % 2 == 1;
        match self.first {
            Some((first, at)) if is_second && ctrl_seq == first + 1 => {
                let measured = Micros::from_duration(now.since(at));
                return Some(config.bounded(measured));
            }
            Some((first, _)) if ctrl_seq == first => return None, // a copy
            Some(_) => self.broken = self.broken.saturating_add(1),
            None if is_second => self.broken = self.broken.saturating_add(1),
            None => {}
        }
        self.first = (!is_second).then_some((ctrl_seq, now));
        (self.broken >= config.setup.broken_pairs).then(|| config.bounded(config.setup.separation))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Duration;

    fn ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    fn run(arrivals: &[(u64, u64)]) -> Vec<Option<u32>> {
        let mut pair = PacketPair::default();
        let config = Config::default();
        let mut on_open = |&(at, ctrl_seq)| pair.on_open(ms(at), ctrl_seq, &config);
        arrivals.iter().map(|a| on_open(a).map(|m| m.0)).collect()
    }

    #[test]
    fn a_pair_measures_its_separation() {
        assert_eq!(run(&[(0, 0), (80, 1)]), [None, Some(80_000)]);
        assert_eq!(run(&[(0, 4), (0, 4), (80, 5)]), [None, None, Some(80_000)]);
    }

    #[test]
    fn packets_of_different_pairs_measure_nothing() {
        assert_eq!(run(&[(0, 0), (80, 3), (90, 4), (95, 5)])[..3], [None; 3]);
        assert_eq!(run(&[(0, 1), (80, 0)]), [None, None], "the wrong way round");
    }

    #[test]
    fn the_measurement_is_bounded() {
        assert_eq!(run(&[(0, 0), (0, 1)]), [None, Some(10)]);
        assert_eq!(run(&[(0, 0), (60_000, 1)]), [None, Some(10_000_000)]);
    }

    #[test]
    fn a_path_that_carries_no_pairs_opens_without_a_measurement() {
        // Broken when the next pair's first packet is there.
        let firsts = [(0, 0), (3000, 2), (9000, 4), (21_000, 6)];
        assert_eq!(run(&firsts), [None, None, None, Some(1_000_000)]);
        let seconds = [(0, 1), (3000, 3), (9000, 5)];
        assert_eq!(run(&seconds), [None, None, Some(1_000_000)]);
    }
}
