//! Everything that makes one end of a connection.

use crate::tcp::config::{Handshake, TcpConfig};
use crate::time::Duration;

/// Configuration of one end of a TCP connection; the peer has one of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct ConnectionConfig {
    /// Policies of the sending and the receiving half, the largest payload that this end sends and accepts,
    /// its own initial sequence number, the options that it offers (`sack`, `timestamps`, `ecn`), and its
    /// receive buffer (`rwnd`). A connection always shakes hands and closes with FIN, whatever `handshake`
    /// and `fin` say.
    pub tcp: TcpConfig,
    /// Offer window scaling (RFC 7323 section 2): without it no window is above 65,535 bytes.
    pub window_scaling: bool,
    /// Nagle's rule: hold back a segment below the full size while data is unacknowledged (RFC 9293 section 3.7.4).
    pub nagle: bool,
    /// When to probe a silent peer (RFC 9293 section 3.8.4); `None` for never.
    pub keep_alive: Option<KeepAlive>,
    /// While the peer's window is zero, nothing of the stream is sent and the retransmission timer does not
    /// run, even if data is in flight, as in BSD: so a zero window stops the sender without a cut, for as
    /// long as it takes (Freeze-TCP, M-TCP). False: the timer runs on for data in flight.
    pub freezes: bool,
    /// Time after which the connection is given up if the peer has acknowledged nothing, nor answered a probe of its
    /// closed window, although something waits for that (RFC 9293 section 3.8.3, R2; RFC 5482); `None` for never.
    pub user_timeout: Option<Duration>,
    /// Longest life of a segment in the network (MSL); TIME-WAIT lasts two of them.
    pub msl: Duration,
    /// Shortest time between two acknowledgements that answer unacceptable segments without data, or
    /// suspicious SYNs and resets (RFC 5961 section 7): two ends would else answer one another for ever, and
    /// a stranger could make a connection send.
    pub challenge_interval: Duration,
    /// Advertise all free space of the receive buffer with each segment, as the stacks of BSD and Linux do. False: the
    /// window's edge moves by at least a full segment or half the buffer (RFC 9293 section 3.8.6.2.2).
    pub exact_window: bool,
    /// Window scale to offer; `None` for the smallest with which the window field can express the whole buffer.
    pub window_shift: Option<u8>,
    /// Any reset or SYN in the window ends the connection, as RFC 793 has it; false: RFC 5961's sections 3 and 4 apply.
    pub blind_resets: bool,
    /// Segments without timestamps are taken although timestamps were agreed on, as Linux does; RFC 7323 section 3.2
    /// says that they should be dropped.
    pub takes_bare: bool,
    /// Segments are acceptable up to the end of the receive buffer, although the advertised window was smaller, as in
    /// BSD.
    pub accepts_whole_buffer: bool,
    /// The acknowledgement of the peer's FIN carries this end's own FIN once more if that is not acknowledged
    /// yet, as in BSD.
    pub repeats_fin: bool,
    /// The MSS counts timestamps, too: with them a full segment has 12 bytes less payload (RFC 6691). False:
    /// the MSS is of payload alone.
    pub mss_counts_options: bool,
}

/// Times at which a silent peer is probed (keep-alive), and when the connection is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeepAlive {
    /// Time without a segment of the peer before the first probe.
    pub idle: Duration,
    /// Time between two probes.
    pub interval: Duration,
    /// Number of probes without an answer after which the connection is given up.
    pub probes: u32,
}

impl KeepAlive {
    /// Two hours of silence, as RFC 9293 section 3.8.4 wants at least; nine probes, 75 s apart.
    pub const DEFAULT: Self = Self {
        idle: Duration::from_secs(7200),
        interval: Duration::from_secs(75),
        probes: 9,
    };
}

impl From<TcpConfig> for ConnectionConfig {
    /// `tcp` with window scaling, and everything else that is optional off.
    fn from(tcp: TcpConfig) -> Self {
        Self {
            tcp,
            window_scaling: true,
            nagle: false,
            keep_alive: None,
            freezes: false,
            user_timeout: None,
            msl: Duration::from_secs(60),
            challenge_interval: Duration::from_millis(500),
            exact_window: false,
            window_shift: None,
            blind_resets: false,
            takes_bare: false,
            accepts_whole_buffer: false,
            repeats_fin: false,
            mss_counts_options: false,
        }
    }
}

impl ConnectionConfig {
    /// The halves' configuration before a handshake.
    pub(super) fn halves(&self) -> TcpConfig {
        TcpConfig {
            handshake: Handshake::ThreeWay,
            fin: true,
            ..self.tcp.clone()
        }
    }
}
