use super::*;

fn ms(t: u64) -> Time {
    Time::ZERO + Duration::from_millis(t)
}

/// A connection of one round trip after the other: `acked` segments in `took` ms, over a contention of as many ms.
struct Rounds {
    limit: ContentionLimit,
    now: u64,
    una: u64,
}

impl Rounds {
    fn new(initial: f64) -> Self {
        let mut rounds = Self {
            limit: ContentionLimit::new(Segments(initial)),
            now: 0,
            una: 0,
        };
        // The ACK that begins the first round.
        rounds.ack(1, 1, 1, 1000.0);
        rounds
    }

    fn ack(&mut self, acked: u64, nxt: u64, contention: u64, rwnd: f64) {
        self.una += acked;
        let contention = Duration::from_millis(contention);
        self.limit.on_ack(&Heard {
            now: ms(self.now),
            acked: Segments(acked as f64),
            una: self.una,
            nxt: self.una + nxt,
            contention: ContentionDelay::from_duration(contention),
            rwnd: Segments(rwnd),
        });
    }

    /// The limit and the stage after a round of one ACK.
    fn round(&mut self, acked: u64, took: u64, contention: u64) -> (f64, Stage) {
        self.now += took;
        self.ack(acked, 1, contention, 1000.0);
        (self.limit.limit.0, self.limit.stage)
    }
}

#[test]
fn it_begins_by_doubling() {
    let mut rounds = Rounds::new(2.0);
    assert_eq!(rounds.limit.limit.0, 3.0);
    assert_eq!(rounds.round(3, 100, 5), (6.0, Stage::FastProbe));
    assert_eq!(rounds.round(6, 100, 5), (12.0, Stage::FastProbe));
    // Less contention does not end it.
    assert_eq!(rounds.round(12, 100, 4), (24.0, Stage::FastProbe));
}

/// The four lines of the table, from a round of 10 segments in 100 ms and a contention of 5 ms on.
#[test]
fn both_numbers_decide() {
    let after = |acked, took, contention| {
        let mut rounds = Rounds::new(9.0);
        rounds.round(10, 100, 5);
        rounds.limit.stage = Stage::SlowProbe;
        rounds.round(acked, took, contention)
    };
    assert_eq!(after(8, 100, 4), (21.0, Stage::SlowProbe), "both fall");
    assert_eq!(after(12, 100, 6), (19.0, Stage::Light), "both rise");
    assert_eq!(after(8, 100, 6), (2.0, Stage::Severe));
    assert_eq!(
        after(12, 100, 4),
        (21.0, Stage::SlowProbe),
        "open in the text"
    );
    assert_eq!(after(10, 100, 6), (19.0, Stage::Light), "as much as before");
    assert_eq!(
        after(10, 100, 5),
        (21.0, Stage::SlowProbe),
        "nothing changes"
    );
    // It is a rate: more segments in a longer time may be less.
    assert_eq!(after(12, 200, 6), (2.0, Stage::Severe));
}

#[test]
fn more_contention_ends_the_fast_probe() {
    let mut rounds = Rounds::new(2.0);
    rounds.round(3, 100, 5);
    // What this ACK acknowledges is added before its round is judged.
    assert_eq!(rounds.round(6, 100, 6), (11.0, Stage::Light));
    assert_eq!(
        rounds.round(6, 100, 6),
        (12.0, Stage::SlowProbe),
        "for good"
    );
}

#[test]
fn it_is_judged_once_a_round_trip() {
    let mut rounds = Rounds::new(9.0);
    rounds.round(10, 100, 5);
    rounds.limit.stage = Stage::SlowProbe;
    // Ten segments are sent when the next round begins; it ends with the ACK of the last of them.
    rounds.now += 10;
    rounds.ack(1, 10, 5, 1000.0);
    let before = rounds.limit.limit;
    for _ in 0..9 {
        rounds.now += 10;
        rounds.ack(1, 10, 5, 1000.0);
        assert_eq!(rounds.limit.limit, before);
    }
    rounds.now += 10;
    rounds.ack(1, 10, 5, 1000.0);
    assert_eq!(rounds.limit.limit, before + Segments::ONE);
}

/// The contention of a round is the mean over its ACKs.
#[test]
fn contention_is_a_mean() {
    let mut rounds = Rounds::new(9.0);
    rounds.round(10, 100, 5);
    rounds.limit.stage = Stage::SlowProbe;
    rounds.ack(1, 2, 5, 1000.0);
    let limit = rounds.limit.limit.0;
    rounds.now += 50;
    rounds.ack(1, 2, 1, 1000.0);
    rounds.now += 50;
    rounds.ack(1, 2, 8, 1000.0);
    // 4.5 ms: less than before.
    assert_eq!(rounds.limit.stage, Stage::SlowProbe);
    assert_eq!(rounds.limit.limit.0, limit + 1.0);
}

#[test]
fn it_stays_between_two_segments_and_the_receivers_window() {
    let mut rounds = Rounds::new(1.0);
    for contention in 1..60 {
        let (limit, _) = rounds.round(10 + contention, 100, contention);
        assert!(limit >= 2.0, "{limit}");
    }
    assert_eq!(rounds.limit.limit.0, 2.0);
    let mut rounds = Rounds::new(4.0);
    for _ in 0..10 {
        rounds.now += 100;
        rounds.ack(20, 1, 1, 30.0);
    }
    assert_eq!(rounds.limit.limit.0, 30.0);
}

#[test]
fn a_path_without_stations_is_never_limited() {
    let mut rounds = Rounds::new(10.0);
    for _ in 0..7 {
        rounds.round(10, 100, 0);
    }
    assert_eq!(rounds.limit.stage, Stage::FastProbe);
}
