//! Samples of the rate at which data is delivered (draft-cheng-iccrg-delivery-rate-estimation;
//! draft-ietf-ccwg-bbr section 4.1), as Linux takes them in `tcp_rate.c`.
//!
//! Each segment in flight keeps a snapshot of what had been delivered when it was last sent. The ACK
//! that reports the segment then tells what was delivered since, and in what time. The snapshots lie
//! in a ring of their own, numbered as the segments are: a sender that needs none has none.

use std::collections::VecDeque;

use crate::ring::Ring;
use crate::time::{Duration, Offset, Time};
use crate::units::Rate;

/// Delivery-rate sample of one ACK. It measures the segment sent last among those that the ACK is the first to report:
/// the *sampled segment*.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateSample {
    /// Bytes delivered since the sampled segment was sent.
    pub delivered: u64,
    /// The longer of the times that the sending and the acknowledging of the [delivered](Self::delivered)
    /// bytes took.
    pub interval: Duration,
    /// Time that the sending of the delivered bytes took; zero if it is not known.
    pub send_elapsed: Duration,
    /// Bytes that had been delivered on the connection when the sampled segment was sent. A round trip ends with the
    /// first sample in which this is at least the `total_delivered` of the round's start.
    pub prior_delivered: u64,
    /// Bytes delivered on the connection until now.
    pub total_delivered: u64,
    /// Bytes in flight when the sampled segment was sent, itself included.
    pub flight_at_send: u64,
    /// Bytes in flight before this ACK.
    pub flight_before: u64,
    /// Bytes in flight after this ACK.
    pub flight_now: u64,
    /// Bytes that were found lost between the sending of the sampled segment and now.
    pub lost: u64,
    /// Round trip of the sampled segment; `None` if that was sent again, or if the connection
    /// [stood still](super::Flight::stand_still) meanwhile.
    pub rtt: Option<Duration>,
    /// Whether the sampled segment was sent [application-limited](super::Flight::is_app_limited), or the connection
    /// [stood still](super::Flight::stand_still) meanwhile: the path may carry more than the sample says.
    pub app_limited: bool,
    /// Reading of the receiver's clock, since its zero, when it sent this ACK; `None` without timestamps. In the
    /// simulator's QUIC: arrival, by that clock, of the last packet of which the receiver has told the arrival since
    /// the previous ACK; `None` if it has told of none. The sampler leaves it `None`: the sender that takes the ACK
    /// fills it in.
    pub receiver_time: Option<Offset>,
    /// Whether the interval is shorter than the smallest round trip, as happens after reneging or compressed ACKs: the
    /// sample then says nothing about the path.
    pub too_short: bool,
    /// Whether the sampled segment was sent again, and reported sooner after that than the smallest round trip: an
    /// earlier copy arrived (RFC 8985 section 6.2), and no round trip began at `prior_delivered`.
    pub of_original: bool,
}

impl RateSample {
    /// Rate at which the path delivered, [`Self::delivered`] per [`Self::interval`]; `None` if the sample is too short
    /// to tell one.
    pub fn rate(&self) -> Option<Rate> {
        if self.too_short {
            return None;
        }
        Rate::of(self.delivered, self.interval)
    }
}

/// A lost segment, and the state of the path around its loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LossSample {
    /// Position of the segment's first byte, in bytes from the initial sequence number.
    pub start: u64,
    /// Position after the segment's last byte, in bytes from the initial sequence number.
    pub end: u64,
    /// Bytes in flight when the segment was last sent, itself included.
    pub flight_at_send: u64,
    /// Bytes found lost since the segment was last sent, itself included.
    pub lost: u64,
    /// Bytes delivered on the connection until the segment was found lost.
    pub total_delivered: u64,
    /// When the segment was last sent.
    pub sent_at: Time,
    /// Whether the segment had been sent before `sent_at`.
    pub resent: bool,
    /// Whether the segment was last sent [application-limited](super::Flight::is_app_limited), or the connection
    /// [stood still](super::Flight::stand_still) meanwhile.
    pub app_limited: bool,
}

/// The connection when a segment was last sent.
#[derive(Clone, Copy, Debug)]
struct Snapshot {
    sent: Time,
    delivered: u64,
    delivered_at: Time,
    first_sent: Time,
    lost: u64,
    flight: u32,
    app_limited: bool,
    resent: bool,
    /// The connection stood still since then.
    untimed: bool,
}

/// Takes the samples of one connection.
#[derive(Clone, Debug, Default)]
pub(crate) struct RateSampler {
    snapshots: Ring<Snapshot>,
    /// Bytes delivered (C.delivered), and when the last of them were (C.delivered_time).
    delivered: u64,
    delivered_at: Time,
    /// When the segment was sent that was acknowledged last (C.first_send_time).
    first_sent: Time,
    /// The value of `delivered` once everything has arrived that was sent while the application had
    /// too little; zero while it has enough (C.app_limited).
    app_limited: u64,
    /// The segment sent last among those that the present ACK reports.
    newest: Option<Snapshot>,
    /// Bytes in flight before the present ACK.
    flight_before: u64,
    /// Losses that nobody has asked for yet; `None` for a law that asks for none.
    losses: Option<VecDeque<LossSample>>,
}

impl RateSampler {
    /// For a connection whose next segment is number `number`.
    pub(crate) fn starting_with(number: u64) -> Self {
        Self {
            snapshots: Ring::starting_with(number),
            ..Self::default()
        }
    }

    /// Keeps samples of losses from now on.
    pub(crate) fn keep_losses(&mut self) {
        self.losses = Some(VecDeque::new());
    }

    pub(crate) fn keeps_losses(&self) -> bool {
        self.losses.is_some()
    }

    /// Segment `number`, which lies from `start` to `end`, is found lost; `lost` bytes were so far, its own
    /// included.
    pub(crate) fn on_lost(&mut self, number: u64, start: u64, end: u64, lost: u64) {
        if let Some(losses) = &mut self.losses
            && let Some(snapshot) = self.snapshots.numbered(number)
        {
            losses.push_back(LossSample {
                start,
                end,
                flight_at_send: u64::from(snapshot.flight),
                lost: lost - snapshot.lost,
                total_delivered: self.delivered,
                sent_at: snapshot.sent,
                resent: snapshot.resent,
                app_limited: snapshot.app_limited,
            });
        }
    }

    /// The next loss that nobody has asked for.
    pub(crate) fn poll_loss(&mut self) -> Option<LossSample> {
        self.losses.as_mut()?.pop_front()
    }

    /// Segment `number` is sent at `now`, for the first time if it is the next one. `flight` bytes are
    /// in the network, those of the segment included, and `lost` were found lost so far; `idle` if
    /// nothing was in the network before.
    pub(crate) fn on_sent(&mut self, number: u64, now: Time, flight: u64, lost: u64, idle: bool) {
        if idle {
            self.first_sent = now;
            self.delivered_at = now;
        }
        let snapshot = Snapshot {
            sent: now,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent: self.first_sent,
            lost,
            flight: u32::try_from(flight).unwrap_or(u32::MAX),
            app_limited: self.app_limited > 0,
            resent: false,
            untimed: false,
        };
        match self.snapshots.numbered_mut(number) {
            Some(place) => {
                *place = Snapshot {
                    resent: true,
                    ..snapshot
                }
            }
            None => self.snapshots.push_back(snapshot),
        }
    }

    /// An ACK comes while `flight` bytes are in the network.
    pub(crate) fn begin_ack(&mut self, flight: u64) {
        self.flight_before = flight;
    }

    /// Segment `number` of `len` bytes is reported by the ACK that came at `now`, for the first time.
    pub(crate) fn on_delivered(&mut self, number: u64, len: u64, now: Time) {
        self.delivered += len;
        self.delivered_at = now;
        let Some(&snapshot) = self.snapshots.numbered(number) else {
            return;
        };
        let later = |newest: Snapshot| {
            (snapshot.delivered, snapshot.sent) >= (newest.delivered, newest.sent)
        };
        if self.newest.is_none_or(later) {
            self.newest = Some(snapshot);
        }
    }

    /// The ACK that came at `now` reports these bytes of a segment for the first time, and not all of it: they have
    /// been delivered, and the sample of the segment follows with its rest.
    pub(crate) fn on_part_delivered(&mut self, bytes: u64, now: Time) {
        self.delivered += bytes;
        self.delivered_at = now;
    }

    /// Segments below `number` are acknowledged: nobody will ask for their snapshots again.
    pub(crate) fn forget_below(&mut self, number: u64) {
        while self.snapshots.first_number() < number && !self.snapshots.is_empty() {
            self.snapshots.pop_front();
        }
    }

    /// The present ACK is taken: its sample, if it reported anything. `min_rtt` is the smallest round
    /// trip seen; `flight` bytes are in the network now; `lost` as in [`Self::on_sent`].
    pub(crate) fn sample(
        &mut self,
        min_rtt: Duration,
        flight: u64,
        lost: u64,
    ) -> Option<RateSample> {
        if self.app_limited > 0 && self.delivered > self.app_limited {
            self.app_limited = 0;
        }
        let newest = self.newest.take()?;
        self.first_sent = newest.sent;
        let send_elapsed = newest.sent.since(newest.first_sent);
        let ack_elapsed = self.delivered_at.since(newest.delivered_at);
        let interval = send_elapsed.max(ack_elapsed);
        let took = self.delivered_at.since(newest.sent);
        Some(RateSample {
            delivered: self.delivered - newest.delivered,
            interval,
            send_elapsed,
            prior_delivered: newest.delivered,
            total_delivered: self.delivered,
            flight_at_send: u64::from(newest.flight),
            flight_before: self.flight_before,
            flight_now: flight,
            lost: lost - newest.lost,
            rtt: (!newest.resent && !newest.untimed).then_some(took),
            app_limited: newest.app_limited,
            receiver_time: None,
            too_short: interval < min_rtt,
            of_original: newest.resent && took < min_rtt,
        })
    }

    /// The connection stands still, with `flight` bytes in the network: how long it takes until these are acknowledged
    /// says nothing of the path.
    pub(crate) fn stand_still(&mut self, flight: u64) {
        for snapshot in self.snapshots.iter_mut() {
            snapshot.untimed = true;
            snapshot.app_limited = true;
        }
        self.on_app_limited(flight);
    }

    /// Segments sent now carry samples that say less than the path carries.
    pub(crate) fn is_app_limited(&self) -> bool {
        self.app_limited > 0
    }

    /// The application has nothing to send although there is room, with `flight` bytes in the network.
    pub(crate) fn on_app_limited(&mut self, flight: u64) {
        self.app_limited = (self.delivered + flight).max(1);
    }
}
