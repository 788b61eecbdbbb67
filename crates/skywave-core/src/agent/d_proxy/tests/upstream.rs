use super::*;

struct Script(Upstream);

/// What the agent answers: segments, and holes that it refuses.
#[derive(Debug, PartialEq)]
enum Told {
    Again(u64),
    Refused(u64, u64),
}
use Told::{Again, Refused};

impl Script {
    /// Segments `1..=last` have passed.
    fn after(config: UpstreamConfig, last: u64) -> Self {
        let mut script = Self(Upstream::new(config));
        script.pass(1..=last);
        script
    }

    fn pass(&mut self, segments: impl IntoIterator<Item = u64>) {
        for n in segments {
            self.0.on_data(&packet(data(n)), &data(n));
            assert_eq!(self.0.poll_transmit(), None, "data ask for nothing");
        }
    }

    #[track_caller]
    fn answers(&mut self, asked: (u64, u64), expected: &[Told]) {
        self.0.on_nack(hole(asked));
        let told = std::iter::from_fn(|| self.0.poll_transmit()).map(|answer| match answer {
            Answer::Again(packet) => Again(carried(&packet)),
            Answer::Refused(hole) => Refused(number(hole.start), number(hole.end)),
        });
        assert_eq!(told.collect::<Vec<_>>(), expected);
    }
}

#[test]
fn it_sends_again_exactly_what_it_is_asked_for() {
    let mut script = Script::after(UpstreamConfig::default(), 6);
    script.answers((3, 4), &[Again(3)]);
    script.answers((2, 5), &[Again(2), Again(3), Again(4)]);
    script.answers((3, 4), &[Again(3)]); // as often as it is asked
}

#[test]
fn it_says_what_it_does_not_have() {
    let mut script = Script::after(UpstreamConfig::default(), 2);
    // Segments 3 and 4 were lost before they came here.
    script.pass([5, 6]);
    script.answers((3, 5), &[Refused(3, 5)]);
    script.answers((2, 6), &[Again(2), Refused(3, 5), Again(5)]);
    script.answers((6, 8), &[Again(6), Refused(7, 8)]);
    // Before anything has passed it cannot know what is meant.
    let mut nothing = Script::after(UpstreamConfig::default(), 0);
    nothing.answers((1, 2), &[]);
}

#[test]
fn it_forgets_what_is_acknowledged() {
    let mut script = Script::after(UpstreamConfig::default(), 4);
    script.0.on_ack(&ack(3));
    assert_eq!(script.0.cached_bytes(), 2 * SIZE);
    script.answers((2, 4), &[Refused(2, 3), Again(3)]);
    // A copy of what is acknowledged, and an old ACK.
    script.pass([1]);
    script.0.on_ack(&ack(2));
    assert_eq!(script.0.cached_bytes(), 2 * SIZE);
    // A segment without ACK says nothing.
    let silent = Segment {
        flags: Flags::empty(),
        ..ack(5)
    };
    script.0.on_ack(&silent);
    assert_eq!(script.0.cached_bytes(), 2 * SIZE);
}

#[test]
fn it_keeps_no_more_than_its_cache_and_the_newest() {
    let cache = 3 * SIZE + 1;
    let config = UpstreamConfig {
        cache,
        ..UpstreamConfig::default()
    };
    let mut script = Script::after(config, 5);
    assert_eq!(script.0.cached_bytes(), 3 * SIZE);
    script.answers((1, 6), &[Refused(1, 3), Again(3), Again(4), Again(5)]);
    // None at all.
    let config = UpstreamConfig { cache: 0, ..config };
    let mut script = Script::after(config, 5);
    assert_eq!(script.0.cached_bytes(), 0);
    script.answers((5, 6), &[Refused(5, 6)]);
}

#[test]
fn a_segment_that_is_sent_again_is_kept_once_however_it_is_cut() {
    let mut script = Script::after(UpstreamConfig::default(), 4);
    script.pass([3]);
    assert_eq!(script.0.cached_bytes(), 4 * SIZE);
    let two = Segment {
        len: 2 * MSS,
        ..data(2)
    };
    script.0.on_data(&packet(two), &two);
    assert_eq!(script.0.cached_bytes(), 4 * SIZE - 40);
    script.answers((2, 5), &[Again(2), Again(4)]);
    script.answers((3, 4), &[Again(2)]); // a part of it
}

#[test]
fn what_its_queue_drops_is_the_senders_to_repair_if_it_is_part_of_the_queue() {
    let in_queue = UpstreamConfig {
        in_queue: true,
        ..UpstreamConfig::default()
    };
    for (config, expected) in [
        (in_queue, Refused(2, 3)),
        (UpstreamConfig::default(), Again(2)),
    ] {
        let mut script = Script::after(config, 3);
        script.0.on_drop(&data(2));
        script.answers((2, 3), &[expected]);
    }
}
