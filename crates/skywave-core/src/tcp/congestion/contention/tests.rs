use super::*;
use crate::tcp::testing::{ack_at, loss_at, take_ack, timeout_at, window};

/// The answer to a loss at a window of 20 that three duplicate ACKs with these marks have shown.
fn answer(marks: Marks) -> (f64, f64) {
    let mut law = Contention::default();
    let mut now = window(20.0, 15.0);
    take_ack(&mut law, &ack_at(0.0, 1.0), &mut now);
    now = window(20.0, 15.0);
    for _ in 0..3 {
        let mut dupack = ack_at(100.0, 0.0);
        dupack.hints.marks = marks;
        law.on_dupack(&dupack);
    }
    let response = law.on_loss(&loss_at(100, 20.0, 1, 21), &now);
    (response.window_after.0, response.ssthresh.0)
}

#[test]
fn the_receiver_says_how_much_is_cut() {
    assert_eq!(answer(Marks::CONGESTED), (11.5, 11.5));
    assert_eq!(answer(Marks::DUBIOUS), (23.0 * 0.8, 23.0 * 0.8));
    assert_eq!(answer(Marks::empty()), (23.0, 15.0), "threshold stays");
    assert_eq!(
        answer(Marks::CONGESTION_WARNING),
        (23.0, 15.0),
        "no mark of its own"
    );
}

#[test]
fn an_ack_of_new_data_forgets_what_duplicate_acks_have_reported() {
    let mut law = Contention::default();
    law.on_dupack(&ack_at(0.0, 0.0));
    take_ack(&mut law, &ack_at(10.0, 1.0), &mut window(20.0, 15.0));
    let response = law.on_loss(&loss_at(100, 20.0, 1, 21), &window(20.0, 15.0));
    assert_eq!(response.window_after.0, 20.0);
}

#[test]
fn timeouts_are_renos() {
    let response = Contention::default().on_timeout(&timeout_at(100, 20.0), &window(20.0, 15.0));
    assert_eq!((response.window_after.0, response.ssthresh.0), (1.0, 10.0));
}
