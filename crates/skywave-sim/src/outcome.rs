//! The measurements of one simulation, as plain data: the output of [`crate::simulate`].
//!
//! Counts and means are over the measured window unless said otherwise.

use serde::Serialize;

use crate::losses::LossTable;

/// All that one simulation measured.
#[derive(Clone, Debug, PartialEq, Default, Serialize)]
pub struct Outcome {
    /// One entry a flow, in the order of the specification.
    pub flows: Vec<FlowOutcome>,
    /// One entry a link, in the order of the specification.
    pub links: Vec<LinkOutcome>,
    /// One entry a station of the radio network, in the order of the specification.
    pub stations: Vec<StationOutcome>,
    /// One entry for each flow that a proxy splits, in the order of the specification.
    pub proxies: Vec<ProxyOutcome>,
    /// Time series, when asked for.
    pub series: Vec<Series>,
    /// Delivered bytes over time, when asked for.
    pub bins: Option<Bins>,
    /// For each flow its transfers in the order in which they were handed over, at most [`MAX_REQUESTS`], when asked for.
    pub requests: Option<Vec<Vec<Request>>>,
    /// Events that the engine handled over the whole run.
    pub events: u64,
}

/// The measurements of one flow.
#[derive(Clone, Debug, PartialEq, Default, Serialize)]
pub struct FlowOutcome {
    /// The flow's name.
    pub name: String,
    /// In-order payload bytes handed to the receiving application, each byte once.
    pub delivered_bytes: u64,
    /// `delivered_bytes` in bits per second of the window.
    pub goodput_bps: f64,
    /// Bits on the wire that reached the receiver (headers and duplicates too) per second.
    pub throughput_bps: f64,
    /// Packets that the data sender sent: retransmissions, those that open or close a connection, probes of a closed
    /// window and whatever else it sends are included. Only WTCP's probes are in [`Self::probes`] instead. With
    /// [`Self::duplicated_packets`] and [`Self::local_retransmits`] these are [`Self::received_packets`],
    /// `queue_drops`, `channel_drops`, `no_route_drops` and [`Self::under_way_packets`].
    pub sent_packets: u64,
    /// Data packets sent again.
    pub retransmits: u64,
    /// Expiries of the retransmission timer; of QUIC probe timeouts.
    pub timeouts: u64,
    /// Those of the timeouts with no duplicate ACK held.
    pub timeouts_dupacks_0: u64,
    /// With one.
    pub timeouts_dupacks_1: u64,
    /// With two.
    pub timeouts_dupacks_2: u64,
    /// With three or more.
    pub timeouts_dupacks_3: u64,
    /// Those of the timeouts with no duplicate ACK held and one segment outstanding (SIFEST section
    /// 4.1: failed dupacks).
    pub failed_dupacks_0: u64,
    /// With one, and two segments outstanding.
    pub failed_dupacks_1: u64,
    /// With two, and three segments outstanding.
    pub failed_dupacks_2: u64,
    /// Timeouts at a congestion window of three segments or less.
    pub small_cwnd_timeouts: u64,
    /// Fast retransmits at such a window.
    pub small_cwnd_fast_retransmits: u64,
    /// Fast retransmits entered; of QUIC recovery periods that losses began.
    pub fast_retransmits: u64,
    /// Reductions of the congestion window (fast or by timeout).
    pub window_cuts: u64,
    /// Those of `window_cuts` that answered a router's mark (ECN).
    pub ecn_responses: u64,
    /// Of the data sender's packets those that a full (or early dropping) queue dropped, on any link.
    pub queue_drops: u64,
    /// Those that a channel lost: errors, blackouts, corruption.
    pub channel_drops: u64,
    /// Those of `queue_drops` that a queue dropped although there was room (RED, CoDel, PIE, DualPI2), or a policer.
    pub early_drops: u64,
    /// Those of `channel_drops` that were lost in blackouts.
    pub blackout_drops: u64,
    /// Those of `channel_drops` that were damaged.
    pub corrupt_drops: u64,
    /// Data packets that a radio network's routing had no way for, or that came where their connection no longer was
    /// after a hand-over, or not yet; in no other count.
    pub no_route_drops: u64,
    /// Data packets sent again although nothing of their segment had been lost since it was last
    /// sent.
    pub spurious_retransmits: u64,
    /// Share of the time with an open connection in which the SYN was not answered; this and the
    /// other shares add up to 1 and are `None` without an open TCP or QUIC connection. See
    /// [`skywave_core::tcp::limits::Limit`].
    pub share_handshake: Option<f64>,
    /// Share in which the congestion window was full.
    pub share_cwnd: Option<f64>,
    /// Share in which the receiver's window was full.
    pub share_rwnd: Option<f64>,
    /// Share in which the application had written nothing more.
    pub share_application: Option<f64>,
    /// Share in which a fast recovery was going on.
    pub share_recovery: Option<f64>,
    /// Share in which the pace held back what the windows had room for.
    pub share_pacing: Option<f64>,
    /// Share of silence that the retransmission timer ended.
    pub share_timeout: Option<f64>,
    /// A flow's lost data packets, by cause and by how they were found.
    pub losses: LossTable,
    /// Of the data sender's packets (as in `sent_packets`) those that reached the receiver whole, duplicates
    /// included.
    pub received_packets: u64,
    /// Second copies of such packets that links or a radio network made.
    pub duplicated_packets: u64,
    /// Such packets that are under way at the end of the window, less those that were at its beginning.
    pub under_way_packets: f64,
    /// Windows of data in which two segments or more were lost. A window ends when the first of its
    /// losses is found.
    pub multi_loss_windows: u64,
    /// Those of them in which the retransmission timer found a loss.
    pub multi_loss_timeouts: u64,
    /// Fast retransmissions that were lost in their turn: segments that were sent again before any timeout, for
    /// duplicate ACKs, a partial ACK, SACK or a detector's finding.
    pub lost_repairs: u64,
    /// Those of them that the retransmission timer found.
    pub lost_repair_timeouts: u64,
    /// Probes that a WTCP sender sent.
    pub probes: u64,
    /// Blackouts that it noticed: it stopped sending data because nothing was acknowledged.
    pub blackouts: u64,
    /// Time for which it did so, seconds.
    pub blackout_s: f64,
    /// Losses that a WTCP receiver took for congestion, each of which halved the rate.
    pub rate_halvings: u64,
    /// Segments that an agent on the way sent again; not in `sent_packets` or `retransmits`.
    pub local_retransmits: u64,
    /// Duplicate ACKs that an agent kept from the sender.
    pub suppressed_dupacks: u64,
    /// Of UDP: the share of the datagrams sent that queues, channels and routing lost. Duplicates that links made and
    /// that were lost count as well, and one that is lost after the window does not.
    pub datagrams_lost: Option<f64>,
    /// Transfers of an application that makes one after another (requests) that have arrived whole.
    pub requests_done: u64,
    /// Mean time from when such a transfer is handed over until its last byte has reached the application, seconds.
    pub request_time_mean_s: Option<f64>,
    /// Median of the same.
    pub request_time_p50_s: Option<f64>,
    /// 95th percentile of the same.
    pub request_time_p95_s: Option<f64>,
    /// 99th percentile of the same.
    pub request_time_p99_s: Option<f64>,
    /// Gaps of more than a second between ACKs of new data.
    pub ack_gaps: u64,
    /// Their total length in seconds.
    pub ack_gaps_s: f64,
    /// Mean of the RTT samples in seconds; `None` without samples.
    pub rtt_mean_s: Option<f64>,
    /// Smallest RTT sample in seconds.
    pub rtt_min_s: Option<f64>,
    /// Mean of the smoothed RTT after each sample, seconds.
    pub srtt_mean_s: Option<f64>,
    /// Mean of the RTT's mean deviation (RTTVAR) after each sample, seconds.
    pub rttvar_mean_s: Option<f64>,
    /// Time average of the congestion window in segments; `None` for UDP and WTCP.
    pub cwnd_mean: Option<f64>,
    /// Share of the window in which the congestion window was three segments or less.
    pub share_small_cwnd: Option<f64>,
    /// Median time from a segment's first transmission to its in-order delivery, seconds.
    pub delay_p50_s: Option<f64>,
    /// 95th percentile of the same.
    pub delay_p95_s: Option<f64>,
    /// 99th percentile of the same.
    pub delay_p99_s: Option<f64>,
    /// Mean time from a segment's first transmission to its first arrival at the receiver, of those
    /// that had to be sent again, seconds. This and the next three only with details.
    pub retx_arrival_mean_s: Option<f64>,
    /// 10th percentile of the same, of those that arrived at the first transmission.
    pub arrival_p10_s: Option<f64>,
    /// Median of the same.
    pub arrival_p50_s: Option<f64>,
    /// 90th percentile of the same.
    pub arrival_p90_s: Option<f64>,
    /// Time from start to the last byte's acknowledgement, when the application closed and all
    /// arrived (over the whole run, not the window).
    pub completion_s: Option<f64>,
    /// 1 if the application closed and not all has arrived by the end of the run, so that there is no `completion_s`
    /// although there would be one later; else 0.
    pub unfinished: u64,
}

impl FlowOutcome {
    /// What the other columns of packets leave for [`Self::under_way_packets`].
    pub(crate) fn left_over(&self) -> f64 {
        let begun = self.sent_packets + self.duplicated_packets + self.local_retransmits;
        let dropped = self.queue_drops + self.channel_drops + self.no_route_drops;
        begun as f64 - (self.received_packets + dropped) as f64
    }
}

/// The measurements of one flow that a proxy splits, from the source to the destination. Each of its halves is a
/// flow of its own.
#[derive(Clone, Debug, PartialEq, Default, Serialize)]
pub struct ProxyOutcome {
    /// The flow's name.
    pub name: String,
    /// `delivered_bytes` in bits per second of the window.
    pub goodput_bps: f64,
    /// In-order payload bytes handed to the destination's application.
    pub delivered_bytes: u64,
    /// Median time from a byte's first transmission by the source to its delivery to the destination,
    /// seconds.
    pub delay_p50_s: Option<f64>,
    /// 95th percentile of the same.
    pub delay_p95_s: Option<f64>,
    /// 99th percentile of the same.
    pub delay_p99_s: Option<f64>,
    /// Time average of the bytes in the proxy's buffer: they came in order, and the destination has not
    /// acknowledged them.
    pub buffered_mean_bytes: f64,
    /// The most of them at any time of the window.
    pub buffered_max_bytes: u64,
    /// Time average of the bytes that the source knows to be acknowledged, and that the destination has not
    /// got: what would be lost if the proxy failed.
    pub at_risk_mean_bytes: f64,
    /// The most of them at any time of the window.
    pub at_risk_max_bytes: u64,
    /// The bytes of this kind at the end of the run, if the proxy has failed: nobody will send them again.
    pub lost_bytes: Option<f64>,
    /// Bytes of its state that finished hand-overs have moved to another node, in the whole run; `None` if none was
    /// finished.
    pub hand_over_bytes: Option<f64>,
    /// Mean time that a finished hand-over took, from when it began until all of the state was there, seconds, in the whole
    /// run; `None` if none was finished.
    pub hand_over_s: Option<f64>,
}

/// The measurements of one one-way link.
#[derive(Clone, Debug, PartialEq, Default, Serialize)]
pub struct LinkOutcome {
    /// The link's name.
    pub name: String,
    /// Share of the window in which it transmitted; for a trace, used share of its opportunities.
    pub utilisation: f64,
    /// Time average of the queue length in packets, the one in transmission not counted.
    pub queue_mean_packets: f64,
    /// Packets that were offered.
    pub offered: u64,
    /// Share of the time in which more than half of the queue's limit waited; with details, for a
    /// limit in packets of a link without ARQ.
    pub queue_above_half: Option<f64>,
    /// Packets dropped by the queue.
    pub queue_drops: u64,
    /// Packets that the queue marked instead of dropping them early (ECN).
    pub ecn_marks: u64,
    /// `queue_drops` per packet offered.
    pub drop_rate: Option<f64>,
    /// Packets lost by the channel's loss models.
    pub channel_drops: u64,
    /// Packets lost in blackouts.
    pub blackout_drops: u64,
    /// Packets damaged.
    pub corrupted: u64,
    /// Transmissions beyond a packet's first, by a link with ARQ.
    pub link_retransmits: u64,
    /// Packets that such a link gave up; `channel_drops` or `blackout_drops` holds them.
    pub given_up: u64,
    /// Its transmissions a packet; `None` without any, or without ARQ.
    pub mean_transmissions: Option<f64>,
    /// Corrupted transmissions that forward error correction repaired.
    pub fec_repairs: u64,
}

/// The measurements of one station of a radio network.
#[derive(Clone, Debug, PartialEq, Default, Serialize)]
pub struct StationOutcome {
    /// Its node's name.
    pub name: String,
    /// Data frames put on the air, each attempt counted.
    pub attempts: u64,
    /// RTS put on the air.
    pub requests: u64,
    /// RTS and data frames that were not answered.
    pub unanswered: u64,
    /// `unanswered` as a share of all of them; `None` without any.
    pub unanswered_share: Option<f64>,
    /// Packets that were acknowledged.
    pub acknowledged: u64,
    /// Packets that were given up.
    pub given_up: u64,
    /// Packets that the MAC's queue dropped, full or early.
    pub queue_drops: u64,
    /// Mean time that packets were in the MAC's queue before they came to its head, seconds; `None` without any.
    pub queue_time_mean_s: Option<f64>,
    /// Mean time that acknowledged packets were at the head of the queue, seconds; `None` without any.
    pub contention_mean_s: Option<f64>,
    /// Its activities in the window that was asked for.
    pub timeline: Vec<Span>,
}

/// An activity of a station, with its start and end.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Span {
    /// Start, seconds.
    pub from_s: f64,
    /// End, seconds.
    pub to_s: f64,
    /// What.
    pub activity: Activity,
}

/// An activity of a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Activity {
    /// It sends.
    Sends,
    /// It receives a frame.
    Receives,
    /// It finds the channel taken by something that it cannot receive.
    Senses,
    /// Others have reserved the channel (NAV).
    Reserved,
    /// It waits for its slot.
    BacksOff,
    /// Nothing of these.
    Idle,
}

/// Delivered bytes over time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bins {
    /// Length of a bin in seconds; the first begins with the run.
    pub width_s: f64,
    /// For each flow, the in-order payload bytes that its application got in each bin.
    pub delivered: Vec<Vec<u64>>,
}

/// Most transfers that are kept of a flow of one run, the first ones of the measured window. The measures of the flow
/// count all.
pub const MAX_REQUESTS: usize = 1_000_000;

/// One transfer of several on a connection.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Request {
    /// When the application handed it over, seconds.
    pub start_s: f64,
    /// Its payload.
    pub bytes: u64,
    /// How long it took until its last byte had reached the other application, seconds; `None` if it was not done
    /// by the end of the measured window.
    pub took_s: Option<f64>,
}

/// A time series of one quantity of one flow or link.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Series {
    /// Flow or link name.
    pub entity: String,
    /// Quantity: `cwnd`, `ssthresh` (segments), `rtt`, `srtt`, `rto` (seconds), `acked` (bytes),
    /// `rate` (bits per second of full packets, WTCP), `queue` (packets).
    pub quantity: &'static str,
    /// Times in seconds and values, in order.
    pub points: Vec<(f64, f64)>,
}
