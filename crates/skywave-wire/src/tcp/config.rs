//! Configuration of an endpoint, as plain data.

use std::net::IpAddr;

use skywave_core::Duration;
use skywave_core::tcp::config::{Acking, Composition, Profile, TcpConfig};
use skywave_core::tcp::connection::ConnectionConfig;
use skywave_core::tcp::wire::TimestampClock;

/// Bytes of headers without options.
const HEADERS_V4: u16 = 40;
const HEADERS_V6: u16 = 60;

/// Configuration of an [`Endpoint`](super::Endpoint), the same for all of its TCP connections.
#[derive(Clone, Debug, PartialEq)]
pub struct EndpointConfig {
    /// Configuration of each connection; its MSS and its initial sequence number are chosen for each connection anew.
    pub connection: ConnectionConfig,
    /// Size of a connection's send buffer: the most bytes that may be written and not acknowledged yet.
    pub send_buffer: usize,
    /// Largest IP packet that the device takes, in bytes.
    pub mtu: u16,
    /// Clock of TCP's timestamp option, which sets the length of its ticks; 100 µs by default.
    pub clock: TimestampClock,
    /// Longest time for a handshake; also the longest wait for the peer's FIN (FIN-WAIT-2) on a connection that the
    /// application has released.
    pub patience: Duration,
    /// Most connections in TIME-WAIT at once; when one more comes, the oldest of them ends.
    pub time_wait: usize,
    /// Most resets (RST) a second in answer to segments that belong to no connection.
    pub resets: u32,
}

/// Purpose of an endpoint, by which its buffers, its acknowledgements and its maximum segment lifetime are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A host at the end of a path: buffers as large as Linux lets them grow (`tcp_rmem`, `tcp_wmem`: 6 MiB and 4 MiB).
    Host,
    /// Partner of the system's own TCP across a device of this machine, to be noticed as little as can be: every
    /// segment is acknowledged at once, and buffers are small (512 KiB), so that little waits in them.
    Device,
}

impl EndpointConfig {
    /// Configuration for connections with the sender that `profile` and `composition` give, and the defaults of a
    /// host's TCP: SACK, DSACK, timestamps, and buffers and timers by `role`.
    pub fn new(role: Role, profile: Profile, composition: Composition) -> Self {
        let mut tcp = TcpConfig::new(profile, composition);
        // SACK and timestamps cost nothing that is not agreed on.
        tcp.sack = true;
        tcp.dsack = true;
        tcp.timestamps = true;
        match role {
            Role::Host => tcp.rwnd = 6 << 20,
            Role::Device => {
                tcp.rwnd = 512 << 10;
                tcp.acking = Acking::EverySegment;
            }
        }
        Self::of(role, tcp)
    }

    /// Configuration for connections with the settings `tcp`, receive buffer and acknowledgements included, and the
    /// send buffer and timers by `role`; MSS and initial sequence number are chosen for each connection anew.
    pub fn of(role: Role, tcp: TcpConfig) -> Self {
        let (send_buffer, life) = match role {
            Role::Host => (4 << 20, Duration::from_secs(30)),
            Role::Device => (512 << 10, Duration::from_secs(1)),
        };
        Self {
            connection: ConnectionConfig {
                mss_counts_options: true,
                msl: life,
                user_timeout: Some(Duration::from_secs(900)),
                ..ConnectionConfig::from(tcp)
            },
            send_buffer,
            mtu: 1500,
            clock: TimestampClock::new(Duration::from_micros(100)).unwrap_or_default(),
            patience: Duration::from_secs(120),
            time_wait: 4096,
            resets: 1000,
        }
    }

    /// The configuration of a connection over a path that carries packets of `mtu` bytes.
    pub(super) fn of_one(&self, to: IpAddr, mtu: u16, number: u32) -> ConnectionConfig {
        let headers = if to.is_ipv4() { HEADERS_V4 } else { HEADERS_V6 };
        ConnectionConfig {
            tcp: TcpConfig {
                mss: u32::from(mtu.saturating_sub(headers).max(1)),
                iss: number,
                ..self.connection.tcp.clone()
            },
            ..self.connection.clone()
        }
    }
}
