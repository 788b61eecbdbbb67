//! The events that a user's own law receives: rate samples, deliveries, losses, hints, idle restarts; and
//! that the sender obeys its pacing rate.

use std::sync::{Arc, Mutex};

use super::{MSS, config};
use crate::packet::{ContentionDelay, Flags, Hints, Marks, Segment};
use crate::seq::SeqNr;
use crate::tcp::config::{CongestionConfig, TcpConfig};
use crate::tcp::congestion::{LawFacts, standard_growth};
use crate::tcp::flight::LossSample;
use crate::tcp::testing::{Script, assert_near};
use crate::tcp::window::{
    AckEvent, IdleEvent, LossCause, LossEvent, Response, SpuriousEvent, TimeoutEvent, Window,
};
use crate::tcp::{CongestionControl, CustomCongestion};
use crate::time::{Duration, Time};
use crate::units::{Rate, Segments};

/// Events that the law below received.
#[derive(Clone, Debug, Default)]
struct Heard {
    acks: Vec<AckEvent>,
    causes: Vec<LossCause>,
    hints: Vec<Hints>,
    idle: Vec<Duration>,
    resumed: Vec<Duration>,
    spurious: usize,
    lost: Vec<LossSample>,
}

/// Reno that records the events that it receives.
struct Listener {
    heard: Arc<Mutex<Heard>>,
    rate: Option<Rate>,
}

impl Listener {
    fn note(&self, note: impl FnOnce(&mut Heard)) {
        note(&mut self.heard.lock().expect("nobody panics with it"));
    }
}

impl CongestionControl for Listener {
    fn grow(&mut self, ack: &AckEvent, window: &mut Window) {
        self.note(|h| h.acks.push(*ack));
        standard_growth(ack, window);
    }

    fn on_dupack(&mut self, ack: &AckEvent) {
        self.note(|h| h.acks.push(*ack));
    }

    fn on_loss(&mut self, loss: &LossEvent, _window: &Window) -> Response {
        self.note(|h| h.causes.push(loss.cause));
        Response::cut_to(loss.window / 2.0)
    }

    fn on_timeout(&mut self, timeout: &TimeoutEvent, _window: &Window) -> Response {
        Response::restart(timeout.window / 2.0)
    }

    fn on_spurious(&mut self, _spurious: &SpuriousEvent, _window: &mut Window) {
        self.note(|h| h.spurious += 1);
    }

    fn on_resume(&mut self, idle: &IdleEvent) {
        self.note(|h| h.resumed.push(idle.idle));
    }

    fn on_idle_restart(&mut self, idle: &IdleEvent, window: &mut Window) {
        self.note(|h| h.idle.push(idle.idle));
        window.cwnd = Segments(3.0);
    }

    fn on_hints(&mut self, _now: Time, hints: &Hints, _window: &mut Window) {
        self.note(|h| h.hints.push(*hints));
    }

    fn on_segment_lost(&mut self, _now: Time, lost: &LossSample, _window: &Window) {
        self.note(|h| h.lost.push(*lost));
    }

    fn facts(&self) -> LawFacts {
        LawFacts {
            needs_rate: true,
            needs_losses: true,
            ..LawFacts::default()
        }
    }

    fn pacing_rate(&self) -> Option<Rate> {
        self.rate
    }

    fn send_quantum(&self) -> Option<u64> {
        Some(0) // one segment at least
    }
}

fn listening(preset: &str, window: u32, rate: Option<Rate>) -> (TcpConfig, Arc<Mutex<Heard>>) {
    let heard = Arc::new(Mutex::new(Heard::default()));
    let shared = Arc::clone(&heard);
    let law = CustomCongestion::new("listener", move |_| Listener {
        heard: Arc::clone(&shared),
        rate,
    });
    let mut config = config(preset, window);
    config.composition.congestion = CongestionConfig::Custom(law);
    (config, heard)
}

fn last_ack(heard: &Arc<Mutex<Heard>>) -> AckEvent {
    let heard = heard.lock().expect("nobody panics with it");
    *heard.acks.last().expect("an ACK")
}

#[test]
fn a_sample_is_what_was_delivered_since_the_segment_was_sent() {
    let (config, heard) = listening("sack", 4, None);
    let mut s = Script::sent(config, 4);
    s.wait(100);
    s.ack(3); // segments 1 and 2, sent when nothing had been delivered
    let sample = last_ack(&heard).rate.expect("a sample");
    assert_eq!((sample.delivered, sample.prior_delivered), (2000, 0));
    assert_eq!(sample.interval, Duration::from_millis(100));
    assert_eq!(sample.rate(), Some(Rate::from_bps(160_000)));
    assert_eq!(sample.flight_at_send, 2000, "itself and segment 1");
    assert!(!sample.app_limited);
    s.expect_sent([5, 6]);
    s.wait(50);
    s.ack(5); // segments 3 and 4: sent 150 ms ago, 4000 bytes delivered since
    let sample = last_ack(&heard).rate.expect("a sample");
    assert_eq!((sample.delivered, sample.total_delivered), (4000, 4000));
    assert_eq!(sample.interval, Duration::from_millis(150));
    s.wait(50);
    s.ack(7); // segments 5 and 6: sent 100 ms ago, when 2000 had been delivered
    let sample = last_ack(&heard).rate.expect("a sample");
    assert_eq!((sample.delivered, sample.prior_delivered), (4000, 2000));
    assert_eq!(sample.interval, Duration::from_millis(100));
}

#[test]
fn sack_blocks_deliver_and_each_byte_counts_once() {
    let (config, heard) = listening("sack", 6, None);
    let mut s = Script::sent(config, 6);
    s.wait(100);
    s.dupack_sacking(&[2..3]);
    let ack = last_ack(&heard);
    assert_eq!((ack.acked, ack.delivered), (Segments::ZERO, Segments(1.0)));
    assert_eq!(ack.rate.map(|r| r.total_delivered), Some(1000));
    s.dupack_sacking(&[2..4]);
    s.dupack_sacking(&[2..5]);
    assert_eq!(last_ack(&heard).delivered, Segments(1.0));
    // The last ACK showed segment 1 lost, and the partial ACK shows segment 5 lost.
    s.wait(100);
    s.ack(5);
    let ack = last_ack(&heard);
    assert_eq!((ack.acked, ack.delivered), (Segments(4.0), Segments(1.0)));
    assert_eq!(ack.lost, Segments(2.0));
    let total = ack.rate.map(|r| r.total_delivered);
    assert_eq!(total, Some(4000));
}

#[test]
fn a_segment_sent_again_has_a_new_snapshot() {
    let (config, heard) = listening("sack", 6, None);
    let mut s = Script::sent(config, 6);
    s.wait(100);
    s.dupack_sacking(&[2..5]);
    s.dupack_sacking(&[2..6]);
    s.dupack_sacking(&[2..7]);
    assert_eq!(s.poll().first(), Some(&1));
    s.wait(40);
    s.ack(7);
    let sample = last_ack(&heard).rate.expect("a sample");
    // Sent again when 3000 bytes had been delivered; 3000 since.
    assert_eq!((sample.delivered, sample.prior_delivered), (3000, 3000));
    assert_eq!(
        sample.interval,
        Duration::from_millis(100),
        "the sending took longer"
    );
}

#[test]
fn what_arrives_too_soon_after_it_was_sent_again_is_the_original() {
    for (after, original) in [(40, true), (100, false)] {
        let (config, heard) = listening("sack", 6, None);
        let mut s = Script::sent(config, 6);
        s.wait(100);
        for newest in [5, 6, 7] {
            s.dupack_sacking(&[2..newest]);
        }
        assert_eq!(s.poll().first(), Some(&1));
        s.wait(after);
        s.ack(7);
        let sample = last_ack(&heard).rate.expect("a sample");
        assert_eq!(sample.of_original, original, "{after} ms after that");
    }
}

#[test]
fn an_application_that_writes_too_little_is_seen_in_the_sample() {
    let (config, heard) = listening("sack", 10, None);
    let mut s = Script::idle(config);
    s.sender.write(2 * u64::from(MSS));
    s.expect_sent([1, 2]);
    s.sender.write(u64::from(MSS));
    s.expect_sent([3]);
    s.wait(100);
    s.ack(3);
    assert!(
        !last_ack(&heard).rate.expect("a sample").app_limited,
        "sent before the pause"
    );
    s.ack(4);
    assert!(last_ack(&heard).rate.expect("a sample").app_limited);
    // A full window ends the state in which the application limits the sender.
    s.sender.write(u64::MAX);
    let sent = s.poll();
    s.wait(100);
    s.ack(sent[sent.len() - 1] + 1);
    let sent = s.poll();
    s.wait(100);
    s.ack(sent[sent.len() - 1] + 1);
    assert!(!last_ack(&heard).rate.expect("a sample").app_limited);
}

#[test]
fn the_law_hears_how_a_loss_was_found() {
    let causes = |preset: &str, drive: &dyn Fn(&mut Script)| {
        let (config, heard) = listening(preset, 10, None);
        let mut s = Script::sent(config, 10);
        s.wait(100);
        drive(&mut s);
        let heard = heard.lock().expect("nobody panics with it");
        heard.causes.clone()
    };
    assert_eq!(causes("newreno", &|s| s.dupacks(3)), [LossCause::Dupacks]);
    let blocks = |s: &mut Script| {
        s.dupack_sacking(&[2..3, 4..5, 6..7, 8..9]);
    };
    assert_eq!(causes("sack", &blocks), [LossCause::Sack]);
    let by_time = |s: &mut Script| {
        s.ack(2);
        s.dupack_sacking(&[3..4]);
        s.dupack_sacking(&[3..11]);
        s.wait_for_silence();
    };
    assert_eq!(causes("dcr", &by_time), [LossCause::Time]);
    let mark = |s: &mut Script| {
        s.receive(&Segment {
            ack: SeqNr(MSS),
            window: 1000 * MSS,
            flags: Flags::ACK | Flags::ECE,
            ..Segment::default()
        });
    };
    assert_eq!(causes("newreno", &mark), [], "ECN is off");
}

/// What the law has heard of lost segments since the last look: their numbers, and the bytes in flight when
/// each was sent and lost since, in segments.
fn lost(heard: &Arc<Mutex<Heard>>) -> Vec<(u64, u64, u64)> {
    let mss = u64::from(MSS);
    let lost = std::mem::take(&mut heard.lock().expect("nobody panics with it").lost);
    let in_segments = |lost: LossSample| {
        assert_eq!(lost.end - lost.start, mss);
        let number = lost.start / mss + 1;
        (number, lost.flight_at_send / mss, lost.lost / mss)
    };
    lost.into_iter().map(in_segments).collect()
}

#[test]
fn the_law_hears_of_each_lost_segment_what_was_in_flight_when_it_was_sent() {
    for preset in ["sack", "rack-tlp"] {
        let (config, heard) = listening(preset, 8, None);
        let mut s = Script::sent(config, 8);
        s.wait(100);
        // Segments 1, 3 and 5 are lost.
        s.dupack_sacking(&[2..3]);
        s.dupack_sacking(&[4..5, 2..3]);
        s.dupack_sacking(&[6..7, 4..5, 2..3]);
        s.dupack_sacking(&[6..9, 4..5, 2..3]);
        s.wait(100);
        s.on_timer();
        s.poll();
        s.dupack_sacking(&[6..9, 4..5, 2..3]);
        assert_eq!(lost(&heard), [(1, 1, 1), (3, 3, 2), (5, 5, 3)], "{preset}");
        let heard = heard.lock().expect("nobody panics with it");
        let total: f64 = heard.acks.iter().map(|ack| ack.lost.0).sum();
        assert_near(total, 3.0, preset);
    }
}

#[test]
fn a_timeout_loses_all_that_is_not_held() {
    let (config, heard) = listening("sack", 4, None);
    let mut s = Script::sent(config, 4);
    s.wait(100);
    s.dupack_sacking(&[3..4]);
    s.wait_for_timeout();
    s.wait(100);
    s.ack(2);
    // Segment 5 went on the first duplicate ACK, which had reported one of the four.
    assert_eq!(lost(&heard), [(1, 1, 1), (2, 2, 2), (4, 4, 3), (5, 4, 4)]);
    // A segment sent again is lost again: what counts is when it was sent last.
    s.poll();
    s.wait_for_timeout();
    s.wait(100);
    s.ack(4);
    // The others of then count as in flight, as they were not sent again.
    assert_eq!(lost(&heard), [(2, 3, 1)]);
}

#[test]
fn hints_and_pauses_reach_the_law() {
    let (config, heard) = listening("newreno", 4, None);
    let config = TcpConfig {
        restart_after_idle: true,
        ..config
    };
    let mut s = Script::idle(config);
    s.sender.write(4 * u64::from(MSS));
    s.expect_sent(1..=4);
    s.wait(100);
    let contention = ContentionDelay::from_duration(Duration::from_micros(800));
    let hints = Hints {
        marks: Marks::CONGESTION_WARNING,
        contention,
    };
    s.receive(&Segment {
        ack: SeqNr(4 * MSS),
        window: 1000 * MSS,
        flags: Flags::ACK,
        hints,
        ..Segment::default()
    });
    assert_eq!(last_ack(&heard).hints, hints);
    s.wait(5000);
    s.sender.write(100 * u64::from(MSS));
    s.expect_sent(5..=7);
    let heard = heard.lock().expect("nobody panics with it");
    assert_eq!(heard.hints, [hints]);
    assert_eq!(heard.idle, [Duration::from_millis(5100)]);
}

#[test]
fn reordering_that_looked_like_a_loss_reaches_the_law() {
    let (config, heard) = listening("ncr-careful", 10, None);
    let mut s = Script::sent(config, 10);
    s.wait(100);
    s.dupack_sacking(&[2..3]);
    s.ack(3);
    assert_eq!(heard.lock().expect("nobody panics with it").spurious, 1);
}

#[test]
fn a_laws_own_rate_sets_the_pace() {
    // 80 kb/s are a segment of 1000 bytes every 100 ms.
    let (config, _) = listening("newreno", 4, Some(Rate::from_bps(80_000)));
    let mut s = Script::new(config);
    s.expect_sent([1]);
    s.wait(99);
    s.on_timer();
    s.expect_nothing();
    s.wait(1);
    s.on_timer();
    s.expect_sent([2]);
    // The sender does not catch up for unused time.
    s.wait(1000);
    s.on_timer();
    s.expect_sent([3]);
    s.expect_timer_in(100);
}

/// Of a pause every law hears, whether or not its window begins again; of a window that was full for as long as nothing
/// was in flight, none.
#[test]
fn a_law_hears_of_a_pause() {
    for restarts in [false, true] {
        let (mut config, heard) = listening("sack", 4, None);
        config.restart_after_idle = restarts;
        let resumed = || heard.lock().expect("nobody panics with it").resumed.clone();
        let mut s = Script::idle(config);
        s.sender.write(8 * u64::from(MSS));
        s.expect_sent(1..=4);
        s.wait(100);
        s.ack(5); // the flight is empty, and more leaves at once
        s.expect_sent(5..=8);
        s.wait(100);
        s.ack(9);
        assert_eq!(resumed(), []);
        s.wait(60_000);
        s.sender.write(u64::from(MSS));
        s.expect_sent([9]);
        assert_eq!(
            resumed(),
            [Duration::from_millis(60_100)],
            "since the last one was sent"
        );
    }
}

/// As M-TCP's proxy acknowledges: all but the last byte.
#[test]
fn a_part_of_a_segment_is_delivered_when_it_is_acknowledged() {
    let (config, heard) = listening("sack", 4, None);
    let mut s = Script::sent(config, 4);
    let mut ack = |ms, bytes| {
        s.wait(ms);
        let ack = Segment {
            ack: SeqNr(bytes),
            window: 1000 * MSS,
            flags: Flags::ACK,
            ..Segment::default()
        };
        s.receive(&ack);
        last_ack(&heard).rate
    };
    let sample = ack(100, 1999).expect("segment 1 is a sample");
    assert_eq!((sample.delivered, sample.total_delivered), (1999, 1999));
    assert_eq!(ack(10, 1999), None, "old news");
    let sample = ack(90, 3999).expect("segment 3 is a sample");
    assert_eq!((sample.delivered, sample.total_delivered), (3999, 3999));
    let sample = ack(100, 5999).expect("segment 5 is a sample");
    assert_eq!((sample.delivered, sample.prior_delivered), (4000, 1999));
    assert_eq!(
        sample.rate(),
        Some(Rate::from_bps(160_000)),
        "4000 bytes in 200 ms"
    );
}

/// What the receiver has no room for says as little of the path as what the application has not written; but for a
/// window that is as full as the receiver's.
#[test]
fn a_receiver_without_room_is_seen_in_the_sample() {
    for (window, limited) in [(10, true), (4, false)] {
        let (mut config, heard) = listening("sack", window, None);
        config.rwnd = 4 * MSS;
        config.max_cwnd = Segments(f64::from(window));
        let mut s = Script::sent(config, 4);
        s.wait(100);
        s.ack(3);
        s.expect_sent([5, 6]);
        s.wait(100);
        s.ack(7);
        let sample = last_ack(&heard).rate.expect("a sample of segment 6");
        assert_eq!(sample.app_limited, limited, "{window}");
    }
}

/// No answer is awaited while the peer's window is shut in M-TCP or Freeze-TCP.
#[test]
fn what_was_in_flight_while_the_connection_stood_still_measures_nothing() {
    let (config, heard) = listening("sack", 4, None);
    let mut s = Script::sent(config, 4);
    s.wait(100);
    s.ack(3);
    s.expect_sent([5, 6]);
    let before = s.sender.rto().srtt();
    s.sender.stop_waiting();
    s.expect_no_timer();
    s.wait(1_000_000);
    s.sender.stop_waiting(); // the answer of a probe: the window is still shut
    assert!(s.sender.wait_again(s.now));
    assert!(!s.sender.wait_again(s.now), "it is awaited");
    let resumed = heard.lock().expect("nobody panics with it").resumed.clone();
    assert_eq!(resumed, [Duration::from_secs(1000)]);
    s.wait(50);
    s.ack(7);
    let ack = last_ack(&heard);
    assert_eq!((ack.rtt, ack.segment_rtt), (None, None));
    let sample = ack.rate.expect("a sample");
    assert_eq!((sample.rtt, sample.app_limited), (None, true));
    assert_eq!(s.sender.rto().srtt(), before);
    // What is sent after it does.
    let sent = s.poll();
    assert_eq!(sent.first(), Some(&7));
    s.wait(100);
    s.ack(8);
    let ack = last_ack(&heard);
    assert_eq!(ack.segment_rtt, Some(Duration::from_millis(100)));
    assert_eq!(ack.rate.and_then(|sample| sample.rtt), ack.segment_rtt);
}
