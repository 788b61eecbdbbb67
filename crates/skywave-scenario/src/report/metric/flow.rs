//! What is measured of a flow.

use super::{GOODPUT, Metric, metric};

/// The quantities measured of a flow.
pub const FLOW_METRICS: &[Metric] = &[
    GOODPUT,
    metric(
        "throughput",
        "throughput_bps",
        "Bits on the wire that reached the receiver, headers and duplicates too, in bit/s.",
    ),
    metric(
        "delivered",
        "delivered_bytes",
        "Payload that reached the application in order, each byte once, in bytes.",
    ),
    metric(
        "sent",
        "sent_packets",
        "Packets that the data sender sent: retransmissions, those that open or close a connection and probes of a closed window are included, WTCP's probes are in `probes` instead. With `duplicated` and `local_retransmits` these are `received`, `queue_drops`, `channel_drops`, `no_route_drops` and `under_way`.",
    ),
    metric(
        "retransmits",
        "retransmits",
        "Data packets that were sent again.",
    ),
    metric(
        "timeouts",
        "timeouts",
        "Expiries of the retransmission timer; of QUIC probe timeouts.",
    ),
    metric(
        "fast_retransmits",
        "fast_retransmits",
        "Fast retransmits; of QUIC recovery periods that losses began.",
    ),
    metric(
        "window_cuts",
        "window_cuts",
        "Reductions of the congestion window, by a fast retransmit, a mark or a timeout.",
    ),
    metric(
        "ecn_responses",
        "ecn_responses",
        "Those of `window_cuts` that answered a router's mark (ECN).",
    ),
    metric(
        "queue_drops",
        "queue_drops",
        "Packets of the data sender that queues dropped, full or early, on any link; in a radio network those that found no room in a MAC, an IP layer or the buffer of a routing protocol.",
    ),
    metric(
        "channel_drops",
        "channel_drops",
        "Data packets that channels lost: errors, blackouts, damage, and frames that the MAC gave up.",
    ),
    metric("rtt_mean", "rtt_mean_s", "Mean of the RTT samples, in s."),
    metric("rtt_min", "rtt_min_s", "Smallest RTT sample, in s."),
    metric(
        "cwnd_mean",
        "cwnd_mean",
        "Time average of the congestion window, in segments. UDP and WTCP have none.",
    ),
    metric(
        "delay_p50",
        "delay_p50_s",
        "Median time from a segment's first transmission to its delivery in order, in s.",
    ),
    metric("delay_p95", "delay_p95_s", "95th percentile of the same."),
    metric("delay_p99", "delay_p99_s", "99th percentile of the same."),
    metric(
        "completion",
        "completion_s",
        "Time from the start until the last byte was acknowledged, in s, over the whole run, for an application that closed and of which all arrived. Where not all runs have one, tables say of how many and their median, and there is no mean.",
    ),
    metric(
        "unfinished",
        "unfinished",
        "1 for an application that closed and of which not all has arrived by the end of the run, so that there is no completion time; else 0.",
    ),
    metric(
        "requests_done",
        "requests_done",
        "Transfers that have arrived whole, of an application that makes one after another (`requests`).",
    ),
    metric(
        "request_time",
        "request_time_mean_s",
        "Mean time from when a transfer of `requests` is handed over until its last byte has reached the application, in s. UDP has none.",
    ),
    metric(
        "request_time_p50",
        "request_time_p50_s",
        "Median of the same.",
    ),
    metric(
        "request_time_p95",
        "request_time_p95_s",
        "95th percentile of the same.",
    ),
    metric(
        "request_time_p99",
        "request_time_p99_s",
        "99th percentile of the same.",
    ),
    metric(
        "datagrams_lost",
        "datagrams_lost",
        "Share of a UDP flow's datagrams that were lost, in queues, on channels or without a route. Other transports have none.",
    ),
    metric(
        "early_drops",
        "early_drops",
        "Those of `queue_drops` that a queue dropped although there was room (RED, CoDel, PIE, DualPI2), or a policer.",
    ),
    metric(
        "blackout_drops",
        "blackout_drops",
        "Those of `channel_drops` that were lost in blackouts.",
    ),
    metric(
        "corrupt_drops",
        "corrupt_drops",
        "Those of `channel_drops` that were damaged.",
    ),
    metric(
        "no_route_drops",
        "no_route_drops",
        "Data packets that routing in a radio network had no way for, or that came to a host that their connection had left, or not reached, in a hand-over; in no other count.",
    ),
    metric(
        "spurious_retransmits",
        "spurious_retransmits",
        "Segments that were sent again although no copy had been lost since they were last sent: early timeouts, lost ACKs, going back N over what had arrived, rescue retransmissions.",
    ),
    metric(
        "share_handshake",
        "share_handshake",
        "Share of the time in which the sender waits for the answer to its SYN. This and the next six add up to 1: docs/scenarios.md#why-a-flow-was-slow.",
    ),
    metric(
        "share_cwnd",
        "share_cwnd",
        "Share in which the sender has filled the congestion window, also in slow start after a timeout.",
    ),
    metric(
        "share_rwnd",
        "share_rwnd",
        "Share in which the sender has filled the receiver's window, also when both windows are full.",
    ),
    metric(
        "share_application",
        "share_application",
        "Share in which the sender has sent everything that was written; what is on its way may not have arrived.",
    ),
    metric(
        "share_recovery",
        "share_recovery",
        "Share in which the sender is in fast recovery, whatever else is full.",
    ),
    metric(
        "share_pacing",
        "share_pacing",
        "Share in which the sender has room in both windows, and waits for its next turn to send.",
    ),
    metric(
        "share_timeout",
        "share_timeout",
        "Share in which the sender was silent until the retransmission timer expired: from the last segment sent or heard to the expiry.",
    ),
    metric(
        "received",
        "received_packets",
        "Packets of the data sender that reached the receiver whole, duplicates included.",
    ),
    metric(
        "duplicated",
        "duplicated_packets",
        "Second copies of such packets that links or a radio network made.",
    ),
    metric(
        "under_way",
        "under_way_packets",
        "Such packets that are under way at the end of the measured time, less those that were at its beginning.",
    ),
    metric(
        "timeouts_dupacks_0",
        "timeouts_dupacks_0",
        "Those of `timeouts` at which the sender held no duplicate ACK.",
    ),
    metric(
        "timeouts_dupacks_1",
        "timeouts_dupacks_1",
        "Those with one duplicate ACK.",
    ),
    metric(
        "timeouts_dupacks_2",
        "timeouts_dupacks_2",
        "Those with two duplicate ACKs.",
    ),
    metric(
        "timeouts_dupacks_3",
        "timeouts_dupacks_3",
        "Those with three duplicate ACKs or more.",
    ),
    metric(
        "failed_dupacks_0",
        "failed_dupacks_0",
        "Those of `timeouts_dupacks_0` with one segment outstanding: all but the lost one had been answered.",
    ),
    metric(
        "failed_dupacks_1",
        "failed_dupacks_1",
        "Those of `timeouts_dupacks_1` with two segments outstanding.",
    ),
    metric(
        "failed_dupacks_2",
        "failed_dupacks_2",
        "Those of `timeouts_dupacks_2` with three segments outstanding.",
    ),
    metric(
        "small_cwnd_timeouts",
        "small_cwnd_timeouts",
        "Timeouts at a congestion window of three segments or less, where three duplicate ACKs cannot come.",
    ),
    metric(
        "small_cwnd_fast_retransmits",
        "small_cwnd_fast_retransmits",
        "Fast retransmits at such a window.",
    ),
    metric(
        "share_small_cwnd",
        "share_small_cwnd",
        "Share of the time with such a window.",
    ),
    metric(
        "multi_loss_windows",
        "multi_loss_windows",
        "Windows in which several segments were lost before the first of these was sent again.",
    ),
    metric(
        "multi_loss_timeouts",
        "multi_loss_timeouts",
        "Those of them in which the retransmission timer found a loss.",
    ),
    metric(
        "lost_repairs",
        "lost_repairs",
        "Fast retransmissions that were lost in their turn: sent again before a timeout, and lost.",
    ),
    metric(
        "lost_repair_timeouts",
        "lost_repair_timeouts",
        "Those of them that the retransmission timer found: timeouts caused by a lost retransmission.",
    ),
    metric(
        "ack_gaps",
        "ack_gaps",
        "Times of more than a second between ACKs of new data, also without data to send.",
    ),
    metric(
        "ack_gaps_total",
        "ack_gaps_s",
        "Total length of these times, in s.",
    ),
    metric("probes", "probes", "Probes that a WTCP sender sent."),
    metric(
        "blackouts",
        "blackouts",
        "Blackouts that a WTCP sender noticed.",
    ),
    metric(
        "blackout_time",
        "blackout_s",
        "Time in these blackouts, in s.",
    ),
    metric(
        "rate_halvings",
        "rate_halvings",
        "Losses that a WTCP receiver took for congestion. Each halves the rate.",
    ),
    metric(
        "srtt_mean",
        "srtt_mean_s",
        "Mean of the smoothed RTT after each sample, in s.",
    ),
    metric(
        "rttvar_mean",
        "rttvar_mean_s",
        "Mean of the mean deviation of the RTT after each sample, in s.",
    ),
    metric(
        "retx_arrival_mean",
        "retx_arrival_mean_s",
        "Mean time from a segment's first transmission to its arrival, of those that were lost and sent again, in s; with `details`.",
    ),
    metric(
        "arrival_p10",
        "arrival_p10_s",
        "10th percentile of the time from a segment's first transmission to its arrival, in order or not, of those that arrived at the first transmission, in s; with `details`.",
    ),
    metric(
        "arrival_p50",
        "arrival_p50_s",
        "Median of the same; with `details`.",
    ),
    metric(
        "arrival_p90",
        "arrival_p90_s",
        "90th percentile of the same; with `details`.",
    ),
    metric(
        "local_retransmits",
        "local_retransmits",
        "Segments that an agent sent again; in `received`, not in `sent` or `retransmits`.",
    ),
    metric(
        "suppressed_dupacks",
        "suppressed_dupacks",
        "Duplicate ACKs that an agent kept from the sender.",
    ),
];
