//! First in, first out: all decisions fall when a packet arrives (tail drop, RED, step marking).

use super::QueueConfig;
use super::{Arrival, Frame, Frames, Gone};
use crate::link::DropCause;
use crate::link::queue::{Admission, Verdict};
use crate::rng::Stream;
use crate::time::Time;
use crate::units::{Backlog, Rate};

/// A first-in first-out queue.
#[derive(Clone, Debug)]
pub(crate) struct Fifo {
    admission: Admission,
    frames: Frames,
}

impl Fifo {
    pub(super) fn new(config: QueueConfig, rate: Rate, stream: Stream) -> Self {
        Self {
            admission: Admission::new(config, rate, stream),
            frames: Frames::default(),
        }
    }

    pub(super) fn offer(&mut self, arrival: Arrival, _gone: &mut Gone) -> Option<DropCause> {
        let Arrival {
            now,
            must_wait,
            waiting,
            mut frame,
        } = arrival;
        let verdict = self
            .admission
            .judges(now, must_wait, waiting, frame.tag.size(), frame.ecn);
        if let Verdict::Drop(cause) = verdict {
            return Some(cause);
        }
        frame.marked = verdict == Verdict::Mark;
        self.frames.push(frame);
        None
    }

    pub(super) fn take(&mut self, _now: Time, _gone: &mut Gone) -> Option<Frame> {
        self.frames.pop()
    }

    pub(super) fn withdraw(&mut self, id: u32) {
        self.frames.withdraw(id);
    }

    pub(super) fn waiting(&self) -> Backlog {
        self.frames.totals()
    }

    pub(super) fn idle_from(&mut self, end: Time) {
        self.admission.idle_from(end);
    }
}
