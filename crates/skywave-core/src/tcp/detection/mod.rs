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

use crate::time::{Duration, Time};
use crate::units::Segments;

use super::config::TcpConfig;
use super::custom::{Built, CustomDetection};
use super::flight::{Flight, Sent, SentBefore};
use super::rto::RtoEstimator;
use super::slot::BuiltIn;
use super::slot::register::slot;
use super::window::{LossEvent, Window};

/// The sender's state when it asks a detector.
#[derive(Clone, Copy, Debug)]
pub struct DetectionEvent<'a> {
    /// When the sender asks.
    pub now: Time,
    /// Duplicate ACKs in a row. With a recovery that uses SACK, only those count that report new
    /// data.
    pub dupacks: u32,
    /// Sequence space and segments in flight, after this ACK was taken.
    pub flight: &'a Flight,
    /// The congestion window; at or above `ssthresh` it is in congestion avoidance.
    pub window: Window,
    /// Newly acknowledged data, in segments; zero on a duplicate ACK.
    pub acked: Segments,
    /// Round trip of the newest segment that this ACK covers, when it was sent once.
    pub segment_rtt: Option<Duration>,
    /// Latest round-trip sample of the retransmission timer.
    pub rtt: Option<Duration>,
    /// Smoothed round-trip time of the retransmission timer.
    pub srtt: Option<Duration>,
    /// The estimator of the retransmission timer.
    pub rto: &'a RtoEstimator,
    /// Payload bytes of a full segment.
    pub mss: u32,
    /// Whether there is new data to send, and room for it in the receiver's window.
    pub sendable: bool,
}

impl DetectionEvent<'_> {
    /// The window is below its threshold.
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

/// The finding of a detector, by its own timer or by what was delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// Nothing.
    Nothing,
    /// The oldest segment is lost.
    Lost,
    /// Further segments of a window whose repair goes on are lost.
    More,
    /// A segment sent at this time was lost, and a probe has repaired it.
    Repaired {
        /// When the segment that was lost was sent.
        sent_at: Time,
    },
    /// A segment that was sent again is not acknowledged in time: the law answers a loss that brought no cut.
    Unanswered,
    /// A probe is to be sent: new data or the last segment again. The retransmission timer starts
    /// anew. Counts for nothing while nothing is in flight, as [`Self::Silence`].
    Probe,
    /// Nothing can be done but wait: the retransmission timer starts anew.
    Silence,
}

/// A way to find losses. Only [`on_dupack`](Self::on_dupack) must be written.
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
    /// A duplicate ACK came: is the oldest segment lost?
    ///
    /// Asked on duplicate ACKs during a recovery too, where the answer counts only if another fast
    /// retransmit is allowed (`Composition::avoid_repeated_recovery`): answer "yes" to one number,
    /// not to all from it on.
    fn on_dupack(&mut self, event: &DetectionEvent) -> bool;

    /// New data was acknowledged: is the next segment lost too? Default: no.
    fn on_new_ack(&mut self, _event: &DetectionEvent) -> bool {
        false
    }

    /// Asked about an ACK of new data, before [`on_new_ack`](Self::on_new_ack): if the ACK shows
    /// that a supposed loss was reordering, returns the window to go on with. `None` for any other
    /// ACK.
    fn window_after_reordering(&self, _event: &DetectionEvent) -> Option<Window> {
        None
    }

    /// A duplicate ACK came during a recovery that has sent the oldest segment again: was that copy lost,
    /// too? It is then sent once more at once, and the recovery goes on. Asked after
    /// [`on_dupack`](Self::on_dupack), unless that has begun another fast retransmit. Default: only the
    /// retransmission timer tells.
    fn repair_is_lost(&mut self, _event: &DetectionEvent) -> bool {
        false
    }

    /// Whether a loss that is about to be answered by a fast retransmit is a sign of congestion: otherwise the
    /// window law is not asked, and window and threshold stay. Default: every loss is.
    fn is_congestion(&self, _loss: &LossEvent) -> bool {
        true
    }

    /// Whether a loss that [`repair_is_lost`](Self::repair_is_lost) has found is a sign of
    /// congestion: otherwise window and threshold stay. Default: none is, as the first loss of the
    /// segment has been answered.
    fn lost_repair_is_congestion(&self, _loss: &LossEvent) -> bool {
        false
    }

    /// Asked about an ACK of new data, before [`on_new_ack`](Self::on_new_ack) and after the recovery and the
    /// law have taken it: the window to go on with, where that ACK ends a recovery and the detector wants
    /// another one. Default: none.
    fn window_after_recovery(&self, _event: &DetectionEvent) -> Option<Segments> {
        None
    }

    /// A cut is measured by everything that was sent and is not acknowledged, not by the window in force.
    /// Default: no.
    fn cuts_by_outstanding(&self) -> bool {
        false
    }

    /// Bytes in flight before it allowed more than the window: a cut is measured by them, or by the
    /// window if that is larger. Default: a cut is measured by the window and what is in flight
    /// now.
    fn flight_before(&self) -> Option<u64> {
        None
    }

    /// Whether it judges by the times of deliveries: [`Flight::delivery`] is then kept, and
    /// [`on_duplicate`](Self::on_duplicate), [`on_delivery`](Self::on_delivery) and
    /// [`arm_probe`](Self::arm_probe) are called. (Also when only the window law asks for
    /// deliveries, by [`needs_rate`](super::congestion::CongestionControl::needs_rate).) Asked
    /// once, when data may flow. Default: no, as it costs time on every ACK.
    fn needs_deliveries(&self) -> bool {
        false
    }

    /// An ACK came that shows that something arrived twice: either it reports the data, and where
    /// that ends (RFC 2883), or it is a duplicate ACK without any report. Only for a detector that
    /// [needs deliveries](Self::needs_deliveries).
    fn on_duplicate(&mut self, _ack: u64, _reported: Option<u64>) {}

    /// An ACK of any kind was taken, and the recovery has not seen it yet. Only for a detector that
    /// [needs deliveries](Self::needs_deliveries).
    fn on_delivery(&mut self, _event: &DetectionEvent) -> Finding {
        Finding::Nothing
    }

    /// New data was sent or some was acknowledged, and the retransmission timer expires at
    /// `timeout`: the detector may want a timer of its own before, whose expiry sends a
    /// [`Finding::Probe`]. Only for a detector that [needs deliveries](Self::needs_deliveries).
    fn arm_probe(&mut self, _event: &DetectionEvent, _timeout: Time) {}

    /// A segment was put on the wire.
    fn on_sent(&mut self, _sent: &Sent, _sending: Sending) {}

    /// The oldest segment is being retransmitted for a loss reported by this detector.
    fn on_retransmit(&mut self, _flight: &Flight) {}

    /// The retransmission timer expired: everything in flight counts as lost.
    fn on_timeout(&mut self) {}

    /// When [`on_timer`](Self::on_timer) is due; `None` for never. Default: never.
    fn next_timer(&self) -> Option<Time> {
        None
    }

    /// The detector's own timer is due, or past. It must not be due again at once.
    fn on_timer(&mut self, _event: &DetectionEvent) -> Finding {
        Finding::Nothing
    }

    /// Whether the detector suspects a loss and waits before it says so: what the receiver reports
    /// does not count as a loss meanwhile, and the window goes on growing on duplicate ACKs as on
    /// others. Default: no.
    fn is_waiting(&self) -> bool {
        false
    }

    /// Whether the detector decides itself if a segment may be fast-retransmitted once more, but
    /// for those that a recovery under way has yet to send again; otherwise the sender forbids that
    /// below the highest position sent at the last one or at a timeout (RFC 6582's `recover`).
    /// Default: no.
    fn guards_repeats(&self) -> bool {
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

    /// A fast retransmit backs the coarse timer off, which is left as a backstop. Default: no.
    fn distrusts_rto(&self) -> bool {
        false
    }

    /// Whether the detector's timer sends the same segment again and again, without an ACK between:
    /// that must not restart the retransmission timer, which would never find then that nobody
    /// answers. Default: no.
    fn repeats_unanswered(&self) -> bool {
        false
    }

    /// Payload of new segments, where `mss` is the largest there may be. Default: that.
    fn segment_len(&self, mss: u32) -> u32 {
        mss
    }

    /// Data that may be sent beyond the window while `dupacks` are too few to tell. Default:
    /// limited transmit (RFC 3042), one a duplicate ACK and at most two.
    fn limited_transmit(&self, dupacks: u32) -> Allowance {
        limited_transmit(dupacks, self.threshold())
    }
}

/// RFC 3042: a segment on each of the first two of too few duplicate ACKs.
#[inline]
pub fn limited_transmit(dupacks: u32, threshold: u32) -> Allowance {
    Allowance::Beyond(if dupacks < threshold {
        dupacks.min(2)
    } else {
        0
    })
}

/// Properties of a built-in detector.
pub trait Detector: BuiltIn {
    /// Whether the detector counts duplicate ACKs and does nothing else.
    const ONLY_COUNTS: bool = false;
    /// [`LossDetector::on_sent`] does something.
    const HEARS_OF_SENDING: bool = !Self::ONLY_COUNTS;
    /// [`LossDetector::on_new_ack`] may answer anything but "no".
    const HEARS_OF_NEW_ACKS: bool = !Self::ONLY_COUNTS;
    /// [`LossDetector::segment_len`] may answer anything but the MSS.
    const SHORTENS_SEGMENTS: bool = false;
    /// Whether the detector needs SACK (RFC 2018), whatever the recovery does.
    const NEEDS_SACK: bool = false;
    /// Whether the detector needs ECN, to know of routers' marks (RFC 3168).
    const NEEDS_ECN: bool = false;
}

slot! {
    [$] detection: "When a segment counts as lost.";
    labels_given: false;
    facts: Detector;
    /// Members of the `detection` slot.
    #[derive(Clone, Debug, PartialEq)]
    pub enum DetectionConfig;
    /// The members of the slot: built-in ones, dispatched statically, and a user's own.
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
    /// Whether the detector needs SACK (RFC 2018), whatever the recovery does.
    pub fn needs_sack(&self) -> bool {
        fact!(self, NEEDS_SACK, false)
    }

    /// Whether the detector needs ECN, to know of routers' marks (RFC 3168).
    pub fn needs_ecn(&self) -> bool {
        fact!(self, NEEDS_ECN, false)
    }
}

impl Detection {
    /// A fresh detector for a connection.
    pub fn new(config: &TcpConfig) -> Self {
        Self::build(&config.composition.detection, &config.setup(), config)
    }

    /// Whether it counts duplicate ACKs and does nothing else.
    #[inline]
    pub(super) fn only_counts(&self) -> bool {
        fact!(self, ONLY_COUNTS, false)
    }

    /// Whether the oldest segment counts as lost on duplicate ACK number `dupacks`; `None` if the detector goes by
    /// more than that number.
    #[inline]
    pub(super) fn count(&self, dupacks: u32) -> Option<bool> {
        match self {
            Self::Dupacks(member) => Some(member.is_reached(dupacks)),
            _ => None,
        }
    }

    /// As `arm_probe`, for a detector that needs no more of the event than these arguments. Returns false, and does
    /// nothing, if the detector needs the whole event, which takes longer to build.
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

    /// Whether `on_sent` does anything for the next segment. RACK's does something for tail loss probes only.
    #[inline]
    pub(super) fn hears_of_sending(&self) -> bool {
        match self {
            Self::Rack(member) => member.awaits_probe(),
            _ => fact!(self, HEARS_OF_SENDING, true),
        }
    }

    /// Whether `on_new_ack` may answer anything but "no".
    #[inline]
    pub(super) fn hears_of_new_acks(&self) -> bool {
        fact!(self, HEARS_OF_NEW_ACKS, true)
    }

    // Questions asked on every ACK, out of line: most connections only count duplicate ACKs, and
    // never get here.

    #[inline(never)]
    fn own_timer(&self) -> Option<Time> {
        each!(self, m => m.next_timer())
    }

    #[inline(never)]
    fn own_segment_len(&self, mss: u32) -> u32 {
        each!(self, m => m.segment_len(mss))
    }

    #[inline(never)]
    fn own_loss_rule(&self) -> LossRule {
        each!(self, m => m.loss_rule())
    }

    #[inline(never)]
    fn own_allowance(&self, dupacks: u32) -> Allowance {
        each!(self, m => m.limited_transmit(dupacks))
    }
}

impl LossDetector for Detection {
    fn needs_deliveries(&self) -> bool {
        each!(self, m => m.needs_deliveries())
    }

    fn on_duplicate(&mut self, ack: u64, reported: Option<u64>) {
        each!(self, m => m.on_duplicate(ack, reported));
    }

    fn on_delivery(&mut self, event: &DetectionEvent) -> Finding {
        each!(self, m => m.on_delivery(event))
    }

    fn arm_probe(&mut self, event: &DetectionEvent, timeout: Time) {
        each!(self, m => m.arm_probe(event, timeout));
    }

    fn on_dupack(&mut self, event: &DetectionEvent) -> bool {
        each!(self, m => m.on_dupack(event))
    }

    fn on_new_ack(&mut self, event: &DetectionEvent) -> bool {
        each!(self, m => m.on_new_ack(event))
    }

    fn window_after_reordering(&self, event: &DetectionEvent) -> Option<Window> {
        each!(self, m => m.window_after_reordering(event))
    }

    fn repair_is_lost(&mut self, event: &DetectionEvent) -> bool {
        each!(self, m => m.repair_is_lost(event))
    }

    fn is_congestion(&self, loss: &LossEvent) -> bool {
        each!(self, m => m.is_congestion(loss))
    }

    fn lost_repair_is_congestion(&self, loss: &LossEvent) -> bool {
        each!(self, m => m.lost_repair_is_congestion(loss))
    }

    fn window_after_recovery(&self, event: &DetectionEvent) -> Option<Segments> {
        each!(self, m => m.window_after_recovery(event))
    }

    fn cuts_by_outstanding(&self) -> bool {
        each!(self, m => m.cuts_by_outstanding())
    }

    fn flight_before(&self) -> Option<u64> {
        each!(self, m => m.flight_before())
    }

    #[inline]
    fn on_sent(&mut self, sent: &Sent, sending: Sending) {
        each!(self, m => m.on_sent(sent, sending));
    }

    fn on_retransmit(&mut self, flight: &Flight) {
        each!(self, m => m.on_retransmit(flight));
    }

    fn on_timeout(&mut self) {
        each!(self, m => m.on_timeout());
    }

    #[inline]
    fn next_timer(&self) -> Option<Time> {
        match self {
            Self::Dupacks(_) => None,
            Self::Rack(member) => member.next_timer(),
            other => other.own_timer(),
        }
    }

    fn on_timer(&mut self, event: &DetectionEvent) -> Finding {
        each!(self, m => m.on_timer(event))
    }

    fn is_waiting(&self) -> bool {
        each!(self, m => m.is_waiting())
    }

    fn guards_repeats(&self) -> bool {
        each!(self, m => m.guards_repeats())
    }

    #[inline]
    fn threshold(&self) -> u32 {
        each!(self, m => m.threshold())
    }

    #[inline]
    fn loss_rule(&self) -> LossRule {
        match self {
            Self::Dupacks(member) => member.loss_rule(),
            other => other.own_loss_rule(),
        }
    }

    fn distrusts_rto(&self) -> bool {
        each!(self, m => m.distrusts_rto())
    }

    fn repeats_unanswered(&self) -> bool {
        each!(self, m => m.repeats_unanswered())
    }

    #[inline]
    fn segment_len(&self, mss: u32) -> u32 {
        if fact!(self, SHORTENS_SEGMENTS, true) {
            self.own_segment_len(mss)
        } else {
            mss
        }
    }

    #[inline]
    fn limited_transmit(&self, dupacks: u32) -> Allowance {
        match self {
            Self::Dupacks(member) => member.limited_transmit(dupacks),
            Self::Rack(member) => member.limited_transmit(dupacks),
            other => other.own_allowance(dupacks),
        }
    }
}
