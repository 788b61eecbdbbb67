//! Messages of the program in the kernel, as `bpf/wire.h` has it.

use skywave_core::time::Duration;

/// Bytes of a message.
pub const BYTES: usize = 8 * 3 + 4 * 22;

/// Kind of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A connection has the law from now on.
    Open,
    /// An ACK was taken.
    Ack,
    /// Start of loss recovery, of a timeout's repair, or of a window reduction, as for an ECN mark:
    /// [`Message::state`] says which.
    State,
    /// A cut was a mistake.
    Undo,
    /// Data is about to be sent after a pause, whose length is in [`Message::rtt`].
    Idle,
    /// The connection has the law no longer.
    Close,
}

/// State of the kernel's sender (`icsk_ca_state`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing is missing.
    Open,
    /// Something is missing, and not yet found lost.
    Disorder,
    /// The window is being reduced for a mark, or for a loss that a probe has repaired.
    Reduction,
    /// Losses are repaired.
    Recovery,
    /// The retransmission timer expired.
    Loss,
}

impl State {
    /// The kernel reduces the window in proportion to what arrives.
    pub fn reduces(self) -> bool {
        matches!(self, Self::Reduction | Self::Recovery)
    }
}

/// An event of a connection, and its totals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// When it happened, by the kernel's clock, ns.
    pub at: u64,
    /// Connection, from 1.
    pub id: u64,
    /// Number of the event in the connection, from 1.
    pub number: u64,
    /// Kind of event.
    pub kind: Kind,
    /// Where the answer is expected.
    pub slot: u32,
    /// State after the event.
    pub state: State,
    /// The application had too little to send when the newest segment left.
    pub app_limited: bool,
    /// The window was what kept the sender from sending more.
    pub cwnd_limited: bool,
    /// The program's own rule is in force, as answers were late.
    pub by_reno: bool,
    /// The ACK echoes a mark.
    pub echo: bool,
    /// Payload bytes of a full segment.
    pub mss: u32,
    /// Oldest sequence number that is not acknowledged.
    pub una: u32,
    /// Next sequence number.
    pub nxt: u32,
    /// Sequence number at which the present repair ends.
    pub high: u32,
    /// The receiver's window, bytes.
    pub rwnd: u32,
    /// The window in force, packets.
    pub cwnd: u32,
    /// Packets delivered so far.
    pub delivered: u32,
    /// Packets among these that routers have marked.
    pub marked: u32,
    /// Packets found lost so far.
    pub lost: u32,
    /// Packets in the network.
    pub in_flight: u32,
    /// Smoothed round trip; zero before the first one.
    pub srtt: Duration,
    /// Addition of the retransmission timer to that.
    pub rttvar: Duration,
    /// Round trip of the newest segment, or the length of a pause; `None` if it cannot be told.
    pub rtt: Option<Duration>,
    /// Interval of the sample of the rate; `None` if it was shorter than a round trip can be.
    pub interval: Option<Duration>,
    /// Packets delivered over it; `None` without a sample.
    pub rate_delivered: Option<u32>,
    /// Packets delivered when the newest segment left.
    pub prior_delivered: u32,
    /// Packets in the network before the ACK.
    pub prior_in_flight: u32,
    /// The pace in force, in units of 1024 bytes a second.
    pub pace: u32,
}

/// Reads numbers one after the other.
struct Words<'a>(&'a [u8]);

impl Words<'_> {
    fn long(&mut self) -> Option<u64> {
        let (word, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_ne_bytes(*word))
    }

    fn word(&mut self) -> Option<u32> {
        let (word, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_ne_bytes(*word))
    }
}

/// Microseconds; `None` if negative.
fn micros(word: u32) -> Option<Duration> {
    u64::try_from(word.cast_signed())
        .ok()
        .map(Duration::from_micros)
}

impl Message {
    /// The bytes that [`Self::read`] reads.
    pub fn bytes(&self) -> [u8; BYTES] {
        let micros = |time: Option<Duration>| {
            let micros = time.map(|time| (time.as_nanos() / 1000) as u32);
            micros.unwrap_or(u32::MAX)
        };
        let flags = [self.app_limited, self.cwnd_limited, self.by_reno, self.echo];
        let flags = flags
            .iter()
            .enumerate()
            .map(|(bit, set)| u32::from(*set) << bit)
            .sum();
        let words = [
            self.kind as u32,
            self.slot,
            self.state as u32,
            flags,
            self.mss,
            self.una,
            self.nxt,
            self.high,
            self.rwnd,
            self.cwnd,
            self.delivered,
            self.marked,
            self.lost,
            self.in_flight,
            (self.srtt.as_nanos() * 8 / 1000) as u32,
            (self.rttvar.as_nanos() / 1000) as u32,
            micros(self.rtt),
            micros(self.interval),
            self.rate_delivered.unwrap_or(u32::MAX),
            self.prior_delivered,
            self.prior_in_flight,
            self.pace,
        ];
        let longs = [self.at, self.id, self.number].map(u64::to_ne_bytes);
        let words = words.map(u32::to_ne_bytes);
        let all = longs.as_flattened().iter().chain(words.as_flattened());
        let mut bytes = [0; BYTES];
        for (into, byte) in bytes.iter_mut().zip(all) {
            *into = *byte;
        }
        bytes
    }

    /// Reads a message; `None` if it is none.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut words = Words(bytes);
        let (at, id, number) = (words.long()?, words.long()?, words.long()?);
        let kind = match words.word()? {
            0 => Kind::Open,
            1 => Kind::Ack,
            2 => Kind::State,
            3 => Kind::Undo,
            4 => Kind::Idle,
            5 => Kind::Close,
            _ => return None,
        };
        let slot = words.word()?;
        let state = match words.word()? {
            0 => State::Open,
            1 => State::Disorder,
            2 => State::Reduction,
            3 => State::Recovery,
            4 => State::Loss,
            _ => return None,
        };
        let flags = words.word()?;
        Some(Self {
            at,
            id,
            number,
            kind,
            slot,
            state,
            app_limited: flags & 1 != 0,
            cwnd_limited: flags & 2 != 0,
            by_reno: flags & 4 != 0,
            echo: flags & 8 != 0,
            mss: words.word()?.max(1),
            una: words.word()?,
            nxt: words.word()?,
            high: words.word()?,
            rwnd: words.word()?,
            cwnd: words.word()?,
            delivered: words.word()?,
            marked: words.word()?,
            lost: words.word()?,
            in_flight: words.word()?,
            srtt: Duration::from_micros(u64::from(words.word()?)) / 8,
            rttvar: Duration::from_micros(u64::from(words.word()?)),
            rtt: micros(words.word()?),
            interval: micros(words.word()?),
            rate_delivered: u32::try_from(words.word()?.cast_signed()).ok(),
            prior_delivered: words.word()?,
            prior_in_flight: words.word()?,
            pace: words.word()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut bytes = [0; BYTES];
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = at as u8;
        }
        // Kind, state and flags that there are, and a flag more, which is left out.
        for (word, value) in [(6, 3_u32), (8, 4), (9, 0b1_0101)] {
            bytes[word * 4..word * 4 + 4].copy_from_slice(&value.to_ne_bytes());
        }
        let message = Message::read(&bytes).unwrap();
        assert_eq!((message.kind, message.state), (Kind::Undo, State::Loss));
        assert!(message.app_limited && message.by_reno && !message.echo);
        bytes[9 * 4] = 0b101;
        assert_eq!(message.bytes(), bytes);
    }

    #[test]
    fn a_message_that_is_none_is_refused() {
        assert_eq!(Message::read(&[0; BYTES - 1]), None);
        let mut bytes = [0; BYTES];
        bytes[24] = 6;
        assert_eq!(Message::read(&bytes), None);
        bytes[24] = 1;
        bytes[32] = 5;
        assert_eq!(Message::read(&bytes), None);
    }
}
