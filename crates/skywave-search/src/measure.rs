//! The numbers that a run is judged by.

use skywave_core::Duration;
use skywave_lab::experiment::Numbers;
use skywave_lab::way;
use skywave_sim::spec::Transport;
use skywave_sim::{Outcome, Spec};

/// Goodput of the flow under test, bit/s.
pub(crate) const GOODPUT: &str = "goodput_bps";
/// Goodput of all other flows with a congestion control, bit/s.
pub(crate) const OTHERS: &str = "others_bps";
/// Number of these that share a link with the flow under test.
pub(crate) const RIVALS: &str = "rivals";
/// Packets that the flow under test sent.
pub(crate) const SENT: &str = "sent";
/// Name, among a run's measured numbers, of the count of packets sent in vain: those of the judged flow that queues
/// dropped, or that were sent again although nothing was lost.
pub const VAIN: &str = "vain";
/// Payload that the path carries, bit/s.
pub(crate) const CARRIED: &str = "carried_bps";
/// Longest time without a delivery while the path carries, seconds.
pub(crate) const STALL: &str = "stall_s";
/// Length of the measured window, seconds.
pub(crate) const WINDOW: &str = "window_s";

/// Version of how numbers are taken from a run: kept numbers of another one are not used. To be raised with any change
/// here, of what a path carries, or of when a run is given up.
pub(crate) const VERSION: &str = "measures 1";

/// Length of a bin in which a stall is looked for.
pub(crate) const BIN: Duration = Duration::from_millis(100);

/// The numbers of a run with the flow under test in place `flow`; those that cost time only if they are among `wants`.
pub(crate) fn of(spec: &Spec, outcome: &Outcome, flow: usize, wants: &[&str]) -> Numbers {
    let mut numbers = Numbers::new();
    let mut put = |name: &str, number: f64| {
        numbers.insert(name.to_owned(), number);
    };
    let Some(tested) = outcome.flows.get(flow) else {
        return numbers;
    };
    let others: Vec<usize> = others(spec, flow).collect();
    let rivals = others.iter().filter(|&&other| way::meet(spec, flow, other));
    put(GOODPUT, tested.goodput_bps);
    put(
        OTHERS,
        others.iter().map(|&i| outcome.flows[i].goodput_bps).sum(),
    );
    put(RIVALS, rivals.count() as f64);
    put(SENT, tested.sent_packets as f64);
    put(
        VAIN,
        (tested.queue_drops + tested.spurious_retransmits) as f64,
    );
    put(WINDOW, spec.window().as_secs_f64());
    if wants.contains(&CARRIED)
        && let Some(carried) = way::carried(spec, flow)
    {
        put(CARRIED, carried);
    }
    if wants.contains(&STALL)
        && let Some(bins) = outcome
            .bins
            .as_ref()
            .and_then(|bins| bins.delivered.get(flow))
    {
        put(STALL, stall(spec, flow, bins));
    }
    numbers
}

/// The other flows with a congestion control, as indices.
fn others(spec: &Spec, flow: usize) -> impl Iterator<Item = usize> + '_ {
    let all = spec.flows.iter().enumerate();
    all.filter(move |(index, other)| {
        *index != flow && !matches!(other.transport, Transport::Udp { .. })
    })
    .map(|(index, _)| index)
}

/// Longest time of measured bins one after another in which nothing was delivered and the path carries. Bins in which it
/// carries nothing neither count nor end it.
fn stall(spec: &Spec, flow: usize, delivered: &[u64]) -> f64 {
    let carries = way::carries(spec, flow, BIN);
    let bin = |at: skywave_core::Time| at.as_nanos() / BIN.as_nanos();
    let measured = bin(spec.measure.0) as usize..bin(spec.measure.1) as usize;
    let (mut longest, mut now) = (0_u32, 0_u32);
    let both = delivered.iter().zip(&carries).enumerate();
    for (_, (&bytes, &carries)) in both.filter(|(index, _)| measured.contains(index)) {
        now = match (bytes, carries) {
            (0, true) => now + 1,
            (0, false) => now,
            _ => 0,
        };
        longest = longest.max(now);
    }
    f64::from(longest) * BIN.as_secs_f64()
}
