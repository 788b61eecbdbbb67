//! The thread of a socket.

use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;

use skywave_core::{Duration, Time};

use super::socket::{Buffers, Socket};
use super::wake::Woken;
use super::{Shared, State};
use crate::system;

/// Number of batches read from the socket before other threads get the lock.
const MAX_BATCHES: usize = 8;
/// Longest wait for a packet, a stream or a timer.
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

/// Takes what has come, sends what is due. Returns when the next timer is; `None` when the thread
/// shall stop.
fn turn(shared: &Shared, socket: &Socket, buffers: &mut Buffers) -> io::Result<Option<Time>> {
    let mut out = Vec::new();
    let mut state = shared.lock();
    // Everything that has come is taken before anything is sent: sending moves the endpoint's time
    // to now, but packets count from when they arrived. The number of batches is limited, so that a
    // flood does not keep other threads from the lock.
    for _ in 0..MAX_BATCHES {
        let received = socket.receive(&shared.clock, buffers, |at, from, datagram| {
            let at = state.not_before(at);
            state.endpoint.on_datagram(at, from, datagram);
            if let Some(to) = state.endpoint.poll_reply(&mut out) {
                // On an error the packet is lost, as any packet may be.
                let _ = socket.send(to, &out);
            }
        });
        match received {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) if is_passing(&error) => break,
            Err(error) => return Err(error),
        }
    }
    if state.stopping {
        let now = state.not_before(shared.clock.now());
        state.endpoint.abandon_all(now);
    }
    let now = state.not_before(shared.clock.now());
    state.endpoint.on_timer(now);
    send(shared, socket, &mut state, &mut out);
    tell(shared, &mut state);
    if state.stopping {
        return Ok(None);
    }
    Ok(Some(state.endpoint.next_timer().unwrap_or(Time::MAX)))
}

fn send(shared: &Shared, socket: &Socket, state: &mut State, out: &mut Vec<u8>) {
    loop {
        let now = state.not_before(shared.clock.now());
        let Some(to) = state.endpoint.poll_transmit(now, out) else {
            return;
        };
        // On an error the packet is lost, as any packet may be: there may be a path later, and
        // other peers have theirs.
        let _ = socket.send(to, out);
    }
}

/// Wakes the threads that wait for a connection, or for changes of one.
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

/// Waits for a packet, for a stream that wakes this thread, or until the time has come.
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

/// Whether the error is one of a network that may come back; the system reports such errors to
/// whoever reads next.
fn is_passing(error: &io::Error) -> bool {
    use io::ErrorKind::{
        ConnectionRefused, ConnectionReset, HostUnreachable, Interrupted, NetworkDown,
        NetworkUnreachable, OutOfMemory, WouldBlock,
    };
    matches!(
        error.kind(),
        ConnectionRefused
            | ConnectionReset
            | HostUnreachable
            | Interrupted
            | NetworkDown
            | NetworkUnreachable
            | OutOfMemory
            | WouldBlock
    )
}
