//! The thread of a socket.

use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;

use skywave_core::{Duration, Time};

use super::socket::{Buffers, Socket};
use super::wake::Woken;
use super::{Shared, State};
use crate::system;

/// Looks around at least this often.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);

/// Drives the endpoint until it is stopped or the socket fails.
pub(super) fn drive(shared: &Shared, socket: &Socket, woken: &Woken) {
    system::ask_for_exact_timers();
    let mut buffers = socket.buffers();
    let error = loop {
        match turn(shared, socket, &mut buffers) {
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
fn turn(shared: &Shared, socket: &Socket, buffers: &mut Buffers) -> io::Result<Option<Time>> {
    let mut out = Vec::new();
    let mut state = shared.lock();
    let mut more = true;
    while more {
        let received = socket.receive(&shared.clock, buffers, |at, from, datagram| {
            let at = state.not_before(at);
            state.endpoint.on_datagram(at, from, datagram);
            // An answer to a stranger is not kept until later.
            send(shared, socket, &mut state, &mut out)
        });
        more = match received {
            Ok(more) => more,
            Err(error) if is_passing(&error) => false,
            Err(error) => return Err(error),
        };
        let now = state.not_before(shared.clock.now());
        state.endpoint.on_timer(now);
        send(shared, socket, &mut state, &mut out)?;
        tell(shared, &mut state);
        if state.stopping {
            return Ok(None);
        }
    }
    Ok(Some(state.endpoint.next_timer().unwrap_or(Time::MAX)))
}

fn send(shared: &Shared, socket: &Socket, state: &mut State, out: &mut Vec<u8>) -> io::Result<()> {
    loop {
        let now = state.not_before(shared.clock.now());
        let Some(to) = state.endpoint.poll_transmit(now, out) else {
            return Ok(());
        };
        match socket.send(to, out) {
            Ok(()) => {}
            // Lost, as packets are: there may be a path later.
            Err(error) if is_passing(&error) => {}
            Err(error) => return Err(error),
        }
    }
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
fn wait(shared: &Shared, socket: &Socket, woken: &Woken, until: Time) -> io::Result<()> {
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
