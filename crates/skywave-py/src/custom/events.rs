//! Events that members written in Python are told, and their answers. Times are in seconds, windows in
//! segments, positions in bytes.

use pyo3::prelude::*;
use skywave_core::packet::{Hints, Marks};
use skywave_core::tcp::window::{LossCause, Repairing};
use skywave_core::tcp::{detection, flight, window};
use skywave_core::units::Segments;
use skywave_core::{Duration, Time};

/// Seconds of a length of time.
pub(super) fn seconds(length: Duration) -> f64 {
    length.as_secs_f64()
}

/// Seconds since the start of the run.
pub(super) fn since_start(time: Time) -> f64 {
    seconds(time.since(Time::ZERO))
}

/// The time `seconds` after the start of the run.
pub(super) fn time_at(seconds: f64) -> Time {
    Time::ZERO + Duration::from_secs_f64(seconds)
}

macro_rules! getters {
    ($class:ident: $($field:ident $type:ty = $read:expr;)*) => {
        #[pymethods]
        impl $class {
            $(#[getter]
            fn $field(&self) -> $type {
                let read: fn(&Self) -> $type = $read;
                read(self)
            })*
        }
    };
}

/// New data was acknowledged, or a duplicate ACK came.
#[pyclass(frozen, module = "skywave")]
pub(crate) struct AckEvent(pub(crate) window::AckEvent);

getters! { AckEvent:
    now f64 = |e| since_start(e.0.now);
    acked f64 = |e| e.0.acked.0;
    counted f64 = |e| e.0.counted.0;
    may_grow bool = |e| e.0.may_grow;
    rtt Option<f64> = |e| e.0.rtt.map(seconds);
    segment_rtt Option<f64> = |e| e.0.segment_rtt.map(seconds);
    srtt Option<f64> = |e| e.0.srtt.map(seconds);
    una u64 = |e| e.0.una;
    nxt u64 = |e| e.0.nxt;
    in_flight f64 = |e| e.0.in_flight.0;
    in_flight_before f64 = |e| e.0.in_flight_before.0;
    delivered f64 = |e| e.0.delivered.0;
    lost f64 = |e| e.0.lost.0;
    marked f64 = |e| e.0.marked.0;
    rate Option<RateSample> = |e| e.0.rate.map(RateSample);
    repairing &'static str = |e| repairing(e.0.repairing);
    eln bool = |e| e.0.hints.is_eln();
    congestion_warning bool = |e| e.0.hints.marks.contains(Marks::CONGESTION_WARNING);
    contention f64 = |e| seconds({ e.0.hints.contention }.to_duration());
    one_way Option<f64> = |e| e.0.one_way.map(|delays| delays.least.as_secs_f64());
}

/// Sample of the rate of delivery that an ACK gives.
#[pyclass(frozen, module = "skywave")]
pub(crate) struct RateSample(flight::RateSample);

getters! { RateSample:
    rate Option<f64> = |r| r.0.rate().map(|rate| rate.as_bps() as f64);
    delivered u64 = |r| r.0.delivered;
    interval f64 = |r| seconds(r.0.interval);
    prior_delivered u64 = |r| r.0.prior_delivered;
    total_delivered u64 = |r| r.0.total_delivered;
    flight_at_send u64 = |r| r.0.flight_at_send;
    flight_before u64 = |r| r.0.flight_before;
    flight_now u64 = |r| r.0.flight_now;
    rtt Option<f64> = |r| r.0.rtt.map(seconds);
    lost u64 = |r| r.0.lost;
    app_limited bool = |r| r.0.app_limited;
}

fn repairing(repairing: Repairing) -> &'static str {
    match repairing {
        Repairing::Nothing => "nothing",
        Repairing::Loss => "loss",
        Repairing::Timeout => "timeout",
    }
}

fn cause(cause: LossCause) -> &'static str {
    match cause {
        LossCause::Dupacks => "dupacks",
        LossCause::Sack => "sack",
        LossCause::Time => "time",
        LossCause::Probe => "probe",
        LossCause::Eln => "eln",
        LossCause::Mark => "mark",
    }
}

/// A segment was found lost before its retransmission timer expired.
#[pyclass(frozen, module = "skywave")]
pub(crate) struct LossEvent(pub(super) window::LossEvent);

getters! { LossEvent:
    now f64 = |e| since_start(e.0.now);
    cause &'static str = |e| cause(e.0.cause);
    una u64 = |e| e.0.una;
    max u64 = |e| e.0.max;
    window f64 = |e| e.0.window.0;
    in_flight f64 = |e| e.0.in_flight.0;
    outstanding f64 = |e| e.0.outstanding.0;
    sent_at f64 = |e| since_start(e.0.sent_at);
    transmissions u32 = |e| e.0.transmissions;
    floor f64 = |e| e.0.floor.0;
}

/// The retransmission timer expired.
#[pyclass(frozen, module = "skywave")]
pub(crate) struct TimeoutEvent(pub(super) window::TimeoutEvent);

getters! { TimeoutEvent:
    now f64 = |e| since_start(e.0.now);
    window f64 = |e| e.0.window.0;
    in_flight f64 = |e| e.0.in_flight.0;
    outstanding f64 = |e| e.0.outstanding.0;
}

/// A supposed loss was none.
#[pyclass(frozen, module = "skywave")]
pub(crate) struct SpuriousEvent(pub(super) window::SpuriousEvent);

getters! { SpuriousEvent:
    now f64 = |e| since_start(e.0.now);
    outstanding f64 = |e| e.0.outstanding.0;
}

/// Data is about to be sent after a pause.
#[pyclass(frozen, module = "skywave")]
pub(crate) struct IdleEvent(pub(super) window::IdleEvent);

getters! { IdleEvent:
    now f64 = |e| since_start(e.0.now);
    idle f64 = |e| seconds(e.0.idle);
    initial_window f64 = |e| e.0.initial_window.0;
}

/// Hints about the way of the data that the receiver tells.
#[pyclass(frozen, module = "skywave")]
pub(crate) struct HintsEvent {
    pub(super) now: Time,
    pub(super) hints: Hints,
}

getters! { HintsEvent:
    now f64 = |e| since_start(e.now);
    eln bool = |e| e.hints.is_eln();
    congestion_warning bool = |e| e.hints.marks.contains(Marks::CONGESTION_WARNING);
    contention f64 = |e| seconds({ e.hints.contention }.to_duration());
}

/// The sender's congestion state.
#[pyclass(module = "skywave")]
pub(crate) struct Window(pub(crate) window::Window);

impl Default for Window {
    fn default() -> Self {
        Self(window::Window {
            cwnd: Segments::ONE,
            ssthresh: Segments::ONE,
        })
    }
}

#[pymethods]
impl Window {
    #[getter]
    fn cwnd(&self) -> f64 {
        self.0.cwnd.0
    }

    #[setter]
    fn set_cwnd(&mut self, value: f64) {
        self.0.cwnd = Segments(value);
    }

    #[getter]
    fn ssthresh(&self) -> f64 {
        self.0.ssthresh.0
    }

    #[setter]
    fn set_ssthresh(&mut self, value: f64) {
        self.0.ssthresh = Segments(value);
    }

    fn __repr__(&self) -> String {
        let Self(window) = self;
        format!(
            "Window(cwnd={}, ssthresh={})",
            window.cwnd.0, window.ssthresh.0
        )
    }
}

/// A window law's answer to a loss or a timeout.
#[pyclass(frozen, module = "skywave")]
pub(crate) struct Response(pub(super) window::Response);

#[pymethods]
impl Response {
    #[new]
    fn new(ssthresh: f64, window_after: f64) -> Self {
        Self(window::Response {
            ssthresh: Segments(ssthresh),
            window_after: Segments(window_after),
        })
    }

    /// Both at `window`, but at least two segments (RFC 5681 equation 4).
    #[staticmethod]
    fn cut_to(window: f64) -> Self {
        Self(window::Response::cut_to(Segments(window)))
    }

    /// After a timeout: threshold at `window` (at least two segments), restart with one segment.
    #[staticmethod]
    fn restart(window: f64) -> Self {
        Self(window::Response::restart(Segments(window)))
    }

    #[getter]
    fn ssthresh(&self) -> f64 {
        self.0.ssthresh.0
    }

    #[getter]
    fn window_after(&self) -> f64 {
        self.0.window_after.0
    }

    fn __repr__(&self) -> String {
        let (ssthresh, after) = (self.ssthresh(), self.window_after());
        format!("Response(ssthresh={ssthresh}, window_after={after})")
    }
}

/// The sender's sequence space, as it was when the method was called.
#[pyclass(frozen, module = "skywave")]
pub(crate) struct Flight(pub(super) flight::Flight);

getters! { Flight:
    una u64 = |f| f.0.una();
    nxt u64 = |f| f.0.nxt();
    max u64 = |f| f.0.max();
    in_flight u64 = |f| f.0.in_flight();
    pipe u64 = |f| f.0.pipe();
    sacked_bytes u64 = |f| f.0.sacked_bytes();
    highest_sacked u64 = |f| f.0.highest_sacked();
    segments Vec<Sent> = |f| f.0.segments().map(Sent).collect();
    first Option<Sent> = |f| f.0.first().map(Sent);
    delivery Option<Delivery> = |f| f.0.delivery().map(Delivery::new);
}

/// The latest delivery, for a detector that needs deliveries.
#[pyclass(frozen, module = "skywave")]
pub(crate) struct Delivery {
    rtt: Duration,
    min_rtt: Duration,
    reordered: bool,
}

impl Delivery {
    fn new(delivery: &flight::Delivery) -> Self {
        Self {
            rtt: delivery.rtt(),
            min_rtt: delivery.min_rtt(),
            reordered: delivery.reordered(),
        }
    }
}

getters! { Delivery:
    rtt f64 = |d| seconds(d.rtt);
    min_rtt f64 = |d| seconds(d.min_rtt);
    reordered bool = |d| d.reordered;
}

/// Answer of a detector to its own timer or to a delivery.
#[pyclass(frozen, module = "skywave")]
pub(crate) struct Finding(pub(super) detection::Finding);

#[pymethods]
impl Finding {
    #[classattr]
    const NOTHING: Self = Self(detection::Finding::Nothing);
    #[classattr]
    const LOST: Self = Self(detection::Finding::Lost);
    #[classattr]
    const PROBE: Self = Self(detection::Finding::Probe);
    #[classattr]
    const SILENCE: Self = Self(detection::Finding::Silence);

    /// A segment sent at this time was lost, and a probe has repaired it.
    #[staticmethod]
    fn repaired(sent_at: f64) -> Self {
        Self(detection::Finding::Repaired {
            sent_at: time_at(sent_at),
        })
    }

    fn __repr__(&self) -> String {
        match self.0 {
            detection::Finding::Repaired { sent_at } => {
                format!("Finding.repaired({})", since_start(sent_at))
            }
            finding => format!("Finding.{}", format!("{finding:?}").to_uppercase()),
        }
    }
}

/// The sender's state when it asks a detector.
#[pyclass(frozen, module = "skywave")]
pub(crate) struct DetectionEvent {
    flight: flight::Flight,
    window: window::Window,
    now: Time,
    dupacks: u32,
    acked: Segments,
    segment_rtt: Option<Duration>,
    rtt: Option<Duration>,
    srtt: Option<Duration>,
    sendable: bool,
}

impl DetectionEvent {
    pub(super) fn new(event: &detection::DetectionEvent) -> Self {
        Self {
            flight: event.flight.clone(),
            window: event.window,
            now: event.now,
            dupacks: event.dupacks,
            acked: event.acked,
            segment_rtt: event.segment_rtt,
            rtt: event.rtt,
            srtt: event.srtt,
            sendable: event.sendable,
        }
    }
}

getters! { DetectionEvent:
    now f64 = |e| since_start(e.now);
    dupacks u32 = |e| e.dupacks;
    flight Flight = |e| Flight(e.flight.clone());
    window Window = |e| Window(e.window);
    acked f64 = |e| e.acked.0;
    segment_rtt Option<f64> = |e| e.segment_rtt.map(seconds);
    rtt Option<f64> = |e| e.rtt.map(seconds);
    srtt Option<f64> = |e| e.srtt.map(seconds);
    sendable bool = |e| e.sendable;
}

/// One segment that was sent and is not yet acknowledged cumulatively.
#[pyclass(frozen, module = "skywave")]
pub(crate) struct Sent(flight::Sent);

getters! { Sent:
    start u64 = |s| s.0.start;
    end u64 = |s| s.0.end;
    first_sent f64 = |s| since_start(s.0.first_sent);
    last_sent f64 = |s| since_start(s.0.last_sent);
    transmissions u32 = |s| s.0.transmissions;
    sacked bool = |s| s.0.sacked;
    lost bool = |s| s.0.lost;
}
