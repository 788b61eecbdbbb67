//! Two connections exchange data in both directions. Everything arrives, whatever the network does, unless
//! it fails for ever; and no sender of segments can make them panic or send without end.

use skywave_core::tcp::{PRESETS, TcpConfig};
use skywave_fuzz::connections::{Pair, Plan, Transfer, transfer};
use skywave_fuzz::machines::PROFILES;

use crate::bytes::{check, from_bytes};

fn transfers(bytes: u64, profiles: &[skywave_core::tcp::Profile]) {
    for preset in PRESETS.iter() {
        for &profile in profiles {
            let took = transfer(&Transfer {
                tcp: TcpConfig::new(profile, preset.composition.clone()),
                bytes,
                seed: 1,
            });
            println!("{} in profile {profile:?}: {took:?}", preset.name);
        }
    }
}

#[test]
fn every_preset_in_every_profile_exchanges_data_both_ways() {
    transfers(300_000, &PROFILES);
}

#[test]
fn every_preset_exchanges_ten_megabytes_both_ways() {
    transfers(10_000_000, &[skywave_core::tcp::Profile::Rfc]);
}

#[test]
fn two_connections_bear_any_network_and_any_stranger() {
    check("two connections", 3000, from_bytes::<Plan>(600), |plan| {
        Pair::new(&plan).run();
    });
}
