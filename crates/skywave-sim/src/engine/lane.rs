//! A link, the packets that wait for its decision, and the record of its queue.

use skywave_core::Time;
use skywave_core::link::{Fate, Limit, Link, Measured, QueueConfig};

use super::arq::ArqLane;
use super::inbox::Inbox;
use super::plan::Slack;
use crate::measure::{Fullness, Recorder};
use crate::outcome::LinkOutcome;
use crate::spec::{LinkSpec, Spec};

pub(crate) struct Lane {
    carrier: Carrier,
    /// Where packets from several feeders are put in order; `None` for a link that follows.
    pub(crate) inbox: Option<Box<Inbox>>,
    watch: Option<Box<Watch>>,
}

#[expect(
    clippy::large_enum_variant,
    reason = "nearly all are plain links, and lie side by side"
)]
enum Carrier {
    Link(Link),
    Arq(Box<ArqLane>),
}

/// What costs time on every packet, and is there on demand only.
struct Watch {
    series: Option<Recorder>,
    fullness: Option<Fullness>,
}

impl Watch {
    fn new(spec: &LinkSpec, run: &Spec) -> Option<Box<Self>> {
        let limit = match spec.config.queue {
            QueueConfig::DropTail(limit) => limit,
            QueueConfig::Red(red) => red.limit,
        };
        let fullness = match limit {
            // A link with ARQ does not know when what waits will leave.
            Limit::Packets(n) if run.details && spec.config.arq.is_none() => {
                Some(Fullness::new(n, run.measure))
            }
            _ => None,
        };
        let series = run.series.then(|| Recorder::new(&spec.name, &["queue"]));
        let wanted = series.is_some() || fullness.is_some();
        wanted.then(|| Box::new(Self { series, fullness }))
    }
}

impl Lane {
    /// A link with its random streams named, measuring over the window.
    pub(crate) fn new(spec: &LinkSpec, slack: Option<Slack>, run: &Spec) -> Self {
        let name = format!("link.{}", spec.name);
        let config = spec.config.clone();
        let carrier = if config.arq.is_some() {
            Carrier::Arq(Box::new(ArqLane::new(config, run, &name)))
        } else {
            let mut link = Link::new(config, run.seed, &name);
            link.measure(run.measure.0, run.measure.1);
            Carrier::Link(link)
        };
        Self {
            carrier,
            inbox: slack.map(|s| Box::new(Inbox::new(s.slack, s.hold))),
            watch: Watch::new(spec, run),
        }
    }

    pub(crate) fn has_arq(&self) -> bool {
        matches!(self.carrier, Carrier::Arq(_))
    }

    /// # Panics
    /// When the link has none.
    pub(super) fn arq(&mut self) -> &mut ArqLane {
        match &mut self.carrier {
            Carrier::Arq(arq) => arq,
            Carrier::Link(_) => unreachable!("asked before"),
        }
    }

    /// # Panics
    /// When the link has ARQ.
    #[inline(always)]
    fn link(&mut self) -> &mut Link {
        match &mut self.carrier {
            Carrier::Link(link) => link,
            Carrier::Arq(_) => unreachable!("a link with ARQ collects its packets"),
        }
    }

    /// Offers a packet to the link, and watches the queue before and after, if asked to.
    #[inline(always)]
    pub(crate) fn send(&mut self, at: Time, size: u32) -> Fate {
        if self.watch.is_some() {
            return self.send_and_watch(at, size);
        }
        self.link().send(at, size)
    }

    #[cold]
    #[inline(never)]
    fn send_and_watch(&mut self, at: Time, size: u32) -> Fate {
        self.record_departures(at);
        let link = self.link();
        let fate = link.send(at, size);
        let waiting = link.queue_len(at);
        if let Some(series) = self.series() {
            series.record(0, at, f64::from(waiting));
        }
        if let (Some(watch), Carrier::Link(link)) = (&mut self.watch, &self.carrier)
            && let Some(fullness) = &mut watch.fullness
        {
            fullness.waiting(at, waiting as usize, link.leaving());
        }
        fate
    }

    /// The record of the queue, when there is one.
    pub(super) fn series(&mut self) -> Option<&mut Recorder> {
        self.watch.as_mut()?.series.as_mut()
    }

    /// Records the packets that have left the queue since the last one was offered.
    fn record_departures(&mut self, now: Time) {
        let (Some(watch), Carrier::Link(link)) = (&mut self.watch, &self.carrier) else {
            return;
        };
        let Some(recorder) = &mut watch.series else {
            return;
        };
        let waiting = link.leaving().count();
        let left = link.leaving().take_while(|&at| at <= now);
        for (gone, at) in left.enumerate() {
            recorder.record(0, at, (waiting - gone - 1) as f64);
        }
    }

    /// What was measured, at the end of the run.
    pub(crate) fn outcome(&mut self, name: &str, end: Time) -> LinkOutcome {
        self.record_departures(end);
        let measured: Measured = match &self.carrier {
            Carrier::Link(link) => link.finish(end),
            Carrier::Arq(arq) => arq.link.finish(end),
        };
        let fullness = self.watch.as_ref().and_then(|w| w.fullness.as_ref());
        LinkOutcome {
            name: name.to_owned(),
            utilisation: measured.utilisation,
            queue_mean_packets: measured.queue_mean_packets,
            offered: measured.offered,
            queue_above_half: fullness.map(|f| f.share(end)),
            queue_drops: measured.queue_drops,
            drop_rate: (measured.offered > 0)
                .then(|| measured.queue_drops as f64 / measured.offered as f64),
            channel_drops: measured.channel_drops,
            blackout_drops: measured.blackout_drops,
            corrupted: measured.corrupted,
            link_retransmits: measured.arq.retransmissions,
            given_up: measured.arq.given_up,
            mean_transmissions: measured.arq.mean_transmissions(),
            fec_repairs: measured.fec_repairs,
        }
    }

    pub(crate) fn into_recorder(self) -> Option<Recorder> {
        self.watch.and_then(|watch| watch.series)
    }
}
