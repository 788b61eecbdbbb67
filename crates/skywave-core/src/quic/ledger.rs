//! The packets that were sent, and which of them are lost (RFC 9002 section 6.1, appendix A.10).

use crate::ranges::{Ranges, Span};
use crate::ring::Ring;
use crate::time::{Duration, Time};

/// A packet that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sent {
    pub(super) at: Time,
    /// Number of the piece of the stream that it carries; `None` for a probe without data.
    pub(super) piece: Option<u64>,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    InFlight,
    Acked,
    /// Found lost; the packet may still arrive late.
    Lost,
}

/// A packet that an ACK reports for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arrived {
    pub(super) number: u64,
    pub(super) sent: Sent,
}

impl Arrived {
    /// Whether the packet had been found lost.
    pub(super) fn was_lost(&self) -> bool {
        self.sent.state == State::Lost
    }
}

/// By what a packet was found lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Threshold {
    /// Later packets arrived.
    Packets,
    /// Time passed.
    Time,
}

/// A packet that was found lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lost {
    pub(super) number: u64,
    pub(super) at: Time,
    pub(super) piece: Option<u64>,
    pub(super) by: Threshold,
}

/// All packets from the oldest one of which anything is still to be learnt, by their number. A number is given
/// once.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    sent: Ring<Sent>,
    /// Numbers of the packets that have arrived.
    acked: Ranges,
    in_flight: u64,
    /// Number of the oldest packet in flight; of the next packet if none is.
    oldest: u64,
    largest_acked: Option<u64>,
    /// When the first packet in flight will count as lost by its age.
    loss_time: Option<Time>,
    last_sent: Time,
    /// Number of packets that were found lost and may arrive late.
    doubtful: u64,
}

impl Ledger {
    /// A packet leaves; its number.
    pub(super) fn push(&mut self, at: Time, piece: Option<u64>) -> u64 {
        let number = self.sent.next_number();
        self.sent.push_back(Sent {
            at,
            piece,
            state: State::InFlight,
        });
        self.in_flight += 1;
        self.last_sent = at;
        number
    }

    /// Packets with these numbers have arrived: adds those to `news` of which that was not known.
    pub(super) fn acknowledge(&mut self, span: Span, news: &mut Vec<Arrived>) {
        let known = self.sent.first_number();
        let span = Span {
            start: span.start.max(known),
            end: span.end.min(self.sent.next_number()),
        };
        if span.start >= span.end {
            return;
        }
        for gap in self.acked.gaps(span) {
            for number in gap.start..gap.end {
                let Some(sent) = self.sent.numbered_mut(number) else {
                    continue;
                };
                news.push(Arrived {
                    number,
                    sent: *sent,
                });
                match sent.state {
                    State::InFlight => self.in_flight -= 1,
                    State::Lost => self.doubtful -= 1,
                    State::Acked => {}
                }
                sent.state = State::Acked;
            }
        }
        self.acked.insert(span);
        self.largest_acked = self.largest_acked.max(Some(span.end - 1));
        self.advance();
    }

    /// Finds the packets that count as lost `now` (appendix A.10), in the order of their numbers.
    pub(super) fn detect(&mut self, now: Time, packets: u64, age: Duration, lost: &mut Vec<Lost>) {
        lost.clear();
        self.loss_time = None;
        let Some(largest) = self.largest_acked else {
            return;
        };
        for number in self.oldest..largest {
            let Some(sent) = self.sent.numbered_mut(number) else {
                continue;
            };
            if sent.state != State::InFlight {
                continue;
            }
            let by = if largest >= number.saturating_add(packets) {
                Threshold::Packets
            } else if now.since(sent.at) >= age {
                Threshold::Time
            } else {
                // Later ones were sent later.
                self.loss_time = self.loss_time.or(Some(sent.at + age));
                continue;
            };
            sent.state = State::Lost;
            self.in_flight -= 1;
            self.doubtful += 1;
            lost.push(Lost {
                number,
                at: sent.at,
                piece: sent.piece,
                by,
            });
        }
        self.advance();
    }

    /// Whether these losses are persistent congestion (section 7.6.2): two of them were sent more than `period`
    /// apart, both after the `first` sample of the round trip, and nothing sent between them has arrived.
    pub(super) fn is_persistent(
        &self,
        lost: &[Lost],
        period: Duration,
        first: Option<Time>,
    ) -> bool {
        let Some(first) = first else {
            return false;
        };
        let mut start: Option<Lost> = None;
        for &packet in lost.iter().filter(|packet| packet.at > first) {
            let run = start.filter(|start| {
                let between = Span {
                    start: start.number + 1,
                    end: packet.number,
                };
                let missing: u64 = self.acked.gaps(between).map(Span::len).sum();
                missing == between.len()
            });
            if run.is_some_and(|start| packet.at.since(start.at) > period) {
                return true;
            }
            start = run.or(Some(packet));
        }
        false
    }

    /// Lost packets that were sent before `limit` will not arrive any more.
    pub(super) fn forget(&mut self, limit: Time) {
        while let Some(sent) = self.sent.front()
            && (sent.state == State::Acked || sent.state == State::Lost && sent.at < limit)
        {
            self.doubtful -= u64::from(sent.state == State::Lost);
            self.sent.pop_front();
        }
        self.acked.remove_below(self.sent.first_number());
    }

    /// Moves `oldest` to the oldest packet in flight.
    fn advance(&mut self) {
        self.oldest = self.oldest.max(self.sent.first_number());
        while let Some(sent) = self.sent.numbered(self.oldest)
            && sent.state != State::InFlight
        {
            self.oldest += 1;
        }
    }

    /// When a packet in flight will count as lost by its age.
    pub(super) fn loss_time(&self) -> Option<Time> {
        self.loss_time
    }

    /// When the latest packet left.
    pub(super) fn last_sent(&self) -> Time {
        self.last_sent
    }

    /// Number of packets in flight.
    pub(super) fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// Number of packets that were found lost and may still arrive.
    pub(super) fn doubtful(&self) -> u64 {
        self.doubtful
    }

    /// Number of the next packet.
    pub(super) fn next(&self) -> u64 {
        self.sent.next_number()
    }

    /// Largest number of a packet that has arrived.
    pub(super) fn largest_acked(&self) -> Option<u64> {
        self.largest_acked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    #[test]
    fn a_lost_packet_may_arrive_until_it_is_forgotten() {
        let mut ledger = Ledger::default();
        for ms in [0, 10, 20, 30, 40] {
            ledger.push(at(ms), None);
        }
        let mut news = Vec::new();
        ledger.acknowledge(Span { start: 4, end: 5 }, &mut news);
        ledger.detect(at(100), 3, Duration::from_secs(1), &mut Vec::new());
        assert_eq!(ledger.doubtful(), 2, "packets 0 and 1");
        ledger.forget(at(10));
        assert_eq!(ledger.doubtful(), 1, "packet 1");
        news.clear();
        ledger.acknowledge(Span { start: 0, end: 2 }, &mut news);
        let late: Vec<_> = news.iter().map(|packet| packet.number).collect();
        assert_eq!((late, ledger.doubtful()), (vec![1], 0));
    }
}
