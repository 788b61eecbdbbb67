//! Failures of the processes inside, and how they are reported outside.

use std::ffi::OsString;
use std::io;

use thiserror::Error;

use super::channel::{Channel, Message};
use crate::exit::{FAILED, NOT_EXECUTABLE, NOT_FOUND};
use crate::relay::TunError;

/// Why there is no program behind a link.
#[derive(Debug, Error)]
pub(super) enum Trouble {
    /// The kernel refuses namespaces; the text says why and what can be done.
    #[error("cannot make a network for the program: {0}")]
    Refused(String),
    /// A step failed.
    #[error("cannot {step}: {source}")]
    Step {
        /// Step that failed, in words that follow "cannot".
        step: &'static str,
        /// The system's reason.
        source: io::Error,
    },
    /// The file of TUN devices is for root only.
    #[error(
        "cannot open /dev/net/tun as this user: run it as root, or let users open it, as most systems \
         do: sudo chmod 666 /dev/net/tun"
    )]
    TunFile,
    /// A device could not be made.
    #[error(transparent)]
    Tun(#[from] TunError),
    /// A port of the far side is taken.
    #[error("cannot listen at port {port} of the far side: {source}")]
    Port {
        /// The port.
        port: u16,
        /// The system's reason.
        source: io::Error,
    },
    /// The far side's program ended before the command began.
    #[error("the far side's `{}` ended with code {code} before the command began", line.display())]
    Far {
        /// Command line of the far side's program.
        line: OsString,
        /// Exit code of the far side's program.
        code: u8,
    },
    /// No command has this name.
    #[error("{}: command not found", .0.display())]
    NotFound(OsString),
    /// The command cannot be executed.
    #[error("{}: {source}", command.display())]
    NotExecutable {
        /// The command.
        command: OsString,
        /// The system's reason.
        source: io::Error,
    },
}

impl Trouble {
    /// For `map_err`: what was to be done.
    pub(super) fn step<E: Into<io::Error>>(step: &'static str) -> impl Fn(E) -> Self {
        move |source| Self::Step {
            step,
            source: source.into(),
        }
    }

    fn code(&self) -> u8 {
        match self {
            Self::NotFound(_) => NOT_FOUND,
            Self::NotExecutable { .. } => NOT_EXECUTABLE,
            _ => FAILED,
        }
    }
}

/// Runs a process inside, and reports a failure through the channel. Returns the exit code.
pub(super) fn report(work: impl FnOnce(&Channel) -> Result<u8, Trouble>) -> u8 {
    let Ok(channel) = Channel::of_this_process() else {
        return FAILED;
    };
    work(&channel).unwrap_or_else(|trouble| {
        let code = trouble.code();
        let text = trouble.to_string();
        // Without somebody who listens there is nobody to be told.
        let _ = channel.send(&Message::Failed { code, text }, &[]);
        code
    })
}
