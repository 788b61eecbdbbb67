//! Undo: a sender that finds that it has sent again what was not lost takes its window cut back.
//!
//! Three signs tell it, each of which can be switched on alone:
//!
//! - **Eifel detection** (RFC 3522): the first ACK of new data after a retransmission echoes a timestamp
//!   from before the retransmission, so that it answers the original.
//! - **D-SACK** (RFC 3708): the receiver has reported each segment that was sent again as a duplicate. Reports of
//!   others are duplicates that the network made, and say nothing. (Linux counts those of acknowledged data, too.)
//! - **F-RTO** (RFC 5682): after a timeout the second ACK reports data that was sent once only ([`frto`]).
//!
//! The window and the threshold are then what they were before the cut, if they are smaller (Linux; RFC 4015
//! restores less of the window after a timeout). What still counts as lost does not any more.

mod frto;

use std::collections::VecDeque;

use super::window::Window;
use crate::time::Time;
use frto::{Frto, Next};

/// Signs by which a sender finds that a supposed loss was none, so that it takes its window cut back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct UndoConfig {
    /// Eifel detection: an ACK echoes a timestamp from before the retransmission (RFC 3522); needs timestamps.
    pub eifel: bool,
    /// D-SACK reports that all that was sent again came twice (RFC 3708); needs D-SACK.
    pub dsack: bool,
    /// F-RTO: after a timeout, an ACK reports data that was not sent again (RFC 5682); the sender sends new data to get
    /// such an ACK.
    pub frto: bool,
}

impl UndoConfig {
    /// All signs, as Linux has them.
    pub const ALL: Self = Self {
        eifel: true,
        dsack: true,
        frto: true,
    };

    /// Whether anything is looked for.
    pub(super) fn is_on(self) -> bool {
        self.eifel || self.dsack || self.frto
    }
}

/// Looks for signs that the latest cut was wrong.
#[derive(Clone, Debug)]
pub(super) struct Undo {
    config: UndoConfig,
    episode: Option<Episode>,
    resent: Option<Resent>,
}

/// Resends of this episode, and of those before it whose resends are still on their way.
#[derive(Clone, Copy, Debug)]
struct Resent {
    /// When the first of the resends was sent.
    since: Time,
    /// Position after the last of the resends.
    end: u64,
}

/// A cut, and the repair that came with it.
#[derive(Clone, Debug)]
struct Episode {
    /// The window before the cut.
    before: Window,
    /// Everything in flight at the cut lies between these positions.
    una: u64,
    max: u64,
    /// When the first segment was sent again (RetransmitTS of RFC 3522), or before this episode if such a
    /// resend was still on its way: the first answer may be to that one (Linux's `retrans_stamp`).
    repaired_at: Option<Time>,
    /// Ends of the segments that were sent again and are not reported as duplicates yet.
    unconfirmed: VecDeque<u64>,
    /// Up to here all was acknowledged when the first segment was sent again: an ACK of more is the first answer.
    una_at_repair: u64,
    /// New data was acknowledged since the first retransmission: Eifel has had its look.
    answered: bool,
    /// The test by new data, while it goes on.
    frto: Option<Frto>,
}

/// Why a window is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CutBy {
    /// A loss was found.
    Loss,
    /// The timer expired during a repair.
    TimeoutInRepair,
    /// The timer expired, and nothing was being repaired but what it had found itself.
    Timeout,
}

/// Parts of an ACK that tell whether a cut was wrong.
#[derive(Clone, Copy, Debug)]
pub(super) struct Signs {
    /// Position up to which everything is acknowledged now.
    pub(super) una: u64,
    /// The timestamp that the ACK echoes.
    pub(super) echo: Option<Time>,
    /// Data that the receiver reports to have got twice: start and end.
    pub(super) duplicate: Option<(u64, u64)>,
    /// Duplicate ACKs have come since the last ACK of new data.
    pub(super) dupacks: bool,
    /// New data could be sent if the congestion window let it.
    pub(super) sendable: bool,
    /// The receiver reports what it holds.
    pub(super) sack: bool,
}

/// Action of a sender upon an ACK after a cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Verdict {
    /// No action: the sender goes on as before.
    Nothing,
    /// The cut was wrong: the window is again what it was before.
    TakeBack(Window),
    /// The sender sends new data instead of more that may be lost, and then looks at the next ACK.
    SendNew,
    /// The outstanding data is lost indeed: it is sent again.
    GoBack,
}

impl Undo {
    /// `None` where nothing is ever taken back.
    pub(super) fn new(config: UndoConfig) -> Option<Self> {
        config.is_on().then_some(Self {
            config,
            episode: None,
            resent: None,
        })
    }

    /// The window is about to be cut from `before`, with data from `una` to `max` outstanding. A timeout
    /// during a repair goes on with what was before that.
    pub(super) fn on_cut(&mut self, by: CutBy, before: Window, una: u64, max: u64) {
        // An answer to a resend of the repair before says nothing about this one's originals.
        self.resent.take_if(|resent| una >= resent.end);
        let pending = self.episode.take().filter(|episode| una < episode.max);
        // Of a repair that goes on nothing can be told by what was sent once, unless the timer has
        // expired again before any answer came.
        let may_test = pending
            .as_ref()
            .is_none_or(|episode| episode.una == una && episode.frto.is_some());
        let tests = self.config.frto && by == CutBy::Timeout && may_test;
        let before = pending.map_or(before, |episode| episode.before);
        self.episode = Some(Episode {
            before,
            una,
            max,
            repaired_at: None,
            unconfirmed: VecDeque::new(),
            una_at_repair: una,
            answered: false,
            frto: tests.then(|| Frto::new(una)),
        });
    }

    /// A segment that ends at `end` is sent again.
    pub(super) fn on_sent_again(&mut self, now: Time, end: u64) {
        let resent = self.resent.get_or_insert(Resent { since: now, end });
        resent.end = resent.end.max(end);
        if let Some(episode) = &mut self.episode {
            episode.repaired_at.get_or_insert(resent.since);
            episode.unconfirmed.push_back(end);
            if let Some(frto) = &mut episode.frto {
                frto.on_sent_again(end);
            }
        }
    }

    /// The first answer after a timeout decides how its test goes on.
    pub(super) fn waits_for_answer(&self) -> bool {
        let frto = self.episode.as_ref().and_then(|e| e.frto.as_ref());
        frto.is_some_and(Frto::is_waiting)
    }

    /// More new data is to be sent whatever the congestion window says.
    pub(super) fn wants_new_data(&self) -> bool {
        let frto = self.episode.as_ref().and_then(|e| e.frto.as_ref());
        frto.is_some_and(Frto::wants_new_data)
    }

    /// A new segment was sent.
    pub(super) fn on_new_data(&mut self) {
        if let Some(frto) = self.episode.as_mut().and_then(|e| e.frto.as_mut()) {
            frto.on_new_data();
        }
    }

    /// An ACK came. `held_below`: how much the receiver reports above the hole that stops its ACKs, below a
    /// position. The episode is over when the cut is taken back.
    pub(super) fn judges(&mut self, signs: Signs, held_below: impl Fn(u64) -> u64) -> Verdict {
        let Some(episode) = self.episode.as_mut() else {
            return Verdict::Nothing;
        };
        let Some(repaired_at) = episode.repaired_at else {
            episode.una_at_repair = signs.una;
            return Verdict::Nothing;
        };
        let is_first = signs.una > episode.una_at_repair && !episode.answered;
        let is_old = |echo: Time| echo < repaired_at;
        let mut spurious = self.config.eifel && is_first && signs.echo.is_some_and(is_old);
        episode.answered |= is_first;
        if let Some((start, end)) = signs.duplicate
            && self.config.dsack
            && start >= episode.una
            && end <= episode.max
            && let Some(place) = episode
                .unconfirmed
                .iter()
                .position(|&e| e > start && e <= end)
        {
            episode.unconfirmed.remove(place);
            spurious |= episode.unconfirmed.is_empty();
        }
        let next = match episode.frto.as_mut().filter(|_| !spurious) {
            Some(frto) => frto.on_ack(signs, episode.max, held_below),
            None => Next::Stay,
        };
        if matches!(next, Next::End | Next::GoBack) {
            episode.frto = None;
        }
        if spurious || next == Next::Spurious {
            let before = episode.before;
            self.episode = None;
            return Verdict::TakeBack(before);
        }
        match next {
            Next::SendNew => Verdict::SendNew,
            Next::GoBack => Verdict::GoBack,
            _ => Verdict::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::testing::window;
    use crate::time::Duration;

    const WITHOUT_FRTO: UndoConfig = UndoConfig {
        frto: false,
        ..UndoConfig::ALL
    };

    fn ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    /// Segments of 1000 bytes from 0 to 10,000 are in flight; the first is sent again at 500 ms.
    fn cut(config: UndoConfig) -> Undo {
        let mut undo = Undo::new(config).expect("a sign");
        undo.on_cut(CutBy::Loss, window(10.0, 20.0), 0, 10_000);
        undo.on_sent_again(ms(500), 1000);
        undo
    }

    fn signs(una: u64, echo: u64) -> Signs {
        Signs {
            una,
            echo: Some(ms(echo)),
            duplicate: None,
            dupacks: false,
            sendable: true,
            sack: false,
        }
    }

    /// The window that an ACK restores.
    fn judges(undo: &mut Undo, signs: Signs) -> Option<Window> {
        match undo.judges(signs, |_| 0) {
            Verdict::TakeBack(window) => Some(window),
            verdict => {
                assert_eq!(verdict, Verdict::Nothing);
                None
            }
        }
    }

    #[test]
    fn an_answer_to_a_resend_of_the_repair_before_is_no_sign() {
        let mut undo = cut(UndoConfig::ALL);
        undo.on_sent_again(ms(520), 6000);
        assert_eq!(judges(&mut undo, signs(5000, 500)), None);
        // Another loss is found while the resend of the segment at 5000 is on its way.
        undo.on_cut(CutBy::Loss, window(7.0, 7.0), 5000, 15_000);
        undo.on_sent_again(ms(600), 9000);
        assert_eq!(judges(&mut undo, signs(6000, 520)), None);
    }

    #[test]
    fn an_answer_to_an_original_is_a_sign_in_a_second_repair_too() {
        let mut undo = cut(UndoConfig::ALL);
        assert_eq!(judges(&mut undo, signs(5000, 500)), None);
        undo.on_cut(CutBy::Loss, window(7.0, 7.0), 5000, 15_000);
        undo.on_sent_again(ms(600), 6000);
        assert!(judges(&mut undo, signs(6000, 550)).is_some());
    }

    fn reports(start: u64) -> Signs {
        Signs {
            duplicate: Some((start, start + 1000)),
            ..signs(0, 600)
        }
    }

    #[test]
    fn an_echo_from_before_the_retransmission_takes_the_cut_back() {
        let mut undo = cut(WITHOUT_FRTO);
        assert_eq!(
            judges(&mut undo, signs(1000, 499)),
            Some(window(10.0, 20.0))
        );
        // Once.
        assert_eq!(judges(&mut undo, signs(2000, 499)), None);
    }

    #[test]
    fn an_echo_of_the_retransmission_confirms_the_loss() {
        let mut undo = cut(WITHOUT_FRTO);
        assert_eq!(judges(&mut undo, signs(1000, 500)), None);
        // Only the first ACK of new data counts: later ones may echo segments that were sent before.
        assert_eq!(judges(&mut undo, signs(5000, 400)), None);
    }

    #[test]
    fn duplicate_acks_say_nothing() {
        let mut undo = cut(WITHOUT_FRTO);
        assert_eq!(judges(&mut undo, signs(0, 400)), None);
        assert_eq!(
            judges(&mut undo, signs(1000, 400)),
            Some(window(10.0, 20.0))
        );
    }

    #[test]
    fn reports_of_all_that_was_sent_again_take_the_cut_back() {
        let mut undo = cut(WITHOUT_FRTO);
        undo.on_sent_again(ms(510), 2000);
        assert_eq!(judges(&mut undo, reports(0)), None);
        assert_eq!(
            judges(&mut undo, reports(20_000)),
            None,
            "not of this repair"
        );
        assert_eq!(judges(&mut undo, reports(1000)), Some(window(10.0, 20.0)));
    }

    #[test]
    fn a_duplicate_that_the_network_made_is_no_sign() {
        let mut undo = cut(WITHOUT_FRTO);
        assert_eq!(judges(&mut undo, reports(3000)), None, "sent once");
        assert_eq!(judges(&mut undo, reports(0)), Some(window(10.0, 20.0)));
    }

    #[test]
    fn the_first_answer_acknowledges_more_than_was_acknowledged_when_the_repair_began() {
        let mut undo = Undo::new(WITHOUT_FRTO).expect("a sign");
        undo.on_cut(CutBy::Loss, window(10.0, 20.0), 0, 10_000);
        assert_eq!(
            judges(&mut undo, signs(1000, 300)),
            None,
            "before the repair"
        );
        undo.on_sent_again(ms(500), 2000);
        assert_eq!(judges(&mut undo, signs(1000, 400)), None, "a duplicate ACK");
        assert_eq!(judges(&mut undo, signs(2000, 500)), None, "the answer");
        assert_eq!(judges(&mut undo, signs(3000, 400)), None, "a later one");
    }

    #[test]
    fn each_sign_can_be_switched_off() {
        let mut undo = cut(UndoConfig {
            eifel: false,
            ..WITHOUT_FRTO
        });
        assert_eq!(judges(&mut undo, signs(1000, 499)), None);
        let mut undo = cut(UndoConfig {
            dsack: false,
            ..WITHOUT_FRTO
        });
        assert_eq!(judges(&mut undo, reports(0)), None);
        assert!(Undo::new(UndoConfig::default()).is_none());
    }

    #[test]
    fn a_timeout_during_a_repair_restores_what_was_before_the_repair() {
        let mut undo = cut(WITHOUT_FRTO);
        undo.on_cut(CutBy::Loss, window(5.0, 5.0), 0, 10_000);
        undo.on_sent_again(ms(900), 1000);
        assert_eq!(
            judges(&mut undo, signs(1000, 499)),
            Some(window(10.0, 20.0))
        );
        // A cut in another window of data has nothing to do with it.
        let mut undo = cut(WITHOUT_FRTO);
        undo.on_cut(CutBy::Loss, window(5.0, 5.0), 10_000, 15_000);
        undo.on_sent_again(ms(900), 1000);
        assert_eq!(
            judges(&mut undo, signs(11_000, 899)),
            Some(window(5.0, 5.0))
        );
    }
}
