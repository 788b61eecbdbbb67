//! Initial sequence numbers (RFC 6528).

use std::hash::{Hash, Hasher};

use siphasher::sip::SipHasher24;
use skywave_core::Time;
use skywave_core::tcp::wire::Endpoints;

/// Time in which the number of a pair of addresses goes up by one, in nanoseconds (RFC 9293 section 3.4.1).
const STEP: u64 = 4_000;

/// The initial number of a connection that begins at `now`: a clock, and a keyed hash of its addresses. Without the key
/// nobody can tell the numbers of others from those of their own connections.
pub(super) fn initial(secret: u128, ends: &Endpoints, now: Time) -> u32 {
    let mut hasher = SipHasher24::new_with_key(&secret.to_le_bytes());
    ends.hash(&mut hasher);
    let clock = now.as_nanos() / STEP;
    (hasher.finish() as u32).wrapping_add(clock as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_depends_on_key_addresses_and_time() {
        let ends = |port| Endpoints {
            source: ([10, 0, 0, 1], 80).into(),
            destination: ([10, 0, 0, 2], port).into(),
        };
        let first = initial(1, &ends(5000), Time::ZERO);
        assert_eq!(first, initial(1, &ends(5000), Time::ZERO));
        assert_ne!(first, initial(2, &ends(5000), Time::ZERO));
        assert_ne!(first, initial(1, &ends(5001), Time::ZERO));
        let later = initial(1, &ends(5000), Time::from_nanos(4_000_000));
        assert_eq!(later.wrapping_sub(first), 1000);
    }
}
