//! The junctions, and which packets are theirs.

use skywave_core::Time;
use skywave_core::tcp::Profile;
use skywave_core::tcp::preset;

use crate::relay::Direction;
use crate::tcp::{EndpointConfig, Junction, Role, Side, Totals, concerns_tcp};

/// Side of a junction towards its device, and towards the links.
const DEVICE: Side = Side::First;
const LINKS: Side = Side::Second;

/// The sender towards devices, on which nothing is lost: the systems' own.
const PLAIN: &str = "linux";

/// Where on a path the sender of our own is; at an end without it the system's TCP is at the link itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Both ends.
    Both,
    /// The end from which packets go forward.
    Near,
    /// The other end.
    Far,
}

/// A junction at one or each end of a path, without I/O. Directions are those of packets over the links.
#[derive(Debug)]
pub struct Splice {
    /// At the near and the far device: by the direction of what comes from there.
    junctions: [Option<Junction>; 2],
}

impl Splice {
    /// Junctions whose connections over the links are configured like this. `secret` is for initial numbers.
    pub fn new(place: Place, links: &EndpointConfig, secret: u128) -> Self {
        Self {
            junctions: [
                (place != Place::Far).then(|| junction(links.clone(), secret)),
                (place != Place::Near).then(|| junction(links.clone(), !secret)),
            ],
        }
    }

    /// Takes a packet that came from a device and would go this way; false if it is to go on as it is.
    pub fn from_device(&mut self, now: Time, way: Direction, packet: &[u8]) -> bool {
        self.take(now, way as usize, DEVICE, packet)
    }

    /// Takes a packet that came this way over the links; false if it is to go on as it is.
    pub fn from_links(&mut self, now: Time, way: Direction, packet: &[u8]) -> bool {
        self.take(now, 1 - way as usize, LINKS, packet)
    }

    fn take(&mut self, now: Time, junction: usize, side: Side, packet: &[u8]) -> bool {
        let Some(junction) = &mut self.junctions[junction] else {
            return false;
        };
        let is_ours = concerns_tcp(packet);
        if is_ours {
            // What is damaged is dropped.
            let _ = junction.receive(now, side, packet);
        }
        is_ours
    }

    fn transmit(&mut self, now: Time, junction: usize, side: Side, out: &mut Vec<u8>) -> bool {
        let junction = self.junctions[junction].as_mut();
        junction.is_some_and(|junction| junction.transmit(now, side, out))
    }

    /// Writes the next packet that goes this way to a device.
    pub fn to_device(&mut self, now: Time, way: Direction, out: &mut Vec<u8>) -> bool {
        self.transmit(now, 1 - way as usize, DEVICE, out)
    }

    /// Writes the next packet that goes this way over the links.
    pub fn to_links(&mut self, now: Time, way: Direction, out: &mut Vec<u8>) -> bool {
        self.transmit(now, way as usize, LINKS, out)
    }

    /// Lets the timers that are due expire.
    pub fn poll(&mut self, now: Time) {
        for junction in self.junctions.iter_mut().flatten() {
            junction.poll(now);
        }
    }

    /// When [`Self::poll`] is due.
    pub fn deadline(&self) -> Option<Time> {
        let junctions = self.junctions.iter().flatten();
        junctions.filter_map(Junction::deadline).min()
    }

    /// Totals of our senders over the links, by the direction of their data.
    pub fn totals(&self) -> [Option<Totals>; 2] {
        self.junctions
            .each_ref()
            .map(|junction| Some(junction.as_ref()?.totals(LINKS)))
    }
}

fn junction(links: EndpointConfig, secret: u128) -> Junction {
    let plain = preset(PLAIN).map(|preset| preset.composition.clone());
    let plain = plain.unwrap_or_else(|| links.connection.tcp.composition.clone());
    let device = EndpointConfig::new(Role::Device, Profile::Linux, plain);
    Junction::new([device, links], secret)
}
