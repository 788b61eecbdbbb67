//! F-RTO (RFC 5682): after a timeout, new data asks whether the rest of the flight was lost.
//!
//! | | with SACK (section 3.1) | without (section 2.1) |
//! |---|---|---|
//! | 1: the timer expires | the oldest segment is sent again | the same |
//! | 2: the first ACK of new data | two new segments are sent, whatever the window says | the same |
//! | 2: a duplicate ACK before that | waits | ends the test |
//! | 3: the next ACK is of new data, or reports some that was sent once before the timeout | the timeout was spurious | the same, without reports |
//! | 3: it is a duplicate | the rest is lost, and sent again with a window of three segments | the same |
//!
//! In step 2 the test ends, and the sender goes back N, if the ACK covers everything that was in flight (it
//! may answer either transmission), if it covers less than what was sent again, or if nothing new may be
//! sent.

use super::Signs;

/// New segments that ask (step 2b).
const NEW_SEGMENTS: u32 = 2;

/// The test after one timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frto {
    una: u64,
    /// End of what the timeout has sent again.
    again: u64,
    step: Step,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// The test waits for the first ACK of new data.
    Waiting,
    /// The test waits for the answer to new data. `held` was reported below the end of the flight before
    /// that was sent; `left` segments may still be sent.
    Asking { held: u64, left: u32 },
}

/// Next move of a sender in the F-RTO test, after an ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// The test goes on.
    Stay,
    /// The test ends without a result: the sender goes on going back N.
    End,
    /// New data is sent.
    SendNew,
    /// The timeout was spurious.
    Spurious,
    /// The flight was lost: it is sent again.
    GoBack,
}

impl Frto {
    /// The timer has expired with everything below `una` acknowledged.
    pub(super) fn new(una: u64) -> Self {
        Self {
            una,
            again: una,
            step: Step::Waiting,
        }
    }

    /// A segment that ends at `end` is sent again.
    pub(super) fn on_sent_again(&mut self, end: u64) {
        self.again = self.again.max(end);
    }

    /// The first ACK of new data has not come.
    pub(super) fn is_waiting(&self) -> bool {
        self.step == Step::Waiting
    }

    /// More new data is to be sent.
    pub(super) fn wants_new_data(&self) -> bool {
        matches!(self.step, Step::Asking { left, .. } if left > 0)
    }

    /// A new segment was sent.
    pub(super) fn on_new_data(&mut self) {
        if let Step::Asking { left, .. } = &mut self.step {
            *left = left.saturating_sub(1);
        }
    }

    /// An ACK came after a timeout at which `max` was the first position never sent.
    pub(super) fn on_ack(
        &mut self,
        signs: Signs,
        max: u64,
        held_below: impl Fn(u64) -> u64,
    ) -> Next {
        let advanced = signs.una > self.una;
        // A report of a duplicate is the answer to what was sent again, and says nothing of the rest.
        let duplicate = !advanced && signs.dupacks && signs.duplicate.is_none();
        match self.step {
            Step::Waiting if advanced => self.ask(signs, max, held_below),
            Step::Waiting if duplicate && !signs.sack => Next::End,
            Step::Asking { .. } if advanced => Next::Spurious,
            Step::Asking { held, .. } if signs.sack && held_below(max) > held => Next::Spurious,
            Step::Asking { .. } if duplicate => Next::GoBack,
            _ => Next::Stay,
        }
    }

    fn ask(&mut self, signs: Signs, max: u64, held_below: impl Fn(u64) -> u64) -> Next {
        if signs.una < self.again || signs.una >= max || !signs.sendable {
            return Next::End;
        }
        self.una = signs.una;
        self.step = Step::Asking {
            held: held_below(max),
            left: NEW_SEGMENTS,
        };
        Next::SendNew
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test's answer to an ACK up to `una`, when segments up to 30 of 100 positions were sent
    /// again.
    fn first_ack(una: u64, sendable: bool) -> Next {
        let mut test = Frto::new(10);
        test.on_sent_again(20);
        test.on_sent_again(30);
        let signs = Signs {
            una,
            echo: None,
            duplicate: None,
            dupacks: false,
            sendable,
            sack: true,
        };
        test.on_ack(signs, 100, |_| 0)
    }

    #[test]
    fn new_data_asks_only_if_the_first_ack_covers_what_was_sent_again_and_not_all() {
        assert_eq!(first_ack(10, true), Next::Stay);
        assert_eq!(first_ack(20, true), Next::End);
        assert_eq!(first_ack(30, true), Next::SendNew);
        assert_eq!(first_ack(99, true), Next::SendNew);
        assert_eq!(first_ack(100, true), Next::End);
        assert_eq!(first_ack(30, false), Next::End, "the window is full");
    }
}
