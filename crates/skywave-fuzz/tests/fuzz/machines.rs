//! Properties of a TCP connection that hold for every variant and any behaviour of the path, unless the
//! path fails for ever.

use proptest::prelude::*;
use skywave_core::tcp::{PRESETS, TcpConfig};
use skywave_fuzz::machines::{AnyConfig, PROFILES, Pair, Plan};

use crate::bytes::{check, from_bytes};

fn plan() -> impl Strategy<Value = Plan> {
    from_bytes(200)
}

/// Runs plans on every preset in every profile, changed by `change`.
fn for_every_preset(cases: u32, change: impl Fn(&mut TcpConfig, &Plan)) {
    for preset in PRESETS.iter() {
        for profile in PROFILES {
            let name = format!("{} in profile {profile:?}", preset.name);
            check(&name, cases, plan(), |plan| {
                let config = TcpConfig::new(profile, preset.composition.clone());
                let mut config = plan.applied_to(config);
                change(&mut config, &plan);
                Pair::new(config, &plan).run();
            });
        }
    }
}

#[test]
fn every_preset_in_every_profile_delivers_everything_and_goes_quiet() {
    for_every_preset(60, |_, _| ());
}

#[test]
fn every_preset_crosses_the_end_of_the_sequence_space() {
    for_every_preset(20, |config, plan| config.iss = plan.near_the_wrap());
}

#[test]
fn any_composition_delivers_everything_and_goes_quiet() {
    let config = from_bytes::<AnyConfig>(40);
    check(
        "any composition",
        3000,
        (config, plan()),
        |(config, plan)| {
            Pair::new(plan.applied_to(config.0), &plan).run();
        },
    );
}
