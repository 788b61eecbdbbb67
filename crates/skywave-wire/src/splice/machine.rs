//! Both junctions, and which packets are theirs.

use skywave_core::Time;
use skywave_core::tcp::config::{Composition, Profile, TcpConfig};
use skywave_core::tcp::preset;

use crate::relay::Direction;
use crate::tcp::{EndpointConfig, Junction, Role, Side, Totals, concerns_tcp};

/// Side of a junction towards its device, and towards the links.
const DEVICE: Side = Side::First;
const LINKS: Side = Side::Second;

/// The sender towards devices, on which nothing is lost: the systems' own.
const PLAIN: &str = "linux";

/// A junction at each end of a path, or at the near one alone, without I/O. Directions are those of packets over the links.
#[derive(Debug)]
pub struct Splice {
    /// At the near and the far device: by the direction of what comes from there.
    junctions: [Option<Junction>; 2],
}

impl Splice {
    /// Junctions whose connections over the links have this composition, with the defaults of a stack. `secret` is for
    /// initial numbers.
    pub fn new(profile: Profile, composition: &Composition, secret: u128) -> Self {
        let links = EndpointConfig::new(Role::Host, profile, composition.clone());
        Self {
            junctions: [secret, !secret].map(|secret| Some(junction(links.clone(), secret))),
        }
    }

    /// A junction at the near end, whose connections over the links are configured like this: their other ends are the
    /// far device's own.
    pub fn at_near(tcp: TcpConfig, secret: u128) -> Self {
        let links = EndpointConfig::of(Role::Host, tcp);
        Self {
            junctions: [Some(junction(links, secret)), None],
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

    /// Totals of the senders over the links, by the direction of their data.
    pub fn totals(&self) -> [Totals; 2] {
        self.junctions.each_ref().map(|junction| {
            let junction = junction.as_ref();
            junction.map_or_else(Totals::default, |junction| junction.totals(LINKS))
        })
    }
}

fn junction(links: EndpointConfig, secret: u128) -> Junction {
    let plain = preset(PLAIN).map(|preset| preset.composition.clone());
    let plain = plain.unwrap_or_else(|| links.connection.tcp.composition.clone());
    let device = EndpointConfig::new(Role::Device, Profile::Linux, plain);
    Junction::new([device, links], secret)
}
