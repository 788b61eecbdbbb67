//! Hosts that have shown nothing yet: how many there may be, from which networks, and who goes when there are more.
//!
//! Whoever has one address often has a whole network of them. So strangers are counted by networks of several sizes, and when
//! there are too many, the oldest of the network that has most of them goes, those first whose network has only
//! brought strangers that went without a word. However many come from some networks, a host from another one finds room.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

use tokio::sync::Notify;

use crate::network::STRANGERS;

/// The sizes of networks, as bits of IPv4's and IPv6's addresses, and how many strangers may be of one: of an address or what
/// a host has in IPv6, of what a customer has, and of the most that one has.
const NETWORKS: [(u32, u32, usize); 3] = [(32, 64, 16), (24, 56, 24), (24, 48, 32)];
/// The last of them.
const WIDEST: usize = NETWORKS.len() - 1;
/// Places that networks do not get whose strangers have shown nothing.
const KEPT: usize = STRANGERS / 4;
/// Networks that are remembered because their strangers showed nothing.
const REMEMBERED: usize = 1024;

/// A network of one of the sizes.
type Network = (bool, u128);

/// Strangers that are there, the oldest first, and the networks whose strangers showed nothing.
#[derive(Default)]
pub(super) struct Strangers {
    inside: VecDeque<Stranger>,
    silent: VecDeque<Network>,
    next: u64,
}

struct Stranger {
    number: u64,
    networks: [Network; NETWORKS.len()],
    goes: Arc<Notify>,
}

/// The networks of an address.
fn networks(address: IpAddr) -> [Network; NETWORKS.len()] {
    let address = address.to_canonical();
    NETWORKS.map(|(v4, v6, _)| match address {
        IpAddr::V4(ip) => (false, u128::from(ip.to_bits() >> (32 - v4))),
        IpAddr::V6(ip) => (true, ip.to_bits() >> (128 - v6)),
    })
}

/// Whom an address belongs to: hosts have whole networks of IPv6 (RFC 6177).
pub(super) fn owner(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & !u128::from(u64::MAX))),
        v4 @ IpAddr::V4(_) => v4,
    }
}

impl Strangers {
    /// One more, unless there is no room: its number, and who tells it that it has to go.
    pub(super) fn enter(&mut self, address: IpAddr) -> Option<(u64, Arc<Notify>)> {
        let networks = networks(address);
        if let Some(crowded) = self.crowded(&networks) {
            self.dismiss(crowded);
        } else {
            let is_silent = self.silent.contains(&networks[WIDEST]);
            let room = if is_silent {
                STRANGERS - KEPT
            } else {
                STRANGERS
            };
            if self.inside.len() >= room {
                let (worst, worst_is_silent) = self.worst()?;
                if is_silent && !worst_is_silent {
                    return None;
                }
                self.dismiss(worst);
            }
        }
        self.next += 1;
        let goes = Arc::new(Notify::new());
        self.inside.push_back(Stranger {
            number: self.next,
            networks,
            goes: goes.clone(),
        });
        Some((self.next, goes))
    }

    /// The oldest of a network that has as many as it may.
    fn crowded(&self, networks: &[Network; NETWORKS.len()]) -> Option<usize> {
        NETWORKS
            .iter()
            .enumerate()
            .find_map(|(size, (_, _, most))| {
                let is_of = |other: &Stranger| other.networks[size] == networks[size];
                let count = self.inside.iter().filter(|other| is_of(other)).count();
                (count >= *most).then(|| self.inside.iter().position(is_of))?
            })
    }

    /// Place of the stranger that goes first, and whether it is of a network that showed nothing.
    fn worst(&self) -> Option<(usize, bool)> {
        let of = |stranger: &Stranger| stranger.networks[WIDEST];
        let places = self.inside.iter().enumerate().map(|(place, stranger)| {
            let network = of(stranger);
            let same = self.inside.iter().filter(|other| of(other) == network);
            (self.silent.contains(&network), same.count(), Reverse(place))
        });
        let (is_silent, _, Reverse(place)) = places.max()?;
        Some((place, is_silent))
    }

    fn dismiss(&mut self, place: usize) {
        if let Some(stranger) = self.inside.remove(place) {
            // Also if nobody waits for it yet.
            stranger.goes.notify_one();
            self.note(stranger.networks[WIDEST], false);
        }
    }

    /// Removes a stranger that has gone, or is none any more since it `showed` who it is.
    pub(super) fn leave(&mut self, number: u64, showed: bool) {
        let found = self.inside.iter().position(|other| other.number == number);
        if let Some(stranger) = found.and_then(|place| self.inside.remove(place)) {
            self.note(stranger.networks[WIDEST], showed);
        }
    }

    fn note(&mut self, network: Network, showed: bool) {
        self.silent.retain(|other| *other != network);
        if !showed {
            self.silent.truncate(REMEMBERED - 1);
            self.silent.push_front(network);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(strangers: &Strangers, network: &str, size: usize) -> usize {
        let wanted = networks(network.parse().expect("an address"))[size];
        let same = strangers
            .inside
            .iter()
            .filter(|s| s.networks[size] == wanted);
        same.count()
    }

    fn enter(strangers: &mut Strangers, address: &str) -> Option<(u64, Arc<Notify>)> {
        strangers.enter(address.parse().expect("an address"))
    }

    #[test]
    fn one_network_does_not_take_all_places() {
        type Address = fn(usize) -> String;
        let networks: [(Address, usize); 5] = [
            (|_| "::ffff:192.0.2.1".to_owned(), 16),
            (|n| format!("198.51.100.{}", n % 4), 24),
            (|n| format!("2001:db8:8:ff01::{n:x}"), 16),
            (|n| format!("2001:db8:7:{n:x}::1"), 24),
            (|n| format!("2001:db8:7:{n:x}00::1"), 32),
        ];
        for (address, most) in networks {
            let mut strangers = Strangers::default();
            for n in 0..200 {
                assert!(enter(&mut strangers, &address(n)).is_some());
            }
            assert_eq!(strangers.inside.len(), most, "{}", address(7));
        }
    }

    #[test]
    fn the_oldest_of_the_largest_network_makes_room() {
        let mut strangers = Strangers::default();
        for n in 0..STRANGERS {
            let network = if n % 4 == 0 { n } else { n % 4 };
            assert!(enter(&mut strangers, &format!("198.51.{network}.1")).is_some());
        }
        let oldest = all(&strangers, "198.51.1.1", WIDEST);
        let (honest, goes) = enter(&mut strangers, "203.0.113.9").expect("room");
        assert_eq!(all(&strangers, "198.51.1.1", WIDEST), oldest - 1);
        // More of those that were there do not take its place.
        for n in 0..1000 {
            enter(&mut strangers, &format!("198.51.{}.1", 1 + n % 3));
        }
        assert!(strangers.inside.iter().any(|other| other.number == honest));
        assert_eq!(Arc::strong_count(&goes), 2, "it was not told to go");
    }

    #[test]
    fn networks_that_show_nothing_leave_room_for_others() {
        let mut strangers = Strangers::default();
        let silent = |n: usize| format!("198.{}.{}.1", n / 256, n % 256);
        for n in 0..300 {
            if let Some((number, _)) = enter(&mut strangers, &silent(n)) {
                strangers.leave(number, false);
            }
        }
        for n in 0..300 {
            enter(&mut strangers, &silent(n));
        }
        assert_eq!(strangers.inside.len(), STRANGERS - KEPT);
        let honest: Vec<_> = (0..KEPT)
            .map(|n| {
                enter(&mut strangers, &format!("203.0.{n}.9"))
                    .expect("room")
                    .0
            })
            .collect();
        for n in 0..300 {
            enter(&mut strangers, &silent(n));
        }
        let is_in = |number: &u64| strangers.inside.iter().any(|other| other.number == *number);
        assert!(honest.iter().all(is_in));
        // Who shows something is like all others again.
        let (number, _) = enter(&mut strangers, &silent(7)).expect("room");
        strangers.leave(number, true);
        assert!(
            !strangers
                .silent
                .contains(&networks(silent(7).parse().expect("an address"))[WIDEST])
        );
    }
}
