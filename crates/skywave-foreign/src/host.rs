//! One end of a connection, whichever library's.

use std::num::NonZeroUsize;

use bytes::Bytes;
use skywave_core::Time;
use skywave_core::packet::Ecn;

/// Bytes that may be under way: more than any path holds that a sender could fill.
pub(crate) const WINDOW: u32 = 64 << 20;
/// Seconds without an answer after which a connection is given up, as `skywave send` has it: blackouts of half a minute are
/// survived.
pub(crate) const IDLE_S: u64 = 60;
/// Datagrams that a library may hand over at once.
pub(crate) const BATCH: NonZeroUsize = NonZeroUsize::MIN.saturating_add(9);

/// A datagram on its way.
#[derive(Clone, Debug)]
pub(crate) struct Datagram {
    pub(crate) bytes: Vec<u8>,
    pub(crate) ecn: Ecn,
}

/// One end of a connection: a sender of data, or their receiver, which reads all that comes.
pub(crate) trait Host {
    /// When it has something to do, if nothing arrives before.
    fn due(&mut self) -> Option<Time>;

    /// A datagram comes.
    fn receive(&mut self, now: Time, datagram: &Datagram);

    /// The next datagram that it sends now, after what is due by now.
    fn poll(&mut self, now: Time) -> Option<Datagram>;

    /// Bytes of the stream that it has read, each once.
    fn read(&self) -> u64;

    /// Progress of a sender.
    fn told(&mut self) -> Told;

    /// Why its connection is over, if the library has ended it.
    fn ended(&self) -> Option<&str>;
}

/// Progress of a sender.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Told {
    /// Packets that the library has declared lost.
    pub(crate) lost: u64,
    /// When the handshake was done.
    pub(crate) connected: Option<Time>,
    /// When all of the stream was acknowledged.
    pub(crate) finished: Option<Time>,
}

/// Data that a sender's application hands over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Supply {
    /// When it connects.
    pub(crate) start: Time,
    /// Bytes to write yet; `None` for data without end.
    pub(crate) left: Option<u64>,
    /// When it closes the connection, whatever is under way.
    pub(crate) stop: Option<Time>,
}

impl Supply {
    /// The next piece to write; `None` if all is written.
    pub(crate) fn piece(&self) -> Option<Bytes> {
        static ZEROS: [u8; 1 << 20] = [0; 1 << 20];
        let length = self
            .left
            .map_or(ZEROS.len() as u64, |left| left.min(ZEROS.len() as u64));
        (length > 0).then(|| Bytes::from_static(&ZEROS[..length as usize]))
    }

    /// So much of a piece was written.
    pub(crate) fn written(&mut self, bytes: usize) {
        if let Some(left) = &mut self.left {
            *left -= bytes as u64;
        }
    }
}
