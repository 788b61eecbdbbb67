//! Datagrams that an endpoint does not have to look at: small ones of unknown versions of QUIC.
//!
//! RFC 9000 section 5.2.2: a server that gets a packet of an unsupported version which is too small to begin a connection
//! with must drop it. noq answers it with the versions that it knows, which is more than came.

/// Bytes of the smallest datagram that begins a connection (RFC 9000 section 14.1).
const LEAST: usize = 1200;
/// The only version that endpoints here know, and the number in a server's answer to unknown ones.
const KNOWN: [[u8; 4]; 2] = [[0, 0, 0, 1], [0; 4]];
/// Set in the first byte of packets that tell their version.
const LONG: u8 = 0x80;

/// Whether an endpoint must not answer this datagram, whatever is in it.
pub(crate) fn is_too_small(datagram: &[u8]) -> bool {
    match datagram {
        [first, rest @ ..] if first & LONG != 0 && datagram.len() < LEAST => rest
            .first_chunk()
            .is_none_or(|version| !KNOWN.contains(version)),
        _ => false,
    }
}

/// Leaves those datagrams out of some that came together, each of `size` bytes and the last one maybe shorter. Returns how
/// many bytes are left.
pub(crate) fn leave_out(datagrams: &mut [u8], size: usize) -> usize {
    let mut kept = 0;
    let mut begin = 0;
    while begin < datagrams.len() {
        let end = datagrams.len().min(begin + size.max(1));
        if !is_too_small(&datagrams[begin..end]) {
            if kept < begin {
                datagrams.copy_within(begin..end, kept);
            }
            kept += end - begin;
        }
        begin = end;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn datagram(version: [u8; 4], len: usize) -> Vec<u8> {
        let mut bytes = vec![0xc0; len];
        bytes[1..5].copy_from_slice(&version);
        bytes
    }

    #[test]
    fn small_ones_of_other_versions_are_left_out() {
        let (one, other) = ([0, 0, 0, 1], [0x0a, 0x1a, 0x2a, 0x3a]);
        assert!(is_too_small(&datagram(other, 1199)) && is_too_small(&datagram(other, 7)));
        assert!(!is_too_small(&datagram(other, 1200)), "it is answered");
        assert!(!is_too_small(&datagram(one, 40)), "of a connection");
        assert!(
            !is_too_small(&[0x40; 40]) && !is_too_small(&[]),
            "no version"
        );
        assert!(is_too_small(&[0xc0, 1]), "half a version");
    }

    #[test]
    fn the_others_stay_in_their_order() {
        let (a, b) = (datagram([9; 4], 40), datagram([0, 0, 0, 1], 40));
        let c = [0x41; 17];
        let mut came = [&a[..], &b, &a, &a, &c].concat();
        let kept = leave_out(&mut came, 40);
        assert_eq!(came[..kept], [&b[..], &c].concat());
        assert_eq!(leave_out(&mut [a.clone(), a].concat(), 40), 0);
        assert_eq!(leave_out(&mut [], 0), 0);
    }
}
