//! How much may leave at once.

use crate::time::Duration;
use crate::units::{Rate, Segments};

/// Longest burst: in time at the pace, and in bytes (draft-cardwell-iccrg-bbr-00 section 4.2.2;
/// draft-ietf-ccwg-bbr, "Send Quantum").
const BURST: Duration = Duration::from_millis(1);
const LARGEST_BURST: u64 = 64 * 1024;

/// Whole segments that leave at once: 1 ms of the pace, which may be none.
pub(super) fn burst(pace: Rate, mss: u32) -> Segments {
    let bytes = pace.bytes_in(BURST).min(LARGEST_BURST);
    Segments((bytes / u64::from(mss.max(1))) as f64)
}
