//! The rates that a link had, as traces tell them.

/// Rates of a link over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Rates {
    /// Spans of one rate each, in the order of time, without gaps between them.
    pub spans: Vec<Span>,
    /// Times at which the link could send [`Self::opportunity_bytes`], milliseconds from the record's beginning, in
    /// order; `None` if the record is no list of such times (mahimahi's format).
    pub opportunities_ms: Option<Vec<u64>>,
    /// Bytes that the link could send at each opportunity; 0 if the record is no list of opportunities.
    pub opportunity_bytes: u32,
}

/// Stretch of time in which the link had one rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Start in seconds from the record's beginning.
    pub from_s: f64,
    /// End in seconds from the record's beginning.
    pub to_s: f64,
    /// Rate in bits a second; `None` where the record says that it is missing, or has a gap (rows of a table that are
    /// more than five usual intervals apart).
    pub bps: Option<f64>,
}
