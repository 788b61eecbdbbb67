//! The datagrams around WTCP's packets, as plain values. `docs/secure-datagrams.md` has a table of each.
//!
//! Whatever a host answers before it knows the peer is not longer than what it answers to, so that a
//! forged address gains nothing.

/// Version of the format.
pub(crate) const VERSION: u8 = 1;
/// Bytes before the fields of each type.
const COMMON: usize = 8;
/// Bytes of a cookie.
pub(crate) const COOKIE: usize = 16;
/// Bytes of an authentication tag.
pub(crate) const TAG: usize = 16;
/// Bytes of the first message of the handshake: a fresh key, the sealed static one, no payload.
pub(crate) const FIRST: usize = 32 + (32 + TAG) + TAG;
/// Bytes of the second one: a fresh key, the connection number that the responder chose.
pub(crate) const SECOND: usize = 32 + 4 + TAG;
/// Bytes of [`Outer::Sealed`] before what is sealed.
pub(crate) const SEALED_HEADER: usize = COMMON + 8;
/// Padding that makes a hello as long as its answer.
const PADDING: [u8; COOKIE] = [0; COOKIE];

const TYPE_HELLO: u8 = 1;
const TYPE_COOKIE: u8 = 2;
const TYPE_FIRST: u8 = 3;
const TYPE_SECOND: u8 = 4;
const TYPE_SEALED: u8 = 5;
const TYPE_REFUSED: u8 = 6;
const TYPE_UNKNOWN: u8 = 7;

/// Why a first message is not accepted. Nobody vouches for it: a hint for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is sealed for another public key than this host's.
    WrongKey,
    /// The peer's public key is not among those that may connect.
    UnknownPeer,
    /// There are too many connections.
    Full,
}

/// A datagram. `id` is the number by which its receiver knows the connection, but for the first
/// three, where it is the initiator's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outer<'a> {
    /// From an initiator: may I?
    Hello { id: u32 },
    /// The answer: show me this, to prove that you receive at your address.
    Cookie { id: u32, cookie: [u8; COOKIE] },
    /// From an initiator: Noise's first message.
    First {
        id: u32,
        cookie: [u8; COOKIE],
        message: &'a [u8; FIRST],
    },
    /// The answer: Noise's second message.
    Second { id: u32, message: &'a [u8; SECOND] },
    /// The answer: no.
    Refused { id: u32, reason: Refusal },
    /// The answer to a sealed packet of a connection that there is not, or no more: `id` is what that
    /// said. Nobody vouches for it.
    Unknown { id: u32 },
    /// Either way: a sealed packet and its number.
    Sealed {
        id: u32,
        counter: u64,
        sealed: &'a [u8],
    },
}

impl<'a> Outer<'a> {
    /// Reads a datagram; `None` if it is none of these.
    pub(crate) fn decode(datagram: &'a [u8]) -> Option<Self> {
        let (common, rest) = datagram.split_first_chunk::<COMMON>()?;
        let [kind, VERSION, 0, 0, id @ ..] = *common else {
            return None;
        };
        let id = u32::from_be_bytes(id);
        match kind {
            TYPE_HELLO if rest == PADDING => Some(Self::Hello { id }),
            TYPE_COOKIE => Some(Self::Cookie {
                id,
                cookie: rest.try_into().ok()?,
            }),
            TYPE_FIRST => {
                let (cookie, message) = rest.split_first_chunk::<COOKIE>()?;
                Some(Self::First {
                    id,
                    cookie: *cookie,
                    message: message.try_into().ok()?,
                })
            }
            TYPE_SECOND => Some(Self::Second {
                id,
                message: rest.try_into().ok()?,
            }),
            TYPE_SEALED => {
                let (counter, sealed) = rest.split_first_chunk::<8>()?;
                (sealed.len() >= TAG).then_some(Self::Sealed {
                    id,
                    counter: u64::from_be_bytes(*counter),
                    sealed,
                })
            }
            TYPE_UNKNOWN if rest.is_empty() => Some(Self::Unknown { id }),
            TYPE_REFUSED => {
                let reason = match rest {
                    [1] => Refusal::WrongKey,
                    [2] => Refusal::UnknownPeer,
                    [3] => Refusal::Full,
                    _ => return None,
                };
                Some(Self::Refused { id, reason })
            }
            _ => None,
        }
    }

    /// Writes the datagram to the end of `out`.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        let mut common = |kind, id: u32| {
            out.extend_from_slice(&[kind, VERSION, 0, 0]);
            out.extend_from_slice(&id.to_be_bytes());
        };
        match self {
            Self::Hello { id } => {
                common(TYPE_HELLO, *id);
                out.extend_from_slice(&PADDING);
            }
            Self::Cookie { id, cookie } => {
                common(TYPE_COOKIE, *id);
                out.extend_from_slice(cookie);
            }
            Self::First {
                id,
                cookie,
                message,
            } => {
                common(TYPE_FIRST, *id);
                out.extend_from_slice(cookie);
                out.extend_from_slice(*message);
            }
            Self::Second { id, message } => {
                common(TYPE_SECOND, *id);
                out.extend_from_slice(*message);
            }
            Self::Sealed {
                id,
                counter,
                sealed,
            } => {
                common(TYPE_SEALED, *id);
                out.extend_from_slice(&counter.to_be_bytes());
                out.extend_from_slice(sealed);
            }
            Self::Unknown { id } => common(TYPE_UNKNOWN, *id),
            Self::Refused { id, reason } => {
                common(TYPE_REFUSED, *id);
                out.push(match reason {
                    Refusal::WrongKey => 1,
                    Refusal::UnknownPeer => 2,
                    Refusal::Full => 3,
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(outer: &Outer<'_>) -> Vec<u8> {
        let mut out = Vec::new();
        outer.encode(&mut out);
        out
    }

    #[test]
    fn every_datagram_reads_back_and_none_does_shorter_or_longer() {
        let (id, cookie) = (0x1234_5678, [9; COOKIE]);
        let all = [
            Outer::Hello { id },
            Outer::Cookie { id, cookie },
            Outer::First {
                id,
                cookie,
                message: &[3; FIRST],
            },
            Outer::Second {
                id,
                message: &[4; SECOND],
            },
            Outer::Refused {
                id,
                reason: Refusal::UnknownPeer,
            },
            Outer::Unknown { id },
        ];
        for outer in all {
            let mut bytes = bytes(&outer);
            assert_eq!(Outer::decode(&bytes), Some(outer));
            assert_eq!(Outer::decode(&bytes[..bytes.len() - 1]), None);
            bytes.push(0);
            assert_eq!(Outer::decode(&bytes), None);
        }
    }

    #[test]
    fn a_sealed_packet_has_at_least_a_tag() {
        let sealed = Outer::Sealed {
            id: 7,
            counter: 1 << 40,
            sealed: &[5; 20],
        };
        let bytes = bytes(&sealed);
        assert_eq!(bytes.len(), 20 + SEALED_HEADER);
        assert_eq!(Outer::decode(&bytes), Some(sealed));
        assert_eq!(Outer::decode(&bytes[..SEALED_HEADER + TAG - 1]), None);
    }

    #[test]
    fn another_version_is_not_read() {
        let mut bytes = bytes(&Outer::Hello { id: 1 });
        bytes[1] = VERSION + 1;
        assert_eq!(Outer::decode(&bytes), None);
    }

    #[test]
    fn no_answer_to_a_stranger_is_longer_than_the_question() {
        let cookie = [0; COOKIE];
        let hello = bytes(&Outer::Hello { id: 1 });
        assert!(bytes(&Outer::Cookie { id: 1, cookie }).len() <= hello.len());
        let message = &[0; FIRST];
        let id = 1;
        let first = bytes(&Outer::First {
            id,
            cookie,
            message,
        });
        let message = &[0; SECOND];
        assert!(bytes(&Outer::Second { id, message }).len() <= first.len());
    }
}
