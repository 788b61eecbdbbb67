//! DDLRP (Prasanthi et al., as in Francis 2012, section 3.1.2.2): fast retransmissions that are lost are
//! found by duplicate ACKs, and congestion warnings tell losses by congestion from others.
//!
//! Detection, on NewReno: when three duplicate ACKs send a segment again,
//! `Loss_Detect_Point = Max_Seq − Dupack_Lost − 3` segments are still on their way. More additional duplicate
//! ACKs than that come from new segments, which left after the copy: it is lost, and sent once more.
//!
//! Differentiation: routers warn of congestion (CW) by marking packets while their average queue is long;
//! receivers echo that, and the sender answers, as with ECN. A loss that duplicate ACKs with the mark show is
//! answered by a cut; another one is repaired, and the window stays.
//!
//! Open in the text, and decided here:
//! - the copy that is sent then is watched in the same way, as is the next hole after a partial ACK;
//! - a mark without a loss cuts as in ECN, once a window of data, and a loss in the same window does not again;
//! - without ECN nobody can warn: then every loss cuts, and a lost retransmission does not cut again.

use super::lost_repair::{DupackCount, is_resent};
use super::{AckFinding, Answer, DetectionEvent, Detector, Dupacks, LossDetector};
use crate::tcp::flight::Flight;
use crate::tcp::slot::{Base, BuiltIn, OwnPreset, Setup};
use crate::tcp::window::LossEvent;

/// Loss detector DDLRP, state of one sender: further duplicate ACKs show that a fast retransmission was lost,
/// too, and losses without a router's warning bring no cut.
#[derive(Clone, Copy, Debug)]
pub struct Ddlrp {
    ordinary: Dupacks,
    /// Routers can warn.
    ecn: bool,
    /// Duplicate ACKs in a row, as of the last one.
    dupacks: u32,
    /// Duplicate ACKs counted in the latest recovery; asked for during one only.
    count: Option<DupackCount>,
}

impl BuiltIn for Ddlrp {
    type Config = ();
    type State = Box<Self>;
    const NAME: &'static str = "ddlrp";
    const SUMMARY: &'static str =
        "three duplicate ACKs, and once more when new segments cause some; no cut without a mark";
    const SOURCE: &'static str = "Prasanthi et al., in Francis 2012, section 3.1.2.2";
    const PRESETS: &'static [OwnPreset<()>] = &[OwnPreset {
        name: "ddlrp",
        summary: "NewReno that finds lost fast retransmissions, and cuts only for losses with a router's warning",
        source: Self::SOURCE,
        base: Base::NewReno,
        config: (),
    }];

    fn build(_config: &(), setup: &Setup) -> Box<Self> {
        Box::new(Self::new(setup.ecn))
    }
}

impl Detector for Ddlrp {
    const NEEDS_ECN: bool = true;
}

impl Ddlrp {
    /// A detector that has seen no loss yet. `ecn`: routers can warn of congestion by marks; without it every
    /// loss brings a cut, but that of a copy none.
    pub fn new(ecn: bool) -> Self {
        Self {
            ordinary: Dupacks(3),
            ecn,
            dupacks: 0,
            count: None,
        }
    }

    /// A loss without a warning is no congestion, where routers can warn.
    pub(super) fn answer(&self, loss: &LossEvent) -> Answer {
        Answer {
            is_noise: self.ecn && !loss.warned,
            ..Answer::default()
        }
    }

    /// A copy that is lost brings a cut only with a warning.
    pub(super) fn answer_lost_copy(event: &DetectionEvent) -> Answer {
        Answer {
            is_noise: !event.warned,
            ..Answer::default()
        }
    }
}

impl LossDetector for Ddlrp {
    fn on_dupack(&mut self, event: &DetectionEvent) -> bool {
        self.dupacks = event.dupacks;
        self.ordinary.on_dupack(event)
    }

    fn on_retransmit(&mut self, flight: &Flight, loss: &mut LossEvent) -> Answer {
        self.count = Some(DupackCount::new(flight, self.dupacks));
        self.answer(loss)
    }

    fn on_repair_dupack(&mut self, event: &DetectionEvent) -> Option<Answer> {
        let count = self.count.as_mut()?;
        let (additional, point) = count.on_dupack()?;
        if additional <= point || !is_resent(event) {
            return None;
        }
        count.on_resend(event.flight);
        Some(Self::answer_lost_copy(event))
    }

    fn on_new_ack(&mut self, event: &DetectionEvent) -> AckFinding {
        if let Some(count) = &mut self.count {
            count.on_partial_ack(event.flight, event.acked);
        }
        AckFinding::Nothing
    }

    fn threshold(&self) -> u32 {
        self.ordinary.0
    }
}
