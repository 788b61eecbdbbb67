//! Mechanism 2 of Yongmei et al. (Francis 2012, section 3.1.3), end to end through the sender.

use super::plain;
use crate::packet::{Flags, Segment};
use crate::seq::SeqNr;
use crate::tcp::config::DetectionConfig;
use crate::tcp::detection::Yongmei2Config;
use crate::tcp::testing::Script;

/// Ten segments, of which the first five were acknowledged after 100 ms and the others after 300 ms.
#[track_caller]
fn sampled() -> Script {
    let mut s = Script::sent(plain("yongmei-2", 10), 10);
    s.wait(100);
    s.ack(6);
    s.wait(200);
    s.ack(11);
    s.poll();
    s
}

/// The oldest segment is lost, and is repaired 100 ms after three duplicate ACKs.
#[track_caller]
fn lose(s: &mut Script) {
    let first = s.sender.flight().una() / 1000 + 1;
    s.dupacks(3);
    assert_eq!(s.poll()[0], first);
}

fn cuts(s: &Script) -> u64 {
    s.sender.counters().window_cuts
}

#[test]
fn the_first_loss_is_congestion() {
    let mut s = sampled();
    lose(&mut s);
    assert_eq!(cuts(&s), 1);
}

/// After a congestive loss with the threshold at 200 ms, a new window whose first half is acknowledged after `ms`.
#[track_caller]
fn second(ms: u64) -> Script {
    let mut s = sampled();
    lose(&mut s);
    s.wait(100);
    let max = s.sender.flight().max() / 1000;
    s.ack(max + 1);
    s.poll();
    let (una, max) = (
        s.sender.flight().una() / 1000,
        s.sender.flight().max() / 1000,
    );
    assert!(max - una >= 4, "{una} to {max}");
    s.wait(ms);
    s.ack(una + 2);
    s.poll();
    s
}

#[test]
fn below_the_threshold_a_loss_is_repaired_without_a_cut() {
    let mut s = second(199);
    let before = s.sender.window();
    lose(&mut s);
    assert_eq!((cuts(&s), s.sender.window()), (1, before));
}

#[test]
fn at_the_threshold_the_law_answers() {
    let mut s = second(200);
    lose(&mut s);
    assert_eq!(cuts(&s), 2);
}

#[test]
fn a_timeout_cuts_whatever_the_delay() {
    let mut s = second(100);
    s.wait_for_timeout();
    s.expect_cwnd(1.0);
}

/// Sends what may be sent, and returns the lengths.
fn lengths(s: &mut Script) -> Vec<u32> {
    std::iter::from_fn(|| s.poll_segment())
        .map(|segment| segment.len)
        .collect()
}

/// A round trip of 50 ms, below any threshold; the oldest segment of the window is `lost`, or none is. Returns the
/// lengths of new segments.
fn round(s: &mut Script, lost: bool) -> Vec<u32> {
    let window = s.sender.config().rwnd;
    let ack = |position: u64| Segment {
        ack: SeqNr(position as u32),
        window,
        flags: Flags::ACK,
        ..Segment::default()
    };
    s.wait(50);
    if lost {
        let una = s.sender.flight().una();
        for _ in 0..3 {
            s.receive(&ack(una));
        }
        s.poll_segment().expect("the lost segment again");
        s.wait(50);
    }
    let max = s.sender.flight().max();
    s.receive(&ack(max));
    lengths(s)
}

#[test]
fn segments_become_short_where_many_are_lost_and_full_again_where_few_are() {
    let mut config = plain("yongmei-2", 4);
    config.max_cwnd = crate::units::Segments(4.0);
    let mut s = Script::sent(config, 4);
    s.wait(300);
    s.ack(2);
    s.wait(100);
    s.ack(5);
    s.poll();
    lose(&mut s); // the threshold is between 100 and 300 ms
    let mut seen = Vec::new();
    for _ in 0..100 {
        seen.extend(round(&mut s, true));
    }
    assert_eq!(seen[..20], [1000; 20]);
    // Of segments half as long one a window is less than a tenth.
    assert_eq!(seen.last(), Some(&500));
    assert_eq!(seen.iter().min(), Some(&500));
    let mut seen = Vec::new();
    for _ in 0..100 {
        seen.extend(round(&mut s, false));
    }
    assert_eq!(seen.last(), Some(&1000));
}

#[test]
fn without_resize_all_segments_are_full() {
    let mut config = plain("yongmei-2", 4);
    config.max_cwnd = crate::units::Segments(4.0);
    config.composition.detection = DetectionConfig::Yongmei2(Yongmei2Config { resize: false });
    let mut s = Script::sent(config, 4);
    s.wait(300);
    s.ack(2);
    s.wait(100);
    s.ack(5);
    s.poll();
    lose(&mut s);
    for _ in 0..100 {
        assert!(round(&mut s, true).iter().all(|len| *len == 1000));
    }
}
