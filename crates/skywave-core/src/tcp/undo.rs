//! Undo: a sender that finds that it has sent again what was not lost takes its window cut back.
//!
//! Two signs tell it, each of which can be switched on alone:
//!
//! - **Eifel detection** (RFC 3522): the first ACK of new data after a retransmission echoes a timestamp
//!   from before the retransmission, so that it answers the original.
//! - **D-SACK** (RFC 3708, Linux): the receiver reports each segment that was sent again as a duplicate.
//!
//! The window and the threshold are then what they were before the cut, if they are smaller (Linux; RFC 4015
//! restores less of the window after a timeout). What still counts as lost does not any more.

use super::window::Window;
use crate::time::Time;

/// What a sender takes as a sign that a loss was none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct UndoConfig {
    /// An echo from before the retransmission (RFC 3522); needs timestamps.
    pub eifel: bool,
    /// Reports of duplicates for all that was sent again (RFC 3708); needs D-SACK.
    pub dsack: bool,
}

impl UndoConfig {
    /// Whether anything is looked for.
    pub(super) fn is_on(self) -> bool {
        self.eifel || self.dsack
    }
}

/// Looks for signs that the latest cut was wrong.
#[derive(Clone, Debug)]
pub(super) struct Undo {
    config: UndoConfig,
    episode: Option<Episode>,
}

/// A cut, and the repair that came with it.
#[derive(Clone, Debug)]
struct Episode {
    /// The window before the cut.
    before: Window,
    /// Everything in flight at the cut lies between these positions.
    una: u64,
    max: u64,
    /// When the first segment was sent again.
    repaired_at: Option<Time>,
    /// Segments sent again and not reported as duplicates yet.
    unconfirmed: u32,
    /// New data was acknowledged since the first retransmission: Eifel has had its look.
    answered: bool,
}

/// What an ACK says that matters here.
#[derive(Clone, Copy, Debug)]
pub(super) struct Signs {
    /// Position up to which everything is acknowledged now.
    pub(super) una: u64,
    /// The timestamp that the ACK echoes.
    pub(super) echo: Option<Time>,
    /// Data that the receiver reports to have got twice: start and end.
    pub(super) duplicate: Option<(u64, u64)>,
}

impl Undo {
    /// `None` where nothing is ever taken back.
    pub(super) fn new(config: UndoConfig) -> Option<Self> {
        config.is_on().then_some(Self {
            config,
            episode: None,
        })
    }

    /// The window is about to be cut from `before`, with data from `una` to `max` outstanding. A timeout
    /// during a repair goes on with what was before that.
    pub(super) fn on_cut(&mut self, before: Window, una: u64, max: u64) {
        let pending = self.episode.take().filter(|episode| una < episode.max);
        let before = pending.map_or(before, |episode| episode.before);
        self.episode = Some(Episode {
            before,
            una,
            max,
            repaired_at: None,
            unconfirmed: 0,
            answered: false,
        });
    }

    /// A segment is sent again.
    pub(super) fn on_sent_again(&mut self, now: Time) {
        if let Some(episode) = &mut self.episode {
            episode.repaired_at.get_or_insert(now);
            episode.unconfirmed += 1;
        }
    }

    /// An ACK came: the window from before the cut, if the cut was wrong. The episode is then over.
    pub(super) fn judges(&mut self, signs: Signs) -> Option<Window> {
        let episode = self.episode.as_mut()?;
        let repaired_at = episode.repaired_at?;
        let is_first = signs.una > episode.una && !episode.answered;
        let is_old = |echo: Time| echo < repaired_at;
        let mut spurious = self.config.eifel && is_first && signs.echo.is_some_and(is_old);
        episode.answered |= is_first;
        if let Some((start, end)) = signs.duplicate
            && self.config.dsack
            && start >= episode.una
            && end <= episode.max
            && episode.unconfirmed > 0
        {
            episode.unconfirmed -= 1;
            spurious |= episode.unconfirmed == 0;
        }
        if !spurious {
            return None;
        }
        self.episode.take().map(|episode| episode.before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::testing::window;
    use crate::time::Duration;

    const ALL: UndoConfig = UndoConfig {
        eifel: true,
        dsack: true,
    };

    fn ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    /// Segments of 1000 bytes from 0 to 10,000 are in flight; the first is sent again at 500 ms.
    fn cut(config: UndoConfig) -> Undo {
        let mut undo = Undo::new(config).expect("a sign");
        undo.on_cut(window(10.0, 20.0), 0, 10_000);
        undo.on_sent_again(ms(500));
        undo
    }

    fn signs(una: u64, echo: u64) -> Signs {
        Signs {
            una,
            echo: Some(ms(echo)),
            duplicate: None,
        }
    }

    fn reports(start: u64) -> Signs {
        Signs {
            duplicate: Some((start, start + 1000)),
            ..signs(0, 600)
        }
    }

    #[test]
    fn an_echo_from_before_the_retransmission_takes_the_cut_back() {
        let mut undo = cut(ALL);
        assert_eq!(undo.judges(signs(1000, 499)), Some(window(10.0, 20.0)));
        // Once.
        assert_eq!(undo.judges(signs(2000, 499)), None);
    }

    #[test]
    fn an_echo_of_the_retransmission_confirms_the_loss() {
        let mut undo = cut(ALL);
        assert_eq!(undo.judges(signs(1000, 500)), None);
        // Only the first ACK of new data counts: later ones may echo segments that were sent before.
        assert_eq!(undo.judges(signs(5000, 400)), None);
    }

    #[test]
    fn duplicate_acks_say_nothing() {
        let mut undo = cut(ALL);
        assert_eq!(undo.judges(signs(0, 400)), None);
        assert_eq!(undo.judges(signs(1000, 400)), Some(window(10.0, 20.0)));
    }

    #[test]
    fn reports_of_all_that_was_sent_again_take_the_cut_back() {
        let mut undo = cut(ALL);
        undo.on_sent_again(ms(510));
        assert_eq!(undo.judges(reports(0)), None);
        assert_eq!(undo.judges(reports(20_000)), None, "not of this repair");
        assert_eq!(undo.judges(reports(1000)), Some(window(10.0, 20.0)));
    }

    #[test]
    fn each_sign_can_be_switched_off() {
        let mut undo = cut(UndoConfig {
            eifel: false,
            ..ALL
        });
        assert_eq!(undo.judges(signs(1000, 499)), None);
        let mut undo = cut(UndoConfig {
            dsack: false,
            ..ALL
        });
        assert_eq!(undo.judges(reports(0)), None);
        assert!(Undo::new(UndoConfig::default()).is_none());
    }

    #[test]
    fn a_timeout_during_a_repair_restores_what_was_before_the_repair() {
        let mut undo = cut(ALL);
        undo.on_cut(window(5.0, 5.0), 0, 10_000);
        undo.on_sent_again(ms(900));
        assert_eq!(undo.judges(signs(1000, 899)), Some(window(10.0, 20.0)));
        // A cut in another window of data has nothing to do with it.
        let mut undo = cut(ALL);
        undo.on_cut(window(5.0, 5.0), 10_000, 15_000);
        undo.on_sent_again(ms(900));
        assert_eq!(undo.judges(signs(11_000, 899)), Some(window(5.0, 5.0)));
    }
}
