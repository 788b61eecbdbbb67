//! Copies of a packet in a radio network.
//!
//! When a frame arrives but its ACK does not, its sender still has the packet: if it gives it up and
//! finds another way, the packet is there twice. So copies are counted.

use skywave_core::Duration;
use skywave_core::packet::ContentionDelay;

use super::Leaves;
use crate::losses::LossCause;

/// Counts of copies, by the number of the packet among all under way.
#[derive(Debug, Default)]
pub(super) struct Copies {
    counts: Vec<Count>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    alive: u32,
    arrived: bool,
    /// How long stations contended for the channel, on the way of the copy that came farthest.
    contention: ContentionDelay,
    /// Why the copy that was lost last was lost.
    lost: Option<LossCause>,
}

/// State of a packet after one of its copies has gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Released {
    /// No other copy of the packet is under way.
    pub(crate) last: bool,
    /// A copy has arrived before.
    pub(crate) arrived: bool,
    /// Time for which stations contended for the channel, on the way of the copy that came farthest.
    pub(crate) contention: ContentionDelay,
}

impl Copies {
    /// A packet enters.
    pub(super) fn enter(&mut self, id: u32) {
        let id = id as usize;
        if self.counts.len() <= id {
            self.counts.resize(id + 1, Count::default());
        }
        self.counts[id] = Count {
            alive: 1,
            ..Count::default()
        };
    }

    /// A station has received a packet from another, which contended for the channel for
    /// `contention` to send it, and still has it too.
    pub(super) fn copy(&mut self, id: u32, contention: Duration) {
        let count = &mut self.counts[id as usize];
        count.alive += 1;
        count.contention = count.contention.plus(contention);
    }

    /// A station no longer keeps its copy, as the next station has one, or had.
    pub(super) fn forget(&mut self, id: u32) -> Option<Leaves> {
        let Released { last, arrived, .. } = self.release(id);
        last.then(|| {
            if arrived {
                return Leaves::Gone { id };
            }
            let lost = self.counts[id as usize].lost;
            let cause = lost.expect("the other copies were lost");
            Leaves::Lost { id, cause }
        })
    }

    /// A copy is lost. If no other copy arrives, the packet counts as lost for the cause of the
    /// copy that was lost last.
    pub(super) fn lose(&mut self, id: u32, cause: LossCause) -> Option<Leaves> {
        self.counts[id as usize].lost = Some(cause);
        self.forget(id)
    }

    fn release(&mut self, id: u32) -> Released {
        let count = &mut self.counts[id as usize];
        count.alive -= 1;
        Released {
            last: count.alive == 0,
            arrived: count.arrived,
            contention: count.contention,
        }
    }

    /// A copy has come to the end of its way.
    pub(super) fn arrive(&mut self, id: u32) -> Released {
        let released = self.release(id);
        self.counts[id as usize].arrived = true;
        released
    }
}
