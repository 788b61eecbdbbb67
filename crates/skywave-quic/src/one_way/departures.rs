//! When datagrams left.

use std::time::{Duration, Instant};

use super::{SOONEST, Tag};

/// Datagrams that are remembered at most.
const SLOTS: usize = 2048;
/// After this time nobody reports a datagram any more.
const KEPT: Duration = Duration::from_secs(8);

/// Datagrams of so long a time decide which ones are noted in the next: all if they were no more than this, and
/// otherwise about as many. The peer tells of [`MOST_TOLD`](super::MOST_TOLD) at most.
const COUNTED_FOR: Duration = SOONEST;
const NOTED: u32 = 128;

/// Departure times of an endpoint's datagrams by [`Tag`], to match the peer's reports: of 2048 datagrams at most, each
/// for 8 s. After 256 datagrams or more in some 10 ms, only a sample of the next ones is noted, some 128 to 256, chosen
/// by the tags' levels: a tag's level is the number of zero bits at its end, so that half of all tags have a level of 1
/// or higher, a quarter 2 or higher. Where two tags share a place in memory, the older one stays only if its level is
/// higher.
#[derive(Debug, Default)]
pub struct Departures {
    /// Empty until the first one is noted.
    slots: Vec<Option<(Tag, Instant)>>,
    /// Only datagrams of this level are noted.
    level: u32,
    /// Datagrams since then.
    counted: Option<(Instant, u32)>,
}

impl Departures {
    /// Notes that the datagram with this tag left at `now`.
    pub fn note(&mut self, tag: Tag, now: Instant) {
        let (since, count) = self.counted.get_or_insert((now, 0));
        *count += 1;
        if now.saturating_duration_since(*since) > COUNTED_FOR {
            self.level = (*count / NOTED).checked_ilog2().unwrap_or(0);
            self.counted = Some((now, 0));
        }
        if tag.level() < self.level {
            return;
        }
        if self.slots.is_empty() {
            self.slots = vec![None; SLOTS];
        }
        let slot = &mut self.slots[Self::place(tag)];
        match slot {
            Some((other, at))
                if other.level() > tag.level() && now.saturating_duration_since(*at) < KEPT => {}
            _ => *slot = Some((tag, now)),
        }
    }

    /// Takes out the departure time of the datagram with this tag, which a report has named; `None` if it was not
    /// noted, was taken out before, lost its place to a later one, or is 8 s or more before `now`.
    pub fn take(&mut self, tag: Tag, now: Instant) -> Option<Instant> {
        let slot = self.slots.get_mut(Self::place(tag))?;
        let (_, at) = slot.take_if(|(noted, _)| *noted == tag)?;
        (now.saturating_duration_since(at) < KEPT).then_some(at)
    }

    fn place(tag: Tag) -> usize {
        // Of the upper bits, as the lower ones decide the level.
        (tag.0 >> 24) as usize % SLOTS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_datagram_is_found_once_and_not_for_ever() {
        let start = Instant::now();
        let mut departures = Departures::default();
        departures.note(Tag(5), start);
        assert_eq!(departures.take(Tag(6), start), None);
        assert_eq!(departures.take(Tag(5), start), Some(start));
        assert_eq!(departures.take(Tag(5), start), None);
        departures.note(Tag(5), start);
        assert_eq!(departures.take(Tag(5), start + KEPT), None);
    }

    #[test]
    fn of_many_a_sample_is_noted_whose_size_follows() {
        let start = Instant::now();
        let mut departures = Departures::default();
        let mut next = 0_u64;
        // Levels of those that were noted, and how many of such levels there were.
        let mut noted = |ms: u64, count: usize| {
            let now = start + Duration::from_millis(ms);
            let mut tag = || {
                next += 1;
                // As even as those of ciphers.
                Tag(next.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 24)
            };
            let tags: Vec<Tag> = (0..count).map(|_| tag()).collect();
            for tag in &tags {
                departures.note(*tag, now);
            }
            let found = tags
                .iter()
                .filter(|tag| departures.take(**tag, now).is_some());
            let levels: Vec<u32> = found.map(|tag| tag.level()).collect();
            let least = levels.iter().copied().min().unwrap_or(0);
            let such = tags.iter().filter(|tag| tag.level() >= least).count();
            (least, levels.len(), such)
        };
        let (least, found, _) = noted(0, 1100);
        assert!(
            least == 0 && found > 800,
            "nothing is known of the rate: {found}"
        );
        // Eight times as many as are to be noted: of every eighth.
        let (least, found, such) = noted(11, 1100);
        assert!(
            least == 3 && found * 10 > such * 9,
            "{least}, {found} of {such}"
        );
        noted(22, 10);
        assert_eq!(noted(33, 10), (0, 10, 10), "few again");
    }

    #[test]
    fn the_one_in_more_samples_keeps_the_place_as_long_as_it_may_be_told() {
        let start = Instant::now();
        let mut departures = Departures::default();
        departures.note(Tag(16), start);
        departures.note(Tag(8), start + KEPT / 2);
        assert_eq!(departures.take(Tag(8), start + KEPT / 2), None);
        departures.note(Tag(48), start + KEPT / 2);
        assert_eq!(
            departures.take(Tag(16), start + KEPT / 2),
            None,
            "48 is as good"
        );
        departures.note(Tag(1), start + 2 * KEPT);
        assert!(departures.take(Tag(1), start + 2 * KEPT).is_some());
    }
}
