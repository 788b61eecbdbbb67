//! Knowledge of what the sender of data has heard of the packets that arrived (RFC 9000 section 13.2.4).
//!
//! Each ACK tells all ranges of packet numbers again, in case earlier ones are lost: after a few losses it is twice as
//! long for the rest of the connection, which a thin way back feels. So once a round trip an ACK asks to be
//! acknowledged; later ones leave out what that one told.

use crate::ranges::Span;

/// Ranges for which an ACK asks: fewer are not worth the packet that acknowledges it.
const MANY: usize = 8;
/// ACKs after which one asks again, as the one that asked, or the packet that acknowledged it, may be lost.
const PATIENCE: u32 = 32;

/// Ranges of packet numbers that ACKs need no longer tell.
#[derive(Clone, Debug, Default)]
pub(super) struct Told {
    /// Everything below that has arrived counts as known to the sender of data; what an ACK that asked had no room for,
    /// earlier ones told.
    heard: u64,
    /// The largest number in the first ACK that asked and has not been acknowledged.
    asked: Option<u64>,
    /// The least number that came after that ACK.
    since: u64,
    /// ACKs of many ranges since the latest one that asked.
    acks: u32,
}

impl Told {
    /// The packet of this number came.
    pub(super) fn on_number(&mut self, number: u64) {
        self.heard = self.heard.min(number);
        self.since = self.since.min(number);
    }

    /// Whether an ACK has to tell this range.
    pub(super) fn is_news(&self, range: Span) -> bool {
        range.end > self.heard
    }

    /// Whether the ACK that leaves now, with so many ranges up to the number `largest`, asks to be acknowledged.
    pub(super) fn asks(&mut self, largest: u64, ranges: usize) -> bool {
        if ranges < MANY {
            return false;
        }
        self.acks += 1;
        let asks = self.asked.is_none() || self.acks >= PATIENCE;
        if asks {
            self.acks = 0;
        }
        if self.asked.is_none() {
            self.asked = Some(largest);
            self.since = u64::MAX;
        }
        asks
    }

    /// An ACK that asked, with numbers up to `largest`, has been acknowledged.
    pub(super) fn on_heard(&mut self, largest: u64) {
        if let Some(asked) = self.asked.take_if(|asked| *asked <= largest) {
            self.heard = self.since.min(asked + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether an ACK tells the range of this number alone.
    fn tells(told: &Told, number: u64) -> bool {
        told.is_news(Span {
            start: number,
            end: number + 1,
        })
    }

    #[test]
    fn what_an_acknowledged_ack_told_is_told_no_more() {
        let mut told = Told::default();
        assert!(!told.asks(20, MANY - 1), "one more would be longer");
        assert!(told.asks(20, MANY));
        assert!(tells(&told, 3), "nobody has heard it yet");
        told.on_heard(20);
        assert!(!tells(&told, 20) && tells(&told, 21));
    }

    #[test]
    fn what_comes_late_is_told_though_it_is_below() {
        let mut told = Told::default();
        told.asks(20, MANY);
        told.on_number(7);
        told.on_heard(20);
        assert!(
            tells(&told, 7) && !tells(&told, 6),
            "it came after that ACK"
        );
        told.asks(30, MANY);
        told.on_heard(30);
        told.on_number(12);
        assert!(tells(&told, 12) && !tells(&told, 11), "or after the answer");
    }

    #[test]
    fn one_ack_asks_until_many_have_gone_without_an_answer() {
        let mut told = Told::default();
        let asked: Vec<u64> = (0..70)
            .filter(|&largest| told.asks(largest, MANY))
            .collect();
        assert_eq!(asked, [0, 32, 64]);
        told.on_heard(32);
        assert!(!tells(&told, 0) && tells(&told, 1), "the first is sure");
        assert!(told.asks(70, MANY));
    }
}
