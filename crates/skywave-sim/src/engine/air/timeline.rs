//! The activities of each station in a window of time.

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
    /// Next activity of the station and when it begins, if nothing happens before.
    then: Option<(Time, Activity)>,
    spans: Vec<Span>,
}

impl Timeline {
    pub(super) fn new(window: (Time, Time), stations: usize) -> Self {
        let track = Track {
            since: Time::ZERO,
            activity: Activity::Idle,
            then: None,
            spans: Vec::new(),
        };
        Self {
            window,
            stations: vec![track; stations],
        }
    }

    /// From `now` on a station has this activity, and from the time in `then` on the one there, if
    /// nothing happens before.
    pub(super) fn note(
        &mut self,
        now: Time,
        station: usize,
        activity: Activity,
        then: Option<(Time, Activity)>,
    ) {
        let track = &mut self.stations[station];
        track.pass(now, self.window);
        track.change(now, activity, self.window);
        track.then = then;
    }

    /// The activities of each station, one after the other.
    pub(super) fn finish(mut self) -> Vec<Vec<Span>> {
        let end = self.window.1;
        for track in &mut self.stations {
            track.pass(end, self.window);
            track.close(end, self.window);
        }
        self.stations.into_iter().map(|track| track.spans).collect()
    }
}

impl Track {
    /// Begins the activity that was announced in `then`, if its time has come.
    fn pass(&mut self, now: Time, window: (Time, Time)) {
        if let Some((at, activity)) = self.then.take_if(|(at, _)| *at <= now) {
            self.change(at, activity, window);
        }
    }

    fn change(&mut self, now: Time, activity: Activity, window: (Time, Time)) {
        if self.activity != activity {
            self.close(now, window);
            self.activity = activity;
        }
    }

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
