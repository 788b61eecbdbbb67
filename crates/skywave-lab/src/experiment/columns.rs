//! Every measured field of a flow, of a link, of a proxy and of a station, once: its name, its unit and how to read it.
//!
//! The result rows, the Parquet columns, the stored runs and the plots all follow these tables, and
//! a field that is added to an outcome but not here does not compile.

use skywave_sim::losses::{Found, LossCause};
use skywave_sim::outcome::{FlowOutcome, LinkOutcome, ProxyOutcome, StationOutcome};

/// One measured value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell {
    /// A count.
    Count(u64),
    /// A real number that is always there.
    Real(f64),
    /// A real number that some runs do not have.
    Maybe(Option<f64>),
    /// A time that has not come by the end of the run, though it would come.
    Later,
}

impl Cell {
    /// The value as a number, when there is one.
    pub fn number(self) -> Option<f64> {
        match self {
            Self::Count(n) => Some(n as f64),
            Self::Real(x) => Some(x),
            Self::Maybe(x) => x,
            Self::Later => None,
        }
        .filter(|x| x.is_finite())
    }

    /// As [`Self::number`]; infinity for what is later than the end of the run, so that a mean of this and others is no
    /// number, and quantiles of them are right.
    pub fn sample(self) -> Option<f64> {
        match self {
            Self::Later => Some(f64::INFINITY),
            other => other.number(),
        }
    }
}

/// Unit of a number; decides how it is scaled and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Bits per second.
    BitRate,
    /// Bytes.
    Bytes,
    /// Seconds.
    Seconds,
    /// Packets.
    Packets,
    /// Segments of one MSS.
    Segments,
    /// Events of some kind.
    Count,
    /// A share between 0 and 1, written in percent.
    Share,
    /// A pure number.
    Ratio,
}

/// How the values of several flows become one number for the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pooling {
    /// Rates and counts add up.
    Sum,
    /// What arrives adds up, too; of a flow that a proxy splits it arrives once, whatever its halves say.
    Arriving,
    /// Times and windows are averaged over the flows that have one.
    Mean,
}

/// One measured field of `T`.
#[derive(Clone, Copy, Debug)]
pub struct Column<T: 'static> {
    /// The field's name, as in rows, files and scenario plots.
    pub name: &'static str,
    /// Its name for people.
    pub label: &'static str,
    /// Its unit.
    pub unit: Unit,
    /// How flows are pooled.
    pub pooling: Pooling,
    /// It is a time until something, which may not have come by the end of the run.
    pub until: bool,
    /// Reads it.
    pub get: fn(&T) -> Cell,
    /// Writes it from a stored number; `None` where the number is missing.
    pub set: fn(&mut T, Option<f64>, Option<u64>) -> Option<()>,
}

macro_rules! get {
    (count, $o:ident, $f:ident) => {
        Cell::Count($o.$f)
    };
    (real, $o:ident, $f:ident) => {
        Cell::Real($o.$f)
    };
    (maybe, $o:ident, $f:ident) => {
        Cell::Maybe($o.$f)
    };
    (until, $o:ident, $f:ident) => {
        match $o.$f {
            None if $o.unfinished > 0 => Cell::Later,
            time => Cell::Maybe(time),
        }
    };
}

macro_rules! is_until {
    (until) => {
        true
    };
    ($kind:ident) => {
        false
    };
}

macro_rules! set {
    (count, $o:ident, $f:ident, $real:ident, $count:ident) => {{
        let _ = $real;
        $o.$f = $count?;
    }};
    (real, $o:ident, $f:ident, $real:ident, $count:ident) => {{
        let _ = $count;
        $o.$f = $real?;
    }};
    (maybe, $o:ident, $f:ident, $real:ident, $count:ident) => {{
        let _ = $count;
        $o.$f = $real;
    }};
    (until, $o:ident, $f:ident, $real:ident, $count:ident) => {{
        let _ = $count;
        $o.$f = $real;
    }};
}

/// A table of columns: numbers of an outcome, then cells of its table of losses, then fields that are no
/// numbers (`~`).
macro_rules! columns {
    ($(#[$doc:meta])* $table:ident, $check:ident, $outcome:ident:
     $($field:ident $kind:ident $unit:ident $pooling:ident $label:literal;)*
     $(@$losses:ident: $($cell:ident $cause:ident $found:ident $of:literal;)*)?
     $(~ $($other:ident)*;)?) => {
        $(#[$doc])*
        pub const $table: &[Column<$outcome>] = &[
            $(Column {
                name: stringify!($field),
                label: $label,
                unit: Unit::$unit,
                pooling: Pooling::$pooling,
                until: is_until!($kind),
                get: |o| get!($kind, o, $field),
                set: |o, real, count| {
                    set!($kind, o, $field, real, count);
                    Some(())
                },
            },)*
            $($(Column {
                name: stringify!($cell),
                label: $of,
                unit: Unit::Count,
                pooling: Pooling::Sum,
                until: false,
                get: |o| Cell::Count(o.$losses.count(LossCause::$cause, Found::$found)),
                set: |o, _, count| {
                    o.$losses.add(LossCause::$cause, Found::$found, count?);
                    Some(())
                },
            },)*)?
        ];
        /// Does not compile when a field has no column.
        const fn $check(o: &$outcome) {
            let $outcome { name: _, $($field: _,)* $($losses: _,)? $($($other: _,)*)? } = o;
        }
        const _: fn(&$outcome) = $check;
    };
}

columns! {
    /// The measured fields of a flow, in the order of the result rows.
    FLOW, every_flow_field_has_a_column, FlowOutcome:
    goodput_bps real BitRate Arriving "Goodput";
    throughput_bps real BitRate Arriving "Throughput";
    delivered_bytes count Bytes Arriving "Delivered";
    retransmits count Count Sum "Retransmits";
    timeouts count Count Sum "Timeouts";
    fast_retransmits count Count Sum "Fast retransmits";
    rtt_mean_s maybe Seconds Mean "Mean RTT";
    queue_drops count Count Sum "Queue drops";
    channel_drops count Count Sum "Channel drops";
    sent_packets count Count Sum "Packets sent";
    window_cuts count Count Sum "Window cuts";
    ecn_responses count Count Sum "Window cuts for marks";
    rtt_min_s maybe Seconds Mean "Min RTT";
    cwnd_mean maybe Segments Mean "Mean cwnd";
    delay_p50_s maybe Seconds Mean "Delay p50";
    delay_p95_s maybe Seconds Mean "Delay p95";
    delay_p99_s maybe Seconds Mean "Delay p99";
    completion_s until Seconds Mean "Completion time";
    unfinished count Count Sum "Unfinished";
    requests_done count Count Sum "Requests done";
    request_time_mean_s maybe Seconds Mean "Request time";
    request_time_p50_s maybe Seconds Mean "Request time p50";
    request_time_p95_s maybe Seconds Mean "Request time p95";
    request_time_p99_s maybe Seconds Mean "Request time p99";
    datagrams_lost maybe Share Mean "Datagrams lost";
    early_drops count Count Sum "Early drops";
    blackout_drops count Count Sum "Blackout drops";
    corrupt_drops count Count Sum "Damaged";
    no_route_drops count Count Sum "Dropped without a route";
    spurious_retransmits count Count Sum "Spurious retransmits";
    share_handshake maybe Share Mean "Waiting for the handshake";
    share_cwnd maybe Share Mean "Limited by cwnd";
    share_rwnd maybe Share Mean "Limited by rwnd";
    share_application maybe Share Mean "Limited by the application";
    share_recovery maybe Share Mean "In fast recovery";
    share_pacing maybe Share Mean "Limited by pacing";
    share_timeout maybe Share Mean "Waiting for a timeout";
    received_packets count Count Sum "Packets received";
    duplicated_packets count Count Sum "Packets duplicated";
    under_way_packets real Packets Sum "Packets under way";
    timeouts_dupacks_0 count Count Sum "Timeouts without dupacks";
    timeouts_dupacks_1 count Count Sum "Timeouts with one dupack";
    timeouts_dupacks_2 count Count Sum "Timeouts with two dupacks";
    timeouts_dupacks_3 count Count Sum "Timeouts with more dupacks";
    failed_dupacks_0 count Count Sum "Timeouts of a single segment";
    failed_dupacks_1 count Count Sum "Failed dupacks, one";
    failed_dupacks_2 count Count Sum "Failed dupacks, two";
    small_cwnd_timeouts count Count Sum "Timeouts at a small cwnd";
    small_cwnd_fast_retransmits count Count Sum "Fast retransmits at a small cwnd";
    share_small_cwnd maybe Share Mean "Time with a small cwnd";
    multi_loss_windows count Count Sum "Windows with several losses";
    multi_loss_timeouts count Count Sum "Those with a timeout";
    lost_repairs count Count Sum "Fast retransmissions lost";
    lost_repair_timeouts count Count Sum "Those found by a timeout";
    ack_gaps count Count Sum "Gaps between ACKs";
    ack_gaps_s real Seconds Sum "Time in gaps between ACKs";
    probes count Count Sum "Probes";
    blackouts count Count Sum "Blackouts";
    blackout_s real Seconds Sum "Time in blackouts";
    rate_halvings count Count Sum "Halvings of the rate";
    srtt_mean_s maybe Seconds Mean "Mean smoothed RTT";
    rttvar_mean_s maybe Seconds Mean "Mean RTT deviation";
    retx_arrival_mean_s maybe Seconds Mean "Arrival of resent segments";
    arrival_p10_s maybe Seconds Mean "Arrival p10";
    arrival_p50_s maybe Seconds Mean "Arrival p50";
    arrival_p90_s maybe Seconds Mean "Arrival p90";
    local_retransmits count Count Sum "Retransmits by agents";
    suppressed_dupacks count Count Sum "Dupacks kept by agents";
    @losses:
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

columns! {
    /// The measured fields of a link.
    LINK, every_link_field_has_a_column, LinkOutcome:
    utilisation real Share Mean "Utilisation";
    queue_mean_packets real Packets Mean "Mean queue";
    offered count Count Sum "Packets offered";
    queue_drops count Count Sum "Queue drops";
    ecn_marks count Count Sum "Marks (ECN)";
    drop_rate maybe Share Mean "Drop rate";
    queue_above_half maybe Share Mean "Queue above half";
    channel_drops count Count Sum "Channel drops";
    blackout_drops count Count Sum "Blackout drops";
    corrupted count Count Sum "Damaged";
    link_retransmits count Count Sum "Link retransmits";
    given_up count Count Sum "Given up";
    mean_transmissions maybe Ratio Mean "Mean transmissions";
    fec_repairs count Count Sum "FEC repairs";
}

columns! {
    /// The measured fields of a flow that a proxy splits, from end to end.
    PROXY, every_proxy_field_has_a_column, ProxyOutcome:
    goodput_bps real BitRate Sum "Goodput";
    delivered_bytes count Bytes Sum "Delivered";
    delay_p50_s maybe Seconds Mean "Delay p50";
    delay_p95_s maybe Seconds Mean "Delay p95";
    delay_p99_s maybe Seconds Mean "Delay p99";
    buffered_mean_bytes real Bytes Mean "Mean buffer";
    buffered_max_bytes count Bytes Mean "Max buffer";
    at_risk_mean_bytes real Bytes Mean "Mean at risk";
    at_risk_max_bytes count Bytes Mean "Max at risk";
    lost_bytes maybe Bytes Sum "Lost by a failure";
    hand_over_bytes maybe Bytes Sum "Moved by hand-overs";
    hand_over_s maybe Seconds Mean "Hand-over time";
}

columns! {
    /// The measured fields of a station of a radio network.
    STATION, every_station_field_has_a_column, StationOutcome:
    attempts count Count Sum "Attempts";
    requests count Count Sum "RTS";
    unanswered count Count Sum "Unanswered";
    unanswered_share maybe Share Mean "Unanswered share";
    acknowledged count Count Sum "Acknowledged";
    given_up count Count Sum "Given up";
    queue_drops count Count Sum "Queue drops";
    queue_time_mean_s maybe Seconds Mean "Mean time in queue";
    contention_mean_s maybe Seconds Mean "Mean contention";
    ~ timeline;
}
