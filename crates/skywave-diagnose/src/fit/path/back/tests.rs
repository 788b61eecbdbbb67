use super::{Answer, Back, back, waits};

/// Acknowledgements of 52 bytes that leave at these times, seconds, over a way back of 100 kb/s whose queue holds `limit` of
/// them, and what each waited.
fn over(limit: usize, left: impl Iterator<Item = f64>) -> Vec<Answer> {
    const PACKET_S: f64 = 52.0 * 8.0 / 100e3;
    let mut free_s = 0.0;
    let mut answers = Vec::new();
    for left_s in left {
        if free_s - left_s > limit as f64 * PACKET_S {
            continue;
        }
        free_s = f64::max(free_s, left_s) + PACKET_S;
        answers.push(Answer {
            at_us: ((free_s + 0.03) * 1e6) as u64,
            stamp: ((left_s + 77.7) * 1e3) as u32,
            bytes: 52,
        });
    }
    answers
}

fn found(answers: &[Answer]) -> Option<Back> {
    back(answers, &waits(answers)?)
}

#[test]
fn a_full_queue_of_acknowledgements_tells_its_rate_and_size() {
    // Twice as many as the way back carries, in spells of a second.
    let left = (0..20_000).map(|i| f64::from(i / 400) * 1.5 + f64::from(i % 400) / 480.0);
    let found = found(&over(30, left)).unwrap();
    assert!((found.bps.value - 100e3).abs() < 1e3, "{found:?}");
    assert!(found.packets.abs_diff(30) <= 1, "{found:?}");
    assert!(found.is_full);
}

#[test]
fn a_queue_that_is_never_full_has_no_known_limit() {
    // Bursts of another length each, with pauses after them.
    let burst = |number: u32| (0..5 + number * 7 % 29).map(move |i| (number, i));
    let left = (0..200)
        .flat_map(burst)
        .map(|(number, i)| f64::from(number) * 0.2 + f64::from(i) / 2000.0);
    let found = found(&over(1000, left)).unwrap();
    assert!((found.bps.value - 100e3).abs() < 1e3, "{found:?}");
    assert!(!found.is_full, "{found:?}");
}

#[test]
fn a_free_way_back_and_jitter_are_no_queue() {
    let left = (0..4000).map(|i| f64::from(i) * 0.01);
    assert_eq!(found(&over(1000, left)), None);
    let jittered: Vec<Answer> = (0..8000_u32)
        .scan(0, |before, i| {
            let at_us = (i * 3000 + i.wrapping_mul(2_654_435_761) % 30_000).max(*before);
            *before = at_us;
            let (stamp, bytes) = (i * 3, 52);
            Some(Answer {
                at_us: u64::from(at_us),
                stamp,
                bytes,
            })
        })
        .collect();
    assert_eq!(found(&jittered), None);
    assert_eq!(found(&[]), None);
}

#[test]
fn a_clock_may_come_round_while_the_transfer_lasts() {
    // Spells of a second, a minute apart, for 90 minutes.
    let left = (0..36_000).map(|i| f64::from(i / 400) * 60.0 + f64::from(i % 400) / 480.0);
    let mut answers = over(30, left);
    let expected = found(&answers).unwrap();
    for answer in &mut answers {
        answer.stamp = answer.stamp.wrapping_mul(1000);
    }
    let found = found(&answers).unwrap();
    assert!((found.bps.value / expected.bps.value - 1.0).abs() < 0.01);
    assert_eq!(found.packets, expected.packets);
}

#[test]
fn a_clock_that_no_host_has_tells_nothing() {
    let mut answers = over(30, (0..4000).map(|i| f64::from(i) / 480.0));
    for answer in &mut answers {
        answer.stamp = answer.stamp * 7 / 5;
    }
    assert_eq!(waits(&answers), None);
}
