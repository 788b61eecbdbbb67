//! The machine around the ends of a relay.

use std::collections::VecDeque;
use std::io;
use std::time::Instant;

use skywave_core::{Duration, Time};

use super::machine::Splice;
use crate::relay::{Direction, Ends, Sent, Troubles};
use crate::system;
use crate::tcp::Totals;

/// Packets read from devices before anything is answered: several are answered by fewer acknowledgements.
const BATCH: usize = 64;

const WAYS: [Direction; 2] = [Direction::Forward, Direction::Back];

/// Ends of a relay with a [`Splice`] between them and the links: it terminates the TCP connections of the systems at
/// the ends and carries their data over the links by this project's TCP. All other packets pass as they came.
#[derive(Debug)]
pub struct Spliced<E> {
    ends: E,
    splice: Splice,
    origin: Instant,
    /// Packets that go on as they came.
    passing: VecDeque<(Direction, Vec<u8>)>,
    /// Nothing waits to be sent.
    is_quiet: bool,
    packet: Vec<u8>,
}

impl<E: Ends<Address = ()>> Spliced<E> {
    /// Puts `splice` between these ends and the links of a relay.
    pub fn new(ends: E, splice: Splice) -> Self {
        Self {
            ends,
            splice,
            origin: Instant::now(),
            passing: VecDeque::new(),
            is_quiet: false,
            packet: Vec::new(),
        }
    }

    /// Sums of the counters (such as segments and timeouts) of this project's TCP senders over the links, for data that
    /// go forward, then for data that go back (by [`Direction`]); `None` where the system's own TCP sends.
    pub fn totals(&self) -> [Option<Totals>; 2] {
        self.splice.totals()
    }

    fn now(&self) -> Time {
        system::since(self.origin)
    }

    /// Reads what has come from the devices.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<()> {
        for _ in 0..BATCH {
            let Some((way, (), length)) = self.ends.receive(buffer)? else {
                break;
            };
            let (now, packet) = (self.now(), &buffer[..length]);
            if !self.splice.from_device(now, way, packet) {
                self.passing.push_back((way, packet.to_vec()));
            }
        }
        Ok(())
    }

    /// Sends what goes to the devices. What follows from that for the links may be there afterwards.
    fn write(&mut self, now: Time) {
        for way in WAYS {
            while self.splice.to_device(now, way, &mut self.packet) {
                self.is_quiet = false;
                // A device that is full loses it, and it is sent again.
                let _ = self.ends.send(way, (), &self.packet);
            }
        }
    }
}

impl<E: Ends<Address = ()>> Ends for Spliced<E> {
    type Address = ();

    fn wait(&mut self, at_most: Duration) -> io::Result<()> {
        let now = self.now();
        self.write(now);
        let until = self.splice.deadline().map(|at| at.since(now));
        let asleep = until.map_or(at_most, |due| due.saturating_sub(system::AWAKE));
        let asleep = if self.is_quiet {
            asleep
        } else {
            Duration::ZERO
        };
        self.ends.wait(asleep.min(at_most))
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<(Direction, (), usize)>> {
        self.read(buffer)?;
        let now = self.now();
        self.splice.poll(now);
        self.write(now);
        if let Some((way, packet)) = self.passing.pop_front() {
            buffer[..packet.len()].copy_from_slice(&packet);
            self.is_quiet = false;
            return Ok(Some((way, (), packet.len())));
        }
        for way in WAYS {
            if self.splice.to_links(now, way, &mut self.packet) {
                buffer[..self.packet.len()].copy_from_slice(&self.packet);
                self.is_quiet = false;
                return Ok(Some((way, (), self.packet.len())));
            }
        }
        self.is_quiet = true;
        Ok(None)
    }

    fn fragile(&self, packet: &[u8]) -> Option<usize> {
        self.ends.fragile(packet)
    }

    fn send(&mut self, direction: Direction, (): (), packet: &[u8]) -> Sent {
        let now = self.now();
        if self.splice.from_links(now, direction, packet) {
            self.is_quiet = false;
            return Sent::Taken;
        }
        self.ends.send(direction, (), packet)
    }

    fn troubles(&self) -> Troubles {
        self.ends.troubles()
    }
}
