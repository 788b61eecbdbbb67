//! The measurements of one simulation, as plain data: the output of [`crate::simulate`].
//!
//! Counts and means are over the measured window unless said otherwise.

mod column;
mod flow;
mod link;
mod proxy;
mod station;

use std::ops::Range;

use serde::Serialize;

pub use column::{Cell, Column, Pooling, Unit};
pub use flow::{FLOW, FlowOutcome};
pub use link::{LINK, LinkOutcome};
pub use proxy::{PROXY, ProxyOutcome};
pub use station::{STATION, StationOutcome};

/// Measurements of one simulation.
#[derive(Clone, Debug, PartialEq, Default, Serialize)]
pub struct Outcome {
    /// Measurements of each flow, in the order of [`Spec::flows`](crate::spec::Spec::flows).
    pub flows: Vec<FlowOutcome>,
    /// Measurements of each link, in the order of [`Spec::links`](crate::spec::Spec::links).
    pub links: Vec<LinkOutcome>,
    /// Measurements of each station of the radio network, in the order of the specification; empty without a radio
    /// network.
    pub stations: Vec<StationOutcome>,
    /// Measurements from end to end of each flow that a proxy splits, in the order of
    /// [`Spec::proxies`](crate::spec::Spec::proxies).
    pub proxies: Vec<ProxyOutcome>,
    /// Time series of flows and links, such as cwnd; empty unless
    /// [`Spec::series`](crate::spec::Spec::series).
    pub series: Vec<Series>,
    /// Delivered bytes over time; `None` unless [`Spec::bins`](crate::spec::Spec::bins) asks for them.
    pub bins: Option<Bins>,
    /// For each flow, its transfers that began before the measured window's end and had not all arrived before its
    /// start, in the order of handing over, at most [`MAX_REQUESTS`]; empty for a flow without
    /// [measured transfers](crate::spec::FlowSpec::measures_requests). `None` unless
    /// [`Spec::requests`](crate::spec::Spec::requests) asks for them.
    pub requests: Option<Vec<Vec<Request>>>,
    /// Number of events that the engine handled over the whole run: a measure of its work.
    pub events: u64,
}

/// Stretch of time in which a radio station has one activity.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Span {
    /// Start of the stretch, seconds from the run's start.
    pub from_s: f64,
    /// End of the stretch, seconds from the run's start.
    pub to_s: f64,
    /// Activity of the station in the stretch.
    pub activity: Activity,
}

/// Activity of a radio station at some time, such as sending or backing off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Activity {
    /// The station sends.
    Sends,
    /// The station receives a frame.
    Receives,
    /// The station finds the channel taken by something that it cannot receive.
    Senses,
    /// Others have reserved the channel (NAV).
    Reserved,
    /// The station backs off before it sends.
    BacksOff,
    /// No other activity.
    Idle,
}

/// Payload bytes delivered in order to each flow's application, by time bins of equal width from the run's start.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bins {
    /// Length of a bin in seconds; the first begins with the run.
    pub width_s: f64,
    /// For each flow, the in-order payload bytes that its receiving application got in each bin.
    pub delivered: Vec<Vec<u64>>,
}

impl Bins {
    /// Length and middle of the time that these bins of a run take together, both in seconds. The last bin of a run
    /// that is no multiple of the width ends with the run, at `end_s`.
    pub fn time_of(&self, bins: Range<usize>, end_s: f64) -> (f64, f64) {
        let (from, to) = (bins.start as f64, bins.end as f64);
        // Times are whole nanoseconds: less than that is what numbers are rounded by.
        if to * self.width_s < end_s + 0.5e-9 {
            return (
                (to - from) * self.width_s,
                f64::midpoint(from, to) * self.width_s,
            );
        }
        let start_s = from * self.width_s;
        (end_s - start_s, f64::midpoint(start_s, end_s))
    }
}

/// Most transfers of a flow that a run records one by one, the first ones of the measured window. The flow's other
/// measurements count all transfers.
pub const MAX_REQUESTS: usize = 1_000_000;

/// Record of one transfer of an application that makes several, one after another, on one connection.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Request {
    /// Time at which the application handed the transfer to its transport, seconds from the run's start.
    pub start_s: f64,
    /// Payload of the transfer, bytes.
    pub bytes: u64,
    /// Time from [`Self::start_s`] until the transfer's last byte had reached the receiving application, seconds;
    /// `None` if it had not by the end of the measured window.
    pub took_s: Option<f64>,
}

/// A time series of one quantity of one flow or link.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Series {
    /// Name of the flow or link that the series is of.
    pub entity: String,
    /// Quantity: `cwnd`, `ssthresh` (segments), `rtt`, `srtt`, `rto` (seconds; in QUIC its PTO), `acked` (bytes
    /// acknowledged so far), `rate` (WTCP's sending rate if all packets are full, bits per second), `queue` (packets).
    pub quantity: &'static str,
    /// Points of the series in order: time, in seconds from the run's start, and value, where it differs from the last.
    pub points: Vec<(f64, f64)>,
}
