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

/// Choice of the ends of a path that have a TCP proxy, so that this project's TCP sends over the links there; at an end
/// without a proxy, the system's own TCP sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Proxies at both ends of the path.
    Both,
    /// A proxy at the near end alone, from which packets go forward.
    Near,
    /// A proxy at the far end alone, to which packets go forward.
    Far,
}

/// TCP proxies at one or both ends of a path, without I/O: each [`Junction`] joins connections of the system's TCP to
/// connections of this project's TCP over the links. Every `way` is the direction of a packet over the links.
#[derive(Debug)]
pub struct Splice {
    /// At the near and the far device: by the direction of what comes from there.
    junctions: [Option<Junction>; 2],
}

impl Splice {
    /// TCP proxies at the ends `place`, whose connections over the links are configured as `links`. Initial sequence
    /// numbers follow from `secret`, which nobody else may know.
    pub fn new(place: Place, links: &EndpointConfig, secret: u128) -> Self {
        Self {
            junctions: [
                (place != Place::Far).then(|| junction(links.clone(), secret)),
                (place != Place::Near).then(|| junction(links.clone(), !secret)),
            ],
        }
    }

    /// Takes an IP packet from a device, bound in the direction `way`. False if no TCP proxy takes it, so that the
    /// caller has to send it on over the links as it is.
    pub fn from_device(&mut self, now: Time, way: Direction, packet: &[u8]) -> bool {
        self.take(now, way as usize, DEVICE, packet)
    }

    /// Takes an IP packet that came over the links in the direction `way`. False if no TCP proxy takes it, so that the
    /// caller has to send it on to the device as it is.
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

    /// Writes the next packet for the device at which `way` ends into `out`, which is emptied before. False if there is
    /// no packet now, or no TCP proxy at that end: without a proxy `out` stays as it is.
    pub fn to_device(&mut self, now: Time, way: Direction, out: &mut Vec<u8>) -> bool {
        self.transmit(now, 1 - way as usize, DEVICE, out)
    }

    /// Writes the next packet to send over the links in the direction `way` into `out`, which is emptied before. False
    /// if there is no packet now, or no TCP proxy where `way` begins: without a proxy `out` stays as it is.
    pub fn to_links(&mut self, now: Time, way: Direction, out: &mut Vec<u8>) -> bool {
        self.transmit(now, way as usize, LINKS, out)
    }

    /// Lets the TCP timers that are due at `now` expire.
    pub fn poll(&mut self, now: Time) {
        for junction in self.junctions.iter_mut().flatten() {
            junction.poll(now);
        }
    }

    /// Time at which [`Self::poll`] is due; `None` if no timer runs.
    pub fn deadline(&self) -> Option<Time> {
        let junctions = self.junctions.iter().flatten();
        junctions.filter_map(Junction::deadline).min()
    }

    /// Sums of the counters (such as segments and timeouts) of this project's TCP senders over the links, for data that
    /// go forward, then for data that go back (by [`Direction`]); `None` where the system's own TCP sends.
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
