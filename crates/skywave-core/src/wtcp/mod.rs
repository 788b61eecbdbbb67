//! WTCP: a rate-based transport for wireless wide-area networks (Sinha, Nandagopal, Venkitaraman,
//! Sivakumar, Bharghavan, "WTCP: A Reliable Transport Protocol for Wireless Wide-Area Networks").
//!
//! The receiver computes the rate from how far apart packets arrive; the sender spaces its packets by
//! it and repeats what selective acknowledgements show to be missing. There is no congestion window
//! and no retransmission timer.
//!
//! | mechanism | paper | file |
//! |---|---|---|
//! | packet pair at the start | section 3.1, item 6 | `receiver/setup.rs` |
//! | one packet a separation | section 3.1, item 1 | `sender/pacing.rs` |
//! | what is sent again, and when | figure 2 | `reliability.rs` |
//! | probes, blackouts | section 4.3, item 2; 3.1, item 7 | `sender.rs`, `sender/blackout.rs` |
//! | frequency of ACKs | section 3.2, item 3 | `sender/frequency.rs` |
//! | rate control | figure 1 | `rate.rs` |
//! | update epochs | section 3.1, item 4 | `epoch.rs` |
//! | random or congestion loss | section 3.1, item 3 | `prediction.rs` |
//! | connection management, flow control | "as TCP" | `sender.rs`, `receiver.rs`, `assembly.rs` |
//!
//! Whatever the paper leaves open is a named parameter of [`Config`]. Bytes of packets are in
//! [`wire`].
//!
//! # A connection
//! One [`Sender`] and one [`Receiver`]: data goes one way, ACKs the other. Stream positions are bytes
//! from 0, and the end of the stream takes one position, as TCP's FIN does. A stream each way is two
//! connections whose packets share a socket: nothing in one depends on the other.
//!
//! Machines deal in ranges of the stream. The driver has the bytes: it keeps those from
//! [`Sender::acknowledged`] on, puts `rel_seq..rel_seq + len` after each data packet's header, and
//! stores what [`Receiver::on_packet`] tells it to.
//!
//! # The caller's contract
//! The same for both machines. Inputs carry `now`, which never goes backwards:
//! - `on_packet`: a packet from the peer; anything may come, in any order and number;
//! - `on_timer`: at or after `next_timer`; calls too early do nothing;
//! - commands: [`Sender::open`], [`Sender::write`], [`Sender::close`], [`Receiver::read`] and `abort`.
//!
//! After each of them call `poll_transmit` until it returns `None`, then ask `next_timer` again. A
//! timer is also the next slot of the pace: `on_timer` decides nothing about it, the `poll_transmit`
//! after it sends.

pub mod assembly;
pub mod config;
pub mod epoch;
pub mod packet;
pub mod prediction;
pub mod rate;
pub mod receiver;
pub mod reliability;
pub mod rtt;
pub mod sender;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
pub mod wire;

pub use config::{BlackoutConfig, Config, LongTerm, PredictionConfig, RateConfig, SetupConfig};
pub use packet::{
    Ack, Carried, Control, Data, MAX_SACK_BLOCKS, Micros, Open, Packet, Probe, Reset, SackBlock,
    SackBlocks,
};
pub use rate::RateChange;
pub use receiver::{Receiver, ReceiverCounters};
pub use sender::{Sender, SenderCounters};

/// Reason for which a WTCP connection ended before the end of its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The peer sent a reset with this reason.
    Reset(Reset),
    /// Nothing was heard for [`Config::idle_timeout`].
    IdleTimeout,
    /// The application gave up.
    Aborted,
}

impl Failure {
    /// The reset by which an end that fails so tells its peer; `None` if the peer itself has ended the connection.
    fn reset(self) -> Option<Reset> {
        match self {
            Self::Aborted => Some(Reset::Aborted),
            Self::IdleTimeout => Some(Reset::IdleTimeout),
            Self::Reset(_) => None,
        }
    }
}
