//! Go back N with what the window law says: one segment (RFC 5681 section 3.1, RFC 6298 section 5).

use super::TimeoutPolicy;

/// Nothing of its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Standard;

impl TimeoutPolicy for Standard {}
