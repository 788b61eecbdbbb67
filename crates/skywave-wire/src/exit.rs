//! Exit codes of a program that runs another one, as shells have them (POSIX 2.8.2).

use std::io::{Error, ErrorKind};

/// Exit code of a program that failed itself, as when it could not make the network in which a command was to run.
pub const FAILED: u8 = 125;
/// Exit code of a command that cannot be executed.
pub const NOT_EXECUTABLE: u8 = 126;
/// Exit code of a command that is not found.
pub const NOT_FOUND: u8 = 127;

/// Exit code for a command whose start failed with `error`: [`NOT_FOUND`] if its kind is [`ErrorKind::NotFound`], else
/// [`NOT_EXECUTABLE`].
pub fn of_start(error: &Error) -> u8 {
    match error.kind() {
        ErrorKind::NotFound => NOT_FOUND,
        _ => NOT_EXECUTABLE,
    }
}

/// Exit code for a command that the signal with this number has ended: 128 + `signal`.
pub fn of_signal(signal: i32) -> u8 {
    u8::try_from(128 + signal).unwrap_or(FAILED)
}
