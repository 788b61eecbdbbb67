//! Bytes moved in intervals: iperf3.

/// Throughput of one test in one direction, interval by interval (iperf3).
#[derive(Clone, Debug, PartialEq)]
pub struct Throughput {
    /// Transport protocol that carried the data.
    pub carried: Carried,
    /// Congestion control of the sender, where the record names it ("cubic").
    pub congestion: Option<String>,
    /// Whether the sender of the data counted, not the receiver: only it has round trips, retransmissions, windows.
    pub is_sender: bool,
    /// Whether the data came towards the host that kept the record (`iperf3 -R`).
    pub is_download: bool,
    /// Number of parallel streams.
    pub streams: usize,
    /// The intervals in the order of time, streams added up.
    pub intervals: Vec<Interval>,
    /// UDP datagrams lost over the whole test, from the summary at the record's end; `None` if it tells none.
    pub lost: Option<Lost>,
}

/// Transport protocol of a throughput test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carried {
    /// TCP.
    Tcp,
    /// UDP.
    Udp,
}

/// Sums of one interval of a throughput test, over all streams.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Start in seconds from the test's beginning.
    pub from_s: f64,
    /// End in seconds from the test's beginning.
    pub to_s: f64,
    /// Payload bytes: at a sender those written to the socket, at a receiver those that came.
    pub bytes: u64,
    /// TCP segments sent again in the interval; `None` if the record does not tell, as that of a receiver.
    pub retransmits: Option<u64>,
    /// Smoothed round trip at the interval's end, seconds, the mean of all streams; `None` if the record does not tell.
    pub rtt_s: Option<f64>,
    /// Congestion window at the interval's end, bytes, the sum over all streams; `None` if the record does not tell.
    pub cwnd: Option<u64>,
    /// UDP datagrams lost in the interval, as the receiver counted them; `None` if the record does not tell.
    pub lost: Option<Lost>,
}

/// Datagrams that a receiver missed, of those that were sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost {
    /// Datagrams that never came.
    pub lost: u64,
    /// Datagrams sent in the time that this counts: an interval ([`Interval::lost`]), or the whole test
    /// ([`Throughput::lost`]).
    pub sent: u64,
}
