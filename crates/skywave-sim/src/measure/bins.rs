//! Delivered bytes in bins of equal length, from the start of the run.

use skywave_core::{Duration, Time};

/// One flow's bins.
#[derive(Clone, Debug)]
pub(crate) struct BinMeter {
    width: Duration,
    bytes: Vec<u64>,
}

impl BinMeter {
    /// Bins of `width` over a run that ends at `end`.
    pub(crate) fn new(width: Duration, end: Time) -> Self {
        let bins = end.as_nanos().div_ceil(width.as_nanos().max(1));
        Self {
            width,
            // More than fit the memory are not made fewer.
            bytes: vec![0; usize::try_from(bins).unwrap_or(usize::MAX)],
        }
    }

    /// Payload reached the application.
    pub(crate) fn add(&mut self, at: Time, bytes: u64) {
        let bin = at.as_nanos() / self.width.as_nanos().max(1);
        let bin = usize::try_from(bin).ok();
        if let Some(sum) = bin.and_then(|bin| self.bytes.get_mut(bin)) {
            *sum += bytes;
        }
    }

    pub(crate) fn into_bytes(self) -> Vec<u64> {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bin_holds_what_came_from_its_start_to_before_the_next_one() {
        let ms = |ms| Time::ZERO + Duration::from_millis(ms);
        let mut bins = BinMeter::new(Duration::from_millis(100), ms(250));
        for (at, bytes) in [(0, 1), (99, 2), (100, 4), (249, 8)] {
            bins.add(ms(at), bytes);
        }
        // The run's end is no bin's.
        bins.add(ms(300), 16);
        assert_eq!(bins.into_bytes(), [3, 4, 8]);
    }
}
