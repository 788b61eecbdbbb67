//! The work of a sender, segment by segment, as time series: the data of a time-sequence plot.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use skywave_core::Time;
use skywave_core::packet::Body;
use skywave_core::{quic, wtcp};
use skywave_sim::observe::{Observer, Offer, Watch};
use skywave_sim::outcome::{Outcome, Series};
use skywave_sim::simulate_watched;
use skywave_sim::spec::{Spec, Transport};

use super::remark::Remark;
use crate::experiment;

/// Segments sent for the first time and again.
const SENT: &str = "sent";
const RESENT: &str = "resent";

/// Causes of a segment's loss that time series tell apart: for each, the name of the series' quantity and its label
/// in plots. Drops by a policer are among the early ones.
pub const LOSSES: [(&str, &str); 5] = [
    ("lost_queue", "lost: queue full"),
    ("lost_early", "lost: early drop"),
    ("lost_channel", "lost: channel error"),
    ("lost_blackout", "lost: blackout"),
    ("damaged", "damaged"),
];

/// The quantity of a loss; `None` for a remark that is no loss, or a loss that an earlier link has
/// reported.
fn quantity(remark: Remark) -> Option<&'static str> {
    Some(match remark {
        Remark::LostQueue => LOSSES[0].0,
        Remark::LostEarly(_) | Remark::LostPoliced => LOSSES[1].0,
        Remark::LostChannel => LOSSES[2].0,
        Remark::LostBlackout => LOSSES[3].0,
        Remark::Damaged => LOSSES[4].0,
        _ => return None,
    })
}

/// Simulates a run; if the specification asks for time series, the outcome also has series of single segments, for
/// time-sequence plots. `None` when `cancel` was set before the end of the run.
///
/// Every flow except UDP whose data first go over a link, not through a radio network, has the series `sent` and
/// `resent`: the position of each segment in the stream (bytes of payload before it) at the time when the segment is
/// sent for the first time, or again. For a segment that a link loses, one of the series in [`LOSSES`] has its position
/// at the time when the segment came to that link. Series without points are left out.
pub fn simulate_with_sequence(spec: &Spec, cancel: &AtomicBool) -> Option<Outcome> {
    if !spec.series {
        return experiment::simulate(spec, cancel);
    }
    let mut segments = Segments::new(spec);
    let watch = Watch {
        observer: Some(&mut segments),
        cancel: Some(cancel),
    };
    let mut outcome = simulate_watched(spec, watch)?;
    outcome.series.extend(segments.into_series());
    Some(outcome)
}

/// The segments of a run.
struct Segments<'a> {
    spec: &'a Spec,
    flows: Vec<Flow>,
}

#[derive(Default)]
struct Flow {
    iss: u32,
    /// Sequence numbers before the payload.
    before: u64,
    /// Highest stream position sent.
    highest: u64,
    /// The node of its sender, and since when it is there, in order of time. A packet that is under way when the sender
    /// moves may be recorded twice.
    sources: Vec<(Time, usize)>,
    series: Vec<Points>,
}

/// A quantity with its points.
type Points = (&'static str, Vec<(f64, f64)>);

impl<'a> Segments<'a> {
    fn new(spec: &'a Spec) -> Self {
        let flow = |flow: &skywave_sim::spec::FlowSpec| match &flow.transport {
            Transport::Tcp(config) => Flow {
                iss: config.iss,
                before: config.handshake.span(),
                ..Flow::default()
            },
            Transport::Udp { .. } | Transport::Wtcp { .. } | Transport::Quic { .. } => {
                Flow::default()
            }
        };
        let mut flows: Vec<Flow> = spec.flows.iter().map(flow).collect();
        for (flow, spec) in flows.iter_mut().zip(&spec.flows) {
            flow.sources.push((Time::ZERO, spec.from));
        }
        for proxy in &spec.proxies {
            let moved = proxy.hand_overs.iter();
            let moved = moved.map(|hand_over| (hand_over.at, hand_over.to));
            flows[proxy.far].sources.extend(moved);
        }
        Self { spec, flows }
    }

    fn into_series(self) -> Vec<Series> {
        let mut all = Vec::new();
        for (flow, spec) in self.flows.into_iter().zip(&self.spec.flows) {
            for (quantity, mut points) in flow.series {
                // Links decide about a flow's packets in their own order.
                points.sort_by(|a, b| a.0.total_cmp(&b.0));
                all.push(Series {
                    entity: spec.name.to_string(),
                    quantity,
                    points,
                });
            }
        }
        all
    }
}

impl Flow {
    /// Whether the flow's data begin at this node at `at`.
    fn begins_at(&self, at: Time, node: usize) -> bool {
        let now = self.sources.iter().rfind(|(since, _)| *since <= at);
        now.is_some_and(|&(_, source)| source == node)
    }

    /// The positions of the stream that a data packet takes.
    fn range(&self, body: &Body) -> Option<Range<u64>> {
        match body {
            Body::TcpData(segment) => {
                let start = segment.seq.expand(self.iss, self.highest)?;
                Some(start..start + segment.span())
            }
            &Body::WtcpForward(wtcp::Carried(wtcp::Packet::Data(data))) => {
                Some(data.rel_seq..data.end()?)
            }
            &Body::QuicForward(quic::Carried(quic::Packet::Data(data))) => {
                Some(data.offset..data.end())
            }
            _ => None,
        }
    }

    fn record(&mut self, quantity: &'static str, point: (f64, f64)) {
        match self.series.iter_mut().find(|(known, _)| *known == quantity) {
            Some((_, points)) => points.push(point),
            None => self.series.push((quantity, vec![point])),
        }
    }
}

impl Observer for Segments<'_> {
    fn on_offer(&mut self, offer: &Offer<'_>) {
        let packet = offer.packet;
        if offer.at >= self.spec.duration || packet.is_copy() {
            return;
        }
        let index = packet.flow as usize;
        let flow = &mut self.flows[index];
        let Some(range) = flow.range(&packet.body) else {
            return;
        };
        let payload = range.start.saturating_sub(flow.before) as f64;
        let point = (offer.at.as_secs_f64(), payload);
        if flow.begins_at(offer.at, self.spec.links[offer.link].from) {
            let again = range.end <= flow.highest;
            flow.highest = flow.highest.max(range.end);
            flow.record(if again { RESENT } else { SENT }, point);
        }
        let queue = &self.spec.links[offer.link].config.queue;
        let told = Remark::of(offer, queue).find_map(quantity);
        if let Some(quantity) = told.filter(|_| !packet.is_corrupt()) {
            flow.record(quantity, point);
        }
    }
}
