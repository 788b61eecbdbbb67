//! Measurements of a flow.

use super::column::{Cell, Column, Number, Pooling, Unit, measured};
use crate::losses::{Found, LossCause, LossTable};

measured! {
    /// The measurements of one flow.
    FlowOutcome,
    /// The columns of a flow, in the order of the result rows.
    FLOW:
    /// Payload that reached the application in order, each byte once, in bit/s.
    goodput_bps "goodput": f64, BitRate, Arriving, "Goodput";
    /// Bits on the wire that reached the receiver, headers and duplicates too, in bit/s.
    throughput_bps "throughput": f64, BitRate, Arriving, "Throughput";
    /// Payload that reached the application in order, each byte once, in bytes.
    delivered_bytes "delivered": u64, Bytes, Arriving, "Delivered";
    /// Data packets that were sent again.
    retransmits: u64, Count, Sum, "Retransmits";
    /// Expiries of the retransmission timer; of QUIC probe timeouts.
    timeouts: u64, Count, Sum, "Timeouts";
    /// Fast retransmits; of QUIC recovery periods that losses began.
    fast_retransmits: u64, Count, Sum, "Fast retransmits";
    /// Mean of the RTT samples, in s.
    rtt_mean_s "rtt_mean": Option<f64>, Seconds, Mean, "Mean RTT";
    /// Packets of the data sender that queues dropped, full or early, on any link; in a radio network those
    /// that found no room in a MAC, an IP layer or the buffer of a routing protocol.
    queue_drops: u64, Count, Sum, "Queue drops";
    /// Data packets that channels lost: errors, blackouts, damage, and frames that the MAC gave up.
    channel_drops: u64, Count, Sum, "Channel drops";
    /// Packets that the data sender sent: retransmissions, those that open or close a connection and probes of
    /// a closed window are included, WTCP's probes are in `probes` instead. With `duplicated` and
    /// `local_retransmits` these are `received`, `queue_drops`, `channel_drops`, `no_route_drops` and
    /// `under_way`.
    sent_packets "sent": u64, Count, Sum, "Packets sent";
    /// Reductions of the congestion window, by a fast retransmit, a mark or a timeout.
    window_cuts: u64, Count, Sum, "Window cuts";
    /// Window cuts that answered a router's mark (ECN); a part of `window_cuts`.
    ecn_responses: u64, Count, Sum, "Window cuts for marks";
    /// Smallest RTT sample, in s.
    rtt_min_s "rtt_min": Option<f64>, Seconds, Mean, "Min RTT";
    /// Time average of the congestion window from when it comes into being, in segments. UDP and WTCP have none.
    cwnd_mean: Option<f64>, Segments, Mean, "Mean cwnd";
    /// Median time from a segment's first transmission to its delivery in order, in s.
    delay_p50_s "delay_p50": Option<f64>, Seconds, Mean, "Delay p50";
    /// 95th percentile of the time from a segment's first transmission to its delivery in order, in s.
    delay_p95_s "delay_p95": Option<f64>, Seconds, Mean, "Delay p95";
    /// 99th percentile of the time from a segment's first transmission to its delivery in order, in s.
    delay_p99_s "delay_p99": Option<f64>, Seconds, Mean, "Delay p99";
    /// Time from the start until the last byte was acknowledged, in s, over the whole run, for an application
    /// that closed and of which all arrived. Where not all runs have one, tables say of how many and their
    /// median, and there is no mean.
    completion_s "completion": Option<f64>, Seconds, Mean, "Completion time", until;
    /// 1 for an application that closed and of which not all has arrived by the end of the run, so that there
    /// is no completion time; else 0.
    unfinished: u64, Count, Sum, "Unfinished";
    /// Transfers that have arrived whole, of an application that makes one after another (`requests`).
    requests_done: u64, Count, Sum, "Requests done";
    /// Mean time from when a transfer of `requests` is handed over until its last byte has reached the
    /// application, in s. UDP has none.
    request_time_mean_s "request_time": Option<f64>, Seconds, Mean, "Request time";
    /// Median time from when a transfer of `requests` is handed over until its last byte has arrived, in s.
    request_time_p50_s "request_time_p50": Option<f64>, Seconds, Mean, "Request time p50";
    /// 95th percentile of the time from when a transfer of `requests` is handed over
    /// until its last byte has arrived, in s.
    request_time_p95_s "request_time_p95": Option<f64>, Seconds, Mean, "Request time p95";
    /// 99th percentile of the time from when a transfer of `requests` is handed over
    /// until its last byte has arrived, in s.
    request_time_p99_s "request_time_p99": Option<f64>, Seconds, Mean, "Request time p99";
    // Duplicates that links made and that were lost count as well; a datagram that is lost after the window does not.
    /// Share of a UDP flow's datagrams that were lost, in queues, on channels or without a route. Other
    /// transports have none.
    datagrams_lost: Option<f64>, Share, Mean, "Datagrams lost";
    /// Packets that a queue dropped although there was room (RED, CoDel, PIE, DualPI2), or a policer; a part
    /// of `queue_drops`.
    early_drops: u64, Count, Sum, "Early drops";
    /// Packets that were lost in blackouts; a part of `channel_drops`.
    blackout_drops: u64, Count, Sum, "Blackout drops";
    /// Packets that were damaged; a part of `channel_drops`.
    corrupt_drops: u64, Count, Sum, "Damaged";
    /// Data packets that routing in a radio network had no way for, or that came to a host that their
    /// connection had left, or not reached, in a hand-over; in no other count.
    no_route_drops: u64, Count, Sum, "Dropped without a route";
    /// Segments that were sent again although no copy had been lost since they were last sent: early timeouts,
    /// lost ACKs, going back N over what had arrived, rescue retransmissions.
    spurious_retransmits: u64, Count, Sum, "Spurious retransmits";
    /// Share of the time in which the sender waits for the answer to its SYN. The `share_` measures, without
    /// `share_small_cwnd`, add up to 1: docs/scenarios.md#why-a-flow-was-slow.
    share_handshake: Option<f64>, Share, Mean, "Waiting for the handshake";
    /// Share of the time in which the sender has filled the congestion window, also in slow start after a timeout.
    share_cwnd: Option<f64>, Share, Mean, "Limited by cwnd";
    /// Share of the time in which the sender has filled the receiver's window, also when both windows are full.
    share_rwnd: Option<f64>, Share, Mean, "Limited by rwnd";
    /// Share of the time in which the sender has sent all that its application wrote; not all need have arrived.
    share_application: Option<f64>, Share, Mean, "Limited by the application";
    /// Share of the time in which the sender is in fast recovery, whether or not a window is full.
    share_recovery: Option<f64>, Share, Mean, "In fast recovery";
    /// Share of the time in which both windows let the sender send, but pacing makes it wait.
    share_pacing: Option<f64>, Share, Mean, "Limited by pacing";
    /// Share of the time in which the sender was silent until the retransmission timer expired: from the last
    /// segment sent or heard to the expiry.
    share_timeout: Option<f64>, Share, Mean, "Waiting for a timeout";
    /// Packets of the data sender that reached the receiver whole, duplicates included.
    received_packets "received": u64, Count, Sum, "Packets received";
    /// Second copies of the data sender's packets that links or a radio network made.
    duplicated_packets "duplicated": u64, Count, Sum, "Packets duplicated";
    /// Packets of the data sender, copies included, that are under way at the end of the measured time,
    /// less those that were at its beginning.
    under_way_packets "under_way": f64, Packets, Sum, "Packets under way";
    /// Timeouts at which the sender held no duplicate ACK; a part of `timeouts`.
    timeouts_dupacks_0: u64, Count, Sum, "Timeouts without dupacks";
    /// Timeouts at which the sender held one duplicate ACK.
    timeouts_dupacks_1: u64, Count, Sum, "Timeouts with one dupack";
    /// Timeouts at which the sender held two duplicate ACKs.
    timeouts_dupacks_2: u64, Count, Sum, "Timeouts with two dupacks";
    /// Timeouts at which the sender held three duplicate ACKs or more.
    timeouts_dupacks_3: u64, Count, Sum, "Timeouts with more dupacks";
    // Failed dupacks: SIFEST, section 4.1.
    /// Timeouts of `timeouts_dupacks_0` with one segment outstanding: all but the lost one had been answered.
    failed_dupacks_0: u64, Count, Sum, "Timeouts of a single segment";
    /// Timeouts of `timeouts_dupacks_1` with two segments outstanding.
    failed_dupacks_1: u64, Count, Sum, "Failed dupacks, one";
    /// Timeouts of `timeouts_dupacks_2` with three segments outstanding.
    failed_dupacks_2: u64, Count, Sum, "Failed dupacks, two";
    /// Timeouts at a congestion window of three segments or less, where three duplicate ACKs cannot come.
    small_cwnd_timeouts: u64, Count, Sum, "Timeouts at a small cwnd";
    /// Fast retransmits at a congestion window of three segments or less.
    small_cwnd_fast_retransmits: u64, Count, Sum, "Fast retransmits at a small cwnd";
    /// Share of the time with a congestion window of three segments or less.
    share_small_cwnd: Option<f64>, Share, Mean, "Time with a small cwnd";
    // A window ends when the first of its losses is found.
    /// Windows in which several segments were lost before the first of these was sent again.
    multi_loss_windows: u64, Count, Sum, "Windows with several losses";
    /// Windows of `multi_loss_windows` in which the retransmission timer found a loss.
    multi_loss_timeouts: u64, Count, Sum, "Those with a timeout";
    /// Fast retransmissions that were lost in their turn: sent again before a timeout, and lost.
    lost_repairs: u64, Count, Sum, "Fast retransmissions lost";
    /// Fast retransmissions of `lost_repairs` whose loss the retransmission timer found: timeouts caused by a
    /// lost retransmission.
    lost_repair_timeouts: u64, Count, Sum, "Those found by a timeout";
    /// Times of more than a second between ACKs of new data, also without data to send.
    ack_gaps: u64, Count, Sum, "Gaps between ACKs";
    /// Total length of the times of more than a second between ACKs of new data, in s.
    ack_gaps_s "ack_gaps_total": f64, Seconds, Sum, "Time in gaps between ACKs";
    /// Probes that a WTCP sender sent.
    probes: u64, Count, Sum, "Probes";
    /// Blackouts that a WTCP sender noticed.
    blackouts: u64, Count, Sum, "Blackouts";
    /// Time in the blackouts that a WTCP sender noticed, in s.
    blackout_s "blackout_time": f64, Seconds, Sum, "Time in blackouts";
    /// Losses that a WTCP receiver took for congestion. Each halves the rate.
    rate_halvings: u64, Count, Sum, "Halvings of the rate";
    /// Mean of the smoothed RTT after each sample, in s.
    srtt_mean_s "srtt_mean": Option<f64>, Seconds, Mean, "Mean smoothed RTT";
    /// Mean of the mean deviation of the RTT after each sample, in s.
    rttvar_mean_s "rttvar_mean": Option<f64>, Seconds, Mean, "Mean RTT deviation";
    /// Mean time from a segment's first transmission to its arrival, of those that were lost and sent again, in
    /// s; with `details`.
    retx_arrival_mean_s "retx_arrival_mean": Option<f64>, Seconds, Mean, "Arrival of resent segments";
    /// 10th percentile of the time from a segment's first transmission to its arrival, in order or not, of
    /// those that arrived at the first transmission, in s; with `details`.
    arrival_p10_s "arrival_p10": Option<f64>, Seconds, Mean, "Arrival p10";
    /// Median time from a segment's first transmission to its arrival, of those that arrived at the first
    /// transmission, in s; with `details`.
    arrival_p50_s "arrival_p50": Option<f64>, Seconds, Mean, "Arrival p50";
    /// 90th percentile of the time from a segment's first transmission to its arrival, of those that arrived at the
    /// first transmission, in s; with `details`.
    arrival_p90_s "arrival_p90": Option<f64>, Seconds, Mean, "Arrival p90";
    /// Segments that an agent sent again; in `received`, not in `sent` or `retransmits`.
    local_retransmits: u64, Count, Sum, "Retransmits by agents";
    /// Duplicate ACKs that an agent kept from the sender.
    suppressed_dupacks: u64, Count, Sum, "Dupacks kept by agents";
    ~ /// The flow's lost data packets, by cause and by how they were found; none for UDP.
    losses: LossTable;
    lost_queue_dupacks Queue Dupacks "Full queue, dupacks";
    lost_queue_partial_ack Queue PartialAck "Full queue, partial ACK";
    lost_queue_sack Queue Sack "Full queue, SACK";
    lost_queue_detector Queue Detector "Full queue, detector";
    lost_queue_probe Queue Probe "Full queue, probe";
    lost_queue_timeout Queue Timeout "Full queue, timeout";
    lost_queue_agent Queue Agent "Full queue, agent";
    lost_queue_unnoticed Queue Unnoticed "Full queue, unnoticed";
    lost_queue_open Queue Open "Full queue, open";
    lost_early_dupacks Early Dupacks "Early drop, dupacks";
    lost_early_partial_ack Early PartialAck "Early drop, partial ACK";
    lost_early_sack Early Sack "Early drop, SACK";
    lost_early_detector Early Detector "Early drop, detector";
    lost_early_probe Early Probe "Early drop, probe";
    lost_early_timeout Early Timeout "Early drop, timeout";
    lost_early_agent Early Agent "Early drop, agent";
    lost_early_unnoticed Early Unnoticed "Early drop, unnoticed";
    lost_early_open Early Open "Early drop, open";
    lost_channel_dupacks Channel Dupacks "Channel, dupacks";
    lost_channel_partial_ack Channel PartialAck "Channel, partial ACK";
    lost_channel_sack Channel Sack "Channel, SACK";
    lost_channel_detector Channel Detector "Channel, detector";
    lost_channel_probe Channel Probe "Channel, probe";
    lost_channel_timeout Channel Timeout "Channel, timeout";
    lost_channel_agent Channel Agent "Channel, agent";
    lost_channel_unnoticed Channel Unnoticed "Channel, unnoticed";
    lost_channel_open Channel Open "Channel, open";
    lost_blackout_dupacks Blackout Dupacks "Blackout, dupacks";
    lost_blackout_partial_ack Blackout PartialAck "Blackout, partial ACK";
    lost_blackout_sack Blackout Sack "Blackout, SACK";
    lost_blackout_detector Blackout Detector "Blackout, detector";
    lost_blackout_probe Blackout Probe "Blackout, probe";
    lost_blackout_timeout Blackout Timeout "Blackout, timeout";
    lost_blackout_agent Blackout Agent "Blackout, agent";
    lost_blackout_unnoticed Blackout Unnoticed "Blackout, unnoticed";
    lost_blackout_open Blackout Open "Blackout, open";
    lost_corrupt_dupacks Corruption Dupacks "Damage, dupacks";
    lost_corrupt_partial_ack Corruption PartialAck "Damage, partial ACK";
    lost_corrupt_sack Corruption Sack "Damage, SACK";
    lost_corrupt_detector Corruption Detector "Damage, detector";
    lost_corrupt_probe Corruption Probe "Damage, probe";
    lost_corrupt_timeout Corruption Timeout "Damage, timeout";
    lost_corrupt_agent Corruption Agent "Damage, agent";
    lost_corrupt_unnoticed Corruption Unnoticed "Damage, unnoticed";
    lost_corrupt_open Corruption Open "Damage, open";
    lost_no_route_dupacks NoRoute Dupacks "No route, dupacks";
    lost_no_route_partial_ack NoRoute PartialAck "No route, partial ACK";
    lost_no_route_sack NoRoute Sack "No route, SACK";
    lost_no_route_detector NoRoute Detector "No route, detector";
    lost_no_route_probe NoRoute Probe "No route, probe";
    lost_no_route_timeout NoRoute Timeout "No route, timeout";
    lost_no_route_agent NoRoute Agent "No route, agent";
    lost_no_route_unnoticed NoRoute Unnoticed "No route, unnoticed";
    lost_no_route_open NoRoute Open "No route, open";
}

impl Column<FlowOutcome> {
    /// The column of a time that comes after the end of the run where the flow is unfinished.
    const fn until(self) -> Self {
        Self {
            until: true,
            get: |flow| match flow.completion_s {
                None if flow.unfinished > 0 => Cell::Later,
                time => Cell::Maybe(time),
            },
            ..self
        }
    }
}

impl FlowOutcome {
    /// Packets that the other columns leave for [`Self::under_way_packets`].
    pub(crate) fn left_over(&self) -> f64 {
        let begun = self.sent_packets + self.duplicated_packets + self.local_retransmits;
        let dropped = self.queue_drops + self.channel_drops + self.no_route_drops;
        begun as f64 - (self.received_packets + dropped) as f64
    }
}
