//! A link, the packets that wait for its decision, and the record of its queue.

use skywave_core::Time;
use skywave_core::link::{Fate, Link, Measured};

use super::arq::ArqLane;
use super::inbox::Inbox;
use super::plan::Slack;
use crate::measure::Recorder;
use crate::outcome::LinkOutcome;
use crate::spec::{LinkSpec, Spec};

pub(crate) struct Lane {
    carrier: Carrier,
    /// Where packets from several feeders are put in order; `None` for a link that follows.
    pub(crate) inbox: Option<Box<Inbox>>,
    pub(super) queue_series: Option<Box<Recorder>>,
}

#[expect(
    clippy::large_enum_variant,
    reason = "nearly all are plain links, and lie side by side"
)]
enum Carrier {
    Link(Link),
    Arq(Box<ArqLane>),
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
            queue_series: run
                .series
                .then(|| Box::new(Recorder::new(&spec.name, &["queue"]))),
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

    /// Offers a packet to the link, and records the queue before and after.
    #[inline(always)]
    pub(crate) fn send(&mut self, at: Time, size: u32) -> Fate {
        if self.queue_series.is_some() {
            return self.send_and_record(at, size);
        }
        self.link().send(at, size)
    }

    #[cold]
    #[inline(never)]
    fn send_and_record(&mut self, at: Time, size: u32) -> Fate {
        self.record_departures(at);
        let link = self.link();
        let fate = link.send(at, size);
        let waiting = link.queue_len(at);
        if let Some(recorder) = &mut self.queue_series {
            recorder.record(0, at, f64::from(waiting));
        }
        fate
    }

    /// Records the packets that have left the queue since the last one was offered.
    fn record_departures(&mut self, now: Time) {
        let (Some(recorder), Carrier::Link(link)) = (&mut self.queue_series, &self.carrier) else {
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
        LinkOutcome {
            name: name.to_owned(),
            utilisation: measured.utilisation,
            queue_mean_packets: measured.queue_mean_packets,
            offered: measured.offered,
            queue_drops: measured.queue_drops,
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
        self.queue_series.map(|recorder| *recorder)
    }
}
