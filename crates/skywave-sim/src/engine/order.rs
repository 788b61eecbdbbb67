//! Packets of a bucket in the order of their arrival.

use skywave_core::Time;

use super::arrival::Arrival;

/// From this many packets on, it pays to sort keys of eight bytes instead of the packets: that saves 4 % of the
/// instructions of 2,400 flows. (A network without branches for lists of eight or fewer saved nothing.)
const MANY: usize = 24;

/// Bits of a key for a packet's place in the list; the others are for its time.
const PLACE: u32 = 24;

/// Number of places that keys can tell apart.
const MOST: usize = 1 << PLACE;

/// Room for sorting.
#[derive(Debug, Default)]
pub(super) struct Room {
    keys: Vec<u64>,
    packets: Vec<Arrival>,
}

/// Sorts packets that arrive less than 2^39 ns after `start` by their time, and those of equal times by
/// lot (see [`Arrival::lot`]); packets of one flow with equal times stay in their order.
#[inline(always)]
pub(super) fn sort(packets: &mut [Arrival], start: Time, salt: u32, room: &mut Room) {
    match packets.len() {
        MANY..=MOST => sort_many(packets, start, salt, room),
        _ => packets.sort_by(|a, b| a.order(b, salt)),
    }
}

#[inline(always)]
fn key(packet: &Arrival, place: usize, start: Time) -> u64 {
    packet.at.as_nanos().wrapping_sub(start.as_nanos()) << PLACE | place as u64
}

/// Sorts many packets by way of their keys.
#[inline(never)]
fn sort_many(packets: &mut [Arrival], start: Time, salt: u32, room: &mut Room) {
    let keys = packets.iter().enumerate();
    room.keys.clear();
    room.keys
        .extend(keys.map(|(place, packet)| key(packet, place, start)));
    room.keys.sort_unstable();
    room.packets.clear();
    room.packets.extend_from_slice(packets);
    for (packet, key) in packets.iter_mut().zip(&room.keys) {
        *packet = room.packets[*key as usize % MOST];
    }
    for meeting in packets.chunk_by_mut(|a, b| a.at == b.at) {
        if meeting.len() > 1 {
            meeting.sort_by_key(|packet| packet.lot(salt));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::arrival::Label;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn packets_come_by_time_and_then_by_lot(
            start in 0..u64::MAX / 2,
            ahead in prop::collection::vec((prop_oneof![0u64..4, 0u64..1 << 30], 0u32..3), 0..40),
        ) {
            let packet = |(id, (ahead, flow)): (u32, (u64, u32))| Arrival {
                at: Time::from_nanos(start + ahead),
                label: Label::new(flow, id, 40, 7),
            };
            let mut packets: Vec<Arrival> = (0..).zip(ahead).map(packet).collect();
            let mut expected = packets.clone();
            expected.sort_by_key(|packet| (packet.at, packet.lot(5)));
            sort(&mut packets, Time::from_nanos(start), 5, &mut Room::default());
            prop_assert_eq!(packets, expected);
        }
    }
}
