//! The error queue of a socket: notes of buffers that are free again (`MSG_ZEROCOPY`), and of when bytes were sent and
//! acknowledged (`SO_TIMESTAMPING`).

use std::collections::VecDeque;

use skywave_core::time::Time;

/// A note that `recvmsg` with `MSG_ERRQUEUE` tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Note {
    /// The buffers of these calls, from the first to the last by their numbers, are free.
    Free { first: u64, last: u64 },
    /// A byte has come so far.
    Stamp {
        stage: &'static str,
        at: Time,
        byte: u64,
    },
}

/// Stages of a byte's way that are noted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stamps {
    pub(crate) scheduled: bool,
    pub(crate) sent: bool,
    pub(crate) acknowledged: bool,
    /// The byte from which the others are counted.
    pub(crate) from: u64,
}

/// A call whose last byte is on its way.
#[derive(Clone, Copy, Debug)]
struct Awaited {
    /// First position after its bytes.
    end: u64,
    /// Number of the call, if its buffers are noted when they are free.
    number: Option<u64>,
    /// Stages of its last byte are noted.
    stamped: bool,
    /// The last byte was sent.
    sent: bool,
}

/// Notes, and what they are awaited of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    told: VecDeque<Note>,
    awaited: VecDeque<Awaited>,
    /// The number of the next call with `MSG_ZEROCOPY`.
    next: u64,
    pub(crate) stamps: Stamps,
}

impl Notes {
    pub(crate) fn is_empty(&self) -> bool {
        self.told.is_empty()
    }

    pub(crate) fn take(&mut self) -> Option<Note> {
        self.told.pop_front()
    }

    /// A call has written bytes up to the position `end`.
    pub(crate) fn on_written(&mut self, end: u64, zerocopy: bool) {
        let Stamps {
            scheduled,
            sent,
            acknowledged,
            ..
        } = self.stamps;
        let stamped = scheduled || sent || acknowledged;
        if !zerocopy && !stamped {
            return;
        }
        let number = zerocopy.then_some(self.next);
        self.next += u64::from(zerocopy);
        self.awaited.push_back(Awaited {
            end,
            number,
            stamped,
            sent: false,
        });
    }

    /// Bytes below `sent` were sent, those below `acknowledged` acknowledged. Returns whether there are new notes.
    pub(crate) fn on_progress(&mut self, now: Time, sent: u64, acknowledged: u64) -> bool {
        let mut news = false;
        let stamps = self.stamps;
        for call in &mut self.awaited {
            if call.end <= sent && !std::mem::replace(&mut call.sent, true) && call.stamped {
                let wanted = [
                    ("SCM_TSTAMP_SCHED", stamps.scheduled),
                    ("SCM_TSTAMP_SND", stamps.sent),
                ];
                for (stage, _) in wanted.iter().filter(|(_, on)| *on) {
                    let byte = call.end - 1 - stamps.from;
                    let at = now;
                    self.told.push_back(Note::Stamp { stage, at, byte });
                    news = true;
                }
            }
        }
        while let Some(call) = self.awaited.front().copied() {
            if call.end > acknowledged {
                break;
            }
            self.awaited.pop_front();
            if call.stamped && stamps.acknowledged {
                self.told.push_back(Note::Stamp {
                    stage: "SCM_TSTAMP_ACK",
                    at: now,
                    byte: call.end - 1 - stamps.from,
                });
                news = true;
            }
            if let Some(number) = call.number {
                self.note_free(number);
                news = true;
            }
        }
        news
    }

    /// Adds a call to the last note if that is of the call before it.
    fn note_free(&mut self, number: u64) {
        match self.told.back_mut() {
            Some(Note::Free { last, .. }) if *last + 1 == number => *last = number,
            _ => self.told.push_back(Note::Free {
                first: number,
                last: number,
            }),
        }
    }
}
