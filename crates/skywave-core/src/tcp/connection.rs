//! A full TCP connection: data both ways at once, opened and closed as RFC 9293 says.
//!
//! Its halves are the [`Sender`] and the [`Receiver`] of a one-way flow, which keep every decision that
//! they have there: loss detection, recovery, congestion control, acknowledgements. The connection adds
//! what takes both directions to decide: the states, the handshake and its options, which segments are
//! acceptable, resets, the window that the application's reading opens, and the timers of silence.
//!
//! It is for drivers that need a whole connection: real sockets, a proxy, a browser. A simulated one-way flow
//! needs none, and uses `Sender` and `Receiver` directly. The receiver has the peer's own initial sequence
//! number. Outgoing data carries the receiver's answer (ACK, window, timestamps, SACK blocks, ECE). Only an
//! acknowledgement of data out of order goes alone, since on data it would not count as a duplicate (RFC 5681).
//!
//! Bytes are counted, not carried: each outgoing segment gives the position of its payload, each accepted one the
//! position of its bytes, so that a driver can keep the two buffers.
//!
//! Other stacks' choices are switches that are off: a window told to the byte, RFC 793's belief in any reset in
//! the window, an MSS that counts timestamps. Scripts written for those stacks turn them on.
//!
//! # Not modelled
//! Urgent data; precedence and security; data on a SYN without ACK (refused: the peer sends it again) and Fast
//! Open; a new SYN that ends TIME-WAIT early; a limit for FIN-WAIT-2; the choice of initial sequence numbers
//! (RFC 6528), which the driver makes; PSH; a payload that shrinks by the options of its segment (RFC 6691: `mss`
//! is the driver's value); SYNs sent again without ECN or options for middleboxes that drop them. A FIN goes in a
//! segment of its own, after the last data. If a peer shrinks its window below a segment in flight, a timeout
//! sends that segment again only when the window opens again.

mod acceptance;
mod close;
mod config;
mod event;
mod freeze;
mod held;
mod hold;
mod keepalive;
mod open;
mod options;
mod peer_window;
mod persist;
mod reset;
mod segment;
mod state;
mod timers;
mod transmit;
mod user;
mod window;

use std::sync::Arc;

use crate::packet::Segment;
use crate::time::{Duration, Time};

use super::config::TcpConfig;
use super::limits::Resend;
use super::receiver::Receiver;
use super::sender::Sender;

pub use config::{ConnectionConfig, KeepAlive};
pub use event::Event;
pub use options::{Agreed, DEFAULT_MSS};
pub use reset::refusal;
pub use segment::Accepted;
pub use state::State;
pub use transmit::Outgoing;

use event::Events;
use held::Held;
use hold::Hold;
use peer_window::PeerWindow;
use timers::{Timer, Timers};
use window::ReceiveWindow;

/// One end of a TCP connection, without I/O.
///
/// # The caller's contract
/// There are four kinds of methods:
/// - *Commands* are the application's: [`open_active`](Self::open_active),
///   [`open_passive`](Self::open_passive), [`write`](Self::write), [`read`](Self::read),
///   [`close`](Self::close), [`abort`](Self::abort).
/// - *Inputs* are the network's and the clock's: [`on_segment`](Self::on_segment) for each segment that
///   arrives whole (a driver drops damaged ones first), and [`on_timer`](Self::on_timer) at or after
///   [`next_timer`](Self::next_timer). A call of `on_timer` that comes too early does nothing.
/// - *Polls* fetch what follows: [`poll_transmit`](Self::poll_transmit) and
///   [`poll_event`](Self::poll_event).
/// - *Getters* change nothing.
///
/// After every command and every input, call `poll_transmit` until it returns `None`, then `poll_event`
/// until it returns `None`, then ask `next_timer` again. The order matters: what `poll_transmit` could
/// not send decides which timers run. `now` never goes backwards from one call to the next.
///
/// # Bytes
/// Payload is counted and not carried. A driver that carries it keeps two buffers and finds its way in
/// them by positions, which count payload bytes from the start of each direction: [`Outgoing::position`]
/// says which of the bytes written a segment carries, [`Accepted`] where the bytes of an arriving
/// segment belong. Bytes below [`acknowledged`](Self::acknowledged) are never sent again. Bytes below
/// [`received`](Self::received) have arrived without a gap.
///
/// # Listening
/// A connection that waits in LISTEN takes the first SYN that it is given. A driver that serves many
/// peers makes a connection for each SYN: `new`, `open_passive`, `on_segment` with the SYN. A segment for
/// which there is no connection is answered by [`refusal`].
#[derive(Debug)]
pub struct Connection {
    config: Arc<ConnectionConfig>,
    /// Both halves' part of the configuration, as the handshake has agreed on it.
    tcp: Arc<TcpConfig>,
    state: State,
    sender: Sender,
    receiver: Receiver,
    agreed: Agreed,
    window: ReceiveWindow,
    peer_window: PeerWindow,
    timers: Timers,
    /// Time until the next probe of a closed window.
    persist_interval: Duration,
    /// Keep-alive probes sent since a segment was last heard.
    keepalive_probes: u32,
    /// From this time on a segment that asks for nothing may be answered again.
    next_challenge: Time,
    owed: Owed,
    hold: Hold,
    /// Between [`Self::freeze`] and [`Self::thaw`].
    frozen: bool,
    /// When the connection last went on after it had stood still.
    resumed: Time,
    /// When the last segment with an acceptable acknowledgement came after the handshake.
    last_heard: Time,
    events: Events,
    held: Held,
    /// The end that opened the connection; `None` until one does.
    origin: Option<Origin>,
    /// [`Self::close`] was called.
    closing: bool,
}

/// The end that opens a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// Opened by this end, with a SYN.
    Active,
    /// Opened by the peer.
    Passive,
}

/// Segments that go out beside those that the halves want to send.
#[derive(Clone, Copy, Debug, Default)]
struct Owed {
    /// A reset, which needs no connection.
    reset: Option<Segment>,
    /// The answer to the SYN of a peer that opens at the same time.
    syn_ack: bool,
    /// An acknowledgement, on data or alone.
    ack: bool,
    /// Repeats the FIN of this end on the next acknowledgement.
    fin: bool,
    /// Acknowledgements that tell the peer that this end is there again.
    announcements: u8,
    /// An empty segment that asks for an acknowledgement.
    probe: bool,
}

impl Connection {
    /// A connection in CLOSED, not opened yet.
    pub fn new(config: impl Into<Arc<ConnectionConfig>>) -> Self {
        let config: Arc<ConnectionConfig> = config.into();
        let tcp = Arc::new(config.halves());
        Self {
            state: State::Closed,
            sender: Sender::new(Arc::clone(&tcp)),
            receiver: Receiver::new(Arc::clone(&tcp)),
            agreed: Agreed::offered(&config),
            window: ReceiveWindow::new(tcp.rwnd),
            peer_window: PeerWindow::default(),
            timers: Timers::default(),
            persist_interval: Duration::ZERO,
            keepalive_probes: 0,
            next_challenge: Time::ZERO,
            owed: Owed::default(),
            hold: Hold::default(),
            frozen: false,
            resumed: Time::ZERO,
            last_heard: Time::ZERO,
            events: Events::default(),
            held: Held::default(),
            origin: None,
            closing: false,
            tcp,
            config,
        }
    }

    /// Present state of the connection (RFC 9293 section 3.3.2).
    pub fn state(&self) -> State {
        self.state
    }

    /// The options that both ends have agreed on; until the peer's SYN comes, those that this end offers.
    pub fn agreed(&self) -> Agreed {
        self.agreed
    }

    /// The half that sends data.
    pub fn sender(&self) -> &Sender {
        &self.sender
    }

    /// The half that receives data.
    pub fn receiver(&self) -> &Receiver {
        &self.receiver
    }

    /// The latest round-trip time that was sampled since the last call; `None` if none was.
    pub fn poll_rtt(&mut self) -> Option<Duration> {
        self.sender.poll_rtt()
    }

    /// Restricts [`Sender::limit_times`], which adds up what keeps the sending half from sending, to the time
    /// between `from` and `to`.
    pub fn measure(&mut self, from: Time, to: Time) {
        self.sender.measure(from, to);
    }

    /// The segment that was sent again since the last call, and why; `None` if none was. Ask after each
    /// segment sent.
    pub fn poll_resend(&mut self) -> Option<Resend> {
        self.sender.poll_resend()
    }

    /// The next event, if there is one. Call until `None` after every input.
    #[must_use]
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.take()
    }

    /// When [`Self::on_timer`] is due; `None` while no timer runs.
    pub fn next_timer(&self) -> Option<Time> {
        if !self.state.is_open() {
            return None;
        }
        let sender = if self.is_frozen() {
            Time::MAX
        } else {
            self.sender.due()
        };
        let halves = sender.min(self.receiver.due());
        Some(halves.min(self.timers.next())).filter(|&at| at < Time::MAX)
    }

    /// Handles the timers of the connection that are due at `now`; does nothing if none is.
    pub fn on_timer(&mut self, now: Time) {
        if !self.state.is_open() {
            return;
        }
        if !self.is_frozen() {
            self.sender.on_timer(now);
        }
        self.receiver.on_timer(now);
        for timer in Timer::ALL {
            if self.timers.take_if_due(timer, now) {
                self.expire(now, timer);
            }
        }
    }
}

#[cfg(test)]
mod tests;
