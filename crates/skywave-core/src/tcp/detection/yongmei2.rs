//! Mechanism 2 of Yongmei et al. (2009, as in Francis 2012, section 3.1.3): the delay tells losses by congestion from
//! others, and the size of segments follows the others.
//!
//! - When three duplicate ACKs show a loss, the sender compares the round trip with a threshold. Below it the loss is no
//!   congestion: the segment is sent again, and the window stays. Otherwise the window law answers, and the threshold is
//!   computed anew.
//! - If such losses are frequent, segments become shorter, which are damaged less often and cost less to send again; if
//!   they are rare, longer, for fewer headers.
//!
//! Open in the text, and decided here:
//! - the round trip is the latest sample; the threshold lies halfway from the smallest one to the largest one so far,
//!   the knee in which Non-Congestion Packet Loss Detection puts it; before the first one each loss is congestion;
//! - of each 100 new segments those count that were sent again without a cut: more than ten halve the segment, not below
//!   128 bytes, and fewer than two double it again, up to the full size (`resize`).

use super::{AckFinding, Answer, DetectionEvent, Detector, Dupacks, LossDetector, Sending};
use crate::parameter::parameters;
use crate::tcp::flight::Flight;
use crate::tcp::rtt_range::RttRange;
use crate::tcp::slot::{Base, BuiltIn, OwnPreset, Setup};
use crate::tcp::window::LossEvent;
use crate::time::{Duration, Time};

parameters! {
    /// Parameter of the loss detector of Yongmei et al. (2009, mechanism 2).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Yongmei2Config {
        /// Halve segments, to 128 bytes at least, where losses without congestion are frequent.
        resize: bool = true, Flag;
    }
}

/// Loss detector of Yongmei et al. (2009, mechanism 2), state of one sender: a loss at a short round trip is
/// no congestion, and many such losses make segments shorter.
#[derive(Clone, Copy, Debug)]
pub struct Yongmei2 {
    ordinary: Dupacks,
    latest: Duration,
    range: RttRange,
    threshold: Option<Duration>,
    size: Option<SegmentSize>,
    /// The loss that is being repaired was no congestion.
    noise: bool,
}

impl BuiltIn for Yongmei2 {
    type Config = Yongmei2Config;
    type State = Box<Self>;
    const NAME: &'static str = "yongmei-2";
    const SUMMARY: &'static str = "three duplicate ACKs; no cut below a threshold of delay, shorter segments if many are lost so (resize)";
    const SOURCE: &'static str = "Yongmei et al. 2009, in Francis 2012, section 3.1.3";
    const PRESETS: &'static [OwnPreset<Yongmei2Config>] = &[OwnPreset {
        name: "yongmei-2",
        summary: "NewReno that cuts for losses at long delays only, and sizes segments by the others",
        source: Self::SOURCE,
        base: Base::NewReno,
        config: Self::DEFAULT,
    }];

    fn build(config: &Yongmei2Config, setup: &Setup) -> Box<Self> {
        Box::new(Self {
            ordinary: Dupacks(3),
            latest: Duration::ZERO,
            range: RttRange::default(),
            threshold: None,
            size: config.resize.then(|| SegmentSize::new(setup.mss)),
            noise: false,
        })
    }
}

impl Detector for Yongmei2 {}

impl LossDetector for Yongmei2 {
    fn on_dupack(&mut self, event: &DetectionEvent) -> bool {
        self.ordinary.on_dupack(event)
    }

    fn on_new_ack(&mut self, event: &DetectionEvent) -> AckFinding {
        if let Some(rtt) = event.segment_rtt {
            self.latest = rtt;
            self.range.take(rtt);
        }
        AckFinding::Nothing
    }

    fn on_retransmit(&mut self, _flight: &Flight, _loss: &mut LossEvent) -> Answer {
        self.noise = self.threshold.is_some_and(|limit| self.latest < limit);
        if !self.noise
            && let Some((least, width)) = self.range.least_and_width()
        {
            self.threshold = Some(least + width / 2);
        }
        Answer {
            is_noise: self.noise,
            ..Answer::default()
        }
    }

    fn on_timeout(&mut self, _flight: &Flight) {
        self.noise = false;
    }

    fn on_sent(&mut self, _now: Time, _flight: &Flight, _start: u64, sending: Sending) {
        let Some(size) = &mut self.size else {
            return;
        };
        match sending {
            Sending::New => size.on_new(),
            Sending::Repair if self.noise => size.lost += 1,
            _ => {}
        }
    }

    fn segment_len(&self, mss: u32) -> u32 {
        self.size.map_or(mss, |size| size.len)
    }

    fn threshold(&self) -> u32 {
        self.ordinary.0
    }
}

/// The payload of new segments.
#[derive(Clone, Copy, Debug)]
struct SegmentSize {
    len: u32,
    full: u32,
    /// New segments since it was last judged, and those sent again without a cut.
    sent: u32,
    lost: u32,
}

impl SegmentSize {
    /// New segments a judgement.
    const ROUND: u32 = 100;
    /// No segment is made shorter than this.
    const LEAST: u32 = 128;

    fn new(full: u32) -> Self {
        Self {
            len: full,
            full,
            sent: 0,
            lost: 0,
        }
    }

    fn on_new(&mut self) {
        self.sent += 1;
        if self.sent < Self::ROUND {
            return;
        }
        if self.lost > Self::ROUND / 10 {
            self.len = (self.len / 2).max(Self::LEAST.min(self.full));
        } else if self.lost < Self::ROUND / 50 {
            self.len = (self.len * 2).min(self.full);
        }
        (self.sent, self.lost) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The size after a round of segments of 1000 bytes, where `lost` of them were lost without congestion.
    fn after(size: u32, lost: u32) -> u32 {
        let mut size = SegmentSize {
            len: size,
            ..SegmentSize::new(1000)
        };
        size.lost = lost;
        for _ in 0..SegmentSize::ROUND - 1 {
            size.on_new();
        }
        let before = size.len;
        size.on_new();
        assert_eq!((size.sent, size.lost), (0, 0));
        assert_eq!(
            before,
            size.full.min(before),
            "not before the round is over"
        );
        size.len
    }

    #[test]
    fn more_than_a_tenth_halve_and_less_than_a_fiftieth_double() {
        assert_eq!(
            [11, 10, 2, 1].map(|lost| after(500, lost)),
            [250, 500, 500, 1000]
        );
        assert_eq!((after(200, 50), after(1000, 0)), (128, 1000));
    }
}
