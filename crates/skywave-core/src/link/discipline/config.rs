//! The choice of a queue discipline, and the disciplines that decide on arrival alone.

use super::{CoDelConfig, DualPi2Config, FqCoDelConfig, PieConfig};
use crate::link::marking::level;
use crate::link::red::RedConfig;
use crate::parameter::{Configuration, Described, Field, Kind, Refusal, Value, family, parameters};
use crate::units::Limit;

family! {
    "queue" => "A queue discipline.";
    open: false; sections: true;
    /// Queue discipline and its limit.
    ///
    /// A tail drop limit in packets counts the packet in transmission on a link: n − 1 may wait, as in ns-2. Such a
    /// limit at the MAC of a radio station, limits in bytes and those of all other disciplines count only what waits.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum QueueConfig;
    DropTail(limit): DropTail,
    Red(config): RedConfig,
    Step(config): StepConfig,
    CoDel(config): CoDelConfig,
    FqCoDel(config): FqCoDelConfig,
    Pie(config): PieConfig,
    DualPi2(config): DualPi2Config,
}

impl QueueConfig {
    /// Capacity of the queue in packets or bytes; of disciplines with several queues, that of all together.
    pub fn limit(&self) -> Limit {
        match self {
            Self::DropTail(limit) => *limit,
            Self::Red(red) => red.limit,
            Self::Step(step) => step.limit,
            Self::CoDel(codel) => codel.limit,
            Self::FqCoDel(fq) => fq.codel.limit,
            Self::Pie(pie) => pie.limit,
            Self::DualPi2(dual) => dual.limit,
        }
    }

    /// Whether the discipline with these settings may mark ECN-capable packets; `false` where they leave ECN off.
    pub fn marks(&self) -> bool {
        match self {
            Self::DropTail(_) => false,
            Self::Red(red) => red.mark_p.is_some(),
            Self::Step(_) | Self::DualPi2(_) => true,
            Self::CoDel(codel) => codel.ecn,
            Self::FqCoDel(fq) => fq.codel.ecn,
            Self::Pie(pie) => pie.mark_p.is_some(),
        }
    }

    /// Whether the fate of a packet is known when it arrives. Disciplines that decide later need a
    /// [`TimedLink`](crate::link::TimedLink).
    pub fn decides_on_arrival(&self) -> bool {
        match self {
            Self::DropTail(_) | Self::Red(_) | Self::Step(_) => true,
            Self::CoDel(_) | Self::FqCoDel(_) | Self::Pie(_) | Self::DualPi2(_) => false,
        }
    }
}

impl Configuration for Limit {
    const DEFAULT: Limit = Limit::Packets(50);
    const FIELDS: &'static [Field<Limit>] = &[Field::whole(Kind::Limit, "limit", "Capacity")];
}

/// Tail drop as scenario files and the reference know it ([`Described`]): packets that find the queue full are
/// dropped. Its settings are a [`Limit`].
#[derive(Debug)]
pub struct DropTail;

impl Described for DropTail {
    type Config = Limit;
    const NAME: &'static str = "droptail";
    const SUMMARY: &'static str = "Drop what comes when the queue is at this limit. A limit in packets counts the \
                                   packet in transmission; one in bytes or in time does not. A time stands for the \
                                   bytes that the link sends in it at its mean rate. In `radio`, a limit in packets \
                                   does not count the one in service.";
}

parameters! {
    /// Marks packets of ECN-capable flows above a threshold, as switches do for DCTCP.
    // RFC 8257 section 3.1; or while the average queue is longer: TCP New Jersey's congestion warning. It drops when full,
    // as tail drop does.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct StepConfig as "step" {
        /// Capacity.
        limit: Limit = Limit::Packets(1000), Limit.needed();
        /// Length that may wait without a mark, in the limit's unit; the packet in transmission does not count.
        threshold: u64 = 0, {
            Field::by(
                Kind::Level,
                "threshold",
                "A packet that finds more than this waiting is marked; in the unit of `limit`",
                |c: &Self| Some(Value::Level(c.limit.length(c.threshold as f64))),
                |c, value| {
                    let message = "the threshold and the limit of this queue have different units";
                    let advice = "both in packets, or both in bytes or times";
                    c.threshold = level(c.limit, &value, Refusal::new(message, advice))? as u64;
                    Ok(())
                },
            )
        }.needed();
        /// Weight of a sample in the average that is compared with the threshold (TCP New Jersey's congestion warning).
        weight: Option<f64> = None, Share.or("the queue itself is compared");
    }
}
