//! The `recovery` slot: what is sent after a loss, until it is repaired.
//!
//! A recovery marks segments as lost in the [`Flight`]; the sender sends marked segments first. It
//! applies the controller's [`Response`] to the window and keeps the inflation, the segments that
//! duplicate ACKs say have left the network, apart from `cwnd`.
//!
//! So `cwnd` is never inflated. A controller answers a loss with `Response { ssthresh, window_after }`, and the
//! recovery applies it. CERL's saved window, its inflation by three and its deflation to the saved window need no
//! code for that reason: for a random loss the response leaves the window unchanged.

mod newreno;
mod prr;
mod reno;
mod sack;
mod sack1;
mod tahoe;

use crate::units::Segments;

use super::detection::LossRule;
use super::flight::Flight;
use super::slot::register::slot;
use super::slot::{BuiltIn, Setup};
use super::window::{Response, Window};

/// The parts of the sender that a recovery works on.
pub struct Repair<'a> {
    /// Sequence space and scoreboard.
    pub flight: &'a mut Flight,
    /// The congestion window.
    pub window: &'a mut Window,
    /// Payload bytes of a full segment.
    pub mss: u32,
    /// Rule that tells which segments are lost, for a recovery that looks at more than the oldest
    /// one.
    pub rule: LossRule,
    /// Bytes that this ACK reports to have arrived for the first time, cumulatively or selectively.
    pub delivered: u64,
}

/// Effect of an ACK of new data on the recovery, and whether the window may grow on that ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// No recovery is going on, or this ACK ended it; the window may grow on it.
    Open,
    /// The recovery has ended with this ACK; the window does not grow on it.
    Done,
    /// The recovery goes on: the ACK is a partial one.
    Partial {
        /// The retransmission timer is to be restarted.
        restart_timer: bool,
    },
}

/// Policy for what is sent after a loss, until it is repaired.
pub trait LossRecovery {
    /// Whether a recovery is going on.
    fn is_active(&self) -> bool;

    /// The oldest unacknowledged segment was found lost after `dupacks` duplicate ACKs: repair it.
    fn on_loss(&mut self, repair: &mut Repair, response: Response, dupacks: u32);

    /// A duplicate ACK during the recovery.
    fn on_dupack(&mut self, _repair: &mut Repair) {}

    /// The detector's timer found more losses during the recovery.
    fn on_found(&mut self, _repair: &mut Repair) {}

    /// New data was acknowledged up to `flight.una()`, `acked` segments of it, during the recovery.
    fn on_new_ack(&mut self, _repair: &mut Repair, _acked: Segments) -> Progress {
        Progress::Open
    }

    /// New data was acknowledged outside of a recovery.
    fn on_open_ack(&self, _flight: &mut Flight) {}

    /// Whether the receiver's reports show that the oldest unacknowledged segment is lost, although there are fewer
    /// duplicate ACKs than the detection wants; `threshold` segments must have arrived above it.
    fn first_is_lost(&self, _flight: &Flight, _mss: u32, _threshold: u32) -> bool {
        false
    }

    /// A recovery that goes on is over without its repair: the retransmission timer expired or an outage has ended, and
    /// the flight goes back N, or a cut was a mistake and is taken back.
    fn on_timeout(&mut self, _flight: &mut Flight) {}

    /// Position up to which everything must be acknowledged before there is a fast retransmit, without SACK the byte at
    /// it as well, after a timeout at which `max` was the first position never sent.
    fn recover_after_timeout(&self, max: u64) -> u64 {
        max
    }

    /// Whether duplicate ACKs find no loss below what was sent before the last repair or timeout. Default: yes.
    fn guards(&self) -> bool {
        true
    }

    /// Segments that have left the network and may be replaced by new ones, during the recovery.
    fn inflation(&self) -> Segments {
        Segments::ZERO
    }

    /// Bytes that may be sent now, for a recovery that goes by its own count of the data in the network (`pipe`);
    /// `None` for a recovery that goes by the window, and outside of a recovery.
    fn pipe_room(&self, _flight: &Flight, _window: &Window, _mss: u32) -> Option<u64> {
        None
    }

    /// A segment of `bytes` bytes was sent during the recovery.
    fn on_sent(&mut self, _bytes: u64) {}

    /// Nothing else may be sent, although there is room: position of a segment worth sending again all the same, `None`
    /// if there is none.
    fn rescue(&mut self, _flight: &mut Flight) -> Option<u64> {
        None
    }
}

/// Loss recovery of one sender: its policy, and whether a recovery is going on.
///
/// The flag comes first, outside of the policy: most of the time no recovery is going on, and then the policy need not
/// be asked.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Recovery {
    active: bool,
    member: Member,
}

// A driver fetches ahead what is in the first two words.
const _: () = assert!(std::mem::offset_of!(Recovery, member) == size_of::<u64>());

/// Properties of a built-in recovery.
pub trait Repairs: BuiltIn {
    /// Whether the scoreboard decides what is sent: then the receiver must send SACK blocks, and only those duplicate
    /// ACKs count that SACK something for the first time.
    const USES_SACK: bool = false;

    /// Duplicate ACKs let new data out before a loss is found (RFC 3042).
    fn limited_transmit(_config: &Self::Config) -> bool {
        true
    }
}

slot! {
    [$] recovery: "What is sent after a loss, until it is repaired.";
    labels_given: false;
    facts: Repairs;
    /// Choice of a loss recovery, with its parameters.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum RecoveryConfig;
    /// Policy of a recovery, with its state; its methods are dispatched statically.
    #[derive(Clone, Debug)]
    enum Member;
    Tahoe: tahoe::Tahoe,
    Reno(config): reno::Reno,
    NewReno(config): newreno::NewReno,
    Sack: sack::Sack,
    Prr: prr::Prr,
    Sack1: sack1::Sack1,
}

/// Calls the member, and sees whether its recovery goes on.
macro_rules! tell {
    ($self:expr, $member:ident => $call:expr) => {{
        let answer = each!(&mut $self.member, $member => $call);
        $self.active = each!(&$self.member, m => m.is_active());
        answer
    }};
}

impl RecoveryConfig {
    /// True if the scoreboard decides what is sent: the receiver must send SACK blocks, and only those
    /// duplicate ACKs count that SACK something for the first time.
    pub fn uses_sack(self) -> bool {
        fact!(self, USES_SACK)
    }

    /// Duplicate ACKs let new data out before a loss is found (RFC 3042).
    pub(super) fn limited_transmit(self) -> bool {
        of_config!(&self, limited_transmit)
    }
}

impl Member {
    #[inline]
    fn uses_sack(&self) -> bool {
        fact!(self, USES_SACK)
    }
}

impl Recovery {
    /// Loss recovery of a new connection; none is going on.
    pub fn new(config: RecoveryConfig, setup: &Setup) -> Self {
        Self {
            active: false,
            member: Member::build(&config, setup),
        }
    }

    /// True if the scoreboard decides what is sent, so that only duplicate ACKs count that SACK something for the first
    /// time.
    pub fn uses_sack(&self) -> bool {
        self.member.uses_sack()
    }
}

impl LossRecovery for Recovery {
    #[inline]
    fn is_active(&self) -> bool {
        self.active
    }

    fn on_loss(&mut self, repair: &mut Repair, response: Response, dupacks: u32) {
        tell!(self, m => m.on_loss(repair, response, dupacks));
    }

    fn on_dupack(&mut self, repair: &mut Repair) {
        tell!(self, m => m.on_dupack(repair));
    }

    fn on_found(&mut self, repair: &mut Repair) {
        tell!(self, m => m.on_found(repair));
    }

    fn on_new_ack(&mut self, repair: &mut Repair, acked: Segments) -> Progress {
        tell!(self, m => m.on_new_ack(repair, acked))
    }

    #[inline]
    fn on_open_ack(&self, flight: &mut Flight) {
        each!(&self.member, m => m.on_open_ack(flight));
    }

    fn first_is_lost(&self, flight: &Flight, mss: u32, threshold: u32) -> bool {
        each!(&self.member, m => m.first_is_lost(flight, mss, threshold))
    }

    fn on_timeout(&mut self, flight: &mut Flight) {
        tell!(self, m => m.on_timeout(flight));
    }

    fn recover_after_timeout(&self, max: u64) -> u64 {
        each!(&self.member, m => m.recover_after_timeout(max))
    }

    fn guards(&self) -> bool {
        each!(&self.member, m => m.guards())
    }

    #[inline]
    fn inflation(&self) -> Segments {
        if !self.active {
            return Segments::ZERO;
        }
        each!(&self.member, m => m.inflation())
    }

    #[inline]
    fn pipe_room(&self, flight: &Flight, window: &Window, mss: u32) -> Option<u64> {
        if !self.active {
            return None;
        }
        each!(&self.member, m => m.pipe_room(flight, window, mss))
    }

    #[inline]
    fn on_sent(&mut self, bytes: u64) {
        if self.active {
            tell!(self, m => m.on_sent(bytes));
        }
    }

    fn rescue(&mut self, flight: &mut Flight) -> Option<u64> {
        tell!(self, m => m.rescue(flight))
    }
}
