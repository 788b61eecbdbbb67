//! The relay on a clock: one thread that reads, waits and lets go.
//!
//! The thread stops sleeping 80 µs before something is due, because a sleeping thread is woken 50 µs late. Time
//! begins with the first packet, so that blackouts and traces are at the same place of every transfer.

use std::collections::BTreeMap;
use std::io;
use std::time::Instant;

use skywave_core::{Duration, Time};

use super::Lateness;
use super::machine::{Cause, Course, Direction, Outcome, Relay};
use super::report::{Report, Troubles, WayReport};
use super::watch::{End, Watch};
use crate::system;

/// Number of packets read before the relay looks what is due.
const BATCH: usize = 64;

/// Time between two questions whether to go on.
const TICK: Duration = Duration::from_millis(100);

/// The longest packet: an IP packet's length has 16 bits.
const LONGEST: usize = 1 << 16;

/// Buffers kept for the next packets.
const SPARE: usize = 1024;

/// Sources and destinations of a relay's packets, such as sockets or TUN devices: the I/O that [`drive`] uses.
pub trait Ends {
    /// Identity of the client that a packet belongs to, whichever way the packet goes; `()` if there are no clients to
    /// tell apart.
    type Address: Copy;

    /// Waits until a packet can be read, at most for `at_most`. An error ends the relay.
    fn wait(&mut self, at_most: Duration) -> io::Result<()>;

    /// Reads a packet into `buffer`, after [`Ends::wait`]. Returns the packet's direction, its client and its length in
    /// bytes; `None` if no packet is there.
    fn receive(
        &mut self,
        buffer: &mut [u8],
    ) -> io::Result<Option<(Direction, Self::Address, usize)>>;

    /// Offset in a packet from which on a flipped bit is found by a checksum at the packet's receiver, and so harms
    /// only this packet. `None` if there is no such place: a damaged packet is then dropped instead of sent with a
    /// wrong bit.
    fn fragile(&self, _packet: &[u8]) -> Option<usize> {
        None
    }

    /// Sends a packet on in `direction`, for the client `address`.
    fn send(&mut self, direction: Direction, address: Self::Address, packet: &[u8]) -> Sent;

    /// Counts so far of packets lost at these ends.
    fn troubles(&self) -> Troubles;
}

/// Result of [`Ends::send`]: whether the system took the packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// The system took the packet.
    Taken,
    /// The system refused the packet, with this error number if it gave one.
    Refused(Option<i32>),
    /// The client that the packet was for is gone, and another client has its place.
    Gone,
}

/// A packet within a relay: its bytes, its number from 0 in the order of arrival (both directions together), and the
/// client that it belongs to, whichever way it goes ([`Ends::Address`]).
#[derive(Clone, Debug)]
pub struct Parcel<A> {
    address: A,
    bytes: Vec<u8>,
    /// Packets that came before it.
    number: u64,
}

/// State of a running relay, as [`drive`] shows it to its caller, for a line of status.
#[derive(Debug)]
pub struct View<'a> {
    /// Time since the first packet.
    pub elapsed: Duration,
    /// Counts of packets so far, forward first, then back (by [`Direction`]).
    pub ways: &'a [WayReport; 2],
    /// Packets waiting in the links' queues now, forward first, then back (by [`Direction`]).
    pub queued: [u32; 2],
    /// Histogram of how late packets left so far.
    pub lateness: &'a Lateness,
}

/// Relays packets between `ends` over the links of `relay` until `go_on`, which is called ten times a second, returns
/// false.
///
/// The links' time begins with the first packet, so that a blackout or a recorded trace stands at the same place of
/// every transfer. Returns the report of the run and, beside it, the error of `ends` that stopped the relay, if any.
pub fn drive<E: Ends + ?Sized>(
    relay: &mut Relay<Parcel<E::Address>>,
    ends: &mut E,
    go_on: &mut dyn FnMut(&View<'_>) -> bool,
) -> (Report, io::Result<()>) {
    watched(relay, ends, &mut (), go_on)
}

/// Relays packets as [`drive`] does, and tells `watch` when each packet comes and how it ends.
pub fn watched<E: Ends + ?Sized>(
    relay: &mut Relay<Parcel<E::Address>>,
    ends: &mut E,
    watch: &mut dyn Watch,
    go_on: &mut dyn FnMut(&View<'_>) -> bool,
) -> (Report, io::Result<()>) {
    system::ask_for_exact_timers();
    let mut driver = Driver {
        relay,
        ends,
        watch,
        came: 0,
        origin: None,
        latest: Time::ZERO,
        ways: [WayReport::default(); 2],
        lateness: Lateness::default(),
        errors: BTreeMap::new(),
        spare: Vec::new(),
    };
    let result = driver.run(go_on);
    for parcel in driver.relay.stuck() {
        let course = Course::default();
        driver.watch.ends(parcel.number, course, End::NeverSent);
    }
    (driver.report(), result)
}

struct Driver<'a, E: Ends + ?Sized> {
    relay: &'a mut Relay<Parcel<E::Address>>,
    ends: &'a mut E,
    watch: &'a mut dyn Watch,
    /// Packets so far.
    came: u64,
    /// When the first packet came.
    origin: Option<Instant>,
    /// When the latest packet came or left.
    latest: Time,
    ways: [WayReport; 2],
    lateness: Lateness,
    errors: BTreeMap<Option<i32>, u64>,
    spare: Vec<Vec<u8>>,
}

impl<E: Ends + ?Sized> Driver<'_, E> {
    fn run(&mut self, go_on: &mut dyn FnMut(&View<'_>) -> bool) -> io::Result<()> {
        let mut buffer = vec![0; LONGEST];
        let began = Instant::now();
        let mut tick = Time::ZERO;
        loop {
            self.let_go(self.now());
            let wall = system::since(began);
            if wall >= tick {
                tick = wall + TICK;
                if !self.shows(go_on) {
                    return Ok(());
                }
            }
            let now = self.now();
            let due = self.relay.next_time().map(|at| at.since(now));
            let at_most = tick.since(wall);
            let asleep = due.map_or(at_most, |due| due.saturating_sub(system::AWAKE));
            self.ends.wait(asleep.min(at_most))?;
            for _ in 0..BATCH {
                let Some((direction, address, length)) = self.ends.receive(&mut buffer)? else {
                    break;
                };
                self.take(direction, address, &buffer[..length]);
            }
        }
    }

    fn shows(&mut self, go_on: &mut dyn FnMut(&View<'_>) -> bool) -> bool {
        self.watch.tick();
        let queued = [Direction::Forward, Direction::Back].map(|d| self.relay.queued(d));
        go_on(&View {
            elapsed: self.now().since(Time::ZERO),
            ways: &self.ways,
            queued,
            lateness: &self.lateness,
        })
    }

    /// Time since the first packet; before that it stands still.
    fn now(&self) -> Time {
        self.origin.map_or(Time::ZERO, system::since)
    }

    fn take(&mut self, direction: Direction, address: E::Address, packet: &[u8]) {
        self.origin.get_or_insert_with(Instant::now);
        let now = self.now();
        self.latest = now;
        let way = &mut self.ways[direction as usize];
        way.packets_in += 1;
        way.bytes_in += packet.len() as u64;
        let mut bytes = self.spare.pop().unwrap_or_default();
        bytes.extend_from_slice(packet);
        let number = self.came;
        self.came += 1;
        self.watch.comes(now, direction, packet);
        let parcel = Parcel {
            address,
            bytes,
            number,
        };
        let length = packet.len() as u32;
        self.relay.offer(now, direction, length, parcel);
        self.let_go(now);
    }

    /// Lets everything go that is due.
    fn let_go(&mut self, now: Time) {
        self.relay.on_time(now);
        while let Some(outcome) = self.relay.poll() {
            let (packet, course, end) = match outcome {
                Outcome::Arrives {
                    direction,
                    due,
                    packet,
                    course,
                } => {
                    let sent = self.ends.send(direction, packet.address, &packet.bytes);
                    self.latest = self.now();
                    self.lateness.record(self.latest.since(due));
                    let way = &mut self.ways[direction as usize];
                    if sent == Sent::Taken {
                        way.packets_out += 1;
                        way.bytes_out += packet.bytes.len() as u64;
                        (packet, course, End::Sent)
                    } else {
                        way.unsent += 1;
                        if let Sent::Refused(error) = sent {
                            *self.errors.entry(error).or_default() += 1;
                        }
                        (packet, course, End::Unsent)
                    }
                }
                Outcome::Lost {
                    direction,
                    cause,
                    mut packet,
                    course,
                } => {
                    if cause == Cause::Corrupt
                        && let Some(from) = self.ends.fragile(&packet.bytes)
                    {
                        damage(&mut packet.bytes, from, packet.number);
                        // Refused by its receiver in any case.
                        let _ = self.ends.send(direction, packet.address, &packet.bytes);
                    }
                    let way = &mut self.ways[direction as usize];
                    match cause {
                        Cause::Link(..) => way.dropped += 1,
                        Cause::Corrupt => way.corrupt += 1,
                        Cause::Memory => way.memory += 1,
                    }
                    (packet, course, End::Lost(cause))
                }
            };
            if !course.is_copy {
                self.watch.ends(packet.number, course, end);
            }
            let mut bytes = packet.bytes;
            if self.spare.len() < SPARE {
                bytes.clear();
                self.spare.push(bytes);
            }
        }
    }

    fn report(self) -> Report {
        Report {
            elapsed: self.latest.since(Time::ZERO),
            ways: self.ways,
            hops: self.relay.report(self.latest),
            lateness: self.lateness,
            errors: self.errors,
            under_way: self.relay.under_way() as u64,
            troubles: self.ends.troubles(),
        }
    }
}

/// Flips one bit from a place on, which one by the packet's number: no checksum overlooks it.
fn damage(packet: &mut [u8], from: usize, number: u64) {
    let Some(body) = packet.get_mut(from..).filter(|body| !body.is_empty()) else {
        return;
    };
    // Golden ratio: neighbours are damaged in places far apart.
    let drawn = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    let bit = drawn as usize % (8 * body.len());
    body[bit / 8] ^= 1 << (bit % 8);
}
