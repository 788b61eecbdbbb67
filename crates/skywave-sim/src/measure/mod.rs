//! What is measured of a flow over the window of a run.

mod delay;
mod flow;
mod loss;
mod series;

pub(crate) use delay::DelayHistogram;
pub(crate) use flow::FlowMeter;
pub(crate) use loss::LossLedger;
pub(crate) use series::Recorder;
