//! Proof that a stranger receives at the address that he sends from, without keeping anything of him.

use std::net::{IpAddr, SocketAddr};

use skywave_core::{Duration, Time};

use super::packet::COOKIE;

/// A cookie is good in the period in which it was made and in the next one: long enough for some
/// round trips of the slowest link, short enough that addresses do not change hands meanwhile.
const PERIOD: Duration = Duration::from_secs(60);

/// Makes and checks cookies.
#[derive(Clone)]
pub(crate) struct Cookies {
    secret: [u8; 32],
}

impl Cookies {
    /// With a secret that nobody else knows.
    pub(crate) const fn new(secret: [u8; 32]) -> Self {
        Self { secret }
    }

    /// The cookie of who sends from there and has chosen this connection number.
    pub(crate) fn make(&self, now: Time, from: SocketAddr, id: u32) -> [u8; COOKIE] {
        self.of(period(now), from, id)
    }

    /// Whether it is one of this time.
    pub(crate) fn is_good(
        &self,
        now: Time,
        from: SocketAddr,
        id: u32,
        cookie: [u8; COOKIE],
    ) -> bool {
        // Hashes compare in constant time.
        let same = |period| blake3_eq(self.of(period, from, id), cookie);
        same(period(now)) || period(now).checked_sub(1).is_some_and(same)
    }

    fn of(&self, period: u64, from: SocketAddr, id: u32) -> [u8; COOKIE] {
        let mut hasher = blake3::Hasher::new_keyed(&self.secret);
        hasher.update(&period.to_be_bytes());
        hasher.update(&id.to_be_bytes());
        hasher.update(&from.port().to_be_bytes());
        match from.ip() {
            IpAddr::V4(ip) => hasher.update(&ip.octets()),
            IpAddr::V6(ip) => hasher.update(&ip.octets()),
        };
        let mut cookie = [0; COOKIE];
        cookie.copy_from_slice(&hasher.finalize().as_bytes()[..COOKIE]);
        cookie
    }
}

fn period(now: Time) -> u64 {
    now.as_nanos() / PERIOD.as_nanos()
}

/// Compares in a time that tells nothing of where they differ.
fn blake3_eq(a: [u8; COOKIE], b: [u8; COOKIE]) -> bool {
    let long = |half: [u8; COOKIE]| {
        let mut bytes = [0; 32];
        bytes[..COOKIE].copy_from_slice(&half);
        blake3::Hash::from_bytes(bytes)
    };
    long(a) == long(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(s: u64) -> Time {
        Time::ZERO + Duration::from_secs(s)
    }

    #[test]
    fn a_cookie_is_good_for_its_address_number_and_time() {
        let cookies = Cookies::new([1; 32]);
        let from: SocketAddr = "192.0.2.1:5000".parse().unwrap();
        let cookie = cookies.make(at(59), from, 7);
        assert!(cookies.is_good(at(59), from, 7, cookie));
        assert!(cookies.is_good(at(119), from, 7, cookie));
        assert!(!cookies.is_good(at(120), from, 7, cookie), "too old");
        assert!(!cookies.is_good(at(59), from, 8, cookie), "number");
        for other in ["192.0.2.2:5000", "192.0.2.1:5001", "[::1]:5000"] {
            assert!(!cookies.is_good(at(59), other.parse().unwrap(), 7, cookie));
        }
        let others = Cookies::new([2; 32]);
        assert!(!others.is_good(at(59), from, 7, cookie), "another host's");
        let mut forged = cookie;
        forged[COOKIE - 1] ^= 1;
        assert!(!cookies.is_good(at(59), from, 7, forged));
    }
}
