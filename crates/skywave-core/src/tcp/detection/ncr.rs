//! TCP-NCR (RFC 4653): a loss is reported after about a window's worth of duplicate ACKs, so that
//! reordering has a round trip to show itself.
//!
//! Extended Limited Transmit begins with the first selective ACK and ends with the loss or with the
//! next ACK of new data. During it new segments replace those that have arrived: one a duplicate ACK
//! (aggressive) or one every two (careful). DupThresh follows what is outstanding. An ACK of new data
//! says that nothing was lost: the threshold goes back to what was in flight before, the window to
//! what is outstanding and one segment, against bursts. (By the letter, so in slow start too, where
//! that lowers the threshold.)
//!
//! Without selective ACKs, and below what was sent at the last fast retransmit or timeout, three
//! duplicate ACKs count as ever; further holes of a recovery go by the DupThresh that began it.

use super::dupacks::Dupacks;
use super::{
    AckFinding, Allowance, Answer, DetectionEvent, Detector, LossDetector, Sending,
    limited_transmit,
};
use crate::parameter::{Configuration, Kind, Named, names};
use crate::tcp::flight::Flight;
use crate::tcp::slot::{Base, BuiltIn, Field, OwnPreset, Setup};
use crate::tcp::window::{LossEvent, MIN_SSTHRESH, Window};
use crate::time::Time;
use crate::units::Segments;

names! {
    /// How much TCP-NCR sends while it waits (RFC 4653, Extended Limited Transmit).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum NcrTransmit {
        /// A new segment for every two that arrive; DupThresh is two thirds of what is outstanding.
        Careful = "careful",
        /// A new segment for each one that arrives; DupThresh is half of what is outstanding.
        Aggressive = "aggressive",
    }
}

impl Configuration for NcrTransmit {
    const DEFAULT: NcrTransmit = NcrTransmit::Careful;
    const FIELDS: &'static [Field<NcrTransmit>] = &[Field::new(
        Kind::OneOf(NcrTransmit::NAMES),
        "transmit",
        "New segments while it waits: one for every two that arrive, or one for each",
        |transmit: &mut NcrTransmit| transmit,
    )
    .by_value()];
}

impl BuiltIn for Ncr {
    type Config = NcrTransmit;
    type State = Box<Self>;
    const NAME: &'static str = "ncr";
    const SUMMARY: &'static str = "about a window's worth of duplicate ACKs (transmit)";
    const SOURCE: &'static str = "RFC 4653";
    const PRESETS: &'static [OwnPreset<NcrTransmit>] = &[
        OwnPreset {
            name: "ncr-careful",
            summary: "SACK that waits a window of duplicate ACKs, at half the rate",
            source: Self::SOURCE,
            base: Base::Sack,
            config: NcrTransmit::Careful,
        },
        OwnPreset {
            name: "ncr-aggressive",
            summary: "SACK that waits a window of duplicate ACKs, at the full rate",
            source: Self::SOURCE,
            base: Base::Sack,
            config: NcrTransmit::Aggressive,
        },
    ];

    fn build(transmit: &NcrTransmit, _setup: &Setup) -> Box<Self> {
        Box::new(Self::new(*transmit))
    }
}

impl Detector for Ncr {
    const NEEDS_SACK: bool = true;
}

/// Loss detector TCP-NCR (RFC 4653), state of one sender: it waits for about a window's worth of duplicate
/// ACKs, as segments may only be reordered.
#[derive(Clone, Copy, Debug)]
pub struct Ncr {
    transmit: NcrTransmit,
    ordinary: Dupacks,
    extended: Option<Extended>,
    /// The last ACK of new data reported nothing above it: the next report begins something new.
    in_order: bool,
    /// End of what was sent.
    sent: u64,
    /// End of what was sent at the last fast retransmit or timeout.
    recover: u64,
    /// DupThresh of the recovery that goes on: it stays as it was at the beginning (section 3.4).
    held: Option<u32>,
}

/// Extended Limited Transmit, in bytes.
#[derive(Clone, Copy, Debug)]
struct Extended {
    mss: u32,
    /// FlightSizePrev: in flight when it began (step I.1).
    flight_before: u64,
    una: u64,
    pipe: u64,
    /// Bytes that must arrive without making room, so that only every second segment makes room
    /// (I.2).
    skipped: u64,
}

impl Extended {
    fn segments_before(&self) -> Segments {
        Segments::from_bytes(self.flight_before, self.mss)
    }
}

impl Ncr {
    /// TCP-NCR detector of a sender that has sent nothing yet.
    pub fn new(transmit: NcrTransmit) -> Self {
        Self {
            transmit,
            ordinary: Dupacks(3),
            extended: None,
            in_order: true,
            sent: 0,
            recover: 0,
            held: None,
        }
    }

    /// An ACK with selective information: the beginning (section 3.1) or step E.1. By DupThresh no
    /// hole counts as lost before the first one does, so `pipe` lacks only what has arrived.
    fn hear(&mut self, event: &DetectionEvent) {
        let flight = event.flight;
        let may_begin = self.in_order && flight.una() >= self.recover;
        self.in_order = false;
        if self.extended.is_none() && may_begin {
            self.extended = Some(Extended {
                mss: event.mss,
                flight_before: flight.in_flight(),
                una: flight.una(),
                pipe: 0,
                skipped: 0,
            });
        }
        if let Some(extended) = &mut self.extended {
            extended.una = flight.una();
            extended.pipe = flight.pipe();
        }
    }

    /// DupThresh (steps I.3 and E.6): a share of what is outstanding, such that a loss is found when
    /// as much was sent as was in flight before.
    #[inline(never)] // few connections come here, and many ask for a threshold
    fn dup_thresh(&self, extended: &Extended) -> u32 {
        let flight = self.sent - extended.una;
        let mss = u64::from(extended.mss);
        let share = match self.transmit {
            NcrTransmit::Careful => (2 * flight).div_ceil(3 * mss),
            NcrTransmit::Aggressive => flight.div_ceil(2 * mss),
        };
        u32::try_from(share).map_or(u32::MAX, |n| n.max(self.ordinary.0))
    }

    /// Steps T.1 and T.2. A threshold is two segments at least (RFC 5681 equation 4), which also keeps
    /// the window from falling below one where segments are short.
    fn window_after_reordering(&self, event: &DetectionEvent) -> Option<Window> {
        let before = self.extended.as_ref()?.segments_before().max(MIN_SSTHRESH);
        let outstanding = Segments::from_bytes(event.flight.in_flight(), event.mss);
        Some(Window {
            cwnd: (outstanding + Segments::ONE).min(before),
            ssthresh: before,
        })
    }
}

impl LossDetector for Ncr {
    fn on_dupack(&mut self, event: &DetectionEvent) -> bool {
        let lost = match &self.extended {
            Some(extended) => event.dupacks >= self.dup_thresh(extended),
            None => self.ordinary.on_dupack(event),
        };
        if !lost && event.flight.sacked_bytes() > 0 {
            self.hear(event);
        }
        lost
    }

    /// Nothing was lost: the end (section 3.2), and with more holes the next beginning (step T.4).
    fn on_new_ack(&mut self, event: &DetectionEvent) -> AckFinding {
        let window = self.window_after_reordering(event);
        let finding = window.map_or(AckFinding::Nothing, AckFinding::Reordered);
        if event.flight.una() >= self.recover {
            self.held = None;
        }
        if event.flight.sacked_bytes() == 0 {
            self.extended = None;
            self.in_order = true;
            return finding;
        }
        if let Some(extended) = &mut self.extended {
            extended.skipped = 0;
        }
        self.hear(event);
        finding
    }

    fn on_sent(&mut self, _now: Time, flight: &Flight, _start: u64, _sending: Sending) {
        let new = flight.max() - self.sent;
        self.sent += new;
        if let Some(extended) = &mut self.extended {
            // Steps E.3 and E.4.
            extended.pipe += new;
            if self.transmit == NcrTransmit::Careful {
                extended.skipped += new;
            }
        }
    }

    /// Section 3.4: what Extended Limited Transmit has added does not count.
    fn on_retransmit(&mut self, flight: &Flight, loss: &mut LossEvent) -> Answer {
        self.held = Some(self.threshold());
        if let Some(extended) = self.extended.take() {
            loss.measure_by(extended.segments_before());
        }
        self.recover = flight.max();
        Answer::default()
    }

    fn on_timeout(&mut self, _flight: &Flight) {
        self.held = None;
        self.extended = None;
        self.recover = self.sent;
    }

    fn threshold(&self) -> u32 {
        match &self.extended {
            Some(extended) => self.dup_thresh(extended),
            None => self.held.unwrap_or(self.ordinary.0),
        }
    }

    /// Step E.2.
    fn limited_transmit(&self, dupacks: u32) -> Allowance {
        let Some(extended) = &self.extended else {
            return limited_transmit(dupacks, self.ordinary.0);
        };
        let mss = u64::from(extended.mss);
        let room = extended.pipe + extended.skipped + mss <= extended.flight_before;
        Allowance::Until(self.sent + if room { mss } else { 0 })
    }
}
