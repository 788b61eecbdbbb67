//! Exit codes of a program that runs another one, as shells have them (POSIX 2.8.2).

use std::io::{Error, ErrorKind};

/// Exit code when the network that a command was to run in could not be made.
pub const FAILED: u8 = 125;
/// Exit code of a command that cannot be executed.
pub const NOT_EXECUTABLE: u8 = 126;
/// Exit code of a command that is not found.
pub const NOT_FOUND: u8 = 127;

/// Exit code for a command that did not start because of `error`.
pub fn of_start(error: &Error) -> u8 {
    match error.kind() {
        ErrorKind::NotFound => NOT_FOUND,
        _ => NOT_EXECUTABLE,
    }
}

/// Exit code for a command that a signal has ended.
pub fn of_signal(signal: i32) -> u8 {
    u8::try_from(128 + signal).unwrap_or(FAILED)
}
