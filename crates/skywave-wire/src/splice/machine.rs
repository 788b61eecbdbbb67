//! Both junctions, and which packets are theirs.

use skywave_core::Time;
use skywave_core::tcp::config::{Composition, Profile};
use skywave_core::tcp::preset;

use crate::relay::Direction;
use crate::tcp::{EndpointConfig, Junction, Role, Side, Totals, concerns_tcp};

/// Side of a junction towards its device, and towards the links.
const DEVICE: Side = Side::First;
const LINKS: Side = Side::Second;

/// The sender towards devices, on which nothing is lost: the systems' own.
const PLAIN: &str = "linux";

/// A junction at each end of a path, without I/O. Directions are those of packets over the links.
#[derive(Debug)]
pub struct Splice {
    /// At the near and the far device: by the direction of what comes from there.
    junctions: [Junction; 2],
}

impl Splice {
    /// Junctions whose connections over the links have this composition, with the defaults of a stack. `secret` is for
    /// initial numbers.
    pub fn new(profile: Profile, composition: &Composition, secret: u128) -> Self {
        let plain = preset(PLAIN).map_or_else(|| composition.clone(), |p| p.composition.clone());
        let junction = |secret| {
            let device = EndpointConfig::new(Role::Device, Profile::Linux, plain.clone());
            let links = EndpointConfig::new(Role::Host, profile, composition.clone());
            Junction::new([device, links], secret)
        };
        Self {
            junctions: [junction(secret), junction(!secret)],
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
        let is_ours = concerns_tcp(packet);
        if is_ours {
            // What is damaged is dropped.
            let _ = self.junctions[junction].receive(now, side, packet);
        }
        is_ours
    }

    /// Writes the next packet that goes this way to a device.
    pub fn to_device(&mut self, now: Time, way: Direction, out: &mut Vec<u8>) -> bool {
        self.junctions[1 - way as usize].transmit(now, DEVICE, out)
    }

    /// Writes the next packet that goes this way over the links.
    pub fn to_links(&mut self, now: Time, way: Direction, out: &mut Vec<u8>) -> bool {
        self.junctions[way as usize].transmit(now, LINKS, out)
    }

    /// Lets the timers that are due expire.
    pub fn poll(&mut self, now: Time) {
        for junction in &mut self.junctions {
            junction.poll(now);
        }
    }

    /// When [`Self::poll`] is due.
    pub fn deadline(&self) -> Option<Time> {
        self.junctions.iter().filter_map(Junction::deadline).min()
    }

    /// Totals of the senders over the links, by the direction of their data.
    pub fn totals(&self) -> [Totals; 2] {
        self.junctions
            .each_ref()
            .map(|junction| junction.totals(LINKS))
    }
}
