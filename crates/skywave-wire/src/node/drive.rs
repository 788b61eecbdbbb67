//! The thread of a socket.

use std::io;
use std::net::UdpSocket;
use std::os::fd::AsFd;
use std::sync::Arc;

use skywave_core::{Duration, Time};

use super::wake::Woken;
use super::{Shared, State};
use crate::system;

/// Longest datagram that is not cut off: no packet of ours is longer.
const LONGEST: usize = 2048;
/// Datagrams that are taken before packets are sent and the lock is given to others.
const BATCH: usize = 64;
/// Looks around at least this often.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);

/// Drives the endpoint until it is stopped or the socket fails.
pub(super) fn drive(shared: &Shared, socket: &UdpSocket, woken: &Woken) {
    system::ask_for_exact_timers();
    let error = loop {
        match turn(shared, socket) {
            Ok(Some(next)) => {
                if let Err(error) = wait(shared, socket, woken, next) {
                    break Some(error);
                }
            }
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
    };
    let mut state = shared.lock();
    state.stopping = true;
    state.broken = error.map(Arc::new);
    for changed in state.changed.values() {
        changed.notify_all();
    }
    shared.incoming.notify_all();
}

/// Takes what has come, sends what is due. Says when the next timer is; `None` when it shall stop.
fn turn(shared: &Shared, socket: &UdpSocket) -> io::Result<Option<Time>> {
    let mut buffer = [0; LONGEST];
    let mut out = Vec::new();
    let mut state = shared.lock();
    let mut more = true;
    while more {
        more = false;
        for n in 0..BATCH {
            match socket.recv_from(&mut buffer) {
                Ok((len, from)) => {
                    let now = shared.clock.now();
                    state.endpoint.on_datagram(now, from, &buffer[..len]);
                    // An answer to a stranger is not kept until later.
                    send(shared, socket, &mut state, &mut out)?;
                    more = n + 1 == BATCH;
                }
                Err(error) if is_passing(&error) => break,
                Err(error) => return Err(error),
            }
        }
        let now = shared.clock.now();
        state.endpoint.on_timer(now);
        send(shared, socket, &mut state, &mut out)?;
        tell(shared, &mut state);
        if state.stopping {
            return Ok(None);
        }
    }
    Ok(Some(state.endpoint.next_timer().unwrap_or(Time::MAX)))
}

fn send(
    shared: &Shared,
    socket: &UdpSocket,
    state: &mut State,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    while let Some(to) = state.endpoint.poll_transmit(shared.clock.now(), out) {
        match socket.send_to(out, to) {
            Ok(_) => {}
            // Lost, as packets are: there may be a path later.
            Err(error) if is_passing(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Tells who waits.
fn tell(shared: &Shared, state: &mut State) {
    while let Some(id) = state.endpoint.poll_incoming() {
        state.incoming.push_back(id);
        shared.incoming.notify_one();
    }
    while let Some(id) = state.endpoint.poll_touched() {
        if let Some(changed) = state.changed.get(&id) {
            changed.notify_all();
        }
    }
}

/// Waits for a packet, a wish of a stream, or the time.
fn wait(shared: &Shared, socket: &UdpSocket, woken: &Woken, until: Time) -> io::Result<()> {
    let left = until.since(shared.clock.now()).min(LONGEST_WAIT);
    let mut wake = false;
    let files = [socket.as_fd(), woken.as_fd()];
    system::wait(files.iter(), left, |file| wake |= file == 1)?;
    if wake {
        woken.clear();
    }
    Ok(())
}

/// Errors of single packets, and of networks that may come back.
fn is_passing(error: &io::Error) -> bool {
    use io::ErrorKind::{
        AddrNotAvailable, ConnectionRefused, ConnectionReset, HostUnreachable, Interrupted,
        InvalidInput, NetworkDown, NetworkUnreachable, OutOfMemory, PermissionDenied, WouldBlock,
    };
    matches!(
        error.kind(),
        AddrNotAvailable
            | ConnectionRefused
            | ConnectionReset
            | HostUnreachable
            | Interrupted
            | InvalidInput
            | NetworkDown
            | NetworkUnreachable
            | OutOfMemory
            | PermissionDenied
            | WouldBlock
    ) || error.raw_os_error() == Some(rustix::io::Errno::NOBUFS.raw_os_error())
        || error.raw_os_error() == Some(rustix::io::Errno::MSGSIZE.raw_os_error())
}
