//! Errors that the system knows of the way to an address. QUIC loses its packets in silence, whoever refuses them.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::sockopt::{ip_mtu, ipv6_mtu};
use tokio::net::UdpSocket;
use tokio::time::timeout;

use crate::network::local_for;

/// Between two packets of one byte, which nobody answers but who refuses them.
const EVERY: Duration = Duration::from_secs(3);
/// Smallest packet with which QUIC begins (RFC 9000 section 14), without the headers of UDP and IP.
const LEAST: u32 = 1200;

/// Waits until there is something to say: that there is no way, that packets may not leave, that they do not fit, or
/// that the other side refuses them (ICMP).
pub(super) async fn trouble(to: SocketAddr) -> io::Error {
    match ask(to).await {
        Err(error) => error,
        Ok(never) => match never {},
    }
}

async fn ask(to: SocketAddr) -> io::Result<Infallible> {
    let socket = UdpSocket::bind(local_for(to)).await?;
    socket.connect(to).await?;
    loop {
        fits(&socket, to)?;
        socket.send(&[0]).await?;
        if let Ok(came) = timeout(EVERY, socket.recv(&mut [0])).await {
            came?;
        }
    }
}

/// Whether the system thinks that QUIC's packets pass.
fn fits(socket: &UdpSocket, to: SocketAddr) -> io::Result<()> {
    let (most, headers) = if to.is_ipv4() {
        (ip_mtu(socket)?, 28)
    } else {
        (ipv6_mtu(socket)?, 48)
    };
    let least = LEAST + headers;
    if most >= least {
        return Ok(());
    }
    let why = format!(
        "{}: the way takes packets of {most} bytes, and QUIC needs {least}",
        Errno::MSGSIZE
    );
    Err(io::Error::other(why))
}
