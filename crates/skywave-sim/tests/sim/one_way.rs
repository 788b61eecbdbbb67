//! One-way delays as laws hear of them: in TCP by timestamps, in QUIC by arrival times in ACKs.

use std::sync::{Arc, Mutex};

use skywave_core::clock::{Clock, Clocks};
use skywave_core::quic;
use skywave_core::tcp::window::{AckEvent, LossEvent, Response, TimeoutEvent, Window};
use skywave_core::tcp::{CongestionConfig, CongestionControl, CustomCongestion, TcpConfig};
use skywave_core::{Duration, Offset, Segments};
use skywave_sim::simulate;
use skywave_sim::spec::{FlowSpec, Transport};

use crate::common::{detailed, ftp, link, tcp, wire};

/// What an ACK told: round trip and one-way delay.
type Heard = Vec<(Option<Duration>, Option<Offset>)>;

/// A law whose window stays as it is, and which writes down what it hears.
struct Listener(Arc<Mutex<Heard>>);

const WINDOW: Segments = Segments(20.0);

impl CongestionControl for Listener {
    fn grow(&mut self, ack: &AckEvent, window: &mut Window) {
        window.cwnd = WINDOW;
        let mut heard = self.0.lock().expect("nobody has failed");
        heard.push((ack.rtt, ack.one_way.map(|delays| delays.least)));
    }

    fn on_loss(&mut self, _: &LossEvent, _: &Window) -> Response {
        Response::cut_to(WINDOW)
    }

    fn on_timeout(&mut self, _: &TimeoutEvent, _: &Window) -> Response {
        Response::restart(WINDOW)
    }
}

fn listener() -> (CongestionConfig, Arc<Mutex<Heard>>) {
    let heard = Arc::new(Mutex::new(Heard::new()));
    let told = heard.clone();
    let law = CustomCongestion::new("listener", move |_| Listener(told.clone()));
    (CongestionConfig::Custom(law), heard)
}

const MS: Duration = Duration::from_millis(1);

/// Ten seconds over 10 Mb/s, 40 ms there and 20 ms back; with an upload, CUBIC's data fill the way back.
fn run(flow: FlowSpec, upload: bool) {
    let (out, back) = (wire(10.0, 40.0, 100), wire(10.0, 20.0, 100));
    let links = vec![link("out", 0, 1, out), link("back", 1, 0, back)];
    let mut spec = detailed(&["A", "B"], links, flow, 10);
    if upload {
        spec.flows.push(ftp("upload", 1, 0, tcp("cubic")));
    }
    let delivered = simulate(&spec).flows[0].delivered_bytes;
    assert!(delivered > 100_000, "{delivered}");
}

fn by_tcp(clocks: Option<Clocks>, upload: bool) -> Heard {
    let (law, heard) = listener();
    let mut config = TcpConfig {
        clocks,
        ..tcp("reno")
    };
    config.composition.congestion = law;
    run(ftp("flow", 0, 1, config), upload);
    let heard = std::mem::take(&mut *heard.lock().expect("nobody has failed"));
    assert!(heard.len() > 500, "{}", heard.len());
    heard
}

fn by_quic(receive_times: bool, clock: Option<Clock>, upload: bool) -> Heard {
    let (law, heard) = listener();
    let mut flow = ftp("flow", 0, 1, tcp("reno"));
    let config = quic::Config {
        receive_times,
        clock,
        ..quic::Config::new(law)
    };
    flow.transport = Transport::Quic {
        config: Arc::new(config),
        header: 28,
    };
    run(flow, upload);
    let heard = std::mem::take(&mut *heard.lock().expect("nobody has failed"));
    assert!(heard.len() > 500, "{}", heard.len());
    heard
}

/// All one-way delays in milliseconds.
fn delays(heard: &Heard) -> Vec<f64> {
    let told = heard.iter().filter_map(|(_, one_way)| *one_way);
    told.map(|delay| delay.as_nanos() as f64 / 1e6).collect()
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

fn rtts(heard: &Heard) -> Vec<f64> {
    let told = heard.iter().filter_map(|(rtt, _)| *rtt);
    told.map(|rtt| rtt.as_secs_f64() * 1e3).collect()
}

const TICKING: Clock = Clock {
    tick: Duration::from_millis(4),
    offset: Offset::from_nanos(-3_000_000_000),
    drift: 1e-4,
};

#[test]
fn a_queue_on_the_way_back_is_in_the_round_trip_alone() {
    for heard in [by_tcp(None, true), by_quic(true, None, true)] {
        let (delays, rtts) = (delays(&heard), rtts(&heard));
        assert!(largest(&rtts) > least(&rtts) + 50.0, "{}", largest(&rtts));
        // The window of 20 segments makes a queue of some on the way there, in slow start and after it.
        assert!(least(&delays) > 40.0, "{}", least(&delays));
        assert!(largest(&delays) < 40.0 + 20.0 * 1.3, "{}", largest(&delays));
    }
}

#[test]
fn in_tcp_clocks_change_what_laws_hear_and_nothing_else() {
    let exact = by_tcp(None, false);
    let clocks = Clocks {
        receiver: TICKING,
        sender_tick: MS,
    };
    let coarse = by_tcp(Some(clocks), false);
    assert_eq!(rtts(&exact), rtts(&coarse));
    // Ten seconds gain 1 ms; the receiver's readings are up to 4 ms early, the sender's up to 1.
    for (exact, coarse) in delays(&exact).iter().zip(delays(&coarse)) {
        let error = coarse - (exact - 3000.0);
        assert!((-4.0..2.0).contains(&error), "{error} ms");
        assert_eq!(coarse.rem_euclid(1.0), 0.0, "{coarse}");
    }
    assert_eq!(delays(&exact).len(), delays(&coarse).len());
}

#[test]
fn in_quic_acks_tell_arrivals_if_that_was_agreed_on() {
    assert_eq!(delays(&by_quic(false, None, false)), [0.0; 0]);
    let exact = by_quic(true, None, false);
    let told = delays(&exact);
    assert!(
        told.len() * 100 > exact.len() * 99,
        "{} of {}",
        told.len(),
        exact.len()
    );
    // The first packet finds the way empty: 1500 bytes at 10 Mb/s. Arrivals are told in whole microseconds.
    assert!((41.199..=41.2).contains(&least(&told)), "{}", least(&told));
    let coarse = by_quic(true, Some(TICKING), false);
    // Coarse times take fewer bytes, so that ACKs are some microseconds earlier.
    for (exact, coarse) in told.iter().zip(delays(&coarse)) {
        let error = coarse - exact;
        assert!(
            (-4.0..1.01).contains(&error),
            "{error} ms: times begin at the start"
        );
    }
}
