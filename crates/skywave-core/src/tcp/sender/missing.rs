//! How a sender answers a receiver that names the segments that have not come (Long et al., as in Francis 2012, section
//! 3.2.3): it sends those again, and nothing else.
//!
//! Open in the text, and decided here: the window law answers once a window of data, as for a fast retransmit; a segment
//! that was sent again is not sent once more before an answer can have come, a smoothed round trip later.

use super::Sender;
use crate::packet::{SackBlock, Segment};
use crate::tcp::limits::Why;
use crate::tcp::undo::CutBy;
use crate::tcp::window::LossCause;
use crate::time::Time;

impl Sender {
    /// An acceptable ACK names a segment that has not come. It is no duplicate ACK.
    #[cold]
    pub(super) fn on_missing(
        &mut self,
        now: Time,
        ack: u64,
        segment: &Segment,
        missing: SackBlock,
    ) {
        if ack > self.flight.una() {
            self.on_new_ack(now, ack, segment, 0);
        } else {
            self.look_and_act(now);
        }
        let (iss, una) = (self.config.iss, self.flight.una());
        let (start, end) = (missing.start.expand(iss, una), missing.end.expand(iss, una));
        if let (Some(start), Some(end)) = (start, end) {
            self.send_missing(now, start.max(una), end.min(self.flight.nxt()));
        }
        if self.undoes {
            self.look_for_mistake(now, ack, segment);
        }
    }

    /// Marks the segments between two positions to be sent again.
    fn send_missing(&mut self, now: Time, start: u64, end: u64) {
        let round_trip = self.rto.srtt().unwrap_or_else(|| self.rto.rto());
        let mut at = start;
        while at < end
            && let Some(sent) = self.flight.at(at)
        {
            let waits = sent.transmissions > 1 && now.since(sent.last_sent) < round_trip;
            if !sent.lost && !sent.sacked && !waits {
                if self.recover.is_none_or(|recover| sent.start >= recover) {
                    self.answer_missing(now, sent.last_sent, sent.transmissions);
                }
                self.flight.mark_missing(at);
                self.found = Some(Why::Notice);
            }
            at = sent.end;
        }
    }

    /// The law answers the first of them in a window of data.
    fn answer_missing(&mut self, now: Time, sent_at: Time, transmissions: u32) {
        self.count_fast_retransmit();
        self.note_cut(CutBy::Loss);
        let event = self.loss_event(now, LossCause::Sack, sent_at, transmissions);
        let response = self.cut_for(&event);
        self.window.apply(response);
        self.recover = Some(self.flight.max());
        self.timed = None;
        self.restart_timer(now);
    }
}
