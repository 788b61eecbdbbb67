//! Properties that hold whatever the links do.

use proptest::prelude::*;

use super::config;
use crate::routing::dsr::Config;
use crate::routing::testing::{check, story};
use crate::time::Duration;

fn switches() -> impl Strategy<Value = Config> {
    let numbers = (0..=2u64, 1..=64usize);
    (any::<[bool; 5]>(), numbers).prop_map(|(flags, (jitter, buffer_packets))| Config {
        ask_neighbours: flags[0],
        cached_replies: flags[1],
        salvage: flags[2],
        drop_queued: flags[3],
        error_damping: flags[4].then(|| Duration::from_secs(2)),
        jitter: Duration::from_millis(jitter * 5),
        buffer_packets,
        ..config()
    })
}

proptest! {
    /// No route comes by a station twice: the network asserts it of each that is sent.
    #[test]
    fn routes_are_straight_and_every_datagram_ends_once(config in switches(), story in story()) {
        let network = check(config, story, 40)?;
        // Without new traffic everything ends: no timers are left, nor any packets under way.
        prop_assert_eq!(network.next(), None);
    }
}
