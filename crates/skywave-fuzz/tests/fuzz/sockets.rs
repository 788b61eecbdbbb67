//! Endpoints withstand any behaviour of a network.

use skywave_fuzz::sockets::Plan;

use crate::bytes::{check, from_bytes};

#[test]
fn a_hostile_network_changes_nothing_but_the_time() {
    check(
        "hostile network",
        300,
        from_bytes::<Plan>(600),
        Plan::carry_out,
    );
}
