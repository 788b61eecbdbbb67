//! Measurements of a flow that a proxy splits.

use super::column::{Column, Number, Pooling, Unit, measured};

measured! {
    /// The measurements of one flow that a proxy splits, from the source to the destination. Each of its halves is a flow
    /// of its own.
    ProxyOutcome,
    /// The columns of a flow that a proxy splits, from end to end.
    PROXY:
    /// In-order payload handed to the destination's application, in bits per second of the measured window.
    goodput_bps: f64, BitRate, Sum, "Goodput";
    /// In-order payload bytes handed to the destination's application in the measured window.
    delivered_bytes: u64, Bytes, Sum, "Delivered";
    /// Median time from a byte's first transmission by the source to its delivery to the destination, seconds.
    delay_p50_s: Option<f64>, Seconds, Mean, "Delay p50";
    /// 95th percentile of the time from a byte's first transmission by the source to its delivery, seconds.
    delay_p95_s: Option<f64>, Seconds, Mean, "Delay p95";
    /// 99th percentile of the time from a byte's first transmission by the source to its delivery, seconds.
    delay_p99_s: Option<f64>, Seconds, Mean, "Delay p99";
    /// Time average of the bytes in the proxy's buffer: they came in order, and the destination has not
    /// acknowledged them.
    buffered_mean_bytes: f64, Bytes, Mean, "Mean buffer";
    /// Most bytes in the proxy's buffer at any time of the measured window.
    buffered_max_bytes: u64, Bytes, Mean, "Max buffer";
    /// Time average of the bytes that the source knows to be acknowledged, and that the destination has not
    /// got: what would be lost if the proxy failed.
    at_risk_mean_bytes: f64, Bytes, Mean, "Mean at risk";
    /// Most bytes, at any time of the measured window, that would be lost if the proxy failed then.
    at_risk_max_bytes: u64, Bytes, Mean, "Max at risk";
    /// Bytes that the source knows to be acknowledged and the destination has not got at the end of the run, if the
    /// proxy has failed: nobody will send them again. `None` if it has not failed.
    lost_bytes: Option<f64>, Bytes, Sum, "Lost by a failure";
    /// Bytes of the proxy's state that finished hand-overs have moved to another node, in the whole run; `None` if
    /// none was finished.
    hand_over_bytes: Option<f64>, Bytes, Sum, "Moved by hand-overs";
    /// Mean time that a finished hand-over took, from when it began until all of the state was there, seconds,
    /// in the whole run; `None` if none was finished.
    hand_over_s: Option<f64>, Seconds, Mean, "Hand-over time";
}
