//! Why a transfer was not faster: what it waited for, a verdict, remarkable moments.
//!
//! Time is divided by what held the sender up in each hundredth of a second, as its capture shows it; the verdict follows from
//! the shares, from the kinds of the losses, and from what was sent again in vain.

mod events;
mod link;
mod states;
mod verdict;

pub use events::{Event, EventKind};
pub use states::{Shares, State};
pub use verdict::Verdict;
pub(crate) use verdict::is_deep;

use crate::fit::path::{Loss, PathFit};
use crate::transfer::{Cause, Fate, Sent, Transfer};
use link::Link;

/// Probabilities of the quantiles of round trips in [`Numbers::rtt_s`]: 5th percentile, median, 95th percentile.
pub const QUANTILES: [f64; 3] = [0.05, 0.5, 0.95];

/// Reasons why a transfer was not faster.
#[derive(Clone, Debug)]
pub struct Why {
    /// Cause that held the transfer up the most.
    pub verdict: Verdict,
    /// The verdict in a sentence, with its numbers.
    pub sentence: String,
    /// Shares of the transfer's time by what held it up.
    pub shares: Shares,
    /// Up to three kinds of remarkable moments, those that took the longest first.
    pub events: Vec<Event>,
    /// Number of retransmissions by cause, an entry for each of [`Cause::ALL`].
    pub again: Vec<(Cause, usize)>,
    /// Counts of lost transmissions, by cause.
    pub losses: Losses,
    /// Goodput, round trips and counts of the transfer.
    pub numbers: Numbers,
}

/// Counts of a transfer's lost transmissions, by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Lost transmissions in all.
    pub all: usize,
    /// Losses by a full or managed queue, or by a policer; 0 without a fitted path.
    pub congestive: usize,
    /// Losses by the channel; 0 without a fitted path.
    pub random: usize,
    /// Number of loss episodes: losses within a round trip count as one, as they cut a congestion window once.
    pub episodes: usize,
    /// Number of loss episodes in which more losses were the channel's than congestive; 0 without a fitted path.
    pub random_episodes: usize,
}

impl Losses {
    /// Whether the causes of the losses are known, of one at least.
    pub fn are_told(&self) -> bool {
        self.congestive + self.random > 0
    }
}

/// Goodput, round trips and counts of a transfer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Numbers {
    /// Goodput: payload bits a second, from the connection's first packet to the last data packet or acknowledgement.
    pub goodput_bps: f64,
    /// Least round trip, seconds; `None` if nothing tells it, as in a capture at the receiver.
    pub base_s: Option<f64>,
    /// Quantiles of the round trips, at [`QUANTILES`], seconds; `None` if nothing tells them.
    pub rtt_s: Option<[f64; 3]>,
    /// Number of segments sent, retransmissions included.
    pub sent: usize,
    /// Retransmissions.
    pub again: usize,
}

/// Reasons why `transfer` was not faster. `path` is the path that was fitted to it, if any: it tells which losses were
/// the channel's, and whether a policer dropped packets.
pub fn why(transfer: &Transfer, path: Option<&PathFit>) -> Why {
    // At the receiver answers come at once, whatever the path.
    let link = Link::of(transfer, path).filter(|_| transfer.is_near_sender);
    let shares = link
        .as_ref()
        .map_or_else(Shares::default, |link| states::shares(transfer, link));
    let again: Vec<(Cause, usize)> = Cause::ALL
        .iter()
        .map(|&(cause, _)| {
            let of_it = |sent: &&Sent| sent.again == Some(cause);
            (cause, transfer.sent.iter().filter(of_it).count())
        })
        .collect();
    let rtt_s = link.as_ref().map_or(0.0, |link| link.rtt_s);
    let losses = losses(transfer, path, rtt_s);
    let numbers = numbers(transfer, link.as_ref(), &again);
    let facts = verdict::Facts {
        transfer,
        path,
        link: link.as_ref(),
        shares: &shares,
        again: &again,
        losses,
        numbers: &numbers,
    };
    let (verdict, sentence) = facts.verdict();
    Why {
        verdict,
        sentence,
        events: link.map_or_else(Vec::new, |link| events::events(transfer, &link)),
        shares,
        again,
        losses,
        numbers,
    }
}

fn losses(transfer: &Transfer, path: Option<&PathFit>, rtt_s: f64) -> Losses {
    let mut losses = Losses::default();
    let kinds = path.map_or(&[][..], |path| &path.kinds);
    let kinds = kinds.iter().copied().chain(std::iter::repeat(None));
    // Of an episode: when it ends, and losses of the channel less those of the queue.
    let mut until_s = 0.0;
    let mut excess = 0_i64;
    let lost = |(sent, _): &(&Sent, Option<Loss>)| sent.fate == Fate::Lost;
    for (sent, kind) in transfer.sent.iter().zip(kinds).filter(lost) {
        if losses.all == 0 || sent.at_s() > until_s {
            losses.random_episodes += usize::from(excess > 0);
            losses.episodes += 1;
            until_s = sent.at_s() + rtt_s;
            excess = 0;
        }
        losses.all += 1;
        match kind {
            Some(Loss::Congestive) => {
                losses.congestive += 1;
                excess -= 1;
            }
            Some(Loss::Random) => {
                losses.random += 1;
                excess += 1;
            }
            None => {}
        }
    }
    losses.random_episodes += usize::from(excess > 0);
    losses
}

fn numbers(transfer: &Transfer, link: Option<&Link>, again: &[(Cause, usize)]) -> Numbers {
    let seconds = transfer.bins.span_s();
    Numbers {
        goodput_bps: if seconds > 0.0 {
            transfer.delivered as f64 * 8.0 / seconds
        } else {
            0.0
        },
        base_s: link.map(|link| link.base_s),
        rtt_s: link.map(|link| QUANTILES.map(|share| link.rtt_quantile_s(share))),
        sent: transfer.sent.len(),
        again: again.iter().map(|(_, count)| count).sum(),
    }
}

#[cfg(test)]
mod tests;
