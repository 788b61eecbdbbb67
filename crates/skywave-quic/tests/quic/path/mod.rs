//! QUIC connections over a path of the simulator's links, by a clock that is not the host's.
//!
//! Both ends of a connection are noq's machines, which do no I/O: their packets go through two [`Link`]s, one each
//! way, that all connections share. Nothing waits, so that half a minute takes a second and a busy host changes
//! nothing.

mod hosts;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use skywave_core::Time;
use skywave_core::link::{Fate, Limit, Link, LinkConfig, LossAt, LossConfig, QueueConfig, Service};
use skywave_core::units::Rate;

pub(crate) use hosts::Control;
use hosts::{Host, Packet};

/// Bytes of IPv4's and UDP's headers.
const HEADERS: u32 = 28;

/// A bottleneck, a way back, and how long to send.
pub(crate) struct Path {
    pub(crate) forward: LinkConfig,
    pub(crate) back: LinkConfig,
    pub(crate) seed: u64,
    pub(crate) duration: Duration,
    /// Peers that do not answer are asked again, as `skywave send` does.
    pub(crate) asks: bool,
}

/// What one connection has carried.
#[derive(Clone, Debug)]
pub(crate) struct Carried {
    /// Bytes of the stream that were read.
    pub(crate) bytes: u64,
    pub(crate) seconds: f64,
    /// The same at the end of each [`STEP`].
    pub(crate) so_far: Vec<u64>,
}

/// Between two entries of [`Carried::so_far`].
pub(crate) const STEP: Duration = Duration::from_millis(100);

impl Carried {
    pub(crate) fn mbps(&self) -> f64 {
        self.bytes as f64 * 8e-6 / self.seconds
    }

    /// Mb/s from one time to another.
    pub(crate) fn mbps_in(&self, from: Duration, to: Duration) -> f64 {
        let bytes = |at: Duration| self.so_far[at.div_duration_f64(STEP) as usize];
        (bytes(to) - bytes(from)) as f64 * 8e-6 / to.saturating_sub(from).as_secs_f64()
    }
}

/// What has happened on the path.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) carried: Vec<Carried>,
    /// Mean time in the bottleneck's queue, of packets that it let through.
    pub(crate) queueing: Duration,
    /// Share of the packets offered to the bottleneck that its queue dropped.
    pub(crate) dropped: f64,
}

/// Packets on their way, by their time of arrival and the order in which they were sent.
#[derive(Default)]
struct Air {
    packets: BTreeMap<(Duration, u64), (usize, Packet)>,
    sent: u64,
}

impl Air {
    fn push(&mut self, at: Duration, to: usize, packet: Packet) {
        self.sent += 1;
        self.packets.insert((at, self.sent), (to, packet));
    }
}

impl Path {
    /// A path of this rate and round trip, whose bottleneck keeps `packets` packets waiting.
    pub(crate) fn new(service: Service, rtt: Duration, packets: u32) -> Self {
        let delay = skywave_core::Duration::from_nanos(rtt.as_nanos() as u64 / 2);
        let link = |service| LinkConfig {
            service,
            loss_at: LossAt::Tail,
            ..LinkConfig::new(
                Rate::from_bps(100_000_000),
                delay,
                QueueConfig::DropTail(Limit::Packets(packets)),
            )
        };
        Self {
            forward: link(service),
            back: link(Service::Rate(Rate::from_bps(100_000_000))),
            seed: 1,
            duration: Duration::from_secs(30),
            asks: false,
        }
    }

    /// The same, with a channel that loses packets after they have used the bottleneck.
    pub(crate) fn losing(mut self, loss: LossConfig) -> Self {
        self.forward.loss = vec![loss];
        self
    }

    /// One connection for each control, each with more to send than it can; the second one and those after it begin
    /// 100 ms later than the one before.
    pub(crate) fn run(&self, controls: &[Control]) -> Outcome {
        let start = Instant::now();
        let mut links = [
            Link::new(self.forward.clone(), self.seed, "forward"),
            Link::new(self.back.clone(), self.seed, "back"),
        ];
        // Senders have even numbers, each one's receiver the odd number after it.
        let mut hosts = Vec::new();
        for (number, control) in controls.iter().enumerate() {
            let begins = Duration::from_millis(100) * number as u32;
            let times = (start, begins, self.asks);
            hosts.extend(Host::pair(number, self.seed, control, times));
        }
        let mut air = Air::default();
        let (mut queueing, mut through) = (Duration::ZERO, 0);
        let mut now = Duration::ZERO;
        let mut so_far = vec![Vec::new(); controls.len()];
        loop {
            let arrival = air.packets.first_key_value().map(|((at, _), _)| *at);
            let timers = hosts.iter().filter_map(|host| host.next_timer(start));
            let Some(next) = timers.chain(arrival).min() else {
                break;
            };
            now = now.max(next);
            for (so_far, receiver) in so_far.iter_mut().zip(hosts.iter().skip(1).step_by(2)) {
                let steps = now.min(self.duration).div_duration_f64(STEP) as usize;
                so_far.resize(so_far.len().max(steps + 1), receiver.received);
            }
            if now >= self.duration {
                break;
            }
            while let Some(entry) = air.packets.first_entry()
                && entry.key().0 <= now
            {
                let (to, packet) = entry.remove();
                hosts[to].receive(start, now, &packet);
            }
            for (number, host) in hosts.iter_mut().enumerate() {
                host.look(start, now);
                host.tell(start, now);
                while let Some(packet) = host.poll(start + now) {
                    let size = packet.bytes() + HEADERS;
                    let at = Time::from_nanos(now.as_nanos() as u64);
                    let (direction, peer) = (number % 2, number ^ 1);
                    if let Fate::Arrives { at: arrives, .. } = links[direction].send(at, size) {
                        let arrives = Duration::from_nanos(arrives.as_nanos());
                        air.push(arrives, peer, packet);
                        if direction == 0 {
                            through += 1;
                            queueing += arrives.saturating_sub(now + self.least(size));
                        }
                    }
                }
            }
        }
        Outcome {
            carried: hosts
                .iter()
                .skip(1)
                .step_by(2)
                .zip(so_far)
                .map(|(host, so_far)| Carried {
                    bytes: host.received,
                    seconds: self.duration.as_secs_f64(),
                    so_far,
                })
                .collect(),
            queueing: queueing / through.max(1),
            dropped: {
                let end = Time::from_nanos(self.duration.as_nanos() as u64);
                let measured = links[0].finish(end);
                measured.queue_drops as f64 / measured.offered.max(1) as f64
            },
        }
    }

    /// How long a packet takes that finds the bottleneck idle.
    fn least(&self, size: u32) -> Duration {
        let Service::Rate(rate) = &self.forward.service else {
            return Duration::from_nanos(self.forward.delay.as_nanos());
        };
        let (time, _) = rate.transmission_time(u64::from(size), 0);
        Duration::from_nanos((time + self.forward.delay).as_nanos())
    }
}
