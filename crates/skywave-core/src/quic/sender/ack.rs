//! The sender's reaction to an ACK (RFC 9002, appendices A.7, A.10 and B).

use super::Sender;
use super::ack_frequency::Heard;
use crate::quic::ledger::Threshold;
use crate::quic::packet::Ack;
use crate::tcp::limits::Why;
use crate::tcp::window::OneWayDelays;
use crate::time::Time;
use crate::units::Segments;

impl Sender {
    pub(super) fn on_ack(&mut self, now: Time, ack: &Ack) {
        if ack.largest >= self.ledger.next() {
            return; // nonsense: no such packet was sent
        }
        self.limits.hear(now);
        self.limit = self.limit.max(ack.limit);
        let largest_before = self.ledger.largest_acked();
        let mut news = std::mem::take(&mut self.news);
        news.clear();
        for span in ack.spans() {
            self.ledger.acknowledge(span, &mut news);
        }
        let mut late = false;
        for arrived in &news {
            late |= arrived.was_lost();
            if let Some(piece) = arrived.sent.piece {
                self.stream.acknowledged(piece, arrived.was_lost());
            }
        }
        if late && self.ledger.doubtful() == 0 {
            // RFC 9002 has no such rule; libraries have it.
            self.control.on_spurious(now);
        }
        for arrived in &news {
            self.control.on_acked(now, arrived.number);
            self.ack_frequency.on_acked(arrived.number);
        }
        let mut largest_came = None;
        if self.config.receive_times {
            for (number, came) in ack.times() {
                if number == ack.largest {
                    largest_came = Some(came);
                }
                if let Ok(place) = news.binary_search_by_key(&number, |arrived| arrived.number) {
                    self.control
                        .on_one_way(OneWayDelays::of(came.offset_from(news[place].sent.at)));
                    self.control.on_receiver_time(came);
                }
            }
        }
        let newest = news.last().copied();
        self.news = news;
        let Some(newest) = newest else {
            return;
        };
        let is_largest = largest_before.is_none_or(|before| newest.number > before);
        // Only ACKs in the order of their sending tell how many marks are new (RFC 9000 section 13.4.2.1).
        let marked = ack.ce.filter(|_| is_largest).map_or(0, |ce| {
            let new = ce.saturating_sub(self.ce);
            self.ce += new;
            new
        });
        self.control.on_marks(u64::from(marked));
        // Section A.7 looks for losses first, so that an ACK that shows some does not make the window larger. Here
        // the law hears of the end of a recovery period before the next one begins, as noq tells it too.
        self.control.end_acks(now, self.app_limited);
        if is_largest {
            let delay = ack.delay().min(self.ack_frequency.max_ack_delay());
            self.rtt_sample = Some(self.rtt.sample(newest.sent.at, now, delay));
            if let Some(came) = largest_came.filter(|_| self.config.ack_frequency) {
                self.tell_way_back(now, ack, came);
            }
        }
        let window = self.control.in_packets().cwnd;
        if marked > 0 && self.control.on_marked(now, newest.number, newest.sent.at) {
            self.counters.ecn_responses += self.count_cut(window);
        }
        self.find_losses(now, true);
        self.pto_count = 0;
        self.probes = 0;
        // A packet that was sent more than two probe timeouts ago, and found lost, will not be acknowledged any more.
        let patience = self.pto_after(0) * 2;
        self.ledger.forget(now - patience);
    }

    /// Tells the rule of the ACKs' frequency how long this ACK has been on its way; its largest packet came at `came` by the
    /// receiver's clock.
    fn tell_way_back(&mut self, now: Time, ack: &Ack, came: Time) {
        let (Some(smoothed), Some(min_rtt)) = (self.rtt.estimator().srtt(), self.rtt.min()) else {
            return;
        };
        self.ack_frequency.on_ack(&Heard {
            now,
            largest: ack.largest,
            next: self.ledger.next(),
            way_back: now.offset_from(came + ack.delay()),
            smoothed,
            min_rtt,
            cwnd: self.control.in_packets().cwnd,
        });
    }

    /// Packets are lost, by an ACK or by their age.
    pub(super) fn find_losses(&mut self, now: Time, by_ack: bool) {
        let config = self.config.loss;
        let age = self.rtt.loss_delay(&config);
        let mut lost = std::mem::take(&mut self.lost);
        self.ledger
            .detect(now, config.packet_threshold, age, &mut lost);
        // Without backoff: the period is no timer.
        let period = self.pto_after(0) * config.persistent_threshold;
        let persistent = by_ack && self.ledger.is_persistent(&lost, period, self.rtt.first());
        for packet in &lost {
            self.control.on_lost(now, packet.number);
            self.ack_frequency.on_lost(packet.number);
            if let Some(piece) = packet.piece {
                let why = match packet.by {
                    Threshold::Packets => Why::Sack,
                    Threshold::Time => Why::Detector,
                };
                self.stream.lost(piece, why);
            }
        }
        let window = self.control.in_packets().cwnd;
        if self.control.end_losses(now, persistent) {
            self.count_cut(window);
            self.counters.fast_retransmits += 1;
            self.counters.events.fast_retransmit(window);
        }
        if persistent {
            self.rtt.restart_min();
        }
        self.lost = lost;
    }

    /// Counts a cut, if the law's answer is one: the window was `before`. Returns how many.
    fn count_cut(&mut self, before: Segments) -> u64 {
        let cut = u64::from(self.control.in_packets().cwnd < before);
        self.counters.window_cuts += cut;
        cut
    }
}
