//! Any members in the slots, any switches, any profile's timers.

use arbitrary::{Arbitrary, Result, Unstructured};
use skywave_core::tcp::{
    Acking, Composition, Counting, DcrConfig, DcrWait, DetectionConfig, ExtendedConfig, Handshake,
    NcrTransmit, PRESETS, RecoveryConfig, TcpConfig, TimeoutConfig,
};
use skywave_core::{Duration, Segments};

use super::PROFILES;

const RECOVERIES: [RecoveryConfig; 6] = [
    RecoveryConfig::Tahoe,
    RecoveryConfig::Reno,
    RecoveryConfig::NewReno,
    RecoveryConfig::Sack,
    RecoveryConfig::Prr,
    RecoveryConfig::Sack1,
];

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
            acking: match bytes.int_in_range(0..=3)? {
                0 => Acking::EverySegment,
                every => Acking::Delayed {
                    every,
                    timeout: Duration::from_millis(200),
                },
            },
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
    let detection = match bytes.int_in_range(0..=21)? {
        0..=2 => DetectionConfig::Dupacks(3),
        3 => DetectionConfig::EarlyRetransmit,
        4..=5 => DetectionConfig::Rack,
        6..=8 => DetectionConfig::Dcr(any_dcr(bytes)?),
        16..=18 => DetectionConfig::Sifest(3),
        20 => DetectionConfig::Ncr(NcrTransmit::Careful),
        21 => DetectionConfig::Ncr(NcrTransmit::Aggressive),
        19 => DetectionConfig::Sifest(bytes.int_in_range(1..=6)?),
        9..=11 => DetectionConfig::Vegas,
        threshold => DetectionConfig::Dupacks(threshold - 11),
    };
    Ok(Composition {
        detection,
        recovery: *bytes.choose(&RECOVERIES)?,
        congestion: bytes.choose(PRESETS)?.composition.congestion.clone(),
        timeout: any_timeout(bytes)?,
        avoid_repeated_recovery: bytes.arbitrary()?,
    })
}

fn any_timeout(bytes: &mut Unstructured<'_>) -> Result<TimeoutConfig> {
    Ok(match bytes.int_in_range(0..=5)? {
        0..=2 => TimeoutConfig::Standard,
        3 => TimeoutConfig::HalfWindow,
        4 => TimeoutConfig::Extended(ExtendedConfig::DEFAULT),
        _ => TimeoutConfig::Extended(ExtendedConfig {
            first: f64::from(bytes.int_in_range(1u8..=40)?) / 10.0,
            later: f64::from(bytes.int_in_range(1u8..=40)?) / 10.0,
            retransmit: bytes.arbitrary()?,
        }),
    })
}

fn any_dcr(bytes: &mut Unstructured<'_>) -> Result<DcrConfig> {
    let tau = f64::from(bytes.int_in_range(1u32..=30)?) / 10.0;
    let wait = match bytes.int_in_range(0..=2u64)? {
        0 => DcrWait::Dupacks,
        ticks => DcrWait::Timer {
            tick: Duration::from_millis(10) * (ticks - 1),
        },
    };
    Ok(DcrConfig { tau, wait })
}

#[cfg(test)]
mod tests {
    use super::*;
    use skywave_core::tcp::CongestionConfig;

    #[test]
    fn the_presets_cover_every_congestion_member() {
        let has = |wanted: fn(&CongestionConfig) -> bool| {
            assert!(PRESETS.iter().any(|p| wanted(&p.composition.congestion)));
        };
        has(|c| matches!(c, CongestionConfig::Reno));
        has(|c| matches!(c, CongestionConfig::Vegas(_)));
        has(|c| matches!(c, CongestionConfig::Veno(_)));
        has(|c| matches!(c, CongestionConfig::Westwood(_)));
        has(|c| matches!(c, CongestionConfig::Cubic(_)));
        has(|c| matches!(c, CongestionConfig::Cerl(_)));
        has(|c| matches!(c, CongestionConfig::ThreeQuarter));
    }
}
