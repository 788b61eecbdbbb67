//! The endpoint behind a lock, the thread that reads for it, and who waits for what.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::Instant;

use rustix::event::{EventfdFlags, eventfd};
use skywave_core::{Duration, Time};

use super::device::{Device, LONGEST, deliver};
use crate::system;
use crate::tcp::{Endpoint, Event, StreamId};

/// Packets that are read before the endpoint sees them: several are answered at once.
const BATCH: usize = 16;

/// The longest sleep of the reading thread.
const TICK: Duration = Duration::from_secs(3600);

/// Tasks that wait for a stream.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    pub(super) reader: Option<Waker>,
    pub(super) writer: Option<Waker>,
}

/// Connections that nobody has taken yet, and the task that waits for one.
#[derive(Debug, Default)]
pub(super) struct Queue {
    pub(super) came: VecDeque<StreamId>,
    pub(super) waiter: Option<Waker>,
}

/// Everything under the lock.
#[derive(Debug)]
pub(super) struct State {
    pub(super) end: Endpoint,
    pub(super) waiting: HashMap<StreamId, Waiting>,
    /// By port.
    pub(super) queues: HashMap<u16, Queue>,
    /// Port that is tried next for a connection of one's own.
    pub(super) port: u16,
    /// Why the reading thread has ended, if it has.
    pub(super) failure: Option<io::ErrorKind>,
    /// When the reading thread wakes by itself.
    wakes: Option<Time>,
    /// Whom to wake when the lock is open: a waker may run anything, even what takes the lock.
    woken: Vec<Waker>,
    packet: Vec<u8>,
}

/// A host's parts that streams have in common.
#[derive(Debug)]
pub(super) struct Shared {
    state: Mutex<State>,
    device: Device,
    wake: OwnedFd,
    ends: AtomicBool,
    origin: Instant,
}

impl Shared {
    pub(super) fn new(device: Device, end: Endpoint, port: u16) -> io::Result<Self> {
        Ok(Self {
            state: Mutex::new(State {
                end,
                waiting: HashMap::new(),
                queues: HashMap::new(),
                port,
                failure: None,
                wakes: None,
                woken: Vec::new(),
                packet: Vec::with_capacity(LONGEST),
            }),
            device,
            wake: eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?,
            ends: AtomicBool::new(false),
            origin: Instant::now(),
        })
    }

    /// The time, which must be asked for under the lock: an endpoint's never goes backwards.
    fn now(&self) -> Time {
        // Never zero: initial numbers and timestamps begin at a time that has passed.
        system::since(self.origin) + Duration::from_nanos(1)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the endpoint commands; what follows from them is sent before this returns.
    pub(super) fn with<T>(&self, command: impl FnOnce(&mut State, Time) -> T) -> T {
        let mut state = self.lock();
        let now = self.now();
        let result = command(&mut state, now);
        self.pump(&mut state, now);
        let due = state.end.deadline();
        let is_early = due.is_some_and(|due| state.wakes.is_none_or(|wakes| due < wakes));
        if is_early {
            state.wakes = due;
            self.ring();
        }
        unlock(state);
        result
    }

    /// Ends the reading thread.
    pub(super) fn end(&self) {
        self.ends.store(true, Ordering::Relaxed);
        self.ring();
    }

    fn ring(&self) {
        // It is full only if it has been rung.
        let _ = rustix::io::write(&self.wake, &1_u64.to_ne_bytes());
    }

    /// Sends what is to be sent, and notes whom to wake for what has happened.
    fn pump(&self, state: &mut State, now: Time) {
        let mut packet = std::mem::take(&mut state.packet);
        loop {
            while let Some(form) = state.end.transmit_large(now, &mut packet) {
                self.device.write(form, &packet);
            }
            let Some(event) = state.end.poll_event() else {
                break;
            };

            match event {
                Event::Accepted(id) => state.accepted(id, now),
                Event::Changed(id) => state.changed(id),
                // Listeners here do not ask.
                Event::Asked(_) => {}
            }
        }
        state.packet = packet;
    }

    /// Reads until the host is gone.
    pub(super) fn run(&self) {
        let result = self.read();
        let mut state = self.lock();
        // Nobody reads any more: whoever waits now or later is told.
        let kind = result.map_or_else(|error| error.kind(), |()| io::ErrorKind::NotConnected);
        state.failure = Some(kind);
        let all = &mut *state;
        let waiters = all.queues.values_mut().map(|queue| &mut queue.waiter);
        let streams = all.waiting.values_mut();
        let streams = streams.flat_map(|waiting| [&mut waiting.reader, &mut waiting.writer]);
        all.woken
            .extend(waiters.chain(streams).filter_map(Option::take));
        unlock(state);
    }

    fn read(&self) -> io::Result<()> {
        let mut buffers = vec![vec![0; LONGEST]; BATCH];
        let mut lengths = [0; BATCH];
        while !self.ends.load(Ordering::Relaxed) {
            let mut came = 0;
            while came < BATCH
                && let Some(length) = self.device.read(&mut buffers[came])?
            {
                lengths[came] = length;
                came += 1;
            }
            let mut state = self.lock();
            let now = self.now();
            for (buffer, &length) in buffers.iter().zip(&lengths[..came]) {
                // Damaged packets, and those that are not TCP, are dropped.
                let _ = deliver(&mut state.end, now, &buffer[..length]);
            }
            state.end.poll(now);
            self.pump(&mut state, now);
            let due = state.end.deadline();
            state.wakes = Some(due.unwrap_or(Time::MAX));
            unlock(state);
            if came < BATCH {
                let asleep = due.map_or(TICK, |due| due.since(now)).min(TICK);
                let files: [BorrowedFd<'_>; 2] = [self.device.as_fd(), self.wake.as_fd()];
                let mut is_rung = false;
                system::wait(files.iter(), asleep, |n| is_rung |= n == 1)?;
                if is_rung {
                    let _ = rustix::io::read(&self.wake, &mut [0; 8]);
                }
            }
        }
        Ok(())
    }
}

impl State {
    fn accepted(&mut self, id: StreamId, now: Time) {
        let port = self.end.addresses(id).map(|ends| ends.destination.port());
        let queue = port.and_then(|port| self.queues.get_mut(&port));
        let Some(queue) = queue else {
            self.end.abort(id);
            return self.end.release(now, id);
        };
        queue.came.push_back(id);
        self.woken.extend(queue.waiter.take());
    }

    fn changed(&mut self, id: StreamId) {
        let Some(status) = self.end.status(id) else {
            return;
        };
        let Some(waiting) = self.waiting.get_mut(&id) else {
            return;
        };
        if status.readable > 0 || status.peer_closed || status.ended.is_some() {
            self.woken.extend(waiting.reader.take());
        }
        // Room for a quarter of the buffer, so that a writer is not woken for each acknowledgement.
        let roomy = status.room >= self.end.config().send_buffer / 4;
        if status.connected && roomy || status.closed || status.ended.is_some() {
            self.woken.extend(waiting.writer.take());
        }
    }
}

/// Opens the lock, and wakes whom something has happened to.
fn unlock(mut state: MutexGuard<'_, State>) {
    let woken = std::mem::take(&mut state.woken);
    drop(state);
    woken.into_iter().for_each(Waker::wake);
}

/// Waits in this thread for what a task would wait for.
pub(super) fn block_on<T>(mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>) -> T {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        match poll(&mut context) {
            Poll::Ready(value) => return value,
            Poll::Pending => std::thread::park(),
        }
    }
}
