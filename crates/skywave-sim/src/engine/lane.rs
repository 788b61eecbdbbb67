//! A link, the packets that wait for its decision, and the record of its queue.

use skywave_core::Time;
use skywave_core::link::{Fate, Link};

use super::inbox::Inbox;
use super::plan::Slack;
use crate::measure::Recorder;
use crate::outcome::LinkOutcome;
use crate::spec::{LinkSpec, Spec};

pub(crate) struct Lane {
    link: Link,
    /// Where packets from several feeders are put in order; `None` for a link that follows.
    pub(crate) inbox: Option<Box<Inbox>>,
    queue_series: Option<Box<Recorder>>,
}

impl Lane {
    /// A link with its random streams named, measuring over the window.
    pub(crate) fn new(spec: &LinkSpec, slack: Option<Slack>, run: &Spec) -> Self {
        let name = format!("link.{}", spec.name);
        let mut link = Link::new(spec.config.clone(), run.seed, &name);
        link.measure(run.measure.0, run.measure.1);
        Self {
            link,
            inbox: slack.map(|s| Box::new(Inbox::new(s.slack, s.hold))),
            queue_series: run
                .series
                .then(|| Box::new(Recorder::new(&spec.name, &["queue"]))),
        }
    }

    /// Offers a packet to the link, and records the queue before and after.
    #[inline(always)]
    pub(crate) fn send(&mut self, at: Time, size: u32) -> Fate {
        if self.queue_series.is_some() {
            return self.send_and_record(at, size);
        }
        self.link.send(at, size)
    }

    #[cold]
    #[inline(never)]
    fn send_and_record(&mut self, at: Time, size: u32) -> Fate {
        self.record_departures(at);
        let fate = self.link.send(at, size);
        let waiting = self.link.queue_len(at);
        if let Some(recorder) = &mut self.queue_series {
            recorder.record(0, at, f64::from(waiting));
        }
        fate
    }

    /// Records the packets that have left the queue since the last one was offered.
    fn record_departures(&mut self, now: Time) {
        let Some(recorder) = &mut self.queue_series else {
            return;
        };
        let waiting = self.link.leaving().count();
        let left = self.link.leaving().take_while(|&at| at <= now);
        for (gone, at) in left.enumerate() {
            recorder.record(0, at, (waiting - gone - 1) as f64);
        }
    }

    /// What was measured, at the end of the run.
    pub(crate) fn outcome(&mut self, name: &str, end: Time) -> LinkOutcome {
        self.record_departures(end);
        let measured = self.link.finish(end);
        LinkOutcome {
            name: name.to_owned(),
            utilisation: measured.utilisation,
            queue_mean_packets: measured.queue_mean_packets,
            offered: measured.offered,
            queue_drops: measured.queue_drops,
            channel_drops: measured.channel_drops,
            blackout_drops: measured.blackout_drops,
            corrupted: measured.corrupted,
        }
    }

    pub(crate) fn into_recorder(self) -> Option<Recorder> {
        self.queue_series.map(|recorder| *recorder)
    }
}
