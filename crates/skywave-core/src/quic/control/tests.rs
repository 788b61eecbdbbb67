//! A law hears of QUIC's packets what RFC 9002 says that it should.

use super::Control;
use crate::tcp::{Profile, TcpConfig, preset};
use crate::time::{Duration, Time};
use crate::units::Rate;

const BYTES: u32 = 1200;
const RTT: u64 = 100;

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

fn control(name: &str) -> Control {
    let composition = preset(name).expect("a preset").composition.clone();
    Control::new(&TcpConfig {
        mss: BYTES,
        ..TcpConfig::new(Profile::Rfc, composition)
    })
}

/// Sends this number of packets at `ms`.
fn send(control: &mut Control, ms: u64, packets: u64) -> Vec<u64> {
    (0..packets)
        .map(|_| control.on_sent(at(ms), BYTES))
        .collect()
}

/// An ACK frame for all of these.
fn ack(control: &mut Control, ms: u64, numbers: &[u64]) {
    for &number in numbers {
        control.on_acked(at(ms), number);
    }
    control.end_acks(at(ms), false);
}

fn lose(control: &mut Control, ms: u64, numbers: &[u64], persistent: bool) {
    for &number in numbers {
        control.on_lost(at(ms), number);
    }
    control.end_losses(at(ms), persistent);
}

fn packets(control: &Control) -> f64 {
    control.window() as f64 / f64::from(BYTES)
}

#[test]
fn slow_start_doubles_the_window_in_a_round_trip() {
    let mut reno = control("reno");
    let sent = send(&mut reno, 0, 10);
    ack(&mut reno, RTT, &sent);
    assert_eq!(packets(&reno), 20.0);
    assert_eq!(reno.in_flight(), 0);
}

#[test]
fn one_recovery_period_cuts_once() {
    let mut reno = control("reno");
    let first = send(&mut reno, 0, 10);
    lose(&mut reno, 100, &first[..1], false);
    assert_eq!(packets(&reno), 5.0);
    // Sent before the cut: the same period. No growth either.
    lose(&mut reno, 110, &first[1..2], false);
    ack(&mut reno, 120, &first[2..]);
    assert_eq!(packets(&reno), 5.0);
    // Sent after it: another one.
    let second = send(&mut reno, 130, 5);
    lose(&mut reno, 230, &second[..1], false);
    assert_eq!(packets(&reno), 2.5);
}

#[test]
fn the_first_packet_after_the_cut_ends_the_recovery_period() {
    let mut reno = control("reno");
    let first = send(&mut reno, 0, 10);
    lose(&mut reno, 100, &first[..1], false);
    let second = send(&mut reno, 100, 5);
    ack(&mut reno, 200, &second[..1]);
    // Congestion avoidance: a packet in a window of five is a fifth.
    assert_eq!(packets(&reno), 5.2);
}

#[test]
fn an_unused_window_does_not_grow() {
    let mut reno = control("reno");
    // The application has nothing more after two packets of ten, from the second ACK on known to the sampler.
    for round in 0..2 {
        let sent = send(&mut reno, round * RTT, 2);
        for number in sent {
            reno.on_acked(at((round + 1) * RTT), number);
        }
        let before = packets(&reno);
        reno.end_acks(at((round + 1) * RTT), true);
        if round == 1 {
            assert_eq!(packets(&reno), before);
        }
    }
}

#[test]
fn persistent_congestion_is_answered_as_a_timeout() {
    let mut reno = control("reno");
    let sent = send(&mut reno, 0, 10);
    lose(&mut reno, 5_000, &sent, true);
    assert_eq!(packets(&reno), 2.0, "section 7.6.2: the smallest window");
    assert_eq!(reno.ssthresh(), Some(u64::from(5 * BYTES)));
    // From there slow start: each packet acknowledged adds one.
    let sent = send(&mut reno, 5_000, 2);
    ack(&mut reno, 5_000 + RTT, &sent);
    assert_eq!(packets(&reno), 3.0);
}

#[test]
fn a_cut_for_packets_that_arrive_after_all_is_taken_back() {
    let mut reno = control("reno");
    let sent = send(&mut reno, 0, 10);
    lose(&mut reno, 100, &sent[..1], false);
    assert_eq!(packets(&reno), 5.0);
    reno.on_spurious(at(110));
    assert_eq!(packets(&reno), 10.0);
    reno.on_spurious(at(120));
    assert_eq!(packets(&reno), 10.0, "there is no cut left to take back");
}

#[test]
fn a_mark_cuts_once_in_a_recovery_period() {
    let mut reno = control("reno");
    let sent = send(&mut reno, 0, 10);
    ack(&mut reno, 100, &sent[..1]);
    let before = packets(&reno);
    reno.on_marked(at(100), sent[0], at(0));
    assert_eq!(packets(&reno), before / 2.0);
    reno.on_marked(at(101), sent[1], at(0));
    assert_eq!(packets(&reno), before / 2.0);
}

#[test]
fn the_rate_of_delivery_reaches_a_law_that_wants_it() {
    let mut bbr = control("bbr");
    // A packet each 10 ms both ways: 1200 bytes in 10 ms are 960 kb/s.
    let mut waiting = std::collections::VecDeque::new();
    for step in 0..400 {
        let now = step * 10;
        if now >= RTT
            && let Some(number) = waiting.pop_front()
        {
            ack(&mut bbr, now, &[number]);
        }
        waiting.extend(send(&mut bbr, now, 1));
    }
    let pace = bbr.pacing_rate().expect("a pace");
    // BBR's pace is within its cycle of gains, 0.75 to 1.25, of the rate.
    let rate = pace.as_bps() as f64 / 960e3;
    assert!((0.70..1.30).contains(&rate), "{rate}");
}

#[test]
fn a_law_without_a_pace_is_paced_by_its_window() {
    let mut reno = control("reno");
    assert_eq!(reno.pacing_rate(), None, "no round trip is known");
    let sent = send(&mut reno, 0, 10);
    ack(&mut reno, RTT, &sent);
    // Two windows of 20 packets in 100 ms.
    let bps = 2 * 20 * u64::from(BYTES) * 8 * 10;
    assert_eq!(reno.pacing_rate(), Some(Rate::from_bps(bps)));
}

#[test]
fn unknown_and_repeated_reports_change_nothing() {
    let mut reno = control("reno");
    let sent = send(&mut reno, 0, 10);
    ack(&mut reno, RTT, &sent);
    let before = (reno.window(), reno.in_flight());
    ack(&mut reno, RTT, &sent);
    ack(&mut reno, RTT, &[77, u64::MAX]);
    lose(&mut reno, RTT, &sent, true);
    assert_eq!((reno.window(), reno.in_flight()), before);
}

#[test]
fn forgotten_packets_leave_the_flight_without_a_word() {
    let mut reno = control("reno");
    let sent = send(&mut reno, 0, 10);
    reno.forget(sent[3]);
    assert_eq!(reno.in_flight(), u64::from(9 * BYTES));
    assert_eq!(packets(&reno), 10.0);
}

#[test]
fn a_law_that_owns_the_window_keeps_it_when_a_loss_was_none() {
    let mut copa = control("copa");
    let sent = send(&mut copa, 0, 10);
    ack(&mut copa, RTT, &sent[1..]);
    lose(&mut copa, RTT, &sent[..1], false);
    let mut now = RTT;
    // Each packet takes much longer than the first ones did: there is a queue.
    for _ in 0..5 {
        let sent = send(&mut copa, now, 4);
        now += 4 * RTT;
        ack(&mut copa, now, &sent);
    }
    let wanted = copa.window();
    copa.on_spurious(at(now));
    assert_eq!(copa.window(), wanted);
}

/// The window after this many rounds, each with ten packets, of which some were marked.
fn after_marks(law: &str, marked: u64) -> u64 {
    let mut control = control(law);
    for round in 0..12 {
        let sent = send(&mut control, round * RTT, 10);
        let now = (round + 1) * RTT;
        for &number in &sent {
            control.on_acked(at(now), number);
        }
        control.on_marks(marked);
        control.end_acks(at(now), false);
        control.on_marked(at(now), sent[9], at(round * RTT));
    }
    control.window()
}

#[test]
fn a_law_of_the_marked_share_hears_how_many_packets_were_marked() {
    let [few, all] = [1, 10].map(|marked| after_marks("dctcp", marked));
    assert!(few > all, "{few} {all}");
}

#[test]
fn nothing_is_being_repaired_after_a_mark() {
    let mut prague = control("prague");
    let first = send(&mut prague, 0, 10);
    prague.on_acked(at(RTT), first[0]);
    prague.on_marks(1);
    prague.end_acks(at(RTT), false);
    prague.on_marked(at(RTT), first[0], at(0));
    let cut = prague.window();
    for &number in &first[1..] {
        ack(&mut prague, RTT + number, &[number]);
    }
    assert!(prague.window() > cut, "packets without a mark");
    // Losses are repaired, and it does not grow.
    let second = send(&mut prague, 2 * RTT, 10);
    lose(&mut prague, 3 * RTT, &second[..1], false);
    let cut = prague.window();
    ack(&mut prague, 3 * RTT, &second[1..]);
    assert_eq!(prague.window(), cut);
}

#[test]
fn a_packet_that_arrives_late_measures_no_round_trip() {
    let mut reno = control("reno");
    let sent = send(&mut reno, 0, 2);
    ack(&mut reno, RTT, &sent[1..]);
    let srtt = reno.rtt.srtt();
    assert_eq!(srtt, Some(Duration::from_millis(RTT)));
    ack(&mut reno, 9 * RTT, &sent[..1]);
    assert_eq!(reno.rtt.srtt(), srtt);
}
