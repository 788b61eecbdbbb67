//! T-DLRP (Sreekumari, Chung and Kim, as in Francis 2012, section 5.2): fast retransmissions that are lost are
//! found by the time at which what arrives was sent.
//!
//! A segment that was sent after the copy, or together with it, has arrived: the copy should have been there
//! before, so it is lost, and is sent once more at once. Congestion warnings tell losses by congestion from
//! others as in [`Ddlrp`]: a loss without a mark leaves the window alone.
//!
//! The timestamp of what has arrived: a receiver echoes on duplicate ACKs that of the last segment *in order*
//! (RFC 7323 section 4.3), which tells nothing. SACK blocks say which segment has arrived, and the sender knows
//! what timestamp it carried. Therefore this needs SACK reports, under any recovery.
//!
//! Open in the text, and decided here: what [`Ddlrp`] decides for its own.

use super::lost_repair::is_resent;
use super::{Answer, Ddlrp, DetectionEvent, Detector, Facts, LossDetector};
use crate::tcp::flight::Flight;
use crate::tcp::slot::{Base, BuiltIn, OwnPreset, Setup};
use crate::tcp::window::LossEvent;
use crate::time::Duration;

/// Loss detector T-DLRP, state of one sender: a fast retransmission was lost, too, if a segment sent after it
/// has arrived, and losses without a router's warning bring no cut.
#[derive(Clone, Copy, Debug)]
pub struct TDlrp {
    /// Finds first losses, and tells what they mean.
    first: Ddlrp,
}

impl BuiltIn for TDlrp {
    type Config = ();
    type State = Box<Self>;
    const NAME: &'static str = "t-dlrp";
    const SUMMARY: &'static str = "three duplicate ACKs, and once more when something sent later arrives; no cut without a mark";
    const SOURCE: &'static str = "Sreekumari, Chung and Kim 2011, in Francis 2012, section 5.2";
    const PRESETS: &'static [OwnPreset<()>] = &[OwnPreset {
        name: "t-dlrp",
        summary: "DDLRP that finds lost fast retransmissions by timestamps instead of counting",
        source: Self::SOURCE,
        base: Base::NewReno,
        config: (),
    }];

    fn build(_config: &(), setup: &Setup) -> Box<Self> {
        Box::new(Self {
            first: Ddlrp::new(setup.ecn),
        })
    }
}

impl Detector for TDlrp {
    const NEEDS_SACK: bool = true;
    const NEEDS_ECN: bool = true;
}

impl LossDetector for TDlrp {
    fn facts(&self) -> Facts {
        Facts {
            ignores_new_acks: true,
            needs_deliveries: true,
            ..Facts::default()
        }
    }

    fn on_dupack(&mut self, event: &DetectionEvent) -> bool {
        self.first.on_dupack(event)
    }

    fn on_repair_dupack(&mut self, event: &DetectionEvent) -> Option<Answer> {
        let newest = event
            .flight
            .delivery()
            .map(|delivery| delivery.sent_before(Duration::ZERO, event.now));
        let copy = event.flight.first();
        let later = newest
            .zip(copy)
            .is_some_and(|(newest, copy)| newest.covers(&copy));
        (later && is_resent(event)).then(|| Ddlrp::answer_lost_copy(event))
    }

    fn on_retransmit(&mut self, _flight: &Flight, loss: &mut LossEvent) -> Answer {
        self.first.answer(loss)
    }

    fn threshold(&self) -> u32 {
        self.first.threshold()
    }
}
