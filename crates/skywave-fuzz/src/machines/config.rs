//! Any members in the slots, any switches, any profile's timers.

use arbitrary::{Arbitrary, Result, Unstructured};
use skywave_core::tcp::slot::{Kind, Value};
use skywave_core::tcp::{Acking, Composition, Counting, Handshake, Slot, TcpConfig};
use skywave_core::{Duration, Segments};

use super::PROFILES;

/// A configuration read out of bytes.
#[derive(Clone, Debug)]
pub struct AnyConfig(pub TcpConfig);

impl<'a> Arbitrary<'a> for AnyConfig {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let profile = *bytes.choose(&PROFILES)?;
        let composition = any_composition(bytes)?;
        let switches: [bool; 8] = bytes.arbitrary()?;
        let [
            whole_ssthresh,
            limited_transmit,
            impatient,
            timestamps,
            no_sack,
            dsack,
            fin,
            three_way,
        ] = switches;
        let ssthresh = bytes.int_in_range(1u32..=40)?;
        Ok(Self(TcpConfig {
            initial_window: Segments(f64::from(bytes.int_in_range(1u32..=12)?)),
            loss_window: Segments(f64::from(bytes.int_in_range(1u32..=4)?)),
            initial_ssthresh: (ssthresh > 1).then(|| Segments(f64::from(ssthresh))),
            whole_ssthresh,
            counting: match bytes.int_in_range(0..=3)? {
                0 => Counting::Acks,
                limit => Counting::Bytes(limit),
            },
            limited_transmit,
            impatient,
            timestamps,
            sack: !no_sack,
            dsack,
            handshake: if three_way {
                Handshake::ThreeWay
            } else {
                Handshake::None
            },
            fin,
            acking: any_member::<Acking>(bytes)?,
            iss: match bytes.int_in_range(0..=3u8)? {
                0 => 0,
                1 => u32::MAX,
                2 => u32::MAX - 3000,
                _ => bytes.arbitrary()?,
            },
            ..TcpConfig::new(profile, composition)
        }))
    }
}

fn any_composition(bytes: &mut Unstructured<'_>) -> Result<Composition> {
    Ok(Composition {
        detection: any_member(bytes)?,
        recovery: any_member(bytes)?,
        congestion: any_member(bytes)?,
        timeout: any_member(bytes)?,
        avoid_repeated_recovery: bytes.arbitrary()?,
    })
}

/// A member of the slot with any parameters that a scenario file could give it, each as likely to be
/// left at its default.
fn any_member<S: Slot>(bytes: &mut Unstructured<'_>) -> Result<S> {
    let mut defaults = S::defaults();
    let member = bytes.choose_index(defaults.len())?;
    let mut config = defaults.swap_remove(member);
    for (place, parameter) in S::MEMBERS[member].parameters.iter().enumerate() {
        if bytes.arbitrary()? {
            // A value that contradicts a parameter set before is refused, as in a file; the
            // parameter then stays unset.
            let _ = config.set(place, any_value(parameter.kind, bytes)?);
        }
    }
    Ok(config)
}

fn any_value(kind: Kind, bytes: &mut Unstructured<'_>) -> Result<Value> {
    Ok(match kind {
        Kind::Positive => Value::Number(f64::from(bytes.int_in_range(1u8..=40)?) / 10.0),
        Kind::Probability => Value::Number(f64::from(bytes.int_in_range(0u8..=20)?) / 20.0),
        Kind::Flag => Value::Flag(bytes.arbitrary()?),
        Kind::Count => Value::Count(bytes.int_in_range(1..=10)?),
        Kind::Period => Value::Period(Duration::from_millis(10) * bytes.int_in_range(1..=60u64)?),
        Kind::OneOf(names) => Value::Choice(bytes.choose_index(names.len())?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use skywave_core::rng::Stream;
    use skywave_core::tcp::{CongestionConfig, DetectionConfig, RecoveryConfig, TimeoutConfig};

    /// Every member of the slot comes up, and every parameter with other values than its default.
    fn all_come_up<S: Slot>() {
        let mut random = Stream::named(1, S::NAME, "bytes");
        let mut seen: Vec<Vec<bool>> = Vec::new();
        seen.extend(S::MEMBERS.iter().map(|m| vec![false; m.parameters.len()]));
        let mut members = vec![false; S::MEMBERS.len()];
        for _ in 0..2000 {
            let bytes: Vec<u8> = (0..40).map(|_| random.uniform_int(0, 255) as u8).collect();
            let any: S = any_member(&mut Unstructured::new(&bytes)).expect("enough bytes");
            let kind = std::mem::discriminant(&any);
            let defaults = S::defaults();
            let same = |d: &S| std::mem::discriminant(d) == kind;
            let member = defaults.iter().position(same).expect("a built-in member");
            members[member] = true;
            for (place, seen) in seen[member].iter_mut().enumerate() {
                *seen |= any.get(place).is_some() && any.get(place) != defaults[member].get(place);
            }
        }
        assert!(members.iter().all(|m| *m), "{}: {members:?}", S::NAME);
        assert!(seen.iter().flatten().all(|p| *p), "{}: {seen:?}", S::NAME);
    }

    #[test]
    fn every_member_comes_up_with_all_of_its_parameters() {
        all_come_up::<DetectionConfig>();
        all_come_up::<RecoveryConfig>();
        all_come_up::<CongestionConfig>();
        all_come_up::<TimeoutConfig>();
    }
}
