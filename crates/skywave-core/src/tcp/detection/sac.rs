//! TCP SAC (Prasanthi et al., as in Francis 2012, section 3.1.2.1): a fast retransmission that is lost is
//! sent once more, when the duplicate ACKs of everything outstanding have come.
//!
//! At the fast retransmit `t_nps` segments are outstanding, three of which have arrived: `Rlp = t_nps − 3`.
//! One of these is the lost one, so `Rlp − 1` additional duplicate ACKs say that all others have arrived, and
//! the copy counts as lost.
//!
//! The text says no more. Open in it, and decided here:
//! - the copy that is sent then is watched in the same way, as is the next hole after a partial ACK;
//! - no second cut: the text only resends.

use super::lost_repair::{DupackCount, is_resent};
use super::{AckFinding, Answer, DetectionEvent, Detector, Dupacks, LossDetector};
use crate::tcp::flight::Flight;
use crate::tcp::slot::{Base, BuiltIn, OwnPreset, Setup};
use crate::tcp::window::LossEvent;
use crate::units::Segments;

/// Loss detector TCP SAC, state of one sender: once the duplicate ACKs of everything outstanding have come, a
/// fast retransmission was lost, too, and is sent once more.
#[derive(Clone, Copy, Debug)]
pub struct Sac {
    ordinary: Dupacks,
    /// Duplicate ACKs in a row, as of the last one.
    dupacks: u32,
    /// The window when the last of them came.
    cwnd: Segments,
    recovery: Option<Watched>,
}

/// A recovery that goes on.
#[derive(Clone, Copy, Debug)]
struct Watched {
    count: DupackCount,
    /// The window in which the loss was found.
    cwnd_before: Segments,
    /// First position never sent at its beginning.
    recover: u64,
}

impl BuiltIn for Sac {
    type Config = ();
    type State = Box<Self>;
    const NAME: &'static str = "sac";
    const SUMMARY: &'static str =
        "three duplicate ACKs, and once more when those of all that was outstanding have come";
    const SOURCE: &'static str = "Prasanthi et al., in Francis 2012, section 3.1.2.1";
    const PRESETS: &'static [OwnPreset<()>] = &[OwnPreset {
        name: "sac",
        summary: "TCP SAC: NewReno that sends a lost fast retransmission again without a timeout",
        source: Self::SOURCE,
        base: Base::NewReno,
        config: (),
    }];

    fn build(_config: &(), _setup: &Setup) -> Box<Self> {
        Box::new(Self::new())
    }
}

impl Detector for Sac {}

impl Sac {
    /// A detector that has seen no loss yet.
    pub fn new() -> Self {
        Self {
            ordinary: Dupacks(3),
            dupacks: 0,
            cwnd: Segments::ZERO,
            recovery: None,
        }
    }

    /// "cwnd is set to ssthresh" where partial ACKs have left less; not where the window was below it before.
    fn window_after_recovery(&self, event: &DetectionEvent) -> Option<Segments> {
        let Watched {
            cwnd_before,
            recover,
            ..
        } = self.recovery?;
        let ssthresh = event.window.ssthresh;
        let restores = event.flight.una() >= recover && cwnd_before >= ssthresh;
        (restores && event.window.cwnd < ssthresh).then_some(ssthresh)
    }
}

impl Default for Sac {
    fn default() -> Self {
        Self::new()
    }
}

impl LossDetector for Sac {
    fn on_dupack(&mut self, event: &DetectionEvent) -> bool {
        self.dupacks = event.dupacks;
        self.cwnd = event.window.cwnd;
        self.ordinary.on_dupack(event)
    }

    /// ssthresh is half of the difference between the highest segment sent and the latest acknowledged.
    fn on_retransmit(&mut self, flight: &Flight, loss: &mut LossEvent) -> Answer {
        loss.window = loss.outstanding;
        self.recovery = Some(Watched {
            count: DupackCount::new(flight, self.dupacks),
            cwnd_before: self.cwnd,
            recover: flight.max(),
        });
        Answer::default()
    }

    fn on_repair_dupack(&mut self, event: &DetectionEvent) -> Option<Answer> {
        let count = &mut self.recovery.as_mut()?.count;
        let (additional, point) = count.on_dupack()?;
        if additional + 1 < point || !is_resent(event) {
            return None;
        }
        count.on_resend(event.flight);
        Some(Answer {
            is_noise: true,
            ..Answer::default()
        })
    }

    /// The sender forgets its duplicate ACKs when the recovery ends.
    fn on_new_ack(&mut self, event: &DetectionEvent) -> AckFinding {
        let window = self.window_after_recovery(event);
        if event.dupacks == 0 {
            self.recovery = None;
        } else if let Some(Watched { count, .. }) = &mut self.recovery {
            count.on_partial_ack(event.flight, event.acked);
        }
        window.map_or(AckFinding::Nothing, AckFinding::Recovered)
    }

    fn on_timeout(&mut self, _flight: &Flight) {
        self.recovery = None;
    }

    fn threshold(&self) -> u32 {
        self.ordinary.0
    }
}
