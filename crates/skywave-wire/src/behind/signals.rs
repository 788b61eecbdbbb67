//! Signals that are meant for the command although this process gets them.
//!
//! Signals that the terminal sends reach the command by themselves; those that another process sends are passed
//! on by a pidfd, so that the command gets each once.

use std::io;

use nix::libc::SI_KERNEL;
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};

/// Signals that are read: those that end a program.
pub(super) fn caught() -> SigSet {
    [
        Signal::SIGINT,
        Signal::SIGTERM,
        Signal::SIGHUP,
        Signal::SIGQUIT,
    ]
    .into_iter()
    .collect()
}

/// A signal that came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Heard {
    pub(super) number: i32,
    /// The terminal's, which all programs in its foreground get; otherwise another process has sent it.
    pub(super) from_kernel: bool,
}

/// Reads signals instead of being ended by them. Processes that are started inherit that these
/// signals are blocked.
#[derive(Debug)]
pub(super) struct Signals(SignalFd);

impl Signals {
    /// From now on, in this thread.
    pub(super) fn catch() -> io::Result<Self> {
        let caught = caught();
        caught.thread_block()?;
        let flags = SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC;
        Ok(Self(SignalFd::with_flags(&caught, flags)?))
    }

    /// Takes the next signal that came, if one did.
    pub(super) fn next(&mut self) -> Option<Heard> {
        let heard = self.0.read_signal().ok().flatten()?;
        Some(Heard {
            number: heard.ssi_signo as i32,
            from_kernel: heard.ssi_code == SI_KERNEL,
        })
    }
}
