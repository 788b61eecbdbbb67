//! Any members in the slots, any switches, any profile's timers.

use arbitrary::{Arbitrary, Result, Unstructured};
use skywave_core::Segments;
use skywave_core::tcp::{Acking, Composition, Counting, Handshake, TcpConfig};

use super::PROFILES;
use crate::parameters::{any_iss, any_member};

/// TCP configuration read out of arbitrary bytes: any composition of algorithms, any options on or off (such as SACK),
/// the timers of any stack ([`Profile`](skywave_core::tcp::Profile)).
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
            iss: any_iss(bytes)?,
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
