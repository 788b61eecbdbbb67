//! The `congestion` slot: how the window grows and shrinks.
//!
//! A law hears events, and answers with a window, and with a pacing rate if it has one. The sender owns
//! everything else. Costly measurements are made only for a law that asks for them: snapshots for rate samples
//! are in a ring of their own beside the flight (`flight/rate.rs`), and so are samples of lost segments, which
//! say what was in flight when each was sent. A sender without pacing, ECN and snapshots, whose detector counts
//! duplicate ACKs, is `plain` and takes a fast path through the code.
//!
//! A law may own the window ([`LawFacts::owns_window`]; BBR does). Then it hears of every ACK after detection and
//! recovery have processed it, and a recovery by SACK fills the window instead of reducing it by PRR.

mod bbr;
mod bbr3;
mod capacity;
mod cerl;
mod contention;
mod copa;
mod cubic;
mod dctcp;
mod few;
mod hybla;
mod jersey;
mod path;
mod prague;
mod reno;
mod sca;
mod slotted;
mod tcp_ap;
mod three_quarter;
mod vegas;
mod veno;
mod westwood;
mod yongmei;

use std::ops::{Deref, DerefMut};

use super::config::TcpConfig;
use super::custom::{Built, CustomCongestion};
use super::flight::LossSample;
use super::slot::BuiltIn;
use super::slot::register::slot;
use super::slow_start::SlowStartConfig;
use super::window::{
    AckEvent, IdleEvent, LossEvent, Response, SpuriousEvent, TimeoutEvent, Window,
};
use crate::packet::Hints;
use crate::time::{Duration, Time};
use crate::units::{Rate, Segments};

/// Facts about a congestion control by which the sender saves work, or leaves a decision to the congestion control.
/// Default: none holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LawFacts {
    /// The window grows by [`standard_growth`], and the congestion control needs to hear of nothing but
    /// losses, timeouts and marks.
    pub is_standard: bool,
    /// The congestion control alone says how much may be in flight, also while losses are repaired, as BBR
    /// does (in Linux one with `cong_control`). Then
    /// - [`on_ack`](CongestionControl::on_ack) and [`grow`](CongestionControl::grow) are called for every ACK, with
    ///   `acked` zero for a duplicate one, after detection and recovery have taken it;
    ///   [`on_dupack`](CongestionControl::on_dupack) is not;
    /// - a recovery by SACK chooses what is sent and fills `window.cwnd`, without a reduction of its own
    ///   (PRR);
    /// - [`on_idle_restart`](CongestionControl::on_idle_restart) is also called after shorter pauses, if the
    ///   application or the receiver's window caused them and rates [are sampled](Self::needs_rate).
    pub owns_window: bool,
    /// The congestion control wants [`AckEvent::rate`]: the sender then keeps a snapshot of each segment in
    /// flight.
    pub needs_rate: bool,
    /// The congestion control wants [`on_segment_lost`](CongestionControl::on_segment_lost); only together
    /// with [rates](Self::needs_rate).
    pub needs_losses: bool,
}

/// Congestion control of one TCP sender, also called the law of its window. The sender owns the window, the flight
/// and the recovery; a law hears events and answers. Windows are in segments, and may be fractions.
///
/// - An ACK of new data: [`on_ack`](Self::on_ack) measures, [`grow`](Self::grow) moves the window. The sender
///   calls no other method to let the window grow, so that each law grows in its own way under every detector.
/// - A loss: answer with the threshold and the window from now on. The recovery applies it, and
///   adds what it needs to keep sending while it repairs; that never shows in `cwnd`.
/// - A timeout: the same; everything in flight then counts as lost.
///
/// A law that sends by a rate also answers with a [pacing rate](Self::pacing_rate). All methods but `grow`, `on_loss`
/// and `on_timeout` have a default.
///
/// The sender corrects a user's own law: a window that is NaN or below one segment becomes one segment, and a pace
/// below 100 bit/s becomes 100 bit/s. Under a user's own law, or one that [owns the window](LawFacts::owns_window),
/// retransmissions are limited to the configured [`rwnd`](super::TcpConfig::rwnd) plus 16 bytes for each byte that has
/// arrived; a timeout counts as an arrived segment.
///
/// ```
/// use skywave_core::tcp::CongestionControl;
/// use skywave_core::tcp::congestion::standard_growth;
/// use skywave_core::tcp::window::{AckEvent, LossEvent, Response, TimeoutEvent, Window};
///
/// /// Reno with a milder cut.
/// struct Gentle;
///
/// impl CongestionControl for Gentle {
///     fn grow(&mut self, ack: &AckEvent, window: &mut Window) {
///         standard_growth(ack, window);
///     }
///
///     fn on_loss(&mut self, loss: &LossEvent, _window: &Window) -> Response {
///         Response::cut_to(loss.window * 0.8)
///     }
///
///     fn on_timeout(&mut self, timeout: &TimeoutEvent, _window: &Window) -> Response {
///         Response::restart(timeout.window / 2.0)
///     }
/// }
/// ```
pub trait CongestionControl {
    /// Facts about the law, the same whenever they are asked for.
    fn facts(&self) -> LawFacts {
        LawFacts::default()
    }

    /// The handshake is over, and took `rtt`, `None` if that could not be measured. Default: nothing, as a segment
    /// without data is faster than any with data.
    fn on_open(&mut self, _now: Time, _rtt: Option<Duration>) {}

    /// Data was acknowledged: measure what the law goes by. Called for every new ACK, also in recovery, after
    /// the sender's own state was updated and before [`grow`](Self::grow). Default: nothing.
    fn on_ack(&mut self, _ack: &AckEvent) {}

    /// Moves the window on an ACK: `window.cwnd`, if `ack.may_grow` or on your own judgement. Called
    /// - for every ACK of new data, also in recovery (then `may_grow` is false);
    /// - for a duplicate ACK on which the detector waits before it reports a loss, as the window goes on growing
    ///   meanwhile (TCP-DCR section 3.3): then `acked` is zero, `may_grow` is true, and `counted` is one segment.
    ///   [`on_dupack`](Self::on_dupack) was called for it, [`on_ack`](Self::on_ack) was not.
    fn grow(&mut self, ack: &AckEvent, window: &mut Window);

    /// A duplicate ACK came: one more segment has left the network. Default: nothing.
    fn on_dupack(&mut self, _ack: &AckEvent) {}

    /// A segment was found lost: returns the threshold and the window from now on. Called for each fast retransmit but
    /// those that need no cut: for a loss of which the receiver says that a channel caused it, or that the detector
    /// takes for noise, or in a window of data that was cut for a mark. Called as well if a probe has repaired a loss,
    /// or if a detector finds the copy of a segment lost that a recovery has sent.
    fn on_loss(&mut self, loss: &LossEvent, window: &Window) -> Response;

    /// The retransmission timer expired: returns the threshold and the window from now on. Not called for a further
    /// expiry for the same segment where [`hold_ssthresh`](super::TcpConfig::hold_ssthresh) is on, unless the
    /// congestion control [owns the window](LawFacts::owns_window).
    fn on_timeout(&mut self, timeout: &TimeoutEvent, window: &Window) -> Response;

    /// A router has marked a segment, and nothing was cut for this window of data yet: returns the threshold and the
    /// window from now on. Called once per window of data. Default: as a loss (RFC 3168 section 6.1.2).
    fn on_ecn(&mut self, mark: &LossEvent, window: &Window) -> Response {
        self.on_loss(mark, window)
    }

    /// A supposed loss was none. The window is restored already as far as it is to be, unless the law
    /// [owns it](LawFacts::owns_window): then that is left to this method. Default: nothing more to do.
    fn on_spurious(&mut self, _spurious: &SpuriousEvent, _window: &mut Window) {}

    /// Data is about to be sent after a pause in which nothing was awaited: the application had nothing to send, the
    /// receiver's window was closed, or the connection stood still, as in [`freeze`](super::Connection::freeze). The
    /// time since the latest ACK says nothing of the path; a law that goes by a clock leaves it out (Linux's
    /// `CA_EVENT_TX_START`). Called whether or not the window is to begin again, and before
    /// [`on_idle_restart`](Self::on_idle_restart). Default: nothing.
    fn on_resume(&mut self, _idle: &IdleEvent) {}

    /// Data is about to be sent after a pause longer than the RTO, and the sender's `restart_after_idle` is on. Under a
    /// law that [owns the window](LawFacts::owns_window) also after other pauses, if the application or the receiver's
    /// window caused them. Default: not more than the initial window (RFC 5681 section 4.1).
    fn on_idle_restart(&mut self, idle: &IdleEvent, window: &mut Window) {
        window.cwnd = window.cwnd.min(idle.initial_window);
    }

    /// The receiver reports something about the path of the data. Called before the method for the ACK that carries the
    /// hints. Default: nothing.
    fn on_hints(&mut self, _now: Time, _hints: &Hints, _window: &mut Window) {}

    /// A segment was found lost; `lost` also has the state of the path when it was last sent. Called for each one, in
    /// their order, before the method for the next ACK. Default: nothing.
    fn on_segment_lost(&mut self, _now: Time, _lost: &LossSample, _window: &Window) {}

    /// Rate at which payload is to leave. Default, `None`: as fast as the window allows, unless the connection is paced
    /// by its window (`PacingConfig::Window`). In TCP a law that is not so paced and answers `None` before the
    /// connection opens is never paced.
    fn pacing_rate(&self) -> Option<Rate> {
        None
    }

    /// Bytes of payload that may leave at once when paced; at least one segment always may. Default, `None`: the burst
    /// of the connection's pacing.
    fn send_quantum(&self) -> Option<u64> {
        None
    }
}

/// Slow start, then one segment a round trip: if `ack.may_grow`, cwnd grows by `ack.counted` below ssthresh, and by
/// `ack.counted/cwnd` from there on (RFC 5681 section 3.1; RFC 3465 when bytes are counted).
#[inline]
pub fn standard_growth(ack: &AckEvent, window: &mut Window) {
    if ack.may_grow {
        window.grow(ack.counted);
    }
}

/// Properties of a built-in congestion control that are known without a connection.
pub trait Law: BuiltIn {
    /// Whether the congestion control decides itself if another loss of the same window counts, so that the sender does
    /// not forbid a second fast retransmit there
    /// ([`Composition::avoid_repeated_recovery`](super::config::Composition)).
    const GUARDS_REPEATS: bool = false;
    /// Need of the law for explicit congestion notification (ECN).
    const NEEDS_ECN: NeedsEcn = NeedsEcn::Nothing;
    /// Whether the law uses [`AckEvent::one_way`]. Where one-way delays cost bytes of ACKs, as in
    /// QUIC, only such laws get them.
    const HEARS_ONE_WAY: bool = false;
    /// Sign other than a loss that ends slow start under this congestion control in Linux; most have none.
    const SLOW_START: SlowStartConfig = SlowStartConfig::Standard;

    /// Rise of one-way delays, in mean deviations, above which a receiver that judges losses by these delays calls a
    /// loss congestion; `None` if the receiver does not judge losses.
    fn indicator(_config: &Self::Config) -> Option<f64> {
        None
    }
}

/// Need of a congestion control for explicit congestion notification (ECN), which a connection under it has unless its
/// configuration says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NeedsEcn {
    /// No need of ECN; if the connection has it, marks are answered all the same.
    Nothing,
    /// ECN, and a receiver that echoes every mark (RFC 8257 section 3.2).
    EveryMark,
    /// ECN, a receiver that echoes every mark, and data that carries ECT(1) (RFC 9331).
    L4s,
}

slot! {
    [$] congestion: "How the window grows and shrinks.";
    labels_given: true;
    facts: Law;
    /// Choice of a congestion control, built in or a user's own, with its parameters.
    #[derive(Clone, Debug, PartialEq)]
    pub enum CongestionConfig;
    /// Congestion control of one connection, built in or a user's own, with its state.
    #[derive(Debug)]
    pub enum Congestion;
    Reno: reno::Reno,
    Vegas(config): vegas::Vegas,
    Veno(config): veno::Veno,
    Westwood(config): westwood::Westwood,
    Cubic(config): cubic::Cubic,
    Cerl(config): cerl::Cerl,
    ThreeQuarter: three_quarter::ThreeQuarter,
    Hybla(config): hybla::Hybla,
    Bbr: bbr::Bbr,
    Dctcp(config): dctcp::Dctcp,
    Prague(config): prague::Prague,
    Bbr3: bbr3::Bbr3,
    Copa(config): copa::Copa,
    Capacity: capacity::Capacity,
    Few(config): few::Few,
    Sca(config): sca::Sca,
    Yongmei: yongmei::Yongmei,
    Jersey: jersey::Jersey,
    Slotted(config): slotted::Slotted,
    TcpAp(config): tcp_ap::TcpAp,
    Contention(config): contention::Contention,
    + Custom(own, tcp): CustomCongestion => Built<dyn CongestionControl + Send>
}

impl CongestionConfig {
    /// Whether the congestion control itself decides if another loss in a window of data brings another cut,
    /// as CERL does: the sender then does not forbid a second fast retransmit there.
    pub fn guards_repeats(&self) -> bool {
        fact!(self, GUARDS_REPEATS, false)
    }

    /// Need of the congestion control for explicit congestion notification (ECN): [`NeedsEcn::Nothing`] for a user's
    /// own.
    pub fn needs_ecn(&self) -> NeedsEcn {
        fact!(self, NEEDS_ECN, NeedsEcn::Nothing)
    }

    /// Whether the congestion control uses one-way delays; true for a user's own, which may.
    pub fn hears_one_way(&self) -> bool {
        fact!(self, HEARS_ONE_WAY, true)
    }

    /// Sign other than a loss that ends slow start under this congestion control in Linux: HyStart for CUBIC, nothing
    /// for others.
    pub fn slow_start(&self) -> SlowStartConfig {
        fact!(self, SLOW_START, SlowStartConfig::Standard)
    }

    /// Rise of one-way delays, in mean deviations, above which a receiver that judges losses by these delays calls a
    /// loss congestion; `None` if the receiver does not judge losses.
    pub fn indicator(&self) -> Option<f64> {
        of_config!(self, indicator, None)
    }
}

/// Largest window that a controller of a user's own may set, far above any receiver's.
const LARGEST: Segments = Segments(1e9);

/// Slowest pace that a controller of a user's own may set, as a connection whose pace is zero never goes on either: with it a
/// full segment takes two minutes, the longest that Linux' retransmission timer waits.
const SLOWEST: Rate = Rate::from_bps(100);

/// At least a segment, as a connection without a window never goes on, and a number.
fn bounded(window: Segments) -> Segments {
    window.max(Segments::ONE).min(LARGEST)
}

/// Bounds the window that a law has set. What it has left alone is the sender's, and may be less than a
/// segment after a mark.
fn bound(window: &mut Window, set: impl FnOnce(&mut Window)) {
    let before = window.cwnd;
    set(window);
    if window.cwnd != before {
        window.cwnd = bounded(window.cwnd);
    }
    window.ssthresh = bounded(window.ssthresh);
}

fn bounded_response(response: Response) -> Response {
    Response {
        ssthresh: bounded(response.ssthresh),
        window_after: bounded(response.window_after),
    }
}

impl CongestionControl for Built<dyn CongestionControl + Send> {
    fn on_open(&mut self, now: Time, rtt: Option<Duration>) {
        self.member.on_open(now, rtt);
    }

    fn on_ack(&mut self, ack: &AckEvent) {
        self.member.on_ack(ack);
    }

    fn grow(&mut self, ack: &AckEvent, window: &mut Window) {
        bound(window, |window| self.member.grow(ack, window));
    }

    fn on_dupack(&mut self, ack: &AckEvent) {
        self.member.on_dupack(ack);
    }

    fn on_loss(&mut self, loss: &LossEvent, window: &Window) -> Response {
        bounded_response(self.member.on_loss(loss, window))
    }

    fn on_timeout(&mut self, timeout: &TimeoutEvent, window: &Window) -> Response {
        bounded_response(self.member.on_timeout(timeout, window))
    }

    fn on_ecn(&mut self, mark: &LossEvent, window: &Window) -> Response {
        bounded_response(self.member.on_ecn(mark, window))
    }

    fn on_spurious(&mut self, spurious: &SpuriousEvent, window: &mut Window) {
        bound(window, |window| self.member.on_spurious(spurious, window));
    }

    fn on_resume(&mut self, idle: &IdleEvent) {
        self.member.on_resume(idle);
    }

    fn on_idle_restart(&mut self, idle: &IdleEvent, window: &mut Window) {
        bound(window, |window| self.member.on_idle_restart(idle, window));
    }

    fn on_hints(&mut self, now: Time, hints: &Hints, window: &mut Window) {
        bound(window, |window| self.member.on_hints(now, hints, window));
    }

    fn facts(&self) -> LawFacts {
        self.member.facts()
    }

    fn on_segment_lost(&mut self, now: Time, lost: &LossSample, window: &Window) {
        self.member.on_segment_lost(now, lost, window);
    }

    fn pacing_rate(&self) -> Option<Rate> {
        let rate = self.member.pacing_rate()?;
        Some(rate.max(SLOWEST))
    }

    fn send_quantum(&self) -> Option<u64> {
        self.member.send_quantum()
    }
}

impl Congestion {
    /// Congestion control of a new connection with this configuration.
    pub fn new(config: &TcpConfig) -> Self {
        Self::build(&config.composition.congestion, &config.setup(), config)
    }

    /// An ACK on which the law measures and moves the window: [`CongestionControl::on_ack`], then
    /// [`CongestionControl::grow`].
    pub(crate) fn take_ack(&mut self, ack: &AckEvent, window: &mut Window) {
        each!(self, m => {
            m.on_ack(ack);
            m.grow(ack, window);
        });
    }

    #[inline]
    pub(crate) fn facts(&self) -> LawFacts {
        each!(self, m => m.facts())
    }

    #[inline]
    pub(crate) fn pacing_rate(&self) -> Option<Rate> {
        each!(self, m => m.pacing_rate())
    }
}

/// Methods of the trait that are not asked of each packet.
impl Deref for Congestion {
    type Target = dyn CongestionControl;

    fn deref(&self) -> &Self::Target {
        any!(self, Borrow::borrow, own => own)
    }
}

impl DerefMut for Congestion {
    fn deref_mut(&mut self) -> &mut Self::Target {
        any!(self, BorrowMut::borrow_mut, own => own)
    }
}
