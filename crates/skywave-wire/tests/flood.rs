//! Ten million first packets from strangers, in a process of its own whose memory is measured.

use std::collections::BTreeSet;
use std::net::SocketAddr;

use skywave_core::{Duration, Time};
use skywave_wire::endpoint::{Allowed, Config, Endpoint};
use skywave_wire::key::SecretKey;

const PACKETS: u64 = 10_000_000;
/// Growth in kB that an allocator may cause; a byte kept for each packet would be 10,000.
const SLACK: u64 = 512;

/// Resident memory of this process in kB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kb = line.and_then(|line| line.split_whitespace().nth(1));
    kb.expect("a number").parse().expect("a number")
}

#[test]
#[cfg(target_os = "linux")]
fn ten_million_first_packets_leave_memory_as_it_was() {
    let secret = SecretKey::from_bytes([1; 32]);
    let allowed = Allowed::Keys(BTreeSet::from([SecretKey::from_bytes([4; 32]).public()]));
    let mut endpoint = Endpoint::new(secret, allowed, Config::default()).expect("random numbers");
    let hello = |id: u32| [&[1, 1, 0, 0][..], &id.to_be_bytes(), &[0; 16]].concat();
    let first = |id: u32| [&[3, 1, 0, 0][..], &id.to_be_bytes(), &[id as u8; 16 + 96]].concat();
    let mut out = Vec::new();
    let (mut now, mut answers, mut before) = (Time::ZERO, 0, 0);
    for n in 0..PACKETS {
        let mixed = (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let from: SocketAddr = (((mixed >> 32) as u32).to_be_bytes(), mixed as u16).into();
        let id = n as u32;
        // An invalid cookie is not processed further.
        let datagram = if n % 2 == 0 { hello(id) } else { first(id) };
        endpoint.on_datagram(now, from, &datagram);
        while let Some(to) = endpoint.poll_transmit(now, &mut out) {
            assert_eq!(to, from);
            assert!(out.len() <= datagram.len());
            answers += 1;
        }
        now += Duration::from_micros(10);
        if n == PACKETS / 100 {
            before = resident();
        }
    }
    assert_eq!(answers, PACKETS / 2, "cookies for those who ask");
    assert_eq!((endpoint.connections(), endpoint.next_timer()), (0, None));
    let grown = resident().saturating_sub(before);
    assert!(grown <= SLACK, "{grown} kB");
}
