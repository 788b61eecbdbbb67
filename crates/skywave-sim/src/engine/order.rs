//! Packets of a bucket in the order of their arrival.

use skywave_core::Time;

use super::arrival::{Arrival, Label};

/// So many packets are sorted without branches: an outcome that nobody can guess costs more than some
/// comparisons. Most buckets hold fewer.
const FEW: usize = 8;

/// Bits of a key for a place in the list.
const PLACE: u32 = 4;

/// Keys behind all others, a place apart.
const ABSENT: [u64; FEW] = [!0x00, !0x10, !0x20, !0x30, !0x40, !0x50, !0x60, !0x70];

/// Sorts packets that arrive less than 2^59 ns after `start` by their time, and those of equal times by
/// lot (see [`Arrival::lot`]); of one flow as they are.
#[inline(always)]
pub(super) fn sort(packets: &mut [Arrival], start: Time, salt: u32) {
    if packets.len() < 2 || packets.len() <= FEW && !sort_few(packets, start) {
        return;
    }
    packets.sort_by(|a, b| a.order(b, salt));
}

/// Sorts at most [`FEW`] packets by their time; whether there are equal ones.
#[inline(always)]
fn sort_few(packets: &mut [Arrival], start: Time) -> bool {
    let mut keys = ABSENT;
    let mut labels = [Label::default(); FEW];
    for (place, packet) in packets.iter().enumerate().take(FEW) {
        let ahead = packet.at.as_nanos().wrapping_sub(start.as_nanos());
        keys[place] = ahead << PLACE | place as u64;
        labels[place] = packet.label;
    }
    sort_keys(&mut keys);
    let mut meet = false;
    for pair in keys.windows(2) {
        meet |= (pair[0] ^ pair[1]) >> PLACE == 0;
    }
    for (packet, key) in packets.iter_mut().zip(keys) {
        packet.at = Time::from_nanos((key >> PLACE).wrapping_add(start.as_nanos()));
        packet.label = labels[key as usize % FEW];
    }
    meet
}

/// A sorting network: the fewest comparisons that sort eight keys (Knuth, volume 3, section 5.3.4).
#[inline(always)]
fn sort_keys(keys: &mut [u64; FEW]) {
    let mut order = |a: usize, b: usize| {
        (keys[a], keys[b]) = (keys[a].min(keys[b]), keys[a].max(keys[b]));
    };
    order(0, 2);
    order(1, 3);
    order(4, 6);
    order(5, 7);

    order(0, 4);
    order(1, 5);
    order(2, 6);
    order(3, 7);

    order(0, 1);
    order(2, 3);
    order(4, 5);
    order(6, 7);

    order(2, 4);
    order(3, 5);

    order(1, 4);
    order(3, 6);

    order(1, 2);
    order(3, 4);
    order(5, 6);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_network_sorts_all_patterns() {
        // What sorts all lists of zeros and ones sorts everything (Knuth's zero-one principle).
        for pattern in 0..1u32 << FEW {
            let mut keys = std::array::from_fn(|place| u64::from(pattern >> place & 1));
            sort_keys(&mut keys);
            assert!(keys.is_sorted(), "{pattern:b}: {keys:?}");
        }
    }

    proptest! {
        #[test]
        fn short_lists_have_the_order_of_long_ones(
            start in 0..u64::MAX / 2,
            ahead in prop::collection::vec((prop_oneof![0u64..4, 0u64..1 << 30], 0u32..3), 0..=FEW),
        ) {
            let packet = |(id, (ahead, flow)): (u32, (u64, u32))| Arrival {
                at: Time::from_nanos(start + ahead),
                label: Label::new(flow, id, 40, 7),
            };
            let mut packets: Vec<Arrival> = (0..).zip(ahead).map(packet).collect();
            let mut expected = packets.clone();
            expected.sort_by_key(|packet| (packet.at, packet.lot(5)));
            sort(&mut packets, Time::from_nanos(start), 5);
            prop_assert_eq!(packets, expected);
        }
    }
}
