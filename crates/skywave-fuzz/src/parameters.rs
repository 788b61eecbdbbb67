//! Any configuration that a scenario file could give, drawn by its description.

use arbitrary::{Arbitrary, Result, Unstructured};
use skywave_core::parameter::{Family, Kind, Parameter, Settings, Table, Value};
use skywave_core::units::{Level, Limit};
use skywave_core::{Duration, Rate};

/// A member of the family with any parameters that a scenario file could give it, each that is not needed as
/// likely to be left at its default.
pub(crate) fn any_member<F: Family>(bytes: &mut Unstructured<'_>) -> Result<F> {
    let mut defaults = F::defaults();
    let member = bytes.choose_index(defaults.len())?;
    any_settings(
        defaults.swap_remove(member),
        F::MEMBERS[member].parameters,
        bytes,
    )
}

/// A table with any parameters that a scenario file could give it.
pub(crate) fn any_table<C: Table>(bytes: &mut Unstructured<'_>) -> Result<C> {
    any_settings(C::DEFAULT, C::PARAMETERS, bytes)
}

/// The configuration with any values of these parameters, which describe it.
fn any_settings<C: Settings>(
    default: C,
    parameters: &[Parameter],
    bytes: &mut Unstructured<'_>,
) -> Result<C> {
    let mut config = default.clone();
    for (place, parameter) in parameters.iter().enumerate() {
        if parameter.is_needed() || bytes.arbitrary()? {
            // A value that contradicts a parameter set before is refused, as in a file; the
            // parameter then stays unset.
            let _ = config.set(place, any_value(parameter, bytes)?);
        }
    }
    Ok(if config.check().is_ok() {
        config
    } else {
        default
    })
}

fn any_value(parameter: &Parameter, bytes: &mut Unstructured<'_>) -> Result<Value> {
    Ok(match parameter.kind {
        Kind::Positive => Value::Number(f64::from(bytes.int_in_range(1u8..=40)?) / 10.0),
        Kind::Probability => Value::Number(f64::from(bytes.int_in_range(0u8..=20)?) / 20.0),
        Kind::BelowOne => Value::Number(f64::from(bytes.int_in_range(0u8..=19)?) / 20.0),
        Kind::Share => Value::Number(f64::from(bytes.int_in_range(1u8..=20)?) / 20.0),
        Kind::Flag => Value::Flag(bytes.arbitrary()?),
        Kind::Count => Value::Count(bytes.int_in_range(1..=10)?),
        Kind::Counts => {
            let numbers = <[u8; 4]>::map(bytes.arbitrary()?, |n| u64::from(n) + 1);
            Value::Counts(numbers.into())
        }
        Kind::Byte => Value::Count(bytes.int_in_range(0..=255)?),
        Kind::Period => Value::Period(Duration::from_millis(10) * bytes.int_in_range(1..=60u64)?),
        Kind::Time => Value::Period(Duration::from_millis(bytes.int_in_range(0..=255)?)),
        Kind::Rate => {
            let mantissa = bytes.int_in_range(1u64..=255)?;
            Value::Rate(Rate::from_bps(mantissa << bytes.int_in_range(0..=24)?))
        }
        Kind::Size => Value::Count(bytes.int_in_range(1..=65_535)?),
        Kind::Bytes => Value::Count(bytes.int_in_range(1..=2_000)?),
        Kind::Limit if bytes.arbitrary()? => {
            Value::Limit(Limit::Bytes(bytes.int_in_range(1..=65_535)?))
        }
        Kind::Limit => Value::Limit(Limit::Packets(bytes.int_in_range(1..=64)?)),
        Kind::Level if bytes.arbitrary()? => {
            Value::Level(Level::Bytes(bytes.int_in_range(0u16..=u16::MAX)?.into()))
        }
        Kind::Level => Value::Level(Level::Packets(bytes.int_in_range(0u8..=64)?.into())),
        Kind::OneOf(names) => Value::Choice(bytes.choose_index(names.len())?),
        Kind::Table(parameters, _) => {
            let values = parameters.iter().map(|parameter| {
                let given = parameter.is_needed() || bytes.arbitrary()?;
                given.then(|| any_value(parameter, bytes)).transpose()
            });
            Value::Table(values.collect::<Result<_>>()?)
        }
    })
}

/// A time that one operation takes or adds, shorter than 4 seconds.
pub(crate) fn any_time(bytes: &mut Unstructured<'_>) -> Result<Duration> {
    let ms = u16::arbitrary(bytes)? % 4000;
    Ok(Duration::from_millis(u64::from(ms)))
}

/// An initial sequence number: often one that soon wraps.
pub(crate) fn any_iss(bytes: &mut Unstructured<'_>) -> Result<u32> {
    Ok(match bytes.int_in_range(0..=3u8)? {
        0 => 0,
        1 => u32::MAX,
        2 => u32::MAX - 3000,
        _ => bytes.arbitrary()?,
    })
}

/// An MSS, and a receive window of whole segments and some bytes; small windows are the harder ones.
pub(crate) fn any_sizes(bytes: &mut Unstructured<'_>) -> Result<(u32, u32)> {
    let mss = *bytes.choose(&[1460, 536, 100])?;
    let window = u32::from(u8::arbitrary(bytes)?) % 80 * mss;
    Ok((mss, window + bytes.int_in_range(50..=100)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use skywave_core::link::{LossConfig, QueueConfig};
    use skywave_core::rng::Stream;
    use skywave_core::tcp::{
        Acking, CongestionConfig, DetectionConfig, RecoveryConfig, TimeoutConfig,
    };

    /// Every member of the family comes up, and every parameter with other values than its default.
    fn all_come_up<F: Family>() {
        let mut random = Stream::named(1, F::NAME, "bytes");
        let mut seen: Vec<Vec<bool>> = Vec::new();
        seen.extend(F::MEMBERS.iter().map(|m| vec![false; m.parameters.len()]));
        let mut members = vec![false; F::MEMBERS.len()];
        for _ in 0..2000 {
            let bytes: Vec<u8> = (0..40).map(|_| random.uniform_int(0, 255) as u8).collect();
            let any: F = any_member(&mut Unstructured::new(&bytes)).expect("enough bytes");
            let kind = std::mem::discriminant(&any);
            let defaults = F::defaults();
            let same = |d: &F| std::mem::discriminant(d) == kind;
            let member = defaults.iter().position(same).expect("a built-in member");
            members[member] = true;
            for (place, seen) in seen[member].iter_mut().enumerate() {
                *seen |= any.get(place).is_some() && any.get(place) != defaults[member].get(place);
            }
        }
        assert!(members.iter().all(|m| *m), "{}: {members:?}", F::NAME);
        assert!(seen.iter().flatten().all(|p| *p), "{}: {seen:?}", F::NAME);
    }

    #[test]
    fn every_member_comes_up_with_all_of_its_parameters() {
        all_come_up::<Acking>();
        all_come_up::<DetectionConfig>();
        all_come_up::<RecoveryConfig>();
        all_come_up::<CongestionConfig>();
        all_come_up::<TimeoutConfig>();
        all_come_up::<LossConfig>();
        all_come_up::<QueueConfig>();
    }
}
