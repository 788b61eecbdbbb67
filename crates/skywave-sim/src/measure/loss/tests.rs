//! Tests of the ledger of losses.

use proptest::prelude::*;

use super::*;

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

fn ledger() -> LossLedger {
    LossLedger::new((Time::ZERO, at(1000)), true)
}

/// The counts, each cell that is not zero.
fn cells(ledger: &mut LossLedger, una: u64) -> (Vec<(LossCause, Found, u64)>, u64) {
    let mut outcome = FlowOutcome::default();
    ledger.finish(una, &mut outcome);
    let (table, spurious) = (outcome.losses, outcome.spurious_retransmits);
    let mut cells = Vec::new();
    for cause in LossCause::ALL {
        for found in Found::ALL {
            match table.count(cause, found) {
                0 => {}
                n => cells.push((cause, found, n)),
            }
        }
    }
    (cells, spurious)
}

#[test]
fn what_happened_is_kept_beside_the_end_of_the_segment() {
    let lost = LossCause::ALL.map(What::Lost);
    let resent = Found::ALL.map(What::Resent);
    let both = lost.into_iter().chain(resent);
    for what in both.chain([What::FirstSent, What::Arrived]) {
        for end in [0, 1, (1 << 59) - 1] {
            let entry = Entry::new(at(10), end, what);
            assert_eq!((entry.end(), entry.what()), (end, what));
        }
    }
}

#[test]
fn a_loss_is_found_by_what_sends_it_again() {
    let mut l = ledger();
    l.lost(at(10), 100, LossCause::Queue);
    l.lost(at(11), 200, LossCause::Channel);
    l.resent(at(50), 100, Found::Dupacks);
    l.resent(at(90), 200, Found::PartialAck);
    l.acknowledged(at(95), 300);
    let expected = vec![
        (LossCause::Queue, Found::Dupacks, 1),
        (LossCause::Channel, Found::PartialAck, 1),
    ];
    assert_eq!(cells(&mut l, 300), (expected, 0));
}

#[test]
fn an_agent_finds_a_loss_first_and_what_the_sender_sends_after_it_is_needless() {
    let mut l = ledger();
    l.resent(at(300), 100, Found::Timeout);
    // The agent decides about an earlier moment later.
    l.resent(at(50), 100, Found::Agent);
    l.lost(at(10), 100, LossCause::Channel);
    // A needless retransmission by an agent does not count as the sender's.
    l.resent(at(60), 200, Found::Agent);
    let expected = vec![(LossCause::Channel, Found::Agent, 1)];
    assert_eq!(cells(&mut l, 300), (expected, 1));
}

#[test]
fn a_retransmission_that_is_lost_again_is_a_loss_of_its_own() {
    let mut l = ledger();
    l.lost(at(10), 100, LossCause::Queue);
    l.resent(at(50), 100, Found::Dupacks);
    l.lost(at(60), 100, LossCause::Blackout);
    l.resent(at(500), 100, Found::Timeout);
    let expected = vec![
        (LossCause::Queue, Found::Dupacks, 1),
        (LossCause::Blackout, Found::Timeout, 1),
    ];
    assert_eq!(cells(&mut l, 100), (expected, 0));
}

#[test]
fn what_nobody_found_is_unnoticed_if_it_arrived_and_open_if_not() {
    let mut l = ledger();
    l.lost(at(10), 100, LossCause::Corruption);
    l.lost(at(10), 200, LossCause::Early);
    l.lost(at(10), 300, LossCause::Early);
    l.resent(at(20), 200, Found::Unnoticed);
    let expected = vec![
        (LossCause::Early, Found::Unnoticed, 1),
        (LossCause::Early, Found::Open, 1),
        (LossCause::Corruption, Found::Unnoticed, 1),
    ];
    assert_eq!(cells(&mut l, 250), (expected, 0));
}

#[test]
fn sent_again_before_anything_is_lost_is_spurious() {
    let mut l = ledger();
    // The first copy is on its way to a full queue when the timer expires.
    l.lost(at(60), 100, LossCause::Queue);
    l.resent(at(50), 100, Found::Timeout);
    let expected = vec![(LossCause::Queue, Found::Unnoticed, 1)];
    assert_eq!(cells(&mut l, 100), (expected, 1));
}

#[test]
fn the_order_in_which_links_and_sender_tell_does_not_matter() {
    let mut l = ledger();
    l.resent(at(50), 100, Found::Timeout);
    l.resent(at(150), 100, Found::Timeout);
    l.lost(at(90), 100, LossCause::Queue);
    l.lost(at(40), 100, LossCause::Channel);
    l.acknowledged(at(200), 100);
    let expected = vec![
        (LossCause::Queue, Found::Timeout, 1),
        (LossCause::Channel, Found::Timeout, 1),
    ];
    assert_eq!(cells(&mut l, 100), (expected, 0));
}

#[test]
fn losses_count_by_the_time_of_the_loss() {
    let mut l = LossLedger::new((at(10), at(20)), false);
    for time in [9, 10, 19, 20] {
        l.lost(at(time), time, LossCause::Channel);
        l.resent(at(30), time, Found::Sack);
    }
    l.resent(at(15), 500, Found::Sack);
    l.resent(at(25), 600, Found::Sack);
    let expected = vec![(LossCause::Channel, Found::Sack, 2)];
    assert_eq!(cells(&mut l, 500), (expected, 1));
}

#[test]
fn only_what_a_copy_may_still_be_on_its_way_of_is_kept() {
    let mut l = ledger();
    for end in [100, 200, 300] {
        l.lost(at(10), end, LossCause::Channel);
        l.resent(at(50), end, Found::Dupacks);
    }
    l.resent(at(60), 200, Found::Timeout);
    l.acknowledged(at(95), 300);
    let kept = |l: &LossLedger| l.open.first().iter().map(|e| e.end()).collect::<Vec<_>>();
    // Windows are counted in the order of the segments, so the last one must wait for the second.
    assert_eq!(kept(&l), [200, 200, 200, 300, 300]);
    l.acknowledged(at(95) + HOLD - Duration::from_nanos(1), 400);
    assert_eq!(kept(&l).len(), 5);
    l.acknowledged(at(95) + HOLD, 500);
    assert_eq!(kept(&l), []);
    let expected = vec![(LossCause::Channel, Found::Dupacks, 3)];
    assert_eq!(cells(&mut l, 500), (expected, 1));
}

/// Windows with several losses, and those of them with a timeout.
fn bursts(ledger: &mut LossLedger) -> (u64, u64) {
    let mut outcome = FlowOutcome::default();
    ledger.finish(u64::MAX, &mut outcome);
    (outcome.multi_loss_windows, outcome.multi_loss_timeouts)
}

#[test]
fn losses_before_the_first_is_found_are_of_one_window() {
    let two = |second: Found| {
        let mut l = ledger();
        l.lost(at(10), 100, LossCause::Channel);
        l.lost(at(15), 300, LossCause::Channel);
        l.resent(at(50), 100, Found::Dupacks);
        l.resent(at(400), 300, second);
        l
    };
    assert_eq!(bursts(&mut two(Found::Timeout)), (1, 1)); // as Reno
    assert_eq!(bursts(&mut two(Found::Unnoticed)), (1, 0)); // as Tahoe
}

#[test]
fn a_loss_after_the_first_was_found_begins_another_window() {
    let mut l = ledger();
    l.lost(at(10), 100, LossCause::Channel);
    l.resent(at(50), 100, Found::Dupacks);
    // The retransmission is lost too, and two segments of the next window.
    l.lost(at(60), 100, LossCause::Channel);
    l.resent(at(500), 100, Found::Timeout);
    l.lost(at(55), 700, LossCause::Channel);
    l.resent(at(90), 700, Found::Dupacks);
    l.lost(at(70), 900, LossCause::Channel);
    l.resent(at(95), 900, Found::PartialAck);
    assert_eq!(bursts(&mut l), (1, 0));
}

#[test]
fn one_loss_is_no_burst_and_windows_count_by_their_first_loss() {
    let mut l = LossLedger::new((at(20), at(100)), false);
    l.lost(at(30), 50, LossCause::Channel);
    l.resent(at(35), 50, Found::Dupacks);
    assert_eq!(bursts(&mut l), (0, 0));
    l.lost(at(10), 100, LossCause::Channel);
    l.lost(at(30), 200, LossCause::Channel);
    l.resent(at(40), 100, Found::Dupacks);
    assert_eq!(bursts(&mut l), (0, 0));
}

#[test]
fn what_was_acknowledged_is_forgotten_after_a_while() {
    let mut l = ledger();
    for n in 1..=1000 {
        l.resent(at(n * 100), n, Found::Timeout);
        l.acknowledged(at(n * 100), n);
        assert!(l.open.len() <= 201, "{}", l.open.len());
    }
    l.acknowledged(at(120_000), 1000);
    l.acknowledged(at(140_000), 1000);
    assert_eq!(l.open.len(), 0);
}

#[test]
fn a_copy_lost_before_the_ack_and_told_after_it_was_found_all_the_same() {
    let mut l = ledger();
    l.resent(at(50), 100, Found::Timeout);
    l.resent(at(81), 100, Found::Detector);
    l.acknowledged(at(82), 100);
    l.lost(at(80), 100, LossCause::Channel);
    let expected = vec![(LossCause::Channel, Found::Detector, 1)];
    assert_eq!(cells(&mut l, 100), (expected, 1));
}

#[test]
fn a_copy_lost_as_soon_as_it_is_sent_is_found_by_the_next() {
    let mut l = ledger();
    l.lost(at(10), 100, LossCause::Channel);
    l.resent(at(50), 100, Found::Dupacks);
    l.lost(at(50), 100, LossCause::Channel);
    l.resent(at(90), 100, Found::Timeout);
    let expected = vec![
        (LossCause::Channel, Found::Dupacks, 1),
        (LossCause::Channel, Found::Timeout, 1),
    ];
    assert_eq!(cells(&mut l, 100), (expected, 0));
}

#[test]
fn a_needless_copy_that_is_lost_is_of_no_window() {
    // A link that decides ahead of the clock reports the needless copy of 100 before the ACK, another link
    // after it.
    let told = |before: bool| {
        let mut l = ledger();
        l.resent(at(50), 100, Found::Timeout);
        l.lost(at(60), 300, LossCause::Channel);
        if before {
            l.lost(at(80), 100, LossCause::Channel);
        }
        l.acknowledged(at(70), 100);
        if !before {
            l.lost(at(80), 100, LossCause::Channel);
        }
        l.lost(at(75), 500, LossCause::Channel);
        l.resent(at(90), 300, Found::Dupacks);
        l.resent(at(95), 500, Found::PartialAck);
        l
    };
    for before in [true, false] {
        assert_eq!(bursts(&mut told(before)), (1, 0));
        let expected = vec![
            (LossCause::Channel, Found::Dupacks, 1),
            (LossCause::Channel, Found::PartialAck, 1),
            (LossCause::Channel, Found::Unnoticed, 1),
        ];
        assert_eq!(cells(&mut told(before), 500), (expected, 1));
    }
}

#[test]
fn a_segment_arrives_repaired_if_it_is_sent_again_after_its_loss_before_that() {
    let (first, repaired) = (Some(0.09), (None, Some(0.09)));
    for (resent, expected) in [(5, (first, None)), (50, repaired), (91, (first, None))] {
        for told_late in [true, false] {
            let mut l = ledger();
            l.lost(at(10), 100, LossCause::Channel);
            if told_late {
                l.arrived(at(90), 100, at(0));
            }
            l.resent(at(resent), 100, Found::Timeout);
            if !told_late {
                l.arrived(at(90), 100, at(0));
            }
            let mut outcome = FlowOutcome::default();
            l.acknowledged(at(200), 100);
            l.finish(100, &mut outcome);
            // Quantiles are of bins of about a percent.
            let p50 = outcome
                .arrival_p50_s
                .map(|p50| (p50 * 100.0).round() / 100.0);
            assert_eq!((p50, outcome.retx_arrival_mean_s), expected, "{resent}");
        }
    }
}

/// How many repairs were lost, and how many of these the timer found.
fn lost_repairs(ledger: &mut LossLedger) -> (u64, u64) {
    let mut outcome = FlowOutcome::default();
    ledger.finish(1000, &mut outcome);
    (outcome.lost_repairs, outcome.lost_repair_timeouts)
}

/// A segment that is lost, sent again because of `first`, lost again and sent again because of `second`.
fn lost_twice(first: Found, second: Found) -> (u64, u64) {
    let mut l = ledger();
    l.lost(at(10), 100, LossCause::Channel);
    l.resent(at(50), 100, first);
    l.lost(at(60), 100, LossCause::Channel);
    l.resent(at(500), 100, second);
    lost_repairs(&mut l)
}

#[test]
fn a_repair_that_is_lost_counts_by_how_that_was_found() {
    for repair in [
        Found::Dupacks,
        Found::PartialAck,
        Found::Sack,
        Found::Detector,
    ] {
        assert_eq!(lost_twice(repair, Found::Timeout), (1, 1), "{repair:?}");
        assert_eq!(lost_twice(repair, Found::Detector), (1, 0), "{repair:?}");
        assert_eq!(lost_twice(repair, Found::Unnoticed), (1, 0), "{repair:?}");
    }
}

#[test]
fn what_a_timeout_or_an_agent_sent_again_is_no_repair_of_the_sender_before_a_timeout() {
    for other in [Found::Timeout, Found::Unnoticed, Found::Probe, Found::Agent] {
        assert_eq!(lost_twice(other, Found::Timeout), (0, 0), "{other:?}");
    }
}

#[test]
fn the_copy_that_was_lost_counts_and_not_one_sent_later() {
    let mut l = ledger();
    l.lost(at(10), 100, LossCause::Channel);
    // The first copy alone was lost.
    l.resent(at(50), 100, Found::Dupacks);
    l.resent(at(500), 100, Found::Timeout);
    assert_eq!(lost_repairs(&mut l), (0, 0));
    // The copy of the timeout was lost, not the one before it.
    let mut l = ledger();
    l.resent(at(50), 100, Found::Dupacks);
    l.resent(at(500), 100, Found::Timeout);
    l.lost(at(510), 100, LossCause::Channel);
    l.resent(at(900), 100, Found::Timeout);
    assert_eq!(lost_repairs(&mut l), (0, 0));
}

#[test]
fn what_was_lost_once_counts_as_anything_else_does() {
    let counts = |ledger: &mut LossLedger| {
        let mut outcome = FlowOutcome::default();
        ledger.finish(0, &mut outcome);
        outcome
    };
    for cause in LossCause::ALL {
        for found in Found::ALL {
            let (mut short, mut long) = (ledger(), ledger());
            // Two in one window of data, one in another, and one after the time that is measured.
            for (end, lost, resent) in [
                (100, 10, 50),
                (200, 11, 60),
                (300, 70, 90),
                (400, 1500, 1600),
            ] {
                let entries = [
                    Entry::new(at(lost), end, What::Lost(cause)),
                    Entry::new(at(resent), end, What::Resent(found)),
                ];
                let once = History(&entries).first_if_lost_once();
                short.settle_lost_once(once.expect("it was"));
                long.settle(History(&entries), Found::Unnoticed);
            }
            let (short, long) = (counts(&mut short), counts(&mut long));
            assert_eq!(
                format!("{short:?}"),
                format!("{long:?}"),
                "{cause:?} {found:?}"
            );
        }
    }
}

#[test]
fn other_histories_take_the_long_way() {
    let lost = |ms, end| Entry::new(at(ms), end, What::Lost(LossCause::Queue));
    let resent = |ms, end| Entry::new(at(ms), end, What::Resent(Found::Sack));
    let histories: [&[Entry]; 6] = [
        &[],
        &[lost(1, 100)],
        &[lost(1, 100), resent(1, 100)],
        &[lost(1, 100), resent(2, 200)],
        &[resent(1, 100), lost(2, 100)],
        &[lost(1, 100), resent(2, 100), lost(3, 100)],
    ];
    for history in histories {
        assert!(
            History(history).first_if_lost_once().is_none(),
            "{history:?}"
        );
    }
}

/// What [`LossLedger::settle`] counts, by what it says of each loss and each resend alone.
fn one_by_one(entries: &[Entry], counts: impl Fn(Time) -> bool) -> (u32, u32, u32) {
    let (mut repairs, mut timeouts, mut spurious) = (0, 0, 0);
    let history = History(entries);
    for (lost, _) in history.losses().filter(|(lost, _)| counts(*lost)) {
        let copy = history.resends().take_while(|r| r.at <= lost).last();
        let finder = history.finder(lost);
        let repair = copy.is_some_and(Resend::repairs);
        repairs += u32::from(repair);
        timeouts += u32::from(repair && finder.is_some_and(|r| r.found == Found::Timeout));
    }
    for resend in history.resends().filter(|r| r.found != Found::Agent) {
        let mut losses = history.losses();
        let needed = losses.any(|(lost, _)| history.finder(lost) == Some(resend));
        spurious += u32::from(!needed && counts(resend.at));
    }
    (repairs, timeouts, spurious)
}

proptest! {
    #[test]
    fn a_history_is_settled_as_its_losses_and_resends_are_one_by_one(
        events in prop::collection::vec((0_u64..40, any::<bool>(), 0..Found::ALL.len()), 0..30),
    ) {
        let mut entries = Vec::new();
        for (ms, lost, found) in events {
            let what = if lost {
                What::Lost(LossCause::Queue)
            } else {
                What::Resent(Found::ALL[found])
            };
            entries.push(Entry::new(at(ms), 100, what));
        }
        entries.sort_by_key(|entry| entry.key());
        let mut ledger = LossLedger::new((at(5), at(30)), false);
        ledger.settle(History(&entries), Found::Open);
        let bursts = ledger.bursts.take().unwrap_or_default();
        let settled = (bursts.lost_repairs, bursts.lost_repair_timeouts, ledger.spurious);
        let expected = one_by_one(&entries, |at| is_within(at, ledger.window));
        prop_assert_eq!(settled, expected);
        for found in Found::ALL {
            let of = |(lost, _)| History(&entries).finder(lost).map_or(Found::Open, |r| r.found);
            let losses = History(&entries).losses().filter(|(lost, _)| is_within(*lost, ledger.window));
            let expected = losses.filter(|&loss| of(loss) == found).count();
            prop_assert_eq!(ledger.settled.count(LossCause::Queue, found), expected as u64);
        }
    }
}

#[test]
fn one_segment_and_many_take_time_in_proportion_to_what_happens() {
    // In the square or the cube of that, minutes.
    let mut l = LossLedger::new((Time::ZERO, Time::MAX), true);
    for n in 0..300_000 {
        l.lost(at(2 * n), 100, LossCause::Channel);
        l.resent(at(2 * n + 1), 100, Found::Timeout);
    }
    l.acknowledged(at(600_000), 100);
    assert_eq!(l.open.len(), 0);
    for round in 0..3 {
        for n in 0..300_000 {
            l.lost(at(600_000 + round), 200 + n, LossCause::Queue);
            l.resent(at(600_000 + round), 200 + n, Found::Sack);
        }
    }
    for n in 0..300_000 {
        l.acknowledged(at(700_000 + n), 200 + n);
    }
    l.acknowledged(at(2_000_000), 400_000);
    assert_eq!(l.open.len(), 0);
    let (cells, spurious) = cells(&mut l, 400_000);
    let expected = [
        (LossCause::Queue, Found::Sack, 600_000),
        (LossCause::Queue, Found::Unnoticed, 300_000),
        (LossCause::Channel, Found::Timeout, 300_000),
    ];
    assert_eq!((cells.as_slice(), spurious), (expected.as_slice(), 300_000));
}
