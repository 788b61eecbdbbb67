//! Whole IP packets between two TUN devices: a router with the path between its interfaces.

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, OwnedFd};

use skywave_core::Duration;
use thiserror::Error;
use tun_rs::{DeviceBuilder, SyncDevice};

use super::drive::{Ends, Sent};
use super::machine::Direction;
use super::report::Troubles;
use crate::system;

/// Why there is no such device.
#[derive(Debug, Error)]
pub enum TunError {
    /// This takes rights.
    #[error("cannot make the TUN device {0}: this needs root (or the capability CAP_NET_ADMIN)")]
    NotAllowed(String),
    /// The system has no TUN devices.
    #[error("cannot make the TUN device {0}: the system has no /dev/net/tun")]
    NoTun(String),
    /// Another reason.
    #[error("cannot make the TUN device {name}: {source}")]
    Other {
        /// Its name.
        name: String,
        /// The system's reason.
        source: io::Error,
    },
}

impl TunError {
    fn other(name: &str, source: io::Error) -> Self {
        Self::Other {
            name: name.to_owned(),
            source,
        }
    }
}

/// Two TUN devices; packets that come from the first one go forward.
///
/// They have no addresses and are down at first, and may be moved to other network namespaces.
#[derive(Debug)]
pub struct TunEnds {
    devices: [OwnedFd; 2],
    ready: VecDeque<usize>,
    /// Leave out what the system says by itself.
    is_quiet: bool,
}

impl TunEnds {
    /// Makes the devices, which are gone when this is dropped.
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
                    self.ready.push_back(side);
                    if self.is_quiet && is_of_the_link(&buffer[..length]) {
                        continue;
                    }
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

    fn send(&mut self, direction: Direction, (): (), packet: &[u8]) -> Sent {
        let to = match direction {
            Direction::Forward => &self.devices[1],
            Direction::Back => &self.devices[0],
        };
        // A device that is down takes nothing.
        match rustix::io::write(to, packet) {
            Ok(_) => Sent::Taken,
            Err(error) => Sent::Refused(error.raw_os_error()),
        }
    }

    fn troubles(&self) -> Troubles {
        Troubles::default()
    }
}

/// Whether it is for all of a link in IPv6 (ff02::/16, RFC 4291 section 2.7): the system says by such packets in which
/// groups it is (MLD), and nobody wants to know.
fn is_of_the_link(packet: &[u8]) -> bool {
    matches!(packet, [version, rest @ ..] if version >> 4 == 6 && rest.get(23..25) == Some(&[0xff, 0x02]))
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
