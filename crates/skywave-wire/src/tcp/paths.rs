//! Largest packets by destination, as routers have told of them (RFC 1191, RFC 8201).

use std::collections::HashMap;
use std::net::IpAddr;

use skywave_core::{Duration, Time};

/// How long a smaller size is believed (RFC 1191 section 6.3).
const BELIEVED: Duration = Duration::from_secs(600);

/// Destinations that are remembered; beyond, the one that has been for longest makes room.
const MOST: usize = 1024;

/// Bytes that every path carries: RFC 8200 section 5, and for IPv4 as Linux has it (`net.ipv4.route.min_pmtu`).
const LEAST_V6: u16 = 1280;
const LEAST_V4: u16 = 552;

/// Sizes that are smaller than the device's.
#[derive(Debug)]
pub(super) struct Paths {
    device: u16,
    known: HashMap<IpAddr, (u16, Time)>,
}

impl Paths {
    pub(super) fn new(device: u16) -> Self {
        Self {
            device,
            known: HashMap::new(),
        }
    }

    /// Bytes of the largest packet to a host.
    pub(super) fn mtu(&self, to: IpAddr, now: Time) -> u16 {
        match self.known.get(&to) {
            Some(&(mtu, since)) if now.since(since) < BELIEVED => mtu,
            _ => self.device,
        }
    }

    /// A router says that its next link carries `mtu` bytes. A larger size than known is not believed.
    pub(super) fn learn(&mut self, to: IpAddr, mtu: u16, now: Time) {
        let least = if to.is_ipv4() { LEAST_V4 } else { LEAST_V6 };
        let mtu = mtu.max(least);
        if mtu >= self.mtu(to, now) {
            return;
        }
        if self.known.len() >= MOST && !self.known.contains_key(&to) {
            let oldest = self.known.iter().min_by_key(|(_, (_, since))| *since);
            if let Some(oldest) = oldest.map(|(&to, _)| to) {
                self.known.remove(&oldest);
            }
        }
        self.known.insert(to, (mtu, now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smaller_size_is_believed_for_ten_minutes_and_none_below_the_least() {
        let mut paths = Paths::new(1500);
        let (four, six) = ([10, 0, 0, 1].into(), "fd00::1".parse().unwrap());
        paths.learn(four, 1400, Time::ZERO);
        paths.learn(four, 1450, Time::ZERO);
        paths.learn(six, 68, Time::ZERO);
        let at = |seconds| Time::ZERO + Duration::from_secs(seconds);
        assert_eq!(
            (paths.mtu(four, at(599)), paths.mtu(six, at(1))),
            (1400, 1280)
        );
        assert_eq!(paths.mtu(four, at(600)), 1500);
        paths.learn(four, 0, at(1));
        assert_eq!(paths.mtu(four, at(2)), 552);
    }

    #[test]
    fn destinations_are_bounded() {
        let mut paths = Paths::new(1500);
        for n in 0..5000_u32 {
            paths.learn(
                IpAddr::from(n.to_be_bytes()),
                1000,
                Time::from_nanos(n.into()),
            );
        }
        assert_eq!(paths.known.len(), MOST);
    }
}
