//! All packets offered to any link are accounted for, in any order and at any times.

use skywave_fuzz::link::{AnyLink, Operation, watch};

use crate::bytes::{check, from_bytes};

#[test]
fn any_link_accounts_for_every_packet() {
    let operations = proptest::collection::vec(from_bytes::<Operation>(6), 0..100);
    let input = (from_bytes::<AnyLink>(40), operations);
    check("any link", 500, input, |(config, operations)| {
        watch(config.0, operations);
    });
}
