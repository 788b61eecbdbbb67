//! Recorded links in the mahimahi format.

/// A recorded link: when packets of 1500 bytes could leave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Milliseconds of the opportunities, in order.
    opportunities: Vec<u32>,
}
