//! ACKs that take the short way have the same effect as on the long one.

use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::packet::{Segment, Way};
use crate::tcp::config::{Handshake, Profile, TcpConfig};
use crate::tcp::preset::PRESETS;
use crate::tcp::receiver::Receiver;
use crate::tcp::sender::Sender;
use crate::tcp::testing::MSS;
use crate::tcp::window::Window;
use crate::time::{Duration, Time};

/// Segments of the transfer.
const LENGTH: u64 = 120;

/// An entry for each packet, in the order of transmission. With `None` the path drops the packet. With a number the
/// packet arrives that many milliseconds later than after the usual 20 ms. After the last entry the list repeats.
type Fates = Vec<Option<u64>>;

/// All segments that a sender puts on the wire, and its window after each ACK.
fn transfer(config: &TcpConfig, short: bool, fates: &Fates) -> (Vec<(Time, Segment)>, Vec<Window>) {
    let mut sender = Sender::new(config.clone());
    sender.standard &= short;
    let mut receiver = Receiver::new(config.clone());
    sender.open();
    sender.write(LENGTH * u64::from(MSS));
    sender.close();
    let (mut sent, mut windows) = (Vec::new(), Vec::new());
    // Packets under way by their arrival and their number; those of the sender are data.
    let mut wire: BTreeMap<(Time, usize), (bool, Segment)> = BTreeMap::new();
    let mut fate = fates.iter().cycle();
    let mut now = Time::ZERO + Duration::from_secs(1);
    for number in 0..3_000 {
        let mut send = |is_data, segment, place: usize| {
            if let Some(Some(delay)) = fate.next() {
                let at = now + Duration::from_millis(20 + delay);
                wire.insert((at, 100 * number + place), (is_data, segment));
            }
        };
        let mut place = 0;
        while let Some(segment) = sender.poll_transmit(now) {
            sent.push((now, segment));
            send(true, segment, place);
            place += 1;
        }
        while let Some(segment) = receiver.poll_transmit(now) {
            send(false, segment, place);
            place += 1;
        }
        let arrival = wire.first_key_value().map(|(&(at, _), _)| at);
        let dues = [arrival, sender.next_timer(), receiver.next_timer()];
        let Some(next) = dues.into_iter().flatten().min() else {
            break;
        };
        now = next.max(now);
        if arrival == Some(now) {
            if let Some((_, (is_data, segment))) = wire.pop_first() {
                if is_data {
                    receiver.on_packet(now, &segment, Way::default());
                } else {
                    sender.on_segment(now, &segment);
                    windows.push(sender.window());
                }
            }
        } else {
            sender.on_timer(now);
            receiver.on_timer(now);
        }
    }
    (sent, windows)
}

fn fates() -> impl Strategy<Value = Fates> {
    let fate = prop_oneof![1 => Just(None), 12 => (0u64..3).prop_map(Some), 1 => (0u64..40).prop_map(Some)];
    prop::collection::vec(fate, 1..150)
}

proptest! {
    #[test]
    fn the_short_way_ends_where_the_long_one_does(fates in fates()) {
        let mut compared = 0;
        for preset in PRESETS.iter() {
            for profile in [Profile::Ns2, Profile::Bsd, Profile::Rfc, Profile::Linux] {
                let of_profile = TcpConfig::new(profile, preset.composition.clone());
                let config = TcpConfig {
                    mss: MSS,
                    rwnd: 40 * MSS,
                    handshake: Handshake::None,
                    ..of_profile
                };
                if !Sender::new(config.clone()).standard {
                    continue;
                }
                compared += 1;
                let (sent, windows) = transfer(&config, true, &fates);
                let (expected, expected_windows) = transfer(&config, false, &fates);
                prop_assert_eq!(sent, expected, "{} {:?}", preset.name, profile);
                prop_assert_eq!(windows, expected_windows, "{} {:?}", preset.name, profile);
            }
        }
        prop_assert!(compared >= 10, "{} senders take the short way", compared);
    }
}
