//! The `detection` slot: when a segment counts as lost, and what may be sent until then.

mod dcr;
mod ddlrp;
mod dupacks;
mod early_retransmit;
mod lost_repair;
mod ncl;
mod ncr;
mod rack;
mod sac;
mod sifest;
mod tdlrp;
mod vegas;
mod yongmei2;

use std::ops::{Deref, DerefMut};

use crate::time::{Duration, Time};
use crate::units::Segments;

use super::config::TcpConfig;
use super::custom::{Built, CustomDetection};
use super::flight::{Flight, SentBefore};
use super::rto::RtoEstimator;
use super::slot::BuiltIn;
use super::slot::register::slot;
use super::window::{LossEvent, Window};

/// State of a sender when it asks its loss detector.
#[derive(Clone, Copy, Debug)]
pub struct DetectionEvent<'a> {
    /// When the sender asks.
    pub now: Time,
    /// Duplicate ACKs since the last ACK of new data that was not a partial one; a fast retransmit raises the count to
    /// [`LossDetector::threshold`] at least. With a recovery that uses SACK, only those count that SACK something for
    /// the first time.
    pub dupacks: u32,
    /// Sequence space and segments in flight, after this ACK was taken.
    pub flight: &'a Flight,
    /// The congestion window; at or above `ssthresh` it is in congestion avoidance.
    pub window: Window,
    /// Newly acknowledged data, in segments, for [`LossDetector::on_new_ack`]; zero for all else.
    pub acked: Segments,
    /// Round trip of the newest segment that this ACK covers; `None` if that was sent more than once, if the connection
    /// has stood still since, or if the ACK covers no whole segment.
    pub segment_rtt: Option<Duration>,
    /// Latest round-trip sample of the retransmission timer; `None` before the first.
    pub rtt: Option<Duration>,
    /// Smoothed round-trip time of the retransmission timer; `None` before the first sample, and after
    /// [`RtoEstimator::back_off`] has discarded the samples, until the next one.
    pub srtt: Option<Duration>,
    /// The estimator of the retransmission timer.
    pub rto: &'a RtoEstimator,
    /// Payload bytes of a full segment.
    pub mss: u32,
    /// Whether there is new data to send, and room for it in the receiver's window.
    pub sendable: bool,
    /// Whether the ACK echoes a router's mark (RFC 3168).
    pub warned: bool,
}

impl DetectionEvent<'_> {
    /// True while the congestion window is below the slow start threshold.
    pub fn in_slow_start(&self) -> bool {
        self.window.cwnd < self.window.ssthresh
    }
}

/// Why a segment is put on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sending {
    /// The segment is sent for the first time.
    New,
    /// The segment is sent again, for the first time since a timeout went back to the oldest one.
    AfterTimeout,
    /// The segment is sent again, in the way of Tahoe's fast retransmit.
    GoBackN,
    /// The segment is sent again, because it was found lost, or as a probe.
    Repair,
}

/// Data that may be sent beyond the window while it is not known yet whether a segment is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowance {
    /// New data up to this many segments more than the window; the sender's `limited_transmit`
    /// switch turns it off.
    Beyond(u32),
    /// New data up to this position, whatever the window says.
    Until(u64),
}

/// Rule that tells which segments in flight are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossRule {
    /// Segments with this many segments reported above them are lost (RFC 6675's DupThresh).
    DupThresh(u32),
    /// Segments sent before one that arrived, and long enough ago, are lost (RFC 8985).
    SentBefore(SentBefore),
}

/// Finding of a detector when its own timer expires, or when an ACK shows what was delivered. Only in the first case
/// [`Self::Unanswered`], [`Self::Probe`] and [`Self::Silence`] count, only in the second one [`Self::Repaired`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// No loss was found, and nothing is to be done.
    Nothing,
    /// The oldest unacknowledged segment is lost.
    Lost,
    /// Further segments of a window whose repair goes on are lost.
    More,
    /// A segment sent at this time was lost, and a probe has repaired it.
    Repaired {
        /// When the segment that was lost was sent.
        sent_at: Time,
    },
    /// A segment that was sent again without a cut of the window is not acknowledged in time: the congestion
    /// control now answers its loss.
    Unanswered,
    /// A probe is to be sent: new data or the last segment again. The retransmission timer starts anew.
    /// Counts for nothing while nothing is in flight.
    Probe,
    /// No loss was found, and no further probe may be sent now: the sender waits, and the retransmission
    /// timer starts anew. Counts for nothing while nothing is in flight.
    Silence,
}

/// Finding of a loss detector on an ACK of new data: a loss, a supposed loss that was reordering, or the end of a
/// recovery.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AckFinding {
    /// No loss was found, and no reordering.
    Nothing,
    /// The next segment is lost, too: it is sent again without another cut.
    NextLost,
    /// A supposed loss was reordering: the window to go on with.
    Reordered(Window),
    /// The ACK has ended a recovery: the congestion window to go on with instead of the one that the recovery has
    /// left. A congestion control that [owns its window](super::congestion::LawFacts::owns_window) keeps its own.
    Recovered(Segments),
}

/// Answer of a detector to a loss, besides that the segment is sent again. Default: the congestion control answers the
/// loss, and the retransmission timer starts anew.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The loss is no sign of congestion: the congestion control is not asked, and window and threshold stay (with
    /// Tahoe's recovery only the threshold).
    pub is_noise: bool,
    /// The retransmission timer, which is left as a backstop, is backed off.
    pub backs_off: bool,
    /// The retransmission timer runs on. For a detector that sends the same segment again and again without an ACK
    /// between: a timer that started anew each time would never find that nobody answers.
    pub keeps_timer: bool,
}

/// Facts about a loss detector by which the sender saves work, or leaves a decision to the detector. Default: none
/// holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The oldest unacknowledged segment is lost when duplicate ACKs have reached [`LossDetector::threshold`], and not
    /// otherwise: the sender counts, and asks for nothing else.
    pub only_counts: bool,
    /// [`LossDetector::on_new_ack`] does nothing, so that the sender need not call it.
    pub ignores_new_acks: bool,
    /// The detector judges by the times of deliveries: [`Flight::delivery`] is kept, and
    /// [`on_duplicate`](LossDetector::on_duplicate), [`on_delivery`](LossDetector::on_delivery) and
    /// [`arm_probe`](LossDetector::arm_probe) are called. (Also when only the timeout policy asks for deliveries, or
    /// the window law by [`needs_rate`](super::congestion::LawFacts::needs_rate).) This costs time on every ACK.
    pub needs_deliveries: bool,
    /// The detector decides itself whether a segment may be fast-retransmitted once more; during a recovery that counts
    /// only for a segment that the recovery has sent again already. False: the sender forbids a fast retransmit below
    /// the highest position sent at the last one or at a timeout (RFC 6582's `recover`).
    pub guards_repeats: bool,
}

/// Loss detector of a sender: decides when a segment is lost. Only [`on_dupack`](Self::on_dupack) must be written.
///
/// The sender asks on every ACK; a detector answers whether the *oldest* segment in flight is lost.
/// The recovery then decides what is sent, and the retransmission timer remains as a backstop.
///
/// ```
/// use skywave_core::tcp::{DetectionEvent, LossDetector};
///
/// /// More patient than RFC 5681: a path that reorders needs it.
/// struct Patient;
///
/// impl LossDetector for Patient {
///     fn on_dupack(&mut self, event: &DetectionEvent) -> bool {
///         event.dupacks == self.threshold()
///     }
///
///     fn threshold(&self) -> u32 {
///         6
///     }
/// }
/// ```
pub trait LossDetector {
    /// Facts about the detector, the same whenever they are asked for.
    fn facts(&self) -> Facts {
        Facts::default()
    }

    /// A duplicate ACK came: is the oldest unacknowledged segment lost?
    ///
    /// Asked on duplicate ACKs during a recovery too, where the answer counts only if another fast
    /// retransmit is allowed (`Composition::avoid_repeated_recovery`): answer "yes" to one number,
    /// not to all from it on.
    fn on_dupack(&mut self, event: &DetectionEvent) -> bool;

    /// New data was acknowledged; the recovery has taken it, and so has the law unless it
    /// [owns the window](super::congestion::LawFacts::owns_window). Default: it shows nothing.
    fn on_new_ack(&mut self, _event: &DetectionEvent) -> AckFinding {
        AckFinding::Nothing
    }

    /// A duplicate ACK came during a recovery: if that has sent the oldest unacknowledged segment again
    /// ([`Sent::resent`](super::flight::Sent::resent), which the sender does not look at), and the copy was lost, too,
    /// returns the answer, of which only [`is_noise`](Answer::is_noise) counts. The segment is then
    /// sent once more at once, and the recovery goes on. Asked after
    /// [`on_dupack`](Self::on_dupack), unless that has begun another fast retransmit. Default: only the retransmission
    /// timer tells.
    fn on_repair_dupack(&mut self, _event: &DetectionEvent) -> Option<Answer> {
        None
    }

    /// An ACK came that reports that something arrived twice, or a bare one by which that may be. `ack` is the position
    /// up to which it acknowledges; `reported` is the end of the data that it reports as duplicate (RFC 2883), `None`
    /// for an ACK of nothing new without any report. Only for a detector that
    /// [needs deliveries](Facts::needs_deliveries).
    fn on_duplicate(&mut self, _ack: u64, _reported: Option<u64>) {}

    /// An ACK of any kind was taken, and the recovery has not seen it yet. Only for a detector that
    /// [needs deliveries](Facts::needs_deliveries).
    fn on_delivery(&mut self, _event: &DetectionEvent) -> Finding {
        Finding::Nothing
    }

    /// New data was sent or some was acknowledged, and the retransmission timer expires at
    /// `timeout`: the detector may want a timer of its own before, whose expiry sends a
    /// [`Finding::Probe`]. Only for a detector that [needs deliveries](Facts::needs_deliveries).
    fn arm_probe(&mut self, _event: &DetectionEvent, _timeout: Time) {}

    /// The segment at `start` was put on the wire, and is in flight.
    fn on_sent(&mut self, _now: Time, _flight: &Flight, _start: u64, _sending: Sending) {}

    /// The oldest unacknowledged segment is being retransmitted for a loss, which was found by this detector, by the
    /// recovery or by a notification. The window law, if the answer has it asked, measures its cut by the fields of
    /// `loss`: a detector that has let out more than the window, or one that cuts by something else, changes these.
    fn on_retransmit(&mut self, _flight: &Flight, _loss: &mut LossEvent) -> Answer {
        Answer::default()
    }

    /// The retransmission timer expired, also for a SYN, or an outage has ended: everything in flight counts as lost.
    /// Called as well when the connection stands still, as in [`freeze`](super::Connection::freeze): nothing is lost
    /// then, but the detector's timer is to stop.
    fn on_timeout(&mut self, _flight: &Flight) {}

    /// When [`on_timer`](Self::on_timer) is due; `None` for never. Default: never.
    fn next_timer(&self) -> Option<Time> {
        None
    }

    /// The detector's own timer is due, or past. It may be due again at once, but not without end.
    fn on_timer(&mut self, _event: &DetectionEvent) -> Finding {
        Finding::Nothing
    }

    /// Whether the detector suspects a loss and waits before it says so: what the receiver reports
    /// does not count as a loss meanwhile, and the window goes on growing on duplicate ACKs as on
    /// others. Default: no.
    fn is_waiting(&self) -> bool {
        false
    }

    /// Duplicate ACKs from which a loss counts as found: later ones say that more has arrived.
    /// Also RFC 6675's DupThresh: segments reported above a hole that make it a loss. Default: 3.
    fn threshold(&self) -> u32 {
        3
    }

    /// Rule by which a recovery that uses SACK marks segments as lost, as of the last ACK. Default:
    /// the [`threshold`](Self::threshold).
    fn loss_rule(&self) -> LossRule {
        LossRule::DupThresh(self.threshold())
    }

    /// Payload bytes of new segments, at most `mss`. Default: `mss`.
    fn segment_len(&self, mss: u32) -> u32 {
        mss
    }

    /// Data that may be sent beyond the window while `dupacks` are too few to show a loss. Default: limited transmit
    /// (RFC 3042), one segment for each duplicate ACK and at most two.
    fn limited_transmit(&self, dupacks: u32) -> Allowance {
        limited_transmit(dupacks, self.threshold())
    }
}

/// Limited transmit (RFC 3042): one new segment beyond the window for each of the first two duplicate ACKs,
/// none once there are `threshold` of them.
#[inline]
pub fn limited_transmit(dupacks: u32, threshold: u32) -> Allowance {
    Allowance::Beyond(if dupacks < threshold {
        dupacks.min(2)
    } else {
        0
    })
}

/// Needs of a built-in loss detector: what a connection with it must have.
pub trait Detector: BuiltIn {
    /// Whether the detector needs SACK blocks from the receiver (RFC 2018), whatever the recovery does.
    const NEEDS_SACK: bool = false;
    /// Whether the detector needs routers' ECN marks (RFC 3168).
    const NEEDS_ECN: bool = false;
}

slot! {
    [$] detection: "When a segment counts as lost.";
    labels_given: false;
    facts: Detector;
    /// Choice of a loss detector, built in or a user's own, with its parameters.
    #[derive(Clone, Debug, PartialEq)]
    pub enum DetectionConfig;
    /// Loss detector of one connection, built in or a user's own, with its state.
    #[derive(Debug)]
    pub enum Detection;
    Dupacks(threshold): dupacks::Dupacks,
    Sifest(threshold): sifest::Sifest,
    Vegas: vegas::FineTimer,
    Dcr(config): dcr::Dcr,
    EarlyRetransmit: early_retransmit::EarlyRetransmit,
    Ncr(transmit): ncr::Ncr,
    Ncl: ncl::Ncl,
    Rack: rack::Rack,
    Sac: sac::Sac,
    Ddlrp: ddlrp::Ddlrp,
    TDlrp: tdlrp::TDlrp,
    Yongmei2(config): yongmei2::Yongmei2,
    + Custom(own, tcp): CustomDetection => Built<dyn LossDetector + Send>
}

impl DetectionConfig {
    /// Whether the detector needs SACK blocks from the receiver (RFC 2018), whatever the recovery does; false
    /// for a user's own.
    pub fn needs_sack(&self) -> bool {
        fact!(self, NEEDS_SACK, false)
    }

    /// Whether the detector needs routers' ECN marks (RFC 3168); false for a user's own.
    pub fn needs_ecn(&self) -> bool {
        fact!(self, NEEDS_ECN, false)
    }
}

impl Detection {
    /// Loss detector of a new connection with this configuration.
    pub fn new(config: &TcpConfig) -> Self {
        Self::build(&config.composition.detection, &config.setup(), config)
    }

    #[inline]
    pub(super) fn facts(&self) -> Facts {
        each!(self, m => m.facts())
    }

    /// As `arm_probe`, for a detector that needs no more of the event than these arguments. Returns false, and does
    /// nothing, if the detector needs the whole event. This is asked twice a segment, and an event that is worked out
    /// for each costs RACK's connections 2 % of their instructions.
    #[inline]
    pub(super) fn arms_by_srtt(
        &mut self,
        now: Time,
        flight: &Flight,
        srtt: Option<Duration>,
        timeout: Time,
    ) -> bool {
        match self {
            Self::Rack(member) => {
                member.arm(now, flight, srtt, timeout);
                true
            }
            _ => false,
        }
    }

    #[inline]
    pub(super) fn on_sent(&mut self, now: Time, flight: &Flight, start: u64, sending: Sending) {
        each!(self, m => m.on_sent(now, flight, start, sending));
    }

    #[inline]
    pub(super) fn next_timer(&self) -> Option<Time> {
        each!(self, m => m.next_timer())
    }

    #[inline]
    pub(super) fn threshold(&self) -> u32 {
        each!(self, m => m.threshold())
    }

    #[inline]
    pub(super) fn loss_rule(&self) -> LossRule {
        each!(self, m => m.loss_rule())
    }

    #[inline]
    pub(super) fn segment_len(&self, mss: u32) -> u32 {
        each!(self, m => m.segment_len(mss))
    }

    #[inline]
    pub(super) fn limited_transmit(&self, dupacks: u32) -> Allowance {
        each!(self, m => m.limited_transmit(dupacks))
    }
}

/// Methods of the trait that are not asked of each packet.
impl Deref for Detection {
    type Target = dyn LossDetector;

    fn deref(&self) -> &Self::Target {
        any!(self, Borrow::borrow, own => &**own)
    }
}

impl DerefMut for Detection {
    fn deref_mut(&mut self) -> &mut Self::Target {
        any!(self, BorrowMut::borrow_mut, own => &mut **own)
    }
}
