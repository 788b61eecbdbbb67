//! Bytes as a WTCP datagram.

use skywave_core::Time;
use skywave_core::wtcp::{Config, Packet, Receiver, Sender, wire};

/// Most datagrams that one input is cut into.
const MAX_DATAGRAMS: usize = 60;

/// Reads `data` as one WTCP datagram, which must be refused or be the same when written and read again. Then reads it
/// as many datagrams, each after a byte for the wait before it (in units of 50 ms) and a byte for its length, and feeds
/// them to a WTCP sender and receiver. Panics if a datagram changes, a rate is not finite, or the sender exceeds its
/// window.
pub fn run(data: &[u8]) {
    check(data);
    let mut sender = Sender::new(Config::default());
    let mut receiver = Receiver::new(Config::default());
    let mut now = Time::ZERO;
    sender.open(now);
    sender.write(u64::MAX);
    let mut rest = data;
    for _ in 0..MAX_DATAGRAMS {
        let Some((&[wait, len], after)) = rest.split_first_chunk() else {
            break;
        };
        let (datagram, after) = after.split_at(after.len().min(usize::from(len)));
        rest = after;
        now += skywave_core::Duration::from_millis(u64::from(wait) * 50);
        if let Some(packet) = check(datagram) {
            sender.on_packet(now, &packet);
            let _ = receiver.on_packet(now, &packet);
        }
        sender.on_timer(now);
        receiver.on_timer(now);
        for _ in 0..10 {
            let packets = [sender.poll_transmit(now), receiver.poll_transmit(now)];
            for packet in packets.into_iter().flatten() {
                let header = wire::header(0, &packet);
                assert_eq!(header.len(), wire::header_len(&packet));
            }
        }
        receiver.read(u64::MAX);
        assert!(receiver.rate().is_none_or(|r| r.is_finite() && r > 0.0));
        assert!(sender.sent_to() <= sender.window_end());
    }
}

/// The packet in `datagram`, if there is one.
fn check(datagram: &[u8]) -> Option<Packet> {
    let read = match wire::decode(datagram) {
        Ok(read) => read,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return None;
        }
    };
    let header = wire::header(read.connection, &read.packet);
    assert!(header.len() + read.payload.len() <= datagram.len());
    let again = [&header[..], read.payload].concat();
    assert_eq!(wire::decode(&again).as_ref(), Ok(&read));
    Some(read.packet)
}
