//! Measurements of a station of a radio network.

use super::Span;
use super::column::{Column, Number, Pooling, Unit, measured};

measured! {
    /// The measurements of one station of a radio network; its name is that of its node.
    StationOutcome,
    /// The columns of a station.
    STATION:
    /// Data frames that were put on the air, each attempt counted.
    attempts: u64, Count, Sum, "Attempts";
    /// RTS that were put on the air.
    requests: u64, Count, Sum, "RTS";
    /// Data frames and RTS that nobody answered.
    unanswered: u64, Count, Sum, "Unanswered";
    /// Share of the data frames and RTS put on the air that nobody answered.
    unanswered_share: Option<f64>, Share, Mean, "Unanswered share";
    /// Packets sent by the station that the next station's MAC acknowledged.
    acknowledged: u64, Count, Sum, "Acknowledged";
    /// Packets that the MAC gave up.
    given_up: u64, Count, Sum, "Given up";
    /// Packets that the MAC's queue dropped, full or early.
    queue_drops: u64, Count, Sum, "Queue drops";
    /// Mean time that packets were in the MAC's queue before they came to its head, in s.
    queue_time_mean_s "queue_time_mean": Option<f64>, Seconds, Mean, "Mean time in queue";
    /// Mean time that an acknowledged packet was at the head of the queue, in s.
    contention_mean_s "contention_mean": Option<f64>, Seconds, Mean, "Mean contention";
    ~ /// Activities of the station in the window [`RadioSpec::timeline`](crate::spec::RadioSpec::timeline), in order.
    timeline: Vec<Span>;
}
