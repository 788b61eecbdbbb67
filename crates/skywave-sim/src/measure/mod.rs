//! Measurements of a flow over the window of a run.

mod arrival;
mod bins;
mod delay;
mod flow;
mod fullness;
mod gauge;
mod loss;
mod requests;
mod series;

use skywave_core::{Duration, Time};

pub(crate) use arrival::ArrivalMeter;
pub(crate) use bins::BinMeter;
pub(crate) use delay::DelayHistogram;
pub(crate) use flow::FlowMeter;
pub(crate) use fullness::Fullness;
pub(crate) use gauge::Gauge;
pub(crate) use loss::LossLedger;
pub(crate) use requests::RequestMeter;
pub(crate) use series::Recorder;

/// Whether `at` is in the measured window, whose end is not part of it.
#[inline]
pub(crate) fn is_within(at: Time, (start, end): (Time, Time)) -> bool {
    (start..end).contains(&at)
}

/// Mean of some times in seconds, by their sum and their number; `None` if there are none.
pub(crate) fn mean_s(sum: Duration, number: u64) -> Option<f64> {
    (number > 0).then(|| sum.as_secs_f64() / number as f64)
}
