//! RFC 8257 section 3.3, by its steps.

use super::*;
use crate::tcp::testing::{ack_at, assert_near, loss_at, take_ack, timeout_at, window};

/// An ACK of ten segments up to `una`, of a sender that has sent everything below `nxt`.
fn ack(una: u64, nxt: u64, marked: bool) -> AckEvent {
    let acked = Segments(10.0);
    AckEvent {
        una,
        nxt,
        marked: if marked { acked } else { Segments::ZERO },
        may_grow: false,
        ..ack_at(0.0, acked.0)
    }
}

fn dctcp() -> Dctcp {
    Dctcp::new(DctcpConfig::DEFAULT)
}

/// The window after a mark at 100 segments.
fn after_mark(law: &mut Dctcp) -> f64 {
    let response = law.on_ecn(&loss_at(0, 100.0, 0, 0), &window(100.0, 2.0));
    assert_eq!(response.ssthresh, response.window_after);
    response.window_after.0
}

#[test]
fn at_first_a_mark_cuts_to_half() {
    assert_near(after_mark(&mut dctcp()), 50.0, "cwnd");
}

#[test]
fn once_a_window_of_data_alpha_moves_by_g_towards_the_marked_share() {
    let mut law = dctcp();
    let win = &mut window(100.0, 2.0);
    // The window of data ends where the first ACK finds the sender.
    take_ack(&mut law, &ack(10, 100, false), win);
    let first = 15.0 / 16.0;
    assert_near(law.share.alpha, first, "α");
    // Three in ten of the next window are marked; nothing moves before its end is passed.
    for una in [20, 30, 40, 50, 60, 70, 80, 90, 100] {
        take_ack(&mut law, &ack(una, una + 90, una <= 40), win);
        assert_near(law.share.alpha, first, "α");
    }
    take_ack(&mut law, &ack(110, 200, false), win);
    assert_near(law.share.alpha, first * 15.0 / 16.0 + 0.3 / 16.0, "α");
    // And what was counted counts once.
    take_ack(&mut law, &ack(210, 300, true), win);
    let third = (first * 15.0 / 16.0 + 0.3 / 16.0) * 15.0 / 16.0 + 1.0 / 16.0;
    assert_near(law.share.alpha, third, "α");
    assert_near(after_mark(&mut law), 100.0 * (1.0 - third / 2.0), "cwnd");
}

/// Section 3.3 by hand, with the RFC's values: alpha is 1 at first and g is 1/16. An observation window here ends with
/// its fourth ACK of ten segments, the first of all with its first; M is the share of it that is acknowledged under a
/// mark's echo; then alpha = alpha · 15/16 + M/16, and a mark cuts a window of 100 segments to 100 · (1 − alpha/2).
///
/// | window | M | alpha | cut to |
/// |---|---|---|---|
/// | 1 | 1 | 1 · 15/16 + 1/16 = 1 | 50 |
/// | 2 | 0 | 15/16 = 0.9375 | 53.125 |
/// | 3 | 1/4 | 0.87890625 + 0.015625 = 0.89453125 | 55.2734375 |
/// | 4 | 1/2 | 0.838623046875 + 0.03125 = 0.869873046875 | 56.50634765625 |
/// | 5 | 1 | 0.8155059814453125 + 0.0625 = 0.8780059814453125 | 56.099700927734375 |
/// | 6 | 0 | 0.87800598… · 15/16 = 0.82313060760498046875 | 58.84346961975098 |
#[test]
fn alpha_goes_by_the_steps_of_the_rfc() {
    let mut law = dctcp();
    assert_eq!(law.share.alpha, 1.0);
    let win = &mut window(100.0, 2.0);
    take_ack(&mut law, &ack(10, 40, true), win);
    assert_eq!(law.share.alpha, 1.0, "window 1");
    assert_near(after_mark(&mut law), 50.0, "window 1");
    let rows = [
        (0, 0.9375, 53.125),
        (1, 0.894_531_25, 55.273_437_5),
        (2, 0.869_873_046_875, 56.506_347_656_25),
        (4, 0.878_005_981_445_312_5, 56.099_700_927_734_375),
        (0, 0.823_130_607_604_980_5, 58.843_469_619_750_98),
    ];
    let mut una = 10;
    for (row, (marked, alpha, cut)) in rows.into_iter().enumerate() {
        for number in 0..4 {
            una += 10;
            take_ack(&mut law, &ack(una, una + 30, number < marked), win);
        }
        let window = row + 2;
        assert_near(law.share.alpha, alpha, &format!("window {window}"));
        assert_near(after_mark(&mut law), cut, &format!("window {window}"));
    }
}

#[test]
fn without_marks_alpha_dies_away_and_under_marks_alone_it_stays_one() {
    let dying = (0..20).fold(1.0, |alpha, _| alpha * 15.0 / 16.0);
    for (marked, alpha) in [(false, dying), (true, 1.0)] {
        let mut law = dctcp();
        for round in 1..=20 {
            take_ack(
                &mut law,
                &ack(round * 10, round * 10 + 5, marked),
                &mut window(10.0, 2.0),
            );
        }
        assert_near(law.share.alpha, alpha, "α");
    }
}

#[test]
fn losses_and_timeouts_are_answered_as_by_reno() {
    let (mut law, win) = (dctcp(), window(20.0, 30.0));
    law.share.alpha = 0.1;
    assert_near(
        law.on_loss(&loss_at(0, 20.0, 0, 20), &win).window_after.0,
        10.0,
        "cwnd",
    );
    let response = law.on_timeout(&timeout_at(0, 20.0), &win);
    assert_near(response.ssthresh.0, 10.0, "ssthresh");
    assert_near(response.window_after.0, 1.0, "cwnd");
}

#[test]
fn the_window_grows_as_renos() {
    let (mut law, mut win) = (dctcp(), window(10.0, 2.0));
    take_ack(&mut law, &ack_at(0.0, 1.0), &mut win);
    assert_near(win.cwnd.0, 10.1, "cwnd");
}
