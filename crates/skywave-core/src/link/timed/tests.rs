use super::*;
use crate::link::{
    Blackout, Fec, GilbertElliottConfig, Jitter, Limit, LossConfig, PeriodicConfig, QueueConfig,
    RedConfig, Reordering, Service, Trace,
};
use crate::units::Rate;
use std::sync::Arc;

mod coding;
mod order;
mod queues;
mod recovery;

/// 1500 bytes take 10 ms, the link's round trip 30 ms.
const RATE: Rate = Rate::from_bps(1_200_000);
const DELAY: Duration = Duration::from_millis(15);

fn config(arq: Arq, lost: &[u64]) -> LinkConfig {
    let queue = QueueConfig::DropTail(Limit::Packets(100));
    LinkConfig {
        loss: vec![LossConfig::Packets(lost.into())],
        arq: Some(arq),
        ..LinkConfig::new(RATE, DELAY, queue)
    }
}

/// A link that loses the transmissions with these numbers.
fn link(arq: Arq, lost: &[u64]) -> TimedLink {
    new(config(arq, lost))
}

fn new(config: LinkConfig) -> TimedLink {
    TimedLink::new(config, 1, "wireless")
}

fn ms(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

/// The fate of a packet: its number and the millisecond of its arrival, or why it was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Heard {
    At(u32, u64),
    Lost(u32, DropCause),
}
use Heard::{At, Lost};

fn heard(settled: Settled) -> Heard {
    match settled.fate {
        Fate::Arrives { at, .. } => At(settled.tag.id(), at.as_nanos() / 1_000_000),
        Fate::Dropped(cause) => Lost(settled.tag.id(), cause),
    }
}

/// Offers packets `1..=packets` of 1500 bytes at `at`; none may be refused.
fn offer(link: &mut TimedLink, at: Time, packets: std::ops::RangeInclusive<u32>) {
    for id in packets {
        assert_eq!(link.offer(at, id, 1500), None);
    }
}

/// Lets the link finish, and returns the fates of the packets in the order of decision.
fn run(link: &mut TimedLink) -> Vec<Heard> {
    while let Some(at) = link.next_time() {
        link.on_time(at);
    }
    std::iter::from_fn(|| link.poll()).map(heard).collect()
}
