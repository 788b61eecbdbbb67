//! Go back N with what the window law says: one segment (RFC 5681 section 3.1, RFC 6298 section 5).

use super::TimeoutPolicy;
use crate::tcp::slot::{BuiltIn, Setup};

/// Standard timeout policy: what the congestion control answers, going back N and a doubled RTO (RFC 5681,
/// RFC 6298).
#[derive(Clone, Copy, Debug, Default)]
pub struct Standard;

impl BuiltIn for Standard {
    type Config = ();
    type State = Self;
    const NAME: &'static str = "standard";
    const SUMMARY: &'static str = "restart with one segment, go back N, double the RTO";
    const SOURCE: &'static str = "RFC 5681, RFC 6298";

    fn build(_config: &(), _setup: &Setup) -> Self {
        Self
    }
}

impl TimeoutPolicy for Standard {}
