//! The sender's side of a stream: pieces of it, each sent in one packet and, if that is lost, in another one.

use crate::ranges::{Ranges, Span};
use crate::ring::Ring;
use crate::tcp::limits::Why;

/// A piece of the stream. It stays as it was cut when it was first sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// Stream position of its first byte.
    pub(super) start: u64,
    pub(super) len: u16,
    pub(super) fin: bool,
    acked: bool,
    /// Packets in flight that carry it.
    copies: u16,
    /// Why it is to be sent again.
    why: Why,
}

impl Piece {
    /// First stream position after it.
    pub(super) fn end(&self) -> u64 {
        self.start + u64::from(self.len) + u64::from(self.fin)
    }
}

/// The stream from the first byte on that is not known to have arrived.
#[derive(Clone, Debug, Default)]
pub(super) struct Stream {
    pieces: Ring<Piece>,
    /// Numbers of pieces that are to be sent again.
    lost: Ranges,
    /// End of what was sent.
    next: u64,
    /// End of what the application has written.
    written: u64,
    closing: bool,
    fin_sent: bool,
    /// Bytes that are known to have arrived.
    arrived: u64,
}

impl Stream {
    /// The application hands over `bytes` more; `u64::MAX` is data without end.
    pub(super) fn write(&mut self, bytes: u64) {
        if !self.closing {
            self.written = self.written.saturating_add(bytes);
        }
    }

    /// The application has no more data. That of an endless source ends with what has been sent.
    pub(super) fn close(&mut self) {
        if self.written == u64::MAX {
            self.written = self.next;
        }
        self.closing = true;
    }

    /// Payload bytes of the next new piece, of at most `mss`; `None` if there is nothing to send.
    pub(super) fn new_piece(&self, mss: u16) -> Option<u16> {
        let unsent = self.written - self.next;
        let only_end = unsent == 0 && self.closing && !self.fin_sent;
        // At most the 16 bits of `mss`.
        (unsent > 0 || only_end).then(|| unsent.min(u64::from(mss)) as u16)
    }

    /// Cuts off a new piece of `len` bytes; its number.
    pub(super) fn cut(&mut self, len: u16) -> u64 {
        let start = self.next;
        self.next += u64::from(len);
        let fin = self.closing && self.next == self.written;
        self.fin_sent |= fin;
        let number = self.pieces.next_number();
        self.pieces.push_back(Piece {
            start,
            len,
            fin,
            acked: false,
            copies: 0,
            why: Why::Sack,
        });
        number
    }

    /// The piece with this number; `None` once it and all before it have arrived.
    pub(super) fn piece(&self, number: u64) -> Option<&Piece> {
        self.pieces.numbered(number)
    }

    /// A packet with this piece leaves.
    pub(super) fn sent(&mut self, number: u64) {
        if let Some(piece) = self.pieces.numbered_mut(number) {
            piece.copies += 1;
        }
    }

    /// A packet with this piece has arrived; `late` if it was found lost before.
    pub(super) fn acknowledged(&mut self, number: u64, late: bool) {
        if let Some(piece) = self.pieces.numbered_mut(number) {
            piece.copies -= u16::from(!late);
            self.arrived += u64::from(!piece.acked) * u64::from(piece.len);
            piece.acked = true;
        }
        while self.pieces.front().is_some_and(|piece| piece.acked) {
            self.pieces.pop_front();
        }
        self.lost.remove_below(self.pieces.first_number());
    }

    /// A packet with this piece is lost: the piece goes again, unless another packet with it is on its way.
    pub(super) fn lost(&mut self, number: u64, why: Why) {
        let Some(piece) = self.pieces.numbered_mut(number) else {
            return;
        };
        piece.copies -= 1;
        if !piece.acked && piece.copies == 0 {
            piece.why = why;
            self.lost.insert(Span {
                start: number,
                end: number + 1,
            });
        }
    }

    /// Number of the first piece that is to be sent again, and why.
    pub(super) fn first_lost(&mut self) -> Option<(u64, Why)> {
        while let Some(span) = self.lost.first() {
            match self.pieces.numbered(span.start) {
                Some(piece) if !piece.acked => return Some((span.start, piece.why)),
                // It has arrived late.
                _ => self.resent(span.start),
            }
        }
        None
    }

    /// Takes piece `number`, the first one to be sent again, off the list of lost ones.
    pub(super) fn resent(&mut self, number: u64) {
        self.lost.remove_below(number + 1);
    }

    /// Number of the first piece from `from` on that has not arrived.
    pub(super) fn unacked(&self, from: u64) -> Option<u64> {
        let from = from.max(self.pieces.first_number());
        let mut numbers = from..self.pieces.next_number();
        numbers.find(|&number| self.piece(number).is_some_and(|piece| !piece.acked))
    }

    /// Bytes written that were never sent.
    pub(super) fn unsent(&self) -> u64 {
        self.written - self.next
    }

    /// First stream position that is not known to have arrived, or all sent.
    pub(super) fn una(&self) -> u64 {
        let sent = self.next + u64::from(self.fin_sent);
        self.pieces.front().map_or(sent, |piece| piece.start)
    }

    /// Bytes that are known to have arrived, in order or not.
    pub(super) fn arrived(&self) -> u64 {
        self.arrived
    }

    /// End of what was sent.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// Everything sent has arrived.
    pub(super) fn is_drained(&self) -> bool {
        self.pieces.is_empty()
    }

    /// The end of the stream and everything before it has arrived.
    pub(super) fn is_done(&self) -> bool {
        self.fin_sent && self.pieces.is_empty()
    }
}
