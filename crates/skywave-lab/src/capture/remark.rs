//! Remarks on packets, which captures have in comments.

use skywave_core::Time;
use skywave_core::link::{DropCause, Fate};
use skywave_sim::observe::Offer;

/// A comment on a captured packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Remark {
    /// Dropped by a full queue.
    LostQueue,
    /// Dropped early by the queue.
    LostEarly,
    /// Lost by a loss model of the channel.
    LostChannel,
    /// Lost in a blackout.
    LostBlackout,
    /// Never leaves: the link has a rate of zero.
    NeverSent,
    /// Arrives damaged.
    Damaged,
    /// Had been damaged before it came to this link.
    DamagedBefore,
    /// Arrives twice.
    Duplicated,
    /// Is the second copy that a link before made.
    Copy,
    /// Was transmitted more than once by the link.
    Retransmitted,
}

/// Every remark with its text.
const TEXTS: [(Remark, &str); 10] = [
    (Remark::LostQueue, "lost: queue full"),
    (Remark::LostEarly, "lost: early drop (RED)"),
    (Remark::LostChannel, "lost: channel error"),
    (Remark::LostBlackout, "lost: blackout"),
    (Remark::NeverSent, "lost: the link sends nothing"),
    (Remark::Damaged, "damaged by the channel"),
    (Remark::DamagedBefore, "damaged by a link before this one"),
    (Remark::Duplicated, "duplicated by the channel"),
    (Remark::Copy, "copy made by a link before this one"),
    (Remark::Retransmitted, "retransmitted by the link"),
];

impl Remark {
    /// Its text in a capture.
    pub fn text(self) -> &'static str {
        let found = TEXTS.iter().find(|(remark, _)| *remark == self);
        found.map_or("", |(_, text)| text)
    }

    /// The remark with this text.
    pub fn parse(text: &str) -> Option<Self> {
        let found = TEXTS.iter().find(|(_, known)| *known == text);
        found.map(|(remark, _)| *remark)
    }

    /// Why the packet does not reach the other side whole, if it does not.
    pub fn is_loss(self) -> bool {
        !matches!(self, Self::Duplicated | Self::Copy | Self::Retransmitted)
    }

    /// Why a link drops a packet.
    pub(super) fn of_drop(cause: DropCause) -> Self {
        match cause {
            DropCause::Queue => Self::LostQueue,
            DropCause::Early => Self::LostEarly,
            DropCause::Channel => Self::LostChannel,
            DropCause::Blackout => Self::LostBlackout,
        }
    }

    /// The remarks on a packet, in the order in which they came about.
    pub(super) fn of(offer: &Offer<'_>) -> impl Iterator<Item = Self> + use<> {
        let packet = offer.packet;
        let (lost, duplicated) = match offer.fate {
            Fate::Dropped(cause) => (Some(Self::of_drop(cause)), false),
            Fate::Arrives { at: Time::MAX, .. } => (Some(Self::NeverSent), false),
            Fate::Arrives {
                corrupt, duplicate, ..
            } => (corrupt.then_some(Self::Damaged), duplicate),
        };
        let all = [
            packet.is_copy().then_some(Self::Copy),
            packet.is_corrupt().then_some(Self::DamagedBefore),
            (offer.transmissions > 1).then_some(Self::Retransmitted),
            lost,
            duplicated.then_some(Self::Duplicated),
        ];
        all.into_iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_read_back() {
        for (remark, text) in TEXTS {
            assert_eq!(remark.text(), text);
            assert_eq!(Remark::parse(text), Some(remark));
        }
        assert_eq!(Remark::parse("lost: luggage"), None);
    }
}
