//! Explicit congestion notification (RFC 3168 section 6.1) and explicit loss notification, segment by
//! segment.

use super::{MSS, plain as config};
use crate::packet::{Ecn, Flags, Hints, Marks, Segment};
use crate::seq::SeqNr;
use crate::tcp::CustomCongestion;
use crate::tcp::config::{CongestionConfig, EcnRules, TcpConfig};
use crate::tcp::congestion::{CongestionControl, Reno};
use crate::tcp::sender::Sender;
use crate::tcp::testing::Script;
use crate::tcp::window::{AckEvent, LossEvent, Response, TimeoutEvent, Window};
use crate::time::{Duration, Time};
use crate::units::Segments;

fn ecn(preset: &str) -> TcpConfig {
    TcpConfig {
        ecn: true,
        ..config(preset, 10)
    }
}

/// The rules of profile `ns2` are ns-2's; these are the RFC's.
fn rfc3168(preset: &str) -> TcpConfig {
    TcpConfig {
        ecn_rules: EcnRules::Rfc3168,
        ..ecn(preset)
    }
}

/// A sender of `config` with an initial window of one segment, which it has sent.
fn one_segment(config: TcpConfig) -> Script {
    let window = Segments::ONE;
    let config = TcpConfig {
        initial_window: window,
        ..config
    };
    Script::sent(config, 1)
}

/// A user's own law that acts as Reno's.
struct Copy;

impl CongestionControl for Copy {
    fn grow(&mut self, ack: &AckEvent, window: &mut Window) {
        Reno.grow(ack, window);
    }

    fn on_loss(&mut self, loss: &LossEvent, window: &Window) -> Response {
        Reno.on_loss(loss, window)
    }

    fn on_timeout(&mut self, timeout: &TimeoutEvent, window: &Window) -> Response {
        Reno.on_timeout(timeout, window)
    }
}

fn users_own() -> TcpConfig {
    let mut config = rfc3168("reno");
    let law = CustomCongestion::new("copy", |_| Copy);
    config.composition.congestion = CongestionConfig::Custom(law);
    config
}

/// An ACK for segment `n` with these control bits beside ACK.
fn ack_with(n: u64, flags: Flags) -> Segment {
    Segment {
        ack: SeqNr(((n - 1) * u64::from(MSS)) as u32),
        window: 1000 * MSS,
        flags: Flags::ACK | flags,
        ..Segment::default()
    }
}

/// A sender with ten segments in flight that asks for explicit loss notifications.
fn listens_for_eln(preset: &str) -> Script {
    let config = TcpConfig {
        eln: true,
        ..config(preset, 10)
    };
    Script::sent(config, 10)
}

fn eln_dupack(n: u64) -> Segment {
    Segment {
        hints: Hints {
            marks: Marks::ELN,
            ..Hints::NONE
        },
        ..ack_with(n, Flags::empty())
    }
}

#[test]
fn a_mark_halves_the_window_and_nothing_is_sent_again() {
    let mut s = Script::sent(ecn("reno"), 10);
    s.receive(&ack_with(2, Flags::ECE));
    s.expect_cwnd(5.0);
    s.expect_ssthresh(5.0);
    s.expect_nothing();
    let counters = *s.sender.counters();
    assert_eq!((counters.ecn_responses, counters.window_cuts), (1, 1));
    assert_eq!((counters.retransmits, counters.fast_retransmits), (0, 0));
}

#[test]
fn one_window_of_data_is_cut_once_and_does_not_grow_under_marks() {
    let mut s = Script::sent(ecn("reno"), 10);
    for n in 2..=11 {
        s.receive(&ack_with(n, Flags::ECE));
        s.expect_cwnd(5.0);
    }
    assert_eq!(s.sender.counters().ecn_responses, 1);
    // Segments sent after the cut belong to another window of data.
    s.expect_sent(11..=15);
    s.receive(&ack_with(12, Flags::ECE));
    s.expect_cwnd(2.5);
    assert_eq!(s.sender.counters().ecn_responses, 2);
}

#[test]
fn without_an_echo_the_window_grows_as_ever() {
    let mut s = Script::sent(ecn("reno"), 10);
    s.receive(&ack_with(2, Flags::empty()));
    s.expect_cwnd(10.1);
}

#[test]
fn a_sender_that_did_not_offer_ecn_ignores_an_echo() {
    let mut s = Script::sent(config("reno", 10), 10);
    s.receive(&ack_with(2, Flags::ECE));
    s.expect_cwnd(10.1);
    assert_eq!(s.sender.counters().ecn_responses, 0);
}

#[test]
fn the_first_new_segment_after_a_cut_says_so() {
    let mut s = Script::sent(ecn("reno"), 10);
    (2..=7).for_each(|n| s.receive(&ack_with(n, Flags::ECE)));
    let first = s
        .poll_segment()
        .expect("a sixth segment in flight leaves room");
    assert_eq!(first.flags, Flags::ACK | Flags::CWR);
    s.receive(&ack_with(8, Flags::empty()));
    assert_eq!(s.poll_segment().expect("one more").flags, Flags::ACK);
}

#[test]
fn a_loss_in_a_window_that_a_mark_has_cut_is_repaired_without_another_cut() {
    let mut s = Script::sent(ecn("newreno"), 10);
    s.receive(&ack_with(2, Flags::ECE));
    s.expect_cwnd(5.0);
    for _ in 0..3 {
        s.receive(&ack_with(2, Flags::empty()));
    }
    s.expect_cwnd(5.0);
    assert_eq!(s.poll().first(), Some(&2));
    assert_eq!(s.sender.counters().fast_retransmits, 1);
}

#[test]
fn a_mark_in_a_window_that_a_loss_has_cut_is_no_reason_for_another_cut() {
    let mut s = Script::sent(ecn("newreno"), 10);
    s.dupacks(3);
    s.expect_cwnd(5.0);
    // This ACK ends the recovery, and echoes a mark of the same window of data.
    s.receive(&ack_with(11, Flags::ECE));
    s.expect_cwnd(5.0);
    assert_eq!(s.sender.counters().ecn_responses, 0);
}

#[test]
fn cerl_takes_a_mark_for_congestion_whatever_the_queue_looks_like() {
    let mut s = Script::sent(ecn("cerl"), 10);
    s.wait(300);
    s.ack(2); // a long round trip, and then a short one: by RTT the queue is empty
    s.expect_sent([11]);
    s.wait(10);
    s.receive(&ack_with(3, Flags::empty()));
    let before = s.sender.window().cwnd.0;
    s.receive(&ack_with(4, Flags::ECE));
    assert!(s.sender.window().cwnd.0 <= before / 2.0 + 1e-9);
}

/// The ECN field and flags of the first segment, and of its retransmission after a cut.
fn first_and_again(config: TcpConfig) -> [(Ecn, Flags); 2] {
    let mut sender = Sender::new(config);
    sender.open();
    sender.write(u64::MAX);
    let now = Time::from_nanos(1_000_000_000);
    let next = |sender: &mut Sender| {
        let departure = sender.poll_departure(now).expect("data");
        (departure.ecn(), sender.segment(departure, now).flags)
    };
    let first = next(&mut sender);
    while sender.poll_departure(now).is_some() {}
    for _ in 0..3 {
        sender.on_segment(now, &ack_with(1, Flags::empty()));
    }
    [first, next(&mut sender)]
}

#[test]
fn what_is_sent_again_is_not_ecn_capable_and_does_not_tell_of_the_cut() {
    let plain = (Ecn::NotEct, Flags::ACK);
    let capable = (Ecn::Ect0, Flags::ACK);
    assert_eq!(first_and_again(rfc3168("reno")), [capable, plain]);
    assert_eq!(first_and_again(config("reno", 10)), [plain, plain]);
}

#[test]
fn in_ns_2_what_is_sent_again_is_ecn_capable_and_tells_of_the_cut() {
    let told = (Ecn::Ect0, Flags::ACK | Flags::CWR);
    assert_eq!(
        first_and_again(ecn("reno")),
        [(Ecn::Ect0, Flags::ACK), told]
    );
}

#[test]
fn data_of_low_latency_carries_the_other_codepoint_also_when_it_is_sent_again() {
    let config = TcpConfig {
        l4s: true,
        ..rfc3168("reno")
    };
    let capable = (Ecn::Ect1, Flags::ACK);
    assert_eq!(first_and_again(config), [capable, capable]);
}

/// The windows after marks in two windows of data, from a window of three segments.
fn windows_after_two_marks(config: TcpConfig) -> Script {
    let window = Segments(3.0);
    let config = TcpConfig {
        initial_window: window,
        initial_ssthresh: Some(window),
        ..config
    };
    let mut s = Script::sent(config, 3);
    s.receive(&ack_with(2, Flags::ECE));
    s.expect_cwnd(1.5);
    s.expect_ssthresh(2.0);
    s.receive(&ack_with(4, Flags::ECE));
    s.expect_sent([4]);
    s.receive(&ack_with(5, Flags::ECE));
    s
}

#[test]
fn a_mark_leaves_a_window_of_one_segment() {
    let mut s = windows_after_two_marks(rfc3168("reno"));
    s.expect_cwnd(1.0);
    s.expect_ssthresh(2.0);
    s.expect_sent([5]);
}

#[test]
fn in_ns_2_a_mark_may_leave_less_than_a_segment_and_then_the_timer_lets_the_next_one_go() {
    let mut s = windows_after_two_marks(ecn("reno"));
    s.expect_cwnd(0.75);
    s.expect_nothing();
    s.wait_for_timeout();
    s.expect_cwnd(1.0);
    s.expect_sent([5]);
}

#[test]
fn a_mark_at_one_segment_makes_the_next_one_wait_for_the_timer() {
    // Among them are laws other than Reno's, a detector that probes after silence, and a user's own law.
    for config in [
        ecn("reno"),
        rfc3168("reno"),
        rfc3168("westwood+"),
        rfc3168("cubic"),
        rfc3168("rack-tlp"),
        users_own(),
    ] {
        let mut s = one_segment(config);
        s.wait(100);
        s.receive(&ack_with(2, Flags::ECE));
        s.expect_nothing();
        // RTT 100 ms, RTTVAR 50 ms.
        s.expect_timer_in(300);
        s.wait_for_timeout();
        s.expect_cwnd(1.0);
        s.expect_sent([2]);
        assert_eq!(s.sender.counters().retransmits, 0);
        // Nothing was lost: the timer is not backed off.
        assert_eq!(s.sender.rto().rto(), Duration::from_millis(300));
        // Without further marks the sender continues normally.
        s.wait(100);
        s.receive(&ack_with(3, Flags::empty()));
        s.expect_cwnd(2.0);
        s.expect_sent([3, 4]);
    }
}

#[test]
fn who_waits_at_one_segment_with_more_in_flight_goes_on_with_the_next_ack() {
    let mut s = windows_after_two_marks(ecn("reno"));
    s.wait_for_timeout();
    s.expect_sent([5]);
    s.receive(&ack_with(6, Flags::empty()));
    s.expect_sent([6, 7]);
    s.receive(&ack_with(7, Flags::ECE));
    s.expect_cwnd(1.0);
    s.expect_nothing();
    s.receive(&ack_with(8, Flags::empty()));
    s.expect_cwnd(2.0);
    s.expect_sent([8, 9]);
}

/// RTOs in milliseconds after consecutive marks at a window of one segment, and after an ACK without a
/// mark.
fn rtos_at_one_segment(config: TcpConfig) -> [u64; 4] {
    let mut s = one_segment(config);
    let mut rto_after = |n, flags| {
        s.wait(100);
        s.receive(&ack_with(n, flags));
        let rto = s.sender.next_timer().expect("a timer").since(s.now);
        if flags.contains(Flags::ECE) {
            s.wait_for_timeout();
        }
        s.poll();
        rto.as_nanos() / 1_000_000
    };
    [
        rto_after(2, Flags::ECE),
        rto_after(3, Flags::ECE),
        rto_after(4, Flags::ECE),
        rto_after(5, Flags::empty()),
    ]
}

#[test]
fn in_ns_2_each_further_mark_at_one_segment_doubles_the_rto() {
    let [first, second, third, unmarked] = rtos_at_one_segment(ecn("reno"));
    // Each sample of 100 ms also makes the RTO itself smaller, down to its minimum.
    assert_eq!((first, second, third), (300, 2 * 250, 4 * 220));
    assert_eq!(unmarked, 200);
    let [first, second, third, _] = rtos_at_one_segment(rfc3168("reno"));
    assert_eq!((first, second, third), (300, 250, 220));
}

#[test]
fn in_ns_2_an_unmarked_ack_ends_the_row_of_marks_at_one_segment() {
    let mut s = one_segment(ecn("reno"));
    s.wait(100);
    s.receive(&ack_with(2, Flags::ECE));
    s.wait_for_timeout();
    s.expect_sent([2]);
    s.wait(100);
    s.receive(&ack_with(3, Flags::empty()));
    s.expect_sent([3, 4]);
    s.expect_timer_in(250);
    s.wait_for_timeout();
    s.expect_cwnd(1.0);
    // The timeout has doubled the RTO; this mark is the first one in sequence.
    s.receive(&ack_with(4, Flags::ECE));
    s.expect_timer_in(500);
}

/// After a timeout of all of segments 1 to 10, an ACK of the first with an echo.
fn echo_after_a_timeout(config: TcpConfig) -> Script {
    let mut s = Script::sent(config, 10);
    s.wait_for_timeout();
    s.expect_sent([1]);
    s.receive(&ack_with(2, Flags::empty()));
    s.expect_sent([2, 3]);
    s.expect_cwnd(2.0);
    s.receive(&ack_with(3, Flags::ECE));
    s
}

#[test]
fn an_echo_of_what_was_sent_before_a_timeout_does_not_cut() {
    let s = echo_after_a_timeout(rfc3168("reno"));
    s.expect_cwnd(2.0);
    assert_eq!(s.sender.counters().ecn_responses, 0);
}

#[test]
fn in_ns_2_an_echo_after_a_timeout_cuts_once_whatever_it_is_about() {
    let mut s = echo_after_a_timeout(ecn("reno"));
    s.expect_cwnd(1.0);
    s.expect_ssthresh(2.0);
    s.receive(&ack_with(4, Flags::ECE));
    assert_eq!(s.sender.counters().ecn_responses, 1);
}

#[test]
fn a_timeout_in_a_window_cut_for_a_mark_keeps_the_threshold() {
    for config in [ecn("reno"), rfc3168("reno")] {
        let mut s = Script::sent(config, 10);
        s.receive(&ack_with(2, Flags::ECE));
        s.expect_ssthresh(5.0);
        s.wait_for_timeout();
        s.expect_cwnd(1.0);
        s.expect_ssthresh(5.0);
        // Another timeout is another instance of congestion.
        s.wait_for_timeout();
        s.expect_ssthresh(2.0);
    }
}

#[test]
fn a_timeout_after_a_fast_retransmit_in_such_a_window_halves_the_threshold() {
    for config in [ecn("reno"), rfc3168("reno")] {
        let mut s = Script::sent(config, 10);
        s.receive(&ack_with(2, Flags::ECE));
        for _ in 0..3 {
            s.receive(&ack_with(2, Flags::empty()));
        }
        s.expect_ssthresh(5.0);
        s.wait_for_timeout();
        s.expect_ssthresh(2.0);
    }
}

/// Segments 1 to 10 sent, the first of them marked, so that the window is 5; segment 2 is lost and sent again
/// while 11 to 14 leave.
fn repair_in_a_cut_window(config: TcpConfig) -> Script {
    let mut s = Script::sent(config, 10);
    s.receive(&ack_with(2, Flags::ECE));
    for _ in 3..=10 {
        s.receive(&ack_with(2, Flags::empty()));
    }
    s.expect_sent([2, 11, 12, 13, 14]);
    s.expect_cwnd(5.0);
    s
}

/// The ACK that ends such a recovery echoes a mark of another window of data.
fn echo_at_the_end_of_a_recovery(config: TcpConfig) -> Script {
    let mut s = repair_in_a_cut_window(config);
    s.receive(&ack_with(12, Flags::ECE));
    s
}

#[test]
fn an_echo_does_not_cut_during_a_recovery() {
    let s = echo_at_the_end_of_a_recovery(rfc3168("reno"));
    s.expect_cwnd(5.0);
    assert_eq!(s.sender.counters().ecn_responses, 1);
}

#[test]
fn in_ns_2_an_echo_of_another_window_cuts_the_inflated_window_during_a_recovery() {
    let s = echo_at_the_end_of_a_recovery(ecn("reno"));
    s.expect_cwnd(6.5); // (5 + 8) / 2
    assert_eq!(s.sender.counters().ecn_responses, 2);
}

/// Ten segments are cut for a mark. When segments 11 to 13 are on their way too, segment 8 turns out to be
/// lost, and after its repair segment `lost`.
fn second_loss_after_a_mark(config: TcpConfig, lost: u64) -> Script {
    let mut s = Script::sent(config, 10);
    s.receive(&ack_with(2, Flags::ECE));
    (3..=8).for_each(|n| s.receive(&ack_with(n, Flags::empty())));
    s.expect_sent([11, 12, 13]);
    (1..=3).for_each(|_| s.receive(&ack_with(8, Flags::empty())));
    assert_eq!(s.sender.counters().fast_retransmits, 1);
    for _ in 0..4 {
        s.receive(&ack_with(lost, Flags::empty()));
    }
    s
}

#[test]
fn a_repair_without_a_cut_forbids_another_recovery_for_what_was_sent_until_the_repair() {
    let s = second_loss_after_a_mark(rfc3168("reno"), 13);
    assert_eq!(s.sender.counters().fast_retransmits, 1);
}

#[test]
fn in_ns_2_it_forbids_another_recovery_for_what_was_sent_until_the_mark() {
    let s = second_loss_after_a_mark(ecn("reno"), 13);
    assert_eq!(s.sender.counters().fast_retransmits, 2);
    let s = second_loss_after_a_mark(ecn("reno"), 11);
    assert_eq!(s.sender.counters().fast_retransmits, 1);
}

/// A mark cuts ten segments, all of which arrive; the next one is lost.
fn loss_right_after_the_window(config: TcpConfig) -> Script {
    let mut s = Script::sent(config, 10);
    s.receive(&ack_with(2, Flags::ECE));
    (3..=11).for_each(|n| s.receive(&ack_with(n, Flags::empty())));
    s.poll();
    let cwnd = s.sender.window().cwnd.0;
    assert!(cwnd > 6.0, "{cwnd}");
    for _ in 0..3 {
        s.receive(&ack_with(11, Flags::empty()));
    }
    assert_eq!(s.sender.counters().fast_retransmits, 1);
    s
}

#[test]
fn the_first_segment_after_a_window_cut_for_a_mark_is_another_windows() {
    let s = loss_right_after_the_window(rfc3168("reno"));
    assert!(s.sender.window().cwnd.0 < 4.0);
}

#[test]
fn in_ns_2_the_first_segment_after_a_window_cut_for_a_mark_is_repaired_without_a_cut() {
    let s = loss_right_after_the_window(ecn("reno"));
    assert!(s.sender.window().cwnd.0 > 6.0);
}

#[test]
fn a_loss_that_a_channel_is_known_for_is_repaired_without_a_cut() {
    let mut s = listens_for_eln("newreno");
    s.receive(&eln_dupack(1));
    s.expect_cwnd(10.0);
    // The first notification is enough. It also says that a segment has left the network, which a new one
    // replaces.
    s.expect_sent([1, 11]);
    s.receive(&eln_dupack(1));
    assert!(!s.poll().contains(&1), "once a round trip");
    assert_eq!(s.sender.counters().window_cuts, 0);
}

#[test]
fn a_second_loss_of_the_same_window_is_repaired_without_a_cut_too() {
    let mut s = listens_for_eln("reno");
    s.receive(&eln_dupack(1));
    s.expect_sent([1, 11]);
    s.ack(4);
    s.poll();
    s.receive(&eln_dupack(4));
    assert_eq!(s.poll().first(), Some(&4));
    assert_eq!(s.sender.counters().window_cuts, 0);
}

#[test]
fn the_next_hole_is_repaired_on_the_ack_that_shows_it() {
    let mut s = listens_for_eln("reno");
    s.receive(&eln_dupack(1));
    s.expect_sent([1, 11]);
    s.receive(&eln_dupack(4)); // an ACK of new data
    assert_eq!(s.poll().first(), Some(&4));
    assert_eq!(s.sender.counters().window_cuts, 0);
}

#[test]
fn without_the_switch_a_notification_changes_nothing() {
    let mut s = Script::sent(config("newreno", 10), 10);
    for _ in 0..3 {
        s.receive(&eln_dupack(1));
    }
    s.expect_cwnd(5.0);
    assert_eq!(s.poll().first(), Some(&1));
}
