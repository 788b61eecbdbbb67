//! Records of a link, as common tools write them.
//!
//! Whatever the tool, a record is one of a few shapes: [`Probes`] that were sent at known times and answered or not,
//! [`Throughput`] by intervals, [`Rates`] that the link had, or the transfers of a capture.

mod probe;
mod rates;
mod throughput;

pub use probe::{Fate, Probe, ProbeTool, Probes, Reading, Way};
pub use rates::{Rates, Span};
pub use throughput::{Carried, Interval, Lost, Throughput};
