//! Bytes as messages of a file transfer, and as reports of arrivals.

/// Reads `data` as each kind of message of a file transfer, and as a receiver's report of when datagrams arrived: the
/// bytes are refused, or the lists and paths in the message are no longer than allowed, and it is the same when it is
/// written and read again. Panics if not.
pub fn run(data: &[u8]) {
    skywave_transfer::rules::messages(data);
    skywave_quic::rules::report(data);
}
