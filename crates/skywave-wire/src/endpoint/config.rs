//! Parameters of an endpoint.

use std::sync::Arc;

use skywave_core::Duration;
use skywave_core::wtcp::{self, LongTerm, Micros, PredictionConfig, RateConfig, SetupConfig};

/// Numbers of an endpoint, with their reasons.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The transport's own. It differs from the paper's where links are faster and packets sealed:
    /// - full packets of 1151 bytes, so that a datagram fits where IPv6 does (1280 bytes less 48 of IPv6
    ///   and UDP, 32 of the seal, 49 of WTCP) and through tunnels, and a buffer of 4 MiB, 1.6 s at
    ///   20 Mb/s;
    /// - a pair is asked for again after 1 s: the handshake before has shown that the path is there;
    /// - silence is watched by the connection, both of whose streams may rest.
    ///
    /// And where threads are late, so that separations on real hosts have long tails:
    /// - the first epoch corrects the pair's estimate;
    /// - the long-term average has the latest six epochs alone (the text can be read so): a running one
    ///   remembers a wrong start for dozens of epochs;
    /// - a loss is of congestion from three mean deviations on, not two;
    /// - epochs of one round trip, which the text allows as well, make up sooner for those that are
    ///   taken for it nevertheless.
    pub wtcp: Arc<wtcp::Config>,
    /// Bytes that a writer may be ahead of what is acknowledged: 4 MiB, as the receiver's buffer.
    pub send_buffer: usize,
    /// Unanswered messages of the handshake are repeated after this time, twice as long each time. 0.5 s:
    /// four in the first 8 s, of which one gets through if half are lost.
    pub handshake_interval: Duration,
    /// Longest time between them: 8 s, twice the longest round trip of wide-area wireless networks.
    pub max_handshake_interval: Duration,
    /// A connection that is not set up by then has failed. 30 s: some round trips of the slowest networks,
    /// and about as long as people wait.
    pub handshake_timeout: Duration,
    /// After this much silence the side that connected asks whether the peer is still there: 10 s,
    /// so that a peer that was started anew is noticed even when nothing is to be sent.
    pub ask_after: Duration,
    /// A peer that has been silent for this long is gone: 30 min, as WTCP's.
    pub idle_timeout: Duration,
    /// Connections at once, of all peers together; each may take both buffers. 256: 2 GiB.
    pub max_connections: usize,
    /// Connections at once of one key, begun by it: one host that may connect keeps no other out. 64, a
    /// quarter of all.
    pub max_per_key: usize,
    /// A key that has as many as it may is let in once more in place of its connection that has been silent
    /// for this long. 30 s: hosts that are there ask after 10 s of silence.
    pub displace_after: Duration,
}

/// Bytes of a packet that are not payload: IPv6's and UDP's headers, the seal, WTCP's header.
const HEADERS: u16 = 48 + 32 + 49;
/// Smallest and largest packets, all headers included: some payload, and what an Ethernet carries.
pub const PACKETS: std::ops::RangeInclusive<u16> = 200..=1500;

impl Config {
    /// The same with packets of `bytes` bytes, all headers included, within [`PACKETS`]; the path
    /// must carry them.
    pub fn with_packets_of(mut self, bytes: u16) -> Self {
        let bytes = bytes.clamp(*PACKETS.start(), *PACKETS.end());
        Arc::make_mut(&mut self.wtcp).mss = bytes - HEADERS;
        self
    }

    /// The same, but never sending full packets at more than this rate in bits a second.
    pub fn limited_to(mut self, bps: f64) -> Self {
        let wtcp = Arc::make_mut(&mut self.wtcp);
        let packet = f64::from(wtcp.mss + HEADERS);
        let separation = Micros::from_secs_f64(packet * 8.0 / bps);
        wtcp.min_separation = separation.clamp(wtcp.min_separation, wtcp.max_separation);
        self
    }
}

impl Default for Config {
    fn default() -> Self {
        let paper = wtcp::Config::default();
        Self {
            wtcp: Arc::new(wtcp::Config {
                mss: 1151,
                receive_buffer: 4 << 20,
                initial_rtt: Duration::from_millis(500),
                idle_timeout: Duration::MAX,
                setup: SetupConfig {
                    interval: Duration::from_secs(1),
                    first_epoch_corrects: true,
                    ..paper.setup
                },
                rate: RateConfig {
                    long_term: LongTerm::Epochs(6),
                    epoch_rtts: 1,
                    ..paper.rate
                },
                prediction: PredictionConfig {
                    k: 3.0,
                    ..paper.prediction
                },
                ..paper
            }),
            send_buffer: 4 << 20,
            handshake_interval: Duration::from_millis(500),
            max_handshake_interval: Duration::from_secs(8),
            handshake_timeout: Duration::from_secs(30),
            ask_after: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(30 * 60),
            max_connections: 256,
            max_per_key: 64,
            displace_after: Duration::from_secs(30),
        }
    }
}
