//! Bytes as messages of a file transfer.

use skywave_transfer::rules;

/// Reads `data` as each kind of message: it is refused, or within its bounds and the same when it is written
/// again.
pub fn run(data: &[u8]) {
    rules::messages(data);
}
