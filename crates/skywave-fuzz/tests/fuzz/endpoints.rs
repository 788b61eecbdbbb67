//! Two endpoints with many connections bear any network, any applications and any stranger.

use skywave_fuzz::endpoints::{Pair, Plan};

use crate::bytes::{check, from_bytes};

#[test]
fn two_endpoints_bear_any_network_and_any_stranger() {
    check("two endpoints", 3000, from_bytes::<Plan>(800), |plan| {
        Pair::new(&plan).run();
    });
}
