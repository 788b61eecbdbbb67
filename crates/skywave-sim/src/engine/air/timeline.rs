//! What each station does in a window of time.

use skywave_core::Time;

use crate::outcome::{Activity, Span};

/// Records the activities of stations.
#[derive(Debug)]
pub(super) struct Timeline {
    window: (Time, Time),
    stations: Vec<Track>,
}

#[derive(Clone, Debug)]
struct Track {
    since: Time,
    activity: Activity,
    spans: Vec<Span>,
}

impl Timeline {
    pub(super) fn new(window: (Time, Time), stations: usize) -> Self {
        let track = Track {
            since: Time::ZERO,
            activity: Activity::Idle,
            spans: Vec::new(),
        };
        Self {
            window,
            stations: vec![track; stations],
        }
    }

    /// From now on a station does this.
    pub(super) fn note(&mut self, now: Time, station: usize, activity: Activity) {
        let track = &mut self.stations[station];
        if track.activity != activity {
            track.close(now, self.window);
            track.activity = activity;
        }
    }

    /// The activities of each station, one behind the other.
    pub(super) fn finish(mut self, end: Time) -> Vec<Vec<Span>> {
        for track in &mut self.stations {
            track.close(end.max(self.window.1), self.window);
        }
        self.stations.into_iter().map(|track| track.spans).collect()
    }
}

impl Track {
    fn close(&mut self, now: Time, window: (Time, Time)) {
        let (from, to) = (self.since.max(window.0), now.min(window.1));
        if from < to {
            self.spans.push(Span {
                from_s: from.as_secs_f64(),
                to_s: to.as_secs_f64(),
                activity: self.activity,
            });
        }
        self.since = now;
    }
}
