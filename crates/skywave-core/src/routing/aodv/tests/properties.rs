//! Properties that hold whatever the links do.

use proptest::prelude::*;

use super::config;
use crate::routing::aodv::Config;
use crate::routing::testing::{check, story};
use crate::time::Duration;

fn switches() -> impl Strategy<Value = Config> {
    let flags = any::<[bool; 8]>();
    let numbers = (1..=7u8, 0..=2u64, 1..=64usize);
    (flags, numbers).prop_map(|(flags, (ttl_start, jitter, buffer_packets))| Config {
        hello: flags[0],
        local_repair: flags[1],
        gratuitous_rrep: flags[2],
        destination_only: flags[3],
        rrep_ack: flags[4],
        blacklist: flags[5],
        error_damping: flags[7].then(|| Duration::from_secs(2)),
        // At least one of the two is needed: a station must be able to notice broken links.
        link_feedback: !flags[0] || flags[6],
        ttl_start,
        jitter: Duration::from_millis(jitter * 5),
        buffer_packets,
        net_diameter: 10,
        ..config()
    })
}

proptest! {
    #[test]
    fn routes_never_loop_and_every_datagram_ends_once(config in switches(), story in story()) {
        let network = check(config, story, 40)?;
        // Without new traffic everything ends: no timers are left, nor any packets under way.
        prop_assert_eq!(network.next(), None);
    }
}
