//! The far side's buffer of a link that delivers in order.

use std::collections::{BTreeMap, VecDeque};

use super::Settled;
use crate::link::Fate;
use crate::time::Time;

/// Packets that wait for one before them.
#[derive(Clone, Debug, Default)]
pub(super) struct InOrder {
    /// The first packet that is neither delivered nor given up.
    next: u64,
    /// Packets after it by number, and since when the far side knows of them; `None` for one that
    /// is given up.
    waiting: BTreeMap<u64, (Time, Option<Settled>)>,
    /// The latest delivery.
    last: Time,
}

impl InOrder {
    /// Packet `number` arrives as `settled` says: tells `out` of all that can be delivered now.
    pub(super) fn take(&mut self, number: u64, settled: Settled, out: &mut VecDeque<Settled>) {
        let Fate::Arrives { at, .. } = settled.fate else {
            return;
        };
        self.waiting.insert(number, (at, Some(settled)));
        self.release(out);
    }

    /// Packet `number` will never come; the far side learns that at `at`.
    pub(super) fn skip(&mut self, number: u64, at: Time, out: &mut VecDeque<Settled>) {
        self.waiting.insert(number, (at, None));
        self.release(out);
    }

    fn release(&mut self, out: &mut VecDeque<Settled>) {
        while let Some(entry) = self.waiting.first_entry()
            && *entry.key() == self.next
        {
            let (known, settled) = entry.remove();
            self.next += 1;
            self.last = self.last.max(known);
            if let Some(mut settled) = settled {
                if let Fate::Arrives { at, .. } = &mut settled.fate {
                    *at = self.last;
                }
                out.push_back(settled);
            }
        }
    }
}
