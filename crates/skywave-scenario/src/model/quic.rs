//! The part of the model that describes QUIC's settings. Each is explained at the configuration that it becomes
//! ([`skywave_core::quic::Config`]).

use serde::Deserialize;
use skywave_core::tcp::SlowStartConfig;

use crate::model::named::NamedModel;
use crate::model::number::{Count, Positive};
use crate::model::units::{Period, Window};

/// Settings of a QUIC connection; by default those of RFC 9000 and RFC 9002.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct QuicModel {
    /// First congestion window, in packets or in bytes of payload; default "10 segments".
    pub(crate) initial_window: Option<Window>,
    /// Rule that ends slow start besides a loss; default "standard".
    pub(crate) slow_start: Option<NamedModel<SlowStartConfig>>,
    /// Packets with data are ECN-capable, and the receiver counts marks; default false, with laws that need it
    /// true.
    pub(crate) ecn: Option<bool>,
    /// A packet is lost when one sent this many packets later has arrived; default 3.
    pub(crate) packet_threshold: Option<Count>,
    /// A packet is lost when a later one has arrived and it is older than this many round trips; at least 1;
    /// default 1.125.
    pub(crate) time_threshold: Option<Positive>,
    /// Round-trip time until there is a sample; default "333ms".
    pub(crate) initial_rtt: Option<Period>,
    /// Longest probe timeout that follows an unanswered one, or two round trips if these are longer; default none, with the preset
    /// "quic-skywave" "500ms".
    pub(crate) max_pto: Option<Period>,
    /// The receiver acknowledges at once when this many packets have come since its last ACK; default 2.
    pub(crate) ack_every: Option<Count>,
    /// The receiver holds an ACK back for this long at most, less than 16.384s; default "25ms".
    pub(crate) max_ack_delay: Option<Period>,
    /// ACKs tell when packets came, by the receiver's `clock`, so that laws learn one-way delays; an ACK is longer by
    /// about 9 bytes; default false, with laws that go by them and those of your own true.
    pub(crate) receive_times: Option<bool>,
    /// The sender asks for fewer ACKs while they wait on the way back, for which it needs `receive_times`; default false,
    /// with the preset "quic-skywave" and `receive_times` true.
    pub(crate) ack_frequency: Option<bool>,
}
