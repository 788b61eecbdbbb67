//! Bytes as messages of a file transfer, and as reports of arrivals.

/// Reads `data` as each kind of message: it is refused, or within its bounds and the same when it is written
/// again.
pub fn run(data: &[u8]) {
    skywave_transfer::rules::messages(data);
    skywave_quic::rules::report(data);
}
