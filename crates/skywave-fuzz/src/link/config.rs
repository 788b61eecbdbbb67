//! Any link that a scenario can describe.

use std::sync::Arc;

use arbitrary::{Arbitrary, Result, Unstructured};
use skywave_core::link::{Arq, Blackout, Jitter, LinkConfig, LossAt, Reordering, Service, Trace};
use skywave_core::{Duration, Rate, Time};

use crate::parameters::{any_member, any_table};

/// Configuration of a link read out of arbitrary bytes: any rate or trace, queue, and mix of impairments.
#[derive(Clone, Debug)]
pub struct AnyLink(pub LinkConfig);

impl<'a> Arbitrary<'a> for AnyLink {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let service = service(bytes)?;
        let delay = millis(bytes)?;
        let kind = u8::arbitrary(bytes)?;
        let queue = any_member(bytes)?;
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
            config.loss.push(any_member(bytes)?);
        }
        if has(2) {
            config.loss.push(any_member(bytes)?);
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
            config.fec = Some(any_table(bytes)?);
        }
        if kind & 32 != 0 {
            config.loss_at = LossAt::Tail;
            let arq: Arq = any_table(bytes)?;
            // Not so short that a hopeless packet is sent a million times.
            let round_trip = arq.round_trip.unwrap_or(millis(bytes)?) + Duration::from_millis(10);
            config.arq = Some(Arq {
                round_trip: Some(round_trip),
                ..arq
            });
        }
        if kind & 64 != 0 && !config.needs_time() && matches!(config.service, Service::Rate(_)) {
            config.contention = Some(any_table(bytes)?);
        }
        Ok(Self(config))
    }
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

fn jitter(bytes: &mut Unstructured<'_>) -> Result<Jitter> {
    let (low, more) = (millis(bytes)?, millis(bytes)?);
    Ok(if low < more {
        Jitter::Uniform(low, more)
    } else {
        Jitter::Exponential(low)
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
