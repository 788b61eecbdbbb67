//! Properties of a WTCP connection that hold for any behaviour of the path, unless the path fails for ever.

use proptest::prelude::*;
use skywave_fuzz::wtcp::{Pair, Plan};

use crate::bytes::{check, from_bytes};

#[test]
fn any_connection_delivers_everything_and_ends() {
    check("any connection", 500, from_bytes::<Plan>(300), |plan| {
        Pair::new(&plan).run();
    });
}

/// A datagram with the header of some type, after the two bytes that `wtcp_wire` reads first. Fields are
/// mostly zeros, so that the numbers are often valid.
fn datagram() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![4 => Just(0), 2 => 0..4u8, 1 => any::<u8>()];
    let kind = prop_oneof![
        4 => Just((1, 18)),
        4 => Just((2, 49)),
        2 => Just((3, 37)),
        4 => Just((4, 44)),
        1 => Just((4, 54)),
        1 => Just((5, 9)),
    ];
    let fields = prop::collection::vec(byte, 54);
    (any::<u8>(), kind, fields).prop_map(|(wait, (kind, len), fields)| {
        let mut bytes = vec![wait, len, 0x10 | kind, fields[0], len, 0];
        bytes.extend(&fields[..usize::from(len) - 4]);
        bytes
    })
}

#[test]
fn any_datagrams_are_borne() {
    let datagrams = prop::collection::vec(datagram(), 0..20);
    check("any datagrams", 300, datagrams, |datagrams| {
        skywave_fuzz::wtcp_wire::run(&datagrams.concat());
    });
}
