//! Bytes as an IP packet with a TCP segment.

use skywave_core::packet::Timestamps;
use skywave_core::tcp::wire::{self, Header, MAX_PAYLOAD, Parsed, TimestampClock, WireError};
use skywave_core::{Duration, Time};

/// Bytes of an input before the packet: window scale (1 byte), tick of the timestamp clock (4), and the two timestamps
/// that the connection knows (8 each).
pub const SETTINGS: usize = 1 + 4 + 8 + 8;

/// Facts that the connection knows to which the packet belongs.
struct Connection {
    window_shift: u8,
    clock: TimestampClock,
    near: Timestamps,
}

/// Reads an IP packet after the first [`SETTINGS`] bytes of `data` (in all of `data` if that is shorter), and checks
/// that its TCP segment is the same when written and read again. Panics if not.
pub fn run(data: &[u8]) {
    is_accepted(data);
}

/// Reads a packet after the first [`SETTINGS`] bytes of `data` (in all of `data` if that is shorter), and returns
/// whether it is an IP packet with a TCP segment. Panics if the segment is not the same when written and read again.
///
/// Wrong checksums of the IP header and of TCP are put right first, as few random bytes have right ones.
pub fn is_accepted(data: &[u8]) -> bool {
    let (settings, packet) = data.split_at_checked(SETTINGS).unwrap_or((&[], data));
    let connection = Connection::from(settings);
    let mut packet = packet.to_vec();
    // Of IP's header, of TCP's, and then there is none left to be wrong.
    for _ in 0..3 {
        match wire::parse(&packet) {
            Ok(parsed) => {
                check(&parsed, &packet, &connection);
                return true;
            }
            Err(WireError::Checksum {
                offset,
                given,
                computed,
                ..
            }) => {
                assert_ne!(given, computed);
                let field = &mut packet[offset..][..2];
                assert_eq!(field, given.to_be_bytes());
                field.copy_from_slice(&computed.to_be_bytes());
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                return false;
            }
        }
    }
    panic!("a checksum was put right and is wrong");
}

/// Checks that the meaning of a packet does not change when it is written again.
fn check(parsed: &Parsed<'_>, packet: &[u8], connection: &Connection) {
    let &Connection {
        window_shift,
        clock,
        near,
    } = connection;
    let segment = parsed.segment(window_shift, clock, near);
    assert_eq!(segment.len as usize, parsed.payload.len());
    assert!(parsed.payload.len() + 40 <= packet.len());
    let header = Header {
        endpoints: parsed.endpoints,
        ecn: parsed.ecn,
        window_shift,
        clock,
    };
    let mut bytes = Vec::new();
    let result = wire::write(&header, &segment, parsed.payload, &mut bytes);
    // Padded options may make a packet longer than it was.
    if result.is_err() && parsed.payload.len() > MAX_PAYLOAD {
        return;
    }
    assert_eq!(result, Ok(()));
    let again = wire::parse(&bytes).expect("what is written can be read");
    assert_eq!(again, *parsed);
    assert_eq!(again.segment(window_shift, clock, near), segment);
}

impl Connection {
    /// The connection that these bytes set up; without bytes one with scale zero, the default tick and the time zero.
    fn from(settings: &[u8]) -> Self {
        let mut bytes = [0; SETTINGS];
        bytes[..settings.len()].copy_from_slice(settings);
        let (shift, rest) = bytes.split_at(1);
        let (tick, rest) = rest.split_at(4);
        let (value, echo) = rest.split_at(8);
        let number = |bytes: &[u8]| bytes.iter().fold(0, |n, byte| n << 8 | u64::from(*byte));
        Self {
            window_shift: shift[0],
            clock: TimestampClock::new(Duration::from_nanos(number(tick))).unwrap_or_default(),
            near: Timestamps {
                value: Time::from_nanos(number(value)),
                echo: Time::from_nanos(number(echo)),
            },
        }
    }
}
