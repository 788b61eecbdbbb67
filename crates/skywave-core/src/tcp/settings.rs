//! Settings of a connection that are no policy of the sender's: clocks, counting, the handshake.

use crate::parameter::names;
use crate::time::Duration;
use crate::units::Segments;

/// Rule by which an ACK counts towards the growth of the congestion window: by ACKs, by bytes, or by what was
/// delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// ACKs of new data count as one segment each (RFC 5681 as written; ns-2).
    Acks,
    /// Bytes acknowledged count, at most this many segments an ACK (RFC 3465's L).
    Bytes(u32),
    /// Data that an ACK reports for the first time counts, cumulatively or by a SACK block (Linux).
    /// The ACK that ends a recovery counts little then: most of what it covers had been reported.
    Delivered,
}

impl Counting {
    /// How many segments an ACK counts as when the window grows: one that acknowledges `acked` new data, of
    /// which it reports `delivered` for the first time.
    #[inline]
    pub(super) fn counted(
        self,
        acked: impl Fn() -> Segments,
        delivered: impl Fn() -> Segments,
    ) -> Segments {
        match self {
            Self::Acks => Segments::ONE,
            Self::Bytes(limit) => acked().min(Segments(f64::from(limit))),
            Self::Delivered => delivered(),
        }
    }
}

/// Evidence that a sender uses its congestion window, without which the window does not grow (the concern of RFC 7661).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Usage {
    /// Data in flight when the ACK came: at least half the window in slow start, else all of it but a
    /// segment. Nothing is asked with [`Counting::Acks`].
    #[default]
    AtAck,
    /// The present round: the window was full when the sender last stopped for it; in slow start, more than half of it
    /// was in flight at some time (Linux' `tcp_is_cwnd_limited`).
    InRound,
}

names! {
    /// Rules of a sender with ECN where RFC 3168 and ns-2 differ.
    // `sender/ecn.rs` has the rules.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum EcnRules {
        /// Rules of RFC 3168, section 6.1.
        Rfc3168 = "rfc3168",
        /// Rules of ns-2.35's one-way agents.
        Ns2 = "ns2",
    }
}

/// Clock and bounds of the retransmission timer, and how its estimator counts (RFC 6298).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RtoConfig {
    /// How the estimator of the RTO counts: in nanoseconds or in whole ticks.
    pub arithmetic: RtoArithmetic,
    /// Tick of the timer's clock (RFC 6298's G).
    pub granularity: Duration,
    /// Smallest RTO.
    pub min: Duration,
    /// Largest RTO.
    pub max: Duration,
    /// RTO before the first sample.
    pub initial: Duration,
}

impl RtoConfig {
    /// RFC 6298's values, with a clock of 1 ms.
    pub const EXACT: Self = Self {
        arithmetic: RtoArithmetic::Exact,
        granularity: Duration::from_millis(1),
        min: Duration::from_secs(1),
        max: Duration::from_secs(60),
        initial: Duration::from_secs(1),
    };
}

names! {
    /// Unit in which the estimator of the RTO counts time.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum RtoArithmetic {
        /// In nanoseconds.
        // G only bounds the variance term.
        Exact = "exact",
        /// In whole ticks, in fixed point.
        // Jacobson 1988, appendix A, as BSD and ns-2 do.
        Ticks = "ticks",
    }
}

names! {
    /// How a connection begins.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Handshake {
        /// Both ends are connected from the start.
        None = "none",
        /// SYN, SYN-ACK, ACK.
        // RFC 9293.
        ThreeWay = "three-way",
    }
}

impl Handshake {
    /// Sequence numbers that the handshake takes before the first payload byte: 1 for the SYN, 0 without a
    /// handshake.
    pub const fn span(self) -> u64 {
        match self {
            Self::None => 0,
            Self::ThreeWay => 1,
        }
    }
}
