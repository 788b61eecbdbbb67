//! Section 3: T, l, l_max and N.

use super::*;
use crate::tcp::testing::{ack_at, loss_at, take_ack, timeout_at, window};
use crate::units::Segments;

fn cerl(a: f64) -> Cerl {
    Cerl::new(CerlConfig {
        a,
        once_per_window: true,
    })
}

/// ACKs that carry these samples, in milliseconds; `None` carries none.
fn feed(cerl: &mut Cerl, samples: &[Option<u64>]) {
    for sample in samples {
        let ack = AckEvent {
            rtt: sample.map(Duration::from_millis),
            ..ack_at(0.0, 1.0)
        };
        take_ack(cerl, &ack, &mut window(10.0, 5.0));
    }
}

/// Expects T, l and l_max in milliseconds.
fn state(cerl: &Cerl) -> (u64, u64, u64) {
    let ms = |d: Duration| d.as_nanos() / 1_000_000;
    (ms(cerl.rtt_min), ms(cerl.queue), ms(cerl.queue_max))
}

#[test]
fn each_sample_updates_t_l_and_l_max() {
    let mut c = cerl(0.55);
    let mut states = Vec::new();
    for rtt in [120, 100, 150, 180, 130, 100] {
        feed(&mut c, &[Some(rtt)]);
        states.push(state(&c));
    }
    assert_eq!(
        states,
        [
            (120, 0, 0),
            (100, 0, 0),
            (100, 50, 50),
            (100, 80, 80),
            (100, 30, 80),
            (100, 0, 80),
        ]
    );
}

#[test]
fn an_ack_without_a_sample_changes_nothing() {
    let mut c = cerl(0.55);
    feed(&mut c, &[Some(100), Some(150), None, None]);
    assert_eq!(state(&c), (100, 50, 50));
}

/// After T = 100 and l_max = 100 ms: does a loss at this queue count as congestion?
fn cuts(a: f64, queue: u64) -> bool {
    let mut c = cerl(a);
    feed(&mut c, &[Some(100), Some(200), Some(100 + queue)]);
    let before = window(10.0, 20.0);
    let response = c.on_loss(&loss_at(0, 10.0, 1, 11), &before);
    match response.window_after {
        Segments(5.0) => {
            assert_eq!(response.ssthresh, Segments(5.0));
            true
        }
        Segments(10.0) => {
            assert_eq!(response.ssthresh, Segments(20.0));
            false
        }
        other => panic!("neither half nor all: {other:?}"),
    }
}

#[test]
fn the_threshold_is_a_share_of_the_longest_queue() {
    assert!(!cuts(0.55, 54));
    assert!(cuts(0.55, 56));
    assert!(!cuts(0.5, 49));
    assert!(cuts(0.5, 50));
}

#[test]
fn with_a_zero_every_loss_is_congestive() {
    assert!(cuts(0.0, 0));
    assert!(cuts(0.0, 100));
}

#[test]
fn with_a_one_only_the_longest_queue_is_congestive() {
    assert!(!cuts(1.0, 99));
    assert!(cuts(1.0, 100));
}

#[test]
fn before_any_sample_a_loss_is_congestive() {
    let response = cerl(0.55).on_loss(&loss_at(0, 10.0, 1, 11), &window(10.0, 20.0));
    assert_eq!(response.window_after, Segments(5.0));
}

#[test]
fn a_window_is_cut_once() {
    // Figure 2: segments up to 10 were sent when the window was cut for 2.
    let mut c = cerl(0.55);
    let now = window(10.0, 20.0);
    let cut = |c: &mut Cerl, una, max| c.on_loss(&loss_at(0, 10.0, una, max), &now) != unchanged();
    assert!(cut(&mut c, 2, 11));
    assert!(!cut(&mut c, 7, 14));
    assert!(!cut(&mut c, 10, 16));
    assert!(cut(&mut c, 11, 20));
    assert!(!cut(&mut c, 19, 22));
    assert!(cut(&mut c, 20, 30));
}

fn unchanged() -> Response {
    Response {
        ssthresh: Segments(20.0),
        window_after: Segments(10.0),
    }
}

#[test]
fn cerl2_cuts_for_every_loss_with_a_long_queue() {
    let mut c = Cerl::new(CerlConfig {
        once_per_window: false,
        ..CerlConfig::DEFAULT
    });
    for una in [2, 7, 10] {
        let response = c.on_loss(&loss_at(0, 10.0, una, 14), &window(10.0, 20.0));
        assert_eq!(response.window_after, Segments(5.0));
    }
    feed(&mut c, &[Some(100), Some(200), Some(110)]);
    let response = c.on_loss(&loss_at(0, 10.0, 12, 14), &window(10.0, 20.0));
    assert_eq!(response, unchanged(), "a short queue is random for it, too");
}

#[test]
fn a_random_loss_does_not_begin_a_window() {
    let mut c = cerl(0.55);
    feed(&mut c, &[Some(100), Some(200), Some(110)]);
    assert_eq!(
        c.on_loss(&loss_at(0, 10.0, 2, 11), &window(10.0, 20.0)),
        unchanged()
    );
    feed(&mut c, &[Some(190)]);
    assert_ne!(
        c.on_loss(&loss_at(0, 10.0, 7, 14), &window(10.0, 20.0)),
        unchanged()
    );
}

#[test]
fn a_timeout_is_renos_whatever_the_queue() {
    let mut c = cerl(0.55);
    feed(&mut c, &[Some(100), Some(200), Some(110)]);
    let response = c.on_timeout(&timeout_at(0, 10.0), &window(10.0, 20.0));
    assert_eq!(response.ssthresh, Segments(5.0));
    assert_eq!(response.window_after, Segments::ONE);
    assert_eq!(state(&c), (100, 10, 100));
}
