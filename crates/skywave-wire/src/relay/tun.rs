//! Whole IP packets between two TUN devices: a router with the path between its interfaces.

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, OwnedFd};

use skywave_core::Duration;
use skywave_core::tcp::wire::ip;
use thiserror::Error;
use tun_rs::{DeviceBuilder, SyncDevice};

use super::drive::{Ends, Sent};
use super::machine::Direction;
use super::report::Troubles;
use crate::system;

/// Reason why a TUN device cannot be made.
#[derive(Debug, Error)]
pub enum TunError {
    /// The process may not make the device of this name: it needs root or the capability `CAP_NET_ADMIN`.
    #[error("cannot make the TUN device {0}: this needs root (or the capability CAP_NET_ADMIN)")]
    NotAllowed(String),
    /// The system has no TUN devices, so that there is none of this name.
    #[error("cannot make the TUN device {0}: the system has no /dev/net/tun")]
    NoTun(String),
    /// The system refuses the device for another reason.
    #[error("cannot make the TUN device {name}: {source}")]
    Other {
        /// Name of the device.
        name: String,
        /// The system's reason.
        source: io::Error,
    },
}

impl TunError {
    pub(crate) fn other(name: &str, source: io::Error) -> Self {
        Self::Other {
            name: name.to_owned(),
            source,
        }
    }
}

/// Two TUN devices as the ends of a relay of whole IP packets; packets that come from the first one go forward.
///
/// The devices have no addresses and are down at first, and may be moved to other network namespaces.
#[derive(Debug)]
pub struct TunEnds {
    devices: [OwnedFd; 2],
    ready: VecDeque<usize>,
    /// Leave out what the system says by itself.
    is_quiet: bool,
}

impl TunEnds {
    /// Makes two TUN devices of these names, the near one first; they are gone when this value is dropped.
    pub fn open(names: [&str; 2]) -> Result<Self, TunError> {
        let [first, second] = names.map(|name| {
            let device = tun(DeviceBuilder::new().name(name).enable(false), name)?;
            let file = device.as_fd().try_clone_to_owned();
            file.map_err(|source| TunError::other(name, source))
        });
        Ok(Self {
            devices: [first?, second?],
            ready: VecDeque::new(),
            is_quiet: false,
        })
    }
}

/// Devices that are there already, to be read without waiting, between which only programs' packets go.
impl From<[OwnedFd; 2]> for TunEnds {
    fn from(devices: [OwnedFd; 2]) -> Self {
        Self {
            devices,
            ready: VecDeque::new(),
            is_quiet: true,
        }
    }
}

impl Ends for TunEnds {
    type Address = ();

    fn wait(&mut self, at_most: Duration) -> io::Result<()> {
        let ready = &mut self.ready;
        ready.clear();
        system::wait(self.devices.iter(), at_most, |n| ready.push_back(n))
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<(Direction, (), usize)>> {
        while let Some(side) = self.ready.pop_front() {
            match rustix::io::read(&self.devices[side], &mut *buffer).map_err(io::Error::from) {
                Ok(length) => {
                    if self.is_quiet && is_membership(&buffer[..length]) {
                        // This side waits for the next turn, so that a flood of them does not keep the relay here.
                        continue;
                    }
                    self.ready.push_back(side);
                    let direction = [Direction::Forward, Direction::Back][side];
                    return Ok(Some((direction, (), length)));
                }
                Err(error) => match error.kind() {
                    ErrorKind::WouldBlock => {}
                    ErrorKind::Interrupted => self.ready.push_back(side),
                    _ => return Err(error),
                },
            }
        }
        Ok(None)
    }

    fn fragile(&self, packet: &[u8]) -> Option<usize> {
        // TCP alone: a datagram of UDP may have no checksum.
        let packet = ip::parse(packet).ok()?;
        (packet.header.protocol == ip::TCP).then_some(packet.offset)
    }

    fn send(&mut self, direction: Direction, (): (), packet: &[u8]) -> Sent {
        let to = match direction {
            Direction::Forward => &self.devices[1],
            Direction::Back => &self.devices[0],
        };
        // A device that is down takes nothing.
        match rustix::io::write(to, packet) {
            Ok(_) => Sent::Taken,
            Err(error) => Sent::Refused(Some(error.raw_os_error())),
        }
    }

    fn troubles(&self) -> Troubles {
        Troubles::default()
    }
}

/// Whether the system says by this packet in which groups of IPv6 it is (MLD, RFC 2710 and RFC 3810), which nobody wants
/// to know: ICMPv6 behind a header of hop-by-hop options.
fn is_membership(packet: &[u8]) -> bool {
    const HEADER: usize = 40;
    const HOP_BY_HOP: u8 = 0;
    const ICMP: u8 = 58;
    // Report and done of version 1, report of version 2.
    const TYPES: [u8; 3] = [131, 132, 143];

    let Some((header, [next, length, rest @ ..])) = packet.split_at_checked(HEADER) else {
        return false;
    };
    // The length is in units of 8 bytes without the first one, and `rest` begins at its third byte.
    let kind = rest.get(8 * usize::from(*length) + 6);
    header[0] >> 4 == 6
        && header[6] == HOP_BY_HOP
        && *next == ICMP
        && kind.is_some_and(|kind| TYPES.contains(kind))
}

/// Makes the device of this name, to be read without waiting.
pub(crate) fn tun(device: DeviceBuilder, name: &str) -> Result<SyncDevice, TunError> {
    let failed = |source: io::Error| match source.kind() {
        ErrorKind::PermissionDenied => TunError::NotAllowed(name.to_owned()),
        ErrorKind::NotFound => TunError::NoTun(name.to_owned()),
        _ => TunError::other(name, source),
    };
    let device = device.build_sync().map_err(failed)?;
    device.set_nonblocking(true).map_err(failed)?;
    Ok(device)
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixDatagram;

    use super::*;

    /// A packet of IPv6 to `group` (its last two bytes) of ff02::/16, with this next header and what comes after.
    fn packet(group: [u8; 2], next: u8, rest: &[u8]) -> Vec<u8> {
        let mut packet = vec![0; 40];
        packet[0] = 0x60;
        packet[6] = next;
        packet[24..26].copy_from_slice(&[0xff, 0x02]);
        packet[38..].copy_from_slice(&group);
        packet.extend(rest);
        packet
    }

    /// Hop-by-hop options with the router alert, then a message of ICMPv6.
    fn icmp(kind: u8) -> Vec<u8> {
        packet([0, 0x16], 0, &[58, 0, 5, 2, 0, 0, 1, 0, kind, 0, 0, 0])
    }

    #[test]
    fn only_reports_of_groups_are_left_out() {
        assert!([131, 132, 143].map(icmp).iter().all(|p| is_membership(p)));
        // An echo behind options, an echo to all of the link, mDNS, and IPv4.
        let ping = packet([0, 1], 58, &[128, 0, 0, 0]);
        let mdns = packet([0, 0xfb], 17, &[0x14, 0xe9, 0x14, 0xe9]);
        for passes in [icmp(128), ping, mdns, vec![0x45; 60]] {
            assert!(!is_membership(&passes), "{passes:?}");
        }
        // Longer options.
        let mut long = vec![58, 1];
        long.extend([0; 14]);
        assert!(!is_membership(&packet([0, 0x16], 0, &long)));
        long.push(143);
        assert!(is_membership(&packet([0, 0x16], 0, &long)));
        for cut in 0..48 {
            assert!(!is_membership(&icmp(143)[..cut]), "{cut}");
        }
    }

    #[test]
    fn a_flood_of_what_is_left_out_keeps_nothing_from_its_turn() {
        let pair = || UnixDatagram::pair().unwrap();
        let ((near, programs), (far, _others)) = (pair(), pair());
        for end in [&near, &far] {
            end.set_nonblocking(true).unwrap();
        }
        let mut ends = TunEnds::from([near.into(), far.into()]);
        for sent in [icmp(143), icmp(143), icmp(128)] {
            programs.send(&sent).unwrap();
        }
        let mut buffer = [0; 100];
        let mut turn = || {
            ends.wait(Duration::ZERO).unwrap();
            ends.receive(&mut buffer).unwrap()
        };
        // One is read in each turn, however many there are.
        assert_eq!(turn(), None);
        assert_eq!(turn(), None);
        assert_eq!(turn(), Some((Direction::Forward, (), icmp(128).len())));
        assert_eq!(turn(), None);
    }
}
