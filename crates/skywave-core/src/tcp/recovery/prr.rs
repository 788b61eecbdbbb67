//! Proportional rate reduction (RFC 6937 with the bounds as RFC 9937 joins them): how much each ACK
//! of a recovery lets out, so that what is in flight comes down to the target evenly.
//!
//! It keeps a window of its own: during the recovery `cwnd` is already the target.

use super::{Repair, Repairs, Sack};
use crate::tcp::slot::{BuiltIn, Setup};
use crate::tcp::window::Response;

/// Proportional rate reduction (RFC 6937, RFC 9937) in one recovery: how many bytes each ACK lets out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Prr {
    /// The RFC's ssthresh: what is to be in flight at the end, the controller's `window_after`.
    target: u64,
    /// RecoverFS: in flight when the recovery began.
    flight_size: u64,
    /// prr_delivered: arrived at the receiver since.
    delivered: u64,
    /// prr_out: sent since.
    out: u64,
    /// Number of bytes that may be in flight now.
    window: u64,
}

impl BuiltIn for Prr {
    type Config = ();
    type State = Sack;
    const NAME: &'static str = "prr";
    const SUMMARY: &'static str = "the same with the rate reduced in proportion to what arrives";
    const SOURCE: &'static str = "RFC 6937, RFC 9937";

    /// A law that owns the window alone says how much is sent.
    fn build(_config: &(), setup: &Setup) -> Sack {
        Sack::new(!setup.law_owns_window)
    }
}

impl Repairs for Prr {
    const USES_SACK: bool = true;
}

impl Prr {
    /// State at the start of a recovery, for whose loss the congestion control has answered `response`.
    pub fn begin(repair: &Repair, response: Response) -> Self {
        let flight = &repair.flight;
        Self {
            target: response.window_after.to_bytes(repair.mss),
            // Data reported before does not count as delivered in the recovery.
            flight_size: flight.max() - flight.una() - flight.sacked_bytes() + repair.delivered,
            ..Self::default()
        }
    }

    /// Takes an ACK that begins the recovery or belongs to it; `safe` when it advanced and showed no further loss
    /// (SafeACK).
    pub fn on_ack(&mut self, repair: &Repair, safe: bool) {
        if repair.delivered == 0 && self.out > 0 {
            return;
        }
        let pipe = repair.flight.pipe();
        let mss = u64::from(repair.mss);
        self.delivered += repair.delivered;
        let quota = if pipe > self.target {
            // In proportion: the target per flight size for what has arrived.
            let share = u128::from(self.delivered) * u128::from(self.target);
            let share = share.div_ceil(u128::from(self.flight_size.max(1)));
            (share as u64).saturating_sub(self.out)
        } else {
            // Below the target: as much as arrives (CRB), one segment more while all goes well (SSRB).
            let arrived = self.delivered.saturating_sub(self.out);
            let bound = arrived.max(repair.delivered) + if safe { mss } else { 0 };
            bound.min(self.target - pipe)
        };
        self.window = pipe + quota;
    }

    /// Allows one segment to be sent, as at the beginning, because losses were found without an ACK.
    pub fn on_found(&mut self, repair: &Repair) {
        self.window = repair.flight.pipe() + u64::from(repair.mss);
    }

    /// Counts `bytes` that were sent in the recovery.
    pub fn on_sent(&mut self, bytes: u64) {
        self.out += bytes;
    }

    /// Bytes that may be sent now, with `pipe` bytes in flight.
    pub fn room(&self, pipe: u64) -> u64 {
        self.window.saturating_sub(pipe)
    }
}
