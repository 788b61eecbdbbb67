//! The chunks of a file: over the file's own stream, or dealt to lanes.
//!
//! noq ends a connection when what waits of one stream is in too many pieces, so that little of a stream may
//! be under way. A long path at a high rate holds more, and a receiver that puts packets in order has to keep
//! all that comes after a lost one. So a large file has many streams, each of them with a window that is
//! safe, and a receiver that takes their chunks in turn: what it cannot take yet stays in noq's windows.

use bytes::Bytes;
use noq::{Connection, PathId, RecvStream, SendStream};

use crate::error::Broken;
use crate::network::STREAM_WINDOW;
use crate::wire::frame::{
    First, Head, fill_some, read_first, read_head, send, send_chunk, send_chunk_before, send_dealt,
};
use crate::wire::message::{Lane, MAX_CHUNK, Nonsense};

/// Bytes of a round of chunks, one for each lane in use. They are sent at the same time, and the last one is
/// not read before the first: a round is small beside the lanes' windows.
const ROUND: usize = 2 << 20;
/// Congestion windows that the lanes in use hold: of packets that are lost again when they are sent again,
/// the last one comes after several round trips.
const WINDOWS: u64 = 4;

/// Sends chunks.
pub(crate) struct Dealer<'a> {
    connection: &'a Connection,
    own: &'a mut SendStream,
    lanes: Vec<SendStream>,
    next: usize,
}

impl<'a> Dealer<'a> {
    /// Over at most so many lanes, or over the file's own stream if none.
    pub(crate) async fn open(
        connection: &'a Connection,
        own: &'a mut SendStream,
        lanes: u8,
    ) -> Result<Self, Broken> {
        let mut dealer = Self {
            connection,
            own,
            lanes: Vec::new(),
            next: 0,
        };
        if lanes > 0 {
            send_dealt(dealer.own, lanes).await?;
        }
        let file = dealer.own.id().index();
        for number in 0..lanes {
            let mut lane = connection.open_uni().await?;
            send(&mut lane, &Lane { file, number }).await?;
            dealer.lanes.push(lane);
        }
        Ok(dealer)
    }

    /// Lanes that take turns now. Fewer cost less.
    fn in_use(&self) -> usize {
        let path = self.connection.path(PathId::ZERO);
        let window = path.map_or(0, |path| path.stats().cwnd);
        let lanes = (WINDOWS.saturating_mul(window)).div_ceil(u64::from(STREAM_WINDOW));
        lanes.clamp(1, self.lanes.len().max(1) as u64) as usize
    }

    async fn deal(&mut self, chunk: Bytes, in_use: usize) -> Result<(), Broken> {
        let Some(lane) = self.lanes.get_mut(self.next) else {
            return send_chunk(self.own, chunk).await;
        };
        self.next = (self.next + 1) % in_use;
        send_chunk_before(lane, chunk, self.next as u8).await
    }

    /// Sends some bytes.
    pub(crate) async fn send(&mut self, mut bytes: Bytes) -> Result<(), Broken> {
        let in_use = self.in_use();
        let most = MAX_CHUNK.min(ROUND / in_use);
        while bytes.len() > most {
            self.deal(bytes.split_to(most), in_use).await?;
        }
        self.deal(bytes, in_use).await
    }

    /// Ends the chunks, and gives the file's own stream back.
    pub(crate) async fn end(mut self) -> Result<&'a mut SendStream, Broken> {
        self.deal(Bytes::new(), 1).await?;
        for mut lane in self.lanes {
            let _ = lane.finish();
        }
        Ok(self.own)
    }
}

/// Reads chunks in the order of the file, and those that come slowly piece by piece.
pub(crate) struct Dealt<'a> {
    pub(crate) own: &'a mut RecvStream,
    lanes: Vec<RecvStream>,
    /// Lane of the chunk that is read, or of the next one.
    lane: u8,
    /// Head of the chunk that is read, without the bytes that were; nothing between two chunks.
    head: Option<Head>,
}

impl<'a> Dealt<'a> {
    /// Begins with the first chunk; `lanes` waits for so many of the file's.
    pub(crate) async fn open(
        own: &'a mut RecvStream,
        lanes: impl AsyncFnOnce(u8) -> Vec<RecvStream>,
    ) -> Result<Self, Broken> {
        let first = read_first(own).await?;
        let (lanes, head) = match first {
            First::Chunk(head) => (Vec::new(), Some(head)),
            First::Dealt(count) => (lanes(count).await, None),
        };
        Ok(Self {
            own,
            lanes,
            lane: 0,
            head,
        })
    }

    /// The next bytes; none at the end.
    pub(crate) async fn read(&mut self) -> Result<Vec<u8>, Broken> {
        let number = usize::from(self.lane);
        let lane = if self.lanes.is_empty() && number == 0 {
            &mut *self.own
        } else {
            self.lanes.get_mut(number).ok_or(Nonsense)?
        };
        let mut head = match self.head {
            Some(head) => head,
            None => read_head(lane).await?,
        };
        self.head = Some(head);
        let mut piece = vec![0; head.len];
        if !head.zeros {
            let read = fill_some(lane, &mut piece).await?;
            piece.truncate(read);
        }
        head.len -= piece.len();
        self.head = (head.len > 0).then_some(head);
        if head.len == 0 {
            self.lane = head.next;
        }
        Ok(piece)
    }
}
