//! Early retransmit (RFC 5827), in its segment-based form: with fewer than four segments outstanding
//! and nothing new to send, three duplicate ACKs will not come, so fewer count.

use super::dupacks::Dupacks;
use super::{DetectionEvent, Detector, LossDetector};
use crate::tcp::slot::{Base, BuiltIn, OwnPreset, Setup};

/// Loss detector early retransmit (RFC 5827): three duplicate ACKs, or fewer where too little is in flight
/// for three and nothing new can be sent.
#[derive(Clone, Copy, Debug)]
pub struct EarlyRetransmit {
    ordinary: Dupacks,
}

impl BuiltIn for EarlyRetransmit {
    type Config = ();
    type State = Self;
    const NAME: &'static str = "early-retransmit";
    const SUMMARY: &'static str = "three duplicate ACKs, or fewer when three cannot come";
    const SOURCE: &'static str = "RFC 5827";
    const PRESETS: &'static [OwnPreset<()>] = &[OwnPreset {
        name: "early-retransmit",
        summary: "SACK that needs fewer duplicate ACKs when few can come",
        source: Self::SOURCE,
        base: Base::Sack,
        config: (),
    }];

    fn build(_config: &(), _setup: &Setup) -> Self {
        Self::default()
    }
}

impl Detector for EarlyRetransmit {}

impl Default for EarlyRetransmit {
    fn default() -> Self {
        Self {
            ordinary: Dupacks(3),
        }
    }
}

impl EarlyRetransmit {
    /// Section 3.2: all outstanding segments but one have arrived. SACK tells which; without it the
    /// duplicate ACKs do.
    fn all_but_one_arrived(event: &DetectionEvent) -> bool {
        let outstanding = event.flight.segments().len();
        if event.sendable || !(2..4).contains(&outstanding) {
            return false;
        }
        let arrived = if event.flight.sacked_bytes() > 0 {
            event.flight.segments().filter(|s| s.sacked).count()
        } else {
            event.dupacks as usize
        };
        arrived + 1 >= outstanding
    }
}

impl LossDetector for EarlyRetransmit {
    fn on_dupack(&mut self, event: &DetectionEvent) -> bool {
        let early = event.dupacks < self.ordinary.0 && Self::all_but_one_arrived(event);
        early || self.ordinary.on_dupack(event)
    }

    fn threshold(&self) -> u32 {
        self.ordinary.0
    }
}
