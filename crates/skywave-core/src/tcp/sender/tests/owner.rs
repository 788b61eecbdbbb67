//! A law that owns the window: it hears of every ACK after the recovery, and the sender fills the window
//! that it sets.

use std::sync::{Arc, Mutex};

use super::config;
use crate::tcp::config::{CongestionConfig, TcpConfig};
use crate::tcp::congestion::LawFacts;
use crate::tcp::testing::Script;
use crate::tcp::window::{
    AckEvent, IdleEvent, LossEvent, Repairing, Response, TimeoutEvent, Window,
};
use crate::tcp::{CongestionControl, CustomCongestion};
use crate::units::Segments;

#[derive(Clone, Debug, Default)]
struct Heard {
    acks: Vec<AckEvent>,
    /// The window as each ACK found it.
    windows: Vec<Segments>,
    pauses: usize,
}

/// A window that does not change.
struct Fixed {
    cwnd: Segments,
    heard: Arc<Mutex<Heard>>,
}

impl CongestionControl for Fixed {
    fn grow(&mut self, ack: &AckEvent, window: &mut Window) {
        let mut heard = self.heard.lock().expect("nobody panics with it");
        heard.acks.push(*ack);
        heard.windows.push(window.cwnd);
        window.cwnd = self.cwnd;
    }

    fn on_dupack(&mut self, _ack: &AckEvent) {
        panic!("grow is to hear of it");
    }

    fn on_loss(&mut self, _loss: &LossEvent, window: &Window) -> Response {
        Response::unchanged(window)
    }

    fn on_timeout(&mut self, _timeout: &TimeoutEvent, window: &Window) -> Response {
        Response {
            ssthresh: window.ssthresh,
            window_after: Segments::ONE,
        }
    }

    fn on_idle_restart(&mut self, _idle: &IdleEvent, _window: &mut Window) {
        let mut heard = self.heard.lock().expect("nobody panics with it");
        heard.pauses += 1;
    }

    fn facts(&self) -> LawFacts {
        LawFacts {
            owns_window: true,
            needs_rate: true,
            ..LawFacts::default()
        }
    }
}

fn fixed(preset: &str, cwnd: u32) -> (TcpConfig, Arc<Mutex<Heard>>) {
    let heard = Arc::new(Mutex::new(Heard::default()));
    let shared = Arc::clone(&heard);
    let law = CustomCongestion::new("fixed", move |_| Fixed {
        cwnd: Segments(f64::from(cwnd)),
        heard: Arc::clone(&shared),
    });
    let mut config = config(preset, cwnd);
    config.composition.congestion = CongestionConfig::Custom(law);
    (config, heard)
}

fn last_ack(heard: &Arc<Mutex<Heard>>) -> AckEvent {
    let heard = heard.lock().expect("nobody panics with it");
    *heard.acks.last().expect("an ACK")
}

#[test]
fn a_recovery_fills_the_window_and_reduces_nothing() {
    for preset in ["rack-tlp", "sack"] {
        let (config, heard) = fixed(preset, 8);
        let mut s = Script::sent(config, 8);
        s.wait(100);
        s.dupack_sacking(&[2..3]);
        s.dupack_sacking(&[2..4]);
        s.dupack_sacking(&[2..5]);
        s.poll();
        // Segment 1 is lost, 2 to 4 have arrived: eight are in flight again.
        assert_eq!(s.sender.flight().pipe(), 8000, "{preset}");
        s.expect_cwnd(8.0);
        let ack = last_ack(&heard);
        assert_eq!((ack.acked, ack.delivered), (Segments::ZERO, Segments(1.0)));
        assert_eq!((ack.repairing, ack.lost), (Repairing::Loss, Segments::ONE));
        let rate = ack.rate.expect("a sample");
        assert!(rate.flight_now < rate.flight_before, "{preset}");
        s.wait(100);
        s.ack(20.min(s.next()));
        assert_eq!(last_ack(&heard).repairing, Repairing::Nothing);
    }
}

#[test]
fn it_hears_what_a_timeout_left_to_repair() {
    let (config, heard) = fixed("rack-tlp", 4);
    let mut s = Script::sent(config, 4);
    s.wait(100);
    s.ack(2);
    s.expect_sent([5]);
    s.wait_for_probe();
    s.poll();
    s.wait_for_timeout();
    s.expect_cwnd(1.0);
    s.expect_sent([2]);
    s.wait(100);
    s.ack(3);
    assert_eq!(last_ack(&heard).repairing, Repairing::Timeout);
    s.poll();
    s.wait(100);
    s.ack(7);
    assert_eq!(last_ack(&heard).repairing, Repairing::Nothing);
}

#[test]
fn a_segment_sent_again_shows_no_round_trip() {
    let (config, heard) = fixed("sack", 4);
    let mut s = Script::sent(config, 4);
    s.wait(100);
    s.dupack_sacking(&[2..5]);
    let rtt = last_ack(&heard).rate.and_then(|rate| rate.rtt);
    assert_eq!(rtt, Some(crate::time::Duration::from_millis(100)));
    s.dupack_sacking(&[2..6]);
    s.poll();
    s.wait(50);
    s.ack(5);
    let sample = last_ack(&heard).rate.expect("a sample");
    assert_eq!(sample.rtt, None);
}

#[test]
fn it_hears_of_a_short_pause_that_the_application_made() {
    let (config, heard) = fixed("sack", 4);
    let mut s = Script::idle(config);
    s.sender.write(2000);
    s.expect_sent([1, 2]);
    s.wait(100);
    s.ack(3);
    s.wait(10);
    s.sender.write(2000);
    s.expect_sent([3, 4]);
    assert_eq!(heard.lock().expect("nobody panics with it").pauses, 1);
}

#[test]
fn a_detector_that_saw_reordering_leaves_its_window() {
    let (config, heard) = fixed("ncr-careful", 12);
    let mut s = Script::sent(config, 12);
    s.wait(100);
    s.dupack_sacking(&[2..3]);
    s.dupack_sacking(&[2..4]);
    s.poll();
    s.ack(4);
    let heard = heard.lock().expect("nobody panics with it");
    assert_eq!(heard.windows, [Segments(12.0); 3]);
}
