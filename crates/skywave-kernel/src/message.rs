//! Messages of the eBPF program in the kernel, as `bpf/wire.h` has it.

use skywave_core::time::Duration;

/// Bytes of an encoded [`Message`], as `struct message` in `bpf/wire.h`.
pub const BYTES: usize = 8 * 3 + 4 * 22;

/// Kind of event that a message of the kernel's program reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Start of a connection's use of the congestion control law.
    Open,
    /// ACK that the kernel has processed.
    Ack,
    /// Start of loss recovery, of a timeout's repair, or of a window reduction, as for an ECN mark:
    /// [`Message::state`] says which.
    State,
    /// Withdrawal of a window reduction by the kernel, as the retransmissions were spurious.
    Undo,
    /// Data about to be sent after a pause, whose length is in [`Message::rtt`].
    Idle,
    /// End of a connection's use of the congestion control law, as when it is closed.
    Close,
}

/// Congestion state of the kernel's TCP sender (`icsk_ca_state`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Normal state: no packet is missing (`TCP_CA_Open`).
    Open,
    /// Packets were reported out of order by SACK or dupacks, but none is found lost yet (`TCP_CA_Disorder`).
    Disorder,
    /// The window is being reduced for an ECN mark, or for a loss that a tail loss probe has repaired
    /// (`TCP_CA_CWR`).
    Reduction,
    /// Losses found by SACK or dupacks are repaired (`TCP_CA_Recovery`).
    Recovery,
    /// Losses are repaired after the retransmission timer expired (`TCP_CA_Loss`).
    Loss,
}

impl State {
    /// Whether the window is reduced step by step, in proportion to what arrives (PRR, RFC 6937): in
    /// [`Self::Reduction`] and [`Self::Recovery`].
    pub fn reduces(self) -> bool {
        matches!(self, Self::Reduction | Self::Recovery)
    }
}

/// Message of the eBPF program in the kernel to this process: an event of a TCP connection, with the connection's state
/// and totals at that moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Time of the event by the kernel's monotonic clock, ns.
    pub at: u64,
    /// Number of the connection, from 1, never used twice while the eBPF program is loaded.
    pub id: u64,
    /// Number of the event in the connection, from 1; a gap means that messages were dropped, as the ring buffer was
    /// full.
    pub number: u64,
    /// Kind of event.
    pub kind: Kind,
    /// Index of the connection's place in the shared memory for answers, below 4096.
    pub slot: u32,
    /// Congestion state of the kernel's sender; for [`Kind::State`], the one that begins now.
    pub state: State,
    /// Whether the application had too little to send when the newest segment that the ACK acknowledges was sent; false
    /// for events without an ACK.
    pub app_limited: bool,
    /// Whether the congestion window kept the sender from sending more, at some time in about the latest window of data
    /// (`is_cwnd_limited`).
    pub cwnd_limited: bool,
    /// Whether the connection goes by the eBPF program's own rule, Reno's, as answers were late.
    pub by_reno: bool,
    /// Whether the ACK has the ECE flag, the echo of an ECN mark; false for events without an ACK.
    pub echo: bool,
    /// Payload bytes of a full segment.
    pub mss: u32,
    /// Oldest sequence number that is not acknowledged.
    pub una: u32,
    /// Next sequence number to be sent.
    pub nxt: u32,
    /// Sequence number whose acknowledgement ends the present recovery (`high_seq`); without meaning outside of one.
    pub high: u32,
    /// Receive window that the receiver advertises, bytes.
    pub rwnd: u32,
    /// Congestion window in force, packets.
    pub cwnd: u32,
    /// Packets delivered since the connection began, by ACK or SACK.
    pub delivered: u32,
    /// Delivered packets that carried an ECN mark, since the connection began.
    pub marked: u32,
    /// Packets that the kernel found lost since the connection began.
    pub lost: u32,
    /// Packets in flight, as the kernel estimates them.
    pub in_flight: u32,
    /// Smoothed round trip time; zero before the first sample.
    pub srtt: Duration,
    /// Part of the retransmission timeout beyond the smoothed round trip (`rttvar_us`).
    pub rttvar: Duration,
    /// Round trip of the newest segment acknowledged, or, for [`Kind::Idle`], the length of the pause; `None`
    /// if unknown.
    pub rtt: Option<Duration>,
    /// Interval of the ACK's delivery rate sample; `None` without a sample, or if shorter than the least
    /// round trip.
    pub interval: Option<Duration>,
    /// Packets delivered in [`Self::interval`]; `None` if the ACK gives no rate sample, zero for events
    /// without an ACK.
    pub rate_delivered: Option<u32>,
    /// Value of [`Self::delivered`] when the newest segment that the ACK acknowledges was sent; zero for events without
    /// an ACK.
    pub prior_delivered: u32,
    /// Packets in flight before the ACK; zero for events without one.
    pub prior_in_flight: u32,
    /// Pacing rate in force, in units of 1024 bytes a second.
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
    /// Encoding of the message, as the kernel's program writes it; [`Self::read`] is the inverse.
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

    /// Decodes a message; `None` if it is too short, or its kind or state is unknown.
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
