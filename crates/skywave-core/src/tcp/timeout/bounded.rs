//! An RTO that stops doubling early, so that the end of an outage is noticed soon.
//!
//! RFC 6298 asks for the doubling (rule 5.5) up to 60 s at least (2.5). This departs from both: on a link with outages of
//! seconds, or with bursts of loss that take several copies of a segment, most of such a wait is time in which the link
//! works again. A backoff of eight remains. Linux lets a program bound the RTO from 1 s on (`TCP_RTO_MAX_MS`).
//!
//! After many expiries without a round trip the doubling goes on: whoever is gone is asked ever more seldom, and a round trip
//! beyond the bound can be measured without timestamps, too (Karn's rule).

use super::TimeoutPolicy;
use crate::parameter::parameters;
use crate::tcp::rto::RtoEstimator;
use crate::tcp::slot::{BuiltIn, Setup};
use crate::time::Duration;

/// Doublings that are made however long the RTO is: a path whose round trip nears the bound backs off, too.
const ALWAYS: u32 = 3;
/// Expiries in a row that do not double the RTO: minutes, with the default.
const PATIENCE: u32 = 64;

parameters! {
    /// Parameter of the bounded backoff: the RTO beyond which none doubles, by default as in the preset `skywave`.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct BoundedConfig {
        /// The RTO is not doubled beyond this, but for the first three doublings.
        longest: Duration = Duration::from_secs(4), Period;
    }
}

/// Timeout policy that is the standard one with a bound on the backoff: past three doublings, the RTO is not doubled
/// beyond the bound until 64 expiries in a row have left it as it is.
#[derive(Clone, Copy, Debug)]
pub struct Bounded {
    longest: Duration,
    /// Expiries that have not doubled the RTO since a round trip was measured.
    held: u32,
}

impl BuiltIn for Bounded {
    type Config = BoundedConfig;
    type State = Self;
    const NAME: &'static str = "bounded";
    const SUMMARY: &'static str =
        "the standard with an RTO that is not doubled beyond 4 s after three doublings (longest)";
    const SOURCE: &'static str = "docs/mechanisms/capacity.md";

    fn build(config: &BoundedConfig, _setup: &Setup) -> Self {
        Self {
            longest: config.longest,
            held: 0,
        }
    }
}

impl TimeoutPolicy for Bounded {
    fn backs_off(&mut self, rto: &RtoEstimator) -> bool {
        if rto.backoff() < 1 << ALWAYS || rto.rto() * 2 <= self.longest {
            self.held = 0;
            return true;
        }
        self.held = self.held.saturating_add(1);
        self.held > PATIENCE
    }
}
