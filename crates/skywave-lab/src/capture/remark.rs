//! Remarks on packets, which captures have in comments.

use skywave_core::Time;
use skywave_core::link::{DropCause, Fate, QueueConfig};
use skywave_sim::observe::Offer;

/// Remark on what became of a packet at a link, such as its drop, damage, duplication or delay. Captures of the
/// simulator and the relay have it as the packet's comment, from which it is read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Remark {
    /// Dropped by a full queue.
    LostQueue,
    /// Dropped by the link's active queue management although the queue was not full.
    LostEarly(Dropper),
    /// Dropped by the link's policer, before the queue.
    LostPoliced,
    /// Lost by a loss model of the link's channel.
    LostChannel,
    /// Lost in a blackout of the link.
    LostBlackout,
    /// Lost because the link has a rate of zero, so that the packet never leaves it.
    NeverSent,
    /// Lost by a relay of real packets, or by the system under it: no link dropped the packet.
    LostRelay,
    /// Still under way when it was written to the capture, which ended then or could not wait longer.
    UnderWay,
    /// Damaged by the link's channel, but arrives.
    Damaged,
    /// Damaged already when it came to this link.
    DamagedBefore,
    /// Duplicated by the link's channel: arrives twice.
    Duplicated,
    /// Copy of another packet, which a link before this one made.
    Copy,
    /// Transmitted more than once by the link, which repairs losses itself.
    Retransmitted,
}

/// Kind of active queue management that dropped a packet although the queue was not full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dropper {
    /// Random early detection.
    Red,
    /// CoDel.
    CoDel,
    /// FQ-CoDel.
    FqCoDel,
    /// PIE.
    Pie,
    /// DualPI2.
    DualPi2,
}

impl Dropper {
    /// Kind of dropper that a queue is; `None` if it is none.
    fn of(queue: &QueueConfig) -> Option<Self> {
        Some(match queue {
            QueueConfig::Red(_) => Self::Red,
            QueueConfig::CoDel(_) => Self::CoDel,
            QueueConfig::FqCoDel(_) => Self::FqCoDel,
            QueueConfig::Pie(_) => Self::Pie,
            QueueConfig::DualPi2(_) => Self::DualPi2,
            QueueConfig::DropTail(_) | QueueConfig::Step(_) => return None,
        })
    }
}

/// Every remark with its text.
const TEXTS: [(Remark, &str); 17] = [
    (Remark::LostQueue, "lost: queue full"),
    (Remark::LostEarly(Dropper::Red), "lost: early drop (RED)"),
    (
        Remark::LostEarly(Dropper::CoDel),
        "lost: early drop (CoDel)",
    ),
    (
        Remark::LostEarly(Dropper::FqCoDel),
        "lost: early drop (FQ-CoDel)",
    ),
    (Remark::LostEarly(Dropper::Pie), "lost: early drop (PIE)"),
    (
        Remark::LostEarly(Dropper::DualPi2),
        "lost: early drop (DualPI2)",
    ),
    (Remark::LostPoliced, "lost: policer"),
    (Remark::LostChannel, "lost: channel error"),
    (Remark::LostBlackout, "lost: blackout"),
    (Remark::NeverSent, "lost: the link sends nothing"),
    (Remark::LostRelay, "lost: by the relay, not by a link"),
    (Remark::UnderWay, "under way when this was written"),
    (Remark::Damaged, "damaged by the channel"),
    (Remark::DamagedBefore, "damaged by a link before this one"),
    (Remark::Duplicated, "duplicated by the channel"),
    (Remark::Copy, "copy made by a link before this one"),
    (Remark::Retransmitted, "retransmitted by the link"),
];

impl Remark {
    /// Text of the remark, as a packet's comment in a capture has it.
    pub fn text(self) -> &'static str {
        let found = TEXTS.iter().find(|(remark, _)| *remark == self);
        found.map_or("", |(_, text)| text)
    }

    /// Remark whose text ([`Self::text`]) is a packet's comment in a capture; `None` for any other comment.
    pub fn parse(text: &str) -> Option<Self> {
        let found = TEXTS.iter().find(|(_, known)| *known == text);
        found.map(|(remark, _)| *remark)
    }

    /// Whether a packet with this remark does not reach the other end of the link whole: true if it is lost or damaged.
    pub fn is_loss(self) -> bool {
        !matches!(
            self,
            Self::Duplicated | Self::Copy | Self::Retransmitted | Self::UnderWay
        )
    }

    /// Remark on a packet that a link dropped for `cause`; `queue`, the link's queue, tells which kind of queue made an
    /// early drop.
    pub fn of_drop(cause: DropCause, queue: &QueueConfig) -> Self {
        match cause {
            DropCause::Queue => Self::LostQueue,
            DropCause::Early => Dropper::of(queue).map_or(Self::LostQueue, Self::LostEarly),
            DropCause::Policed => Self::LostPoliced,
            DropCause::Channel => Self::LostChannel,
            DropCause::Blackout => Self::LostBlackout,
        }
    }

    /// The remarks on a packet at a link with this queue, in the order in which they came about.
    pub(super) fn of(offer: &Offer<'_>, queue: &QueueConfig) -> impl Iterator<Item = Self> + use<> {
        let packet = offer.packet;
        let (lost, duplicated) = match offer.fate {
            Fate::Dropped(cause) => (Some(Self::of_drop(cause, queue)), false),
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
