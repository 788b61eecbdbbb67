//! Lines of transfers. That nobody reads them does not stop a transfer, nor change how it ends.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;

/// Where lines go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    Out,
    Err,
}

/// Prints a line. Standard output of Rust keeps what it could not write and fails again at the end of
/// the program; this forgets it.
pub(crate) fn line(stream: Stream, text: &str) {
    let handle = match stream {
        Stream::Out => io::stdout().as_fd().try_clone_to_owned(),
        Stream::Err => io::stderr().as_fd().try_clone_to_owned(),
    };
    if let Ok(handle) = handle {
        let _ = File::from(handle).write_all(format!("{text}\n").as_bytes());
    }
}
