//! Wakes a thread that waits for packets.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::pipe::{PipeFlags, pipe_with};

/// The end that wakes.
#[derive(Debug)]
pub(super) struct Waker(OwnedFd);

/// The end that is woken: readable once it is.
#[derive(Debug)]
pub(super) struct Woken(OwnedFd);

/// Both ends.
pub(super) fn pair() -> io::Result<(Waker, Woken)> {
    let (read, write) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
    Ok((Waker(write), Woken(read)))
}

impl Waker {
    /// Wakes, or is about to.
    pub(super) fn wake(&self) {
        // A pipe that is full has not been read: that is woken enough.
        let _ = rustix::io::write(&self.0, &[0]);
    }
}

impl Woken {
    /// Has been woken: it may be again.
    pub(super) fn clear(&self) {
        let mut buffer = [0; 64];
        while rustix::io::read(&self.0, &mut buffer).is_ok_and(|n| n == buffer.len()) {}
    }
}

impl AsFd for Woken {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
