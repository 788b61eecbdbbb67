//! Properties of TCP's wire format that hold for any bytes.

use std::cell::Cell;

use proptest::prelude::*;
use skywave_fuzz::tcp_wire::{SETTINGS, is_accepted, run};

use crate::bytes::{check, from_bytes};

/// An option of a kind that is known or not, mostly with a length that it can have.
fn option() -> impl Strategy<Value = Vec<u8>> {
    let kinds = prop_oneof![
        Just((1, 0)),
        Just((2, 2)),
        Just((3, 1)),
        Just((4, 0)),
        Just((8, 8)),
        (1..=4usize).prop_map(|blocks| (5, 8 * blocks)),
        (9..=255u8, 0..6usize),
    ];
    let length = prop_oneof![60 => Just(None), 1 => any::<u8>().prop_map(Some)];
    (kinds, length, any::<[u8; 32]>()).prop_map(|((kind, value), length, bytes)| {
        let length = length.unwrap_or(2 + value as u8);
        match kind {
            1 => vec![1],
            _ => [&[kind, length][..], &bytes[..value]].concat(),
        }
    })
}

/// A TCP header with right lengths, and a payload.
fn tcp() -> impl Strategy<Value = Vec<u8>> {
    let options = prop::collection::vec(option(), 0..5);
    let payload = prop::collection::vec(any::<u8>(), 0..20);
    (any::<[u8; 20]>(), options, payload).prop_map(|(mut header, options, payload)| {
        let mut options = options.concat();
        options.resize(options.len().next_multiple_of(4).min(40), 0);
        header[12] = (((20 + options.len()) / 4) << 4) as u8;
        [&header[..], &options, &payload].concat()
    })
}

/// An extension header before `next`, with a length of eight bytes.
fn extension(kind: u8, next: u8, mut fields: [u8; 8]) -> [u8; 8] {
    fields[0] = next;
    // A fragment header has no length.
    if kind != 44 {
        fields[1] = 0;
    }
    // Mostly a whole packet, and no segments left.
    fields[2] &= 0x80;
    fields[3] &= 0x81;
    fields
}

/// A packet with settings before it, its lengths right and its checksums wrong.
fn packet() -> impl Strategy<Value = Vec<u8>> {
    let settings = any::<[u8; SETTINGS]>();
    let kinds = prop::sample::subsequence(vec![0, 60, 43, 44], 0..=2);
    (
        settings,
        any::<[u8; 40]>(),
        any::<bool>(),
        kinds,
        any::<[u8; 8]>(),
        tcp(),
    )
        .prop_map(|(settings, mut ip, is_v4, kinds, fields, tcp)| {
            let mut between = Vec::new();
            let ip = if is_v4 {
                let length = (20 + tcp.len()) as u16;
                ip[0] = 0x45;
                ip[2..4].copy_from_slice(&length.to_be_bytes());
                ip[6..8].copy_from_slice(&[0x40, 0]);
                ip[9] = 6;
                &ip[..20]
            } else {
                for (index, kind) in kinds.iter().enumerate() {
                    let next = kinds.get(index + 1).copied().unwrap_or(6);
                    between.extend(extension(*kind, next, fields));
                }
                let length = (between.len() + tcp.len()) as u16;
                ip[0] = 0x60 | ip[0] & 0xF;
                ip[4..6].copy_from_slice(&length.to_be_bytes());
                ip[6] = kinds.first().copied().unwrap_or(6);
                &ip[..]
            };
            [&settings[..], ip, &between, &tcp].concat()
        })
}

#[test]
fn any_packet_is_refused_or_the_same_when_written_again() {
    let (packets, accepted) = (Cell::new(0), Cell::new(0));
    check("any packet", 2000, packet(), |packet| {
        packets.set(packets.get() + 1);
        accepted.set(accepted.get() + u32::from(is_accepted(&packet)));
    });
    // Enough packets are accepted and enough refused for the rule to mean something.
    let share = f64::from(accepted.get()) / f64::from(packets.get());
    assert!((0.3..0.98).contains(&share), "{share}");
}

#[test]
fn any_damaged_packet_is_borne() {
    let damage = prop::collection::vec((SETTINGS..SETTINGS + 100, any::<u8>()), 0..4);
    let input = (packet(), damage, 0..200usize);
    check(
        "any damaged packet",
        2000,
        input,
        |(mut packet, damage, len)| {
            for (at, value) in damage {
                if let Some(byte) = packet.get_mut(at) {
                    *byte = value;
                }
            }
            packet.truncate(len);
            is_accepted(&packet);
        },
    );
}

#[test]
fn any_bytes_are_borne() {
    check("any bytes", 2000, from_bytes::<Vec<u8>>(300), |bytes| {
        run(&bytes);
    });
}
