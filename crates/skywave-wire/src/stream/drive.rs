//! The thread of a socket.

use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;

use skywave_core::{Duration, Time};

use super::Shared;
use super::socket::{Buffers, Socket};
use super::wake::Woken;
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
    shared.lock().broken = error.map(Arc::new);
    shared.changed.notify_all();
}

/// Takes what has come, sends what is due. Returns when the next timer is; `None` when the thread
/// shall stop.
fn turn(shared: &Shared, socket: &Socket, buffers: &mut Buffers) -> io::Result<Option<Time>> {
    let mut state = shared.lock();
    // Everything that has come is taken before anything is sent: sending moves the endpoint's time
    // to now, but packets count from when they arrived. The number of batches is limited, so that a
    // flood does not keep other threads from the lock.
    for _ in 0..MAX_BATCHES {
        let received = socket.receive(shared.origin, buffers, |at, from, datagram| {
            state.on_datagram(at, from, datagram);
        });
        match received {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) if is_passing(&error) => break,
            Err(error) => return Err(error),
        }
    }
    if state.stopping {
        state.endpoint.abort();
    }
    let now = state.not_before(shared.now());
    state.endpoint.on_timer(now);
    let mut out = Vec::new();
    let mut next = None;
    if let Some(peer) = state.peer {
        loop {
            let now = state.not_before(shared.now());
            if !state.endpoint.poll_transmit(now, &mut out) {
                break;
            }
            // On an error the packet is lost, as any packet may be.
            let _ = socket.send(peer, &out);
        }
        next = state.endpoint.next_timer();
    }
    shared.changed.notify_all();
    Ok((!state.stopping).then_some(next.unwrap_or(Time::MAX)))
}

/// Waits for a packet, for a stream that wakes this thread, or until the time has come.
fn wait(shared: &Shared, socket: &Socket, woken: &Woken, until: Time) -> io::Result<()> {
    let left = until.since(shared.now()).min(LONGEST_WAIT);
    let mut wake = false;
    let files = [socket.as_fd(), woken.as_fd()];
    system::wait(files.iter(), left, |file| wake |= file == 1)?;
    if wake {
        woken.clear();
    }
    Ok(())
}

/// Whether the error is one that may pass; the system reports that nobody listens to whoever reads next.
fn is_passing(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionRefused, ConnectionReset, Interrupted, OutOfMemory, WouldBlock};
    matches!(
        error.kind(),
        ConnectionRefused | ConnectionReset | Interrupted | OutOfMemory | WouldBlock
    )
}
