//! Bytes as messages of a file transfer, and as reports of arrivals.

/// Reads `data` as each kind of message of a file transfer, and as a report of arrivals: the bytes are refused, or the
/// message is within its bounds and the same when it is written and read again. Panics if not.
pub fn run(data: &[u8]) {
    skywave_transfer::rules::messages(data);
    skywave_quic::rules::report(data);
}
