//! Any link that a scenario can describe.

use std::sync::Arc;

use arbitrary::{Arbitrary, Result, Unstructured};
use skywave_core::link::{
    Arq, Blackout, CoDelConfig, Contention, DualPi2Config, Fec, FqCoDelConfig, GilbertElliott,
    Jitter, Limit, LinkConfig, LossAt, LossConfig, PieConfig, QueueConfig, RedConfig, Reordering,
    Service, StepConfig, Trace,
};
use skywave_core::{Duration, Rate, Time};

/// A configuration read out of bytes.
#[derive(Clone, Debug)]
pub struct AnyLink(pub LinkConfig);

impl<'a> Arbitrary<'a> for AnyLink {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let service = service(bytes)?;
        let delay = millis(bytes)?;
        let (kind, queue) = queue(bytes)?;
        // Bits say which impairments there are: most links have few.
        let has = u8::arbitrary(bytes)?;
        let has = |bit: u8| has & (1 << bit) != 0;
        let mut config = LinkConfig {
            service,
            ..LinkConfig::new(Rate::from_bps(0), delay, queue)
        };
        if has(0) {
            config.jitter = Some(jitter(bytes)?);
        }
        if has(1) {
            config.loss.push(loss(bytes)?);
        }
        if has(2) {
            config.loss.push(loss(bytes)?);
        }
        if has(3) {
            config.loss_at = LossAt::Tail;
        }
        if has(4) {
            config.blackouts = blackouts(bytes)?;
        }
        if has(5) {
            config.corruption = share(bytes)?;
        }
        if has(6) {
            config.duplication = share(bytes)?;
        }
        if has(7) {
            config.reordering = Some(Reordering {
                probability: share(bytes)?,
                delay: millis(bytes)?,
            });
        }
        if kind & 16 != 0 {
            config.fec = Some(Fec {
                rate: (share(bytes)? + 0.01).min(1.0),
                repair: share(bytes)?,
            });
        }
        if kind & 32 != 0 {
            config.loss_at = LossAt::Tail;
            config.arq = Some(arq(bytes)?);
        }
        if kind & 64 != 0 && !config.needs_time() && matches!(config.service, Service::Rate(_)) {
            config.contention = Some(contention(bytes)?);
        }
        Ok(Self(config))
    }
}

fn contention(bytes: &mut Unstructured<'_>) -> Result<Contention> {
    let kind = u8::arbitrary(bytes)?;
    Ok(Contention {
        slot: millis(bytes)?,
        window: u32::from(kind % 32),
        max_window: u32::from(u8::arbitrary(bytes)?),
        failure: share(bytes)?,
        hold: millis(bytes)?,
        capture: kind & 128 == 0,
    })
}

fn arq(bytes: &mut Unstructured<'_>) -> Result<Arq> {
    let kind = u8::arbitrary(bytes)?;
    Ok(Arq {
        // Not so short that a hopeless packet is sent a million times.
        round_trip: Some(millis(bytes)? + Duration::from_millis(10)),
        retries: (kind & 4 == 0).then_some(u32::from(kind / 8)),
        in_order: kind & 1 != 0,
        errors_on_retransmissions: kind & 2 == 0,
    })
}

fn millis(bytes: &mut Unstructured<'_>) -> Result<Duration> {
    Ok(Duration::from_millis(u64::from(u8::arbitrary(bytes)?)))
}

/// From 0 to 1, both included.
fn share(bytes: &mut Unstructured<'_>) -> Result<f64> {
    Ok(f64::from(u8::arbitrary(bytes)?) / 255.0)
}

fn service(bytes: &mut Unstructured<'_>) -> Result<Service> {
    let kind = u8::arbitrary(bytes)?;
    if kind % 4 > 0 {
        let mantissa = u64::from(u8::arbitrary(bytes)?);
        return Ok(Service::Rate(Rate::from_bps(mantissa << (kind / 4 % 50))));
    }
    let mut at = 0u32;
    let mut lines = Vec::new();
    for _ in 0..=kind / 16 {
        at += u32::from(u8::arbitrary(bytes)?);
        lines.push(at.to_string());
    }
    // A period of zero is refused.
    lines.push((at + 1).to_string());
    let trace = Trace::parse(&lines.join("\n")).expect("rising milliseconds");
    Ok(Service::Trace(Arc::new(trace)))
}

/// A queue, and the byte that said of what kind.
fn queue(bytes: &mut Unstructured<'_>) -> Result<(u8, QueueConfig)> {
    let kind = u8::arbitrary(bytes)?;
    let limit = if kind & 1 == 0 {
        Limit::Packets(u32::from(u8::arbitrary(bytes)?) % 64)
    } else {
        Limit::Bytes(u64::from(u16::arbitrary(bytes)?))
    };
    if kind & 2 == 0 {
        return Ok((kind, QueueConfig::DropTail(limit)));
    }
    if kind & 128 != 0 {
        return Ok((kind, timed_queue(kind, limit, bytes)?));
    }
    let capacity = match limit {
        Limit::Packets(n) => f64::from(n),
        Limit::Bytes(n) => n as f64,
    };
    let min_threshold = capacity * share(bytes)?;
    let red = RedConfig {
        mark_p: (kind & 16 != 0).then_some(0.5),
        limit,
        min_threshold,
        max_threshold: min_threshold + 1.0 + capacity * share(bytes)?,
        max_p: share(bytes)?,
        weight: share(bytes)?,
        gentle: kind & 4 != 0,
        wait: kind & 8 != 0,
        mean_packet: u32::from(u8::arbitrary(bytes)?) * 8 + 1,
    };
    Ok((kind, QueueConfig::Red(red)))
}

/// A queue that also decides when packets leave.
fn timed_queue(kind: u8, limit: Limit, bytes: &mut Unstructured<'_>) -> Result<QueueConfig> {
    let codel = CoDelConfig {
        target: millis(bytes)?,
        interval: millis(bytes)?,
        mtu: u32::from(u8::arbitrary(bytes)?) * 8,
        ecn: kind & 16 != 0,
        ce_threshold: (kind & 4 != 0).then_some(Duration::from_millis(1)),
        limit,
    };
    Ok(match (kind & 8 != 0, kind & 4 != 0) {
        (false, false) => QueueConfig::CoDel(codel),
        (false, true) => QueueConfig::FqCoDel(FqCoDelConfig {
            codel,
            queues: u32::from(u8::arbitrary(bytes)?),
            quantum: u32::from(u16::arbitrary(bytes)?) + 1,
        }),
        (true, false) => QueueConfig::Step(StepConfig {
            limit,
            threshold: u64::from(u8::arbitrary(bytes)?),
            weight: (kind & 16 != 0).then(|| share(bytes)).transpose()?,
        }),
        (true, true) if kind & 16 != 0 => QueueConfig::DualPi2(DualPi2Config {
            target: millis(bytes)?,
            update: millis(bytes)? + Duration::from_millis(1),
            shift: millis(bytes)?,
            ..DualPi2Config::new(limit)
        }),
        (true, true) => QueueConfig::Pie(PieConfig {
            target: millis(bytes)?,
            update: millis(bytes)? + Duration::from_millis(1),
            burst: millis(bytes)?,
            ..PieConfig::new(limit)
        }),
    })
}

fn jitter(bytes: &mut Unstructured<'_>) -> Result<Jitter> {
    let (low, more) = (millis(bytes)?, millis(bytes)?);
    Ok(if low < more {
        Jitter::Uniform(low, more)
    } else {
        Jitter::Exponential(low)
    })
}

fn loss(bytes: &mut Unstructured<'_>) -> Result<LossConfig> {
    Ok(match u8::arbitrary(bytes)? % 7 {
        0 => LossConfig::Bernoulli(share(bytes)?),
        1 => LossConfig::ExponentialPackets(share(bytes)?),
        2 => LossConfig::ExponentialBytes(f64::from(u16::arbitrary(bytes)?)),
        3 => LossConfig::GilbertElliottPackets(GilbertElliott {
            to_bad: share(bytes)?,
            to_good: share(bytes)?,
            loss_good: share(bytes)?,
            loss_bad: share(bytes)?,
        }),
        4 => LossConfig::GilbertElliottTime {
            good: millis(bytes)?,
            bad: millis(bytes)?,
            loss_good: share(bytes)?,
            loss_bad: share(bytes)?,
        },
        5 => LossConfig::Periodic {
            every: u64::from(u8::arbitrary(bytes)?),
            first: u64::from(u8::arbitrary(bytes)?),
        },
        _ => {
            let mut numbers = <[u8; 4]>::arbitrary(bytes)?.map(u64::from).to_vec();
            numbers.sort_unstable();
            numbers.dedup();
            LossConfig::Packets(numbers.into())
        }
    })
}

fn blackouts(bytes: &mut Unstructured<'_>) -> Result<Vec<Blackout>> {
    let mut found = Vec::new();
    let mut at = Time::ZERO;
    for _ in 0..=u8::arbitrary(bytes)? % 3 {
        let start = at + millis(bytes)?;
        let end = start + millis(bytes)?;
        found.push(Blackout { start, end });
        at = end;
    }
    Ok(found)
}
