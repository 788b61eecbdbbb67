//! Properties that hold whatever the links do.

use proptest::prelude::*;

use super::config;
use crate::routing::dsdv::Config;
use crate::routing::testing::{check, story};
use crate::time::Duration;

fn switches() -> impl Strategy<Value = Config> {
    let numbers = (1..=8u64, 0..=6u64, 1..=3u8, 0..=2u64);
    (any::<[bool; 2]>(), numbers).prop_map(|(flags, (interval, settling, losses, jitter))| Config {
        update_interval: Duration::from_secs(interval),
        settling_time: Duration::from_secs(settling),
        allowed_update_loss: losses,
        jitter: Duration::from_millis(jitter * 5),
        trigger_on_seq: flags[0],
        link_feedback: flags[1],
        ..config()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.min(200)))]

    #[test]
    fn routes_never_loop_and_every_datagram_ends_once(config in switches(), story in story()) {
        check(config, story, 120)?;
    }
}
