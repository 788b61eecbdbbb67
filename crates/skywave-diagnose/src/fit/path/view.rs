//! A transfer as the estimators need it: times in seconds, round trips above their base, arrivals in order.

use crate::transfer::{Fate, Sent, Transfer};

/// A segment's arrival, as its answer told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    /// When it was sent, seconds.
    pub(super) sent_s: f64,
    /// When the answer came, seconds.
    pub(super) at_s: f64,
    /// Bytes of the segment from the IP header on.
    pub(super) bytes: f64,
    /// Round trip, if the answer tells it.
    pub(super) rtt_s: Option<f64>,
}

/// Times and arrivals of a transfer, as the estimators ask for them.
#[derive(Clone, Debug)]
pub(super) struct View<'a> {
    pub(super) sent: &'a [Sent],
    /// Arrivals in the order of their answers.
    pub(super) arrivals: Vec<Arrival>,
    /// The least round trip, seconds: of the opening, or of the segments.
    pub(super) base_s: f64,
    /// Bytes of a full segment from the IP header on.
    pub(super) packet: f64,
}

impl<'a> View<'a> {
    /// A view of a transfer; `None` if none of its round trips is known.
    pub(super) fn of(transfer: &'a Transfer) -> Option<Self> {
        let mut arrivals: Vec<Arrival> = transfer
            .sent
            .iter()
            .filter(|sent| matches!(sent.fate, Fate::Delivered | Fate::Timed))
            .filter_map(|sent| {
                Some(Arrival {
                    sent_s: sent.at_s(),
                    at_s: sent.at_s() + sent.answer_after_s()?,
                    bytes: f64::from(sent.bytes),
                    rtt_s: sent.rtt_s(),
                })
            })
            .collect();
        arrivals.sort_by(|a, b| a.at_s.total_cmp(&b.at_s));
        let base_s = transfer.least_rtt_s(&transfer.rtts_us())?;
        Some(Self {
            sent: &transfer.sent,
            arrivals,
            base_s,
            packet: f64::from(transfer.mss + transfer.headers),
        })
    }
}
