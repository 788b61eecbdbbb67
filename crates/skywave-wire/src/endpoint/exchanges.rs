//! Which first messages of handshakes are worth a key exchange, which costs as much as hundreds of packets
//! of a connection: whoever connects may have to wait, connections that there are do not.

use std::collections::{BTreeMap, VecDeque};
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use skywave_core::{Duration, Time};

use super::{Id, Refusal};
use crate::secure::packet::{COOKIE, FIRST};

/// Most key exchanges of one address at once, and the time after which it may have one more. 64 at once: as
/// many connections as one key may have. 20 a second take 0.2 % of a processor at 80 µs each.
const PER_ADDRESS: Limit = Limit {
    burst: 64,
    interval: Duration::from_millis(50),
};
/// The same of all addresses together: 200 a second, 1.6 %.
const TOTAL: Limit = Limit {
    burst: 128,
    interval: Duration::from_millis(5),
};
/// Key exchanges that one cookie is good for. A host that hears no answer begins anew after 7.5 s, and has
/// 30 s: four times, with the same cookie if that is in the same minute.
const PER_COOKIE: u8 = 4;
/// Cookies that are remembered. Of all that [`TOTAL`] lets in, those of the last 20 s at least.
const COOKIES: usize = 4096;

/// A rate with a burst.
struct Limit {
    burst: u64,
    interval: Duration,
}

/// When as many as have been let in would have been due one by one: the generic cell rate algorithm (ITU-T
/// I.371).
#[derive(Clone, Copy, Debug, Default)]
struct Meter(Time);

impl Meter {
    fn allows(self, now: Time, limit: &Limit) -> bool {
        self.0.since(now) <= limit.interval * (limit.burst - 1)
    }

    fn count(&mut self, now: Time, limit: &Limit) {
        self.0 = self.0.max(now) + limit.interval;
    }
}

/// What a first message has led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// This connection.
    Answered(Id),
    Refused(Refusal),
}

/// What is to be done with a first message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// To read it, and to [note](Exchanges::note) what has become of it.
    Read,
    /// To answer as before.
    Again(Outcome),
    /// Nothing.
    Drop,
}

/// A cookie that was shown.
struct Shown {
    /// The latest message with it.
    first: [u8; FIRST],
    outcome: Option<Outcome>,
    exchanges: u8,
}

/// The key exchanges of an endpoint.
#[derive(Default)]
pub(super) struct Exchanges {
    total: Meter,
    addresses: BTreeMap<IpAddr, Meter>,
    cookies: BTreeMap<[u8; COOKIE], Shown>,
    /// The same, oldest first.
    order: VecDeque<[u8; COOKIE]>,
    /// Key exchanges so far.
    pub(super) count: u64,
}

impl Exchanges {
    /// Whether a first message with a good cookie is to be read. No cryptography was done for it.
    pub(super) fn decide(
        &mut self,
        now: Time,
        from: SocketAddr,
        cookie: [u8; COOKIE],
        first: &[u8; FIRST],
    ) -> Decision {
        if let Some(shown) = self.cookies.get(&cookie) {
            if shown.first == *first {
                return shown.outcome.map_or(Decision::Drop, Decision::Again);
            }
            if shown.exchanges >= PER_COOKIE {
                return Decision::Drop;
            }
        }
        let owner = owner(from.ip());
        let address = self.addresses.get(&owner).copied().unwrap_or_default();
        if !self.total.allows(now, &TOTAL) || !address.allows(now, &PER_ADDRESS) {
            return Decision::Drop;
        }
        self.total.count(now, &TOTAL);
        // Those that may have a whole burst again need not be known. What is left are fewer than `TOTAL`
        // lets in while one address recovers.
        self.addresses.retain(|_, meter| meter.0 > now);
        let address = self.addresses.entry(owner).or_default();
        address.count(now, &PER_ADDRESS);
        self.count += 1;
        self.show(cookie, first);
        Decision::Read
    }

    /// Notes what has become of the message that was read last with this cookie.
    pub(super) fn note(&mut self, cookie: [u8; COOKIE], outcome: Outcome) {
        if let Some(shown) = self.cookies.get_mut(&cookie) {
            shown.outcome = Some(outcome);
        }
    }

    fn show(&mut self, cookie: [u8; COOKIE], first: &[u8; FIRST]) {
        if let Some(shown) = self.cookies.get_mut(&cookie) {
            shown.first = *first;
            shown.outcome = None;
            shown.exchanges += 1;
            return;
        }
        if self.order.len() >= COOKIES
            && let Some(oldest) = self.order.pop_front()
        {
            self.cookies.remove(&oldest);
        }
        self.order.push_back(cookie);
        let shown = Shown {
            first: *first,
            outcome: None,
            exchanges: 1,
        };
        self.cookies.insert(cookie, shown);
    }
}

/// Whom an address belongs to: hosts have whole networks of IPv6 (RFC 6177).
pub fn owner(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & !u128::from(u64::MAX))),
        v4 @ IpAddr::V4(_) => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGE: [u8; FIRST] = [7; FIRST];

    fn host(n: u16) -> SocketAddr {
        let [a, b] = n.to_be_bytes();
        ([198, 51, a, b], 9).into()
    }

    fn cookie(n: u64) -> [u8; COOKIE] {
        u128::from(n).to_be_bytes()
    }

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    /// Messages let in of those that come each millisecond until `end`.
    fn let_in(exchanges: &mut Exchanges, end: u64, from: impl Fn(u64) -> SocketAddr) -> u64 {
        let before = exchanges.count;
        for n in 0..end {
            let _ = exchanges.decide(at(n), from(n), cookie(n), &MESSAGE);
        }
        exchanges.count - before
    }

    #[test]
    fn one_address_has_a_burst_and_then_its_rate() {
        let mut exchanges = Exchanges::default();
        assert_eq!(let_in(&mut exchanges, 10_000, |_| host(1)), 64 + 199);
        // Another one is not kept out by it.
        let other = exchanges.decide(at(10_000), host(2), cookie(1 << 40), &MESSAGE);
        assert_eq!(other, Decision::Read);
    }

    #[test]
    fn all_addresses_together_have_a_burst_and_then_a_rate() {
        let mut exchanges = Exchanges::default();
        let all = let_in(&mut exchanges, 10_000, |n| host(n as u16));
        assert_eq!(all, 128 + 1999);
        assert!(
            exchanges.addresses.len() <= 1024,
            "{}",
            exchanges.addresses.len()
        );
        assert!(exchanges.cookies.len() <= COOKIES);
    }

    #[test]
    fn hosts_of_one_network_of_ipv6_are_one() {
        let mut exchanges = Exchanges::default();
        let v6 = |n: u64| (Ipv6Addr::from_bits(0x2001_0db8 << 96 | u128::from(n)), 9).into();
        assert_eq!(let_in(&mut exchanges, 1000, v6), 64 + 19);
    }

    #[test]
    fn a_repeated_message_is_answered_as_before_and_a_cookie_is_used_up() {
        let mut exchanges = Exchanges::default();
        let decide =
            |exchanges: &mut Exchanges, n| exchanges.decide(at(0), host(1), cookie(1), &[n; FIRST]);
        assert_eq!(decide(&mut exchanges, 1), Decision::Read);
        assert_eq!(
            decide(&mut exchanges, 1),
            Decision::Drop,
            "not answered yet"
        );
        let refused = Outcome::Refused(Refusal::UnknownPeer);
        exchanges.note(cookie(1), refused);
        for _ in 0..1000 {
            assert_eq!(decide(&mut exchanges, 1), Decision::Again(refused));
        }
        for n in 2..=PER_COOKIE {
            assert_eq!(decide(&mut exchanges, n), Decision::Read);
        }
        assert_eq!(decide(&mut exchanges, 99), Decision::Drop);
        assert_eq!(exchanges.count, u64::from(PER_COOKIE));
    }

    #[test]
    fn old_cookies_are_forgotten() {
        let mut exchanges = Exchanges::default();
        for n in 0..2 * COOKIES as u64 {
            exchanges.show(cookie(n), &MESSAGE);
        }
        assert_eq!(
            (exchanges.cookies.len(), exchanges.order.len()),
            (COOKIES, COOKIES)
        );
    }
}
