//! Frames on the air, and the stations that they reach.

use std::rc::Rc;

use skywave_core::mac::Frame;
use skywave_core::radio::{Address, Heard, Mobility, Position, Preamble, Propagation, Signal};
use skywave_core::routing::Packet;
use skywave_core::{Duration, Time};

use super::events::Passing;
use super::passenger::Passenger;
use crate::network::ways;
use crate::spec::{RadioSpec, Spec};

/// Frames between stations carry packets by their number.
pub(super) type AirFrame = Frame<Packet<Passenger>>;

/// The channel that the stations share.
pub(super) struct Channel {
    propagation: Propagation,
    preamble: Preamble,
    mobility: Vec<Mobility>,
    /// Stations that each station reaches; `None` if any station moves.
    fixed: Option<Vec<Rc<[Reach]>>>,
    transmissions: Vec<Option<Transmission>>,
    free: Vec<u32>,
}

/// A station that a transmission reaches.
#[derive(Clone, Copy, Debug)]
struct Reach {
    station: u16,
    heard: Heard,
    delay: Duration,
}

struct Transmission {
    frame: AirFrame,
    sender: usize,
    start: Time,
    end: Time,
    /// The nearest first.
    reaches: Rc<[Reach]>,
}

impl Channel {
    pub(super) fn new(spec: &RadioSpec, run: &Spec) -> Self {
        let stations = spec.stations.iter();
        let mut channel = Self {
            propagation: spec.propagation,
            preamble: spec.mac.preamble,
            mobility: stations.map(|station| station.mobility(run)).collect(),
            fixed: None,
            transmissions: Vec::new(),
            free: Vec::new(),
        };
        if channel.mobility.iter().all(Mobility::is_fixed) {
            let positions = channel.positions(Time::ZERO);
            let all = 0..positions.len();
            channel.fixed = Some(all.map(|from| channel.reaches(from, &positions)).collect());
        }
        channel
    }

    fn positions(&mut self, now: Time) -> Vec<Position> {
        self.mobility.iter_mut().map(|m| m.position(now)).collect()
    }

    /// The stations that a station reaches, the nearest first.
    fn reaches(&self, from: usize, positions: &[Position]) -> Rc<[Reach]> {
        let here = positions[from];
        let others = positions.iter().enumerate().filter(|&(to, _)| to != from);
        let reach = |(to, &there): (usize, &Position)| {
            Some(Reach {
                station: to as u16,
                heard: self.propagation.reach(here, there)?,
                delay: Propagation::delay(here, there),
            })
        };
        let mut reaches: Vec<Reach> = others.filter_map(reach).collect();
        reaches.sort_by_key(|reach| (reach.delay, reach.station));
        reaches.into()
    }

    /// For each station, for each destination, the first station on a way of fewest hops, at the start
    /// of the run.
    pub(super) fn next_hops(&mut self) -> Vec<Vec<(Address, Address)>> {
        let positions = self.positions(Time::ZERO);
        let all = 0..positions.len();
        let near = |from| {
            let reaches = self.reaches(from, &positions);
            let heard = reaches.iter().filter(|reach| reach.heard.decodable);
            heard.map(|reach| usize::from(reach.station)).collect()
        };
        let near: Vec<Vec<usize>> = all.clone().map(near).collect();
        let address = |station: usize| Address(station as u16);
        let first_hops = |from| {
            let ways = ways(from, &near).into_iter().enumerate();
            ways.filter_map(|(to, way)| Some((address(to), address(way?.first))))
                .collect()
        };
        all.map(first_hops).collect()
    }

    /// Puts a frame on the air. Returns the number of the transmission.
    pub(super) fn transmit(&mut self, now: Time, sender: usize, frame: AirFrame) -> u32 {
        let reaches = if let Some(fixed) = &self.fixed {
            Rc::clone(&fixed[sender])
        } else {
            let positions = self.positions(now);
            self.reaches(sender, &positions)
        };
        let transmission = Transmission {
            sender,
            start: now,
            end: now + frame.airtime,
            reaches,
            frame,
        };
        if let Some(number) = self.free.pop() {
            self.transmissions[number as usize] = Some(transmission);
            number
        } else {
            self.transmissions.push(Some(transmission));
            (self.transmissions.len() - 1) as u32
        }
    }

    fn get(&self, number: u32) -> &Transmission {
        let transmission = self.transmissions[number as usize].as_ref();
        transmission.expect("held until its last end")
    }

    pub(super) fn frame(&self, number: u32) -> &AirFrame {
        &self.get(number).frame
    }

    pub(super) fn sender(&self, number: u32) -> usize {
        self.get(number).sender
    }

    /// When a frame has left its sender.
    pub(super) fn end(&self, number: u32) -> Time {
        self.get(number).end
    }

    fn passed(&self, passing: Passing) -> Option<(&Transmission, &Reach)> {
        let transmission = self.get(passing.transmission);
        let reach = transmission.reaches.get(passing.reach as usize)?;
        Some((transmission, reach))
    }

    /// The station that a transmission passes.
    pub(super) fn station(&self, passing: Passing) -> usize {
        let reaches = &self.get(passing.transmission).reaches;
        usize::from(reaches[passing.reach as usize].station)
    }

    /// When a frame begins to reach a station, if its list has that many.
    pub(super) fn front(&self, passing: Passing) -> Option<Time> {
        let (transmission, reach) = self.passed(passing)?;
        Some(transmission.start + reach.delay)
    }

    /// When a frame has passed a station, if its list has that many.
    pub(super) fn tail(&self, passing: Passing) -> Option<Time> {
        let (transmission, reach) = self.passed(passing)?;
        Some(transmission.end + reach.delay)
    }

    /// The station that a transmission passes, and the signal it hears.
    pub(super) fn signal(&self, passing: Passing) -> (usize, Signal) {
        let transmission = self.get(passing.transmission);
        let reach = &transmission.reaches[passing.reach as usize];
        let signal = Signal {
            id: passing.transmission,
            power_mw: reach.heard.power_mw,
            decodable: reach.heard.decodable,
            sensed: reach.heard.sensed,
            mode: transmission.frame.mode,
            preamble: self.preamble,
            bits_end: transmission.end + reach.delay - transmission.frame.mode.extension(),
        };
        (usize::from(reach.station), signal)
    }

    /// A frame has passed all stations: its number is free.
    pub(super) fn release(&mut self, number: u32) {
        self.transmissions[number as usize] = None;
        self.free.push(number);
    }
}
